"""The laws on the sites of inventory/ at their full size, with all their switches under each of the systems.

Every switch, but of the two largest one of each shape (what is left of a configuration without names, addresses and
ASNs), and the largest under one release of NVUE; ``make test-long`` reads back all of their 288 and 1,280 as well,
under each. The third law is tried on a few lines of each kind of switch here and on all lines of the lab's in
test_laws.py; the second, on the wire, is tests/lab/test_reference_switches.py.
"""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.pipeline import Realised, device_config, device_configs
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.nvue.tree import to_data
from nornir_tasks.render.render import render
from tests.nvue_schema import ROOTS, mistakes
from tests.property.mutants import each_change_is_reported
from tests.reference import SITES, SYSTEMS, one_of_each_shape, reference

LARGEST = {"ref-28672": 288, "ref-32768": 1280}
"""Site -> its switches."""
WHOLE = tuple(site for site in SITES if site not in LARGEST)
LINES_EACH = 3


def reads_back(switches: Iterable[Realised]) -> int:
    """The first law, and NVUE's data by the published schema; returns how many switches were tried."""
    count = 0
    for each in switches:
        config, os = each.config, platform(each.config.os)
        tree = os.to_tree(render(config, each.capabilities, environment(config.os)))
        parsed = os.parse(tree, each.capabilities, config.name, config.model)
        assert parsed.remainder.paths() == frozenset(), config.name
        assert parsed.config == config, config.name
        if config.os == "nvue":
            assert mistakes(to_data(tree), ROOTS[config.release]) == [], config.name
        count += 1
    return count


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("site", WHOLE)
def test_every_switch_reads_back_and_passes_the_schema(site: str, system: str) -> None:
    fabric = reference(site, system)
    assert reads_back(device_configs(fabric)) == len(fabric.devices)


def each_of_the_largest() -> list[Any]:
    """Each site under each system; the largest under one release of NVUE, under others with ``-m long``."""
    later = {("ref-32768", system) for system in SYSTEMS if system.startswith("nvue-")} - {("ref-32768", "nvue-5.16")}
    pairs = [(site, system) for site in LARGEST for system in SYSTEMS]
    return [pytest.param(*pair, marks=pytest.mark.long if pair in later else ()) for pair in pairs]


@pytest.mark.parametrize("site", ["lab-rails", "lab-breakout", "lab-unnumbered", "ref-512"])
def test_every_switch_reads_back_where_systems_are_mixed(site: str) -> None:
    fabric = reference(site)
    assert reads_back(device_configs(fabric)) == len(fabric.devices)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("site", "system"), each_of_the_largest())
def test_every_shape_of_switch_of_the_largest_sites_reads_back_and_passes_the_schema(
    site: str, system: str, figure: Callable[[str], None]
) -> None:
    fabric = reference(site, system)
    shapes = reads_back(one_of_each_shape(fabric))
    figure(f"{site} under {system}: {len(fabric.devices)} switches of {shapes} shapes")
    assert shapes >= len({each.role for each in fabric.devices})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("site", ["ref-512", "ref-32768"])
def test_some_lines_deleted_or_changed_are_differences_on_every_kind_of_switch(site: str, system: str) -> None:
    fabric, chance = reference(site, system), Random(site + system)
    for device in {device.role: device for device in fabric.devices}.values():
        each = device_config(fabric, device)
        made = wanted(each.config, each.capabilities, each.claims, environment(each.config.os))
        for path in chance.sample(sorted(made.tree.paths()), LINES_EACH):
            each_change_is_reported(made, path)


@pytest.mark.long
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("site", LARGEST)
def test_each_switch_of_the_largest_sites_reads_back_and_passes_the_schema(site: str, system: str) -> None:
    assert reads_back(device_configs(reference(site, system))) == LARGEST[site]

"""The hard prefix limit of each session: half as much again as its neighbour announces, and room for planes to come."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from nornir_tasks.design.addresses.routes import learned_paths
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.strategies import sites
from tests.unit.design.test_drawing import site as site_of

LAB = Path(__file__).parents[3] / "inventory" / "lab-rails" / "fabric.yml"
CATALOGUE = load_catalogue()
FACTS = {name: each.facts for name, each in platforms().items()}
NOT_LESS = 4
"""Prefixes that each leaf is counted as announcing, at least."""


def announced(network: Network, *, of_a_leaf: Callable[[int], int]) -> dict[str, int]:
    """Switch -> prefixes that it announces to a neighbour; ``of_a_leaf``: from those that it has."""
    own = {
        each.name: of_a_leaf(1 + len(network.blocks_at(each.name))) if each.level == 0 else 1
        for each in network.devices
    }
    paths = learned_paths(network)
    learned = {each.name: sum(own[name] for name, _ in paths.of(each.name)) for each in network.devices}
    return {each.name: own[each.name] + (learned[each.name] if each.level else 0) for each in network.devices}


def limits(network: Network) -> dict[str, dict[str, int]]:
    """Switch -> far switch -> the limit that its configuration has for what that one announces."""
    return {each.config.name: _limits(network, each.config) for each in device_configs(network)}


def _limits(network: Network, config: DeviceConfig) -> dict[str, int]:
    assert config.bgp is not None
    groups = {group.name: group.max_prefixes for group in config.bgp.peer_groups}
    return {each.description.split()[0]: groups[each.peer_group] for each in config.bgp.neighbors}


@pytest.mark.parametrize("name", ["lab-rails", "ref-512", "ref-28672"])
def test_the_limit_is_half_as_much_again_as_the_neighbour_announces(name: str) -> None:
    network = site_of(name)
    counted = announced(network, of_a_leaf=lambda prefixes: max(NOT_LESS, prefixes))
    if any(group.count != group.max for group in load_site(name).intent.hosts.values()):
        pytest.fail("this site is not fully populated: its switches announce less than at hosts.max")
    for device, of_neighbours in limits(network).items():
        for neighbour, limit in of_neighbours.items():
            assert limit == ceil(Fraction(3, 2) * counted[neighbour]), (device, neighbour)


@given(sites())
@settings(max_examples=40, deadline=None)
def test_no_limit_of_any_site_is_below_half_as_much_again(made: tuple[dict[str, Any], Network]) -> None:
    network = made[1]
    counted = announced(network, of_a_leaf=lambda prefixes: prefixes)
    for of_neighbours in limits(network).values():
        for neighbour, limit in of_neighbours.items():
            assert limit >= ceil(Fraction(3, 2) * counted[neighbour])


def with_planes(folder: Path, more: int) -> Network:
    """The lab with further planes on the NIC ports of compute."""
    site = yaml.safe_load(LAB.read_text())
    for number in range(1, more + 1):
        pools = {"hosts": f"10.{180 + 4 * number}.0.0/14"}
        site["planes"][f"more{number}"] = {
            "fabric": "compute",
            "kind": "compute",
            "tag": 310 + number,
            "mtu": 4200,
            "pools": pools,
        }
        nics = {"rails": 8, "speed": "200G", "ports_of": "compute"}
        site["hosts"]["gpu"]["nics"][f"more{number}"] = nics
    file = folder / f"with_{more}.yml"
    file.write_text(yaml.safe_dump(site, sort_keys=False))
    return design(load_intent(file), CATALOGUE, FACTS)


@pytest.mark.parametrize(("fewer", "more"), [(0, 1), (0, 2), (1, 3), (0, 3)])
def test_planes_added_or_taken_off_together_end_no_session_whatever_the_order_of_switches(
    tmp_path: Path, fewer: int, more: int
) -> None:
    """Amid such a push a switch may have the limits of fewer planes while all its neighbours announce more."""
    small, large = with_planes(tmp_path, fewer), with_planes(tmp_path, more)
    most = announced(large, of_a_leaf=lambda prefixes: prefixes)
    for of_neighbours in limits(small).values():
        for neighbour, limit in of_neighbours.items():
            assert most[neighbour] <= limit

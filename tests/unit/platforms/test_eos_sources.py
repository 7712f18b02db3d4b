"""Every line an EOS template prints has a shape in SOURCES.yml, and every shape there is printed by some template."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.model.device_config import DeviceConfig
from tests.corpus.shapes import patterns
from tests.unit.design import edge_systems, long_cables, managed, reached, tagged, toy_layer3, with_radius
from tests.unit.design.toys import ONE_OF_EACH, both
from tests.unit.design.wanted_of import wanted_of
from tests.unit.platforms.eos_examples import counting_marks, examples, facts_of, leaf, rendered, with_guarantee

SOURCES = Path(__file__).parents[3] / "templates" / "eos" / "SOURCES.yml"
ENTRIES: list[dict[str, Any]] = yaml.safe_load(SOURCES.read_text())


COMPILED = [
    (entry, pattern)
    for entry in ENTRIES
    if not entry["shape"].startswith("(nothing")
    for pattern in patterns(entry["shape"])
]


def in_a_vrf() -> str:
    """What is rendered of a leaf with a plane in a VRF of its own."""
    return both(ONE_OF_EACH["eos"], vrf="STORAGE").text


def with_tags() -> str:
    """What is rendered of a leaf with planes told apart by tags."""
    return tagged.part(tagged.DEVICES["eos"]).text


def dual_stack() -> str:
    """What is rendered of a leaf with a plane that has IPv6 and routes out, in the default VRF and in its own."""
    return "".join(toy_layer3.both(ONE_OF_EACH["eos"], vrf=vrf).text for vrf in (None, toy_layer3.VRF))


def with_long_cables() -> str:
    """What is rendered of a leaf with lossless cables of more than the system's own length."""
    return wanted_of(long_cables.realised(long_cables.DEVICES["eos"])).text


def managed_base() -> str:
    """What is rendered of a leaf with base configuration, in a management VRF and in the default one."""
    sites = [site.realised(site.DEVICES["eos"], vrf) for site in (managed, with_radius, reached) for vrf in site.VRFS]
    return "".join(wanted_of(each).text for each in sites)


def edge_routers() -> str:
    """What is rendered of edge routers, with and without secrets of their sessions, in service and drained."""
    modes = itertools.product((False, True), repeat=2)
    sites = [edge_systems.edges("eos", signed=signed, drained=drained) for signed, drained in modes]
    return "".join(wanted_of(each).text for site in sites for each in site)


def without_a_source(text: str) -> list[str]:
    """Lines without a source; what a banner says is none."""
    commands = re.sub(r"(?s)^(banner login)\n.*?\nEOF$", r"\1", text, flags=re.MULTILINE)
    lines = {line.strip() for line in commands.splitlines()} - {"!", "end", ""}
    return [line for line in sorted(lines) if not any(pattern.fullmatch(line) for _, pattern in COMPILED)]


@pytest.mark.parametrize("config", examples(), ids=lambda each: f"{each.name}-{each.asic}")
def test_every_line_has_a_source(config: DeviceConfig) -> None:
    assert without_a_source(rendered(config)) == []


@pytest.mark.parametrize("made", [in_a_vrf, with_tags, dual_stack, managed_base, with_long_cables, edge_routers])
def test_every_line_of_planes_base_configuration_and_edge_routers_has_a_source(made: Callable[[], str]) -> None:
    assert without_a_source(made()) == []


def test_no_source_is_kept_for_a_line_that_nobody_prints() -> None:
    texts = [
        *map(rendered, examples()),
        with_guarantee(leaf())[1],
        in_a_vrf(),
        with_tags(),
        dual_stack(),
        managed_base(),
        with_long_cables(),
        edge_routers(),
        counting_marks(),
    ]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    unused = [entry["shape"] for entry, pattern in COMPILED if not any(pattern.fullmatch(line) for line in lines)]
    assert unused == []


def test_nothing_is_known_from_memory_alone() -> None:
    assert [entry for entry in ENTRIES if entry["confidence"] == "M"] == []
    assert dict(facts_of(leaf()).memory_only) == {}

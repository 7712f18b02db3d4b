"""Parsers we did not write read our text to the values of the hinge: of the default lab, other sites, random fronts."""

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jinja2 import TemplateError

from nornir_tasks.design.model.device_config import SECTIONS
from nornir_tasks.design.pipeline import Realised
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from tests.lab.line_shapes import Shape, fitting, shapes
from tests.property.mutants import instead, other_values, without
from tests.unit.platforms import eos_examples, eos_resources, front_drawn, nxos_examples, nxos_resources
from tests.unit.platforms.base_drawn import with_management
from tests.unit.platforms.crosscheck_switches import switches
from tests.unit.platforms.resource_modules import UnreadError, as_printed, canonical, facts, facts_of, printed, running
from tests.unit.platforms.unseen_lines import NOT_JUDGED, SECTIONS_UNSEEN, UNSEEN

EXPECTED = {"eos": eos_resources.EXPECTED, "nxos": nxos_resources.EXPECTED}
LEFT_OUT = {("eos", "interfaces"): {"speed", "duplex"}}
"""What a parser makes of words that it does not know: speeds with lanes, of which it takes the end for the duplex."""
EACH = [(os, each) for os, known in EXPECTED.items() for each in known]


def entries(found: Any, left_out: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """Facts as texts that are equal if the facts are, in whatever order a parser lists them."""
    found = [found] if isinstance(found, dict) else found
    return sorted(json.dumps(_sorted(each, left_out), sort_keys=True) for each in found)


def _sorted(found: Any, left_out: frozenset[str] | set[str]) -> Any:
    if isinstance(found, dict):
        return {key: _sorted(value, left_out) for key, value in found.items() if key not in left_out}
    if isinstance(found, list):
        return sorted((_sorted(each, left_out) for each in found), key=lambda each: json.dumps(each, sort_keys=True))
    return found


def compare(os: str, resource: str, each: Realised) -> int:
    """How many entries the parser reads, all of them as they shall be."""
    found = entries(facts(os, resource, printed(each)), LEFT_OUT.get((os, resource), set()))
    assert found == entries(EXPECTED[os][resource](with_management(each.config))), each.config.name
    return len(found)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("os", "resource"), EACH)
def test_it_reads_what_the_switch_shall_have(os: str, resource: str) -> None:
    assert sum(compare(os, resource, each) for each in switches(os)) > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("os", EXPECTED)
def test_it_reads_what_the_leaves_of_random_fronts_shall_have(os: str) -> None:
    leaves: list[Realised] = []

    @settings(max_examples=4, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(front_drawn.leaves(os))
    def keep(found: tuple[Realised, Realised]) -> None:
        leaves.append(found[0])

    keep()
    assert all(sum(compare(os, resource, each) for resource in EXPECTED[os]) > 100 for each in leaves)
    assert leaves


OTHERS = {
    # of several hosts in one VRF, logging_global of arista.eos reads one twice
    "eos": ("bgp_global", "bgp_address_family", "lldp_global", "lacp", "logging_global"),
    "nxos": (
        "bgp_global",
        "bgp_address_family",
        "bgp_neighbor_address_family",
        "bgp_templates",
        "bfd_interfaces",
        "vrf_address_family",
        "lldp_global",
        "lacp",
    ),
}
"""Parsers whose facts the tests of each system compare, or that read lines which we do not render."""


def is_seen(os: str, tree: ConfigTree, path: Path) -> bool:
    """Does any parser read something else once the line is gone, or has another value?"""
    block = ConfigTree()
    for line in tree.children if path[0].startswith("interface ") else ():
        if line.lower().startswith("interface port-channel"):
            block.add(line)  # whose members' lines say so
    block.add(path[0]).merge(tree.children[path[0]])
    mutants = [without(block, path), *(instead(block, path, line) for line in other_values(path[-1]))]
    text, *others = dict.fromkeys(as_printed(os, each) for each in (block, *mutants))
    return any(reads_other(os, resource, text, other) for resource in (*EXPECTED[os], *OTHERS[os]) for other in others)


def reads_other(os: str, resource: str, text: str, other: str) -> bool:
    """Does the parser of this resource tell both texts apart? A refusal is something else, too."""
    switch = running(os, resource, other)
    if all(switch.get(command) == running(os, resource, text).get(command) for command in asks(os, resource)):
        return False
    return read(os, resource, text) != read(os, resource, other)


REFUSALS = (UnreadError, LookupError, AttributeError, TypeError, ValueError, TemplateError)
"""What parsers raise at a text that they do not read."""


@cache
def asks(os: str, resource: str) -> tuple[str, ...]:
    """The commands by which a parser asks for its lines; that there are none, some do not take."""
    switch = running(os, resource, "")
    with contextlib.suppress(*REFUSALS):
        facts_of(os, resource, switch)
    return tuple(switch.answers)


@cache
def read(os: str, resource: str, text: str) -> str:
    """Its facts as a text; of one that it refuses, that it does."""
    try:
        return repr(facts(os, resource, text))
    except REFUSALS as error:
        return type(error).__name__


def hand_made(os: str) -> Iterator[ConfigTree]:
    """Switches with what none of the sites has: drained, balanced, with cages in parts, with groups of more links."""
    made = {
        "eos": [eos_examples.rendered(each) for each in eos_examples.examples()],
        "nxos": [
            nxos_examples.rendered(each)
            for each in (nxos_examples.leaf(), nxos_examples.split_leaf(), nxos_examples.bundled_leaf())
        ],
    }
    return (platform(os).canonical(platform(os).to_tree(text)) for text in made[os])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("os", EXPECTED)
def test_lines_that_no_parser_sees_are_named(os: str) -> None:
    left = {shape for shape in shapes() if shape.os == os}
    seen: set[Shape] = set()
    unseen: dict[str, set[str]] = defaultdict(set)
    for tree in (*map(canonical, switches(os)), *hand_made(os)):
        for path in sorted(tree.paths()):
            for shape in left.intersection(fitting(os, path)):
                left.remove(shape)
                if is_seen(os, tree, path):
                    seen.add(shape)
                else:
                    unseen[shape.section].add(shape.text)
    assert set(SECTIONS) - {shape.section for shape in seen} == SECTIONS_UNSEEN[os]
    assert {section: found for section, found in unseen.items() if section not in SECTIONS_UNSEEN[os]} == UNSEEN[os]
    assert {shape.text for shape in left} == NOT_JUDGED[os]

"""Two planes on switches that others use as well: in whichever order they come, and whatever is changed by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
from pushes import plan, ports_shown, push, roll_back, shown
from two_planes import FIRST, LEAVES, PLANES, shall_hold, toy_planes_found
from typed_switches import SWITCHES, Switch

from nornir_tasks.deploy.plan import device_plan, sides
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.platforms.config_tree import ConfigTree, Path, difference
from nornir_tasks.platforms.ownership import join, split
from tests.property.mutants import instead, other_values, without

LISTS = ("COMPUTE-OLD", "STORAGE-OLD", "CUSTOMER")
TYPED = {
    "eos": "".join(f"ip prefix-list {name}\n   seq 10 permit 10.1.0.0/16\n" for name in LISTS)
    + "router bgp 4200000000\n   neighbor 203.0.113.9 remote-as 64999\n   neighbor 10.32.77.1 remote-as 65100\n",
    "nxos": "".join(f"ip prefix-list {name} seq 10 permit 10.1.0.0/16\n" for name in LISTS)
    + "router bgp 4200000001\n  neighbor 203.0.113.9\n    remote-as 64999\n  neighbor 10.32.77.1\n",
    "nvue": json.dumps(
        {
            "router": {"policy": {"prefix-list": {name: {"rule": {"10": {"action": "permit"}}} for name in LISTS}}},
            "vrf": {
                "default": {
                    "router": {
                        "bgp": {
                            "autonomous-system": 4200000002,
                            "router-id": "203.0.113.2",
                            "neighbor": {each: {"remote-as": 64999} for each in ("203.0.113.9", "10.32.77.1")},
                        }
                    }
                }
            },
        }
    ),
}
"""Others' lines in the midst of ours, and what an earlier design left of both planes."""
MARKS = {"COMPUTE-OLD", "STORAGE-OLD", "10.32.77.1"}
"""Of these lines, those that look like ours."""
SYSTEMS = pytest.mark.parametrize("os", LEAVES)
VRFS = pytest.mark.parametrize("vrf", [None, "STORAGE"], ids=["default-vrf", "own-vrf"])


@pytest.fixture(autouse=True, scope="module")
def _toys() -> Iterator[None]:
    with toy_planes_found():
        yield


def wanted(os: str, vrf: str | None, *planes: str) -> Wanted:
    return shall_hold(LEAVES[os], FIRST, *planes, vrf=vrf)


def brownfield(os: str, vrf: str | None) -> Switch:
    whole = wanted(os, vrf)
    switch = SWITCHES[os].at_day0(whole.config, ports_shown(whole) + TYPED[os])
    assert switch.refused == []
    return switch


def by_owner(ours: Wanted, tree: ConfigTree) -> dict[str | None, ConfigTree]:
    return split(tree, ours.platform.ownership, ours.claims)


def leaves(tree: ConfigTree) -> set[Path]:
    return {path for path, node in tree.walk() if not node}


@VRFS
@SYSTEMS
def test_what_planes_push_one_by_one_is_what_all_push_and_they_meet_in_shared_owners_alone(
    os: str, vrf: str | None
) -> None:
    compute, storage, everything = wanted(os, vrf, "compute"), wanted(os, vrf, "storage"), wanted(os, vrf)
    assert join([compute.tree, storage.tree]) == everything.tree
    parts, lines = by_owner(everything, everything.tree), leaves(everything.tree)
    shared = (leaves(parts[SWITCH]) | leaves(parts["fabric compute"])) & lines  # a container's header is no line
    assert compute.tree.paths() & storage.tree.paths() & lines == shared
    for plane, tree in (("compute", compute.tree), ("storage", storage.tree)):
        assert leaves(tree) & lines - shared == leaves(parts[plane])
        assert len(leaves(parts[plane])) > 8


@pytest.mark.sampled(3)
@VRFS
@SYSTEMS
def test_a_brownfield_switch_is_byte_for_byte_the_same_whichever_plane_is_pushed_first(
    os: str, vrf: str | None
) -> None:
    everything, start = wanted(os, vrf), brownfield(os, vrf)
    day0, ends = running(start, everything), []
    for order in (PLANES, PLANES[::-1], (PLANES,)):
        switch = deepcopy(start)  # passwords are salted anew at each day 0
        for planes in order:
            push(switch, wanted(os, vrf, *([planes] if isinstance(planes, str) else planes)))
        found = sides(everything, running(switch, everything), shown(switch))
        assert found.owned == everything.tree
        changed = difference(theirs(everything, day0), theirs(everything, running(switch, everything)))
        assert {each.path for each in changed} <= {("no ip routing",)}  # what EOS prints until somebody routes
        assert {name for name in (*LISTS, "203.0.113.9") if name not in switch.running()} == set()
        ends.append(switch.running())
    assert ends[0] == ends[1] == ends[2]


def theirs(ours: Wanted, tree: ConfigTree) -> ConfigTree:
    """What is not exactly as the intent has it."""
    left = tree.copy()
    for path in sorted(leaves(tree) & leaves(ours.tree), key=len, reverse=True):
        del left.get(*path[:-1]).children[path[-1]]
    for path in sorted(left.paths(), key=len, reverse=True):  # containers that only our lines were in
        if ours.tree.get(*path) is not None and not left.get(*path).children:
            del left.get(*path[:-1]).children[path[-1]]
    return left


@VRFS
@SYSTEMS
def test_lines_that_look_like_an_earlier_design_stay_and_are_named_until_they_are_adopted(
    os: str, vrf: str | None
) -> None:
    switch, everything = brownfield(os, vrf), wanted(os, vrf)
    push(switch, everything)
    pushed = switch.running()
    met = {name: each for name in MARKS for each in plan(switch, everything).others if name in " ".join(each.path)}
    # of a plane in a VRF addresses tell nothing in the default one
    assert met.keys() == MARKS - ({"10.32.77.1"} if vrf is not None else set())
    assert not any(each.is_in_the_way for each in met.values())
    assert push(switch, everything, *(each.adopt for each in met.values())) > 0
    assert not [name for name in met if name in switch.running()]
    assert {name for name in ("CUSTOMER", "203.0.113.9") if name not in switch.running()} == set()
    roll_back(switch, everything)
    assert switch.running() == pushed


@SYSTEMS
def test_a_push_of_both_planes_that_is_taken_back_leaves_the_switch_as_it_was(os: str) -> None:
    switch, everything = brownfield(os, None), wanted(os, None)
    day0 = switch.running()
    push(switch, everything)
    roll_back(switch, everything)
    assert switch.running() == day0


def running(switch: Switch, ours: Wanted) -> ConfigTree:
    return ours.platform.to_tree(switch.running())


@pytest.mark.sampled(2)
@VRFS
@SYSTEMS
@pytest.mark.parametrize("plane", PLANES)
def test_every_line_of_a_plane_that_is_lost_or_changed_by_hand_is_in_its_plan_and_in_no_other_planes(
    os: str, vrf: str | None, plane: str, figure: Callable[[str], None]
) -> None:
    switch, everything = brownfield(os, vrf), wanted(os, vrf)
    push(switch, everything)
    runs, (other,) = running(switch, everything), set(PLANES) - {plane}
    mine, theirs = wanted(os, vrf, plane), wanted(os, vrf, other)
    counts: Counter[str] = Counter()
    for path in sorted(leaves(by_owner(everything, everything.tree)[plane])):
        for what, mutant in mutants(runs, path):
            text = everything.platform.to_text(mutant)
            assert device_plan(theirs, text).changes == (), (path, what)
            brought_back = {each.path for each in device_plan(mine, text).changes if each.op == "+"}
            assert path in brought_back, (path, what)
            counts["lost" if what == "lost" else "changed"] += 1
    lost, changed = counts["lost"], counts["changed"]
    figure(f"{os}, {plane}, storage in VRF {vrf}: {lost} lines lost, {changed} values changed, none seen by {other}")
    assert min(lost, changed) > 8


def mutants(runs: ConfigTree, path: Path) -> Iterator[tuple[str, ConfigTree]]:
    """The running configuration without a line, and with each other value in it."""
    yield "lost", without(runs, path)
    for line in other_values(path[-1]):
        mutant = instead(runs, path, line)
        if mutant != runs:
            yield line, mutant

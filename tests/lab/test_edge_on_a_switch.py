"""Spanning tree and the hash of groups, which a switch with hosts in VLANs has once, on switches that take them."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import Path
from tests.lab.pushes import bare_like, plan, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design import tagged
from tests.unit.design.bundled import DEVICES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
TYPED = pytest.mark.parametrize("device", [DEVICES[os] for os in ("eos", "nxos")], ids=("eos", "nxos"))
BEGINNINGS = ("spanning-tree ", "port-channel load-balance")
BY_HAND: dict[str, tuple[Path, ...]] = {
    "eos": (
        ("spanning-tree mode rstp",),
        ("spanning-tree mst 0 priority 8192",),
        ("spanning-tree vlan-id 410 priority 8192",),
        ("port-channel load-balance trident fields ip source-ip destination-ip",),
    ),
    "nxos": (
        ("spanning-tree mode mst",),
        ("spanning-tree vlan 1-3967 priority 8192",),
        ("spanning-tree vlan 410 priority 8192",),
        ("port-channel load-balance src-dst mac",),
    ),
}
"""What somebody may say otherwise on a switch that is typed to; of NVUE's keys every value is tried."""


def _own(whole: Wanted) -> list[Path]:
    """The lines of spanning tree and of the hash."""
    paths = [path for path, node in whole.tree.walk() if not node]
    return [path for path in paths if path[0].startswith(BEGINNINGS) or {"stp", "lag-hash"} & set(path[1:4])]


@SYSTEMS
def test_every_changed_line_of_spanning_tree_and_hash_is_seen(device: str) -> None:
    counts = [each_change_is_reported(part(device), path) for path in _own(part(device))]
    assert sum(deleted for deleted, _ in counts) >= 1


@TYPED
def test_what_somebody_says_otherwise_is_taken_back_where_it_was_ours_and_else_named(device: str) -> None:
    """A value of ours that was changed comes back. What stands in the place of no line of ours is somebody's."""
    whole = part(device)
    for path in BY_HAND[whole.config.os]:
        switch = bare_like(whole)
        push(switch, whole)
        good = whole.platform.to_tree(switch.running())
        switch.type(path)
        spoilt = whole.platform.to_tree(switch.running())
        typed = spoilt.paths() - good.paths()
        assert typed, path
        met = plan(switch, whole).others
        assert {each.path for each in met} <= typed
        changes = plan(switch, whole, *(each.adopt for each in met)).changes
        assert {each.path for each in changes if each.op == "-"} == typed, path
        assert good.paths() - spoilt.paths() <= {each.path for each in changes if each.op == "+"}
        push(switch, whole, *(each.adopt for each in met))
        assert whole.platform.to_tree(switch.running()) == good, path


@TYPED
def test_a_priority_of_others_for_vlans_of_theirs_or_another_tree_stays_and_is_named(device: str) -> None:
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    path = BY_HAND[whole.config.os][2]
    switch.type(path)
    (met,) = plan(switch, whole).others
    assert not met.is_in_the_way
    assert (met.path, met.adopt) == (path, path)
    push(switch, whole)
    assert whole.platform.to_tree(switch.running()).get(*path) is not None


@TYPED
def test_spanning_tree_and_hash_stay_as_they_are_where_no_plane_asks_for_them(device: str) -> None:
    whole = tagged.part(device)
    switch = bare_like(whole)
    theirs = BY_HAND[whole.config.os]
    for path in theirs:
        switch.type(path)
    push(switch, whole)
    assert {path for path in theirs if whole.platform.to_tree(switch.running()).get(*path) is None} == set()

"""What both switches of a pair compare, and what a lab's switch does about a conflict, is as published."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_fabric_pairs import PEER_LINK, A, B, Lab

from switch_twins.consistency import as_agreed
from switch_twins.engine import EOS, Context, Tree, load_text
from switch_twins.eos.extract import switch_state as eos_state
from switch_twins.eos.grammar import eos_grammar
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.extract import switch_state as nvue_state
from switch_twins.nxos.day0 import empty_tree
from switch_twins.nxos.extract import switch_state as nxos_state
from switch_twins.spec import DeviceSpec
from switch_twins.state import Compared, SwitchState
from tests.lab.pushes import bare_like, push
from tests.lab.typed_switches import EosSwitch, NvueSwitch, Switch, spec_of
from tests.unit.design.paired import DEVICES, part

sys.path.append(str(Path(__file__).parents[1] / "corpus"))
from pair_consistency import read_rows

GROUP = "Group2"


def rows(lab: Lab, name: str, *compared: Compared) -> None:
    lab.say(name, compared=compared)


def row(value: str, action: Any = "secondary", **more: Any) -> Compared:
    return Compared("row", value, action=action, **more)


def lab_with_group() -> Lab:
    """B is primary by its priority, A secondary; the host's group is over both."""
    lab = Lab()
    for name in (A, B):
        lab.set(name, GROUP, over_both="1")
    return lab


def up(lab: Lab) -> dict[str, bool]:
    return {name: lab.sim.is_up(name, GROUP) for name in (A, B)}


@pytest.mark.parametrize("altered", [A, B])
def test_the_secondary_alone_holds_its_groups_down_whichever_member_was_altered_and_lets_go_again(altered: str) -> None:
    lab = lab_with_group()
    for name in (A, B):
        rows(lab, name, row("1"))
    assert up(lab) == {A: True, B: True}
    rows(lab, altered, row("2"))
    assert up(lab) == {A: False, B: True}
    assert [each.reason for each in lab.sim.members(A, GROUP)] == [
        "its group is held down: both switches conflict in row"
    ]
    assert lab.pair(A).is_peer_up and lab.sim.is_up(A, "Group1")
    rows(lab, altered, row("1"))
    assert up(lab) == {A: True, B: True}


def test_a_switch_that_does_not_hear_its_peer_holds_nothing_down() -> None:
    lab = lab_with_group()
    rows(lab, A, row("1"))
    rows(lab, B, row("2"))
    assert up(lab) == {A: False, B: True}
    for cable in PEER_LINK:
        lab.sim.cut_cable(cable)
    assert up(lab) == {A: True, B: True}
    lab.sim.mend_cable(PEER_LINK[0])
    assert up(lab) == {A: False, B: True}
    lab.say(B, domain="pair-2")
    assert up(lab) == {A: True, B: True}


def test_what_is_only_shown_has_no_effect() -> None:
    lab = lab_with_group()
    rows(lab, A, row("1", action=""))
    rows(lab, B, row("2", action=""))
    assert up(lab) == {A: True, B: True}
    assert [each.peer_value for each in lab.pair(A).differences] == ["2"]


def test_a_value_that_is_absent_is_a_conflict_though_both_have_none() -> None:
    lab = lab_with_group()
    for name in (A, B):
        rows(lab, name, row("-", is_conflict=True))
    assert up(lab) == {A: False, B: True}


def test_a_switch_whose_own_group_is_wrong_holds_that_one_down_whatever_its_role() -> None:
    lab = lab_with_group()
    rows(lab, A, row("yes", action="own", number="1"))
    rows(lab, B, row("-", action="own", number="1", is_conflict=True))
    assert up(lab) == {A: True, B: False}
    assert lab.pair(A).differences == ()


def test_a_row_of_another_group_leaves_this_one_up() -> None:
    lab = lab_with_group()
    rows(lab, A, row("1", number="2"))
    rows(lab, B, row("2", number="2"))
    assert up(lab) == {A: True, B: True}


def test_vlans_that_both_have_not_in_common_are_suspended_on_both_and_nothing_goes_down() -> None:
    lab = lab_with_group()
    rows(lab, A, row("1, 200,300-302", action="vlans"))
    rows(lab, B, row("1, 300-302", action="vlans"))
    for name in (A, B):
        group = next(each for each in lab.sim.state(name).interfaces if each.name == GROUP)
        assert lab.sim.suspended(name, group) == {200}
        assert lab.sim.suspended(name, replace(group, over_both="")) == frozenset()
    assert up(lab) == {A: True, B: True}


def test_packets_do_not_take_a_group_that_is_down_for_a_conflict_or_a_suspended_vlan() -> None:
    """What the routed lab's namespaces are told."""
    lab = lab_with_group()
    assert as_agreed(lab.sim.state(A), lab.sim) is lab.sim.state(A)
    rows(lab, A, row("1"), Compared("vlans", "200", action="vlans"))
    rows(lab, B, row("2"), Compared("vlans", "201", action="vlans"))
    down, stays = ({each.name: each for each in as_agreed(lab.sim.state(name), lab.sim).interfaces} for name in (A, B))
    assert {name for name, each in down.items() if not each.is_admin_up} == {GROUP, "p4"}
    assert all(each.is_admin_up for each in stays.values())
    assert (down[GROUP].vlans, stays[GROUP].vlans) == (frozenset(), frozenset())


def compared(os: str, altered: Any = ()) -> tuple[Compared, ...]:
    """What a lab's switch compares that was pushed a pair's configuration, and that somebody altered."""
    whole = part(DEVICES[os])
    switch = bare_like(whole)
    push(switch, whole)
    if isinstance(switch, NvueSwitch):
        if isinstance(altered, str):
            switch.remove(altered)
        elif altered:
            switch._patch(altered)
    elif altered:
        for path in altered if isinstance(altered[0], tuple) else (altered,):
            switch.type(path)
    state = state_of(switch, spec_of(whole.config))
    assert state.pair is not None and state.pair.compared
    return tuple(state.pair.compared)


def state_of(switch: Switch, device: DeviceSpec) -> SwitchState:
    """What its configuration means to the lab."""
    if isinstance(switch, NvueSwitch):
        return nvue_state(device, json.loads(switch.running()), dialect_for(device.release))
    if isinstance(switch, EosSwitch):
        tree = Tree(eos_grammar(), EOS)
        load_text(tree, Context(release=device.release, asic=device.asic, model=device.model), switch.running())
        return eos_state(device.name, tree)
    context = Context(release=device.release, asic=device.asic, model=device.model, ports=frozenset(device.ports))
    tree = empty_tree(context)
    load_text(tree, context, switch.running())
    return nxos_state(tree, device.name)


@pytest.mark.parametrize("os", DEVICES)
def test_a_labs_switch_compares_the_rows_of_the_corpus_with_their_actions_and_no_others(os: str) -> None:
    listed = [each for each in read_rows() if each.os == os and each.twin == "yes"]
    actions = {(each.row, each.scope, each.kind): WORDS.get(each.action, each.action) for each in listed}
    found = {
        (re.sub(r" mlag\d+$", " mlag<id>", each.name), scope(each), each.kind or "-"): each for each in compared(os)
    }
    assert {key: each.action for key, each in found.items()} == actions
    assert not any(each.is_conflict for each in found.values())


def bridged(**settings: Any) -> dict[str, Any]:
    return {"bridge": {"domain": {"br_default": settings}}}


OTHER_MODE = (
    ("interface Ethernet1/1", "no channel-group 1 mode active"),
    ("interface port-channel1", "switchport mode access"),
)
"""While a channel has members, its mode stays."""
ALTERED: dict[str, dict[str, Any]] = {
    "nvue": {
        "bridge-priority": bridged(stp={"priority": 61440}),
        "bridge-stp-mode": bridged(stp={"mode": "pvrst"}),
        "system-mac": {"mlag": {"mac-address": "44:38:39:ff:00:99"}},
        "peerlink-mtu": {"interface": {"peerlink": {"link": {"mtu": 1500}}}},
        "peerlink-native-vlan": {"interface": {"peerlink": bridged(untagged=7)}},
        "peerlink-vlans": {"interface": {"peerlink": bridged(vlan={"999": {}})}},
        "bond1 native-vlan": {"interface": {"bond1": bridged(untagged=300)}},
        "bond1 vlan-id": {"interface": {"bond1": bridged(vlan={"999": {}})}},
        "bond1 mtu": {"interface": {"bond1": {"link": {"mtu": 1500}}}},
        "bond1 master": "/interface/bond1/bridge",
    },
    "nxos": {
        "STP Mode": ("spanning-tree mode mst",),
        "Interface-vlan admin up": ("interface Vlan3967", "shutdown"),
        "Allowed VLANs": ("interface port-channel1000", "switchport trunk allowed vlan 200"),
        "port-channel1 Port Mode": OTHER_MODE,
        "port-channel1 Native Vlan": ("interface port-channel1", "switchport trunk native vlan 77"),
        "port-channel1 MTU": ("interface port-channel1", "mtu 1500"),
        "port-channel1 Allowed VLANs": ("interface port-channel1", "switchport trunk allowed vlan 201"),
    },
    "eos": {
        "dual-primary-detection-delay": (
            "mlag configuration",
            "dual-primary detection delay 9 action errdisable all-interfaces",
        ),
        "Port-Channel1 trunk-native-vlan mlag1": ("interface Port-Channel1", "switchport trunk native vlan 77"),
    },
}
"""System -> row, of a group with its name before -> what somebody sets on one member, or (a path of NVUE) unsets."""
WITH = {
    "peerlink-native-vlan": {"peerlink-vlans"},
    "bond1 master": {"bond1 vlan-id"},
    "port-channel1 Port Mode": {"port-channel1 Allowed VLANs"},
}
"""What is another then as well."""


@pytest.mark.parametrize("os", ALTERED)
def test_the_line_that_a_row_is_named_for_changes_that_row_and_no_other(os: str) -> None:
    def named(row: Compared) -> str:
        return f"{row.interface} {row.name}".strip()

    before = {named(each): each for each in compared(os)}
    listed = {each.row.partition(" mlag<")[0] for each in read_rows() if each.os == os and each.twin == "yes"}
    of = {re.sub(r"^(bond|port-channel|Port-Channel)1 | mlag1$", "", row) for row in ALTERED[os]}
    assert of == listed
    for row, change in ALTERED[os].items():
        after = {named(each): each for each in compared(os, change)}
        unlike = {name for name in before.keys() & after.keys() if before[name].value != after[name].value}
        assert row in unlike and unlike <= {row, *WITH.get(row, ())}, (row, unlike)


WORDS = {"none": "", "unknown": ""}


def scope(row: Compared) -> str:
    return "interface" if row.interface else "global"

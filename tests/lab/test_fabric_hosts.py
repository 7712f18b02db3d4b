"""Hosts that are not there answer switches as they were told: LACP on members of their bonds, to one partner each."""

from __future__ import annotations

import copy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fabric_sim import Switch

from switch_twins.clock import ManualClock
from switch_twins.fabric import FabricSim
from switch_twins.spec import Cable, DeviceSpec, End, Host, HostBond, HostEnd
from switch_twins.state import BgpInstance, InterfaceState, PairState, SwitchState

A, B, C = "leaf-a", "leaf-b", "leaf-c"
PORTS = ("p1", "p2", "p3", "p4")
SUBNET = "10.170.0.0/24"
SILENT = "the host has no bond here"
OTHER = "leads to another partner than the group's other members"
NOT_TAKEN = "the other end's group has another partner"


def member(port: str, group: str) -> InterfaceState:
    return InterfaceState(port, is_routed=False, group=group, lacp_active=True)


def switch(name: str) -> Switch:
    """p1 leads to the other of a pair; p2, p3 to hosts, in Group2 and Group3, both over both; p4 to a third in Group2.

    The SVI of the hosts' VLAN is up with their groups alone, as the peer link does not carry it.
    """
    ports = (member("p1", "Group1"), member("p2", "Group2"), member("p3", "Group3"), InterfaceState("p4"))
    vlan = frozenset({200})
    groups = (
        InterfaceState("Group1", is_group=True, is_routed=False, vlans=frozenset({4094})),
        InterfaceState("Group2", is_group=True, is_routed=False, access_vlan=200, vlans=vlan, over_both="2"),
        InterfaceState("Group3", is_group=True, is_routed=False, access_vlan=300, over_both="3"),
    )
    svi = InterfaceState("Vlan200", addresses=("10.170.0.1/24",), svi_vlan=200)
    pair = PairState("pair-1", "Group1", priority=1000 if name == B else 2000)
    bgp = (BgpInstance(65001, "10.0.0.1", networks=(SUBNET,)),)
    device = DeviceSpec(name, "eos", "", "", "", "S", "127.0.0.1", 1, 2, 1, PORTS)
    return Switch(SwitchState(name, "eos", name, (*ports, *groups, svi), bgp, pair=pair), device)


def bonded(host: str, name: str = "front", **more: Any) -> HostEnd:
    return HostEnd(HostBond(host, name, 9000, **more))


class Lab:
    """Leaves A and B are a pair, of which B is primary; hosts one and two have a port on each, three one on A.

    ``ends``: what hosts were told of a port otherwise than that all of a host's are in its bond.
    """

    def __init__(self, **ends: HostEnd | None) -> None:
        at = {"p2": "one", "p3": "two"}
        hosts = [self.host(at[port], nic, leaf, port, ends) for nic, leaf in enumerate((A, B)) for port in at]
        hosts.append(self.host("three", 0, A, "p4", ends))
        self.switches = {name: switch(name) for name in (A, B)}
        self.sim = FabricSim([Cable("peer", End(A, "p1"), End(B, "p1"))], hosts, ManualClock())
        for each in self.switches.values():
            self.sim.attach(each)

    @staticmethod
    def host(name: str, nic: int, leaf: str, port: str, ends: dict[str, HostEnd | None]) -> Host:
        end = ends.get(f"{name}{nic}", bonded(name))
        return Host(name, f"nic{nic}", End(leaf, port), 9000, end=end)

    def set(self, name: str, interface: str, **changes: object) -> None:
        self.switches[name].set_interface(interface, **changes)

    def reasons(self, group: str = "Group2") -> list[str]:
        """Why the one member of a group is not bundled on A and on B; "" where it is."""
        return [each.reason for name in (A, B) for each in self.sim.members(name, group)]

    def announces(self, name: str) -> bool:
        self.sim.settle()
        return SUBNET in self.sim._now().routes.best((name, "default"))


def test_a_bond_over_both_switches_of_a_pair_is_up_on_both() -> None:
    lab = Lab()
    assert lab.reasons() == lab.reasons("Group3") == ["", ""]
    assert lab.announces(A) and lab.announces(B)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (HostEnd(), SILENT),
        (HostEnd(addresses=("10.168.0.1/31",)), SILENT),
        (bonded("one", lacp_active=None), "the other end's group is static"),
        (bonded("one", name="other"), OTHER),
    ],
)
def test_a_port_that_is_told_otherwise_than_its_switch_is_not_bundled_and_the_hosts_other_one_is(
    end: HostEnd, reason: str
) -> None:
    lab = Lab(one0=end)
    assert lab.reasons() == [reason, ""]
    assert not lab.sim.is_up(A, "Vlan200") and not lab.announces(A) and lab.announces(B)
    assert lab.reasons("Group3") == ["", ""]


def test_a_host_that_waits_for_lacp_is_bundled_by_a_switch_that_sends_it_first() -> None:
    waits = bonded("one", lacp_active=False)
    lab = Lab(one0=waits, one1=waits)
    assert lab.reasons() == ["", ""]
    lab.set(A, "p2", lacp_active=False)
    assert lab.reasons() == ["both ends wait for the other (passive)", ""]


def test_a_static_group_is_up_whatever_the_host_was_told() -> None:
    lab = Lab(one0=HostEnd())
    lab.set(A, "p2", lacp_active=None)
    assert lab.reasons() == ["", ""]


def test_bonds_of_two_hosts_exchanged_on_one_leaf_are_out_where_the_secondary_is() -> None:
    lab = Lab()
    lab.sim.swap_cables("one:nic0", "two:nic0")
    assert lab.reasons() == [OTHER, ""] and lab.reasons("Group3") == [OTHER, ""]
    lab.sim.cut_cable("peer")  # each goes on by itself then, and the host stays with one of the two
    assert lab.sim.is_up(A, "Group2") and lab.sim.is_up(A, "Group3")


def test_members_that_lead_to_two_bonds_of_one_host_are_not_bundled_together() -> None:
    lab = Lab(three0=bonded("one", name="other"))
    lab.set(A, "p4", is_routed=False, group="Group2", lacp_active=True)
    assert lab.reasons() == ["", OTHER, ""]


def test_a_bond_that_leads_to_two_groups_stays_with_the_first_and_says_so_two_switches_away() -> None:
    lab = Lab()
    assert lab.announces(B)
    lab.set(A, "Group2", over_both="22")
    assert lab.reasons() == ["", NOT_TAKEN]
    assert lab.announces(A) and not lab.announces(B)
    lab.set(A, "p2", is_admin_up=False)
    assert lab.reasons() == ["administratively down", ""] and lab.announces(B)


def test_a_host_of_which_nothing_is_said_answers_as_itself_wherever_it_is_asked() -> None:
    lab = Lab(one0=None, one1=None)
    assert lab.reasons() == ["", ""]
    lab.sim.swap_cables("one:nic0", "two:nic0")
    assert lab.reasons() == [OTHER, ""]


def seen(sim: FabricSim, lab: Lab) -> object:
    return {
        name: (
            [(each.name, sim.is_up(name, each.name)) for each in sim.state(name).interfaces],
            [sim.members(name, group) for group in ("Group1", "Group2", "Group3")],
            dict(sim._now().routes.best((name, "default"))),
        )
        for name in lab.switches
    }


@settings(max_examples=80, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 15))
def test_bonds_that_change_commit_by_commit_are_the_same_as_all_at_once(chance: Random, steps: int) -> None:
    lab = Lab(two0=bonded("two", lacp_active=False), three0=bonded("one"))
    seen(lab.sim, lab)
    for _ in range(steps):
        name, port = chance.choice((A, B)), chance.choice(PORTS)
        group = chance.choice(("Group2", "Group3"))
        match chance.randrange(6):
            case 0:
                lab.set(name, port, is_admin_up=chance.random() < 0.7)
            case 1:
                lab.set(name, port, lacp_active=chance.choice((True, True, False, None)))
            case 2:
                lab.set(name, port, group=chance.choice(("", "Group2", "Group3")), is_routed=False, lacp_active=True)
            case 3:
                lab.set(name, group, is_admin_up=chance.random() < 0.7, over_both=chance.choice(("", "2", "3", "9")))
            case 4:
                lab.sim.swap_cables(*chance.sample(sorted(lab.sim.wiring.cables()), 2))
            case 5:
                chance.choice((lab.sim.cut_cable, lab.sim.mend_cable))(chance.choice(sorted(lab.sim.wiring.cables())))
        if chance.random() < 0.6:
            seen(lab.sim, lab)
    at_once = FabricSim([], [], ManualClock())
    at_once.wiring = copy.deepcopy(lab.sim.wiring)
    for each in lab.switches.values():
        at_once.attach(replace(each))
    assert seen(lab.sim, lab) == seen(at_once, lab)

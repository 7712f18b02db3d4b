"""A link aggregation group is up with the members that both ends' switches bundle, and so is what stands on it."""

from __future__ import annotations

import copy
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from test_fabric_sim import Switch

from switch_twins.clock import ManualClock
from switch_twins.fabric import FabricSim
from switch_twins.spec import Cable, DeviceSpec, End, Host
from switch_twins.state import BgpInstance, InterfaceState, SwitchState

A, B, C = "leaf-a", "leaf-b", "leaf-c"
PORTS = ("p1", "p2", "p3", "p4", "p5")
CABLES = ((A, "p1", B, "p1"), (A, "p2", B, "p2"), (B, "p3", C, "p1"), (A, "p3", C, "p2"))
SUBNET = "10.170.0.0/24"


def member(port: str, group: str = "Group1", **more: Any) -> InterfaceState:
    return InterfaceState(port, is_routed=False, group=group, lacp_active=True, **more)


def switch(name: str) -> Switch:
    """Two groups, the first of p1 and p2, with a VLAN and its SVI, which BGP announces; p4 and p5 lead to hosts."""
    group = InterfaceState("Group1", is_group=True, is_routed=False, access_vlan=200, vlans=frozenset({200}))
    svi = InterfaceState("Vlan200", addresses=("10.170.0.1/24",), svi_vlan=200)
    ports = (member("p1"), member("p2"), member("p3", "Group2"), member("p4", "Group3"), member("p5", ""))
    others = (InterfaceState(each, is_group=True, is_routed=False) for each in ("Group2", "Group3"))
    bgp = (BgpInstance(65001, "10.0.0.1", networks=(SUBNET,)),)
    device = DeviceSpec(name, "eos", "", "", "", "S", "127.0.0.1", 1, 2, 1, PORTS)
    return Switch(SwitchState(name, "eos", name, (*ports, group, *others, svi), bgp), device)


class Lab:
    """Three switches, each with p1 and p2 in one group: A and B on two cables, C on one to each of them."""

    def __init__(self) -> None:
        cables = [Cable(f"{a}{p}", End(a, p), End(b, q)) for a, p, b, q in CABLES]
        hosts = [Host(f"{port}-{name}", "nic0", End(name, port), 9000) for name in (A, B, C) for port in PORTS[3:]]
        self.switches = {name: switch(name) for name in (A, B, C)}
        self.sim = FabricSim(cables, hosts, ManualClock())
        for each in self.switches.values():
            self.sim.attach(each)

    def set(self, name: str, interface: str, **changes: object) -> None:
        self.switches[name].set_interface(interface, **changes)

    def bundled(self, name: str, group: str = "Group1") -> list[str]:
        return [each.port for each in self.sim.members(name, group) if each.is_bundled]

    def reasons(self, name: str, group: str = "Group1") -> list[str]:
        return [each.reason for each in self.sim.members(name, group)]

    def announces(self, name: str) -> bool:
        self.sim.settle()
        return SUBNET in self.sim._now().routes.best((name, "default"))


def test_a_group_stays_up_while_one_member_is_and_takes_the_svi_and_its_subnet_down_with_the_last() -> None:
    lab = Lab()
    assert lab.bundled(A) == lab.bundled(B) == ["p1", "p2"]
    lab.set(A, "p1", is_admin_up=False)
    assert (lab.bundled(A), lab.bundled(B)) == (["p2"], ["p2"])
    assert lab.reasons(A) == ["administratively down", ""]
    assert lab.sim.is_up(A, "Group1") and lab.sim.is_up(A, "Vlan200") and lab.announces(A)
    lab.set(A, "p2", is_admin_up=False)
    for name in (A, B):  # the far end's goes with it, though nothing was committed there
        assert not lab.sim.is_up(name, "Group1")
        assert not lab.sim.is_up(name, "Vlan200")
        assert not lab.announces(name)
    lab.set(A, "p2", is_admin_up=True)
    assert lab.sim.is_up(B, "Vlan200") and lab.announces(B)


def test_a_member_carries_nothing_beside_its_group() -> None:
    """NX-OS members repeat their group's VLAN; that does not hold the SVI up."""
    lab = Lab()
    for port in ("p1", "p2"):
        lab.set(A, port, access_vlan=200, vlans=frozenset({200}))
    lab.set(A, "Group1", is_admin_up=False)
    assert not lab.sim.is_up(A, "Vlan200")
    assert lab.reasons(B) == ["the other end's group is shut"] * 2


def test_lacp_at_one_end_only_bundles_nothing_there_and_a_static_end_does_not_notice() -> None:
    lab = Lab()
    for port in ("p1", "p2"):
        lab.set(A, port, lacp_active=None)
    assert lab.bundled(A) == ["p1", "p2"]
    assert lab.bundled(B) == []
    assert lab.reasons(B) == ["the other end's group is static"] * 2
    for port in ("p1", "p2"):
        lab.set(B, port, lacp_active=None)
    assert lab.bundled(A) == lab.bundled(B) == ["p1", "p2"]


def test_two_ends_that_wait_for_one_another_bundle_nothing_and_one_active_end_is_enough() -> None:
    lab = Lab()
    for name in (A, B):
        for port in ("p1", "p2"):
            lab.set(name, port, lacp_active=False)
    assert lab.bundled(A) == lab.bundled(B) == []
    for port in ("p1", "p2"):
        lab.set(A, port, lacp_active=True)
    assert lab.bundled(A) == lab.bundled(B) == ["p1", "p2"]


def test_a_port_that_left_its_group_at_one_end_is_not_bundled_at_the_other() -> None:
    lab = Lab()
    lab.set(B, "p2", group="", lacp_active=None)
    assert (lab.bundled(A), lab.bundled(B)) == (["p1"], ["p1"])
    assert lab.reasons(A) == ["", "the other end is in no group"]
    assert lab.sim.is_up(A, "Group1")


def test_members_that_lead_to_two_groups_are_not_bundled_together() -> None:
    lab = Lab()
    lab.set(B, "p2", group="Group3")
    assert (lab.bundled(A), lab.bundled(B)) == (["p1"], ["p1"])
    assert lab.reasons(A)[1] == "leads to another partner than the group's other members"
    assert lab.reasons(B, "Group3")[0] == "the other end's group has another partner"


def test_a_commit_is_seen_two_switches_away_where_it_changes_whom_the_one_between_bundles() -> None:
    lab = Lab()
    lab.set(B, "p3", group="Group1")
    lab.set(C, "p2", group="")
    assert lab.reasons(C) == ["the other end's group has another partner"] and not lab.announces(C)
    lab.switches[A].commit(interfaces=tuple(replace(each, group="") for each in lab.switches[A].config.interfaces))
    assert lab.bundled(B) == ["p3"]
    assert lab.sim.is_up(C, "Group1") and lab.announces(C)


def test_a_group_needs_as_many_members_as_it_says() -> None:
    lab = Lab()
    lab.set(A, "Group1", min_links=2)
    assert lab.sim.is_up(A, "Group1")
    lab.sim.cut_cable(f"{A}p1")
    assert lab.bundled(A) == ["p2"] and not lab.sim.is_up(A, "Group1")


def test_a_port_to_a_host_is_bundled_and_two_hosts_are_never_one_partner() -> None:
    lab = Lab()
    assert lab.bundled(A, "Group3") == ["p4"] and lab.sim.is_up(A, "Group3")
    lab.set(A, "p5", group="Group3")
    assert lab.bundled(A, "Group3") == ["p4"]
    assert lab.reasons(A, "Group3")[1] == "leads to another partner than the group's other members"
    lab.sim.cut_cable(f"p4-{A}:nic0")
    assert lab.bundled(A, "Group3") == ["p5"]


def test_a_group_that_nobody_made_bundles_nothing() -> None:
    lab = Lab()
    lab.set(A, "p1", group="Group9")
    assert lab.reasons(A, "Group9") == ["its group does not exist"]
    assert lab.bundled(B) == ["p2"]


def seen(sim: FabricSim, lab: Lab) -> object:
    return {
        name: (
            [(each.name, sim.is_up(name, each.name)) for each in sim.state(name).interfaces],
            [sim.members(name, group) for group in ("Group1", "Group2", "Group3")],
            sim.rib(name),
            dict(sim._now().routes.best((name, "default"))),
        )
        for name in lab.switches
    }


@settings(max_examples=80, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 15))
def test_groups_that_change_commit_by_commit_are_the_same_as_all_at_once(chance: Random, steps: int) -> None:
    lab = Lab()
    seen(lab.sim, lab)
    for _ in range(steps):
        name, port = chance.choice((A, B, C)), chance.choice(PORTS)
        match chance.randrange(6):
            case 0:
                lab.set(name, port, is_admin_up=chance.random() < 0.7)
            case 1:
                lab.set(name, port, lacp_active=chance.choice((True, True, False, None)))
            case 2:
                lab.set(name, port, group=chance.choice(("", "Group1", "Group1", "Group2")))
            case 3:
                lab.set(name, "Group1", is_admin_up=chance.random() < 0.7, min_links=chance.choice((1, 2)))
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

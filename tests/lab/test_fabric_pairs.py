"""A pair of switches is up only where what both were given matches, and each member shows what became of the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from test_fabric_sim import Switch

from switch_twins.clock import ManualClock
from switch_twins.errors import TwinError
from switch_twins.fabric import FabricSim
from switch_twins.pairs import Pairing
from switch_twins.spec import Cable, DeviceSpec, End, Host
from switch_twins.state import Compared, InterfaceState, PairState, SwitchState

A, B = "leaf-a", "leaf-b"
PORTS = ("p1", "p2", "p3", "p4")
CABLES = {"peer-1": "p1", "peer-2": "p2", "keepalive": "p3"}
PEER_LINK, KEEPALIVE = ("peer-1", "peer-2"), "keepalive"
TALK = {A: "169.254.0.0", B: "169.254.0.1"}
OWN = {A: "10.0.0.0", B: "10.0.0.1"}


def switch(name: str) -> Switch:
    """Peer link of p1 and p2, both talk in VLAN 4094 over it; p3 for keepalives alone; p4 to the pair's host."""
    other = B if name == A else A
    members = tuple(InterfaceState(p, is_routed=False, group="Group1", lacp_active=True) for p in PORTS[:2])
    link = InterfaceState("Group1", is_group=True, is_routed=False, vlans=frozenset({200, 4094}))
    talk = InterfaceState("Vlan4094", addresses=(f"{TALK[name]}/31",), svi_vlan=4094)
    host = InterfaceState("p4", is_routed=False, group="Group2", lacp_active=True)
    group = InterfaceState("Group2", is_group=True, is_routed=False, access_vlan=200, vlans=frozenset({200}))
    pair = PairState(
        domain="pair-1",
        peer_link="Group1",
        talks_on="Vlan4094",
        vlan=4094,
        peer_address=TALK[other],
        keepalive=OWN[other],
        priority=1000 if name == B else 2000,
        compared=(Compared("delay", "5"), Compared("native mlag1", "1", interface="Group2")),
    )
    ports = (*members, InterfaceState("p3", addresses=(f"{OWN[name]}/31",)), host, link, talk, group)
    device = DeviceSpec(name, "eos", "", "", "", "S", "127.0.0.1", 1, 2, 1, PORTS)
    return Switch(SwitchState(name, "eos", name, ports, pair=pair), device)


class Lab:
    """Two switches in a pair, and one host on both."""

    def __init__(self, fabric: type[FabricSim] = FabricSim) -> None:
        cables = [Cable(name, End(A, port), End(B, port)) for name, port in CABLES.items()]
        self.switches = {name: switch(name) for name in (A, B)}
        self.sim = fabric(cables, [Host("h", name, End(name, "p4"), 9000) for name in (A, B)], ManualClock())
        for each in self.switches.values():
            self.sim.attach(each)

    def set(self, name: str, interface: str, **changes: object) -> None:
        self.switches[name].set_interface(interface, **changes)

    def say(self, name: str, **changes: Any) -> None:
        pair = self.switches[name].config.pair
        assert pair is not None
        self.switches[name].commit(pair=replace(pair, **changes))

    def pair(self, name: str) -> Pairing:
        found = self.sim.pair(name)
        assert found is not None
        return found

    def reasons(self) -> list[str]:
        return [self.pair(name).reason for name in (A, B)]

    def alive(self) -> list[bool]:
        return [self.pair(name).is_keepalive_alive for name in (A, B)]


def test_both_members_of_a_pair_that_matches_are_up_and_one_is_primary() -> None:
    lab = Lab()
    assert lab.reasons() == ["", ""] and lab.alive() == [True, True]
    assert [lab.pair(name).role for name in (A, B)] == ["secondary", "primary"]
    assert [each.name for name in (A, B) if (each := lab.pair(name).peer)] == [B, A]
    lab.say(A, priority=1000)  # of equal priorities the first
    assert [lab.pair(name).role for name in (A, B)] == ["primary", "secondary"]


def test_a_switch_in_no_pair_has_none() -> None:
    lab = Lab()
    lab.switches[B].commit(pair=None)
    assert lab.sim.pair(B) is None
    assert lab.pair(A).reason == "the other switch is in no pair"
    assert not lab.pair(A).is_keepalive_alive


def test_a_peer_link_that_is_down_is_seen_by_both_while_keepalives_go_on() -> None:
    lab = Lab()
    lab.sim.cut_cable(PEER_LINK[0])
    assert lab.reasons() == ["", ""]
    lab.set(B, "p2", is_admin_up=False)
    assert lab.reasons() == ["the peer link is down"] * 2
    assert lab.alive() == [True, True]
    assert [lab.pair(name).role for name in (A, B)] == ["secondary", "primary"]
    assert not lab.pair(A).is_alone
    lab.sim.mend_cable(PEER_LINK[0])
    assert lab.reasons() == ["", ""]


def shutting(what: str, fabric: type[FabricSim] = FabricSim) -> Lab:
    lab = Lab(fabric)
    for name in (A, B):
        lab.say(name, shuts_apart=what)
        lab.set(name, "Group2", over_both="1")
    return lab


def groups(lab: Lab) -> dict[str, bool]:
    return {name: lab.sim.is_up(name, "Group2") for name in (A, B)}


@pytest.mark.parametrize("by_hand", [True, False], ids=["shut at the primary", "cut"])
@pytest.mark.parametrize("what", ["groups", "all"])
def test_a_secondary_that_hears_its_peers_keepalive_alone_shuts_its_groups_until_both_talk_again(
    what: str, by_hand: bool
) -> None:
    """B is primary. The keepalive comes by a port of its own, which is no Ethernet of EOS here: it stays."""
    lab = shutting(what)
    for _ in range(2):
        assert groups(lab) == {A: True, B: True}
        if by_hand:
            lab.set(B, "Group1", is_admin_up=False)
        for cable in () if by_hand else PEER_LINK:
            lab.sim.cut_cable(cable)
        assert lab.pair(A).reason == "the peer link is down" and groups(lab) == {A: False, B: True}
        if by_hand:
            lab.set(B, "Group1", is_admin_up=True)
        for cable in () if by_hand else PEER_LINK:
            lab.sim.mend_cable(cable)
        assert lab.reasons() == ["", ""]
    assert groups(lab) == {A: True, B: True}


class Late(FabricSim):
    """Its bonds come up some time after they may, as a kernel's do."""

    def is_up(self, device: str, interface: str) -> bool:
        return not interface.startswith("Group") and super().is_up(device, interface)


def test_a_lab_whose_bonds_come_up_later_has_shut_nothing_once_the_peer_link_is_mended() -> None:
    lab = shutting("groups", Late)
    for cable in PEER_LINK:
        lab.sim.cut_cable(cable)
    assert not next(each for each in lab.sim.state(A).interfaces if each.name == "Group2").is_admin_up
    for cable in PEER_LINK:
        lab.sim.mend_cable(cable)
    assert next(each for each in lab.sim.state(A).interfaces if each.name == "Group2").is_admin_up


def test_a_secondary_whose_peer_is_gone_goes_on() -> None:
    lab = shutting("groups")
    lab.sim.switch_off(B)
    assert groups(lab) == {A: True, B: False}


def test_a_secondary_that_hears_nothing_at_all_goes_on_as_the_other_one_does() -> None:
    lab = shutting("groups")
    for cable in (KEEPALIVE, *PEER_LINK):
        lab.sim.cut_cable(cable)
    assert groups(lab) == {A: True, B: True}


def test_keepalives_that_do_not_arrive_leave_the_pair_up() -> None:
    lab = Lab()
    lab.sim.cut_cable(KEEPALIVE)
    assert lab.reasons() == ["", ""] and lab.alive() == [False, False]


def test_a_keepalive_to_an_address_that_is_not_the_others_is_heard_by_neither() -> None:
    for wrong in ("10.0.0.7", "", OWN[A]):
        lab = Lab()
        lab.say(A, keepalive=wrong)
        assert lab.alive() == [False, False]
        lab.say(A, keepalive=OWN[B], keepalive_vrf="MGMT")
        assert lab.alive() == [False, False]
        lab.say(A, keepalive=OWN[B], keepalive_vrf="default")
        assert lab.alive() == [True, True]


def test_another_domain_is_no_peer_unless_the_system_takes_it_for_a_conflict_alone() -> None:
    lab = Lab()
    lab.say(B, domain="pair-2")
    assert lab.reasons() == ["the other switch is in another domain"] * 2
    assert lab.pair(A).role == "" and lab.alive() == [True, True]
    for name in (A, B):
        lab.say(name, needs_same_domain=False)
    assert lab.reasons() == ["", ""]


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({"peer_address": "169.254.0.9"}, ["the other switch has not 169.254.0.9"] * 2),
        ({"vlan": 4093}, ["the peer link does not carry VLAN 4093", "both talk in different VLANs"]),
        ({"talks_on": "Vlan9"}, ["Vlan9 is down", "the other switch has not 169.254.0.0"]),
        ({"talks_on": "p3"}, ["the other switch has not 169.254.0.0"] * 2),
    ],
)
def test_members_that_do_not_hear_one_another_over_the_peer_link_are_apart(
    change: dict[str, Any], reasons: list[str]
) -> None:
    lab = Lab()
    lab.say(A, **change)
    assert lab.reasons() == reasons


def test_the_vlan_they_talk_in_is_on_the_peer_link_at_both_ends() -> None:
    lab = Lab()
    lab.set(B, "Group1", vlans=frozenset({200}))
    assert lab.reasons() == ["Vlan4094 is down"] * 2
    lab.set(B, "Vlan4094", autostate=False)
    assert lab.reasons() == ["the peer link does not carry VLAN 4094"] * 2
    lab.set(B, "Group1", vlans=frozenset({200, 4094}))
    lab.set(A, "Vlan4094", is_admin_up=False)
    assert lab.reasons() == ["Vlan4094 is down"] * 2


def test_what_both_have_otherwise_is_shown_with_both_values_while_they_talk() -> None:
    lab = Lab()
    lab.say(B, compared=(Compared("delay", "10"), Compared("native mlag2", "7", interface="Group3")))
    (one,), (other,) = (lab.pair(name).differences for name in (A, B))
    assert (one.own.name, one.own.value, one.peer_value) == ("delay", "5", "10")
    assert (other.own.value, other.peer_value) == ("10", "5")
    for cable in PEER_LINK:
        lab.sim.cut_cable(cable)
    assert lab.pair(A).differences == ()


def test_a_member_without_power_is_gone_and_the_other_carries_on_alone() -> None:
    lab = Lab()
    lab.sim.switch_off(B)
    assert lab.pair(A).reason == "the peer link is down" and not lab.pair(A).is_keepalive_alive
    assert lab.pair(A).is_alone and lab.sim.is_up(A, "Group2")
    lab.sim.switch_on(B)
    assert lab.reasons() == ["", ""] and lab.alive() == [True, True]
    with pytest.raises(TwinError, match="there is no switch 'leaf-c'"):
        lab.sim.switch_off("leaf-c")


def test_a_peer_link_to_a_host_or_to_nobody_leads_to_no_peer() -> None:
    lab = Lab()
    lab.say(A, peer_link="Group2")
    assert lab.pair(A).peer is None and lab.pair(A).reason == "the other switch is in no pair"
    lab.say(A, peer_link="Group9")
    assert lab.pair(A).peer is None and lab.pair(A).reason == "the peer link is down"

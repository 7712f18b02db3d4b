"""Sessions over link-local addresses: up only where both ends advertise themselves and name their port as neighbour."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fabric_increments import EDITS, made_at_once, seen
from test_fabric_sim import LEAF1_BLOCK, Fabric

from switch_twins.fabric import NextHop


def unnumbered(leaves: int, spines: int) -> Fabric:
    """The fabric of test_fabric_sim with no address on any link."""
    fabric = Fabric(leaves, spines)
    for switch in fabric.switches.values():
        ports = [each.name for each in switch.config.interfaces[1:]]
        for port in ports:
            address = f"fe80::{switch.name.encode().hex()[-4:]}:{int(port[1:]) + 1}"
            switch.set_interface(port, addresses=(), link_local=address, advertises=True)
        numbered = [each.address for each in switch.config.bgp[0].neighbors]
        for address, port in zip(numbered, ports, strict=True):
            switch.set_neighbor(address, address=port, interface=port, extended_nexthop=True)
    return fabric


@pytest.fixture
def two_by_two() -> Fabric:
    return unnumbered(2, 2)


def link_local(fabric: Fabric, device: str, port: str) -> str:
    return next(each.link_local for each in fabric.switches[device].config.interfaces if each.name == port)


def test_sessions_come_up_and_next_hops_are_the_far_ends_link_local_addresses(two_by_two: Fabric) -> None:
    assert all(s.state == "established" for n in two_by_two.names for s in two_by_two.sim.sessions(n))
    route = two_by_two.sim.rib("leaf0")[LEAF1_BLOCK]
    assert set(route.next_hops) == {
        NextHop(link_local(two_by_two, "spine0", "p0"), "p0"),
        NextHop(link_local(two_by_two, "spine1", "p0"), "p1"),
    }
    assert not [prefix for prefix in two_by_two.sim.rib("leaf0") if prefix.endswith("/31")]
    assert [s.neighbor.address for s in two_by_two.sim.sessions("leaf0")] == ["p0", "p1"]


@pytest.mark.parametrize(
    ("device", "changes", "reason"),
    [
        ("spine0", {"advertises": False}, "no router advertisements from spine0:p0"),
        ("leaf0", {"advertises": False}, "spine0:p0 hears no router advertisements from p0"),
        ("spine0", {"link_local": ""}, "no router advertisements from spine0:p0"),
        ("spine0", {"is_routed": False}, "no router advertisements from spine0:p0"),
        ("leaf0", {"vrf": "blue"}, "no routed port of this VRF is p0"),
        ("spine0", {"vrf": "blue"}, "spine0 runs no BGP in VRF blue"),
        ("leaf0", {"is_admin_up": False}, "p0 is down"),
    ],
)
def test_a_port_that_lacks_something_keeps_exactly_its_session_down(
    two_by_two: Fabric, device: str, changes: dict[str, object], reason: str
) -> None:
    two_by_two.switches[device].set_interface("p0", **changes)
    broken = two_by_two.session("leaf0", "p0")
    assert broken.state != "established"
    assert broken.reason == reason
    states = [s.state for n in two_by_two.names for s in two_by_two.sim.sessions(n)]
    assert states.count("established") == len(states) - 2
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}


@pytest.mark.parametrize(
    ("device", "changes", "reason"),
    [
        ("leaf0", {"remote_as": 65001}, "bad peer AS: expected 65001, found 65000"),
        ("spine0", {"remote_as": 65199}, "bad peer AS: expected 65199, found 65100"),
        ("spine0", {"is_shutdown": True}, "spine0 has shut down its end"),
        ("spine0", {"bfd": True}, "BFD is on at the other end only"),
        ("leaf0", {"ttl_security_hops": 1}, "TTL security or multihop does not match the other end's"),
        ("spine0", {"extended_nexthop": False}, "IPv6 next hops for IPv4 (RFC 8950) are not on at both ends"),
        ("spine0", {"address": "p9", "interface": "p9"}, "spine0 has no neighbour p0"),
    ],
)
def test_any_mismatch_of_the_two_ends_keeps_exactly_that_session_down(
    two_by_two: Fabric, device: str, changes: dict[str, object], reason: str
) -> None:
    two_by_two.switches[device].set_neighbor("p0", **changes)
    broken = two_by_two.session("leaf0", "p0")
    assert broken.state != "established"
    assert broken.reason == reason
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}


def test_a_neighbour_by_address_at_one_end_and_by_port_at_the_other_is_no_session(two_by_two: Fabric) -> None:
    two_by_two.switches["spine0"].set_neighbor("p0", address="10.160.0.1", interface="")
    assert two_by_two.session("leaf0", "p0").reason == "spine0 has no neighbour p0"


def test_a_wrong_cable_between_two_leaves_takes_both_sessions_down_by_their_as(two_by_two: Fabric) -> None:
    two_by_two.sim.swap_cables("l0s0", "l1s0")
    assert two_by_two.session("spine0", "p0").reason == "bad peer AS: expected 65100, found 65101"
    assert two_by_two.session("leaf0", "p0").reason == "bad peer AS: expected 65101, found 65100"
    assert two_by_two.session("leaf0", "p1").state == "established"


UNNUMBERED_EDITS = {
    **{name: edit for name, edit in EDITS.items() if name != "static route"},
    "advertise or not": lambda c, s: s.set_interface(
        c.choice([each.name for each in s.config.interfaces[1:]]), advertises=c.random() < 0.6
    ),
}


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.randoms(use_true_random=False), st.data())
def test_commit_by_commit_is_the_same_as_all_at_once(
    leaves: int, spines: int, chance: Random, data: st.DataObject
) -> None:
    fabric = unnumbered(leaves, spines)
    seen(fabric.sim, fabric.names)
    edits = data.draw(st.lists(st.sampled_from(sorted(UNNUMBERED_EDITS)), min_size=1, max_size=12))
    for edit in edits:
        UNNUMBERED_EDITS[edit](chance, fabric.switches[chance.choice(fabric.names)])
        if chance.random() < 0.7 and "prefix limit" not in edits:
            seen(fabric.sim, fabric.names)
    assert seen(fabric.sim, fabric.names) == seen(made_at_once(fabric), fabric.names)


def test_the_order_of_sessions_does_not_depend_on_the_order_they_were_configured_in(two_by_two: Fabric) -> None:
    before = [each.neighbor.address for each in two_by_two.sim.sessions("spine0")]
    switch = two_by_two.switches["spine0"]
    instance = switch.config.bgp[0]
    switch.commit(bgp=(replace(instance, neighbors=instance.neighbors[::-1]),))
    assert [each.neighbor.address for each in two_by_two.sim.sessions("spine0")] == before

"""A fabric that changed commit by commit is the one that is made at once from what its switches hold in the end."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from test_fabric_sim import Fabric, Switch

from switch_twins.fabric import FabricSim
from switch_twins.state import PrefixList, PrefixListEntry, RouteMap, RouteMapEntry, StaticRoute

Edit = Callable[[Random, Switch], None]


def a_neighbor(chance: Random, switch: Switch) -> str:
    return chance.choice(switch.config.bgp[0].neighbors).address


def a_port(chance: Random, switch: Switch) -> str:
    return chance.choice([each.name for each in switch.config.interfaces])


EDITS: dict[str, Edit] = {
    "shut or open a port": lambda c, s: s.set_interface(a_port(c, s), is_admin_up=c.random() < 0.6),
    "shut or open a session": lambda c, s: s.set_neighbor(a_neighbor(c, s), is_shutdown=c.random() < 0.4),
    "tie a session to BFD": lambda c, s: s.set_neighbor(a_neighbor(c, s), bfd=c.random() < 0.3),
    "drain": lambda c, s: s.commit(
        route_maps=(RouteMap("OUT", (RouteMapEntry(10, prepend=(s.config.bgp[0].asn,) * c.randint(0, 3)),)),)
    ),
    "policy out": lambda c, s: s.set_neighbor(
        a_neighbor(c, s), route_map_out=c.choice((None, "OUT")), send_community=c.random() < 0.5
    ),
    "policy in": lambda c, s: s.set_neighbor(a_neighbor(c, s), prefix_list_in=c.choice((None, "HOSTS", "MISSING"))),
    "prefix list": lambda c, s: s.commit(
        prefix_lists=(PrefixList("HOSTS", (PrefixListEntry(10, True, "10.170.0.0/15", le=c.choice((16, 24, 32))),)),)
    ),
    "own loops": lambda c, s: s.set_neighbor(a_neighbor(c, s), allowas_in=c.choice((0, 1))),
    "another ASN": lambda c, s: s.set_bgp(asn=s.config.bgp[0].asn + c.choice((0, 1))),
    "router id": lambda c, s: s.set_bgp(router_id=f"10.0.0.{c.randint(1, 250)}"),
    "multipath": lambda c, s: s.set_bgp(maximum_paths=c.choice((1, 2, 64)), multipath_relax=c.random() < 0.7),
    "announce what is connected": lambda c, s: s.set_bgp(redistribute_connected=c.random() < 0.5),
    "static route": lambda c, s: s.commit(
        static_routes=(*s.config.static_routes[:1], StaticRoute("10.199.0.0/24", a_neighbor(c, s)))
    ),
    "announce it": lambda c, s: s.set_bgp(networks=(*s.config.bgp[0].networks[:2], "10.199.0.0/24")),
    "no BGP": lambda c, s: s.commit(is_routing=c.random() < 0.7),
    "prefix limit": lambda c, s: s.set_neighbor(
        a_neighbor(c, s), prefix_limit=c.choice((None, 2, 100)), prefix_limit_restart_s=60.0
    ),
}


def seen(sim: FabricSim, names: list[str]) -> dict[str, object]:
    """All that a fabric answers."""
    return {
        name: (
            [replace(session, since_s=0.0) for session in sim.sessions(name)],
            sim.rib(name),
            sim.lldp(name),
            [sim.link(name, port) for port in sim._now().links[name]],
        )
        for name in names
    }


def made_at_once(fabric: Fabric) -> FabricSim:
    sim = FabricSim([], [], fabric.clock)
    sim.wiring = copy.deepcopy(fabric.sim.wiring)
    for switch in fabric.switches.values():
        sim.attach(copy.copy(switch))
    return sim


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.randoms(use_true_random=False), st.data())
def test_commit_by_commit_is_the_same_as_all_at_once(
    leaves: int, spines: int, chance: Random, data: st.DataObject
) -> None:
    fabric = Fabric(leaves, spines)
    seen(fabric.sim, fabric.names)
    edits = data.draw(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=12))
    limits = "prefix limit" in edits
    for edit in edits:
        EDITS[edit](chance, fabric.switches[chance.choice(fabric.names)])
        if chance.random() < 0.7 and not limits:
            seen(fabric.sim, fabric.names)
    assert seen(fabric.sim, fabric.names) == seen(made_at_once(fabric), fabric.names)


def rewire(chance: Random, fabric: Fabric) -> None:
    """What a technician does to one or two cables, the host's among them."""
    cables = sorted(fabric.sim.wiring.cables())
    action = chance.choice(("swap", "cut", "mend"))
    if action == "swap":
        fabric.sim.swap_cables(*chance.sample(cables, 2))
    elif action == "cut":
        fabric.sim.cut_cable(chance.choice(cables))
    else:
        fabric.sim.mend_cable(chance.choice(cables))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.randoms(use_true_random=False), st.data())
def test_cables_changed_one_by_one_between_commits_are_the_same_as_all_at_once(
    leaves: int, spines: int, chance: Random, data: st.DataObject
) -> None:
    fabric = Fabric(leaves, spines)
    seen(fabric.sim, fabric.names)
    commits = sorted(EDITS.keys() - {"prefix limit"})  # sessions torn down in between stay down
    for step in data.draw(st.lists(st.sampled_from(["cables", "cables", *commits]), min_size=1, max_size=12)):
        if step == "cables":
            rewire(chance, fabric)
        else:
            EDITS[step](chance, fabric.switches[chance.choice(fabric.names)])
        if chance.random() < 0.5:
            seen(fabric.sim, fabric.names)
    assert seen(fabric.sim, fabric.names) == seen(made_at_once(fabric), fabric.names)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), st.sampled_from((1, 2, 3, 64)), st.randoms(use_true_random=False))
def test_switches_that_join_and_leave_one_by_one_give_the_same_as_all_at_once(
    leaves: int, spines: int, paths: int, chance: Random
) -> None:
    """Sets of equal paths grow and shrink a session at a time, also where fewer are used than there are."""
    fabric = Fabric(leaves, spines)
    for switch in fabric.switches.values():
        switch.set_bgp(maximum_paths=paths)
    for name in chance.sample(fabric.names, len(fabric.names)) * 2:
        switch = fabric.switches[name]
        switch.commit(is_routing=not switch.config.is_routing)
        seen(fabric.sim, fabric.names)
        if chance.random() < 0.3:
            switch.set_bgp(router_id=f"10.0.0.{chance.randint(1, 250)}")
        if chance.random() < 0.3:
            prepend = (RouteMapEntry(10, prepend=(switch.config.bgp[0].asn,) * chance.randint(0, 2)),)
            switch.commit(route_maps=(RouteMap("OUT", prepend),))
            switch.set_neighbor(a_neighbor(chance, switch), route_map_out="OUT")
        assert seen(fabric.sim, fabric.names) == seen(made_at_once(fabric), fabric.names)


def test_a_swap_of_two_cables_of_many_judges_their_sessions_and_no_others() -> None:
    large = Fabric(24, 4)
    before = {session.key: session for name in large.names for session in large.sim.sessions(name)}
    large.sim.swap_cables("l3s1", "l7s2")
    after = {session.key: session for name in large.names for session in large.sim.sessions(name)}
    new = {key for key in after if after[key] is not before[key]}
    assert {key[0] for key in new} == {"leaf3", "spine1", "leaf7", "spine2"} and len(new) == 4
    assert all(after[key].state != "established" for key in new)
    large.sim.swap_cables("l3s1", "l7s2")
    assert all(session.state == "established" for name in large.names for session in large.sim.sessions(name))


def test_a_commit_on_one_switch_of_many_judges_its_own_sessions_and_no_others() -> None:
    large = Fabric(24, 4)
    before = {session.key: session for name in large.names for session in large.sim.sessions(name)}
    large.switches["leaf5"].set_bgp(router_id="10.0.0.9")
    after = {session.key: session for name in large.names for session in large.sim.sessions(name)}
    new = {key for key in after if after[key] is not before[key]}
    assert {key for key in new if key[0] == "leaf5"} == {key for key in after if key[0] == "leaf5"}
    assert {key[0] for key in new} == {"leaf5", "spine0", "spine1", "spine2", "spine3"}
    assert len(new) == 2 * 4

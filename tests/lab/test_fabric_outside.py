"""Edge routers in the simulation: sessions with upstreams that hosts play, over the VLAN between both, of IPv6; what
they take, and what upstreams hear while an inside is there."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest
from loaded_twins import loaded

from switch_twins.clock import ManualClock
from switch_twins.fabric import FabricSim, NextHop
from switch_twins.server import LabServer
from switch_twins.sessions import BgpSession
from switch_twins.upstreams import states

SITE = Path(__file__).resolve().parents[2] / "inventory" / "lab"
FIRST, SECOND = "edge-1", "edge-2"
INSIDE = [*(f"edge-{number}-firewall" for number in (1, 2)), "edge-peer1", "edge-peer2"]
OURS = {"ipv4": {"203.0.113.0/24"}, "ipv6": {"2001:db8:100::/40"}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabServer:
    return loaded(SITE, ["boundary"], tmp_path_factory.mktemp("outside"))


def simulation(lab: LabServer) -> FabricSim:
    """All of a lab, with a clock that needs no loop."""
    made = FabricSim(lab.spec.cables, lab.spec.hosts, ManualClock())
    for twin in lab.twins.values():
        made.attach(twin)
    return made


@pytest.fixture
def sim(lab: LabServer) -> FabricSim:
    return simulation(lab)


def heard(sim: FabricSim, router: str, upstream: str) -> dict[str, set[str]]:
    """What an upstream is told by its router, by family."""
    found: dict[str, set[str]] = {"ipv4": set(), "ipv6": set()}
    for each in sim.sessions(router):
        if each.peer_device == upstream:
            found["ipv6" if each.is_ipv6 else "ipv4"] |= set(sim.announced(each))
    return found


def up(sim: FabricSim) -> list[BgpSession]:
    return [each for name in (FIRST, SECOND) for each in sim.sessions(name) if each.state == "established"]


def test_every_session_of_both_routers_comes_up(sim: FabricSim) -> None:
    found = {(each.device, each.peer_device, each.is_ipv6) for each in up(sim)}
    ends = [(FIRST, "isp-a"), (FIRST, SECOND), (SECOND, "isp-b"), (SECOND, FIRST)]
    assert found == {(*end, is_ipv6) for end in ends for is_ipv6 in (False, True)}


def test_each_router_goes_out_by_its_own_upstream_and_by_the_other_router_once_that_is_gone(sim: FabricSim) -> None:
    assert sim.rib(FIRST)["0.0.0.0/0"].next_hops == (NextHop("198.51.100.1", "swp2"),)
    sim.cut_cable("edge-1-isp-a")
    route = sim.rib(FIRST)["0.0.0.0/0"]
    assert (route.next_hops, route.as_path) == ((NextHop("203.0.113.6", "vlan900"),), (64501,))
    assert heard(sim, SECOND, "isp-b") == OURS


def test_partial_routes_are_taken_and_told_to_the_other_router_alone(sim: FabricSim) -> None:
    assert sim.rib(SECOND)["192.0.2.0/24"].next_hops == (NextHop("198.51.100.5", "swp2"),)
    assert sim.rib(FIRST)["192.0.2.0/24"].next_hops == (NextHop("203.0.113.6", "vlan900"),)
    assert heard(sim, FIRST, "isp-a") == OURS


def test_outside_hears_the_aggregates_alone_and_none_once_both_insides_are_gone(sim: FabricSim) -> None:
    assert heard(sim, FIRST, "isp-a") == heard(sim, SECOND, "isp-b") == OURS
    for cable in INSIDE:
        sim.cut_cable(cable)
    nothing: dict[str, set[str]] = {"ipv4": set(), "ipv6": set()}
    assert heard(sim, FIRST, "isp-a") == heard(sim, SECOND, "isp-b") == nothing
    assert len(up(sim)) == 4, "sessions with upstreams go on"
    for cable in INSIDE:
        sim.mend_cable(cable)
    assert heard(sim, FIRST, "isp-a") == heard(sim, SECOND, "isp-b") == OURS
    assert len(up(sim)) == 8


def test_a_router_reaches_the_other_over_whichever_cable_between_them_is_left(sim: FabricSim) -> None:
    sim.cut_cable("edge-peer1")
    assert len(up(sim)) == 8
    sim.cut_cable("edge-peer2")
    assert {each.peer_device for each in up(sim)} == {"isp-a", "isp-b"}


def test_a_path_with_a_number_that_no_path_has_is_not_taken(tmp_path: Path) -> None:
    """The list of AS paths is another one: it finds the upstream's own number."""
    rule = "{'1': {action: permit, aspath-exp: _64500_}}"
    listed = f"router: {{policy: {{as-path-list: {{EDGE-BOGON-ASNS: {{rule: {rule}}}}}}}}}"
    sim = simulation(loaded(SITE, ["boundary"], tmp_path, {FIRST: listed}))
    assert sim.rib(FIRST)["0.0.0.0/0"].as_path == (64501,)
    assert len(up(sim)) == 8


def test_what_an_upstream_announces_is_what_the_specification_says(lab: LabServer) -> None:
    found = states(lab.spec.hosts)
    own = {name: {*each.bgp[0].networks, *each.outside.networks} for name, each in found.items()}
    everything = {"0.0.0.0/0", "::/0"}
    assert own == {"isp-a": everything, "isp-b": {*everything, "192.0.2.0/24", "2001:db8:500::/48"}}
    assert all(ip_network(each) for prefixes in own.values() for each in prefixes)

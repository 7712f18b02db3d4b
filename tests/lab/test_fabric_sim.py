"""A session is up only if both ends match, and routes spread as eBGP spreads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from switch_twins.clock import ManualClock
from switch_twins.errors import TwinError
from switch_twins.fabric import FabricSim, NextHop
from switch_twins.sessions import BgpSession
from switch_twins.spec import Cable, DeviceSpec, End, Host
from switch_twins.state import (
    BgpInstance,
    BgpNeighbor,
    InterfaceState,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from switch_twins.twin import RequestCounter


@dataclass
class Switch:
    """A twin that is nothing but its state."""

    config: SwitchState
    device: DeviceSpec
    requests: RequestCounter = field(default_factory=RequestCounter)
    on_commit: Callable[[], None] = lambda: None

    @property
    def name(self) -> str:
        return self.config.name

    def state(self) -> SwitchState:
        return self.config

    def running_text(self) -> str:
        return ""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def commit(self, **changes: object) -> None:
        self.config = replace(self.config, **changes)  # type: ignore[arg-type]
        self.on_commit()

    def set_neighbor(self, address: str, /, **changes: object) -> None:
        instance = self.config.bgp[0]
        neighbors = tuple(replace(n, **changes) if n.address == address else n for n in instance.neighbors)  # type: ignore[arg-type]
        self.commit(bgp=(replace(instance, neighbors=neighbors), *self.config.bgp[1:]))

    def set_bgp(self, **changes: object) -> None:
        self.commit(bgp=(replace(self.config.bgp[0], **changes),))  # type: ignore[arg-type]

    def set_interface(self, name: str, **changes: object) -> None:
        self.commit(interfaces=tuple(replace(i, **changes) if i.name == name else i for i in self.config.interfaces))  # type: ignore[arg-type]


class Fabric:
    """``leaves`` leaves, ``spines`` spines (one ASN), /31 links, a loopback each and a host block per leaf."""

    def __init__(self, leaves: int, spines: int, clock: ManualClock | None = None) -> None:
        self.clock = clock or ManualClock()
        interfaces: dict[str, list[InterfaceState]] = {}
        neighbors: dict[str, list[BgpNeighbor]] = {}
        cables = []
        self.names = [f"leaf{n}" for n in range(leaves)] + [f"spine{n}" for n in range(spines)]
        for index, name in enumerate(self.names):
            address = f"10.255.{index // 256}.{index % 256}/32"
            interfaces[name] = [InterfaceState("lo", addresses=(address,), is_loopback=True)]
            neighbors[name] = []
        for leaf in range(leaves):
            for spine in range(spines):
                number = 2 * (leaf * spines + spine)
                net = f"10.{160 + (number >> 16)}.{number >> 8 & 255}"
                upper, lower = f"{net}.{number & 255}", f"{net}.{(number & 255) + 1}"
                self._end(interfaces, neighbors, f"spine{spine}", f"p{leaf}", upper, lower, 65100 + leaf)
                self._end(interfaces, neighbors, f"leaf{leaf}", f"p{spine}", lower, upper, 65000)
                cables.append(
                    Cable(f"l{leaf}s{spine}", End(f"leaf{leaf}", f"p{spine}"), End(f"spine{spine}", f"p{leaf}"))
                )
        self.sim = FabricSim(cables, [Host("gpu0", "nic0", End("leaf0", "h0"), 9000)], self.clock)
        self.switches = {}
        for index, name in enumerate(self.names):
            switch = self._switch(name, index, interfaces[name], neighbors[name])
            self.switches[name] = switch
            self.sim.attach(switch)

    @staticmethod
    def _end(
        interfaces: dict[str, list[InterfaceState]],
        neighbors: dict[str, list[BgpNeighbor]],
        name: str,
        port: str,
        mine: str,
        its: str,
        asn: int,
    ) -> None:
        interfaces[name].append(InterfaceState(port, addresses=(f"{mine}/31",), mtu_bytes=9214))
        neighbors[name].append(BgpNeighbor(its, asn))

    @staticmethod
    def _switch(name: str, index: int, interfaces: list[InterfaceState], neighbors: list[BgpNeighbor]) -> Switch:
        is_leaf = name.startswith("leaf")
        number = int(name.removeprefix("leaf").removeprefix("spine"))
        loopback = interfaces[0].addresses[0]
        block = f"10.{170 + (number >> 8)}.{number & 255}.0/24"
        networks = (loopback, block) if is_leaf else (loopback,)
        statics = (StaticRoute(block),) if is_leaf else ()
        instance = BgpInstance(
            65100 + number if is_leaf else 65000,
            loopback[:-3],
            neighbors=tuple(neighbors),
            networks=networks,
            maximum_paths=64,
            multipath_relax=True,
        )
        ports = (*(i.name for i in interfaces[1:]), "h0") if is_leaf else tuple(i.name for i in interfaces[1:])
        state = SwitchState(name, "eos", name, tuple(interfaces), (instance,), static_routes=statics)
        device = DeviceSpec(name, "eos", "", "", "", f"S{index}", "127.0.0.1", 1, 2, 1, ports)
        return Switch(state, device)

    def session(self, device: str, address: str) -> BgpSession:
        return {s.neighbor.address: s for s in self.sim.sessions(device)}[address]

    def hops(self, device: str, prefix: str) -> set[str]:
        route = self.sim.rib(device).get(prefix)
        return {hop.interface for hop in route.next_hops} if route else set()


SPINE0, LEAF0 = "10.160.0.0", "10.160.0.1"
LEAF1_BLOCK = "10.170.1.0/24"


@pytest.fixture
def two_by_two() -> Fabric:
    return Fabric(2, 2)


def test_matching_fabric_comes_up_and_uses_every_spine(two_by_two: Fabric) -> None:
    assert all(s.state == "established" for n in two_by_two.names for s in two_by_two.sim.sessions(n))
    route = two_by_two.sim.rib("leaf0")[LEAF1_BLOCK]
    assert route.protocol == "bgp" and route.as_path == (65000, 65101)
    assert route.next_hops == (NextHop("10.160.0.0", "p0"), NextHop("10.160.0.2", "p1"))
    assert two_by_two.hops("spine0", LEAF1_BLOCK) == {"p1"}
    session = two_by_two.session("leaf0", SPINE0)
    assert (session.prefixes_received, session.prefixes_accepted) == (5, 3)  # own block and loopback came back: looped


def test_an_svi_is_up_while_a_port_of_its_vlan_is_or_none_needs_to_be() -> None:
    fabric = Fabric(2, 2)
    leaf, block = fabric.switches["leaf0"], "10.170.0.0/24"
    port = InterfaceState("h0", is_routed=False, access_vlan=200, vlans=frozenset({200}))
    svi = InterfaceState("Vlan200", addresses=("10.170.0.1/24",), svi_vlan=200)

    def protocol() -> str:
        return fabric.sim.rib("leaf0")[block].protocol

    leaf.commit(interfaces=(*leaf.config.interfaces, port, svi))
    assert (fabric.sim.is_up("leaf0", "Vlan200"), protocol()) == (True, "connected")
    fabric.sim.cut_cable("gpu0:nic0")
    assert (fabric.sim.is_up("leaf0", "Vlan200"), protocol()) == (False, "static")
    assert fabric.hops("leaf1", block) == {"p0", "p1"}  # announced by its discard route all the same
    leaf.set_interface("Vlan200", autostate=False)
    assert protocol() == "connected"
    fabric.sim.mend_cable("gpu0:nic0")
    leaf.set_interface("Vlan200", autostate=True)
    assert protocol() == "connected"
    leaf.set_interface("Vlan200", has_vlan=False)
    assert protocol() == "static"
    leaf.set_interface("Vlan200", has_vlan=True, is_admin_up=False)
    assert protocol() == "static"
    leaf.set_interface("Vlan200", is_admin_up=True)
    leaf.set_interface("h0", access_vlan=1, vlans=frozenset({1}))
    assert protocol() == "static"


def test_valley_is_refused_by_the_shared_spine_asn(two_by_two: Fabric) -> None:
    two_by_two.sim.cut_cable("l1s0")
    assert two_by_two.hops("spine0", LEAF1_BLOCK) == set()
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}


@pytest.mark.parametrize(
    ("device", "address", "changes", "reason"),
    [
        ("leaf0", SPINE0, {"remote_as": 65001}, "bad peer AS: expected 65001, found 65000"),
        ("spine0", LEAF0, {"remote_as": 65199}, "bad peer AS: expected 65199, found 65100"),
        ("leaf0", SPINE0, {"remote_as": None}, "no remote AS is configured"),
        ("leaf0", SPINE0, {"is_shutdown": True}, "shut down by configuration"),
        ("spine0", LEAF0, {"is_shutdown": True}, "spine0 has shut down its end"),
        ("leaf0", SPINE0, {"ttl_security_hops": 1}, "TTL security or multihop does not match the other end's"),
        ("spine0", LEAF0, {"bfd": True}, "BFD is on at the other end only"),
        ("leaf0", SPINE0, {"bfd": True}, "BFD is on at this end only"),
        ("leaf0", SPINE0, {"has_password": True}, "only one end uses a password"),
        ("spine0", LEAF0, {"is_ipv4_active": False}, "IPv4 unicast is not active on both ends"),
        ("spine0", LEAF0, {"address": "10.160.0.77"}, "spine0 has no neighbour 10.160.0.1"),
        ("leaf0", SPINE0, {"remote_as": "internal"}, "bad peer AS: expected internal, found 65000"),
    ],
)
def test_any_mismatch_keeps_exactly_that_session_down(
    two_by_two: Fabric, device: str, address: str, changes: dict[str, object], reason: str
) -> None:
    two_by_two.switches[device].set_neighbor(address, **changes)
    broken = two_by_two.session("leaf0", SPINE0)
    assert broken.state != "established" and broken.reason == reason
    states = [s.state for n in two_by_two.names for s in two_by_two.sim.sessions(n)]
    assert states.count("established") == len(states) - 2
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}


def test_matching_changes_on_both_ends_keep_the_session_up(two_by_two: Fabric) -> None:
    changes = {"ttl_security_hops": 1, "bfd": True, "has_password": True, "hold_s": 9, "keepalive_s": 3}
    two_by_two.switches["leaf0"].set_neighbor(SPINE0, **changes)
    two_by_two.switches["spine0"].set_neighbor(LEAF0, **changes)
    session = two_by_two.session("leaf0", SPINE0)
    assert (session.state, session.hold_s, session.keepalive_s) == ("established", 9, 3)


def test_ttl_security_on_one_end_is_met_by_multihop_255_on_the_other(two_by_two: Fabric) -> None:
    two_by_two.switches["leaf0"].set_neighbor(SPINE0, ttl_security_hops=1)
    two_by_two.switches["spine0"].set_neighbor(LEAF0, ebgp_multihop=255)
    assert two_by_two.session("leaf0", SPINE0).state == "established"


def test_address_in_another_network_keeps_the_session_down(two_by_two: Fabric) -> None:
    two_by_two.switches["spine0"].set_interface("p0", addresses=("10.160.9.0/31",))
    assert two_by_two.session("leaf0", SPINE0).reason == "spine0:p0 has 10.160.9.0, not 10.160.0.0"
    assert two_by_two.session("spine0", LEAF0).reason == "no interface is in one network with 10.160.0.1"


def test_port_that_is_shut_or_differs_in_speed_takes_link_lldp_and_session(two_by_two: Fabric) -> None:
    assert [(n.local_port, n.device, n.port) for n in two_by_two.sim.lldp("leaf0")] == [
        ("p0", "spine0", "p0"),
        ("p1", "spine1", "p0"),
    ]
    two_by_two.switches["spine0"].set_interface("p0", is_admin_up=False)
    assert two_by_two.sim.link("leaf0", "p0").reason == "the other end is down"
    assert [n.device for n in two_by_two.sim.lldp("leaf0")] == ["spine1"]
    assert two_by_two.session("leaf0", SPINE0).reason == "p0 is down"
    two_by_two.switches["spine0"].set_interface("p0", is_admin_up=True, speed="400g")
    assert two_by_two.sim.is_up("leaf0", "p0")
    two_by_two.switches["leaf0"].set_interface("p0", speed="200g")
    assert "speed differs" in two_by_two.sim.link("leaf0", "p0").reason


def test_lldp_off_on_one_switch_silences_it_only(two_by_two: Fabric) -> None:
    two_by_two.switches["spine0"].commit(lldp_enabled=False)
    assert [n.device for n in two_by_two.sim.lldp("leaf0")] == ["spine1"]
    assert two_by_two.sim.lldp("spine0") == ()
    assert len(two_by_two.sim.lldp("spine1")) == 2


def test_swapped_cables_show_in_lldp_and_take_both_sessions_down(two_by_two: Fabric) -> None:
    two_by_two.sim.swap_cables("l0s0", "l1s0")
    assert [(n.local_port, n.port) for n in two_by_two.sim.lldp("leaf0")] == [("p0", "p1"), ("p1", "p0")]
    assert "has 10.160.0.4, not 10.160.0.0" in two_by_two.session("leaf0", SPINE0).reason
    two_by_two.sim.swap_cables("l0s0", "l1s0")
    assert two_by_two.session("leaf0", SPINE0).state == "established"


def test_unknown_cable_is_an_error(two_by_two: Fabric) -> None:
    with pytest.raises(TwinError, match="there is no cable 'nope'"):
        two_by_two.sim.cut_cable("nope")


def test_network_is_announced_only_while_its_route_exists(two_by_two: Fabric) -> None:
    two_by_two.switches["leaf1"].commit(static_routes=())
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == set()
    assert two_by_two.hops("leaf0", "10.255.0.1/32") == {"p0", "p1"}


def with_policy(switch: Switch, direction: str, *entries: RouteMapEntry) -> None:
    """Route map RM in one direction towards every neighbour, prefix list LO permitting loopbacks only."""
    lists = (PrefixList("LO", (PrefixListEntry(10, True, "10.255.0.0/16", le=32),)),)
    switch.commit(route_maps=(RouteMap("RM", entries),), prefix_lists=lists)
    for neighbor in switch.config.bgp[0].neighbors:
        switch.set_neighbor(neighbor.address, **{f"route_map_{direction}": "RM"})


@pytest.mark.parametrize("direction", ["in", "out"])
def test_route_map_denies_what_no_entry_permits(two_by_two: Fabric, direction: str) -> None:
    entry = RouteMapEntry(10, match_prefix_lists=("LO",))
    with_policy(two_by_two.switches["leaf1" if direction == "out" else "leaf0"], direction, entry)
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == set()
    assert two_by_two.hops("leaf0", "10.255.0.1/32") == {"p0", "p1"}


def test_route_map_that_is_not_defined_denies_or_permits_as_the_system_does(two_by_two: Fabric) -> None:
    two_by_two.switches["leaf0"].set_neighbor(SPINE0, route_map_in="NONE")
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}
    two_by_two.switches["leaf0"].commit(missing_route_map_permits=True)
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p0", "p1"}


def test_prefix_list_lengths_are_exact_unless_ge_or_le_is_given(two_by_two: Fabric) -> None:
    for entry, is_through in (
        (PrefixListEntry(10, True, "10.170.0.0/16"), False),
        (PrefixListEntry(10, True, "10.170.0.0/16", le=24), True),
        (PrefixListEntry(10, True, "10.170.0.0/16", ge=25), False),
        (PrefixListEntry(10, True, "10.170.0.0/16", ge=24, le=24), True),
        (PrefixListEntry(10, False, "10.170.1.0/24"), False),
    ):
        rest = PrefixListEntry(20, True, "10.255.0.0/16", le=32)
        two_by_two.switches["leaf0"].commit(prefix_lists=(PrefixList("P", (entry, rest)),))
        for address in (SPINE0, "10.160.0.2"):
            two_by_two.switches["leaf0"].set_neighbor(address, prefix_list_in="P")
        assert bool(two_by_two.hops("leaf0", LEAF1_BLOCK)) is is_through, entry


def test_prepending_drains_a_spine_and_communities_travel_only_when_sent(two_by_two: Fabric) -> None:
    entry = RouteMapEntry(10, prepend=(65000, 65000), communities=("65535:0",))
    with_policy(two_by_two.switches["spine0"], "out", entry)
    assert two_by_two.hops("leaf0", LEAF1_BLOCK) == {"p1"}
    assert two_by_two.sim.rib("leaf0")["10.255.0.2/32"].as_path == (65000, 65000, 65000)
    assert two_by_two.sim.rib("leaf0")["10.255.0.2/32"].communities == frozenset()
    two_by_two.switches["spine0"].set_neighbor(LEAF0, send_community=True)
    assert two_by_two.sim.rib("leaf0")["10.255.0.2/32"].communities == {"65535:0"}


def test_maximum_paths_and_multipath_relax_bound_the_next_hops() -> None:
    fabric = Fabric(2, 4)
    leaf = fabric.switches["leaf0"]
    assert len(fabric.hops("leaf0", LEAF1_BLOCK)) == 4
    leaf.set_bgp(maximum_paths=3)
    assert fabric.hops("leaf0", LEAF1_BLOCK) == {"p0", "p1", "p2"}
    leaf.set_bgp(maximum_paths=64, multipath_relax=False)
    assert len(fabric.hops("leaf0", LEAF1_BLOCK)) == 4, "paths through one spine ASN are alike"
    fabric.switches["spine3"].set_bgp(asn=65009)
    for index in (0, 1):
        address = fabric.switches[f"leaf{index}"].config.bgp[0].neighbors[3].address
        fabric.switches[f"leaf{index}"].set_neighbor(address, remote_as=65009)
    assert len(fabric.hops("leaf0", LEAF1_BLOCK)) == 3, "without relax only equal AS paths are used together"
    leaf.set_bgp(multipath_relax=True)
    assert len(fabric.hops("leaf0", LEAF1_BLOCK)) == 4


def test_prefix_limit_tears_the_session_down_until_its_timer_and_the_cause_are_gone() -> None:
    fabric = Fabric(2, 2)
    leaf = fabric.switches["leaf0"]
    leaf.set_neighbor(SPINE0, prefix_limit=2, prefix_limit_restart_s=300.0)
    assert fabric.session("leaf0", SPINE0).state == "prefix_limit"
    assert fabric.session("spine0", LEAF0).state == "idle"
    assert fabric.hops("leaf0", LEAF1_BLOCK) == {"p1"}
    fabric.switches["leaf1"].commit(static_routes=())
    fabric.clock.advance(299)
    assert fabric.session("leaf0", SPINE0).state == "prefix_limit", "only the timer brings it back"
    fabric.clock.advance(1)
    assert fabric.session("leaf0", SPINE0).state == "established"
    fabric.switches["leaf1"].commit(static_routes=(StaticRoute(LEAF1_BLOCK),))
    assert fabric.session("leaf0", SPINE0).state == "prefix_limit"
    leaf.set_neighbor(SPINE0, prefix_limit_warning_only=True)
    assert fabric.session("leaf0", SPINE0).state == "established"


def test_session_remembers_since_when(two_by_two: Fabric) -> None:
    two_by_two.clock.advance(10)
    assert two_by_two.session("leaf0", SPINE0).since_s == 10
    two_by_two.clock.advance(10)
    two_by_two.switches["leaf0"].commit(hostname="renamed")
    assert two_by_two.session("leaf0", SPINE0).since_s == 10
    two_by_two.sim.cut_cable("l0s0")
    two_by_two.clock.advance(5)
    assert two_by_two.session("leaf0", SPINE0).since_s == 20, "since the cut, not since somebody asked"


def test_result_does_not_depend_on_the_order_of_devices_and_neighbours() -> None:
    fabric, mixed = Fabric(3, 3), Fabric(3, 3)
    for name, switch in mixed.switches.items():
        instance = switch.config.bgp[0]
        switch.set_bgp(neighbors=tuple(reversed(instance.neighbors)), maximum_paths=2)
        fabric.switches[name].set_bgp(maximum_paths=2)
    assert all(fabric.sim.rib(name) == mixed.sim.rib(name) for name in fabric.names)


def test_large_fabric_settles_with_every_route_over_every_spine() -> None:
    large = Fabric(48, 8)
    rib = large.sim.rib("leaf0")
    assert len(rib["10.170.47.0/24"].next_hops) == 8
    assert len(rib) == 8 + 1 + 1 + 47 * 2 + 8, (
        "links, loopback, block, the other leaves' two routes each, spine loopbacks"
    )

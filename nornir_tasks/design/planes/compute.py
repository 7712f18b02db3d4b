"""The compute plane's part of one switch: ports, eBGP, and what may be announced and accepted.

Ports are routed; with ``link: svi`` host ports are access ports of one VLAN, which the leaf's SVI routes.

A leaf announces its loopback and its host block (a discard route, so it does not flap with a host port), never a /31;
a spine announces its own loopback and hands on what it accepted; from leaf X it accepts X's two prefixes only, which
stops a mis-cabled or hijacking leaf. Route maps are ready for a drain: a drained switch prepends in both directions.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from ipaddress import IPv4Network
from typing import Literal

from nornir_tasks.design.catalogue import Slot
from nornir_tasks.design.device_config import (
    Bfd,
    Interface,
    Layer1,
    Neighbor,
    PeerGroup,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    StaticRoute,
    Vlan,
)
from nornir_tasks.design.merge import Contribution
from nornir_tasks.design.mtu import agreed_bytes
from nornir_tasks.design.network import Circuit, Device, Fabric, Link, Network, Plane
from nornir_tasks.design.wish import LOSSLESS_PROFILE, BalancingWish

HASH_SEED = (1, 2, 3)
"""By level. Differs between adjacent levels: one seed everywhere would polarise ECMP. Small, as some ASICs take 0-5."""

BFD = Bfd(interval_ms=300, min_rx_ms=300, multiplier=3)
"""The usual 900 ms of detection (all three vendors' examples); ``realise`` raises it where an ASIC needs more."""

TIMERS_S = {False: (3, 9), True: (10, 30)}
"""(keepalive, hold) without and with BFD: with BFD the hold timer is only the net below the net."""

PEERS = ("LEAVES", "SPINES", "CORES")
"""By level: peer groups are named after what is at the far end."""

RA_INTERVAL_MS = 10_000
"""Between two router advertisements of an unnumbered port: what FRRouting takes for interface neighbours when
nothing is said (FRRouting/frr, BGP_UNNUM_DEFAULT_RA_INTERVAL; shown by docs 5.14, Neighbor-Discovery-ND.md)."""

CONNECT_RETRY_S = 10
PREFIX_RESTART_MIN = 5
GSHUT = "65535:0"
"""GRACEFUL_SHUTDOWN (RFC 8326), as a number; platforms spell it as their OS does."""


def contributions(network: Network, device: Device, *, drained: bool) -> Iterator[Contribution]:
    """Everything the planes on this switch's fabric want of it."""
    for plane in network.planes_on(device.fabric):
        owners = {plane.name, plane.fabric}
        circuits = tuple(each for each in network.circuits_of(device.name) if each.owner in owners)
        work = _Switch(network, network.fabric_of(device), plane, device, circuits, drained)
        for section, key, value in work.pieces():
            yield Contribution(device.name, section, key, value, plane.name)


Piece = tuple[str, str, object]


def vlans(network: Network, device: Device) -> tuple[Vlan, ...]:
    """The VLANs of this switch's hosts: each leaf has its own, and all of one plane have one number."""
    if device.host_block is None:
        return ()
    planes = (plane for plane in network.planes_on(device.fabric) if plane.host_vlan is not None)
    return tuple(Vlan(plane.host_vlan, f"{plane.name}-HOSTS".upper()) for plane in planes if plane.host_vlan)


@dataclass(frozen=True)
class _Switch:
    network: Network
    fabric: Fabric
    plane: Plane
    device: Device
    circuits: tuple[Circuit, ...]
    """What this plane and its fabric run over the switch's links."""
    drained: bool

    def pieces(self) -> Iterator[Piece]:
        yield "hashing", "seed", HASH_SEED[self.device.level]
        yield from self.load_balancing()
        yield "lldp", "enabled", True
        yield "qos", "classes", self.network.classes
        if self.fabric.bfd:
            yield "bfd", "intervals", BFD
        for vlan in vlans(self.network, self.device):
            yield "vlans", str(vlan.number), vlan
            yield self.svi(vlan)
        yield from self.interfaces()
        yield from self.routing_policy()
        if self.device.host_block is not None:
            yield "static_routes", self.device.host_block, StaticRoute(self.device.host_block)
        yield from self.bgp()

    def load_balancing(self) -> Iterator[Piece]:
        """Where several paths are equal: more than one link up, or to one switch below."""
        mode = self.fabric.load_balancing
        if mode == "static":
            return
        below = Counter(each.link.lower.device for each in self.between_switches if self.looks_down(each))
        widest = max([len(self.between_switches) - below.total(), *below.values()])
        if widest < 2:
            return
        ports = tuple(each.link.end(self.device.name).port for each in self.between_switches)
        yield "load_balancing", "paths", BalancingWish(mode, ports, widest, self.fabric.switches - 1)

    def name(self, *parts: str) -> str:
        """A name of this plane's: its prefix is how ownership tells it."""
        return "-".join((self.plane.name, *parts)).upper()

    def interfaces(self) -> Iterator[Piece]:
        loopback = self.device.capabilities.loopback_name
        address = f"{self.device.loopback}/32"
        yield "interfaces", loopback, Interface(loopback, "router-id", address, None, enabled=True, qos_profile=None)
        vlan = next((each.number for each in vlans(self.network, self.device)), None)
        for circuit in self.circuits:
            link = circuit.link
            port, far = link.end(self.device.name).port, link.far(self.device.name)
            access_vlan = vlan if circuit.use.segment is not None else None
            routed = f"{circuit.address(self.device.name)}/{circuit.use.prefix_length}"
            yield (
                "interfaces",
                port,
                Interface(
                    name=port,
                    description=f"{far.device} {far.port}",
                    address=routed if access_vlan is None and circuit.is_numbered else None,
                    mtu_bytes=circuit.use.mtu_bytes,
                    enabled=True,
                    qos_profile=LOSSLESS_PROFILE,
                    layer1=_layer1(link, link.end(self.device.name).slot),
                    ra_interval_ms=None if circuit.is_numbered else RA_INTERVAL_MS,
                    access_vlan=access_vlan,
                    edge=access_vlan is not None,
                ),
            )

    def svi(self, vlan: Vlan) -> Piece:
        """The hosts' way out of their leaf. It has no queues: trust, PFC and ECN are the access ports' own."""
        capabilities, block = self.device.capabilities, IPv4Network(str(self.device.host_block))
        name = f"{capabilities.svi_prefix}{vlan.number}"
        port = Interface(
            name=name,
            description=f"hosts of {self.device.name}",
            address=f"{block.network_address + 1}/{block.prefixlen}",
            mtu_bytes=agreed_bytes(self.fabric.mtu_bytes, capabilities),
            enabled=True,
            qos_profile=None,
        )
        return "interfaces", name, port

    def own_prefixes(self, device: Device) -> tuple[str, ...]:
        """What a switch may announce as its own."""
        return tuple(prefix for prefix in (f"{device.loopback}/32", device.host_block) if prefix is not None)

    def routing_policy(self) -> Iterator[Piece]:
        fabric = self.name("FABRIC")
        everyone = (
            PrefixRule(10, permit=True, prefix=self.fabric.pools["loopback"], ge=32),
            PrefixRule(20, permit=True, prefix=self.plane.pools["hosts"], le=self.plane.host_block_length),
        )
        yield "routing_policy", fabric, PrefixList(fabric, everyone)
        if self.device.level == 0:
            own = self.name("OWN")
            yield self.exactly(own, self.device)
            yield self.route_map(self.name("IN"), fabric)
            yield self.route_map(self.name("OUT"), own)
            return
        yield self.route_map(self.name("OUT"), fabric)
        if any(peer.level > 0 for peer in self.peers):
            yield self.route_map(self.name("IN"), fabric)
        for leaf in self.leaves():
            own = self.name(leaf.name)
            yield self.exactly(own, leaf)
            yield self.route_map(self.name(leaf.name, "IN"), own)

    @cached_property
    def between_switches(self) -> tuple[Circuit, ...]:
        """The circuits to other switches."""
        return tuple(each for each in self.circuits if each.link.kind == "fabric")

    def looks_down(self, circuit: Circuit) -> bool:
        """Is this switch the upper end?"""
        return circuit.link.upper.device == self.device.name

    def exactly(self, name: str, device: Device) -> Piece:
        """A list of just what one switch may announce as its own."""
        rules = (
            PrefixRule(10 * number, permit=True, prefix=prefix)
            for number, prefix in enumerate(self.own_prefixes(device), start=1)
        )
        return "routing_policy", name, PrefixList(name, tuple(rules))

    def route_map(self, name: str, prefix_list: str) -> Piece:
        """Permit one list; what it does not permit is denied. Drained, the path is made longer than any other."""
        prepend = (self.device.asn,) * self.fabric.drain_prepend if self.drained else ()
        communities = (GSHUT,) if self.drained else ()
        rule = RouteMapRule(10, permit=True, match_prefix_list=prefix_list, prepend=prepend, communities=communities)
        return "routing_policy", name, RouteMap(name, (rule,))

    def leaves(self) -> Iterator[Device]:
        """The leaves cabled to this switch, each once."""
        return (peer for peer in self.peers if peer.level == 0)

    @cached_property
    def peers(self) -> tuple[Device, ...]:
        """The switches at the far ends, each once."""
        names = dict.fromkeys(each.link.far(self.device.name).device for each in self.between_switches)
        return tuple(self.network.device(name) for name in names)

    def bgp(self) -> Iterator[Piece]:
        yield "bgp", "asn", self.device.asn
        yield "bgp", "router_id", self.device.loopback
        yield "bgp", "maximum_paths", self.fabric.max_paths
        yield "bgp", "multipath_relax", True
        yield "bgp", "graceful_restart_helper_only", True
        yield "bgp", "log_neighbor_changes", True
        for prefix in self.own_prefixes(self.device):
            yield "bgp", f"network {prefix}", prefix
        for level in dict.fromkeys(peer.level for peer in self.peers):
            group = self.peer_group(level)
            yield "bgp", f"peer-group {group.name}", group
        for circuit in self.between_switches:
            neighbor = self.neighbor(circuit)
            yield "bgp", f"neighbor {neighbor.peer}", neighbor

    def peer_group(self, level: int) -> PeerGroup:
        """Settings of all sessions to one level."""
        keepalive_s, hold_s = TIMERS_S[self.fabric.bfd]
        return PeerGroup(
            name=self.name(PEERS[level]),
            keepalive_s=keepalive_s,
            hold_s=hold_s,
            connect_retry_s=CONNECT_RETRY_S,
            advertisement_interval_s=0,
            bfd=self.fabric.bfd,
            ttl_security=True,
            send_community=True,
            max_prefixes=self.fabric.max_prefixes,
            prefix_restart_min=PREFIX_RESTART_MIN,
            route_map_in=None if level == 0 else self.name("IN"),
            route_map_out=self.name("OUT"),
        )

    def neighbor(self, circuit: Circuit) -> Neighbor:
        """The session over one circuit. The remote ASN is a number, so a wrong cable does not come up."""
        end = circuit.link.far(self.device.name)
        far = self.network.device(end.device)
        return Neighbor(
            address=circuit.address(far.name) or None,
            remote_as=far.asn,
            peer_group=self.name(PEERS[far.level]),
            description=f"{far.name} {end.port}",
            route_map_in=self.name(far.name, "IN") if far.level == 0 else None,
            interface=None if circuit.is_numbered else circuit.link.end(self.device.name).port,
        )


def _layer1(link: Link, slot: Slot | None) -> Layer1 | None:
    if slot is None:
        return None
    return _shared_layer1(link.speed_gbps, slot.lanes, link.fec, link.negotiate)


@cache
def _shared_layer1(speed_gbps: int, lanes: int, fec: Literal["rs", "fc", "none"], negotiate: bool) -> Layer1:
    return Layer1(speed_gbps, lanes, fec, negotiate)

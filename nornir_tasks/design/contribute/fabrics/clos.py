"""The underlay of a Clos fabric, by rails or not: links between switches, eBGP over them, the announced prefixes.

A leaf announces its loopback and its hosts' blocks, never a /31; a spine announces its own loopback and what it
accepted; from leaf X it accepts only prefixes of X, which stops a mis-cabled or hijacking leaf. Route maps support
draining: a drained switch prepends in both directions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from nornir_tasks.design.addresses.mtu import of_link
from nornir_tasks.design.addresses.prefix_limits import prefix_limit
from nornir_tasks.design.config.bgp import Bfd, Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import GSHUT, PrefixList, PrefixRule, RouteMap, RouteMapRule
from nornir_tasks.design.contribute.mlag_config import PEER_LINK, pair_parts
from nornir_tasks.design.contribute.peer_routing import peer_routing
from nornir_tasks.design.demand.kinds import Announced, FabricKind
from nornir_tasks.design.model.claims import Owner, name_prefix
from nornir_tasks.design.model.layer1 import layer1
from nornir_tasks.design.model.links import Circuit, Endpoint
from nornir_tasks.design.model.network import EVERYWHERE, Device, Fabric, Network
from nornir_tasks.design.model.partial_config import (
    FABRIC_PROFILE,
    BalancingPolicy,
    PartialConfig,
    PartialPort,
    PartialVrf,
)
from nornir_tasks.design.model.system_facts import PEER_VLAN

HASH_SEED = (1, 2, 3)
"""By level. Differs between adjacent levels: one seed everywhere would polarise ECMP. Small, as some ASICs take 0-5."""

BFD = Bfd(interval_ms=300, min_rx_ms=300, multiplier=3)
"""The usual 900 ms of detection (all three vendors' examples); ``realise`` raises it where an ASIC needs more."""

TIMERS_S = {False: (3, 9), True: (10, 30)}
"""(keepalive, hold) without and with BFD: with BFD the hold timer is only a second safety net."""

PEERS = ("LEAVES", "SPINES", "CORES")
"""By level: peer groups are named after the far end's role."""

RA_INTERVAL_MS = 10_000
"""Interval between two router advertisements of an unnumbered port: FRRouting's default for interface neighbours
(FRRouting/frr, BGP_UNNUM_DEFAULT_RA_INTERVAL; shown by docs 5.14, Neighbor-Discovery-ND.md)."""

CONNECT_RETRY_S = 10
PREFIX_RESTART_MIN = 5


def owner(fabric: Fabric) -> Owner:
    """Loopbacks, links between switches, every name that begins with the fabric's, and what makes leaves pairs."""
    prefix, pools = name_prefix(fabric.name), tuple(fabric.pools.values())
    made = Owner(fabric.name, "fabric", prefix, pools, vrf=fabric.vrf)
    if not fabric.has_pairs:
        return made
    return replace(made, vlans=frozenset({PEER_VLAN}), lags=frozenset({PEER_LINK}), pair_vlan=PEER_VLAN)


def partial_configs(
    network: Network, device: Device, announced: Announced, *, drained: bool
) -> Iterator[PartialConfig]:
    """The fabric's part of one switch."""
    circuits = tuple(each for each in network.circuits_of(device.name) if each.link.fabric == device.fabric)
    underlay = _Switch(network, network.fabric_of(device), device, circuits, announced, drained).partial_config()
    yield underlay
    upwards = next(iter((underlay.peer_groups or {}).values()), None)
    for each in (pair_parts(network, device), peer_routing(network, device, upwards, drained=drained)):
        if each is not None:
            yield each


KIND = FabricKind(frozenset({"rail", "clos", "clos3", "tree"}), owner, partial_configs)


@dataclass(frozen=True)
class _Switch:
    network: Network
    fabric: Fabric
    device: Device
    circuits: tuple[Circuit, ...]
    """The circuits of all owners over the fabric's links of this switch; a management port is on another fabric's
    link."""
    announced: Announced
    drained: bool

    def partial_config(self) -> PartialConfig:
        vrf, own = self.fabric.vrf, frozenset({f"{self.device.loopback}/32"})
        return PartialConfig(
            hash_seed=HASH_SEED[self.device.level],
            lldp=True,
            classes=self.fabric.classes,
            lossless_memory_percent=self.fabric.lossless_memory_percent,
            counts_marks=self.fabric.counters or None,
            bfd=BFD if self.fabric.bfd else None,
            load_balancing=self.load_balancing(),
            ports=self.ports(),
            prefix_lists={each.name: each for each in self.prefix_lists()},
            route_maps={each.name: each for each in self.route_maps()},
            asn=self.device.asn,
            router_id=self.device.loopback,
            maximum_paths=self.fabric.max_paths,
            vrfs=None if vrf is None else {vrf: PartialVrf(self.device.loopback, self.fabric.max_paths, own)},
            multipath_relax=True,
            graceful_restart_helper_only=True,
            log_neighbor_changes=True,
            wait_for_install=True,
            # a leaf tells at once: hosts wait for it, and its reload delays count on that (aristaeos.blogspot.com,
            # "BGP wait-for-install and wait-for-convergence": where layer 2 ends the former alone, on spines both)
            wait_for_convergence=self.device.level > 0,
            networks=own if vrf is None else None,
            peer_groups=self.peer_groups(),
            neighbors={each.key: each for each in map(self.neighbor, self.between_switches)},
        )

    def load_balancing(self) -> BalancingPolicy | None:
        """Set where several paths are equal: more than one uplink, or several links to one switch below."""
        mode = self.fabric.load_balancing
        if mode == "static":
            return None
        below = Counter(each.link.lower.device for each in self.between_switches if self.looks_down(each))
        widest = max([len(self.between_switches) - below.total(), *below.values()])
        if widest < 2:
            return None
        ports = tuple(each.link.end(self.device.name).port for each in self.between_switches)
        return BalancingPolicy(mode, ports, widest, self.fabric.switches - 1)

    def name(self, *parts: str) -> str:
        """A name with this fabric's prefix, by which ownership identifies it."""
        return name_prefix(self.fabric.name) + "-".join(parts).upper()

    def ports(self) -> dict[str, PartialPort]:
        """The loopback, links between switches completely, and layer 1 of every other link in use."""
        address, vrf = f"{self.device.loopback}/32", self.fabric.vrf
        loopback = PartialPort(enabled=True, description="router-id", address=address, vrf=vrf)
        ports = {self.device.capabilities.loopback_name: loopback}
        for circuit in self.circuits:
            near, far = circuit.link.end(self.device.name), circuit.link.far(self.device.name)
            if circuit.is_underlay:
                ports[near.port] = self.between(circuit, near, far)
            elif near.port not in ports:
                link = circuit.link
                ports[near.port] = PartialPort(True, f"{far.device} {far.port}", layer1(link, near.slot))
            if circuit.interface(self.device.name) != near.port:
                ports[near.port] = replace(ports[near.port], mtu_bytes=of_link(self.network, circuit.link))
        return ports

    def between(self, circuit: Circuit, near: Endpoint, far: Endpoint) -> PartialPort:
        """One end of a link to another switch."""
        routed = f"{circuit.address(self.device.name)}/{circuit.use.prefix_length}"
        return PartialPort(
            enabled=True,
            description=f"{far.device} {far.port}",
            layer1=layer1(circuit.link, near.slot),
            address=routed if circuit.is_numbered else None,
            mtu_bytes=circuit.use.mtu_bytes,
            profile=FABRIC_PROFILE,
            ra_interval_ms=None if circuit.is_numbered else RA_INTERVAL_MS,
            vrf=circuit.use.vrf,
        )

    @cached_property
    def between_switches(self) -> tuple[Circuit, ...]:
        """The circuits to other switches."""
        return tuple(each for each in self.circuits if each.is_underlay)

    def looks_down(self, circuit: Circuit) -> bool:
        """Is this switch the upper end?"""
        return circuit.link.upper.device == self.device.name

    def prefix_lists(self) -> Iterator[PrefixList]:
        """The prefixes of the whole fabric, and those of each leaf below (of a leaf: its own)."""
        planes = self.network.planes_on(self.fabric.name)
        routed = [each for each in planes if each.vrf == self.fabric.vrf and "hosts" in each.pools]  # those of this VRF
        blocks = [(each.pools["hosts"], each.host_block_length) for each in routed]
        vlans = [vlan for plane in planes if plane.vrf == self.fabric.vrf for vlan in plane.vlans]
        prefixes: list[tuple[str, int | None]] = [*blocks, *((each.subnet, None) for each in vlans if each.subnet)]
        prefixes += [(EVERYWHERE[0], None)] if any(each.next_hops for each in vlans) else []
        everyone = (
            PrefixRule(10, permit=True, prefix=self.fabric.pools["loopback"], ge=32),
            *(
                PrefixRule(10 * number, permit=True, prefix=prefix, le=length)
                for number, (prefix, length) in enumerate(prefixes, start=2)
            ),
        )
        yield PrefixList(self.name("FABRIC"), everyone)
        if self.device.level == 0:
            yield self.exactly(self.name("OWN"), self.device)
        for leaf in self.leaves:
            yield self.exactly(self.name(leaf.name), leaf)

    def exactly(self, name: str, device: Device) -> PrefixList:
        """A list of exactly the prefixes that one switch may announce as its own."""
        own = (f"{device.loopback}/32", *self.announced(device))
        rules = (PrefixRule(10 * number, permit=True, prefix=prefix) for number, prefix in enumerate(own, start=1))
        return PrefixList(name, tuple(rules))

    def route_maps(self) -> Iterator[RouteMap]:
        """Towards each kind of neighbour, and from it."""
        fabric = self.name("FABRIC")
        if self.device.level == 0:
            yield self.route_map(self.name("IN"), fabric)
            yield self.route_map(self.name("OUT"), self.name("OWN"))
            return
        yield self.route_map(self.name("OUT"), fabric)
        if any(peer.level > 0 for peer in self.peers):
            yield self.route_map(self.name("IN"), fabric)
        for leaf in self.leaves:
            yield self.route_map(self.name(leaf.name, "IN"), self.name(leaf.name))

    def route_map(self, name: str, prefix_list: str) -> RouteMap:
        """Permit one list and deny everything else. Drained, the path is made longer than any other."""
        prepend = (self.device.asn,) * self.fabric.drain_prepend if self.drained else ()
        communities = (GSHUT,) if self.drained else ()
        rule = RouteMapRule(10, permit=True, match_prefix_list=prefix_list, prepend=prepend, communities=communities)
        return RouteMap(name, (rule,))

    @cached_property
    def leaves(self) -> tuple[Device, ...]:
        """The leaves cabled to this switch, each once."""
        return tuple(peer for peer in self.peers if peer.level == 0)

    @cached_property
    def peers(self) -> tuple[Device, ...]:
        """The switches at the far ends, each once."""
        names = dict.fromkeys(each.link.far(self.device.name).device for each in self.between_switches)
        return tuple(self.network.device(name) for name in names)

    def peer_groups(self) -> Mapping[str, PeerGroup]:
        """One for each level that this switch is linked to."""
        groups = (self.peer_group(level) for level in dict.fromkeys(peer.level for peer in self.peers))
        return {group.name: group for group in groups}

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
            max_prefixes=prefix_limit(self.fabric.prefixes_from[level]),
            prefix_restart_min=PREFIX_RESTART_MIN,
            route_map_in=None if level == 0 else self.name("IN"),
            route_map_out=self.name("OUT"),
            password=self.fabric.password,
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
            vrf=circuit.use.vrf,
        )

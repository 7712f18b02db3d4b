"""One packet on its way through switches, hop by hop: the judge of the proofs, which shares no code with them.

Ethernet bridges by VLAN (IEEE 802.1Q): a frame is heard as far as cables carry it, under any number. Routers
resolve a next hop on the wire where its subnet is (RFC 826), and forward by the longest prefix (RFC 1812, 5.2.4.3) what
BGP chose by the shortest AS path (RFC 4271, 9.1.2.2), all paths that are equally short, none with the own AS in it. The
first rule of a list that matches decides; a list ends with a denial, but on Cumulus Linux (its documentation, Access
Control List Configuration: there is no implicit deny). A packet that no host's subnet takes is lost.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface, ip_network

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.routing_policy import PrefixRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network

MAX_HOPS = 16
Place = tuple[str, str | None]
"""(switch, VRF)."""
Spot = tuple[str, int | str]
"""(switch, VLAN), or (switch, routed interface)."""
Cabled = tuple[str, str, int | None]
"""A host's cable: (leaf, port, tag of the frames meant)."""


@dataclass(frozen=True)
class Sent:
    """A packet, and the host's cable it is sent into."""

    leaf: str
    port: str
    tag: int | None
    """The 802.1Q tag of its frame on that cable; None: it has none."""
    source: str
    destination: str
    protocol: int = 6
    source_port: int = 50000
    destination_port: int = 22
    is_open: bool = False
    icmp_type: int = 0
    gate: tuple[str, str] | None = None
    """(switch, interface) whose MAC address the frame is sent to; None: each that hears it, one after the other."""


@dataclass(frozen=True)
class Hop:
    """One step to a next hop: by which interface it leaves, and where it comes in."""

    leaves: Interface
    at: str
    enters: Interface


parsed = cache(ip_network)
addressed = cache(ip_address)


@dataclass
class Walker:
    """Walks packets over the lines of these switches and the cables between them."""

    network: Network
    configs: Mapping[str, DeviceConfig]
    ports: dict[tuple[str, str], Interface] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Switch -> its ports."""
    routers: set[tuple[str, str]] = field(default_factory=set)
    """(switch, interface) of each that a router is behind."""
    cables: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """(device, port) -> the other end."""
    bridges: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """(leaf, port) of a cable -> that of the other cable which the host or its BMC joins it to."""
    ends: set[tuple[str, str]] = field(default_factory=set)
    """(leaf, port) of every cable to a host, or to the management port of a switch."""
    wires: dict[Spot, tuple[set[Spot], set[tuple[str, Cabled]]]] = field(default_factory=dict)
    connected: dict[Place, list[tuple[IPv4Network | IPv6Network, Interface]]] = field(default_factory=dict)
    tables: dict[Place, dict[str, tuple[int, frozenset[Place]]]] = field(default_factory=dict)
    """Prefix -> (AS hops, next routers) of what BGP learned."""

    def __post_init__(self) -> None:
        for name, config in self.configs.items():
            for each in config.interfaces:
                if each.enabled:
                    self.ports[name, each.name] = each
                    self.names.setdefault(name, []).append(each.name)
                    if each.name.lower().startswith("vlan") or each.address or each.ipv6_address:
                        self.routers.add((name, each.name))
                    for given in filter(None, (each.address, each.ipv6_address)):
                        self.connected.setdefault((name, each.vrf), []).append((ip_interface(given).network, each))
        for link in self.network.links:
            here, there = (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)
            self.cables |= {here: there, there: here}
            if link.kind == "host":
                self.ends.add(here)
        if not self.tables:
            self.tables = self._converged()

    # -- Ethernet --------------------------------------------------------------------------------------------------

    def heard(self, leaf: str, port: str, tag: int | None) -> set[Cabled]:
        """The hosts' cables, each with the tag there, on which a host's frame with this tag arrives."""
        return {at for _, at in self._flooded(self._received(leaf, port, tag))[1]}

    def _group(self, device: str, port: Interface) -> Interface:
        """The group of a port, whose lines go for it; or itself."""
        return port if port.member is None else self.ports.get((device, port.member.group), port)

    def _received(self, device: str, name: str, tag: int | None) -> set[Spot]:
        """Where a frame that comes in at a port goes: a VLAN there, or a routed interface."""
        port = self.ports.get((device, name))
        if port is None:
            return set()
        port = self._group(device, port)
        inner = self.ports.get((device, f"{port.name}.{tag}"))
        if inner is not None and inner.tag == tag and tag is not None:
            return {(device, inner.name)}
        if tag is not None:
            return {(device, tag)} if tag != port.native_vlan and tag in (port.tagged_vlans or ()) else set()
        untagged = port.access_vlan or port.native_vlan
        if untagged is not None:
            return {(device, untagged)}
        is_routed = port.tagged_vlans is None and (device, port.name) in self.routers
        return {(device, port.name)} if is_routed else set()

    def _emitted(self, at: Spot) -> Iterator[tuple[str, int | None]]:
        """(port, tag) by which a frame leaves this VLAN or this routed interface."""
        device, inner = at
        for name in self.names.get(device, ()):
            tags = {None, inner, self.ports[device, name].native_vlan} if isinstance(inner, int) else {None}
            if not isinstance(inner, int):
                tags = {self.ports[device, inner].tag}
            for tag in tags:
                if (device, name) in self.cables and at in self._received(device, name, tag):
                    yield name, tag

    def _flooded(self, spots: set[Spot]) -> tuple[set[Spot], set[tuple[str, Cabled]]]:
        """(every place that hears a frame, (host, cable) of every host that does), beginning at these."""
        seen, waiting, hosts = set(spots), list(spots), set[tuple[str, Cabled]]()
        while waiting:
            at = waiting.pop()
            for name, tag in self._emitted(at):
                far, far_port = self.cables[at[0], name]
                if (at[0], name) in self.ends:
                    hosts.add((far, (at[0], name, tag)))
                new = self._received(far, far_port, tag) if far in self.configs else set()
                if tag is None and (at[0], name) in self.bridges:
                    new |= self._received(*self.bridges[at[0], name], None)
                new -= seen
                seen |= new
                waiting += new
        return seen, hosts

    def _wire(self, at: Spot) -> tuple[set[Spot], set[tuple[str, Cabled]]]:
        if at not in self.wires:
            self.wires[at] = self._flooded({at})
        return self.wires[at]

    def _hearing(self, at: Spot) -> Iterator[tuple[str, Interface]]:
        """The routed interfaces on this wire."""
        for device, inner in self._wire(at)[0]:
            for name in (f"Vlan{inner}", f"vlan{inner}") if isinstance(inner, int) else (inner,):
                if (device, name) in self.routers:
                    yield device, self.ports[device, name]

    # -- IP --------------------------------------------------------------------------------------------------------

    def delivered(self, sent: Sent) -> set[str]:
        """The hosts that the packet reaches, over all paths that it may take; as a frame to its gateway."""
        return {host for _, host in self.arrivals(sent)}

    def arrivals(self, sent: Sent) -> set[tuple[str, str]]:
        """(the switch that hands it out, host) of each of these paths."""
        found: set[tuple[str, str]] = set()
        for spot in self._received(sent.leaf, sent.port, sent.tag):
            for device, entry in self._hearing(spot):
                if sent.gate in (None, (device, entry.name)) and self._passes(device, entry, "in", sent):
                    found |= self._forwarded((device, entry.vrf), sent, MAX_HOPS)
        return found

    def _forwarded(self, at: Place, sent: Sent, hops_left: int) -> set[tuple[str, str]]:
        device, _ = at
        found: set[tuple[str, str]] = set()
        _, ways = self._longest(at, sent.destination)
        for way in ways if hops_left else ():
            if isinstance(way, Interface):
                if self._passes(device, way, "out", sent):
                    found |= {(device, host) for host, _ in self._wire(_spot(device, way))[1]}
            elif isinstance(way, Hop):
                is_let = self._passes(device, way.leaves, "out", sent) and self._passes(way.at, way.enters, "in", sent)
                found |= self._forwarded((way.at, way.enters.vrf), sent, hops_left - 1) if is_let else set()
            else:
                found |= self._forwarded(way, sent, hops_left - 1)
        return found

    def _longest(self, at: Place, destination: str) -> tuple[int, list[Interface | Hop | Place]]:
        device, vrf = at
        best: tuple[int, list[Interface | Hop | Place]] = (-1, [])
        address = addressed(destination)
        for network, each in self.connected.get(at, ()):
            if address in network and network.prefixlen > best[0]:
                best = network.prefixlen, [each]
        for route in self.configs[device].static_routes:
            network = parsed(route.prefix)
            if route.vrf == vrf and address in network and network.prefixlen > best[0]:
                best = network.prefixlen, [*self._owners(route.next_hops, at)]
        for prefix, (_, hops) in self.tables.get(at, {}).items():
            network = parsed(prefix)
            if hops and address in network and network.prefixlen > best[0]:
                best = network.prefixlen, list(hops)
        return best

    def _owners(self, hops: tuple[str, ...], at: Place) -> Iterator[Hop]:
        """Who answers for a next hop on the wires where its subnet is (RFC 826)."""
        for hop in hops:
            for network, each in self.connected.get(at, ()):
                if addressed(hop) in network:
                    for device, other in self._hearing(_spot(at[0], each)):
                        if device != at[0] and hop in _own(other):
                            yield Hop(each, device, other)

    def _passes(self, device: str, interface: Interface, direction: str, sent: Sent) -> bool:
        family = "ipv6" if ":" in sent.destination else "ipv4"
        names = [each.name for each in interface.acls if (each.family, each.direction) == (family, direction)]
        lists = [each for each in self.configs[device].access_lists if each.family == family and each.name in names]
        if not lists:
            return True
        ordered = sorted(lists[0].rules, key=lambda rule: rule.sequence)
        passes_rest = self.network.device(device).os == "nvue"
        return next((rule.permit for rule in ordered if _matches(rule, sent)), passes_rest)

    # -- BGP -------------------------------------------------------------------------------------------------------

    def _converged(self) -> dict[Place, dict[str, tuple[int, frozenset[Place]]]]:
        """Rounds of announcements until nothing changes (RFC 4271, 9): the shortest AS paths, none with the own AS."""
        paths: dict[Place, dict[str, dict[tuple[int, ...], frozenset[Place]]]] = {}
        for device, config in self.configs.items():
            if config.bgp is not None:
                own = [(None, config.bgp.networks), *((each.name, each.networks) for each in config.bgp.vrfs)]
                for vrf, prefixes in own:
                    paths[device, vrf] = {prefix: {(): frozenset()} for prefix in prefixes}
        sessions = list(self._sessions())
        while True:
            known = {at: {prefix: _shortest(found) for prefix, found in its.items()} for at, its in paths.items()}
            changed = False
            for sender, receiver, neighbor_out, neighbor_in in sessions:
                asn, its = self._asn(receiver), self._asn(sender)
                for prefix, best in known.get(sender, {}).items():
                    if not self._lets(sender[0], neighbor_out, prefix) or not self._lets(
                        receiver[0], neighbor_in, prefix
                    ):
                        continue
                    for path in list(best)[:1]:
                        new = (its, *path)
                        mine = paths.setdefault(receiver, {}).setdefault(prefix, {})
                        if asn not in new and () not in mine and sender not in mine.get(new, frozenset()):
                            mine[new] = mine.get(new, frozenset()) | {sender}
                            changed = True
            if not changed:
                break
        return {at: {prefix: _joined(_shortest(found)) for prefix, found in its.items()} for at, its in paths.items()}

    def _asn(self, at: Place) -> int:
        bgp = self.configs[at[0]].bgp
        return bgp.asn if bgp is not None else 0

    def _sessions(self) -> Iterator[tuple[Place, Place, str | None, str | None]]:
        """(sender, receiver, route map out, route map in) of sessions over one cable that both ends want."""
        for link in self.network.links:
            for near, far in ((link.upper, link.lower), (link.lower, link.upper)):
                one, other = self.ports.get((near.device, near.port)), self.ports.get((far.device, far.port))
                if one is None or other is None or not one.address or not other.address:
                    continue
                out = self._map(near.device, other.address.partition("/")[0], one.vrf, "out")
                into = self._map(far.device, one.address.partition("/")[0], other.vrf, "in")
                if out is not None and into is not None:
                    yield (near.device, one.vrf), (far.device, other.vrf), out[0], into[0]

    def _map(self, device: str, address: str, vrf: str | None, direction: str) -> tuple[str | None] | None:
        bgp = self.configs[device].bgp
        for each in bgp.neighbors if bgp is not None else ():
            if (each.address, each.vrf) == (address, vrf) and bgp is not None:
                group = next(one for one in bgp.peer_groups if one.name == each.peer_group)
                return (group.route_map_out,) if direction == "out" else (each.route_map_in or group.route_map_in,)
        return None

    def _lets(self, device: str, name: str | None, prefix: str) -> bool:
        policy = self.configs[device].routing_policy
        for each in policy.route_maps:
            if each.name == name:
                for rule in each.rules:
                    lists = [one for one in policy.prefix_lists if one.name == rule.match_prefix_list]
                    if rule.match_prefix_list is None or (lists and _listed(lists[0].rules, prefix)):
                        return rule.permit
                return False
        return True


def _spot(device: str, interface: Interface) -> Spot:
    digits = interface.name.lower().removeprefix("vlan")
    return device, int(digits) if digits.isdigit() else interface.name


def _own(interface: Interface) -> set[str]:
    """The addresses that an interface answers for."""
    gateway = interface.gateway
    shared = {gateway.address, gateway.ipv6_address} if gateway is not None else set()
    return {each.partition("/")[0] for each in (interface.address, interface.ipv6_address, *shared) if each}


def _listed(rules: tuple[PrefixRule, ...], prefix: str) -> bool:
    network = parsed(prefix)
    for rule in rules:
        covering = parsed(rule.prefix)
        if covering.version != network.version or not (covering[0] <= network[0] and network[-1] <= covering[-1]):
            continue
        low = rule.ge or covering.prefixlen
        high = rule.le or (covering.max_prefixlen if rule.ge is not None else covering.prefixlen)
        if low <= network.prefixlen <= high:
            return bool(rule.permit)
    return False


def _shortest(
    found: dict[tuple[int, ...], frozenset[Place]],
) -> dict[tuple[int, ...], frozenset[Place]]:
    least = min(map(len, found))
    return {path: hops for path, hops in found.items() if len(path) == least}


def _joined(best: dict[tuple[int, ...], frozenset[Place]]) -> tuple[int, frozenset[Place]]:
    return len(next(iter(best))), frozenset().union(*best.values())


def _matches(rule: AclRule, sent: Sent) -> bool:
    has_ports = sent.protocol in (6, 17)
    low, high = rule.destination_ports or (0, 65535)
    first, last = rule.source_ports or (0, 65535)
    return (
        rule.protocol in (None, sent.protocol)
        and (rule.destination_ports is None or (has_ports and low <= sent.destination_port <= high))
        and (rule.source_ports is None or (has_ports and first <= sent.source_port <= last))
        and (not rule.established or (sent.protocol == 6 and sent.is_open))
        and (rule.icmp_type is None or rule.icmp_type == sent.icmp_type)
        and (rule.source is None or addressed(sent.source) in parsed(rule.source))
        and (rule.destination is None or addressed(sent.destination) in parsed(rule.destination))
    )

"""The flow matrix of the boundary: its zones with the addresses in each, and who may open what connection to whom.

A packet passes from one zone to another as a row of the matrix or as the answer to one; everything else is dropped.
Pure: from the intent and the design's subnets of groups of hosts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from itertools import islice
from typing import Literal

from nornir_tasks.design.config.access_lists import Family, PortRange
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.flow_terms import Ends, ends
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BalancersIntent, BoundaryIntent, PublishedIntent, ZoneIntent
from nornir_tasks.intent.keys.boundary_relay import RelaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_flow import BASTIONS, BASTIONS_FIRST
from nornir_tasks.intent.rules.boundary_names import EDGE_LOOPBACK, groups_of, kept_apart, reached_planes
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.intent.rules.oob_devices import of_trees

SSH = 22
DNS, NTP, PROXY = 53, 123, 3128
"""Ports that relays listen on; the last one is squid's own."""
LOOPBACKS = "loopbacks of edge routers"
Protocol = Literal["tcp", "udp", "icmp"]
"""``icmp``: echo requests, of IPv6 those of ICMPv6."""
TRANSPORTS: tuple[Protocol, ...] = ("udp", "tcp")
"""Of DNS, each of which is needed (RFC 7766)."""
Prefixes = Mapping[Family, tuple[str, ...]]
"""Family -> prefixes; none: no packet of it."""

ANY: dict[Family, str] = {"ipv4": "0.0.0.0/0", "ipv6": "::/0"}


@dataclass(frozen=True, slots=True)
class Zone:
    """What the firewalls reach by one port."""

    name: str
    port: str
    links: Mapping[Family, str]
    """Subnets at the port."""
    addresses: Prefixes
    """All that is in the zone, the links included; of the outside world everything."""
    gateways: Mapping[Family, str]
    """Next hops to what is not on the link."""

    @property
    def is_outside(self) -> bool:
        """Is it the outside world?"""
        return self.name == OUTSIDE


@dataclass(frozen=True, slots=True)
class Row:
    """Who may open connections to whom, for one protocol."""

    name: str
    """Where it comes from: ``flows[0]``, ``published.portal``, ``bastions``."""
    source_zone: str
    sources: Prefixes
    destination_zone: str
    destinations: Prefixes
    protocol: Protocol
    ports: tuple[PortRange, ...] = ()
    """Of TCP and UDP; empty for ``icmp``."""


@dataclass(frozen=True, slots=True)
class Egress:
    """Who appears outside with other addresses than his own."""

    name: str
    """Where it comes from: ``egress.hosts``."""
    sources: tuple[str, ...]
    pool: str


@dataclass(frozen=True, slots=True)
class Named:
    """A name for addresses, as a report of who reaches whom has it."""

    name: str
    zone: str
    """Empty: kept apart from all zones."""
    prefixes: Prefixes


@dataclass(frozen=True, slots=True)
class Boundary:
    """All that firewalls are told."""

    zones: tuple[Zone, ...]
    rows: tuple[Row, ...]
    never: Prefixes
    """Pools of fabrics and edge routers, and of planes that no packet reaches or leaves by the firewalls."""
    exempt: Prefixes
    """Prefixes outside that are named, and so may come from there even where no other of the kind may."""
    egress: tuple[Egress, ...]
    """IPv4 alone; the first one with a source has it."""
    ends: Mapping[str, Prefixes]
    """What the names of zones, groups of hosts and networks stand for."""
    named: tuple[Named, ...] = ()
    """Groups of hosts and networks that have a name, published services, bastions, and what is kept apart."""
    here: tuple[Row, ...] = ()
    """Who may open connections to the firewalls themselves, where they are the balancers of what is published."""

    @property
    def own(self) -> Prefixes:
        """All addresses of the site, less the link to the outside: edge routers have addresses of it."""
        inside = [each.addresses for each in self.zones if not each.is_outside]
        found = [prefix for each in (*inside, self.never) for prefixes in each.values() for prefix in prefixes]
        return of([*found, *(each.pool for each in self.egress)])


def boundary(intent: Intent, network: Network) -> Boundary | None:
    """What the intent wants of its firewalls; None where it describes no boundary."""
    each = intent.boundary
    if each is None:
        return None
    zones = tuple(_zones(intent, each))
    known = _ends(intent, each, network, zones)
    planes = reached_planes(intent, each)
    never = [str(pool) for path, pool in kept_apart(intent, but=None) if path[0] != "planes" or path[1] not in planes]
    exempt = [str(prefix) for prefixes in each.networks.values() for prefix in prefixes]
    named = (*_named_in_zones(each, known), *_named_apart(intent, planes))
    egress = tuple(_egress(each, known))
    return Boundary(
        zones, tuple(_rows(each, known)), of(never), of(exempt), egress, known.ends, named, tuple(_here(each, known))
    )


def of(prefixes: Iterable[str]) -> dict[Family, tuple[str, ...]]:
    """By family, as few as hold just these."""
    found = Ends.of(prefixes).prefixes
    return {family: tuple(each for each in found[family] if each is not None) for family in FAMILIES}


def address(link: IPv4Network | IPv6Network, place: int) -> str:
    """An address of a link, by its place."""
    return str(link[place])


def _zones(intent: Intent, each: BoundaryIntent) -> Iterator[Zone]:
    trees = of_trees(intent)
    for name, zone in each.zones.items():
        if zone.port is None or zone.plane in trees:
            continue
        links = {family: str(link) for family, link in _links(zone)}
        pools = () if zone.plane is None else _pools(intent, zone.plane)
        addresses = {family: (ANY[family],) for family in links} if name == OUTSIDE else of([*links.values(), *pools])
        gateways = {FAMILIES[one.version == 6]: str(one) for one in zone.gateway}
        yield Zone(name, zone.port, links, addresses, gateways)


def _links(zone: ZoneIntent) -> Iterator[tuple[Family, IPv4Network | IPv6Network]]:
    if zone.link is not None:
        yield "ipv4", zone.link
    if zone.link_v6 is not None:
        yield "ipv6", zone.link_v6


def _pools(intent: Intent, plane: str) -> tuple[str, ...]:
    return tuple(str(pool) for path, pool in kept_apart(intent, but=None) if path[:2] == ("planes", plane))


@dataclass(frozen=True, slots=True)
class _Known:
    """What the names of flows stand for, and the zone of each."""

    ends: Mapping[str, Prefixes]
    zones: Mapping[str, str]


def _ends(intent: Intent, each: BoundaryIntent, network: Network, zones: tuple[Zone, ...]) -> _Known:
    planes = reached_planes(intent, each)
    networks = {name: tuple(map(str, prefixes)) for name, prefixes in each.networks.items()}
    found = ends((one for one in network.segments if one.plane in planes), networks, OUTSIDE)
    prefixes = {
        name: {family: tuple(each for each in one.prefixes[family] if each is not None) for family in FAMILIES}
        for name, one in found.items()
    }
    known: dict[str, Prefixes] = {**prefixes, **{zone.name: _all(zone) for zone in zones}}
    in_zone = {
        **dict.fromkeys(networks, OUTSIDE),
        **groups_of(intent, each),
        **{zone.name: zone.name for zone in zones},
    }
    return _Known(known, in_zone)


def _all(zone: Zone) -> Prefixes:
    return {family: zone.addresses.get(family, ()) for family in FAMILIES}


def _rows(each: BoundaryIntent, known: _Known) -> Iterator[Row]:
    for number, flow in enumerate(each.flows):
        for service in flow.services:
            its = each.services[service]
            found: tuple[tuple[Protocol, tuple[PortRange, ...]], ...] = (("tcp", its.tcp), ("udp", its.udp))
            for protocol, ports in found:
                if ports:
                    yield _row(f"flows[{number}]", flow.source, flow.destination, known, protocol, ports)
            if its.ping:
                yield _row(f"flows[{number}]", flow.source, flow.destination, known, "icmp")
    if not are_firewalls(each.balancers):
        yield from _published(each, known)
    yield from _to_bastions(each, known)
    yield from _relayed(each, known)


def _named_in_zones(each: BoundaryIntent, known: _Known) -> Iterator[Named]:
    for name, prefixes in known.ends.items():
        if name not in each.zones and name in known.zones:
            yield Named(name, known.zones[name], prefixes)
    for row in (*_published(each, known), *_to_bastions(each, known)):
        if row.source_zone == OUTSIDE:
            yield Named(row.name, row.destination_zone, row.destinations)
    if each.balancers is not None and each.balancers.addresses:
        yield Named("balancers", each.balancers.zone, of(str(ip_network(str(one))) for one in each.balancers.addresses))
    if each.relays is not None:
        yield Named("relays", each.relays.zone, _hosts(each.relays.addresses))
        upward = {row.name: row.destinations for row in _relayed(each, known) if row.source_zone == each.relays.zone}
        yield from (Named(name, OUTSIDE, its) for name, its in upward.items() if its != known.ends[OUTSIDE])


def _named_apart(intent: Intent, reached: Mapping[str, str]) -> Iterator[Named]:
    found: dict[str, list[str]] = {}
    for path, pool in kept_apart(intent, but=None):
        kind, name = str(path[0]), str(path[1])
        title = LOOPBACKS if path == EDGE_LOOPBACK else f"{kind.removesuffix('s')} {name}"
        if kind != "planes" or name not in reached:
            found.setdefault(title, []).append(str(pool))
    yield from (Named(name, "", of(prefixes)) for name, prefixes in found.items())


def are_firewalls(balancers: BalancersIntent | None) -> bool:
    """Do the firewalls have what is published, so that it passes from no zone to another?"""
    return balancers is not None and balancers.at == "firewalls"


def _row(
    name: str, source: str, destination: str, known: _Known, protocol: Protocol, ports: tuple[PortRange, ...] = ()
) -> Row:
    return Row(
        name,
        known.zones[source],
        known.ends[source],
        known.zones[destination],
        known.ends[destination],
        protocol,
        ports,
    )


def _published(each: BoundaryIntent, known: _Known) -> Iterator[Row]:
    """From everybody to where it is found, and from the balancers (without any, from that zone) to the servers."""
    for name, one in each.published.items():
        row = _to_published(name, one, each, known)
        yield row
        zone, title = row.destination_zone, row.name
        server_port = ((one.server_port, one.server_port),)
        own = (
            None if each.balancers is None else [str(ip_network(str(address))) for address in each.balancers.addresses]
        )
        senders = known.ends[zone] if own is None else of(own)
        yield Row(title, zone, senders, known.zones[one.servers], known.ends[one.servers], "tcp", server_port)


def _to_published(name: str, one: PublishedIntent, each: BoundaryIntent, known: _Known) -> Row:
    found = of([str(ip_network(str(address))) for address in one.addresses])
    zone = next(
        zone
        for zone, its in each.zones.items()
        for _, link in _links(its)
        if its.plane is None and zone != OUTSIDE and one.addresses[0] in link
    )
    return Row(f"published.{name}", OUTSIDE, known.ends[OUTSIDE], zone, found, "tcp", one.tcp)


def _here(each: BoundaryIntent, known: _Known) -> Iterator[Row]:
    if are_firewalls(each.balancers):
        for name, one in each.published.items():
            yield _to_published(name, one, each, known)


def _to_bastions(each: BoundaryIntent, known: _Known) -> Iterator[Row]:
    if each.bastions is None:
        return
    zone = each.bastions.zone
    places = range(BASTIONS_FIRST, BASTIONS_FIRST + BASTIONS)
    found = of([str(ip_network(address(link, place))) for _, link in _links(each.zones[zone]) for place in places])
    for client in each.bastions.clients:
        yield Row("bastions", OUTSIDE, known.ends[client], zone, found, "tcp", ((SSH, SSH),))


def _egress(each: BoundaryIntent, known: _Known) -> Iterator[Egress]:
    """Groups of hosts before zones, as a zone has its groups' addresses too."""
    for is_zone in (False, True):
        for name, rule in each.egress.items():
            named = [source for source in rule.sources if (source in each.zones) == is_zone]
            sources = [prefix for source in named for prefix in known.ends[source]["ipv4"]]
            if sources:
                yield Egress(f"egress.{name}", of(sources)["ipv4"], str(rule.pool))


def _relayed(each: BoundaryIntent, known: _Known) -> Iterator[Row]:
    """From clients to the relays, and from these to whom they ask; clients on the relays' own link pass no firewall."""
    own = each.relays
    if own is None:
        return
    for client in own.clients:
        if known.zones[client] != own.zone:
            for name, protocol, port, there in _services(own):
                source = (known.zones[client], known.ends[client])
                yield Row(name, *source, own.zone, there, protocol, ((port, port),))
    relays = (own.zone, _hosts(own.addresses))
    if own.dns is not None:
        for protocol in TRANSPORTS:
            yield Row("relays.dns", *relays, OUTSIDE, _hosts(own.dns.forwarders), protocol, ((DNS, DNS),))
    if own.ntp is not None:
        yield Row("relays.ntp", *relays, OUTSIDE, _hosts(own.ntp.servers), "udp", ((NTP, NTP),))
    if own.proxy is not None:
        # Names are the proxy's to judge; their addresses are not known beforehand.
        ports = tuple(sorted({*own.proxy.ports, *own.proxy.plain_ports}))
        yield Row("relays.proxy", *relays, OUTSIDE, known.ends[OUTSIDE], "tcp", ports)


def _services(own: RelaysIntent) -> Iterator[tuple[str, Protocol, int, Prefixes]]:
    """What relays are asked for: name of the row, protocol, port, addresses that are asked."""
    if own.dns is not None:
        for protocol in TRANSPORTS:
            yield "relays.dns", protocol, DNS, _hosts(own.addresses)
    if own.ntp is not None:
        yield "relays.ntp", "udp", NTP, _hosts(own.addresses)
    if own.proxy is not None:
        yield "relays.proxy", "tcp", PROXY, _hosts(own.proxy.addresses)


def _hosts(addresses: Iterable[IPv4Address | IPv6Address]) -> Prefixes:
    return of(str(ip_network(str(address))) for address in addresses)


def first_addresses(link: str) -> tuple[str, str, str]:
    """Of a link: the one that both firewalls share, and their own, each with its length."""
    network = ip_network(link)
    shared, one, other = (f"{network[place]}/{network.prefixlen}" for place in islice((1, 2, 3), 3))
    return shared, one, other

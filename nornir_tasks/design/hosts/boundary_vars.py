"""The variables of the firewalls' roles, from the flow matrix. One frozen model per role, as in host_vars."""

from collections.abc import Iterator, Sequence
from ipaddress import ip_network
from typing import Annotated, Any, Literal

from pydantic import Field

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import ANY, Boundary, Egress, Row, Zone, boundary, first_addresses, of
from nornir_tasks.design.hosts.host_parts import Vars
from nornir_tasks.design.hosts.role_vars import as_ansible
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BoundaryIntent, ManagementPortIntent, SyncIntent
from nornir_tasks.intent.keys.site import Intent

FIREWALLS = ("firewall-1", "firewall-2")
PRIORITIES = (150, 100)
"""Of VRRP. The first one begins; the one that has the addresses keeps them."""
FIRST_ROUTER_ID = 51
"""Of VRRP: that of the first zone; no two zones have the same, as they may be VLANs of one switch."""

NOT_FROM_OUTSIDE: dict[Family, tuple[str, ...]] = {
    "ipv4": (
        "0.0.0.0/8",  # this network (RFC 1122)
        "10.0.0.0/8",  # private (RFC 1918), as are 172.16.0.0/12 and 192.168.0.0/16
        "100.64.0.0/10",  # between carriers and their customers (RFC 6598)
        "127.0.0.0/8",  # loopback (RFC 1122)
        "169.254.0.0/16",  # link-local (RFC 3927)
        "172.16.0.0/12",
        "192.168.0.0/16",
        "224.0.0.0/4",  # multicast is no source (RFC 1112)
        "240.0.0.0/4",  # reserved, with broadcast at its end (RFC 1112)
    ),
    "ipv6": (
        "::/8",  # unspecified, loopback, mapped and compatible IPv4 (RFC 4291)
        "fc00::/7",  # unique local (RFC 4193)
        "fe80::/10",  # link-local (RFC 4291)
        "ff00::/8",  # multicast is no source (RFC 4291)
    ),
}
"""Sources that no host outside has (IANA IPv4 and IPv6 Special-Purpose Address Registries)."""

IpFamily = Literal["ip", "ip6"]
WORDS: dict[Family, IpFamily] = {"ipv4": "ip", "ipv6": "ip6"}
"""Family -> what nftables calls it."""


class RouteVars(Vars):
    """A route of the one that has the shared addresses."""

    to: str
    via: str


class ZoneVars(Vars):
    """One zone of a firewall."""

    name: str
    port: str
    outside: bool
    """Is it the outside world?"""
    router_id: int
    """Of its VRRP instances, IPv4 and IPv6 alike."""
    address: str | None
    """This firewall's own, with its length; None: the zone has no IPv4."""
    peer: str | None
    """The other firewall's, without length."""
    shared: str | None
    """The one that both share, with its length."""
    address_v6: str | None
    shared_v6: str | None
    published: tuple[str, ...]
    """Addresses of published services that the one with the shared addresses has as well, with their lengths."""
    sources: tuple[str, ...]
    """What may come from there; of the outside world nothing is listed: anything that no other zone has."""
    sources_v6: tuple[str, ...]
    routes: tuple[RouteVars, ...]


class FirewallFlowVars(Vars):
    """One row of the flow matrix, of one family."""

    name: str
    source_zone: str
    destination_zone: str
    family: IpFamily
    sources: tuple[str, ...]
    """Empty: any address of the zone."""
    destinations: tuple[str, ...]
    protocol: Literal["tcp", "udp", "icmp"]
    ports: tuple[str, ...]
    """``443``, ``8000-8100``; empty: of a protocol without."""


class ManagementVars(Vars):
    """How the firewall itself is reached."""

    port: str
    clients: tuple[str, ...]
    clients_v6: tuple[str, ...]


class SyncVars(Vars):
    """The cable to the other firewall."""

    port: str
    address: str
    """With its length."""
    peer: str


class FirewallVars(Vars):
    """Role firewall."""

    zones: tuple[ZoneVars, ...]
    flows: tuple[FirewallFlowVars, ...]
    here: tuple[FirewallFlowVars, ...]
    """Who may open connections to the firewall itself, at published addresses."""
    never: tuple[str, ...]
    """Addresses that no packet through the firewall has at either end."""
    never_v6: tuple[str, ...]
    own: tuple[str, ...]
    """All addresses of the site: none comes from outside, none is sought there."""
    own_v6: tuple[str, ...]
    not_from_outside: tuple[str, ...]
    """Sources that no host outside has, but for ``exempt``."""
    not_from_outside_v6: tuple[str, ...]
    exempt: tuple[str, ...]
    exempt_v6: tuple[str, ...]
    management: ManagementVars
    sync: SyncVars
    priority: Annotated[int, Field(ge=1, le=254)]
    """Of VRRP."""
    connections: int
    new_per_second: int


class TranslationVars(Vars):
    """Who appears outside with which addresses."""

    name: str
    sources: tuple[str, ...]
    first: str
    """Of the pool, all of whose addresses are used."""
    last: str


class NatGatewayVars(Vars):
    """Role nat_gateway."""

    port: str
    """Towards the outside world."""
    shared: str | None
    """The address that the gateway which translates has there, without length; None: no IPv4 there."""
    translations: tuple[TranslationVars, ...]
    """The first one with a source has it."""
    private: tuple[str, ...]
    """Sources that no host outside could answer; they do not leave as they are. None: a machine behind translates."""


class FirewallHostVars(Vars):
    """All variables of one firewall, by role."""

    firewall: FirewallVars
    nat_gateway: NatGatewayVars

    def ansible(self) -> dict[str, Any]:
        """``firewall_zones`` and so on, as plain data."""
        return as_ansible(self)


def firewall_host_vars(intent: Intent, network: Network) -> dict[str, FirewallHostVars]:
    """Firewall -> its variables; empty where the intent describes no boundary."""
    found = boundary(intent, network)
    if intent.boundary is None or found is None:
        return {}
    return {
        name: FirewallHostVars(
            firewall=_firewall(place, found, intent.boundary), nat_gateway=_of_firewall(found, intent.boundary)
        )
        for place, name in enumerate(FIREWALLS)
    }


def _firewall(place: int, found: Boundary, each: BoundaryIntent) -> FirewallVars:
    own = found.own
    return FirewallVars(
        zones=tuple(_zone(place, number, zone, found.here) for number, zone in enumerate(found.zones)),
        flows=tuple(flow for row in found.rows for flow in flows(row)),
        here=tuple(flow for row in found.here for flow in flows(row)),
        never=found.never["ipv4"],
        never_v6=found.never["ipv6"],
        own=own["ipv4"],
        own_v6=own["ipv6"],
        not_from_outside=NOT_FROM_OUTSIDE["ipv4"],
        not_from_outside_v6=NOT_FROM_OUTSIDE["ipv6"],
        exempt=found.exempt["ipv4"],
        exempt_v6=found.exempt["ipv6"],
        management=management(each.firewalls.management),
        sync=sync(place, each.firewalls.sync),
        priority=PRIORITIES[place],
        connections=each.firewalls.connections,
        new_per_second=each.firewalls.new_per_second,
    )


def management(each: ManagementPortIntent) -> ManagementVars:
    """How one of a pair is reached."""
    clients = of([str(prefix) for prefix in each.clients])
    return ManagementVars(port=each.port, clients=clients["ipv4"], clients_v6=clients["ipv6"])


def sync(place: int, each: SyncIntent) -> SyncVars:
    """How one of a pair is joined with the other one."""
    here, there = (each.link[1 + place], each.link[2 - place])
    return SyncVars(port=each.port, address=f"{here}/{each.link.prefixlen}", peer=str(there))


def _of_firewall(found: Boundary, each: BoundaryIntent) -> NatGatewayVars:
    """Without gateways of their own; with them, that it translates nothing, which takes away what it did before."""
    outside = next(zone for zone in found.zones if zone.is_outside)
    link = outside.links.get("ipv4")
    shared = link and first_addresses(link)[0].partition("/")[0]
    if each.gateways is not None:
        return NatGatewayVars(port=outside.port, shared=shared, translations=(), private=())
    return nat_gateway(outside.port, shared, found)


def nat_gateway(port: str, shared: str | None, found: Boundary) -> NatGatewayVars:
    """Of a host that translates everything there is to translate."""
    translations = tuple(_translation(each) for each in found.egress)
    return NatGatewayVars(port=port, shared=shared, translations=translations, private=NOT_FROM_OUTSIDE["ipv4"])


def _translation(each: Egress) -> TranslationVars:
    pool = ip_network(each.pool)
    return TranslationVars(name=each.name, sources=each.sources, first=str(pool[0]), last=str(pool[-1]))


def _zone(place: int, number: int, zone: Zone, here: tuple[Row, ...]) -> ZoneVars:
    v4, v6 = (first_addresses(zone.links[family]) if family in zone.links else None for family in FAMILIES)
    published = [
        each
        for row in here
        for family in FAMILIES
        for each in row.destinations[family]
        if row.destination_zone == zone.name
    ]
    return ZoneVars(
        name=zone.name,
        port=zone.port,
        outside=zone.is_outside,
        router_id=FIRST_ROUTER_ID + number,
        address=v4 and v4[1 + place],
        peer=v4 and v4[2 - place].partition("/")[0],
        shared=v4 and v4[0],
        address_v6=v6 and v6[1 + place],
        shared_v6=v6 and v6[0],
        published=tuple(dict.fromkeys(published)),
        sources=() if zone.is_outside else zone.addresses.get("ipv4", ()),
        sources_v6=() if zone.is_outside else zone.addresses.get("ipv6", ()),
        routes=tuple(routes(zone)),
    )


def routes(zone: Zone) -> Iterator[RouteVars]:
    """To everything in the zone that is not on its link."""
    for family, gateway in zone.gateways.items():
        link = ip_network(zone.links[family])
        for prefix in map(ip_network, zone.addresses[family]):
            # A pool beside the link is one prefix with it there; of that all but the link is routed.
            is_with_link = str(prefix) != ANY[family] and prefix.overlaps(link)
            rest = prefix.address_exclude(link) if is_with_link else [prefix]  # type: ignore[arg-type]  # of one family
            for each in sorted(rest):
                yield RouteVars(to=str(each), via=gateway)


def flows(row: Row) -> Iterator[FirewallFlowVars]:
    """A row, for each family that it has addresses of."""
    for family in FAMILIES:
        sources, destinations = row.sources[family], row.destinations[family]
        if sources and destinations:
            yield FirewallFlowVars(
                name=row.name,
                source_zone=row.source_zone,
                destination_zone=row.destination_zone,
                family=WORDS[family],
                sources=_but_any(sources),
                destinations=_but_any(destinations),
                protocol=row.protocol,
                ports=tuple(str(first) if first == last else f"{first}-{last}" for first, last in row.ports),
            )


def _but_any(prefixes: Sequence[str]) -> tuple[str, ...]:
    return () if set(prefixes) & set(ANY.values()) else tuple(prefixes)

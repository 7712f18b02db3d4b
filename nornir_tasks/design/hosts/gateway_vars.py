"""The variables of gateways that are machines of their own: they translate, between firewalls and edge routers.

Each is a firewall of two zones, the outside world and the site, whose matrix is what of the site's has one end outside.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_network

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import Boundary, Row, Zone, boundary, of
from nornir_tasks.design.hosts.boundary_vars import (
    NOT_FROM_OUTSIDE,
    PRIORITIES,
    FirewallHostVars,
    FirewallVars,
    ZoneVars,
    flows,
    management,
    nat_gateway,
    routes,
    sync,
)
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BoundaryIntent, GatewaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.flow import OUTSIDE

GATEWAYS = ("gateway-1", "gateway-2")
FIRST_ROUTER_ID = 151
"""Of VRRP, on the outside; the firewalls', which are on the link to the site as well, count from 51."""
SITE = "site"
"""Everything behind the firewalls, as one zone."""


def gateway_host_vars(intent: Intent, network: Network) -> dict[str, FirewallHostVars]:
    """Gateway -> its variables; empty where the firewalls translate."""
    found = boundary(intent, network)
    if found is None or intent.boundary is None or intent.boundary.gateways is None:
        return {}
    return {
        name: _gateway(place, found, intent.boundary, intent.boundary.gateways) for place, name in enumerate(GATEWAYS)
    }


def _gateway(place: int, found: Boundary, each: BoundaryIntent, gateways: GatewaysIntent) -> FirewallHostVars:
    to_firewalls = next(zone for zone in found.zones if zone.is_outside)
    own = of([*_all(found.own), *to_firewalls.links.values()])
    site = _site(found, to_firewalls, gateways)
    outside = _outside(to_firewalls, gateways)
    # The gateways' shared addresses towards the firewalls are what these have as their next hop.
    zones = (
        _zone(place, outside, {family: str(ip_network(link)[1]) for family, link in outside.links.items()}),
        _zone(place, site, to_firewalls.gateways),
    )
    firewall = FirewallVars(
        zones=zones,
        flows=tuple(flow for row in (*found.rows, *found.here) for one in _seen(row) for flow in flows(one)),
        here=(),
        never=found.never["ipv4"],
        never_v6=found.never["ipv6"],
        own=own["ipv4"],
        own_v6=own["ipv6"],
        not_from_outside=NOT_FROM_OUTSIDE["ipv4"],
        not_from_outside_v6=NOT_FROM_OUTSIDE["ipv6"],
        exempt=found.exempt["ipv4"],
        exempt_v6=found.exempt["ipv6"],
        management=management(gateways.management),
        sync=sync(place, gateways.sync),
        priority=PRIORITIES[place],
        connections=each.firewalls.connections,
        new_per_second=each.firewalls.new_per_second,
    )
    shared = str(gateways.link[1])
    return FirewallHostVars(firewall=firewall, nat_gateway=nat_gateway(gateways.port, shared, found))


def _all(prefixes: Mapping[Family, tuple[str, ...]]) -> Iterator[str]:
    for each in prefixes.values():
        yield from each


def _outside(to_firewalls: Zone, gateways: GatewaysIntent) -> Zone:
    links = {"ipv4": str(gateways.link)} | ({} if gateways.link_v6 is None else {"ipv6": str(gateways.link_v6)})
    return replace(
        to_firewalls,
        port=gateways.port,
        links={family: links[family] for family in FAMILIES if family in links},
        gateways={FAMILIES[each.version == 6]: str(each) for each in gateways.gateway},
    )


def _site(found: Boundary, to_firewalls: Zone, gateways: GatewaysIntent) -> Zone:
    """All zones that the firewalls have, and the link to them, by the address that they share there."""
    inside = [prefix for zone in found.zones if not zone.is_outside for prefix in _all(zone.addresses)]
    return Zone(
        SITE,
        gateways.inside,
        to_firewalls.links,
        of([*inside, *to_firewalls.links.values()]),
        {family: str(ip_network(link)[1]) for family, link in to_firewalls.links.items()},
    )


def _seen(row: Row) -> Iterator[Row]:
    """Of the matrix what crosses the gateways."""
    if OUTSIDE in (row.source_zone, row.destination_zone):
        source, destination = (zone if zone == OUTSIDE else SITE for zone in (row.source_zone, row.destination_zone))
        yield replace(row, source_zone=source, destination_zone=destination)


def _zone(place: int, zone: Zone, shared: Mapping[Family, str]) -> ZoneVars:
    """The address that both share, and the two after it."""
    own: dict[Family, tuple[str, ...]] = {}
    for family, link in zone.links.items():
        first, length = ip_address(shared[family]), ip_network(link).prefixlen
        own[family] = tuple(f"{first + number}/{length}" for number in (0, 1 + place, 2 - place))
    none = (None, None, None)
    v4, v6 = own.get("ipv4", none), own.get("ipv6", none)
    return ZoneVars(
        name=zone.name,
        port=zone.port,
        outside=zone.is_outside,
        router_id=FIRST_ROUTER_ID + (not zone.is_outside),
        address=v4[1],
        peer=None if v4[2] is None else v4[2].partition("/")[0],
        shared=v4[0],
        address_v6=v6[1],
        shared_v6=v6[0],
        published=(),
        sources=() if zone.is_outside else zone.addresses.get("ipv4", ()),
        sources_v6=() if zone.is_outside else zone.addresses.get("ipv6", ()),
        routes=tuple(routes(zone)),
    )

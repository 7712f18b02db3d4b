"""Rules of ways out: a default route ends at a machine, and servers that gateways relay DHCP to are reached.

A leaf answers as the hosts' gateway; what it has no route for, it drops. So a default route without machines that the
leaves are cabled to is refused, and so is a relay whose server no leaf, or no firewall, lets packets to.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.bonded_plane import DefaultRouteIntent
from nornir_tasks.intent.keys.boundary import BoundaryIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import kept_apart, zone_at, zone_of
from nornir_tasks.intent.rules.flow import OUTSIDE

ROUTER = "router"
"""What machines beyond a way out are called without a boundary, with a number behind."""
LONGEST_LINK, LONGEST_LINK_V6 = 29, 125
"""Room for the address that both machines share, their own, the gateway and those of both leaves."""
LEAVES = 2
"""Addresses of the leaves, right after the gateway's."""
DHCP_PORT = 67
"""That servers and relays listen on (RFC 2131, 4.1), of IPv6 547 (RFC 8415, 7.2)."""
DHCP_PORT_V6 = 547
Address = IPv4Address | IPv6Address


def ways_out(intent: Intent) -> Iterator[Finding]:
    """Every plane with a default route, and every relay."""
    for name, plane in intent.planes.items():
        if plane.default_route is not None and plane.default_route is not UNKNOWN:
            yield from independent(_leaves(name, intent), _link(name, intent), _vlan_name(name, plane))
        yield from independent(*(_relay(name, number, intent) for number in range(len(plane.dhcp_relay))))


def _at(plane: str, *path: str) -> Path:
    return ("planes", plane, "default_route", *path)


def _way(plane: PlaneIntent) -> DefaultRouteIntent:
    found = plane.default_route
    if found is None:
        raise AssertionError("asked of planes with a default route alone")
    return found


def _leaves(name: str, intent: Intent) -> Iterator[Finding]:
    """The machines are cabled to leaves that are there: those of a group that has leaves of its own."""
    owner = _way(intent.planes[name]).leaves_of
    own = [
        group
        for group, hosts in intent.hosts.items()
        if name in hosts.nics and hosts.nics[name].ports_of is None and hosts.nics[name].leaves_of is None
    ]
    if owner is not None and owner not in own:
        what = f"no group of hosts with leaves of its own on plane {name}"
        yield Finding(_at(name, "leaves_of"), what, as_shown(", ".join(own)) or "a group with NIC ports there", owner)


def _vlan_name(name: str, plane: PlaneIntent) -> Iterator[Finding]:
    if OUTSIDE in plane.vlans:
        what = "the name of the VLAN that hosts leave the site by"
        path: Path = ("planes", name, "vlans", OUTSIDE)
        yield Finding(path, what, "another name", OUTSIDE, also=_at(name))


def _link(name: str, intent: Intent) -> Iterator[Finding]:
    way, found = _way(intent.planes[name]), zone_of(intent, name)
    if found is not None:
        zone_name, zone = found
        for key in ("link", "link_v6"):
            if getattr(way, key) is not None:
                what, expected = "the addresses are those of the zone with this plane", f"no {key} here"
                yield Finding(_at(name, key), what, expected, str(getattr(way, key)), also=zone_at(zone_name))
        if zone.link is None:
            what, expected = "hosts of the plane have no next hop of IPv4", "link: an IPv4 subnet"
            yield Finding(zone_at(zone_name), what, expected, also=_at(name))
        yield from _room(zone_name, intent)
        return
    if intent.boundary is not None:
        what = "hosts would leave by a plane that is in no zone of the boundary: packets end at their leaf"
        expected = f"a zone with plane: {name}, or no default_route"
        yield Finding(_at(name), what, expected, also=("boundary", "zones"))
        return
    if ROUTER in intent.hosts:
        what = f"hosts would be called {ROUTER}-1 and on, as are the machines beyond the way out"
        yield Finding(("hosts", ROUTER), what, "another name", ROUTER, also=_at(name))
    if way.link is None:
        what, expected = "no machine has the address that leaves send to: packets end at the leaf", "link: a subnet"
        hint = "{leaves_of: GROUP, vlan: 390, link: 10.190.0.0/28}: .1 is the routers', .4 the leaves'"
        yield Finding(_at(name), what, expected, hint=hint)
    yield from _own_link(name, way, intent)


def _own_link(name: str, way: DefaultRouteIntent, intent: Intent) -> Iterator[Finding]:
    taken = [(path, pool) for path, pool in kept_apart(intent, but=None) if pool is not UNKNOWN]
    taken = [(path, pool) for path, pool in taken if path[:3] != _at(name)]
    for key, link, longest in (("link", way.link, LONGEST_LINK), ("link_v6", way.link_v6, LONGEST_LINK_V6)):
        if link is None:
            continue
        if link.prefixlen > longest:
            what, expected = "too small for both machines and both leaves", f"/{longest} or shorter"
            yield Finding(_at(name, key), what, expected, str(link))
        for there, pool in taken:
            if pool.version == link.version and pool.overlaps(link):
                what, expected = f"overlaps {dotted(there)}", f"addresses outside {pool}"
                yield Finding(_at(name, key), what, expected, str(link), also=there)


def _room(name: str, intent: Intent) -> Iterator[Finding]:
    """After the gateway's address come those of both leaves."""
    boundary = intent.boundary
    if boundary is None or boundary is UNKNOWN:
        return
    zone = boundary.zones[name]
    for number, gateway in enumerate(zone.gateway):
        link = zone.link if gateway.version == 4 else zone.link_v6
        last = None if link is None else int(link.broadcast_address) - (gateway.version == 4)
        if link is not None and last is not None and gateway in link and int(gateway) + LEAVES > last:
            expected = f"two addresses of {link} after it, which are the leaves' own"
            yield Finding((*zone_at(name, "gateway"), number), "no room for both leaves", expected, str(gateway))


def _relay(name: str, number: int, intent: Intent) -> Iterator[Finding]:
    """A server of a plane with bonds: one of the site, or beyond the way out of its fabric, by whom lets it pass."""
    plane = intent.planes[name]
    server, path = plane.dhcp_relay[number], ("planes", name, "dhcp_relay", number)
    there = [each for each, other in intent.planes.items() if (other.fabric, other.vrf) == (plane.fabric, plane.vrf)]
    pools = (pool for at, pool in kept_apart(intent, but=None) if at[0] == "planes" and at[1] in there)
    if plane.link != "bond" or any(_holds(pool, server) for pool in pools):
        return
    ways = [each for each in there if intent.planes[each].default_route is not None]
    if not ways:
        what = f"a server that no leaf of fabric {plane.fabric} has a route to: what is relayed ends there"
        expected = "an address of a plane on this fabric, or default_route on one of them"
        yield Finding(path, what, expected, str(server), also=("planes", name, "fabric"))
    elif ways[0] != name:
        what = f"the way out of plane {ways[0]} is for its own addresses: what is relayed for {name} ends there"
        yield Finding(path, what, "a server in the site", str(server), also=_at(ways[0]))
    elif intent.boundary is not None:
        yield from _past_firewalls(name, server, path, intent, intent.boundary)


def _past_firewalls(
    name: str, server: Address, path: Path, intent: Intent, boundary: BoundaryIntent
) -> Iterator[Finding]:
    """Each group of hosts has its gateway's requests let through, by a flow of its own or of the whole zone."""
    found = zone_of(intent, name)
    if found is None:
        return
    port = DHCP_PORT if server.version == 4 else DHCP_PORT_V6
    services = {
        key for key, each in boundary.services.items() if any(first <= port <= last for first, last in each.udp)
    }
    there = _names_of(server, boundary)
    sources = {each.source for each in boundary.flows if each.destination in there and services & {*each.services}}
    groups = [group for group, hosts in intent.hosts.items() if name in hosts.nics]
    missing = [] if found[0] in sources else [group for group in groups if group not in sources]
    if missing:
        what = f"the firewalls refuse what is relayed for {', '.join(missing)}"
        expected = f"a flow from {found[0]} to {' or '.join(sorted(there))} with udp: {port}"
        flow = f"{{source: {found[0]}, destination: {min(there)}, services: [dhcp]}}"
        hint = f"services: {{dhcp: {{udp: {port}}}}}, flows: [{flow}]"
        yield Finding(path, what, expected, str(server), hint, ("boundary", "flows"))


def _names_of(server: Address, boundary: BoundaryIntent) -> set[str]:
    """What a flow to this server may call its end."""
    zones = {
        name
        for name, zone in boundary.zones.items()
        if name != OUTSIDE and any(_holds(link, server) for link in (zone.link, zone.link_v6))
    }
    if zones:
        return zones
    named = {name for name, prefixes in boundary.networks.items() if any(_holds(each, server) for each in prefixes)}
    return named | {OUTSIDE}


def _holds(prefix: object, address: Address) -> bool:
    return getattr(prefix, "version", None) == address.version and address in prefix  # type: ignore[operator]

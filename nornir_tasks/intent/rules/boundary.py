"""Rules of the boundary's zones, ports and addresses; those of what passes are in boundary_flow_rules."""

from collections.abc import Iterator
from itertools import combinations, product

from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.boundary import (
    BoundaryIntent,
    BoundaryServiceIntent,
    HealthIntent,
    UpstreamIntent,
    ZoneIntent,
)
from nornir_tasks.intent.keys.boundary_relay import RelayProxyIntent, RelaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import (
    boundary_balancer,
    boundary_egress,
    boundary_flow,
    boundary_gateway,
    boundary_relay,
    edge,
)
from nornir_tasks.intent.rules.boundary_names import all_links, kept_apart, links_of, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.intent.rules.oob_devices import of_trees

TOP: Path = ("boundary",)
LONGEST_LINK = 29
"""Length of an IPv4 link at most: the firewalls have three addresses of it, bastions two."""
LONGEST_LINK_V6 = 125
LONGEST_SYNC = 30
"""Of the cable between both."""
OWN_ON_LINK, NEIGHBOURS = 3, 4
"""Addresses of a link that are the firewalls', and the first one that is a neighbour's."""


def boundary(intent: Intent) -> Iterator[Finding]:
    """Everything that concerns the boundary, if there is one."""
    each = intent.boundary
    if each is None:
        return
    yield from independent(
        _outside(each),
        *(_zone(name, zone, intent) for name, zone in each.zones.items()),
        _ports(each),
        _sync(each),
        _prefixes(each, intent),
        *(_upstream(name, upstream, intent) for name, upstream in each.upstreams.items()),
        boundary_egress.egress(each, intent),
        boundary_flow.passes(each, intent),
        boundary_balancer.balancers(each),
        boundary_gateway.gateways(each),
        edge.edges(each, intent),
        boundary_relay.relays(each, intent),
    )


def _outside(each: BoundaryIntent) -> Iterator[Finding]:
    if OUTSIDE not in each.zones:
        found = as_shown(", ".join(each.zones))
        yield Finding((*TOP, "zones"), "no zone is the outside world", f"one called {OUTSIDE}", found)
    elif each.zones[OUTSIDE].plane is not None:
        path = zone_at(OUTSIDE, "plane")
        yield Finding(path, "the outside world is no plane", "no plane", as_shown(each.zones[OUTSIDE].plane))
    if sum(zone.port is not None for zone in each.zones.values()) < 2:
        yield Finding((*TOP, "zones"), "firewalls between fewer than two zones", "two zones with a port")


def _zone(name: str, zone: ZoneIntent, intent: Intent) -> Iterator[Finding]:
    if name in intent.hosts or name in intent.boundary.networks:  # type: ignore[union-attr]
        yield Finding(zone_at(name), "a zone called like hosts or a network", "another name", name)
    yield from independent(_plane_of(name, zone, intent), _links_of(name, zone, intent), _unreached(name, zone, intent))


def _plane_of(name: str, zone: ZoneIntent, intent: Intent) -> Iterator[Finding]:
    if zone.plane is None:
        return
    path = zone_at(name, "plane")
    if zone.plane not in intent.planes:
        yield Finding(path, "no such plane", as_shown(", ".join(intent.planes)), zone.plane)
    elif zone.plane not in of_trees(intent) and not intent.planes[zone.plane].default_route:
        expected, also = "a plane with default_route, or an out-of-band plane", ("planes", zone.plane)
        yield Finding(path, "a plane that is never reached from outside", expected, zone.plane, also=also)
    zones = intent.boundary.zones  # type: ignore[union-attr]
    before = next(one for one in zones if zones[one].plane == zone.plane)
    if before != name:
        there = zone_at(before, "plane")
        yield Finding(path, "a plane that is in two zones", "each plane in one", zone.plane, also=there)


def _links_of(name: str, zone: ZoneIntent, intent: Intent) -> Iterator[Finding]:
    if zone.plane in of_trees(intent):
        for key in ("port", "link", "link_v6", "gateway"):
            if getattr(zone, key) not in (None, ()):
                hint = "people reach it by the bastions, which have ports of their own on it"
                what, expected = "the out-of-band plane would be joined to other zones", f"no {key}"
                yield Finding(zone_at(name, key), what, expected, as_shown(getattr(zone, key)), hint)
        return
    if zone.port is None:
        yield Finding(zone_at(name), "a zone that the firewalls have no port to", "port, and link or link_v6")
    if zone.link is None and zone.link_v6 is None:
        yield Finding(zone_at(name), "a zone without addresses", "link, link_v6, or both")
    for key, link, longest in (("link", zone.link, LONGEST_LINK), ("link_v6", zone.link_v6, LONGEST_LINK_V6)):
        if link is not None and link.prefixlen > longest:
            what, expected = "too small for both firewalls and their neighbours", f"/{longest} or shorter"
            yield Finding(zone_at(name, key), what, expected, str(link))
    yield from _gateways(name, zone)


def _gateways(name: str, zone: ZoneIntent) -> Iterator[Finding]:
    families = [each.version for each in zone.gateway]
    for number, each in enumerate(zone.gateway):
        link = zone.link if each.version == 4 else zone.link_v6
        path = (*zone_at(name, "gateway"), number)
        if link is None or each not in link:
            yield Finding(path, "a gateway that is not on the link", f"an address of {link or 'a link'}", str(each))
        elif int(each) - int(link.network_address) <= OWN_ON_LINK:
            expected = f"{link.network_address + NEIGHBOURS} or above"
            yield Finding(path, "an address that the firewalls have themselves", expected, str(each))
        if families.index(each.version) != number:
            yield Finding(path, "a second gateway of one family", "one of each family at most", str(each))


def _unreached(name: str, zone: ZoneIntent, intent: Intent) -> Iterator[Finding]:
    """What lies behind a link has a next hop: the outside world, and the pools of a plane."""
    behind: dict[int, str] = {}
    if name == OUTSIDE and intent.boundary.edge is None:  # type: ignore[union-attr]
        # With edge routers the gateway is what both share (edge_rules).
        behind = {4: "the outside world", 6: "the outside world"}
    elif zone.plane in intent.planes and zone.plane not in of_trees(intent):
        pools = [pool for path, pool in kept_apart(intent, but=None) if path[:2] == ("planes", zone.plane)]
        behind = {pool.version: f"pools of {zone.plane}" for pool in pools if pool is not UNKNOWN}
    for link in links_of(zone):
        if link.version in behind and link.version not in {each.version for each in zone.gateway}:
            what = f"no way to {behind[link.version]} by IPv{link.version}"
            expected = f"a gateway of {link}, from {link.network_address + NEIGHBOURS} on"
            yield Finding(zone_at(name, "gateway"), what, expected, as_shown(", ".join(map(str, zone.gateway))))


def _ports(each: BoundaryIntent) -> Iterator[Finding]:
    """A port is in one place; that of management in none that packets are forwarded to."""
    places = [(zone_at(name, "port"), zone.port) for name, zone in each.zones.items() if zone.port is not None]
    firewalls: Path = (*TOP, "firewalls")
    places.append(((*firewalls, "sync", "port"), each.firewalls.sync.port))
    places.append(((*firewalls, "management", "port"), each.firewalls.management.port))
    for (before, one), (path, other) in combinations(places, 2):
        if one == other:
            yield Finding(path, f"the port of {dotted(before)}", "a port of its own", other, also=before)


def _sync(each: BoundaryIntent) -> Iterator[Finding]:
    link = each.firewalls.sync.link
    if link.prefixlen > LONGEST_SYNC:
        path: Path = (*TOP, "firewalls", "sync", "link")
        yield Finding(path, "too small for both firewalls", f"/{LONGEST_SYNC} or shorter", str(link))


def _prefixes(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Links, networks and pools of NAT have addresses of their own, and no plane's that is kept apart."""
    own = list(all_links(each))
    known = [(path, pool) for path, pool in kept_apart(intent, but=None) if pool is not UNKNOWN]
    networks = [
        ((*TOP, "networks", name, number), network)
        for name, prefixes in each.networks.items()
        for number, network in enumerate(prefixes)
    ]
    hint = "compute, storage and out-of-band planes are never joined to the outside world"
    for path, network in (*own, *networks):
        for there, pool in known:
            if network.version == pool.version and network.overlaps(pool):
                what, expected = f"overlaps {dotted(there)}", f"addresses outside {pool}"
                yield Finding(path, what, expected, str(network), hint, there)
    pairs = [*combinations(own, 2), *product(own, networks)]
    for (before, one), (path, other) in pairs:
        if one.version == other.version and one.overlaps(other):
            yield Finding(path, f"overlaps {dotted(before)}", f"addresses outside {one}", str(other), also=before)


def _upstream(name: str, each: UpstreamIntent, intent: Intent) -> Iterator[Finding]:
    path: Path = (*TOP, "upstreams", name)
    if each.inbound is None:
        expected = "inbound: {takes: default, max_prefixes: 10}"
        hint = "whatever it announces by mistake would be believed: the site's own prefixes, everybody's routes"
        yield Finding(path, "an upstream without a filter of what it announces", expected, hint=hint)
    if not each.outbound:
        hint = "all routes of the site would be announced, those of compute and storage among them"
        yield Finding(path, "an upstream without a filter of what is announced to it", "outbound: [prefix]", hint=hint)
    for number, prefix in enumerate(each.outbound):
        for there, pool in kept_apart(intent, but=None):
            if prefix.version == pool.version and prefix.overlaps(pool):
                what, expected = f"would announce {dotted(there)}", f"prefixes outside {pool}"
                yield Finding((*path, "outbound", number), what, expected, str(prefix), also=there)
    if each.asn == each.local_asn:
        yield Finding((*path, "asn"), "the site's own AS number", "the upstream's", str(each.asn))


def service(each: BoundaryServiceIntent) -> Iterator[Finding]:
    """A service without a port is none."""
    if not each.tcp and not each.udp and not each.ping:
        yield Finding((), "a service without ports", "tcp: 443, udp: 53, ping: true, or several of them")


def health(each: HealthIntent) -> Iterator[Finding]:
    """Only HTTP knows paths, and needs one."""
    if each.check == "http" and each.path is None:
        yield Finding(("check",), "no path to ask for", "path: /healthz beside it, or check: tcp", each.check)
    if each.check == "tcp" and each.path is not None:
        yield Finding(("path",), "a path of a check that asks for none", "check: http, or no path", each.path)


def proxy(each: RelayProxyIntent) -> Iterator[Finding]:
    """Nothing is said twice, and a port is either for tunnels or for plain HTTP."""
    for number, name in enumerate(each.destinations):
        others = (*each.destinations[:number], *(one for one in each.destinations[number + 1 :] if one != name))
        covering = next((one for one in others if name == one or _is_below(name, one)), None)
        if covering is not None:
            yield Finding(("destinations", number), f"in {covering} already", "each name once", name)
    if not each.ports and not each.plain_ports:
        yield Finding(("ports",), "a proxy to no port", "ports: 443")
    for first, last in each.plain_ports:
        if any(first <= end and start <= last for start, end in each.ports):
            what, found = "ports of tunnels as well", str(first) if first == last else f"{first}-{last}"
            yield Finding(("plain_ports",), what, "ports that tunnels are not opened to", found)


def _is_below(name: str, suffix: str) -> bool:
    return suffix.startswith(".") and (name.endswith(suffix) or name == suffix[1:])


def relays(each: RelaysIntent) -> Iterator[Finding]:
    """Relays do something."""
    if each.dns is None and each.ntp is None and each.proxy is None:
        yield Finding((), "relays of nothing", "dns: {...}, ntp: {...}, proxy: {...}, or several of them")

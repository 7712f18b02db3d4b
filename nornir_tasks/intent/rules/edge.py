"""Rules of the edge routers and their links to upstreams; of bogons, which are in the catalogue: design/edges."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.boundary import BoundaryIntent, UpstreamIntent
from nornir_tasks.intent.keys.edge import EdgeIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import EDGE_LOOPBACK, Network, kept_apart, links_of, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE

AT: Path = ("boundary", "edge")
EDGES = 2
LONGEST = {4: 24, 6: 48}
"""Length of what networks take from one another (NLNOG/bgpfilterguide at a3934ac2, guides/small_prefixes.md)."""
OF_EDGES = ("edge", "port", "speed", "addresses")
GUARDS = ("md5", "ao")


def edges(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Everything that concerns edge routers, and what speaks of them where there are none."""
    if each.edge is None:
        yield from independent(*(_without(name, upstream) for name, upstream in each.upstreams.items()))
        return
    yield from independent(
        _loopbacks(each.edge, intent),
        _gateways(each),
        _names(each.edge, intent),
        _one_as(each),
        _both_used(each),
        *(_link(name, upstream) for name, upstream in each.upstreams.items()),
        *(_signed(name, upstream) for name, upstream in each.upstreams.items()),
        _links_apart(each, intent),
        *(_aggregates(name, upstream, each) for name, upstream in each.upstreams.items()),
    )


def own_links(each: BoundaryIntent) -> Iterator[tuple[Path, Network]]:
    """Subnets of the links to upstreams, with their places."""
    for name, upstream in each.upstreams.items():
        for number, address in enumerate(upstream.addresses):
            yield (*_at(name), "addresses", number), address.network


def inside(each: BoundaryIntent) -> Iterator[Network]:
    """What lies behind the firewalls under addresses that may be announced: links of zones without a plane, NAT."""
    for name, zone in each.zones.items():
        if name != OUTSIDE and zone.plane is None:
            yield from links_of(zone)
    yield from (rule.pool for rule in each.egress.values())


def _at(name: str) -> Path:
    return ("boundary", "upstreams", name)


def _without(name: str, upstream: UpstreamIntent) -> Iterator[Finding]:
    for key in (*OF_EDGES, *GUARDS):
        if getattr(upstream, key) not in (None, ()):
            expected = "edge: {platform, release, model} of the boundary beside it, or no such key"
            yield Finding((*_at(name), key), "a link of edge routers, which the boundary has none of", expected)


def _loopbacks(edge: EdgeIntent, intent: Intent) -> Iterator[Finding]:
    if edge.loopback.prefixlen > 31:
        yield Finding(EDGE_LOOPBACK, "too small for both routers", "/31 or shorter", str(edge.loopback))
    for there, pool in kept_apart(intent, but=None):
        if there != EDGE_LOOPBACK and pool.version == 4 and pool.overlaps(edge.loopback):
            what, expected = f"overlaps {dotted(there)}", f"addresses outside {pool}"
            yield Finding(EDGE_LOOPBACK, what, expected, str(edge.loopback), also=there)


def _gateways(each: BoundaryIntent) -> Iterator[Finding]:
    """The firewalls' next hop is what both routers share."""
    zone = each.zones.get(OUTSIDE)
    if zone is None:
        return
    for key, link, version in (("link", zone.link, 4), ("link_v6", zone.link_v6, 6)):
        there = [address for address in zone.gateway if address.version == version]
        if link is not None and not there:
            hint = "the firewalls' way outside: an address that both edge routers answer at"
            expected = f"an address of {link} and two more after it"
            yield Finding(zone_at(OUTSIDE, "gateway"), f"no gateway of {key}", expected, hint=hint)
        last = None if link is None else int(link.broadcast_address) - (version == 4)
        if there and last is not None and int(there[0]) + EDGES > last:
            expected = f"an address with two more after it in {link}: the routers' own"
            yield Finding(zone_at(OUTSIDE, "gateway"), "no room for both edge routers", expected, str(there[0]))


def _names(edge: EdgeIntent, intent: Intent) -> Iterator[Finding]:
    path, mine = (*AT, "name_prefix"), edge.name_prefix
    for kind, names in (("fabrics", list(intent.fabrics)), ("planes", list(intent.planes))):
        for name in names:
            if f"{name}-".startswith(f"{mine}-") or f"{mine}-".startswith(f"{name}-"):
                hint = "what names of objects on switches begin with says whose they are"
                yield Finding(path, f"begins as {kind}.{name} does", "another prefix", mine, hint, (kind, name))
    for name in intent.hosts:
        if name == mine:
            yield Finding(path, "hosts have these names", "another prefix", mine, also=("hosts", name))
    for name, fabric in intent.fabrics.items():
        if fabric.name_prefix == mine:
            yield Finding(path, "switches of a fabric have these names", "another prefix", mine, also=("fabrics", name))


def _one_as(each: BoundaryIntent) -> Iterator[Finding]:
    first: tuple[str, int] | None = None
    for name, upstream in each.upstreams.items():
        first = first or (name, upstream.local_asn)
        if upstream.local_asn != first[1]:
            hint = "both routers are one network, and would not know their own announcements any more"
            what, also = "a second AS number of the edge routers", (*_at(first[0]), "local_asn")
            path = (*_at(name), "local_asn")
            yield Finding(path, what, str(first[1]), str(upstream.local_asn), hint, also)


def _both_used(each: BoundaryIntent) -> Iterator[Finding]:
    used = {upstream.edge for upstream in each.upstreams.values()}
    for number in range(1, EDGES + 1):
        if number not in used:
            expected, hint = f"edge: {number} of some upstream", "one router's end would be the end of all ways outside"
            yield Finding(("boundary", "upstreams"), f"edge router {number} has no upstream", expected, hint=hint)


def _link(name: str, upstream: UpstreamIntent) -> Iterator[Finding]:
    examples = dict(zip(OF_EDGES, ("1", "2", "10G", "[198.51.100.2/30]"), strict=True))
    for key, example in examples.items():
        if getattr(upstream, key) in (None, ()):
            yield Finding(_at(name), "a link of edge routers that is not described", f"{key}: {example}")
    for number, peer in enumerate(upstream.peers):
        mine = [each for each in upstream.addresses if each.version == peer.version and peer in each.network]
        if upstream.addresses and not mine:
            expected = "in the subnet of one of addresses"
            yield Finding((*_at(name), "peers", number), "a router that is not on the link", expected, str(peer))
        elif any(peer == each.ip for each in mine):
            yield Finding((*_at(name), "peers", number), "the site's own address", "the upstream's", str(peer))
    for number, address in enumerate(upstream.addresses):
        peers = [peer for peer in upstream.peers if peer in address.network]
        families = [each.version for each in upstream.addresses]
        if len(peers) != 1:
            what, expected = "a subnet without just one router of the upstream", "one of peers in it"
            yield Finding((*_at(name), "addresses", number), what, expected, str(address))
        if families.index(address.version) != number:
            what, expected = "a second address of one family", "one of each family at most"
            yield Finding((*_at(name), "addresses", number), what, expected, str(address))
        if not any(each.version == address.version for each in upstream.outbound):
            what = f"an address of IPv{address.version}, and nothing of it is announced"
            expected = f"a prefix of IPv{address.version} in outbound, or no such address and peer"
            yield Finding((*_at(name), "addresses", number), what, expected, str(address))


def _signed(name: str, upstream: UpstreamIntent) -> Iterator[Finding]:
    if upstream.md5 is not None and upstream.ao is not None:
        hint = "a segment is signed in one way alone (RFC 5925, 2.2)"
        yield Finding(
            (*_at(name), "ao"),
            "a second signature of the same segments",
            "one of md5 and ao",
            hint=hint,
            also=(*_at(name), "md5"),
        )


def _links_apart(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    links = list(own_links(each))
    others = [(zone_at(name), link) for name, zone in each.zones.items() for link in links_of(zone)]
    others += list(kept_apart(intent, but=None))
    pairs = [*combinations(links, 2), *((other, link) for link in links for other in others)]
    for (before, one), (path, other) in pairs:
        if one.version == other.version and one.overlaps(other):
            yield Finding(path, f"overlaps {dotted(before)}", f"addresses outside {one}", str(other), also=before)


def _aggregates(name: str, upstream: UpstreamIntent, each: BoundaryIntent) -> Iterator[Finding]:
    there = list(inside(each))
    for number, prefix in enumerate(upstream.outbound):
        path, most = (*_at(name), "outbound", number), LONGEST[prefix.version]
        if prefix.prefixlen > most:
            hint = "others take nothing longer"
            yield Finding(path, "too long to be announced", f"/{most} or shorter", str(prefix), hint)
        if not any(_is_in(one, prefix) for one in there):
            hint = "it is announced while something of it is reached, and would never be"
            what, expected = "nothing behind the firewalls is in it", "a zone's link or a pool of egress in it"
            yield Finding(path, what, expected, str(prefix), hint)


def _is_in(one: Network, prefix: Network) -> bool:
    if isinstance(one, IPv4Network):
        return isinstance(prefix, IPv4Network) and one.subnet_of(prefix)
    return not isinstance(prefix, IPv4Network) and one.subnet_of(prefix)

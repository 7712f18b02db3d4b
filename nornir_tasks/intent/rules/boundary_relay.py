"""Rules of the relays: where they are, whose addresses they have, whom they serve, and whom they ask."""

from collections.abc import Iterator
from ipaddress import ip_network

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.boundary import BoundaryIntent
from nornir_tasks.intent.keys.boundary_relay import RelaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import boundary_egress, boundary_flow
from nornir_tasks.intent.rules.boundary_names import kept_apart, links_of, of_each_family, on_link, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE

HERE: Path = ("boundary", "relays")


def relays(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Everything that concerns them, if there are any."""
    own = each.relays
    if own is not None:
        yield from independent(
            _placed(own, each),
            _leave_private(own, each),
            _clients(own, each, intent),
            _far_ends(own, each, intent),
        )


def _clients(own: RelaysIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    for number, name in enumerate(own.clients):
        path: Path = (*HERE, "clients", number)
        if name == OUTSIDE or name in each.networks:
            hint = (
                "any host there would get names, time and pages by the site's addresses, and others' traffic amplified"
            )
            yield Finding(path, "the outside world as a client", "zones, or groups of hosts", name, hint)
        else:
            yield from boundary_flow.end(path, name, each, intent, without=(OUTSIDE, *each.networks))


def _placed(own: RelaysIntent, each: BoundaryIntent) -> Iterator[Finding]:
    path: Path = (*HERE, "zone")
    known = [name for name, zone in each.zones.items() if not zone.plane and zone.port and name != OUTSIDE]
    if own.zone not in known:
        expected = "one with a port and no plane, as dmz"
        yield Finding(path, "a zone that relays cannot be in", expected, own.zone)
        return
    zone = each.zones[own.zone]
    if zone.link is None:
        expected = "link: of IPv4 there, which every host has"
        yield Finding(path, "a zone that hosts without IPv6 do not reach", expected, own.zone, also=zone_at(own.zone))
    links = links_of(zone)
    yield from on_link((*HERE, "addresses"), own.addresses, own.zone, links, _taken(each))
    yield from of_each_family((*HERE, "addresses"), own.addresses, own.zone, links, 2, "relay-1's and relay-2's")
    if own.proxy is not None:
        at: Path = (*HERE, "proxy", "addresses")
        taken = {**_taken(each), **{address: (*HERE, "addresses", n) for n, address in enumerate(own.addresses)}}
        yield from on_link(at, own.proxy.addresses, own.zone, links, taken)
        yield from of_each_family(at, own.proxy.addresses, own.zone, links, 1, "the one that both share,")


def _leave_private(own: RelaysIntent, each: BoundaryIntent) -> Iterator[Finding]:
    """Relays open connections to addresses of everybody, so they have one that can be answered."""
    zone = each.zones.get(own.zone)
    link = None if zone is None or zone.plane else zone.link
    covered = {source for rule in each.egress.values() for source in rule.sources}
    if link is None or not boundary_egress.is_private(link) or own.zone in covered:
        return
    far = (*(() if own.dns is None else own.dns.forwarders), *(() if own.ntp is None else own.ntp.servers))
    public = [one for one in far if one.version == 4 and not boundary_egress.is_private(ip_network(str(one)))]
    if own.proxy is not None or public:
        expected = f"egress: {{NAME: {{sources: [{own.zone}], pool: ...}}}} of the boundary"
        hint, also = "no host outside could answer", zone_at(own.zone, "link")
        yield Finding((*HERE, "zone"), "would leave with private addresses", expected, str(link), hint, also)


def _taken(each: BoundaryIntent) -> dict[HostAddress, Path]:
    found: dict[HostAddress, Path] = {}
    for name, one in each.published.items():
        for number, address in enumerate(one.addresses):
            found[address] = ("boundary", "published", name, "addresses", number)
    for number, address in enumerate(() if each.balancers is None else each.balancers.addresses):
        found[address] = ("boundary", "balancers", "addresses", number)
    return found


def _far_ends(own: RelaysIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Who is asked is outside, and the relays have an address of its family."""
    lists: list[tuple[Path, tuple[HostAddress, ...]]] = []
    if own.dns is not None:
        lists.append(((*HERE, "dns", "forwarders"), own.dns.forwarders))
    if own.ntp is not None:
        lists.append(((*HERE, "ntp", "servers"), own.ntp.servers))
    inside = [(path, pool) for path, pool in kept_apart(intent, but=None) if pool is not UNKNOWN]
    for name, zone in each.zones.items():
        inside += [(zone_at(name), link) for link in links_of(zone) if name != OUTSIDE]
    families = {address.version for address in own.addresses}
    for path, addresses in lists:
        for number, address in enumerate(addresses):
            at: Path = (*path, number)
            for there, pool in inside:
                if address in pool:
                    what, expected = f"an address of {dotted(there)}", "one outside, whom the relays ask"
                    yield Finding(at, what, expected, str(address), also=there)
            if address.version not in families:
                expected = f"IPv{min(families)}, which the relays have"
                yield Finding(at, f"no relay has IPv{address.version}", expected, str(address))
            if address in addresses[:number]:
                yield Finding(at, "an address twice", "each once", str(address))

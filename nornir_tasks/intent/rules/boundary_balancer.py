"""Rules of the load balancers: where they are, what is theirs, and what they do for published services."""

from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.boundary import BalancersIntent, BoundaryIntent, PublishedIntent
from nornir_tasks.intent.rules.boundary_names import Network, links_of, of_each_family, on_link, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE

TOP: Path = ("boundary",)
HERE: Path = (*TOP, "balancers")


def balancers(each: BoundaryIntent) -> Iterator[Finding]:
    """What the balancers are, and what is asked of them."""
    yield from independent(
        *(_needs_of_balancers(name, one, each) for name, one in each.published.items()), _placed(each)
    )


def _needs_of_balancers(name: str, one: PublishedIntent, each: BoundaryIntent) -> Iterator[Finding]:
    path: Path = (*TOP, "published", name)
    for key, what in (
        ("tls", "TLS without a balancer to end it"),
        ("proxy", "a protocol without a balancer that speaks it"),
    ):
        if getattr(one, key) and each.balancers is None:
            yield Finding((*path, key), what, "balancers: {...} of the boundary, who do that")
    for first, last in one.tls:
        if (first, last) not in one.tcp:
            expected = ", ".join(_ports(each) for each in one.tcp)
            yield Finding((*path, "tls"), "none of its ports", expected, _ports((first, last)))


def _placed(each: BoundaryIntent) -> Iterator[Finding]:
    own = each.balancers
    if own is None:
        return
    if not each.published:
        yield Finding(HERE, "balancers of nothing", "published: {...}, or no balancers")
    if own.zone == OUTSIDE or own.zone not in {
        name for name, zone in each.zones.items() if not zone.plane and zone.port
    }:
        yield Finding(
            (*HERE, "zone"), "a zone that balancers cannot be in", "one with a port and no plane, as dmz", own.zone
        )
        return
    zone = each.zones[own.zone]
    links = links_of(zone)
    yield from _published_there(each, own.zone, links)
    yield from _of_firewalls(own) if own.at == "firewalls" else _own(own, links, each)


def _of_firewalls(own: BalancersIntent) -> Iterator[Finding]:
    for key in ("port", "addresses"):
        if getattr(own, key):
            what, expected = "the firewalls have theirs in the zone", f"no {key}, or at: machines"
            yield Finding((*HERE, key), what, expected, as_shown(getattr(own, key)))


def _published_there(each: BoundaryIntent, zone: str, links: tuple[Network, ...]) -> Iterator[Finding]:
    for name, one in each.published.items():
        for number, address in enumerate(one.addresses):
            if not any(address in link for link in links):
                path: Path = (*TOP, "published", name, "addresses", number)
                expected = f"an address of {' or '.join(map(str, links))}"
                yield Finding(path, "not where the balancers are", expected, str(address), also=zone_at(zone))


def _own(own: BalancersIntent, links: tuple[Network, ...], each: BoundaryIntent) -> Iterator[Finding]:
    if own.port is None:
        yield Finding(HERE, "balancers without a port", "port: dmz, or at: firewalls")
    if all(link.version == 6 for link in links):
        what, expected = "servers are reached by IPv4, which the zone's link has not", "a zone with link"
        yield Finding((*HERE, "zone"), what, expected, own.zone, also=zone_at(own.zone))
    taken = {
        address: (*TOP, "published", name, "addresses", number)
        for name, one in each.published.items()
        for number, address in enumerate(one.addresses)
    }
    yield from on_link((*HERE, "addresses"), own.addresses, own.zone, links, taken)
    yield from of_each_family((*HERE, "addresses"), own.addresses, own.zone, links, 2, "balancer-1's and balancer-2's")


def _ports(each: tuple[int, int]) -> str:
    first, last = each
    return str(first) if first == last else f"{first}-{last}"

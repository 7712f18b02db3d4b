"""Rules of the load balancers: where they are, what is theirs, and what they do for published services."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nornir_tasks.intent.boundary_names import Network, links_of, zone_at
from nornir_tasks.intent.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.flow_rules import OUTSIDE
from nornir_tasks.intent.unknown import independent

if TYPE_CHECKING:
    from nornir_tasks.intent.boundary_model import BalancersIntent, BoundaryIntent, PublishedIntent

TOP: Path = ("boundary",)
HERE: Path = (*TOP, "balancers")
FIRST_FREE = 6
"""Place on a link of the first address that is neither the firewalls' nor a bastion's."""


def balancers(each: "BoundaryIntent") -> Iterator[Finding]:
    """What the balancers are, and what is asked of them."""
    yield from independent(
        *(_needs_of_balancers(name, one, each) for name, one in each.published.items()), _placed(each)
    )


def _needs_of_balancers(name: str, one: "PublishedIntent", each: "BoundaryIntent") -> Iterator[Finding]:
    path: Path = (*TOP, "published", name)
    for key, what in (("tls", "TLS that nobody ends"), ("proxy", "a protocol that nobody speaks to the servers")):
        if getattr(one, key) and each.balancers is None:
            yield Finding((*path, key), what, "balancers: {...} of the boundary, who do that")
    for first, last in one.tls:
        if (first, last) not in one.tcp:
            expected = ", ".join(_ports(each) for each in one.tcp)
            yield Finding((*path, "tls"), "none of its ports", expected, _ports((first, last)))


def _placed(each: "BoundaryIntent") -> Iterator[Finding]:
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


def _of_firewalls(own: "BalancersIntent") -> Iterator[Finding]:
    for key in ("port", "addresses"):
        if getattr(own, key):
            what, expected = "the firewalls have theirs in the zone", f"no {key}, or at: machines"
            yield Finding((*HERE, key), what, expected, as_shown(getattr(own, key)))


def _published_there(each: "BoundaryIntent", zone: str, links: tuple[Network, ...]) -> Iterator[Finding]:
    for name, one in each.published.items():
        for number, address in enumerate(one.addresses):
            if not any(address in link for link in links):
                path: Path = (*TOP, "published", name, "addresses", number)
                expected = f"an address of {' or '.join(map(str, links))}"
                yield Finding(path, "not where the balancers are", expected, str(address), also=zone_at(zone))


def _own(own: "BalancersIntent", links: tuple[Network, ...], each: "BoundaryIntent") -> Iterator[Finding]:
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
    for number, address in enumerate(own.addresses):
        path: Path = (*HERE, "addresses", number)
        link = next((link for link in links if address in link), None)
        if link is None:
            expected = f"an address of {' or '.join(map(str, links))}"
            yield Finding(path, "not on the zone's link", expected, str(address), also=zone_at(own.zone))
        elif not FIRST_FREE <= int(address) - int(link.network_address) < link.num_addresses - 1:
            expected = f"from {link[FIRST_FREE]} on, below {link.broadcast_address}"
            also = zone_at(own.zone)
            yield Finding(path, "an address that firewalls or bastions have", expected, str(address), also=also)
        if address in own.addresses[:number]:
            yield Finding(path, "an address of both balancers", "one for each", str(address))
        if address in taken:
            what, expected = f"the address of {dotted(taken[address][:3])}", "one of the balancer itself"
            yield Finding(path, what, expected, str(address), also=taken[address])
    for link in links:
        found = [str(address) for address in own.addresses if address.version == link.version]
        if len(found) != 2:
            what, expected = f"not two of IPv{link.version}", "balancer-1's and balancer-2's of each family of the link"
            yield Finding((*HERE, "addresses"), what, expected, as_shown(", ".join(found)), also=zone_at(own.zone))


def _ports(each: tuple[int, int]) -> str:
    first, last = each
    return str(first) if first == last else f"{first}-{last}"

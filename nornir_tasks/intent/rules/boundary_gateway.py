"""Rules of the gateways that are machines of their own: ports, addresses on both links, what they are for."""

from collections.abc import Iterator
from itertools import combinations

from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.boundary import BoundaryIntent, GatewaysIntent, ZoneIntent
from nornir_tasks.intent.rules.boundary_names import Network, zone_at
from nornir_tasks.intent.rules.flow import OUTSIDE

HERE: Path = ("boundary", "gateways")
LONGEST = {4: 29, 6: 125}
"""Length of a link at most: three addresses are the gateways', two the edge routers'."""
LONGEST_SYNC = 30
OWN = 3
"""Addresses of a link that are the gateways'."""


def gateways(each: BoundaryIntent) -> Iterator[Finding]:
    """Everything that concerns them, if there are any."""
    own = each.gateways
    if own is None:
        return
    yield from independent(_needed(each), _ports(own), _links(own), _next_hops(own), _inside(own, each))


def _needed(each: BoundaryIntent) -> Iterator[Finding]:
    if not each.egress:
        yield Finding(HERE, "gateways that translate nothing", "egress: {...}, or no gateways")
    if each.edge is not None:
        what = "edge routers of this site beside gateways of their own"
        hint = "which link joins them is in no design of this tool"
        expected = "no gateways, so that the firewalls translate, or edge routers that are others'"
        yield Finding(HERE, what, expected, hint=hint, also=("boundary", "edge"))


def _ports(own: GatewaysIntent) -> Iterator[Finding]:
    places: list[tuple[Path, str]] = [((*HERE, "inside"), own.inside), ((*HERE, "port"), own.port)]
    places += [((*HERE, "management", "port"), own.management.port), ((*HERE, "sync", "port"), own.sync.port)]
    for (before, one), (path, other) in combinations(places, 2):
        if one == other:
            yield Finding(path, f"the port of {dotted(before)}", "a port of its own", other, also=before)


def _links(own: GatewaysIntent) -> Iterator[Finding]:
    for key, link in (("link", own.link), ("link_v6", own.link_v6)):
        if link is not None and link.prefixlen > LONGEST[link.version]:
            what, expected = "too small for both gateways and both edge routers", f"/{LONGEST[link.version]} or shorter"
            yield Finding((*HERE, key), what, expected, str(link))
    if own.sync.link.prefixlen > LONGEST_SYNC:
        path: Path = (*HERE, "sync", "link")
        yield Finding(path, "too small for both gateways", f"/{LONGEST_SYNC} or shorter", str(own.sync.link))


def _next_hops(own: GatewaysIntent) -> Iterator[Finding]:
    links: tuple[Network, ...] = (own.link,) if own.link_v6 is None else (own.link, own.link_v6)
    for number, each in enumerate(own.gateway):
        link = own.link if each.version == 4 else own.link_v6
        path: Path = (*HERE, "gateway", number)
        if link is None or each not in link:
            yield Finding(path, "an address that is not on the link", f"one of {link or 'a link_v6'}", str(each))
        elif int(each) - int(link.network_address) <= OWN:
            expected = f"{link.network_address + OWN + 1} or above"
            yield Finding(path, "an address that the gateways have themselves", expected, str(each))
    for link in links:
        found = [str(each) for each in own.gateway if each.version == link.version]
        if len(found) != 1:
            what, expected = f"not one next hop of IPv{link.version}", f"one address of {link}"
            yield Finding((*HERE, "gateway"), what, expected, as_shown(", ".join(found)))


def _inside(own: GatewaysIntent, each: BoundaryIntent) -> Iterator[Finding]:
    zone = each.zones.get(OUTSIDE)
    if zone is None:
        return
    if (zone.link_v6 is None) != (own.link_v6 is None):
        expected = "link_v6 of both, or of neither"
        yield Finding((*HERE, "link_v6"), "IPv6 on one side alone", expected, also=zone_at(OUTSIDE))
    yield from _on_the_zones_link(zone)


def _on_the_zones_link(zone: ZoneIntent) -> Iterator[Finding]:
    for number, each in enumerate(zone.gateway):
        link = zone.link if each.version == 4 else zone.link_v6
        if link is not None and each in link and int(each) + 2 >= int(link.broadcast_address) + (each.version == 6):
            path: Path = (*zone_at(OUTSIDE, "gateway"), number)
            expected = f"an address with two more after it in {link}: the gateways' own"
            yield Finding(path, "no room for both gateways", expected, str(each), also=HERE)

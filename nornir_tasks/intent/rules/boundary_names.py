"""What the boundary has names for, and the addresses that it must never join to the outside world."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN
from nornir_tasks.intent.keys.boundary import BoundaryIntent, ZoneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import of_trees

Network = IPv4Network | IPv6Network
EDGE_LOOPBACK: Path = ("boundary", "edge", "loopback")


def zone_at(name: str, *path: str) -> Path:
    """A place in a zone."""
    return ("boundary", "zones", name, *path)


def links_of(zone: ZoneIntent) -> tuple[Network, ...]:
    """Of a zone's port, IPv4 first."""
    return tuple(link for link in (zone.link, zone.link_v6) if link is not None)


def all_links(each: BoundaryIntent) -> Iterator[tuple[Path, Network]]:
    """Subnets at the firewalls' ports, with their places."""
    for name, zone in each.zones.items():
        if zone.link is not None:
            yield zone_at(name, "link"), zone.link
        if zone.link_v6 is not None:
            yield zone_at(name, "link_v6"), zone.link_v6
    yield ("boundary", "firewalls", "sync", "link"), each.firewalls.sync.link
    if each.gateways is not None:
        yield ("boundary", "gateways", "link"), each.gateways.link
        if each.gateways.link_v6 is not None:
            yield ("boundary", "gateways", "link_v6"), each.gateways.link_v6
        yield ("boundary", "gateways", "sync", "link"), each.gateways.sync.link


def reached_planes(intent: Intent, boundary: BoundaryIntent) -> dict[str, str]:
    """Plane -> the zone whose hosts it has, of those that packets may pass to."""
    trees = of_trees(intent)
    return {
        zone.plane: name
        for name, zone in boundary.zones.items()
        if zone.plane is not None and zone.plane not in trees and zone.plane in intent.planes
    }


def zone_of(intent: Intent, plane: str) -> tuple[str, ZoneIntent] | None:
    """The zone of a plane, with its name; None where the boundary has none, or there is none."""
    zones = {} if intent.boundary is None or intent.boundary is UNKNOWN else intent.boundary.zones
    return next(((name, zone) for name, zone in zones.items() if zone.plane == plane), None)


def groups_of(intent: Intent, boundary: BoundaryIntent) -> dict[str, str]:
    """Group of hosts -> its zone."""
    planes = reached_planes(intent, boundary)
    return {group: planes[plane] for group, hosts in intent.hosts.items() for plane in hosts.nics if plane in planes}


def kept_apart(intent: Intent, but: str | None) -> Iterator[tuple[Path, Network]]:
    """Pools of all fabrics, planes and edge routers with their places; ``but``: the plane that is left out.

    Edge routers have loopbacks for themselves alone: a flow to outside is none to them.
    """
    for name, fabric in intent.fabrics.items():
        yield ("fabrics", name, "pools", "loopback"), fabric.pools.loopback
        yield ("fabrics", name, "pools", "links"), fabric.pools.links
    for name, plane in intent.planes.items():
        if name == but:
            continue
        yield ("planes", name, "pools", "hosts"), plane.pools.hosts
        if plane.pools.hosts_v6 is not None:
            yield ("planes", name, "pools", "hosts_v6"), plane.pools.hosts_v6
        for vlan, each in plane.vlans.items():
            if each.hosts is not None:
                yield ("planes", name, "vlans", vlan, "hosts"), each.hosts
            if each.hosts_v6 is not None:
                yield ("planes", name, "vlans", vlan, "hosts_v6"), each.hosts_v6
        for key, link in () if plane.default_route is None else plane.default_route.links:
            yield ("planes", name, "default_route", key), link
    edge = None if intent.boundary is None else intent.boundary.edge
    if edge is not None and edge is not UNKNOWN:
        yield EDGE_LOOPBACK, edge.loopback


FIRST_FREE = 6
"""Place on a link of the first address that is neither the firewalls' nor a bastion's."""


def on_link(
    path: Path,
    addresses: tuple[HostAddress, ...],
    zone: str,
    links: tuple[Network, ...],
    taken: dict[HostAddress, Path],
) -> Iterator[Finding]:
    """They are on the zone's links, beyond the firewalls' and bastions', and in none of ``taken``, which says whose."""
    for number, address in enumerate(addresses):
        at: Path = (*path, number)
        link = next((link for link in links if address in link), None)
        if link is None:
            expected = f"an address of {' or '.join(map(str, links))}"
            yield Finding(at, "not on the zone's link", expected, str(address), also=zone_at(zone))
        elif not FIRST_FREE <= int(address) - int(link.network_address) < link.num_addresses - 1:
            expected = f"from {link[FIRST_FREE]} on, below {link.broadcast_address}"
            also = zone_at(zone)
            yield Finding(at, "an address that firewalls or bastions have", expected, str(address), also=also)
        if address in addresses[:number]:
            yield Finding(at, "an address twice", "each once", str(address))
        if address in taken:
            what, expected = f"the address of {dotted(taken[address][:-2])}", "one that no other part of the site has"
            yield Finding(at, what, expected, str(address), also=taken[address])


def of_each_family(
    path: Path, addresses: tuple[HostAddress, ...], zone: str, links: tuple[Network, ...], count: int, whose: str
) -> Iterator[Finding]:
    """Of each family of the links there are so many."""
    for link in links:
        found = [str(address) for address in addresses if address.version == link.version]
        if len(found) != count:
            words = {1: "one", 2: "two"}[count]
            what, expected = f"not {words} of IPv{link.version}", f"{whose} of each family of the link"
            yield Finding(path, what, expected, as_shown(", ".join(found)), also=zone_at(zone))

"""IPv6 addresses of ports, and static routes: what an OS cannot be configured with, and what has to be on for them."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from ipaddress import IPv6Interface, ip_address, ip_network

from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.errors import Problem

MAX_TAG = 2**32 - 1


def vrfs_with_ipv6(intended: PartialConfig) -> frozenset[str | None]:
    """The VRFs in which a port has a global IPv6 address or a route is of IPv6; None is the default one."""
    ports = {port.vrf for port in (intended.ports or {}).values() if port.ipv6_address is not None}
    return frozenset(ports | {each.vrf for each in (intended.static_routes or {}).values() if each.is_ipv6})


def problems(device: str, intended: PartialConfig, known: Capabilities) -> Iterator[Problem]:
    """All problems with the wanted IPv6 addresses and static routes of one switch."""
    for name, port in (intended.ports or {}).items():
        if port.ipv6_address is not None:
            yield from _of_port(f"{device} {name}", port, port.ipv6_address, known)
    for route in (intended.static_routes or {}).values():
        where = f"{device} route {route.prefix}" + (f" in VRF {route.vrf}" if route.vrf else "")
        yield from _of_route(where, route, known)
        yield from _of_distance(where, route, intended.aggregates or (), known)


def _of_distance(where: str, route: StaticRoute, aggregates: Collection[str], known: Capabilities) -> Iterator[Problem]:
    """Of the discard route of an aggregate alone, where the OS's aggregates need it, and then of each."""
    beyond = known.aggregate_distance if route.prefix in aggregates and not route.next_hops else None
    if route.distance is not None and beyond is None:
        yield Problem(where, "no distance can be configured", "the system's own", str(route.distance))
    elif beyond is not None and (route.distance or 1) <= beyond:
        what, found = "it keeps the aggregate of this prefix out of BGP", str(route.distance or 1)
        yield Problem(where, what, f"a distance above {beyond}", found)


def _of_port(where: str, port: PartialPort, address: str, known: Capabilities) -> Iterator[Problem]:
    if not known.has_ipv6:
        yield Problem(where, f"no IPv6 address can be configured: {known.ipv6_gap}", "IPv4 alone", address)
        return
    try:
        value = IPv6Interface(address)
    except ValueError:
        yield Problem(where, "no IPv6 address", "an address with its length: 2001:db8::1/64", address)
        return
    if value.ip.is_link_local or value.ip.is_multicast or value.ip.is_unspecified or value.ip.is_loopback:
        yield Problem(where, "no address that a port can be reached at from elsewhere", "a global one", address)
    if port.access_vlan is not None or port.tagged_vlans is not None:
        yield Problem(where, "a switched port has an IPv6 address", "an SVI of its VLAN", address)
    if port.ra_interval_ms is not None:
        what = "router advertisements beside a global IPv6 address are not offered"
        yield Problem(where, what, "an unnumbered port, or hosts with static addresses", str(port.ra_interval_ms))


def _of_route(where: str, route: StaticRoute, known: Capabilities) -> Iterator[Problem]:
    if route.is_ipv6 and not known.has_ipv6:
        yield Problem(where, f"no route of IPv6 can be configured: {known.ipv6_gap}", "IPv4 alone", route.prefix)
    if route.next_hops and not known.has_next_hops:
        found = ", ".join(route.next_hops)
        yield Problem(where, f"no next hop can be configured: {known.next_hop_gap}", "a discard route", found)
    try:
        version = ip_network(route.prefix).version
        others = [each for each in route.next_hops if ip_address(each).version != version]
    except ValueError as error:
        yield Problem(where, "a route that is none", "a prefix, and addresses without length as next hops", str(error))
        return
    if others:
        yield Problem(where, "a next hop of the other family", f"addresses of IPv{version}", ", ".join(others))
    if route.interface is not None and not route.next_hops:
        yield Problem(where, "a discard route behind an interface", "next hops, or no interface", route.interface)
    if route.tag is not None and not 1 <= route.tag <= MAX_TAG:
        yield Problem(where, "no such tag can be configured", f"1 to {MAX_TAG}", str(route.tag))


def as_printed(route: StaticRoute) -> StaticRoute:
    """The route with addresses as switches print them (RFC 5952). What is no address stays, and ``problems`` has it."""
    try:
        prefix, hops = str(ip_network(route.prefix)), tuple(str(ip_address(each)) for each in route.next_hops)
    except ValueError:
        return route
    return replace(route, prefix=prefix, next_hops=hops)


def address_as_printed(address: str | None) -> str | None:
    """The same for the address of a port."""
    try:
        return None if address is None else str(IPv6Interface(address))
    except ValueError:
        return address

"""The variables of hosts' bonds, from the same circuits and segments as the switches' end of them.

A bond has half of its members on each leaf of a pair, which LACP takes for one system. The plane that the ports are of
is untagged, on the bond itself; planes that share the ports have a VLAN's interface on it. A host routes what is on the
plane by the gateway that both leaves answer; the default route is by one plane at most.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

from pydantic import Field

from nornir_tasks.design.hosts.bond_needs import BondedPlane, BondNeeds
from nornir_tasks.design.hosts.host_parts import NicMatch, Vars, place_match
from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.plane import Plane


class BondMemberVars(Vars):
    """One NIC port of a bond."""

    name: str
    """The wanted interface name."""
    match: NicMatch


class BondPlaneVars(Vars):
    """What a host has of one plane on a bond."""

    plane: str
    interface: str
    """The bond itself, or its VLAN's interface."""
    vlan: int | None = Field(default=None, ge=2, le=4094)
    """802.1Q tag; None: untagged, on the bond itself."""
    mtu_bytes: int
    address: str
    prefix_length: int
    gateway: str
    """What both leaves answer."""
    default_route: bool
    """Is the host's default route by this gateway?"""
    routes: tuple[str, ...]
    """IPv4 prefixes reached by the gateway, beside the default route; none where the default route is by it."""
    address_v6: str | None = None
    """None: the plane has no IPv6 there."""
    prefix_length_v6: int | None = None
    gateway_v6: str | None = None
    routes_v6: tuple[str, ...] = ()


class BondVars(Vars):
    """One bond of one host."""

    name: str
    members: tuple[BondMemberVars, ...]
    """By their numbers; they are on the leaves of the pair by turns."""
    lacp_rate: Literal["fast", "slow"]
    min_links: int
    mtu_bytes: int
    """Of the bond and its members: the largest of its planes."""
    planes: tuple[BondPlaneVars, ...]
    """The untagged one first."""


class BondInterfacesVars(Vars):
    """All bonds of one host."""

    bonds: tuple[BondVars, ...]


def bond_interfaces(network: Network, needs: Iterable[BondNeeds], host: str) -> BondInterfacesVars | None:
    """The bonds of one host of the network; None if it has none."""
    bonds = tuple(_bond(network, each, host) for each in needs if each.is_of(host))
    return BondInterfacesVars(bonds=bonds) if bonds else None


def _bond(network: Network, needs: BondNeeds, host: str) -> BondVars:
    planes = tuple(_plane(network, each, needs, host) for each in needs.planes)
    places = {**dict(enumerate(needs.places)), **needs.exceptions.get(host, {})}
    ports = {_number(each): each.link.end(host).port for each in _circuits(network, needs, needs.planes[0], host)}
    return BondVars(
        name=needs.bond,
        members=tuple(
            BondMemberVars(name=port, match=place_match(places[number])) for number, port in sorted(ports.items())
        ),
        lacp_rate=needs.rate,
        min_links=needs.min_links,
        mtu_bytes=max(each.mtu_bytes for each in planes),
        planes=planes,
    )


def _number(circuit: Circuit) -> int:
    """Of a member, as its name has it behind the bond's."""
    return int(circuit.link.lower.port.removeprefix(circuit.use.bundle or ""))


def _circuits(network: Network, needs: BondNeeds, on: BondedPlane, host: str) -> list[Circuit]:
    return [each for each in network.circuits_of(host) if (each.owner, each.use.bundle) == (on.plane, needs.bond)]


def _plane(network: Network, on: BondedPlane, needs: BondNeeds, host: str) -> BondPlaneVars:
    circuit, plane = _circuits(network, needs, on, host)[0], network.planes[on.plane]
    segment = _segment(network, circuit)
    tag = circuit.use.tag
    address_v6 = _host_v6(segment, circuit.lower_address)
    return BondPlaneVars(
        plane=on.plane,
        interface=needs.bond if tag is None else f"{needs.bond}.{tag}",
        vlan=tag,
        mtu_bytes=plane.mtu_bytes,
        address=circuit.lower_address,
        prefix_length=circuit.use.prefix_length,
        gateway=circuit.upper_address,
        default_route=on.has_default_route,
        routes=() if on.has_default_route else tuple(_routes(plane, segment, on.networks)),
        address_v6=address_v6,
        prefix_length_v6=None if segment.subnet_v6 is None else IPv6Network(segment.subnet_v6).prefixlen,
        gateway_v6=segment.gateway_v6,
        routes_v6=() if on.has_default_route or address_v6 is None else tuple(_routes_v6(plane, segment)),
    )


def _segment(network: Network, circuit: Circuit) -> Segment:
    """The VLAN of the pair that a port is switched into."""
    leaf, owner = circuit.link.upper.device, circuit.owner
    return next(each for each in network.segments_at(leaf, owner) if f"{owner}-{each.name}" == circuit.use.segment)


def _host_v6(segment: Segment, address: str) -> str | None:
    """At the same place of the IPv6 subnet as the host's IPv4 address is of the IPv4 one."""
    if segment.subnet_v6 is None:
        return None
    place = int(IPv4Address(address)) - int(IPv4Network(segment.subnet).network_address)
    return str(IPv6Address(int(IPv6Network(segment.subnet_v6).network_address) + place))


def _routes(plane: Plane, segment: Segment, networks: tuple[str, ...]) -> Iterator[str]:
    """Everything of the plane, and what its flows lead to; the subnet itself is on the wire."""
    own = (each.subnet for each in plane.vlans if each.subnet is not None)
    pool, subnet = IPv4Network(plane.pools["hosts"]), IPv4Network(segment.subnet)
    for prefix in dict.fromkeys((str(pool), *own, *networks)):
        if IPv4Network(prefix) != subnet and (prefix == str(pool) or not IPv4Network(prefix).subnet_of(pool)):
            yield prefix


def _routes_v6(plane: Plane, segment: Segment) -> Iterator[str]:
    own = (each.subnet_v6 for each in plane.vlans if each.subnet_v6 is not None)
    for prefix in dict.fromkeys((*([plane.pool_v6] if plane.pool_v6 else []), *own)):
        if prefix != segment.subnet_v6:
            yield prefix

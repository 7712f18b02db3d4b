"""Pairs of leaves, to which hosts bond their ports, and the VLANs of these bonds. Plain frozen data.

A VLAN and its subnet are on one pair: from leaf to spine everything is routed. In a subnet the first address is the
gateway's, which both leaves answer, the next two are the leaves', and the others the hosts' by place. IPv6 likewise.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from nornir_tasks.design.config.lag import LacpRate
from nornir_tasks.design.links import Link

GATEWAY, FIRST_LEAF, FIRST_HOST = 1, 2, 4
"""Places of addresses in a subnet."""

KEPT_ADDRESSES = 5
"""Of a subnet, for nobody's host: network, broadcast, the gateway and both leaves."""


def bond_of(port: str) -> str:
    """What a host calls the bond that a NIC port of it is a member of: as the port, without its number.

    ``data0`` and ``data1`` are the bond ``data``, and a VLAN of it is ``data.200``. No port is called so, and no name
    depends on how many bonds a host has. (``bond0`` may be there already: the kernel's module makes one by default,
    ``max_bonds`` in Documentation/networking/bonding.rst.)
    """
    return port.rstrip("0123456789")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two leaves that hosts take for one."""

    name: str
    """``front-leaf-g1``."""
    fabric: str
    number: int
    """Of its leaf group, from 1; the domain that both switches are in."""
    leaves: tuple[str, str]
    links: tuple[Link, ...]
    """Peer links, from the first leaf to the second."""

    def other(self, leaf: str) -> str:
        """The other one of both."""
        return self.leaves[1] if leaf == self.leaves[0] else self.leaves[0]


@dataclass(frozen=True, slots=True)
class BondVlan:
    """A VLAN of a plane's bonds, on whatever pairs its hosts are."""

    name: str
    number: int
    groups: tuple[str, ...] = ()
    """Groups of hosts in it; empty: all that are in no other VLAN of the plane."""
    subnet: str | None = None
    """IPv4 prefix; None: each pair has a subnet of its own, the plane's block there."""
    subnet_v6: str | None = None


@dataclass(frozen=True, slots=True)
class BondTerms:
    """How the hosts of a group bond their ports, and so what their groups on switches are."""

    group: str
    """The prefix of the hosts' names."""
    rate: LacpRate = "fast"
    falls_back: bool = False
    """A port whose host sends no LACP works by itself."""
    min_links: int = 1
    """Least number of ports of one leaf with which the bond is up there."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One VLAN of one pair, with its subnets."""

    plane: str
    pair: str
    name: str
    vlan: int
    groups: tuple[str, ...]
    """Groups of hosts in it, on this pair."""
    subnet: str
    """IPv4 prefix; its network and broadcast address are nobody's."""
    gateway: str
    """IPv4 address without length that hosts route by."""
    leaves: tuple[tuple[str, str], ...]
    """(leaf, its own address without length)."""
    subnet_v6: str | None = None
    """IPv6 prefix; None: it has no IPv6."""
    gateway_v6: str | None = None
    leaves_v6: tuple[tuple[str, str], ...] = ()


def segment(
    plane: str, vlan: BondVlan, pair: Pair, groups: tuple[str, ...], subnets: tuple[str, str | None]
) -> Segment:
    """A VLAN of a plane's bonds at a pair, with these subnets, of IPv4 and, if there is one, of IPv6."""
    v4, v6 = subnets
    base, number, name = IPv4Network(v4).network_address, vlan.number, vlan.name
    leaves = tuple((leaf, str(base + FIRST_LEAF + place)) for place, leaf in enumerate(pair.leaves))
    found = Segment(plane, pair.name, name, number, groups, v4, str(base + GATEWAY), leaves)
    if v6 is None:
        return found
    base_v6 = IPv6Network(v6).network_address
    leaves_v6 = tuple((leaf, str(base_v6 + FIRST_LEAF + place)) for place, leaf in enumerate(pair.leaves))
    return Segment(
        plane, pair.name, name, number, groups, v4, found.gateway, leaves, v6, str(base_v6 + GATEWAY), leaves_v6
    )

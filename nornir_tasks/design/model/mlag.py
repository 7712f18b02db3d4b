"""Pairs of leaves, to which hosts bond their ports, and the VLANs of these bonds. Plain frozen data.

A VLAN and its subnet are on one pair: from leaf to spine everything is routed. In a subnet the first address is the
gateway's, which both leaves answer, the next two are the leaves', and the others the hosts' by place. IPv6 likewise.
"""

from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from nornir_tasks.design.config.lag import LacpRate
from nornir_tasks.design.model.links import Link

GATEWAY, FIRST_LEAF, FIRST_HOST = 1, 2, 4
"""Places of addresses in a subnet."""

KEPT_ADDRESSES = 5
"""Of a subnet, for no host: network, broadcast, the gateway and both leaves."""


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
    gateway: str | None = None
    """Address without length that both leaves answer; None: the first of the subnet. Theirs are the two after it."""
    gateway_v6: str | None = None
    next_hops: tuple[str, ...] = ()
    """Of a way out: what is beyond it is reached by these, one of each family at most."""


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
    """IPv4 prefix; its network and broadcast address are no host's."""
    gateway: str
    """IPv4 address without length that hosts route by."""
    leaves: tuple[tuple[str, str], ...]
    """(leaf, its own address without length)."""
    subnet_v6: str | None = None
    """IPv6 prefix; None: it has no IPv6."""
    gateway_v6: str | None = None
    leaves_v6: tuple[tuple[str, str], ...] = ()
    next_hops: tuple[str, ...] = ()
    """Of a way out: the leaves' next hops to everything that is not the site's."""

    @property
    def is_way_out(self) -> bool:
        """Do packets of hosts leave the site by it?"""
        return self.next_hops != ()


def segment(
    plane: str, vlan: BondVlan, pair: Pair, groups: tuple[str, ...], subnets: tuple[str, str | None]
) -> Segment:
    """A VLAN of a plane's bonds at a pair, with these subnets, of IPv4 and, if there is one, of IPv6."""
    v4, v6 = subnets
    gateway = ip_address(vlan.gateway or IPv4Network(v4)[GATEWAY])
    found = Segment(
        plane=plane,
        pair=pair.name,
        name=vlan.name,
        vlan=vlan.number,
        groups=groups,
        subnet=v4,
        gateway=str(gateway),
        leaves=_leaves(pair, gateway),
        next_hops=vlan.next_hops,
    )
    if v6 is None:
        return found
    gateway_v6 = ip_address(vlan.gateway_v6 or IPv6Network(v6)[GATEWAY])
    return replace(found, subnet_v6=v6, gateway_v6=str(gateway_v6), leaves_v6=_leaves(pair, gateway_v6))


def _leaves(pair: Pair, gateway: IPv4Address | IPv6Address) -> tuple[tuple[str, str], ...]:
    """Each leaf with its own address, which come after the gateway's."""
    return tuple((leaf, str(gateway + place)) for place, leaf in enumerate(pair.leaves, start=FIRST_LEAF - GATEWAY))

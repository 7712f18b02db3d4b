"""Pairs of leaves, to which hosts bond their ports, and the VLANs of these bonds. Plain frozen data.

A VLAN and its subnet are on one pair: from leaf to spine everything is routed. In a subnet the first address is the
gateway's, which both leaves answer, the next two are the leaves', and the others the hosts' by place.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network

from nornir_tasks.design.links import Link

GATEWAY, FIRST_LEAF, FIRST_HOST = 1, 2, 4
"""Places of addresses in a subnet."""

KEPT_ADDRESSES = 5
"""Of a subnet, for nobody's host: network, broadcast, the gateway and both leaves."""


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
class Segment:
    """One VLAN of one pair, with its subnet."""

    plane: str
    pair: str
    vlan: int
    subnet: str
    """IPv4 prefix; its network and broadcast address are nobody's."""
    gateway: str
    """IPv4 address without length that hosts route by."""
    leaves: tuple[tuple[str, str], ...]
    """(leaf, its own address without length)."""


def segment(plane: str, vlan: int, pair: Pair, subnet: str) -> Segment:
    """The VLAN of a plane's hosts at a pair, in this subnet."""
    base = IPv4Network(subnet).network_address
    leaves = tuple((leaf, str(base + FIRST_LEAF + number)) for number, leaf in enumerate(pair.leaves))
    return Segment(plane, pair.name, vlan, subnet, str(base + GATEWAY), leaves)

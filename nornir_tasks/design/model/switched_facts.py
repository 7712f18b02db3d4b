"""What an OS can do where it switches: pairs of switches, limits of storms."""

from dataclasses import dataclass

PEER_VLAN = 4094
"""On peer links, where the OS lets a VLAN have that number: of the vendors' own examples (aristanetworks/avd,
peerlink.4094)."""


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What an OS can say of a pair of switches."""

    settings: frozenset[str]
    """Fields of PairSettings that it has lines for, beside peer link, keepalive address and VRF, and reload delay."""
    source: str
    peer_link: str = ""
    """Name of the group between both switches; empty: any group."""
    max_id: int = 0
    """Groups over both switches are numbered from 1 to this."""
    max_number: int = 0
    """Domains as well; 0: they have no numbers."""
    max_reload_delay_s: int = 0
    peer_link_mtu_bytes: int | None = None
    """The MTU that the peer link has, where it takes no line of it."""
    peer_link_native_vlan: int | None = None
    """VLAN of the peer link's untagged frames, where it must have one. No owner declares it; no host is in it."""
    service: str | None = None
    """What must be loaded before there are pairs (NX-OS ``feature vpc``)."""
    peer_vlan: int = PEER_VLAN
    """In which both route to one another over the peer link, and talk, where the OS has a VLAN for that."""
    peer_subnet: str | None = None
    """IPv4 prefix of both ends' addresses in it, the same in each pair, since nothing announces it. None: it is a
    subinterface of the peer link without addresses, and the session over it is unnumbered."""


@dataclass(frozen=True, slots=True)
class StormFacts:
    """Limits in packets a second that a switched port can have."""

    kinds: frozenset[str]
    """Of ``broadcast``, ``multicast``, ``unknown_unicast``."""
    min_pps: int
    max_pps: int
    source: str
    is_on_members: bool = False
    """A group has them on each of its members (NVUE), and not itself."""

"""Access lists of the common model: which packets a port takes in, and which it sends out.

Systems write a rule in words of their own (names of ports, host bits, masks). Here everything is a number or a masked
prefix, so two rules are equal if they match the same packets.
"""

from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.config.merge_rules import KEYED_BY_SEQUENCE

Family = Literal["ipv4", "ipv6"]
Direction = Literal["in", "out"]
PortRange = tuple[int, int]
"""First and last TCP or UDP port, 0 to 65535; a single port is both."""

TCP, UDP = 6, 17
ICMP: dict[Family, int] = {"ipv4": 1, "ipv6": 58}
"""IP protocol number of ICMP for each family (RFC 792, RFC 4443)."""
MUST_PASS: dict[Family, tuple[int, ...]] = {"ipv4": (3,), "ipv6": (2, 133, 134, 135, 136)}
"""ICMP types that every list lets through: destination unreachable (fragmentation needed, RFC 1191) and packet too big
(RFC 8201), without which paths with a smaller MTU swallow packets; neighbour discovery (RFC 4861), without which IPv6
finds no neighbour (RFC 4890, 4.3.1 and 4.4.1)."""


@dataclass(frozen=True, slots=True)
class AclRule:
    """One rule; the first that matches a packet decides. None: the rule does not look at this."""

    sequence: int
    """Its number in the list, from 1; rules are tried in ascending order."""
    permit: bool
    protocol: int | None = None
    """IP protocol number, 0 to 255 (``TCP``, ``UDP``, ``ICMP``); None: every packet of the list's family."""
    source: str | None = None
    """Prefix without host bits, a host as /32 or /128; IPv6 as in RFC 5952."""
    destination: str | None = None
    source_ports: PortRange | None = None
    destination_ports: PortRange | None = None
    established: bool = False
    """Only TCP segments with ACK or RST: those of connections that are open already."""
    icmp_type: int | None = None
    """ICMP type of the list's family, 0 to 255, with any code."""

    @property
    def is_all(self) -> bool:
        """Does it match every packet?"""
        looks_at = (self.protocol, self.source, self.destination, self.source_ports, self.destination_ports)
        return looks_at == (None,) * len(looks_at) and not self.established and self.icmp_type is None


@dataclass(frozen=True, slots=True)
class AccessList:
    """A named access list. Its last rule denies everything, so that what is refused is counted on every system."""

    name: str
    """Begins with the prefix of its owner; unique on the switch over both families."""
    family: Family
    rules: tuple[AclRule, ...] = field(metadata=KEYED_BY_SEQUENCE)
    counted: bool = True
    """Each rule counts the packets that it matches; True where the OS always does."""


@dataclass(frozen=True, slots=True, order=True)
class AclBinding:
    """A list applied to a port, in one direction: ``in`` is what the switch receives there."""

    family: Family
    direction: Direction
    name: str

    @property
    def use(self) -> str:
        """The use of a list that this is, as capabilities name it: ``ipv4 in``."""
        return f"{self.family} {self.direction}"

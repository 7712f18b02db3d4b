"""Lists of what comes to a switch itself in the default VRF, and which packets of other switches they let in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

TCP, UDP = 6, 17
_BGP, _BFD, _CLIENT = 179, 3784, 49152
Ports = tuple[tuple[int, int], ...]
"""First and last of each range; none: all."""


class Sent(NamedTuple):
    """A packet. ``is_open``: of a connection that is open (ACK)."""

    source: IPv4Address | IPv6Address
    destination: IPv4Address | IPv6Address
    protocol: int
    source_port: int
    destination_port: int
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule. ``protocol`` and networks None: any."""

    permit: bool
    protocol: int | None = None
    source: IPv4Network | IPv6Network | None = None
    destination: IPv4Network | IPv6Network | None = None
    source_ports: Ports = ()
    destination_ports: Ports = ()
    established: bool = False

    def matches(self, sent: Sent) -> bool:
        """Is it a packet that this rule decides on?"""
        return (
            self.protocol in (None, sent.protocol)
            and (sent.is_open or not self.established)
            and (self.source is None or sent.source in self.source)
            and (self.destination is None or sent.destination in self.destination)
            and _is_in(sent.source_port, self.source_ports)
            and _is_in(sent.destination_port, self.destination_ports)
        )


def _is_in(port: int, ranges: Ports) -> bool:
    return not ranges or any(first <= port <= last for first, last in ranges)


@dataclass(frozen=True, slots=True)
class ControlLists:
    """The lists of both families; None: there is none of this switch's configuration, and its OS' own lets in these."""

    four: tuple[Entry, ...] | None = None
    six: tuple[Entry, ...] | None = None

    def admits(self, sent: Sent) -> bool:
        """The first rule that matches decides; what none matches is refused."""
        rules = self.six if sent.destination.version == 6 else self.four
        return rules is None or next((each.permit for each in rules if each.matches(sent)), False)


OWN = ControlLists()
"""Of a switch without lists of its configuration."""


def opens(here: ControlLists, there: ControlLists, ends: tuple[str, str]) -> bool:
    """Does a connection of BGP come up? Either end may open it, and both must take what is sent on it."""
    one, other = map(ip_address, ends)
    at = {one: here, other: there}
    return any(
        all(at[sent.destination].admits(sent) for sent in _connection(*way)) for way in ((one, other), (other, one))
    )


def hears_bfd(here: ControlLists, there: ControlLists, ends: tuple[str, str]) -> bool:
    """Do both ends take the other one's packets of BFD?"""
    one, other = map(ip_address, ends)
    ways = ((there, one, other), (here, other, one))
    return all(lists.admits(Sent(source, target, UDP, _CLIENT, _BFD)) for lists, source, target in ways)


def _connection(opener: IPv4Address | IPv6Address, server: IPv4Address | IPv6Address) -> Iterator[Sent]:
    yield Sent(opener, server, TCP, _CLIENT, _BGP)
    yield Sent(server, opener, TCP, _BGP, _CLIENT, is_open=True)
    yield Sent(opener, server, TCP, _CLIENT, _BGP, is_open=True)

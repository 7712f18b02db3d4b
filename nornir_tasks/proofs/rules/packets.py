"""Sets of packets at a firewall, as the fields that its rules look at: exact, so no packet is left out."""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.proofs.packets import ADDRESS_BITS, PROTOCOL_NAMES
from nornir_tasks.proofs.rules.ranges import Ranges, common, ranges, without

STATES = ("new", "established", "related", "invalid", "untracked")
"""Of connection tracking; each packet has just one."""
NEW, ESTABLISHED = 0, 1
ANY_STATE: Ranges = ((0, len(STATES) - 1),)
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr")
"""Of TCP, from the lowest bit (RFC 9293; nftables calls ECE ``ecn``)."""
FIN, SYN, RST, ACK = 1, 2, 4, 16
BYTE: Ranges = ((0, 255),)
EITHER: Ranges = ((0, 1),)
ORIGINAL, REPLY = ((0, 0),), ((1, 1),)
TRACKED: Ranges = ((0, 2),)
"""States of packets that belong to a connection, or open one."""
PORTS: Ranges = ((0, 65535),)
ECHO: dict[Family, tuple[int, int]] = {"ipv4": (8, 0), "ipv6": (128, 129)}
"""Types of echo requests and of their answers (RFC 792, RFC 4443)."""


class Packets(NamedTuple):
    """All packets of one family whose fields are in these ranges. A field that a protocol does not have is whole."""

    entry: Ranges
    """Numbers of ports where they come in (``Ports``)."""
    exit: Ranges
    """Where they go out; before they are routed, and of those to the firewall itself, NOWHERE."""
    source: Ranges
    destination: Ranges
    protocol: Ranges = BYTE
    source_port: Ranges = PORTS
    destination_port: Ranges = PORTS
    icmp_type: Ranges = BYTE
    icmp_code: Ranges = BYTE
    flags: Ranges = BYTE
    state: Ranges = ANY_STATE
    hop_limit: Ranges = BYTE
    direction: Ranges = EITHER
    """Of a connection: as it was opened (0), or back (1)."""


Limits = tuple[tuple[int, Ranges], ...]
"""Places of fields, and what must be in each: all of these at once."""
PLACES = {name: place for place, name in enumerate(Packets._fields)}
OPENS: Ranges = tuple((each, each) for each in range(256) if each & (FIN | SYN | RST | ACK) == SYN)
"""Flags of a packet that opens a TCP connection."""


def every(family: Family) -> Ranges:
    """All addresses of a family."""
    return ((0, 2 ** ADDRESS_BITS[family] - 1),)


def limits(**fields: Ranges) -> Limits:
    """These fields, each within its ranges."""
    return tuple((PLACES[name], value) for name, value in fields.items())


def split(packets: Packets, wanted: Limits) -> tuple[Packets | None, list[Packets]]:
    """What of these is within all limits, and the rest in parts that share no packet."""
    rest = []
    for place, value in wanted:
        here = packets[place]
        inside = common(here, value)
        if inside == here:
            continue
        rest.append(_with(packets, place, without(here, inside)))
        if not inside:
            return None, rest
        packets = _with(packets, place, inside)
    return packets, rest


def _with(packets: Packets, place: int, value: Ranges) -> Packets:
    return Packets._make((*packets[:place], value, *packets[place + 1 :]))


def both(one: Packets, other: Packets) -> Packets | None:
    """What is in both; None if nothing is."""
    fields = []
    for here, there in zip(one, other, strict=True):
        inside = common(here, there)
        if not inside:
            return None
        fields.append(inside)
    return Packets._make(fields)


def less(packets: Iterable[Packets], others: Iterable[Packets]) -> list[Packets]:
    """What of these is in none of the others."""
    left = list(packets)
    for other in others:
        wanted = tuple(enumerate(other))
        left = [part for each in left for part in split(each, wanted)[1]]
        if not left:
            break
    return left


class Ports:
    """Ports of a firewall as numbers. One more stands for every port whose name is not known."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))

    @property
    def other(self) -> int:
        """Stands for all ports that are not named."""
        return len(self.names) + 1

    @property
    def every(self) -> Ranges:
        """All of them, the unnamed one included."""
        return ((1, self.other),)

    def of(self, name: str) -> Ranges:
        """The port of this name; of ``eth*`` all that are named so."""
        if name.endswith("*"):
            found = [n for n, each in enumerate(self.names, 1) if each.startswith(name[:-1])]
            return tuple((n, n) for n in found)
        number = self.names.index(name) + 1 if name in self.names else self.other
        return ((number, number),)

    def name(self, number: int) -> str:
        """What a port is called."""
        return "nowhere" if number == 0 else self.names[number - 1] if number < self.other else "another port"


NOWHERE: Ranges = ((0, 0),)
"""No port, or none yet."""


class Packet(NamedTuple):
    """One packet, for a reader to try."""

    entry: str
    exit: str
    source: str
    destination: str
    protocol: int
    source_port: int
    destination_port: int
    icmp_type: int
    state: str

    def __str__(self) -> str:
        """In words: ``TCP 192.0.2.5:49152 to 10.177.1.9:22, new, wan to lan``."""
        name = PROTOCOL_NAMES.get(self.protocol, f"IP protocol {self.protocol}")
        ends = self.source, self.destination
        if self.protocol in ICMP.values():
            name = f"{name} type {self.icmp_type}"
        elif self.protocol in (TCP, UDP):
            ends = _end(self.source, self.source_port), _end(self.destination, self.destination_port)
        return f"{name} {ends[0]} to {ends[1]}, {self.state}, {self.entry} to {self.exit}"


def _end(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def one_of(packets: Packets) -> Packets:
    """A set of one packet of this set, the likeliest in practice."""
    protocol = _liked(packets.protocol, TCP, UDP, 1, 58)
    return Packets(
        entry=_first(packets.entry),
        exit=_first(packets.exit),
        source=_host(packets.source),
        destination=_host(packets.destination),
        protocol=protocol,
        source_port=_liked(packets.source_port, 49152),
        destination_port=_liked(packets.destination_port, 22, 443),
        icmp_type=_liked(packets.icmp_type, 8, 128),
        icmp_code=_liked(packets.icmp_code, 0),
        flags=_liked(packets.flags, SYN, ACK),
        state=_first(packets.state),
        hop_limit=_liked(packets.hop_limit, 64),
        direction=_first(packets.direction),
    )


def shown(packets: Packets, ports: Ports, family: Family) -> Packet:
    """One packet of a set in words that people use."""
    one = one_of(packets)
    size = ADDRESS_BITS[family] // 8
    source, destination = (str(ip_address(each[0][0].to_bytes(size, "big"))) for each in (one.source, one.destination))
    return Packet(
        ports.name(one.entry[0][0]),
        ports.name(one.exit[0][0]),
        source,
        destination,
        one.protocol[0][0],
        one.source_port[0][0],
        one.destination_port[0][0],
        one.icmp_type[0][0],
        STATES[one.state[0][0]],
    )


def _liked(found: Ranges, *wanted: int) -> Ranges:
    number = next((each for each in wanted if common(found, ((each, each),))), found[0][0])
    return ((number, number),)


def _first(found: Ranges) -> Ranges:
    return ((found[0][0], found[0][0]),)


def _host(found: Ranges) -> Ranges:
    """An address that a host may have: not the network's own, nor the gateway's."""
    first, last = max(found, key=lambda each: min(each[1] - each[0], 4))
    return ((min(first + 4, last),) * 2,)


def merged(found: Sequence[Packets]) -> list[Packets]:
    """The same packets in fewer sets, where two differ in one field alone."""
    left = list(dict.fromkeys(found))
    for place in range(len(Packets._fields)):
        groups: dict[tuple[Ranges, ...], list[Packets]] = {}
        for each in left:
            groups.setdefault((*each[:place], *each[place + 1 :]), []).append(each)
        left = [_joined(group, place) for group in groups.values()]
    return left


def _joined(group: list[Packets], place: int) -> Packets:
    return group[0] if len(group) == 1 else _with(group[0], place, ranges(r for each in group for r in each[place]))

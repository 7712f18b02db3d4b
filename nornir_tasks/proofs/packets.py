"""Sets of packets, as the fields that access lists look at: exact, so that no packet is forgotten between two samples.

A set is a range of values for each field. A field that a protocol does not have (ports of ICMP) has its whole range.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AclRule, Family

Range = tuple[int, int]
"""First and last value."""

ADDRESS_BITS: dict[Family, int] = {"ipv4": 32, "ipv6": 128}
PROTOCOL_NAMES = {TCP: "TCP", UDP: "UDP", ICMP["ipv4"]: "ICMP", ICMP["ipv6"]: "ICMPv6"}


class Packets(NamedTuple):
    """All packets of one family whose fields are in these ranges."""

    source: Range
    destination: Range
    protocol: Range = (0, 255)
    source_port: Range = (0, 65535)
    destination_port: Range = (0, 65535)
    established: Range = (0, 1)
    """0 opens a TCP connection, 1 belongs to an open one (ACK or RST)."""
    icmp_type: Range = (0, 255)


@cache
def addresses(prefix: str | None, family: Family) -> Range:
    """The addresses of a prefix as numbers; of None all of the family."""
    if prefix is None:
        return 0, 2 ** ADDRESS_BITS[family] - 1
    network = ip_network(prefix, strict=False)
    return int(network.network_address), int(network.broadcast_address)


def between(source: str, destination: str, family: Family) -> Packets:
    """Every packet from one prefix to another."""
    return Packets(addresses(source, family), addresses(destination, family))


def of_rule(rule: AclRule, family: Family) -> Packets:
    """Every packet that a rule matches."""
    return Packets(
        source=addresses(rule.source, family),
        destination=addresses(rule.destination, family),
        protocol=(0, 255) if rule.protocol is None else (rule.protocol, rule.protocol),
        source_port=rule.source_ports or (0, 65535),
        destination_port=rule.destination_ports or (0, 65535),
        established=(1, 1) if rule.established else (0, 1),
        icmp_type=(0, 255) if rule.icmp_type is None else (rule.icmp_type, rule.icmp_type),
    )


def common(one: Packets, other: Packets) -> Packets | None:
    """What is in both; None if nothing is."""
    found = []
    for (first, last), (other_first, other_last) in zip(one, other, strict=True):
        low = first if first > other_first else other_first
        high = last if last < other_last else other_last
        if low > high:
            return None
        found.append((low, high))
    return Packets._make(found)


def without(packets: Packets, other: Packets) -> Iterator[Packets]:
    """What is in the one and not in the other, as sets that have nothing in common."""
    if common(packets, other) is None:
        yield packets
        return
    ranges = list(packets)
    for field, ((first, last), (low, high)) in enumerate(zip(packets, other, strict=True)):
        for part in ((first, low - 1), (high + 1, last)):
            if max(first, part[0]) <= min(last, part[1]):
                kept = max(first, part[0]), min(last, part[1])
                yield Packets._make([*ranges[:field], kept, *ranges[field + 1 :]])
        ranges[field] = (max(first, low), min(last, high))


def without_all(packets: Packets, others: Iterable[Packets]) -> list[Packets]:
    """What is in none of the others."""
    left = [packets]
    for other in others:
        left = [part for each in left for part in without(each, other)]
        if not left:
            break
    return left


class Packet(NamedTuple):
    """One packet, for a reader to try."""

    source: str
    destination: str
    protocol: int
    source_port: int
    destination_port: int
    is_established: bool
    icmp_type: int

    def __str__(self) -> str:
        """In words: ``TCP 10.176.0.4:1024 to 10.177.0.4:443, new``."""
        name = PROTOCOL_NAMES.get(self.protocol, f"IP protocol {self.protocol}")
        if self.protocol in ICMP.values():
            return f"{name} type {self.icmp_type} {self.source} to {self.destination}"
        if self.protocol not in (TCP, UDP):
            return f"{name} {self.source} to {self.destination}"
        ends = f"{_end(self.source, self.source_port)} to {_end(self.destination, self.destination_port)}"
        if self.protocol == UDP:
            return f"{name} {ends}"
        return f"{name} {ends}, {'of an open connection' if self.is_established else 'new'}"


def _end(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def example(sets: Sequence[Packets], family: Family) -> Packet:
    """One packet of these sets, the likeliest in practice: TCP where that is in one, from a port that clients use."""
    known = ((each, packets) for each in (TCP, UDP, ICMP[family]) for packets in sets)
    likely = ((each, packets) for each, packets in known if packets.protocol[0] <= each <= packets.protocol[1])
    protocol, packets = next(likely, (sets[0].protocol[0], sets[0]))
    return Packet(
        source=_host(packets.source, family),
        destination=_host(packets.destination, family),
        protocol=protocol,
        source_port=_inside(packets.source_port, 49152),
        destination_port=_inside(packets.destination_port, 22),
        is_established=packets.established[0] == 1,
        icmp_type=_inside(packets.icmp_type, 8 if family == "ipv4" else 128),
    )


def holds(packets: Packets, packet: Packet) -> bool:
    """Is this packet one of the set?"""
    fields = (
        int(ip_address(packet.source)), int(ip_address(packet.destination)), packet.protocol, packet.source_port,
        packet.destination_port, int(packet.is_established), packet.icmp_type,
    )  # fmt: skip
    return all(first <= value <= last for value, (first, last) in zip(fields, packets, strict=True))


def _host(values: Range, family: Family) -> str:
    """An address of the range that a host has: not the network's own, and not the gateway's and the leaves'."""
    number = min(values[0] + 4, values[1])
    return str(ip_address(number.to_bytes(ADDRESS_BITS[family] // 8, "big")))


def _inside(values: Range, liked: int) -> int:
    return liked if values[0] <= liked <= values[1] else values[0]

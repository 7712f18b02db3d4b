"""Who answers ARP on each rail's wire: its own gateway, or another rail's, where cables are swapped.

Frames are of RFC 826. A rail asks for its own gateway from its own address, as the kernel does; for others' it asks as
RFC 5227 probes, from 0.0.0.0, so that no leaf learns a wrong neighbour. Standard library only (it runs on hosts, Python
3.9).
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

ARP, IPV4, ETHERNET = 0x0806, 0x0800, 1
REQUEST, REPLY = 1, 2
BROADCAST = b"\xff" * 6
NOBODY = "0.0.0.0"  # noqa: S104 - the sender of a probe, no address to listen on
HEADER = "!6s6sH"
BODY = "!HHBBH6s4s6s4s"
LENGTH = struct.calcsize(HEADER) + struct.calcsize(BODY)
TRIES = 3
WAIT_S = 1.0
"""For the answers to one try; a leaf answers within milliseconds, an emulated machine on a busy computer is slower."""


@dataclass(frozen=True)
class Wire:
    """A rail whose link is up: its interface, and the two addresses of its link."""

    rail: str
    netdev: str
    mac: str
    address: str
    gateway: str


def request(mac: str, sender: str, target: str) -> bytes:
    """An ARP request as it goes onto the wire."""
    own = bytes.fromhex(mac.replace(":", ""))
    body = (ETHERNET, IPV4, 6, 4, REQUEST, own, IPv4Address(sender).packed, b"\0" * 6, IPv4Address(target).packed)
    return struct.pack(HEADER, BROADCAST, own, ARP) + struct.pack(BODY, *body)


def answer(frame: bytes) -> tuple[str, str] | None:
    """(address, MAC) that an ARP reply speaks for; None if the frame is something else."""
    if len(frame) < LENGTH or struct.unpack_from(HEADER, frame)[2] != ARP:
        return None
    hardware, protocol, _, _, operation, mac, address, _, _ = struct.unpack_from(BODY, frame, struct.calcsize(HEADER))
    if (hardware, protocol, operation) != (ETHERNET, IPV4, REPLY):
        return None
    return str(IPv4Address(address)), mac.hex(":")


def probe(wires: Sequence[Wire]) -> dict[str, dict[str, str]]:
    """Rail -> gateway that answers on its wire -> MAC address. A rail is asked for others' only if its own is silent.

    Raises OSError if an interface cannot be used, PermissionError without CAP_NET_RAW.
    """
    sockets = {}
    try:
        for wire in wires:
            one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ARP))
            sockets[one] = wire
            one.bind((wire.netdev, ARP))
        found: dict[str, dict[str, str]] = {wire.rail: {} for wire in wires}
        for _ in range(TRIES):
            silent = {one: wire for one, wire in sockets.items() if not found[wire.rail]}
            own = {one: [request(wire.mac, wire.address, wire.gateway)] for one, wire in silent.items()}
            _ask(own, sockets, [wire.gateway for wire in silent.values()], found)
        gateways = [wire.gateway for wire in wires]
        for _ in range(TRIES - 1):
            silent = {one: wire for one, wire in sockets.items() if not found[wire.rail]}
            others = {one: [request(wire.mac, NOBODY, each) for each in gateways] for one, wire in silent.items()}
            _ask(others, sockets, gateways, found)
        return found
    finally:
        for one in sockets:
            one.close()


def _ask(
    frames: Mapping[socket.socket, Sequence[bytes]],
    sockets: Mapping[socket.socket, Wire],
    gateways: Sequence[str],
    found: dict[str, dict[str, str]],
) -> None:
    """Send, and listen until every rail has an answer or the time is over."""
    for one, each in frames.items():
        for frame in each:
            one.send(frame)
    end = time.monotonic() + WAIT_S
    waiting = list(frames)
    while waiting and (left := end - time.monotonic()) > 0:
        for one in select.select(waiting, [], [], left)[0]:
            heard = answer(one.recv(2048))
            if heard and heard[0] in gateways:
                found[sockets[one].rail][heard[0]] = heard[1]
        waiting = [one for one in waiting if not found[sockets[one].rail]]

"""What machines on a switch's ports announce by LLDP, read from the wire.

Frames: IEEE 802.1AB-2016, clause 8 (LLDPDU and TLV formats), clause 7.4 (EtherType 88-CC).
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import Problem, TwinError
from .entered import inside

ETHERTYPE = 0x88CC
_CHASSIS, _PORT, _TTL, _PORT_DESCRIPTION, _SYSTEM_NAME = 1, 2, 3, 4, 5
_MAC_OF_CHASSIS, _MAC_OF_PORT = 4, 3
"""Subtypes of the two identifiers whose value is a MAC address (tables 8-2 and 8-3)."""
_HEADER_B = 14
_LONGEST_B = 2048


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a neighbour says of itself. ``ttl_s``: 0 if it says that it leaves."""

    system: str
    port: str
    port_description: str
    ttl_s: int


def read(frame: bytes) -> Announcement | None:
    """An LLDP frame; None for what is none, or lacks one of the three mandatory TLVs."""
    found = dict(_tlvs(frame[_HEADER_B:]))
    if len(frame) < _HEADER_B or not {_CHASSIS, _PORT, _TTL} <= found.keys() or len(found[_TTL]) < 2:
        return None
    chassis = _identifier(found[_CHASSIS], _MAC_OF_CHASSIS)
    return Announcement(
        _text(found.get(_SYSTEM_NAME, b"")) or chassis,
        _identifier(found[_PORT], _MAC_OF_PORT),
        _text(found.get(_PORT_DESCRIPTION, b"")),
        struct.unpack_from("!H", found[_TTL])[0],
    )


def _tlvs(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 2:
        (head,) = struct.unpack_from("!H", data)
        kind, length = head >> 9, head & 0x1FF
        if kind == 0:
            return
        yield kind, data[2 : 2 + length]
        data = data[2 + length :]


def _identifier(value: bytes, mac_subtype: int) -> str:
    return value[1:].hex(":") if value[:1] == bytes((mac_subtype,)) else _text(value[1:])


def _text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


class Listener:
    """Hears the LLDP frames that arrive at the ports of one namespace."""

    def __init__(self, namespace: str) -> None:
        self._socket = _socket_in(namespace)
        self._heard: dict[str, tuple[float, Announcement]] = {}

    def fileno(self) -> int:
        """Of its socket, to wait for frames with."""
        return self._socket.fileno()

    def receive(self) -> None:
        """Take in what has arrived."""
        while True:
            try:
                frame, (port, _, kind, *_) = self._socket.recvfrom(_LONGEST_B)
            except OSError:  # there is no more, or a port has gone
                return
            announcement = read(frame) if kind != socket.PACKET_OUTGOING else None
            if announcement is not None:
                self._heard[port] = (time.monotonic() + announcement.ttl_s, announcement)

    def heard(self, port: str) -> Announcement | None:
        """What was announced at a port of the kernel, as long as it is valid."""
        until_s, announcement = self._heard.get(port, (0.0, None))
        return announcement if time.monotonic() < until_s else None

    def forget(self, port: str) -> None:
        """What was announced at a port is void: it has lost its carrier, or leads elsewhere now."""
        self.receive()
        self._heard.pop(port, None)

    def close(self) -> None:
        """Give up the socket, which keeps the namespace."""
        self._socket.close()


def _socket_in(namespace: str) -> socket.socket:
    """A packet socket of a network namespace: a thread enters it and ends there (setns(2)). Raises TwinError."""
    found: list[socket.socket | OSError] = []

    def enter() -> None:
        try:
            with inside(namespace):
                found.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE)))
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise TwinError(Problem(namespace, f"LLDP cannot be heard there: {found[0]}")) from found[0]
    found[0].setblocking(False)
    return found[0]

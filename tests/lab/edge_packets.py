"""Packets of any source on the wires of the edge pair, and what of them comes out where."""

from __future__ import annotations

import ctypes
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from edge_pair import FIREWALLS, EdgePair, run

from nornir_tasks.lab.boundary.stations import ICMP, ICMPV6, IPV4, IPV6, TCP, Read, opening
from switch_twins.routed.names import kernel_name

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET, linux/sched.h
_SOURCE_PORT = 40000
_QUIET_S = 2.0
_AT_MOST_S = 20.0
_ROOM_B = 8 << 20
"""Of packets that wait to be read: by default there is room for about 250 of the smallest."""
_SO_RCVBUFFORCE = 33
"""asm-generic/socket.h"""
_SOL_PACKET, _PACKET_STATISTICS, _PACKET_IGNORE_OUTGOING = 263, 6, 23
"""linux/socket.h, linux/if_packet.h"""
_STATISTICS = struct.Struct("II")
"""tpacket_stats (linux/if_packet.h): packets, and those there was no room for."""


@dataclass(frozen=True)
class Flow:
    """A packet that somebody sends to a router: for others behind it, or for the router itself.

    ``place``: an upstream's name, or the firewalls'; ``port``: of TCP and UDP the destination's, of ICMP the type.
    """

    place: str
    protocol: int
    source: str
    destination: str
    port: int
    is_for_router: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.source} -> {self.destination} protocol {self.protocol} {self.port}"


class Wire:
    """An end of a cable of one router, where frames are made and read."""

    def __init__(self, pair: EdgePair, router: str, port: str, place: str) -> None:
        end = "wan" if place == FIREWALLS else "uplink"
        self.socket = _socket_in(pair.namespace(place))
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _ROOM_B)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind((end, 0))
        self.head = _mac(pair.namespace(router), kernel_name(port)) + _mac(pair.namespace(place), end)

    def say(self, packet: bytes) -> None:
        kind = IPV4 if packet[0] >> 4 == 4 else IPV6
        self.socket.send(self.head + struct.pack("!H", kind) + packet)

    def heard(self) -> list[Read]:
        """What has come since the last time, without what was said here."""
        found = []
        while True:
            try:
                found.append(Read(self.socket.recv(4096)))
            except BlockingIOError:
                return found

    def close(self) -> None:
        """Nothing was lost here, where there was no room for it."""
        statistics = self.socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, _STATISTICS.size)
        self.socket.close()
        assert _STATISTICS.unpack(statistics)[1] == 0


def came_through(pair: EdgePair, router: str, flows: Sequence[Flow], expected: Set[Flow]) -> set[Flow]:
    """Those of the flows that came out at another end, or were answered by the router.

    Those ``expected`` are waited for, as neighbours may be asked for three times, a second apart; what else comes has
    two seconds after all else.
    """
    ports = {each.name: each.port for each in pair.terms.outside_links if each.device == router}
    svi = next(each for each in pair.routers if each.name == router).capabilities.svi_prefix
    ports[FIREWALLS] = f"{svi}{pair.terms.vlan}"
    wires = {place: Wire(pair, router, port, place) for place, port in ports.items()}
    numbered = dict(enumerate(flows, start=1000))
    for number, flow in numbered.items():
        family = 6 if ":" in flow.source else 4
        packet = [number, "", family, flow.protocol, flow.source, flow.destination, _SOURCE_PORT, flow.port]
        wires[flow.place].say(opening(packet))
    found, last, end = set[Flow](), time.monotonic(), time.monotonic() + _AT_MOST_S
    while time.monotonic() < (last + _QUIET_S if expected <= found else end):
        select.select([each.socket for each in wires.values()], [], [], _QUIET_S / 4)
        for place, wire in wires.items():
            for read in wire.heard():
                flow = numbered.get(read.flow or 0)
                if flow is not None and _is_through(flow, read, place):
                    found.add(flow)
                    last = time.monotonic()
    for wire in wires.values():
        wire.close()
    return found


def _is_through(flow: Flow, read: Read, place: str) -> bool:
    """An answer by the router where it was asked; any other packet somewhere beyond it."""
    return (place == flow.place and not read.is_opening) if flow.is_for_router else read.is_opening


def icmp_of(source: str) -> tuple[int, int]:
    """Protocol and type of an echo request."""
    return (ICMPV6, 128) if ":" in source else (ICMP, 8)


def forwards(pair: EdgePair) -> None:
    """The routers forward, whatever the kernel would think of sources."""
    for name in pair.names:
        conf = Path("/proc/sys/net/ipv4/conf")
        names = run("ip", "netns", "exec", pair.namespace(name), "ls", str(conf)).split()
        words = [f"net/ipv4/conf/{each}/rp_filter=0" for each in names]
        words += ["net/ipv4/ip_forward=1", "net/ipv6/conf/all/forwarding=1"]
        run("ip", "netns", "exec", pair.namespace(name), "sysctl", "-q", "-w", *words)


def _mac(namespace: str, port: str) -> bytes:
    found = run("ip", "netns", "exec", namespace, "cat", f"/sys/class/net/{port}/address")
    return bytes.fromhex(found.strip().replace(":", ""))


def _socket_in(namespace: str) -> socket.socket:
    """A packet socket of another namespace: made by a thread that goes there and ends."""
    made: list[socket.socket] = []
    libc = ctypes.CDLL(None, use_errno=True)

    def there() -> None:
        handle = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        try:
            if libc.setns(handle, _NEW_NETWORK) == 0:
                made.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)))
        finally:
            os.close(handle)

    thread = threading.Thread(target=there)
    thread.start()
    thread.join()
    made[0].setblocking(False)
    return made[0]


__all__ = ["TCP", "Flow", "came_through", "forwards", "icmp_of"]

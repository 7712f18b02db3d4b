"""Who reaches whom, asked in a namespace; by the standard library alone.

``send``: a JSON list of probes on standard input, each ``[PROTOCOL, SOURCE, DESTINATION, PORT]`` (``tcp``, ``udp``,
``icmp``; a source of "" is the kernel's choice); prints which were answered. ``watch``: until standard input ends, then
prints which sources any packet that came in had.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

WAIT_S = 1.5
IPV4, IPV6 = 0x0800, 0x86DD


def answered(probe: list) -> bool:  # type: ignore[type-arg]
    protocol, source, destination, port = probe
    family = socket.AF_INET6 if ":" in destination else socket.AF_INET
    with contextlib.suppress(OSError):
        if protocol == "tcp":
            socket.create_connection((destination, port), WAIT_S, (source, 0) if source else None).close()
            return True
        if protocol == "udp":
            with socket.socket(family, socket.SOCK_DGRAM) as one:
                _send(one, source, destination, port, b"is anybody there?")
                return bool(one.recv(4096))
        return _ping(family, source, destination)
    return False


def _ping(family: socket.AddressFamily, source: str, destination: str) -> bool:
    """Did the destination send an echo reply? A raw socket hears all ICMP of this namespace until it is connected:
    redirects and errors that other probes got are no answer."""
    kind, reply, number = (8, 0, socket.IPPROTO_ICMP) if family == socket.AF_INET else (128, 129, socket.IPPROTO_ICMPV6)
    with socket.socket(family, socket.SOCK_RAW, number) as one:
        head = struct.pack("!BBHHH", kind, 0, 0, threading.get_ident() & 0xFFFF, 1)
        _send(one, source, destination, 0, head[:2] + struct.pack("!H", _checksum(head)) + head[4:])
        until = time.monotonic() + WAIT_S
        while (left := until - time.monotonic()) > 0:
            one.settimeout(left)
            data, (sender, *_) = one.recvfrom(4096)
            begin = (data[0] & 0x0F) * 4 if family == socket.AF_INET else 0  # an IPv4 socket has the IP header as well
            if (sender, data[begin]) == (destination, reply):
                return True
    return False


def _send(one: socket.socket, source: str, destination: str, port: int, data: bytes) -> None:
    one.settimeout(WAIT_S)
    if source:
        one.bind((source, 0))
    one.connect((destination, port))
    one.send(data)


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def watch() -> None:
    found = set()
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003)) as wire:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while sys.stdin not in (ready := select.select([wire, sys.stdin], [], [])[0]) or wire in ready:
            if wire not in ready:
                continue
            data, (_, kind, direction, *_) = wire.recvfrom(4096)
            if direction != socket.PACKET_OUTGOING and kind in (IPV4, IPV6):
                found.add(str(ip_address(data[12:16] if kind == IPV4 else data[8:24])))
    print(json.dumps(sorted(found)))


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch()
    else:
        with ThreadPoolExecutor(64) as pool:
            print(json.dumps(list(pool.map(answered, json.load(sys.stdin)))))

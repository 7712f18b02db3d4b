"""Does another machine on the wire have an address? Asked as before taking one, so that none learns a wrong neighbour.

IPv4 by an ARP probe (RFC 5227, sender 0.0.0.0), IPv6 by a neighbour solicitation from :: (RFC 4862, section 5.4.2),
which the owner of the address answers to all nodes. Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from ipaddress import IPv6Address, ip_address

from ansible_collections.gpufabric.host.plugins.module_utils.gateway_probe import NOBODY, answer, request

ALL = 0x0003
"""Every protocol (ETH_P_ALL)."""
IPV6, ICMPV6, SOLICITATION, ADVERTISEMENT = 0x86DD, 58, 135, 136
HEADER = "!6s6sH"
FIXED = "!IHBB16s16s"
TRIES = 3
WAIT_S = 0.7
"""For the answers to one try."""


def solicitation(mac: str, target: str) -> bytes:
    """A neighbour solicitation for an address, from no address, as it goes onto the wire."""
    wanted = IPv6Address(target).packed
    group = IPv6Address("ff02::1:ff00:0").packed[:13] + wanted[13:]
    own, everybody = bytes.fromhex(mac.replace(":", "")), b"\x33\x33" + group[12:]
    message = struct.pack("!BBHI16s", SOLICITATION, 0, 0, 0, wanted)
    pseudo = bytes(16) + group + struct.pack("!II", len(message), ICMPV6)
    message = struct.pack("!BBHI16s", SOLICITATION, 0, checksum(pseudo + message), 0, wanted)
    fixed = struct.pack(FIXED, 6 << 28, len(message), ICMPV6, 255, bytes(16), group)
    return struct.pack(HEADER, everybody, own, IPV6) + fixed + message


def checksum(data: bytes) -> int:
    """Of the Internet (RFC 1071)."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def advertised(frame: bytes) -> str | None:
    """The address that a neighbour advertisement speaks for; None if the frame is something else."""
    start = struct.calcsize(HEADER)
    if len(frame) < start + 64 or struct.unpack_from(HEADER, frame)[2] != IPV6:
        return None
    following, kind = frame[start + 6], frame[start + 40]
    if (following, kind) != (ICMPV6, ADVERTISEMENT):
        return None
    return str(IPv6Address(frame[start + 48 : start + 64]))


def claimed(frame: bytes) -> str | None:
    """The address that the sender of this says to have."""
    address = answer(frame)
    return address[0] if address else advertised(frame)


def others_have(targets: Mapping[str, tuple[str, Sequence[str]]]) -> dict[str, dict[str, bool]]:
    """Port -> (its MAC address, addresses) becomes port -> address -> does another machine there have it?

    Raises OSError if an interface cannot be used, PermissionError without CAP_NET_RAW.
    """
    found = {port: dict.fromkeys(addresses, False) for port, (_, addresses) in targets.items()}
    sockets: dict[socket.socket, str] = {}
    try:
        for port in targets:
            one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
            sockets[one] = port
            one.bind((port, ALL))
        for _ in range(TRIES):
            for one, port in sockets.items():
                for each in (each for each, is_there in found[port].items() if not is_there):
                    one.send(_question(targets[port][0], each))
            _listen(sockets, found)
        return found
    finally:
        for one in sockets:
            one.close()


def _question(mac: str, address: str) -> bytes:
    is_v6 = ip_address(address).version == 6
    return solicitation(mac, address) if is_v6 else request(mac, NOBODY, address)


def _listen(sockets: Mapping[socket.socket, str], found: dict[str, dict[str, bool]]) -> None:
    end = time.monotonic() + WAIT_S
    while (left := end - time.monotonic()) > 0 and not all(all(each.values()) for each in found.values()):
        for one in select.select(list(sockets), [], [], left)[0]:
            frame, (_, _, kind, *_) = one.recvfrom(2048)
            address = claimed(frame) if kind != socket.PACKET_OUTGOING else None
            if address in found[sockets[one]]:
                found[sockets[one]][str(address)] = True

"""Frames on a leaf's end of a cable. Runs inside the lab's namespace, with the standard library alone.

``capture INTERFACE SECONDS COUNT`` prints what arrives from the machine, one JSON object a line: IPv4 packets, and of
RoCEv2 ones (UDP port 4791) the opcode of the base transport header. ``send INTERFACE MAC SOURCE DESTINATION`` puts one
UDP packet on the wire.
"""

import ipaddress
import json
import socket
import struct
import sys
import time

ETHERTYPE_IPV4 = 0x0800
PACKET_OUTGOING = 4
ROCE_PORT = 4791
UDP = 17
SO_RCVBUFFORCE = 33
"""asm-generic/socket.h"""
ROOM_B = 1 << 26
"""For a burst that comes faster than it is read here."""


def read(frame: bytes) -> dict[str, object] | None:
    """The fields that matter; None for what is no IPv4."""
    if struct.unpack_from("!H", frame, 12)[0] != ETHERTYPE_IPV4:
        return None
    header = 4 * (frame[14] & 0x0F)
    found: dict[str, object] = {
        "dscp": frame[15] >> 2,
        "ecn": frame[15] & 0x03,
        "bytes": struct.unpack_from("!H", frame, 16)[0],
        "protocol": frame[23],
        "source": str(ipaddress.IPv4Address(frame[26:30])),
        "destination": str(ipaddress.IPv4Address(frame[30:34])),
    }
    if frame[23] == UDP:
        found["source_port"], port = struct.unpack_from("!HH", frame, 14 + header)
        found["port"] = port
        if port == ROCE_PORT:
            found["opcode"] = frame[14 + header + 8]
    return found


def capture(interface: str, seconds: float, count: int) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_IPV4)) as wire:
        wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_B)
        wire.bind((interface, ETHERTYPE_IPV4))
        wire.settimeout(0.5)
        print("ready", flush=True)
        deadline = time.monotonic() + seconds
        while count and time.monotonic() < deadline:
            try:
                frame, (_, _, kind, _, _) = wire.recvfrom(65535)
            except TimeoutError:
                continue
            found = read(frame)
            if found and kind != PACKET_OUTGOING:
                print(json.dumps(found), flush=True)
                count -= 1


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def send(interface: str, mac: str, source: str, destination: str) -> None:
    payload = b"from one plane to another"
    udp = struct.pack("!HHHH", 40000, 40001, 8 + len(payload), 0) + payload
    addresses = ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(destination).packed
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 1, 0, 64, UDP, 0) + addresses
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
        wire.bind((interface, 0))
        own = wire.getsockname()[4]
        wire.send(bytes.fromhex(mac.replace(":", "")) + own + struct.pack("!H", ETHERTYPE_IPV4) + ip + udp)


if __name__ == "__main__":
    if sys.argv[1] == "capture":
        capture(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
    else:
        send(*sys.argv[2:6])

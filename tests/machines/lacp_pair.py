"""A pair of leaves for one bonded host, in user space: one LACP system on all legs, which passes frames on.

Runs inside the lab's namespace, with the standard library alone: ``lacp_pair.py LEG... -- [TAG:]INTERFACE...``. Each
LEG is the leaf's end of a cable. Each INTERFACE is made as a TAP that carries what comes over the legs with this VLAN's
tag, or without one; it is where the gateway's address goes. Frames to the host leave by the first leg heard lately.

LACP is of IEEE 802.1AX: a frame of slow protocols (5.2), version 1, with the TLVs actor, partner and collector (6.4.2).
"""

import fcntl
import os
import selectors
import socket
import struct
import sys
import time

SLOW, SLOW_MAC = 0x8809, bytes.fromhex("0180c2000002")
SYSTEM = bytes.fromhex("02005e000001")
"""The system that both leaves of a pair say they are."""
KEY = 7
BUNDLED = 0b0011_1111
"""Active, short timeout, aggregation, synchronization, collecting, distributing (IEEE 802.1AX, 6.4.2.3)."""
EVERY_S = 1.0
"""Of the short timeout; a leg is lost after three of them."""
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING, TP_STATUS_VLAN_VALID = 263, 8, 4, 0x10
AUXDATA = struct.Struct("IIIHHHH")
"""tpacket_auxdata of linux/if_packet.h: status, len, snaplen, mac, net, vlan_tci, vlan_tpid."""
VLAN = 0x8100
MOST_BYTES = 65535


class Leg:
    """The leaf's end of one cable."""

    def __init__(self, name: str, number: int) -> None:
        self.name, self.number, self.heard = name, number, float("-inf")
        self.partner = bytes(15)
        """What the host's own part of its last frame said: it is repeated as our partner."""
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.wire.bind((name, 0x0003))
        self.wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        # The group address of slow protocols: PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC.
        self.wire.setsockopt(SOL_PACKET, 1, struct.pack("IHH8s", socket.if_nametoindex(name), 1, 0, bytes(8)))
        self.wire.setblocking(False)

    def receive(self) -> tuple[bytes, int | None] | None:
        """(frame without its tag, its VLAN); None for what we sent ourselves."""
        frame, ancillary, _, (_, _, kind, _, _) = self.wire.recvmsg(MOST_BYTES, socket.CMSG_SPACE(AUXDATA.size))
        if kind == PACKET_OUTGOING:
            return None
        for level, what, data in ancillary:
            if (level, what) == (SOL_PACKET, PACKET_AUXDATA):
                status, _, _, _, _, tci, _ = AUXDATA.unpack(data[: AUXDATA.size])
                if status & TP_STATUS_VLAN_VALID:
                    return frame, tci & 0x0FFF
        return frame, None

    def send(self, frame: bytes) -> None:
        try:
            self.wire.send(frame)
        except OSError:  # its cable is cut
            self.heard = float("-inf")

    def lacp(self) -> bytes:
        """What we say on this leg: who we are, and who we take the host for."""
        own = struct.pack("!H6sHHHB", 0x8000, SYSTEM, KEY, 0x8000, self.number, BUNDLED)
        source = SYSTEM[:5] + bytes([self.number])
        body = b"\x01\x01" + b"\x01\x14" + own + bytes(3) + b"\x02\x14" + self.partner + bytes(3)
        body += b"\x03\x10" + bytes(14) + bytes(2) + bytes(50)
        return SLOW_MAC + source + struct.pack("!H", SLOW) + body


class Inside:
    """The TAP of one VLAN, behind the legs."""

    def __init__(self, name: str, vlan: int | None) -> None:
        self.name, self.vlan = name, vlan
        self.tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.tap, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))

    def frames(self) -> bytes:
        """One frame to the host, with its tag."""
        frame = os.read(self.tap, MOST_BYTES)
        return frame if self.vlan is None else frame[:12] + struct.pack("!HH", VLAN, self.vlan) + frame[12:]


def serve(legs: list[Leg], insides: list[Inside]) -> None:
    """Until it is killed."""
    ready = selectors.DefaultSelector()
    for each in legs:
        ready.register(each.wire, selectors.EVENT_READ, each)
    for inside in insides:
        ready.register(inside.tap, selectors.EVENT_READ, inside)
    by_vlan = {each.vlan: each for each in insides}
    print("ready", flush=True)
    spoke = 0.0
    while True:
        for key, _ in ready.select(EVERY_S / 4):
            try:
                pass_on(key.data, legs, by_vlan)
            except OSError:  # a cable that was cut, or nothing to read after all
                continue
        if time.monotonic() - spoke >= EVERY_S:
            spoke = time.monotonic()
            for each in legs:
                each.send(each.lacp())


def pass_on(side: Leg | Inside, legs: list[Leg], by_vlan: dict[int | None, Inside]) -> None:
    """One frame, from the host or to it."""
    if isinstance(side, Inside):
        frame = side.frames()
        alive = [each for each in legs if time.monotonic() - each.heard < 3 * EVERY_S]
        if alive:
            alive[0].send(frame)
        return
    got = side.receive()
    if got is None:
        return
    frame, vlan = got
    if struct.unpack_from("!H", frame, 12)[0] == SLOW:
        if frame[14] == 1:  # LACP; 2 is the marker protocol
            side.partner, side.heard = frame[18:33], time.monotonic()
            side.send(side.lacp())
    elif vlan in by_vlan:
        os.write(by_vlan[vlan].tap, frame)


def main() -> None:
    """Entry point."""
    cut = sys.argv.index("--")
    legs = [Leg(name, number) for number, name in enumerate(sys.argv[1:cut], 1)]
    parts = [each.rpartition(":") for each in sys.argv[cut + 1 :]]
    serve(legs, [Inside(name, int(tag) if tag else None) for tag, _, name in parts])


if __name__ == "__main__":
    main()

"""A pair of leaves as one bonded host sees it: one LACP system on all legs of the bond, which passes frames on.

A program of its own, for the standard library alone: it runs in the lab's namespace, in the background once it has
opened everything, and ends when a leg is removed. A leg is the leaf's end of a cable. What comes over the legs with the
tag of a VLAN, or without one, comes out of that VLAN's TAP, where the lab has the gateway; frames of the TAP go to the
host by the first leg that takes any.

LACP is of IEEE 802.1AX: a frame of slow protocols (5.2), version 1, with the TLVs actor, partner and collector (6.4.2).
It is no selection logic: legs are bundled that the same bond of the host answers on.
"""

import argparse
import fcntl
import os
import selectors
import socket
import struct
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

SLOW, SLOW_MAC = 0x8809, bytes.fromhex("0180c2000002")
LACP = 1
"""Subtype of slow protocols; 2 is the marker protocol."""
ACTIVE, SHORT, AGGREGATION, SYNCHRONIZATION, COLLECTING, DISTRIBUTING, DEFAULTED = (1 << bit for bit in range(7))
"""Bits of a state (6.4.2.3)."""
FAST_S, SLOW_S = 1.0, 30.0
"""Between two frames, to a partner that asks for the short timeout, or the long one (6.4.4)."""
LOST_AFTER = 3
"""So many frames that should have come, and did not, end a leg (6.4.4)."""
LOOKS_EVERY_S = 0.25
NEVER = float("-inf")
ETH_P_ALL, VLAN = 0x0003, 0x8100
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
SOL_PACKET, PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC = 263, 1, 1
PACKET_AUXDATA, PACKET_OUTGOING, TP_STATUS_VLAN_VALID = 8, 4, 0x10
AUXDATA = struct.Struct("IIIHHHH")
"""tpacket_auxdata of linux/if_packet.h: status, len, snaplen, mac, net, vlan_tci, vlan_tpid."""
MOST_BYTES = 65535


@dataclass(frozen=True, slots=True)
class System:
    """What the pair says of itself on every leg."""

    mac: bytes
    key: int
    is_fast: bool
    """It asks the host for a frame each second, not each 30 seconds."""

    @property
    def patience_s(self) -> float:
        """A leg that is silent for so long is lost."""
        return LOST_AFTER * (FAST_S if self.is_fast else SLOW_S)


@dataclass(slots=True, eq=False)
class Leg:
    """The leaf's end of one cable."""

    name: str
    number: int
    wire: socket.socket
    partner: bytes = bytes(15)
    """What the host's last frame said of its end: system's priority and MAC, key, port's priority and number, state."""
    heard: float = NEVER
    spoke: float = NEVER

    @property
    def partner_bond(self) -> bytes:
        """Which bond of which host answers."""
        return self.partner[2:10]

    @property
    def partner_state(self) -> int:
        return self.partner[14]

    def exists(self) -> bool:
        try:
            return socket.if_nametoindex(self.name) > 0
        except OSError:
            return False

    def receive(self) -> tuple[bytes, int | None] | None:
        """(frame without its tag, its VLAN); None for what was sent from here."""
        frame, ancillary, _, address = self.wire.recvmsg(MOST_BYTES, socket.CMSG_SPACE(AUXDATA.size))
        if address[2] == PACKET_OUTGOING:
            return None
        for level, kind, data in ancillary:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                status, *_, tci, _ = AUXDATA.unpack(data[: AUXDATA.size])
                if status & TP_STATUS_VLAN_VALID:
                    return frame, tci & 0x0FFF
        return frame, None


@dataclass(frozen=True, slots=True)
class Inside:
    """The TAP of one VLAN, behind the legs."""

    vlan: int | None
    tap: int

    def frame(self) -> bytes:
        """The next one to the host, with its tag."""
        frame = os.read(self.tap, MOST_BYTES)
        return frame if self.vlan is None else frame[:12] + struct.pack("!HH", VLAN, self.vlan) + frame[12:]


@dataclass(slots=True)
class LeafPair:
    """The pair's end of one bond."""

    system: System
    legs: Sequence[Leg]
    insides: Sequence[Inside] = field(default_factory=tuple)

    def bundled(self, now: float) -> list[Leg]:
        """The legs that are heard, and lead to the same bond of the host as the first of them."""
        heard = [each for each in self.legs if now - each.heard < self.system.patience_s]
        return [each for each in heard if each.partner_bond == heard[0].partner_bond]

    def lacp(self, leg: Leg, now: float) -> bytes:
        """What the pair says on a leg: who it is, and whom it takes the host for."""
        state = ACTIVE | AGGREGATION | (SHORT if self.system.is_fast else 0)
        if leg.heard == NEVER:
            state |= DEFAULTED
        if leg in self.bundled(now):
            state |= SYNCHRONIZATION | COLLECTING | DISTRIBUTING
        own = struct.pack("!H6sHHHB", 0x8000, self.system.mac, self.system.key, 0x8000, leg.number, state)
        body = bytes([LACP, 1]) + b"\x01\x14" + own + bytes(3) + b"\x02\x14" + leg.partner + bytes(3)
        body += b"\x03\x10" + bytes(14) + bytes(2) + bytes(50)
        return SLOW_MAC + self.system.mac[:5] + bytes([leg.number]) + struct.pack("!H", SLOW) + body

    def hear(self, leg: Leg, frame: bytes, now: float) -> bool:
        """Take note of a frame of slow protocols. True: the host said something new, which is answered at once."""
        if frame[14] != LACP:
            return False
        before, leg.partner = leg.partner, frame[18:33]
        is_new = leg.partner != before or now - leg.heard >= self.system.patience_s
        leg.heard = now
        return is_new

    def speak(self, now: float) -> None:
        """Say on each leg what is due: as often as the host asks."""
        for leg in self.legs:
            every_s = FAST_S if leg.heard == NEVER or leg.partner_state & SHORT else SLOW_S
            if now - leg.spoke >= every_s:
                self.say(leg, now)

    def say(self, leg: Leg, now: float) -> None:
        leg.spoke = now
        try:
            leg.wire.send(self.lacp(leg, now))
        except OSError:  # its end is down
            leg.heard = NEVER

    def from_host(self, leg: Leg, now: float) -> None:
        """One frame of a leg."""
        got = leg.receive()
        if got is None:
            return
        frame, vlan = got
        if struct.unpack_from("!H", frame, 12)[0] == SLOW:
            if self.hear(leg, frame, now):
                self.say(leg, now)
        elif leg in self.bundled(now):
            for inside in self.insides:
                if inside.vlan == vlan:
                    os.write(inside.tap, frame)

    def to_host(self, inside: Inside, now: float) -> None:
        """One frame of a VLAN, by the first leg that the host takes frames on."""
        frame = inside.frame()
        leg = next((each for each in self.bundled(now) if each.partner_state & COLLECTING), None)
        if leg is not None:
            leg.wire.send(frame)

    def serve(self) -> None:
        """Until a leg is removed."""
        ready = selectors.DefaultSelector()
        for leg in self.legs:
            ready.register(leg.wire, selectors.EVENT_READ, leg)
        for inside in self.insides:
            ready.register(inside.tap, selectors.EVENT_READ, inside)
        while all(each.exists() for each in self.legs):
            self.speak(time.monotonic())
            deadline = time.monotonic() + LOOKS_EVERY_S
            while (left_s := deadline - time.monotonic()) > 0:
                for key, _ in ready.select(left_s):
                    self._pass_on(key.data)

    def _pass_on(self, side: Leg | Inside) -> None:
        try:
            if isinstance(side, Leg):
                self.from_host(side, time.monotonic())
            else:
                self.to_host(side, time.monotonic())
        except OSError:  # an end that is down, or nothing to read after all
            time.sleep(0.001)


def open_leg(name: str, number: int) -> Leg:
    """Raises OSError if there is no such interface."""
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    wire.bind((name, ETH_P_ALL))
    wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    everything = struct.pack("IHH8s", socket.if_nametoindex(name), PACKET_MR_PROMISC, 0, bytes(8))
    wire.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, everything)
    wire.setblocking(False)
    return Leg(name, number, wire)


def open_inside(name: str, vlan: int | None) -> Inside:
    """Raises OSError if there is no such TAP, or a process has it open."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return Inside(vlan, tap)


def in_background(log: str) -> bool:
    """Go on in a process of its own, which writes to this file. False in the one that was started: it is to end."""
    if os.fork():
        return False
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (output, 2)):
        os.dup2(descriptor, target)
    return True


def main(words: Iterable[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description="A pair of leaves, as one bonded host of the lab sees it.")
    parser.add_argument("--system", type=bytes.fromhex, required=True, help="MAC address, without separators")
    parser.add_argument("--key", type=int, required=True)
    parser.add_argument("--rate", choices=["fast", "slow"], required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--leg", action="append", required=True, help="an interface")
    parser.add_argument("--inside", action="append", default=[], help="[VLAN:]TAP")
    given = parser.parse_args(None if words is None else list(words))
    legs = [open_leg(name, number) for number, name in enumerate(given.leg, 1)]
    parts = [each.rpartition(":") for each in given.inside]
    insides = [open_inside(name, int(vlan) if vlan else None) for vlan, _, name in parts]
    pair = LeafPair(System(given.system, given.key, given.rate == "fast"), legs, insides)
    if in_background(given.log):
        pair.serve()


if __name__ == "__main__":
    main()

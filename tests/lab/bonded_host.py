"""A host with a bond, played at the cables' ends where a machine would be: it speaks LACP and Ethernet by hand.

Frames are put together from IEEE 802.1AX (6.4.2), 802.1Q and RFC 826, not with what plays the leaves.
"""

import fcntl
import os
import select
import socket
import struct
import time
from collections.abc import Callable

from nornir_tasks.lab.machines.plan import Bond, BondVlan, MachinePlan, Rail, machine_plan

PATIENCE_S = 30.0
SLOW_PROTOCOLS = bytes.fromhex("0180c2000002")
HOST_STATE = 0x3F
"""Active, short timeout, aggregatable, in sync, collecting, distributing."""
STORAGE = BondVlan("vlan-a", "pair-1:storage", None, 9214, "02:00:00:00:aa:01", ("10.176.0.1/25",))
BUSINESS = BondVlan("vlan-b", "pair-1:business", 300, 1500, "02:00:00:00:bb:01", ("10.177.0.1/25", "fd00:300::1/64"))


def planned(index: int = 0, *, is_fast: bool = True) -> MachinePlan:
    """A host with a bond to a pair, storage untagged and business in VLAN 300."""
    members = tuple(Rail(f"front{n}", f"0000:00:{0x10 + n:02x}.0", None, "", 25000) for n in range(2))
    names = tuple(each.name for each in members)
    bond = Bond("front", names, "02:5e:00:00:00:01", index + 1, is_fast, (STORAGE, BUSINESS))
    return machine_plan(f"gpu-{index + 1}", index, members, (bond,))


class BondedHost:
    """The two ends of its cables. ``taps`` are interfaces of this network namespace, before they are moved."""

    def __init__(self, taps: list[str], number: int = 1) -> None:
        self.mac = bytes.fromhex(f"0c42a10000{number:02x}")
        self.ends = []
        for tap in taps:
            end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(end, 0x400454CA, struct.pack("16sH", tap.encode(), 0x0002 | 0x1000))
            self.ends.append(end)

    def close(self) -> None:
        for end in self.ends:
            os.close(end)

    def speak_lacp(self, leg: int, state: int = HOST_STATE, key: int = 9) -> None:
        """One LACPDU on a leg; as its partner nobody, as in a first one."""
        own = struct.pack("!BBH6sHHHB3x", 1, 20, 0xFFFF, self.mac, key, 255, leg + 1, state)
        nobody = struct.pack("!BB15x3x", 2, 20)
        rest = struct.pack("!BBH12x", 3, 16, 0) + bytes(52)
        os.write(self.ends[leg], SLOW_PROTOCOLS + self.mac + b"\x88\x09\x01\x01" + own + nobody + rest)

    def ask_for(self, address: str, leg: int, vlan: int | None = None, mine: str = "10.176.0.9") -> None:
        """An ARP request."""
        tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
        body = struct.pack("!HHBBH6s4s6x4s", 1, 0x0800, 6, 4, 1, self.mac, *map(socket.inet_aton, (mine, address)))
        os.write(self.ends[leg], b"\xff" * 6 + self.mac + tag + b"\x08\x06" + body)

    def send(self, leg: int, to: bytes, payload: bytes) -> None:
        """An untagged frame of an EtherType for local experiments (IEEE 802)."""
        os.write(self.ends[leg], to + self.mac + b"\x88\xb5" + payload)

    def hear(self, leg: int, wanted: Callable[[bytes], bool]) -> bytes:
        """The next such frame on a leg. Fails when none comes."""
        deadline = time.monotonic() + PATIENCE_S
        while (left_s := deadline - time.monotonic()) > 0:
            if select.select([self.ends[leg]], [], [], left_s)[0] and wanted(frame := os.read(self.ends[leg], 65535)):
                return frame
        raise AssertionError(f"no such frame on leg {leg} within {PATIENCE_S:.0f} s")

    def join(self, key: int = 9) -> None:
        """Bring the bond up on both legs."""
        for leg in range(len(self.ends)):
            self.speak_lacp(leg, key=key)
            self.hear(leg, lambda frame: is_lacp(frame) and frame[32] & 0x38 == 0x38)


def is_lacp(frame: bytes) -> bool:
    return frame[:6] == SLOW_PROTOCOLS and frame[12:15] == b"\x88\x09\x01"


def is_answer(frame: bytes, address: str, vlan: int | None) -> bool:
    """Is it ARP's answer from this address, in this VLAN?"""
    head = b"\x08\x06" if vlan is None else struct.pack("!HH", 0x8100, vlan) + b"\x08\x06"
    body = frame[12 + len(head) :]
    return frame[12:].startswith(head) and body[6:8] == b"\0\2" and body[14:18] == socket.inet_aton(address)

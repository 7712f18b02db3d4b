"""A host's NIC as a machine has it: a TAP that a process of ours has open, as QEMU would, and frames from it.

``ANNOUNCED`` is a frame that lldpd 1.0.16 of Debian 12 sent from a lab machine whose name is gpu-1, after ``lldpcli
configure lldp portidsubtype ifname``, on its interface ens16; recorded at its leaf's port with a packet socket.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from typing import Any

_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
"""linux/if_tun.h"""
SYSTEM, PORT = "gpu-1", "ens16"
ANNOUNCED = bytes.fromhex(
    "0180c200000e525400f387f088cc0207045254005c03c6040605656e733136060200080a056770752d310c6f44656269616e20474e552f4c696e"
    "75782031322028626f6f6b776f726d29204c696e757820362e312e302d35362d616d64363420233120534d5020505245454d50545f44594e414d"
    "49432044656269616e20362e312e3139322d322028323032362d31312d313629207838365f36340e04009c0080100c05010a00020f0200000002"
    "0010181102fe80000000000000505400fffe1b13a90200000005000805656e733136fe0900120f030100000000fe0900120f0100800000000000"
)


class TapHost:
    """One NIC. Used as a context: the TAP is gone afterwards."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> TapHost:
        subprocess.run(["ip", "tuntap", "add", self.name, "mode", "tap"], check=True)
        self.open()
        return self

    def open(self) -> None:
        """As QEMU does when a machine starts: the TAP has its carrier."""
        self._file = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self._file, _TUNSETIFF, struct.pack("16sH22x", self.name.encode(), _IFF_TAP | _IFF_NO_PI))

    def power_off(self) -> None:
        """As when a machine's process ends."""
        os.close(self._file)

    def announce(self) -> None:
        """Send the recorded frame."""
        os.write(self._file, ANNOUNCED)

    def __exit__(self, *_: Any) -> None:
        subprocess.run(["ip", "link", "delete", self.name], check=False, capture_output=True)

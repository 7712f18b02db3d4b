"""Names of a switch's interfaces as the kernel takes them."""

from __future__ import annotations

import re
import zlib

LONGEST = 15
"""IFNAMSIZ without its final zero byte (linux/if.h); neither "/" nor white space may be in a name (dev_valid_name)."""
LOOPBACK = "lo"
BRIDGE = "bridge"
"""All switched ports of a switch are this bridge's."""
ALWAYS_UP = "always-up"
"""A port of the bridge without a cable, for VLANs' interfaces that are up without one."""
_FIRST_TABLE = 1001
_NAME = re.compile(r"([A-Za-z-]+)([0-9./]*)")


def kernel_name(interface: str, *, is_loopback: bool = False) -> str:
    """``Ethernet1/31`` is ``et1_31``; a name the kernel takes stays as it is. All loopbacks are ``lo``."""
    if is_loopback:
        return LOOPBACK
    if len(interface) <= LONGEST and "/" not in interface:
        return interface
    found = _NAME.fullmatch(interface)
    if found is None:
        raise ValueError(f"the kernel has no name for {interface!r}")
    return found[1][:2].lower() + found[2].replace("/", "_")


def gateway_name(interface: str, *, is_six: bool = False) -> str:
    """The kernel's interface that answers for the gateway on another one; ``is_six``: for one of IPv6 alone."""
    return f"{kernel_name(interface)[: LONGEST - 3]}-v{6 if is_six else 0}"


def vrf_name(vrf: str) -> str:
    """The kernel's interface of a VRF, by which FRR knows it too; too long a name ends in a part of its hash."""
    if len(vrf) <= LONGEST and not {"/", " "} & {*vrf}:
        return vrf
    return f"{re.sub('[^A-Za-z0-9_-]', '_', vrf)[:8]}-{zlib.crc32(vrf.encode()) & 0xFFFFFF:06x}"


def table_of(vrf: str) -> int:
    """The number of a VRF's routing table: the same each time, whatever other VRFs there are."""
    return _FIRST_TABLE + zlib.crc32(vrf.encode()) % 1_000_000_000

"""Names of a switch's interfaces as the kernel takes them."""

from __future__ import annotations

import re

LONGEST = 15
"""IFNAMSIZ without its final zero byte (linux/if.h); neither "/" nor white space may be in a name (dev_valid_name)."""
LOOPBACK = "lo"
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

"""Ports that roles do not set up: InfiniBand, and NICs whose settings no role knows. Said before anything is changed.

Reads files under ``root`` only; standard library, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .roce_device import text

INFINIBAND = "32"
"""ARPHRD_INFINIBAND, as /sys/class/net/NAME/type shows it (Linux, include/uapi/linux/if_arp.h)."""
UNKNOWN = {"bnxt_en": "Broadcom", "ionic": "AMD Pensando"}
"""Drivers of Ethernet NICs with RDMA (Linux, drivers/infiniband/hw/bnxt_re, drivers/infiniband/hw/ionic), by vendor."""


def refusal(ports: Iterable[str], root: Path) -> str:
    """One sentence about those of these interfaces that no role sets up; empty if there are none."""
    kinds: dict[str, list[str]] = {}
    for port in ports:
        if kind := _kind(root / "sys/class/net" / port):
            kinds.setdefault(kind, []).append(port)
    if not kinds:
        return ""
    found = " and ".join(f"{', '.join(sorted(names))} of {kind}" for kind, names in sorted(kinds.items()))
    return (
        f"no role sets up {found}, and nothing was changed: rails are Ethernet ports of NVIDIA (mlx5_core), or of "
        "Soft-RoCE; leave this host out (--limit), or take these ports out of its rails in the intent"
    )


def _kind(port: Path) -> str:
    if text(port / "type") == INFINIBAND:
        return "InfiniBand, whose ports host_validate judges by host_validate_infiniband"
    driver = port / "device/driver"
    name = driver.resolve().name if driver.exists() else ""
    return f"{UNKNOWN[name]} ({name})" if name in UNKNOWN else ""

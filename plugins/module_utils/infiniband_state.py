"""InfiniBand ports of a host, as the kernel shows them.

Files and their forms: Linux, Documentation/ABI/stable/sysfs-class-infiniband and drivers/infiniband/core/sysfs.c
(``4: ACTIVE``, ``5: LinkUp``, ``400 Gb/sec (4X NDR)``, ``0x1`` for LIDs, ``0x7fff`` for a key).
Reads files under ``root`` only; standard library, Python 3.9.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .roce_device import text

COUNTERS = (
    *("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "local_link_integrity_errors"),
    *("excessive_buffer_overrun_errors", "port_rcv_remote_physical_errors", "port_xmit_discards"),
    *("port_xmit_constraint_errors", "port_rcv_constraint_errors", "VL15_dropped"),
)
_RATE = re.compile(r"(?P<gbps>\d+(?:\.\d+)?) Gb/sec \((?P<width>\d+)X ?(?P<speed>\w*)\)")


def infiniband_ports(root: Path) -> dict[str, dict[str, Any]]:
    """``mlx5_0/1`` -> link_layer, state, physical, rate_gbps, width, speed, lid, sm_lid, partitions, errors.

    Of every port of every RDMA device, those of Ethernet included. A value is None where the kernel shows none.
    """
    folder = root / "sys/class/infiniband"
    ports = sorted(folder.glob("*/ports/*")) if folder.is_dir() else []
    return {f"{port.parents[1].name}/{port.name}": _port(port) for port in ports}


def _port(port: Path) -> dict[str, Any]:
    rate = _RATE.fullmatch(text(port / "rate"))
    counters = {name: text(port / "counters" / name) for name in COUNTERS}
    keys = (text(each) for each in sorted((port / "pkeys").glob("*"), key=lambda each: int(each.name)))
    return {
        "link_layer": text(port / "link_layer") or None,
        "state": _name(text(port / "state")),
        "physical": _name(text(port / "phys_state")),
        "rate_gbps": float(rate["gbps"]) if rate else None,
        "width": int(rate["width"]) if rate else None,
        "speed": rate["speed"] if rate else None,
        "lid": _number(text(port / "lid")),
        "sm_lid": _number(text(port / "sm_lid")),
        "partitions": sorted({f"0x{int(key, 16):04x}" for key in keys if key and int(key, 16)}),
        "errors": {name: int(value) for name, value in counters.items() if value.isdigit()},
    }


def _name(value: str) -> str | None:
    """``4: ACTIVE`` -> ACTIVE."""
    return value.partition(": ")[2] or None


def _number(value: str) -> int | None:
    return int(value, 16) if value else None

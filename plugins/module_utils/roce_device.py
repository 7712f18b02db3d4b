"""The RDMA device of a network interface. The only place that determines it: for facts, roles, service and checks.

Reads files under ``root`` only; standard library, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIRST_GIDS = 4
"""Number of entries of a GID table that are examined. The first two are the port's own (RoCE v1 and v2 of its
link-local address); those of VLANs and other upper devices come later (Linux
drivers/infiniband/core/roce_gid_mgmt.c). They are opened by number: a table has up to a thousand entries (1,024 of
Soft-RoCE), and to list them takes longer than all the rest of what is read of a rail."""


@dataclass(frozen=True)
class RdmaPort:
    """One port of an RDMA device, and its network interface; empty if it has none."""

    device: str
    port: int
    interface: str


def rdma_ports(root: Path) -> list[RdmaPort]:
    """Every port of every RDMA device, in order of names."""
    return list(_ports(root))


def port_of(root: Path, interface: str) -> RdmaPort | None:
    """The RDMA port of a network interface; None if it has none."""
    return next((each for each in _ports(root) if each.interface == interface), None) if interface else None


def text(path: Path) -> str:
    """A file without surrounding blanks; empty if it cannot be read, as with an unused GID entry (EINVAL)."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _ports(root: Path) -> Iterator[RdmaPort]:
    for device in _folders(root / "sys/class/infiniband"):
        for port in _numbers(device / "ports") or [1]:
            yield RdmaPort(device.name, port, _interface_of(device, port))


def _interface_of(device: Path, port: int) -> str:
    """From the GID table; while that is empty, from rxe's parent, or as the PCI device's only interface."""
    owners = device / "ports" / str(port) / "gid_attrs/ndevs"
    found = next(filter(None, (text(owners / str(slot)) for slot in range(FIRST_GIDS))), "")
    if found:
        return found
    siblings = [folder.name for folder in _folders(device / "device/net")]
    return text(device / "parent") or (siblings[0] if port == 1 and len(siblings) == 1 else "")


def _folders(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else []


def _numbers(path: Path) -> list[int]:
    return sorted(int(each.name) for each in _folders(path) if each.name.isdigit())

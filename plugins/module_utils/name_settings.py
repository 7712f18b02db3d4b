"""What on a host gives network interfaces their names at boot: the settings, the ports and the files' order.

Read by name_netplan, name_udev, name_cloud_init and name_profiles; name_sources joins them. It runs on hosts, Python
3.9; files are read below an injected ``root``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

CUT, ASIDE, DISABLE = "cut", "aside", "disable"
"""How a setting is taken away: its text is cut out of the file; the file is moved away; cloud-init is told to leave the
network alone."""


@dataclass(frozen=True)
class NameSetting:
    """One place of a host's configuration that names interfaces, or hands them to another profile than ours."""

    by: str
    """What reads it: netplan, cloud-init, udev, NetworkManager."""
    file: str
    """Path on the host."""
    line: int
    """From 1; 0 where the place is a whole file."""
    key: str
    """The key as the file has it: ``network.ethernets.ens16.set-name``."""
    name: str
    """The name it gives; "" if it gives none, and yet takes the interface."""
    netdevs: tuple[str, ...]
    """The interfaces it is about, by their present names."""
    way: str = CUT
    """CUT, ASIDE or DISABLE."""
    kept: str = ""
    """Why it cannot be taken away by the role; "" if it can."""
    certain: bool = True
    """False: whether it applies shows at boot only."""
    span: tuple[int, int, str] = (0, 0, "")
    """For CUT: start and end in the text, and what stands there afterwards."""


@dataclass(frozen=True)
class Parent:
    """A device on the way from an interface to the root of /sys, the interface itself first."""

    path: Path
    driver: str
    subsystem: str


@dataclass(frozen=True)
class Port:
    """One NIC port of the host, as udev sees it at boot."""

    netdev: str
    mac: str
    pci: str
    parents: tuple[Parent, ...]

    def attribute(self, name: str, parent: int = 0) -> str | None:
        """A file of its device in /sys; the address is the permanent one, which it has at boot."""
        if name == "address" and parent == 0:
            return self.mac
        try:
            return (self.parents[parent].path / name).read_text(encoding="utf-8", errors="replace").strip()
        except (OSError, IndexError):
            return None


def port_of(netdev: str, mac: str | None, pci: str | None, root: Path) -> Port:
    """The port with its parents, from /sys."""
    path = (root / "sys/class/net" / netdev).resolve()
    device = path / "device"
    end = root.resolve()
    chain = [path, *([device.resolve(), *device.resolve().parents] if device.exists() else [])]
    below = [each for each in chain if each == path or (end / "sys/devices") in each.parents]
    parents = tuple(Parent(each, _link(each / "driver"), _link(each / "subsystem")) for each in below)
    return Port(netdev, (mac or "").lower(), (pci or "").lower(), parents)


def _link(path: Path) -> str:
    return path.resolve().name if path.is_symlink() else ""


def layered(root: Path, folders: Sequence[str], suffix: str) -> Iterator[Path]:
    """Files in the order in which they count: by name, of one name the first folder's; masked ones are left out."""
    found: dict[str, Path] = {}
    for folder in folders:
        for path in (root / folder).glob(f"*{suffix}"):
            found.setdefault(path.name, path)
    for _, path in sorted(found.items()):
        masked = path.is_symlink() and os.readlink(path) == os.devnull  # noqa: PTH115 (Path.readlink needs more)
        if not masked and path.is_file() and path.stat().st_size:
            yield path


def shown(path: Path, root: Path) -> str:
    """The path as on the host."""
    return f"/{path.relative_to(root)}"


def text_of(path: Path) -> str:
    """Content; bytes that are not UTF-8 are kept."""
    return path.read_bytes().decode("utf-8", errors="surrogateescape")


def line_at(text: str, place: int) -> int:
    """Number of the line, from 1."""
    return text.count("\n", 0, place) + 1


def like(value: str | None, pattern: str) -> bool:
    """Patterns of udev and systemd: shell globs, with | between alternatives; a missing value matches nothing."""
    return value is not None and any(fnmatchcase(value, each) for each in pattern.split("|"))


def kept_for(file: str) -> str:
    """Why a file of this folder cannot be taken over; "" if it can."""
    if file.startswith("/run/"):
        return "it is made again at each boot"
    if not file.startswith("/etc/"):
        return f"it belongs to a package; mask it by a file of that name below /etc, such as a link to {os.devnull}"
    return ""

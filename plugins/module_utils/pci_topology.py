"""A host's PCI tree: GPUs, the rails' NICs, and the bridges above them.

Standard library only (it runs on hosts, Python 3.9). Files are read below an injected ``root``; nothing is changed. The
tree is that of sysfs: the path of /sys/bus/pci/devices/<address> names every bridge above a device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.pci_config import decode
except ImportError:  # in a test
    from pci_config import decode

PCI_DEVICES = "sys/bus/pci/devices"
ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
NVIDIA = "0x10de"
GPU_CLASSES = ("0x0300", "0x0302")
"""Display controllers: VGA, 3D (pci.ids)."""
NVSWITCH_CLASS = "0x0680"
"""Other bridge: NVSwitches up to HGX H200, which a fabric manager sets up."""


def text(path: Path) -> str | None:
    """The file's text; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """The file's number; None if there is none."""
    found = text(path)
    return int(found) if found is not None and re.fullmatch(r"-?\d+", found) else None


def path_of(device: Path) -> list[str]:
    """Addresses from the port of the root complex down to the device itself."""
    return [part for part in device.resolve().parts if ADDRESS.fullmatch(part)]


def kernel_path(path: Sequence[str]) -> str:
    """The device as a path for the kernel's `pci=` options: `0000:15:01.0/00.0/00.0`.

    More robust than the address against bus numbers that change (Documentation/admin-guide/kernel-parameters.txt).
    """
    return "/".join([path[0], *(address.rpartition(":")[2] for address in path[1:])])


def describe(device: Path) -> dict[str, Any]:
    """One device: where it is, and what its configuration space and the kernel say."""
    try:
        config = (device / "config").read_bytes()
    except OSError:
        config = b""
    group = device / "iommu_group"
    driver = device / "driver"
    path = path_of(device)
    return {
        "path": path,
        "kernel_path": kernel_path(path),
        "id": f"{text(device / 'vendor')}:{text(device / 'device')}".replace("0x", ""),
        "numa_node": number(device / "numa_node"),
        "driver": driver.resolve().name if driver.exists() else None,
        "iommu": (text(group / "type") or "not said") if group.exists() else "off",
        **decode(config),
    }


def _by_address(root: Path) -> dict[str, Path]:
    places = (root / PCI_DEVICES).glob("*")
    return {place.name: place for place in sorted(places) if ADDRESS.fullmatch(place.name)}


def _of_nvidia(places: Mapping[str, Path], classes: Sequence[str]) -> list[str]:
    return [
        address
        for address, place in places.items()
        if text(place / "vendor") == NVIDIA and (text(place / "class") or "").startswith(tuple(classes))
    ]


def nic_of(root: Path, match: Mapping[str, str | None]) -> str | None:
    """PCI address of the NIC port with this PCI or MAC address; None if the host has none such."""
    pci, mac = (match.get("pci") or "").lower(), (match.get("mac") or "").lower()
    if pci:
        return pci if (root / PCI_DEVICES / pci).exists() else None
    for interface in sorted((root / "sys/class/net").glob("*")):
        if text(interface / "address") == mac and (interface / "device").exists():
            found = path_of(interface / "device")
            if found:
                return found[-1]
    return None


def common(one: Sequence[str], other: Sequence[str]) -> str | None:
    """The lowest bridge that is above both devices; None if they meet in the root complex only."""
    above = [a for a, b in zip(one[:-1], other[:-1]) if a == b]  # noqa: B905 (Python 3.9)
    return above[-1] if above else None


def between(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The bridges on the way from one device to the other, but for the one above both: where a request turns."""
    top = common(one, other)
    if top is None:
        return []
    return [address for path in (one, other) for address in path[path.index(top) + 1 : -1]]


def nearest(device: Sequence[str], others: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of those that share the lowest switch with a device; none if all meet it in the root complex only."""
    depth = {name: list(device).index(top) for name, path in others.items() if (top := common(device, path))}
    return [name for name, at in depth.items() if at == max(depth.values())]


def pairs(
    rails: Sequence[str], gpus: Sequence[str], named: Mapping[str, Sequence[str]]
) -> tuple[dict[str, list[str]], str]:
    """(rail -> the GPUs it should serve, why they cannot be known).

    Named ones as named; else both in order: GPU 0 on rail 0; with fewer of one kind, each serves as many of the other.
    """
    if named:
        unknown = sorted({gpu for each in named.values() for gpu in each} - set(gpus))
        missing = [rail for rail in rails if not named.get(rail)]
        reasons = [("no GPU at", unknown), ("no GPU named for", missing)]
        why = "; ".join(f"{what} {', '.join(names)}" for what, names in reasons if names)
        return {rail: list(named.get(rail, ())) for rail in rails}, why
    less, more = sorted((len(rails), len(gpus)))
    if not less or more % less:
        return {rail: [] for rail in rails}, f"{len(gpus)} GPUs and {len(rails)} rails cannot be paired evenly"
    turns = [(number * len(rails) // more, number * len(gpus) // more) for number in range(more)]
    return {rail: [gpus[gpu] for at, gpu in turns if at == place] for place, rail in enumerate(rails)}, ""


def tree(root: Path, rails: Sequence[Mapping[str, Any]], named: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """``gpus`` (address -> nearest rails), ``rails``, ``nvswitches``, ``devices`` (address -> facts), ``unpaired``.

    ``rails``: name and match of each; only GPUs, rails' NICs and what is above them are described. Of a rail: ``nic``,
    ``gpus`` that it should serve, ``ways`` (GPU -> ports on the way, where a switch is common). ``unpaired``: of pairs.
    """
    places = _by_address(root)
    gpus = _of_nvidia(places, GPU_CLASSES)
    nics = {rail["name"]: nic_of(root, rail["match"]) for rail in rails}
    devices: dict[str, Any] = {}
    for end in (*gpus, *(nic for nic in nics.values() if nic)):
        for address in path_of(places[end]):
            if address not in devices:
                devices[address] = describe(places[address])
    paths = {name: devices[nic]["path"] for name, nic in nics.items() if nic}
    served, unpaired = pairs(list(nics), gpus, named)
    found = {}
    for name, nic in nics.items():
        switched = [gpu for gpu in served[name] if nic and gpu in devices and common(paths[name], devices[gpu]["path"])]
        ways = {gpu: between(paths[name], devices[gpu]["path"]) for gpu in switched}
        found[name] = {"nic": nic, "gpus": served[name], "ways": ways}
    return {
        "gpus": {gpu: nearest(devices[gpu]["path"], paths) for gpu in gpus},
        "nvswitches": _of_nvidia(places, (NVSWITCH_CLASS,)),
        "rails": found,
        "devices": devices,
        "unpaired": unpaired,
    }

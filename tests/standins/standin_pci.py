"""A PCI tree in sysfs for a host of GPUs, with the driver's files: plain files below ROOT, no mount.

    standin_pci.py make ROOT --tree hgx_h200 [--switches 2] [--rail rail0=0c:42:a1:00:00:10]... [--closed] [--no-driver]
                              the tree of pcie/hgx_h200.json; the NICs in order get these interfaces
                   [--acs-off]  as a kernel without an IOMMU leaves it
    standin_pci.py boot ROOT  what the kernel does at boot: ACS redirect on for every port that has it, but for those of
                              `pci=disable_acs_redir=` in ROOT/proc/cmdline

A tree is a composite and says of what. Of the configuration space only the fields that somebody reads are there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPEEDS = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}
EXPRESS_AT, ACS_AT, ATS_AT = 0x68, 0x148, 0x480
PORT_TYPE = {"root": 4, "upstream": 5, "downstream": 6, "gpu": 0, "nic": 0, "nvswitch": 0}
CLASS = {"gpu": 0x030200, "nic": 0x020000, "nvswitch": 0x068000}
READ_REQUEST_512 = 2 << 12
ACS_AS_THE_KERNEL_SETS_IT = 0x1D  # source validation, request and completion redirect, upstream forwarding
REDIRECT = 0x2C


def put(space: bytearray, offset: int, value: int, size: int = 2) -> None:
    space[offset : offset + size] = value.to_bytes(size, "little")


def config_space(kind: str, identity: str, speed: float, lanes: int, *, ats: bool) -> bytes:
    """4096 bytes: header, Express capability, and ACS of ports or ATS of NICs."""
    space = bytearray(4096)
    vendor, device = (int(part, 16) for part in identity.split(":"))
    put(space, 0x00, vendor)
    put(space, 0x02, device)
    put(space, 0x06, 0x10)
    put(space, 0x09, CLASS.get(kind, 0x060400), 3)
    space[0x34] = EXPRESS_AT
    link = SPEEDS[speed] | lanes << 4
    put(space, EXPRESS_AT, 0x0010)
    put(space, EXPRESS_AT + 2, 2 | PORT_TYPE[kind] << 4)
    put(space, EXPRESS_AT + 8, READ_REQUEST_512 | 0x2930 & 0x0FFF)
    put(space, EXPRESS_AT + 0x0C, link, 4)
    put(space, EXPRESS_AT + 0x12, link)
    put(space, 0x100, 0x0001 | 1 << 16 | ACS_AT << 20, 4)  # error reporting comes first, as on real ports
    last = 0x0000 if kind != "nic" or not ats else ATS_AT
    acs = 0x000D if kind in ("root", "downstream") else 0x000B
    put(space, ACS_AT, acs | 1 << 16 | last << 20, 4)
    if acs == 0x000D:
        put(space, ACS_AT + 4, 0x1F)
    if last:
        put(space, ATS_AT, 0x000F | 1 << 16, 4)
        put(space, ATS_AT + 6, 0x8000)
    return bytes(space)


def kind_of(path: list[str], place: int, kind: str) -> str:
    """A bridge's kind follows from its place: switches have a port up, then ports down."""
    if place == len(path) - 1:
        return kind
    return "root" if place == 0 else ("upstream", "downstream")[(place - 1) % 2]


class Tree:
    """Below ROOT."""

    def __init__(self, root: Path, tree: dict) -> None:
        self.root, self.tree = root, tree
        self.devices = root / "sys/bus/pci/devices"
        self.devices.mkdir(parents=True, exist_ok=True)

    def device(self, path: list[str], kind: str, numa_node: int) -> Path:
        folder = self.root / "sys/devices" / f"pci{path[0][:7]}"
        folder = folder.joinpath(*path)
        if folder.is_dir():
            return folder
        folder.mkdir(parents=True)
        bridge = kind in ("root", "upstream", "downstream")
        identity = self.tree["ids"]["bridge" if bridge else kind]
        (folder / "vendor").write_text(f"0x{identity[:4]}\n")
        (folder / "device").write_text(f"0x{identity[5:]}\n")
        (folder / "class").write_text(f"0x{CLASS.get(kind, 0x060400):06x}\n")
        (folder / "numa_node").write_text(f"{numa_node}\n")
        speed, lanes = self.tree["speed_gt_s"], self.tree["lanes"]
        (folder / "config").write_bytes(config_space(kind, identity, speed, lanes, ats=self.tree["ats"]))
        group = self.root / "sys/kernel/iommu_groups" / str(len(list(self.devices.iterdir())))
        group.mkdir(parents=True)
        (group / "type").write_text("identity\n")
        (folder / "iommu_group").symlink_to(os.path.relpath(group, folder))
        (self.devices / path[-1]).symlink_to(os.path.relpath(folder, self.devices))
        return folder

    def grow(self, switches: int | None, rails: list[tuple[str, str]]) -> None:
        roots = list(dict.fromkeys(end["path"][0] for end in self.tree["ends"]))[:switches]
        waiting = list(rails)
        for end in self.tree["ends"]:
            if end["path"][0] not in roots:
                continue
            for place in range(len(end["path"])):
                above = end["path"][: place + 1]
                folder = self.device(above, kind_of(end["path"], place, end["kind"]), end["numa_node"])
            if end["kind"] == "nic" and waiting:
                self.interface(folder, *waiting.pop(0))
        for address in self.tree["nvswitches"]:
            self.device([address], "nvswitch", -1)

    def interface(self, folder: Path, name: str, mac: str) -> None:
        net = folder / "net" / name
        net.mkdir(parents=True)
        (net / "address").write_text(mac + "\n")
        (net / "device").symlink_to("../..")
        known = self.root / "sys/class/net"
        known.mkdir(parents=True, exist_ok=True)
        (known / name).symlink_to(os.path.relpath(net, known))


def driver(root: Path, *, closed: bool) -> None:
    """A driver and its fabric manager of one version, as Debian's packages have them."""
    version = "580.95.05"
    line = f"NVIDIA UNIX x86_64 Kernel Module  {version}  Tue Sep 23 10:11:16 UTC 2025"
    if not closed:
        line = f"NVIDIA UNIX Open Kernel Module for x86_64  {version}  Release Build  (dvs-builder@U22-I3-B17-02-5)"
    files = {
        "proc/driver/nvidia/version": f"NVRM version: {line}\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
        "var/lib/dpkg/status": "".join(
            f"Package: {name}\nStatus: install ok installed\nVersion: {version}-1\n\n"
            for name in ("nvidia-open", "nvidia-fabricmanager-580")
        ),
        "sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs": "4711\n",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def wanted_off(cmdline: str) -> list[list[str]]:
    """Devices of `pci=disable_acs_redir=`, each as its address and the steps below it; the last one given counts."""
    found = re.findall(r"(?:^| )pci=disable_acs_redir=(\S+)", cmdline)
    return [each.split("/") for each in found[-1].split(";")] if found else []


def boot(root: Path) -> None:
    """Set ACS of every port that has it."""
    off = wanted_off((root / "proc/cmdline").read_text())
    for place in (root / "sys/bus/pci/devices").iterdir():
        config = bytearray((place / "config").read_bytes())
        if int.from_bytes(config[ACS_AT : ACS_AT + 2], "little") != 0x000D:
            continue
        path = [
            part for part in place.resolve().parts if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d", part)
        ]
        steps = [path[0], *(part[8:] for part in path[1:])]
        control = ACS_AS_THE_KERNEL_SETS_IT & ~(REDIRECT if steps in off or [path[-1]] in off else 0)
        put(config, ACS_AT + 6, control)
        (place / "config").write_bytes(config)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["make", "boot"])
    parser.add_argument("root", type=Path)
    parser.add_argument("--tree", default="hgx_h200")
    parser.add_argument("--switches", type=int)
    parser.add_argument("--rail", action="append", default=[])
    parser.add_argument("--closed", action="store_true")
    parser.add_argument("--no-driver", action="store_true")
    parser.add_argument("--acs-off", action="store_true")
    given = parser.parse_args()
    if given.what == "make":
        tree = json.loads((HERE / "pcie" / f"{given.tree}.json").read_text())
        Tree(given.root, tree).grow(given.switches, [tuple(rail.split("=", 1)) for rail in given.rail])
        if not given.no_driver:
            driver(given.root, closed=given.closed)
        (given.root / "proc/sys/kernel").mkdir(parents=True, exist_ok=True)
        (given.root / "proc/sys/kernel/osrelease").write_text("6.1.0-30-amd64\n")
        (given.root / "proc/cmdline").write_text("BOOT_IMAGE=/boot/vmlinuz root=UUID=0 ro iommu=pt\n")
    if not given.acs_off:
        boot(given.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a host's kernel driver stack rests on, and what rests on it.

Kernels, headers, DKMS builds, modules that hold ib_core, Secure Boot, and what rides on mlx5 now: read from files and
the output of five programs. Changes nothing.

Runs on hosts: standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import text
except ImportError:  # in a test
    from roce_device import text

DKMS = "var/lib/dkms"
MAIN = "mlnx-ofed-kernel"
"""DKMS name of the stack (debian/rules of mlnx-ofa_kernel: github knneth/mlnx-ofa_kernel 0e5add8)."""
STACK = frozenset(
    (
        *(
            "auxiliary",
            "fwctl",
            "ib_cm",
            "ib_core",
            "ib_ipoib",
            "ib_umad",
            "ib_uverbs",
            "iw_cm",
            "mlx5_core",
            "mlx5_fwctl",
        ),
        *("mlx5_ib", "mlx_compat", "mlxdevm", "mlxfw", "rdma_cm", "rdma_ucm"),
        *("mlx5_dpll", "mlx5_vdpa", "mlx5_vfio_pci"),  # remembered; the others: openibd of the same repository
    )
)
"""Modules of mlnx-ofed-kernel that belong to one another and are exchanged together."""
CORE = ("ib_core", "mlx5_core", "mlx_compat")
REBUILT_BY = {
    "ib_iser": "iser-dkms",
    "ib_isert": "isert-dkms",
    "ib_srp": "srp-dkms",
    "nvme_rdma": "mlnx-nvme-dkms",
    "nvmet_rdma": "mlnx-nvme-dkms",
    "rpcrdma": "mlnx-nfsrdma-dkms",
    "svcrdma": "mlnx-nfsrdma-dkms",
    "xprtrdma": "mlnx-nfsrdma-dkms",
}
"""Modules of the kernel that hold ib_core -> NVIDIA's package that rebuilds them.

Modules: github Mellanox/doca-driver-build aab795d, mofedmodules.go. Packages: those that an installation log of
MLNX_OFED 24.10 lists; which module is in which is remembered.
"""
MENUS = ("boot/grub/grub.cfg", "boot/grub2/grub.cfg")
SECURE_BOOT = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
SIGNING = (
    ("var/lib/shim-signed/mok/MOK.priv", "var/lib/shim-signed/mok/MOK.der"),
    ("var/lib/dkms/mok.key", "var/lib/dkms/mok.pub"),
)
"""Key and certificate that DKMS signs with, Ubuntu's first (dkms 3.0.10, prepare_signing)."""
NETWORK_FILESYSTEMS = (
    "nfs",
    "nfs4",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "cifs",
    "smb3",
    "glusterfs",
    "fuse.glusterfs",
    "panfs",
    "wekafs",
)
KERNELS_OWN = ("ib_core", "[ib_core]", "mlx5_ib", "[mlx5_ib]")
"""Owners of the queue pairs that every idle device has (rdma-resource(8))."""


def kernels(root: Path, etc_root: Path) -> dict[str, str]:
    """Releases: ``running``, and ``next``, which GRUB's first menu entry boots (the running one if no menu tells)."""
    running = text(root / "proc/sys/kernel/osrelease")
    for menu in MENUS:
        for line in text(etc_root / menu).splitlines():
            words = line.split()
            if len(words) > 1 and words[0] in ("linux", "linux16", "linuxefi") and "vmlinuz-" in words[1]:
                return {"running": running, "next": words[1].rpartition("vmlinuz-")[2]}
    return {"running": running, "next": running}


def has_headers(etc_root: Path, kernel: str) -> bool:
    """Can DKMS build for this kernel? It looks for exactly this folder (dkms 3.0.10, _check_kernel_dir)."""
    return (etc_root / "lib/modules" / kernel / "build/include").is_dir()


def builds(etc_root: Path) -> list[dict[str, object]]:
    """DKMS modules: name, version, and for each kernel they were built for whether each module is installed there.

    Read from the tree, as `dkms status` prints another form in each release. Installed: the file in /lib/modules is the
    one that was built.
    """
    found: list[dict[str, object]] = []
    for source in sorted((etc_root / DKMS).glob("*/*/source")):
        version = source.parent
        made: dict[str, dict[str, bool]] = {}
        for folder in sorted(version.glob("*/*/module")):
            kernel = folder.parent.parent.name
            installed = etc_root / "lib/modules" / kernel / "updates/dkms"
            made[kernel] = {
                file.name.split(".ko", 1)[0].replace("-", "_"): _same(file, installed / file.name)
                for file in sorted(folder.glob("*.ko*"))
            }
        found.append({"name": version.parent.name, "version": version.name, "kernels": made})
    return found


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def unbuilt(etc_root: Path, releases: Iterable[str]) -> list[str]:
    """`mlnx-ofed-kernel/24.10 for 6.1.0-31`: each source of the stack that one of these kernels has no build of."""
    found = []
    for each in builds(etc_root):
        for kernel in sorted(set(releases)):
            made = each["kernels"].get(kernel)  # type: ignore[attr-defined]
            if each["name"] == MAIN and not (made and all(made.values())):
                found.append(f"{each['name']}/{each['version']} for {kernel}")
    return found


def holders(root: Path, etc_root: Path) -> dict[str, dict[str, str]]:
    """Modules outside the stack that hold ib_core or mlx5_core -> what rebuilds them, or nothing.

    ``dkms``: the `name/version` that builds it here; ``package``: NVIDIA's package that would.

    Those that are loaded (/proc/modules), and those on disk that did not come with the kernel (modules.dep).
    """
    users: dict[str, list[str]] = {}
    for line in text(root / "proc/modules").splitlines():
        words = line.split()
        if len(words) > 3:
            users[words[0]] = [name for name in words[3].split(",") if name not in ("", "-")]
    found, waiting = set(), list(CORE)
    while waiting:
        new = [name for name in users.get(waiting.pop(), ()) if name not in found]
        found.update(new)
        waiting += new
    running = text(root / "proc/sys/kernel/osrelease")
    found |= _on_disk(etc_root / "lib/modules" / running / "modules.dep")
    owner = {
        module: f"{each['name']}/{each['version']}"
        for each in builds(etc_root)
        for module in each["kernels"].get(running, {})  # type: ignore[attr-defined]
    }
    return {name: {"dkms": owner.get(name, ""), "package": REBUILT_BY.get(name, "")} for name in sorted(found - STACK)}


def _on_disk(index: Path) -> set[str]:
    found = set()
    for line in text(index).splitlines():
        path, _, needs = line.partition(":")
        if not path.startswith("kernel/") and any(_name(each) in CORE for each in needs.split()):
            found.add(_name(path))
    return found


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1].split(".ko", 1)[0].replace("-", "_")


NO_VERSION = "(the kernel's own)"
"""Debian's modules have no source version; NVIDIA's have one, as they name a version (modpost's rule)."""


def loaded_driver(root: Path) -> str:
    """Source version of the mlx5_core that runs; empty if none does."""
    folder = root / "sys/module/mlx5_core"
    return text(folder / "srcversion") or (NO_VERSION if folder.is_dir() else "")


def driver_on_disk(kernel: str) -> str:
    """Source version of the mlx5_core that modprobe would load; empty if there is none."""
    if not re.search(r"^filename:", output(["modinfo", "-k", kernel, "mlx5_core"]) or "", re.MULTILINE):
        return ""
    return (output(["modinfo", "-k", kernel, "-F", "srcversion", "mlx5_core"]) or "").strip() or NO_VERSION


def secure_boot(root: Path) -> bool:
    """Does the firmware let the kernel start signed code alone? Four bytes of attributes, then the value."""
    path = root / SECURE_BOOT
    return path.is_file() and path.read_bytes()[4:5] == b"\x01"


def signing(etc_root: Path) -> dict[str, object]:
    """The certificate that DKMS signs with, and whether the firmware knows it; None if nothing tells."""
    for key, certificate in SIGNING:
        if (etc_root / key).is_file() and (etc_root / certificate).is_file():
            answer = output(["mokutil", "--test-key", f"/{certificate}"])
            enrolled = None if answer is None else "already enrolled" in answer
            return {
                "certificate": f"/{certificate}",
                "enrolled": enrolled,
                "answer": (answer or "mokutil is missing").strip(),
            }
    return {"certificate": "", "enrolled": None, "answer": "there is none yet"}


def rides(root: Path, rails: Sequence[str]) -> list[str]:
    """Why the driver cannot be unloaded now, one sentence each. Empty if nothing rides on it.

    Cautious: an address on an mlx5 port that is no rail may be the one that we came by.
    """
    ports = {name for name in _names(root / "sys/class/net") if _below(root, name) & {"mlx5_core"}}
    found = []
    routes = (line.split() for line in text(root / "proc/net/route").splitlines()[1:])
    default = {words[0] for words in routes if len(words) > 7 and words[1] == "00000000" and words[7] == "00000000"}
    found += [f"the default route is on {name}" for name in sorted(default & ports)]
    for link in _table("ip", "-j", "addr") if ports else ():
        addresses = [each["local"] for each in link.get("addr_info", ()) if each.get("scope") == "global"]
        if link.get("ifname") in ports and link["ifname"] not in {*rails, *default} and addresses:
            found.append(f"{link['ifname']}, which is no rail, has {', '.join(addresses)}")
    mounts = (line.split() for line in text(root / "proc/mounts").splitlines())
    found += [
        f"{words[1]} is mounted over the network ({words[2]})"
        for words in mounts
        if words[2:3] and words[2] in NETWORK_FILESYSTEMS
    ]
    for nvme in _names(root / "sys/class/nvme"):
        kind = text(root / "sys/class/nvme" / nvme / "transport")
        if kind and kind != "pcie":
            found.append(f"{nvme} is reached over the network ({kind})")
    found += [f"an iSCSI session is open ({name})" for name in _names(root / "sys/class/iscsi_session")]
    return found + _processes()


def _processes() -> list[str]:
    found = []
    queue_pairs = _table("rdma", "-j", "resource", "show", "qp")
    owners = sorted(
        {str(each.get("comm", each.get("pid"))) for each in queue_pairs if each.get("comm") not in KERNELS_OWN}
    )
    if owners:
        found.append(f"queue pairs of {', '.join(owners)} are open")
    gpu = (output(shlex.split("nvidia-smi --query-compute-apps=pid --format=csv,noheader")) or "").split()
    pids = [pid for pid in gpu if re.fullmatch(r"\d+", pid)]
    return [*found, f"processes {', '.join(pids)} use GPUs"] if pids else found


def _below(root: Path, name: str, depth: int = 4) -> set[str]:
    """Drivers of the devices that an interface rests on: its own, and those below a bond, bridge or VLAN."""
    folder = root / "sys/class/net" / name
    driver = folder / "device/driver"
    found = {driver.readlink().name} if driver.is_symlink() else set()
    if depth:
        for lower in folder.glob("lower_*"):
            found |= _below(root, lower.name[len("lower_") :], depth - 1)
    return found


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _table(*argv: str) -> list[dict[str, Any]]:
    """Rows that a program prints as JSON; none if it prints none."""
    try:
        found = json.loads(output(argv) or "[]")
    except ValueError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def output(argv: Sequence[str]) -> str | None:
    """What a reading program prints, errors included; None if it is not installed."""
    if shutil.which(argv[0]) is None:
        return None
    done = subprocess.run(  # noqa: S603 the programs are named above
        list(argv),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if "-j" in argv else subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout

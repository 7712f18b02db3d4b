"""The NVIDIA driver of a host, and what GPUDirect RDMA goes by.

Standard library only (it runs on hosts, Python 3.9). Files below an injected ``root`` are read; nothing is changed and
no program is run, so that a GPU that hangs does not hang this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils import rpm_packages
    from ansible_collections.gpufabric.host.plugins.module_utils.gpu_fabric import (
        SUBNET_MANAGER_PACKAGE,
        bridges,
        wrong_subnet_manager,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.pci_topology import text
except ImportError:  # in a test
    import rpm_packages
    from gpu_fabric import SUBNET_MANAGER_PACKAGE, bridges, wrong_subnet_manager
    from pci_topology import text

VERSION = re.compile(r"NVIDIA UNIX (?P<open>Open )?.*?Module(?: for \S+)?\s+(?P<version>\d+(?:\.\d+)+)")
"""First line of /proc/driver/nvidia/version, of the open and of the closed kernel modules."""
DRIVER_PACKAGES = re.compile(
    r"(nvidia-driver-\d.*|nvidia-driver|nvidia-open(-\d+)?|cuda-drivers(-\d+)?|nvidia-dkms-.*|nvidia-kernel-.*"
    r"|linux-(modules|objects)-nvidia-.*)"
)
OF_THE_DRIVERS_VERSION = re.compile(
    r"(nvidia-driver|nvidia-open|cuda-drivers|nvidia-dkms|nvidia-kernel-(open-)?dkms|nvidia-kernel-source"
    r"|nvidia-fabric-?manager|nvidia-(compute-)?utils|nvidia-imex|nvidia-smi|libcuda1|libnvidia-compute|libnvidia-cfg1?"
    r"|libnvidia-nscq|libnvsdm|libnvidia-ml|nvidia-driver-(cuda|libs|cuda-libs)|kmod-nvidia-(open|latest)-dkms"
    r"|nvidia-kmod-common|nvidia-persistenced|nvidia-modprobe)(-\d+)?(-server)?(-open)?"
)
"""Packages whose upstream version is the driver's, by the names of NVIDIA, Ubuntu and Debian (from memory)."""
KERNELS = re.compile(
    r"kernel(-core)?|linux-(image-)?(generic|virtual|server|lowlatency|nvidia|aws|azure|gcp|oracle|(cloud-|rt-)?(amd64|arm64))(-64k)?"
    r"(-hwe-\d+\.\d+(-edge)?|-lts-\w+|-\d+\.\d+)?"
)
"""Packages that bring each newer kernel, for which the driver has to be built again."""
FABRIC_MANAGER_PACKAGE = re.compile(r"nvidia-fabric-?manager(-\d+)?")
FABRIC_MANAGER_GROUPS = (
    "sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs",
    "sys/fs/cgroup/systemd/system.slice/nvidia-fabricmanager.service/cgroup.procs",
)
"""Processes of the service, with cgroups v2 and v1."""
OPERATOR_ROOT = "run/nvidia/driver/usr"
"""The GPU Operator's driver container mounts its root here."""


FIRST_DMA_BUF_KERNEL = [5, 12]
"""Linux with dma-buf for RDMA (ib_umem_dmabuf_get); the open modules are needed besides (NVIDIA GPU Operator, GPUDirect
RDMA: open kernel modules, Linux 5.12 or later, Turing or later, CUDA 11.7 or later)."""
OUR_GRUB_FILE = "gpufabric-gpudirect.cfg"
ACS_ARGUMENT = re.compile(r"\b(disable_acs_redir|config_acs)=")


def driver_version(content: str | None) -> tuple[str | None, bool | None]:
    """(version, are its kernel modules the open ones); None, None if no driver is loaded."""
    found = VERSION.search(content or "")
    return (found["version"], bool(found["open"])) if found else (None, None)


def installed(status: str | None) -> dict[str, str]:
    """Installed packages of dpkg's status file that matter here: name -> version."""
    return {name: version for name, (version, _) in _installed(status).items() if _is_of_driver(name)}


def _is_of_driver(name: str) -> bool:
    return bool(DRIVER_PACKAGES.fullmatch(name) or FABRIC_MANAGER_PACKAGE.fullmatch(name))


def _installed(status: str | None) -> dict[str, tuple[str, bool]]:
    """Installed packages of the driver, its libraries and kernels: name -> version, and whether dpkg holds them."""
    found = {}
    for stanza in (status or "").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and line[0] != " ")
        state = fields.get("Status", "")
        if state.endswith(" installed"):
            found[fields.get("Package", "")] = (fields.get("Version", ""), state.startswith("hold "))
    return _that_matter(found)


def _that_matter(packages: Mapping[str, tuple[str, bool]]) -> dict[str, tuple[str, bool]]:
    def matters(name: str) -> bool:
        known = OF_THE_DRIVERS_VERSION.fullmatch(name) or KERNELS.fullmatch(name) or name == SUBNET_MANAGER_PACKAGE
        return bool(known) or _is_of_driver(name)

    return {name: each for name, each in packages.items() if matters(name)}


def unlike(version: str | None, packages: Mapping[str, tuple[str, bool]]) -> list[str]:
    """Packages of another version than the loaded driver's: ``name version``."""
    of_it = {name: upstream(each) for name, (each, _) in packages.items() if OF_THE_DRIVERS_VERSION.fullmatch(name)}
    return [f"{name} {each}" for name, each in of_it.items() if version is not None and each != version]


def without_hold(packages: Mapping[str, tuple[str, bool]]) -> list[str]:
    """Packages that the next upgrade may exchange; none where the driver is of no package."""
    if not any(_is_of_driver(name) for name in packages):
        return []
    return [name for name, (_, is_on_hold) in packages.items() if not is_on_hold]


def upstream(version: str) -> str:
    """`1:550.127.08-0ubuntu1` -> `550.127.08`."""
    return version.rpartition(":")[2].partition("-")[0]


def lockdown(content: str | None) -> str | None:
    """The kernel's lockdown: none, integrity or confidentiality; None where the kernel does not have it."""
    found = re.search(r"\[(\w+)\]", content or "")
    return found[1] if found else None


def no_dma_buf(version: str | None, is_open: bool | None, kernel: str | None) -> str:
    """Why RDMA cannot take GPU memory as dma-buf; empty if it can. Conditions as of DMA_BUF_NEEDS."""
    if version is None:
        return "no NVIDIA driver is loaded"
    if not is_open:
        return f"the closed kernel modules of {version} are loaded"
    numbers = [int(part) for part in re.findall(r"\d+", kernel or "")[:2]]
    return "" if numbers >= FIRST_DMA_BUF_KERNEL else f"Linux {kernel} is older than 5.12"


def wrong_fabric_manager(version: str | None, packages: Mapping[str, str], running: bool) -> str:
    """What is wrong with the fabric manager of a host with NVSwitches; it must have the driver's version."""
    if not packages:
        return "not installed"
    others = [f"{name} {each}" for name, each in packages.items() if each != version]
    if others and version is not None:
        return f"{', '.join(others)}, and the driver is {version}"
    return "" if running else "not running"


def acs_elsewhere(root: Path) -> list[str]:
    """Where another tool tells the kernel of ACS in GRUB's settings: file and line."""
    found = []
    for path in [root / "etc/default/grub", *sorted((root / "etc/default/grub.d").glob("*.cfg"))]:
        for place, line in enumerate((text(path) or "").splitlines(), start=1):
            if path.name != OUR_GRUB_FILE and not line.lstrip().startswith("#") and ACS_ARGUMENT.search(line):
                found.append(f"/{path.relative_to(root)}:{place}")
    return found


def driver(root: Path) -> dict[str, Any]:
    """What is loaded, what is installed, whether a fabric manager runs, and the kernel it all runs on."""
    version, is_open = driver_version(text(root / "proc/driver/nvidia/version"))
    every = _installed(text(root / "var/lib/dpkg/status")) or _that_matter(rpm_packages.read(root))
    packages = {name: each for name, (each, _) in every.items() if _is_of_driver(name)}
    kernel = text(root / "proc/sys/kernel/osrelease")
    running = any(text(root / group) for group in FABRIC_MANAGER_GROUPS)
    managers = {name: upstream(each) for name, each in packages.items() if FABRIC_MANAGER_PACKAGE.fullmatch(name)}
    return {
        "version": version,
        "open": is_open,
        "peermem": (root / "sys/module/nvidia_peermem").is_dir(),
        "packages": {name: each for name, each in packages.items() if name not in managers},
        "operator": (root / OPERATOR_ROOT).is_dir(),
        "no_dma_buf": no_dma_buf(version, is_open, kernel),
        "wrong_fabric_manager": wrong_fabric_manager(version, managers, running),
        "bridges": bridges(root),
        "wrong_subnet_manager": wrong_subnet_manager(root, FABRIC_MANAGER_GROUPS, every),
        "unlike": unlike(version, every),
        "not_held": without_hold(every),
        "kernel": kernel,
        "lockdown": lockdown(text(root / "sys/kernel/security/lockdown")),
    }

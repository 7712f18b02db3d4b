"""The NVIDIA driver of a host, and what GPUDirect RDMA goes by.

Standard library only (it runs on hosts, Python 3.9). Files below an injected ``root`` are read; nothing is changed and
no program is run, so that a GPU that hangs does not hang this.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.pci_topology import text
except ImportError:  # in a test
    from pci_topology import text

VERSION = re.compile(r"NVIDIA UNIX (?P<open>Open )?.*?Module(?: for \S+)?\s+(?P<version>\d+(?:\.\d+)+)")
"""First line of /proc/driver/nvidia/version, of the open and of the closed kernel modules."""
DRIVER_PACKAGES = re.compile(
    r"(nvidia-driver-\d.*|nvidia-driver|nvidia-open(-\d+)?|cuda-drivers(-\d+)?|nvidia-dkms-.*|nvidia-kernel-.*"
    r"|linux-(modules|objects)-nvidia-.*)"
)
FABRIC_MANAGER_PACKAGE = re.compile(r"nvidia-fabricmanager(-\d+)?")
FABRIC_MANAGER_GROUPS = (
    "sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs",
    "sys/fs/cgroup/systemd/system.slice/nvidia-fabricmanager.service/cgroup.procs",
)
"""Processes of the service, with cgroups v2 and v1."""
OPERATOR_ROOT = "run/nvidia/driver/usr"
"""The GPU Operator's driver container mounts its root here."""


def driver_version(content: str | None) -> tuple[str | None, bool | None]:
    """(version, are its kernel modules the open ones); None, None if no driver is loaded."""
    found = VERSION.search(content or "")
    return (found["version"], bool(found["open"])) if found else (None, None)


def installed(status: str | None) -> dict[str, str]:
    """Installed packages of dpkg's status file that matter here: name -> version."""
    found = {}
    for stanza in (status or "").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and line[0] != " ")
        name = fields.get("Package", "")
        wanted = DRIVER_PACKAGES.fullmatch(name) or FABRIC_MANAGER_PACKAGE.fullmatch(name)
        if wanted and fields.get("Status", "").endswith(" installed"):
            found[name] = fields.get("Version", "")
    return found


def upstream(version: str) -> str:
    """`1:550.127.08-0ubuntu1` -> `550.127.08`."""
    return version.rpartition(":")[2].partition("-")[0]


def lockdown(content: str | None) -> str | None:
    """The kernel's lockdown: none, integrity or confidentiality; None where the kernel does not have it."""
    found = re.search(r"\[(\w+)\]", content or "")
    return found[1] if found else None


def driver(root: Path) -> dict[str, Any]:
    """What is loaded, what is installed, whether a fabric manager runs, and the kernel it all runs on."""
    version, is_open = driver_version(text(root / "proc/driver/nvidia/version"))
    packages = installed(text(root / "var/lib/dpkg/status"))
    managers = {name: upstream(each) for name, each in packages.items() if FABRIC_MANAGER_PACKAGE.fullmatch(name)}
    return {
        "version": version,
        "open": is_open,
        "peermem": (root / "sys/module/nvidia_peermem").is_dir(),
        "packages": {name: each for name, each in packages.items() if name not in managers},
        "operator": (root / OPERATOR_ROOT).is_dir(),
        "fabric_manager": {
            "packages": managers,
            "running": any(text(root / group) for group in FABRIC_MANAGER_GROUPS),
        },
        "kernel": text(root / "proc/sys/kernel/osrelease"),
        "lockdown": lockdown(text(root / "sys/kernel/security/lockdown")),
    }

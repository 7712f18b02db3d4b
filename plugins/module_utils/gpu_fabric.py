"""NVLink's switches of a host: whose management functions they have, what runs for them, whether the GPUs are joined.

Up to HGX H200 an NVSwitch is a PCI device of NVIDIA's. From HGX B200 on it is none: its management port is a function
of a ConnectX (class InfiniBand, vendor 15b3) whose vital product data say SW_MNG, and beside the fabric manager NVLSM,
a subnet manager, has to run, over ib_umad (NVIDIA, Fabric Manager User Guide 2.3, 1.3.2 and 1.5; NVIDIA/gpu-operator
issue 2781; siderolabs/extensions pull request 717).

Standard library only (it runs on hosts, Python 3.9). One program is run, nvidia-smi, and it is left alone where it does
not answer: a GPU that hangs does not hang this.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.pci_topology import text
except ImportError:  # in a test
    from pci_topology import text

MELLANOX, INFINIBAND_CLASS, BRIDGE = "0x15b3", "0x0207", b"SW_MNG"
SUBNET_MANAGER, SUBNET_MANAGER_PACKAGE = "nvlsm", "nvlsm"
"""The process that nvidia-fabricmanager-start.sh starts in the fabric manager's service, and its package."""
USER_MADS = "sys/module/ib_umad"
NVIDIA_SMI = "usr/bin/nvidia-smi"
ANSWERS_WITHIN_S = 60.0
JOINED = "Completed, Success"
"""State and Status of a GPU that may be used (nvidia-smi -q, Fabric)."""

_GPU = re.compile(r"^GPU (?P<address>[0-9A-Fa-f:.]+)$")
_FIELD = re.compile(r"^ {8}(?P<name>State|Status) +: (?P<value>.+?)\s*$")


def bridges(root: Path) -> list[str]:
    """PCI addresses of the functions that manage NVSwitches."""
    found = []
    for place in sorted((root / "sys/bus/pci/devices").glob("*")):
        is_infiniband = (text(place / "class") or "").startswith(INFINIBAND_CLASS)
        if is_infiniband and (text(place / "vendor") or "").strip() == MELLANOX and BRIDGE in _bytes(place / "vpd"):
            found.append(place.name)
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def wrong_subnet_manager(root: Path, groups: Sequence[str], packages: Iterable[str]) -> str:
    """What is wrong with NVLSM. ``groups``: files with the processes of the fabric manager's service."""
    if SUBNET_MANAGER_PACKAGE not in set(packages):
        return "not installed"
    if not (root / USER_MADS).is_dir():
        return "ib_umad is not loaded, and it needs it"
    pids = {pid for group in groups for pid in (text(root / group) or "").split()}
    names = {(text(root / "proc" / pid / "comm") or "").strip() for pid in pids}
    return "" if SUBNET_MANAGER in names else "not running"


def fabric_states(output: str) -> dict[str, str]:
    """``nvidia-smi -q`` -> GPU -> its fabric's state and status, as ``Completed, Success``."""
    found: dict[str, list[str]] = {}
    gpu, is_inside = "", False
    for line in output.splitlines():
        if match := _GPU.match(line):
            gpu, is_inside = match["address"].lower()[-12:], False
            found[gpu] = []
        elif line.startswith("    ") and not line.startswith("     "):
            is_inside = line.strip() == "Fabric"
        elif gpu and is_inside and (field := _FIELD.match(line)):
            found[gpu].append(field["value"])
    return {gpu: ", ".join(values) for gpu, values in found.items()}


def read_states(root: Path, operator_root: str) -> tuple[dict[str, str], str]:
    """(GPU -> state and status, why they are not known). ``operator_root``: of the GPU Operator's driver container."""
    shown, why = shown_by_driver(root, operator_root, "-q")
    found = fabric_states(shown)
    return found, "" if found else why


def shown_by_driver(root: Path, operator_root: str, *arguments: str) -> tuple[str, str]:
    """(What nvidia-smi prints, why there is no GPU in it: not there, no answer, a failure)."""
    command = [str(root / NVIDIA_SMI), *arguments]
    if not (root / NVIDIA_SMI).exists():
        if not (root / operator_root / "bin/nvidia-smi").exists():
            return "", "there is no nvidia-smi"
        command = ["chroot", str((root / operator_root).parent), "nvidia-smi", *arguments]
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(  # noqa: S603  (what it is, is above)
            command, stdin=subprocess.DEVNULL, stdout=answer, stderr=subprocess.DEVNULL, start_new_session=True
        )
        end = time.monotonic() + ANSWERS_WITHIN_S
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        if process.returncode is None:
            process.kill()  # not waited for: a process that a GPU holds does not end
            return "", f"nvidia-smi did not answer within {ANSWERS_WITHIN_S:.0f} s"
        answer.seek(0)
        why = f"nvidia-smi names no GPU (exit code {process.returncode})"
        return answer.read().decode("utf-8", errors="replace"), why

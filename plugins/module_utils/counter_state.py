"""What a host counts: its NICs, their RDMA devices, its GPUs. Changes nothing.

Names and what they mean: Linux, Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst, and what
``rdma statistic show`` prints. The kernel's log has one line for each Xid. What a host does not tell is left out, with
the reason: a container without /sys, another driver's names, no NVIDIA driver. Standard library only, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.gpu_fabric import shown_by_driver
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import MAKER, text
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import Run
except ImportError:  # in a test
    from gpu_fabric import shown_by_driver
    from roce_device import MAKER, text
    from roce_run import Run

NET, INFINIBAND = "sys/class/net", "sys/class/infiniband"
GPUS = "proc/driver/nvidia/gpus"
"""A folder for each GPU that NVIDIA's driver has, by PCI address."""
LOG = ("journalctl", "--dmesg", "--boot", "--no-pager", "--output=cat")

_STATISTIC = re.compile(r"\s*([a-z]\w*): (\d+)")
_KEPT = re.compile(r"[rt]x_prio[0-7]_\w+|\w+_phy|tx_pause_storm_\w+")
"""Of the hundreds that a NIC has: those of priorities, of the port itself, and of pauses that did not end."""
_XID = re.compile(r"NVRM: Xid \(PCI:(?P<gpu>[0-9A-Fa-f:.]+)\): (?P<xid>\d+)\b")
_GPU = re.compile(r"^GPU (?P<number>\d+): ", re.MULTILINE)
_LINK = re.compile(r"\s+Link (?P<link>\d+): (?P<kind>[A-Z]\w+) Errors: (?P<count>\d+)\s*")

Counts = dict[str, int]


def collect(rails: Iterable[str], root: Path, operator_root: str, run: Run) -> dict[str, Any]:
    """The fact: counts, how long the host runs, and why what is missing was not read."""
    not_read: dict[str, str] = {}
    return {
        "uptime_s": _uptime_s(root),
        "interfaces": _interfaces(list(rails), root, run, not_read),
        "devices": _devices(root, not_read),
        "xids": _xids(root, run, not_read),
        "nvlink": _nvlink(root, operator_root, not_read),
        "not_read": not_read,
    }


def _uptime_s(root: Path) -> float | None:
    shown = text(root / "proc/uptime").split()
    try:
        return float(shown[0])
    except (IndexError, ValueError):
        return None


def _interfaces(rails: list[str], root: Path, run: Run, not_read: dict[str, str]) -> dict[str, Counts]:
    """Interface -> counts by name, of those that mlx5 drives."""
    found: dict[str, Counts] = {}
    for rail in rails:
        driver = root / NET / rail / "device/driver"
        name = driver.resolve().name if driver.exists() else ""
        if name != MAKER:
            shown = f"driver {name}" if name else f"there is no driver of it in /{NET}"
            not_read[f"ethtool -S {rail}"] = f"{shown}, and only names of {MAKER} are known"
            continue
        answer = run(("ethtool", "-S", rail))
        if counts := statistics(answer.stdout) if answer.exit_code == 0 else {}:
            found[rail] = counts
        else:
            not_read[f"ethtool -S {rail}"] = answer.complaint if answer.exit_code else "no count that we know"
    return found


def statistics(output: str) -> Counts:
    """``ethtool -S`` -> counts by name, those that are kept."""
    rows = (_STATISTIC.fullmatch(line) for line in output.splitlines())
    return {row[1]: int(row[2]) for row in rows if row and _KEPT.fullmatch(row[1])}


def _devices(root: Path, not_read: dict[str, str]) -> dict[str, Counts]:
    """RDMA device and port (``mlx5_0/1``) -> hw_counters by name."""
    found: dict[str, Counts] = {}
    for folder in sorted((root / INFINIBAND).glob("*/ports/*/hw_counters")):
        counts = {each.name: text(each).strip() for each in folder.iterdir() if each.name != "lifespan"}
        name = f"{folder.parent.parent.parent.name}/{folder.parent.name}"
        found[name] = {each: int(shown) for each, shown in sorted(counts.items()) if shown.isdigit()}
    if not found:
        not_read["hw_counters"] = f"no RDMA device shows any in /{INFINIBAND}"
    return found


def _xids(root: Path, run: Run, not_read: dict[str, str]) -> dict[str, Counts]:
    """GPU's PCI address -> Xid -> how often it stands in the kernel's log of this boot; nothing: the GPU had none."""
    gpus = sorted(each.name for each in (root / GPUS).iterdir()) if (root / GPUS).is_dir() else []
    if not gpus:
        not_read["xids"] = f"NVIDIA's driver has no GPU here (/{GPUS})"
        return {}
    answer = run(LOG)
    if answer.exit_code != 0:
        not_read["xids"] = f"{' '.join(LOG)}: {answer.complaint}"
        return {}
    found: dict[str, Counts] = {gpu: {} for gpu in gpus}
    for row in filter(None, map(_XID.search, answer.stdout.splitlines())):
        gpu = next((each for each in gpus if each.lower().startswith(row["gpu"].lower())), row["gpu"].lower())
        of_gpu = found.setdefault(gpu, {})
        of_gpu[row["xid"]] = of_gpu.get(row["xid"], 0) + 1
    return found


def _nvlink(root: Path, operator_root: str, not_read: dict[str, str]) -> dict[str, dict[str, Counts]]:
    """GPU's number -> link -> errors by kind."""
    shown, why = shown_by_driver(root, operator_root, "nvlink", "-e")
    if not (found := nvlink_errors(shown)):
        not_read["nvlink"] = "no GPU shows a link of NVLink" if _GPU.search(shown) else why
    return found


def nvlink_errors(output: str) -> dict[str, dict[str, Counts]]:
    """``nvidia-smi nvlink -e`` -> GPU's number -> link -> errors by kind (Replay, Recovery, CRC)."""
    found: dict[str, dict[str, Counts]] = {}
    gpu = ""
    for line in output.splitlines():
        if head := _GPU.match(line):
            gpu = head["number"]
        elif (row := _LINK.fullmatch(line)) and gpu:
            found.setdefault(gpu, {}).setdefault(row["link"], {})[row["kind"]] = int(row["count"])
    return found

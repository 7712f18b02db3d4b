#!/usr/bin/env python3
"""Keep the rails' interrupts on processors near their NICs.

Each rail's interrupts are distributed over the processors of the NIC's own NUMA node, except isolated ones; rails of
one node use its processors in turn. A NIC whose platform names no node (-1) uses all online processors.

Standard library only. Used by the Ansible module irq_affinity, and by itself as a service at boot and whenever a rail's
interface appears (a driver's reload makes new interrupts): `irq_affinity.py [--check] [--settle] RAIL...`
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

SETTLE_S = 5
"""Time to wait for new interrupts with --settle: some drivers create them only when the port comes up."""


def cpu_list(text: str) -> list[int]:
    """`0-3,8` -> 0, 1, 2, 3, 8."""
    found: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def interrupts(root: Path, rail: str) -> tuple[int, list[int]]:
    """The NIC's NUMA node and its interrupts in use; virtio's belong to the PCI device above its own."""
    device = (root / "sys/class/net" / rail / "device").resolve()
    for place in (device, device.parent):
        if (place / "msi_irqs").is_dir():
            numbers = sorted(int(entry.name) for entry in (place / "msi_irqs").iterdir())
            used = [number for number in numbers if (root / "proc/irq" / str(number)).is_dir()]
            return int(_read(place / "numa_node") or -1), used
    return -1, []


def near(root: Path, node: int) -> list[int]:
    """Processors for a node's interrupts; all online ones if none of the node's is left."""
    cpus = root / "sys/devices/system/cpu"
    isolated = set(cpu_list(_read(cpus / "isolated")))
    online = [cpu for cpu in cpu_list(_read(cpus / "online")) if cpu not in isolated]
    local = set(cpu_list(_read(root / f"sys/devices/system/node/node{node}/cpulist")))
    return [cpu for cpu in online if cpu in local] or online


def plan(root: Path, rails: Sequence[str]) -> dict[int, int]:
    """Interrupt -> processor."""
    wanted: dict[int, int] = {}
    turn: dict[int, int] = defaultdict(int)
    for rail in rails:
        node, numbers = interrupts(root, rail)
        cpus = near(root, node)
        for number in numbers:
            wanted[number] = cpus[turn[node] % len(cpus)]
            turn[node] += 1
    return wanted


def apply(root: Path, rails: Sequence[str], check_only: bool) -> tuple[list[str], list[str]]:
    """(moved, or to be moved; refused: the kernel manages the interrupts of some drivers alone)."""
    moved, kept = [], []
    for number, cpu in plan(root, rails).items():
        path = root / "proc/irq" / str(number) / "smp_affinity_list"
        now = _read(path)
        if now == str(cpu):
            continue
        sentence = f"interrupt {number}: processor {cpu} instead of {now}"
        try:
            if not check_only:
                path.write_text(f"{cpu}\n", encoding="utf-8")
            moved.append(sentence)
        except OSError as error:
            kept.append(f"{sentence} refused: {error.strerror}")
    return moved, kept


def main(arguments: Sequence[str]) -> int:
    """Print what was moved; refusals of the kernel go to standard error and are no failure."""
    rails = [argument for argument in arguments if not argument.startswith("--")]
    reported: set[str] = set()
    for turn in range(SETTLE_S + 1 if "--settle" in arguments else 1):
        if turn:
            time.sleep(1)
        moved, kept = apply(Path("/"), rails, check_only="--check" in arguments)
        sys.stdout.writelines(line + "\n" for line in moved)
        sys.stderr.writelines(line + "\n" for line in kept if line not in reported)
        reported.update(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

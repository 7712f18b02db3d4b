"""A host's kernel settings, command line and limits, read from files below a root.

Standard library only (it runs on hosts, Python 3.9). Nothing here changes a host or runs a command, so tests can use
recorded trees. A missing or unreadable file gives None, never a guess.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

NODES = "sys/devices/system/node"
CPUS = "sys/devices/system/cpu"
PAGE_DIRECTORY = re.compile(r"hugepages-(\d+)kB$")
MENUS = ("boot/grub/grub.cfg", "boot/grub2/grub.cfg")
EDITOR = "usr/sbin/update-grub"
"""Copies kernel arguments from /etc/default/grub.d into the boot loader's menu (Debian, Ubuntu)."""


def text(path: Path) -> str | None:
    """The file's text without the final newline; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """The file's only number; None if there is none."""
    found = text(path)
    try:
        return None if found is None else int(found)
    except ValueError:
        return None


def key_values(content: str | None, separator: str) -> dict[str, str]:
    """Lines `key<separator>value`, without quotes."""
    pairs = (line.partition(separator) for line in (content or "").splitlines())
    return {key.strip(): value.strip().strip("\"'") for key, found, value in pairs if found}


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Sorted with numbers by value: node10 comes after node9."""
    return sorted(
        paths, key=lambda path: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]
    )


def meminfo_bytes(content: str | None) -> dict[str, int]:
    """/proc/meminfo: name -> bytes; a value without a unit (HugePages_Total) is a count and unchanged."""
    found = {}
    for name, value in key_values(content, ":").items():
        words = value.split()
        if words and words[0].isdigit():
            found[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    return found


def page_pools(directory: Path, root: Path) -> list[dict[str, Any]]:
    """Pools of huge pages in a `hugepages` folder of sysfs."""
    pools = []
    for pool in in_order(directory.glob("hugepages-*kB")):
        match = PAGE_DIRECTORY.search(pool.name)
        if match:
            pools.append(
                {
                    "size_kib": int(match.group(1)),
                    "total": number(pool / "nr_hugepages"),
                    "free": number(pool / "free_hugepages"),
                    "path": "/" + str((pool / "nr_hugepages").relative_to(root)),
                }
            )
    return pools


def memory_nodes(root: Path) -> list[dict[str, Any]]:
    """NUMA nodes with their memory and huge pages; a kernel without NUMA has one node, number 0."""
    nodes = []
    for directory in in_order((root / NODES).glob("node[0-9]*")):
        sizes = {name.split()[-1]: value for name, value in meminfo_bytes(text(directory / "meminfo")).items()}
        nodes.append(
            {
                "node": int(directory.name[4:]),
                "memory_bytes": sizes.get("MemTotal", 0),
                "free_bytes": sizes.get("MemFree", 0),
                "cpus": text(directory / "cpulist") or "",
                "pools": page_pools(directory / "hugepages", root),
            }
        )
    if nodes:
        return nodes
    sizes = meminfo_bytes(text(root / "proc/meminfo"))
    pools = page_pools(root / "sys/kernel/mm/hugepages", root)
    cpus = text(root / CPUS / "online") or ""
    return [
        {
            "node": 0,
            "memory_bytes": sizes.get("MemTotal", 0),
            "free_bytes": sizes.get("MemFree", 0),
            "cpus": cpus,
            "pools": pools,
        }
    ]


def boot(root: Path) -> dict[str, Any]:
    """The present command line, that of the next boot as far as GRUB's menu shows it, and the tool that edits it."""
    editor = "update-grub" if (root / EDITOR).exists() else None
    return {"cmdline": text(root / "proc/cmdline"), "cmdline_next_boot": next_boot(root), "boot_editor": editor}


def grub_words(line: str) -> list[str]:
    """A line of GRUB's menu as GRUB reads it: quotes are taken off, and a bare semicolon ends the command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # an open quote, which GRUB refuses as well
        return line.split()
    end = next((place for place, word in enumerate(words) if set(word) == {";"}), len(words))
    return words[:end]


def next_boot(root: Path) -> str | None:
    """Arguments of the first kernel of GRUB's menu, which is the default entry on Debian and Ubuntu."""
    for menu in MENUS:
        for line in (text(root / menu) or "").splitlines():
            words = grub_words(line)
            if words[:1] in (["linux"], ["linux16"], ["linuxefi"]) and len(words) > 1:
                return " ".join(words[2:])
    return None


def processors(root: Path) -> dict[str, Any]:
    """Frequency governors and idle states of all processors together."""
    directories = in_order((root / CPUS).glob("cpu[0-9]*"))
    governors = {text(cpu / "cpufreq/scaling_governor") for cpu in directories} - {None}
    offered = {text(cpu / "cpufreq/scaling_available_governors") or "" for cpu in directories}
    states: dict[str, dict[str, Any]] = {}
    for state in (state for cpu in directories for state in in_order((cpu / "cpuidle").glob("state[0-9]*"))):
        name = text(state / "name") or state.name
        known = states.setdefault(
            name, {"name": name, "state": state.name, "latency_us": number(state / "latency"), "disabled": True}
        )
        known["disabled"] = known["disabled"] and number(state / "disable") == 1
    return {
        "online": text(root / CPUS / "online") or "",
        "isolated": text(root / CPUS / "isolated") or "",
        "governors": sorted(str(governor) for governor in governors),
        "available_governors": sorted({word for words in offered for word in words.split()}),
        "idle_states": list(states.values()),
    }


def devices(root: Path, interface: str) -> list[Path]:
    """The interface's device and the one above it: virtio's own device has neither interrupts nor NUMA node."""
    device = (root / "sys/class/net" / interface / "device").resolve()
    return [device, device.parent] if device.is_dir() else []


def interrupts(root: Path, interface: str) -> list[dict[str, Any]]:
    """Message-signalled interrupts of an interface's device; virtio's belong to the PCI device above it."""
    directories = [place / "msi_irqs" for place in devices(root, interface)]
    directory = next((place for place in directories if place.is_dir()), None)
    if directory is None:
        return []
    found = []
    for entry in in_order(directory.iterdir()):
        cpus = text(root / "proc/irq" / entry.name / "smp_affinity_list")
        if cpus is not None:  # an allocated interrupt that is not in use has no folder in /proc/irq
            found.append({"irq": int(entry.name), "cpus": cpus})
    return found


def numa_node(device: Path) -> int | None:
    """The device's NUMA node; -1 where the platform does not say."""
    return number(device / "numa_node")


def rails(root: Path, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Per interface: does it exist, its NUMA node (-1: none), its interrupts and their processors."""
    return {
        name: {
            "exists": (root / "sys/class/net" / name).exists(),
            "numa_node": next((node for node in map(numa_node, devices(root, name)) if node is not None), None),
            "interrupts": interrupts(root, name),
        }
        for name in names
    }


def limits(root: Path) -> list[dict[str, str]]:
    """Lines of pam_limits in reading order: limits.conf, then limits.d by name; a later line wins."""
    files = [root / "etc/security/limits.conf", *in_order((root / "etc/security/limits.d").glob("*.conf"))]
    lines = [(path, line.partition("#")[0].split()) for path in files for line in (text(path) or "").splitlines()]
    return [
        {
            "domain": words[0],
            "type": words[1],
            "item": words[2],
            "value": words[3],
            "file": "/" + str(path.relative_to(root)),
        }
        for path, words in lines
        if len(words) == 4
    ]


def page_mounts(root: Path) -> list[dict[str, str]]:
    """Mounts of hugetlbfs: path and options."""
    rows = [line.split() for line in (text(root / "proc/mounts") or "").splitlines()]
    return [{"path": row[1], "options": row[3]} for row in rows if len(row) > 3 and row[2] == "hugetlbfs"]


def modules(root: Path) -> list[str]:
    """Names of loaded modules; built-in ones are not included."""
    return sorted(line.split()[0] for line in (text(root / "proc/modules") or "").splitlines())


def sysctl(root: Path, names: Sequence[str]) -> dict[str, str | None]:
    """Values in /proc/sys, with single blanks; None: this kernel does not have the setting."""
    found = {name: text(root / "proc/sys" / name.replace(".", "/")) for name in names}
    return {name: None if value is None else " ".join(value.split()) for name, value in found.items()}


def collect(root: Path, rail_names: Sequence[str], sysctl_names: Sequence[str]) -> dict[str, Any]:
    """All facts, as module kernel_facts returns them."""
    release = key_values(text(root / "etc/os-release"), "=")
    return {
        "distribution": {"id": release.get("ID", ""), "version": release.get("VERSION_ID", "")},
        "kernel": text(root / "proc/sys/kernel/osrelease"),
        **boot(root),
        "meminfo": meminfo_bytes(text(root / "proc/meminfo")),
        "nodes": memory_nodes(root),
        "hugetlbfs": page_mounts(root),
        "sysctl": sysctl(root, sysctl_names),
        "processors": processors(root),
        "rails": rails(root, rail_names),
        "modules": modules(root),
        "limits": limits(root),
        "tuned_profile": text(root / "etc/tuned/active_profile"),
    }

"""A routed lab on this machine: its name there, what it needs, and what is left of one that was killed."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.lab.memory import available_mib

RUN = Path("/run/gpufabric")
"""Sockets of routing daemons, a folder for each lab; short, for the path of a socket has 107 characters at most."""
FRR = Path("/usr/lib/frr")
_NETNS = Path("/run/netns")
_DAEMONS = ("zebra", "bgpd", "bfdd", "staticd")
_OPTION = "--routed"
_SWITCH_MIB, _LAB_MIB = 45, 400
"""Of memory: a switch's daemons (23 to 38 MiB with 4 to 64 neighbours, FRR 8.4.4) and twin; the lab's process."""
_SYSTEM_MIB = 256
"""Of Debian in a machine, and its files that are kept in memory."""
_NEIGHBOURS = Path("/proc/sys/net/ipv4/neigh/default/gc_thresh3")
_PROBE_TIMEOUT_S = 10.0
_END_TIMEOUT_S = 60.0


def lab_name(directory: Path) -> str:
    """What the namespaces of the lab in this folder begin with; labs of two folders have different ones."""
    return f"gf{hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:8]}"


def run_folder(directory: Path) -> Path:
    """Where the routing daemons of the lab in this folder have their sockets."""
    return RUN / lab_name(directory)


def leftovers(directory: Path) -> list[str]:
    """The namespaces of the lab in this folder, and its run folder, as far as they exist."""
    found = _namespaces(directory)
    return [*found, *([str(run_folder(directory))] if run_folder(directory).exists() else [])]


def _namespaces(directory: Path) -> list[str]:
    return sorted(each.name for each in _NETNS.glob(f"{lab_name(directory)}-*"))


def remove_leftovers(directory: Path) -> int:
    """End what is left of the lab in this folder; how many things that were. Raises LabError if it cannot be ended."""
    found = leftovers(directory)
    if not found:
        return 0
    if os.geteuid() != 0:
        what = "a routed lab has network namespaces here, which only root can remove"
        raise LabError(Problem(str(directory), what, found=_few(found), hint="sudo nornir lab down"))
    command = [sys.executable, "-m", "switch_twins.routed.leftovers", lab_name(directory), str(run_folder(directory))]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, timeout=_END_TIMEOUT_S, check=False, env=programs.environment()
    )
    if done.returncode or (found := leftovers(directory)):
        what = "what a routed lab has on this machine cannot be removed"
        raise LabError(Problem(str(directory), what, found=done.stderr.strip() or _few(found)))
    return len(found)


def check_no_leftovers(directory: Path) -> None:
    """Raises LabError if a lab of this folder was killed and its namespaces stand."""
    if found := _namespaces(directory):
        what = (
            "a routed lab that stood here ended without 'nornir lab down', and its network namespaces are still there"
        )
        raise LabError(Problem(str(directory), what, found=_few(found), hint="nornir lab down"))


def check_requirements(switches: int, cables: int) -> None:
    """Raises LabError with all that this machine lacks for so many switches and cables between them."""
    problems = [*_programs(), *_memory(switches), *_neighbours(cables)]
    if os.geteuid() != 0:
        problems.append(Problem(_OPTION, "network namespaces need root: run it with sudo"))
    elif not problems:
        problems += _kernel()
    if problems:
        raise LabError(problems)


def _programs() -> Iterator[Problem]:
    missing = [str(FRR / name) for name in _DAEMONS if not (FRR / name).exists()]
    missing += [] if programs.find("vtysh") else ["vtysh"]
    if missing:
        what = "a routed lab needs FRR, which this machine has not: sudo apt-get install -y frr"
        yield Problem(_OPTION, what, found=f"no {', no '.join(missing)}")
    if programs.find("ip") is None:
        yield Problem(
            _OPTION, "a routed lab needs iproute2, which this machine has not: sudo apt-get install -y iproute2"
        )


def memory_mib(switches: int) -> int:
    """What a routed lab of so many switches needs."""
    return _LAB_MIB + _SWITCH_MIB * switches


def machine_memory_mib(switches: int) -> int:
    """Of the machine that a routed lab of so many switches runs in, for those that run in one."""
    return _SYSTEM_MIB + memory_mib(switches)


def _memory(switches: int) -> Iterator[Problem]:
    needed_mib, free_mib = memory_mib(switches), available_mib()
    if free_mib < needed_mib:
        what = f"too little memory for {switches} routed switches"
        hint = "end what else runs, or name fewer planes with --plane; without --routed the switches need less"
        yield Problem(_OPTION, what, f"{needed_mib} MiB", f"{free_mib} MiB available", hint)


def _neighbours(cables: int) -> Iterator[Problem]:
    """The kernel's table of neighbours is one for all namespaces; when it is full, links are silent.

    In a container its size cannot be read.
    """
    if not _NEIGHBOURS.exists():
        return
    most = int(_NEIGHBOURS.read_text(encoding="utf-8"))
    if 2 * cables > most:
        what = "the kernel's table of neighbours is too small for the cables of this lab"
        hint = " ".join(f"net.{family}.neigh.default.gc_thresh3={4 * cables}" for family in ("ipv4", "ipv6"))
        yield Problem(_OPTION, what, f"{2 * cables} entries", f"{most} ({_NEIGHBOURS})", f"sysctl -w {hint}")


def _kernel() -> Iterator[Problem]:
    """Try in a namespace what a routed lab is made of."""
    name = f"gfprobe{os.getpid()}"
    failure = _ip("netns", "add", name)
    if failure:
        yield Problem(_OPTION, "this kernel makes no network namespaces", found=failure)
        return
    try:
        if failure := _ip("-n", name, "link", "add", "type", "veth"):
            yield Problem(_OPTION, "this kernel has no veth pairs", found=failure)
    finally:
        _ip("netns", "delete", name)


_TRIES = {
    "VRF": ("link add name tryvrf type vrf table 100",),
    "VLAN": (
        "link add name trybridge type bridge vlan_filtering 1",
        "link add link trybridge name tryvlan type vlan id 2 bridge_binding on",
        "link add link tryvlan name trymacvlan type macvlan mode private",
        "link add name trydummy type dummy",
    ),
    "bond": ("link add name trybond type bond mode 802.3ad ad_user_port_key 1",),
}
"""What switches and hosts of a routed lab are made of, by what a plane needs."""
_FRAMES = "add table bridge try; add chain bridge try forward { type filter hook forward priority 0; }"


def lacking() -> tuple[str, ...]:
    """What this kernel has not, of VRF, VLAN and bond; all three where we may not try. Needs root."""
    name = f"gfprobe{os.getpid()}"
    if os.geteuid() != 0 or _ip("netns", "add", name):
        return tuple(_TRIES)
    try:
        failed = [what for what, tries in _TRIES.items() if any(_ip("-n", name, *each.split()) for each in tries)]
        if "VLAN" not in failed and _ip("netns", "exec", name, "nft", _FRAMES):
            failed.append("VLAN")
        return tuple(failed)
    finally:
        _ip("netns", "delete", name)


def _ip(*words: str) -> str:
    """Run ``ip``; what it said if it failed, else "" ."""
    try:
        done = subprocess.run(  # noqa: S603
            ["ip", *words],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT_S,
            check=False,
            env=programs.environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

"""The leaves' end of machines' bonds, in the lab's namespace.

A VLAN of a pair is a bridge with the gateway's address, so all hosts of the pair are in it. What a bond carries of a
VLAN comes out of a TAP on that bridge, by a process for each bond (``leaf_pair.py``): a Linux bridge does not forward
frames of LACP, and so the kernel needs neither bonding nor VLANs. Nothing records these processes: they are the ones
that run this program in the namespace.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.plan import BondVlan, MachinePlan, leaf_prefix

PROGRAM = Path(__file__).with_name("leaf_pair.py")
IP_TIMEOUT_S = 30.0
START_TIMEOUT_S = 60.0
"""Python alone takes a second to start on a busy machine."""
STOP_TIMEOUT_S = 5.0


def are_made(namespace: str, machine: MachinePlan) -> bool:
    """Is everything there that ``make`` makes? Putting an interface up is the last that is done to it."""
    masters = _masters_of_up(namespace)
    return all(vlan.name in masters and masters.get(tap) == vlan.name for _, vlan, tap in _taps(machine))


def make(namespace: str, machine: MachinePlan) -> None:
    """Make the bridges that are not there yet, and the TAPs behind the machine's bonds."""
    there, are_up = _links(namespace), _masters_of_up(namespace)
    for name, vlan in {vlan.name: vlan for _, vlan, _ in _taps(machine)}.items():
        if name not in are_up:
            _batch(namespace, [f"link delete {name}"] * (name in there))  # a killed command was making it
            _make_bridge(namespace, vlan)
    lines = [line for _, vlan, tap in _taps(machine) for line in _tap_lines(machine, vlan, tap)]
    _batch(namespace, lines)


def serve(namespace: str, machine: MachinePlan, log_directory: Path) -> bool:
    """Start what plays a pair at each bond of the machine. False: all of it ran already."""
    started = False
    for place, bond in enumerate(machine.bonds):
        legs = [f"{leaf_prefix(machine.index)}{member}" for member in bond.members]
        if not any(set(legs) <= set(words) for _, words in _running(namespace)):
            argv = ["ip", "netns", "exec", namespace, sys.executable, "-I", str(PROGRAM)]
            argv += ["--system", bond.system.replace(":", ""), "--key", str(bond.key)]
            argv += ["--rate", "fast" if bond.is_fast else "slow", "--log", str(log_directory / f"{bond.name}.log")]
            argv += [word for leg in legs for word in ("--leg", leg)]
            insides = [f"{vlan.tag or ''}:{tap}" for number, vlan, tap in _taps(machine) if number == place]
            run([*argv, *(word for inside in insides for word in ("--inside", inside))], START_TIMEOUT_S)
            started = True
    return started


def end(namespace: str, index: int | None = None) -> None:
    """End what plays pairs to the machine at this place among the hosts, or to all.

    Raises LabError for a process that cannot be ended.
    """
    deadline = time.monotonic() + STOP_TIMEOUT_S
    number = signal.SIGTERM
    while pids := [pid for pid, words in _running(namespace) if index is None or _is_of(words, index)]:
        if time.monotonic() > deadline + STOP_TIMEOUT_S:
            raise LabError(Problem(namespace, "what plays a pair of leaves does not end", found=str(pids[0])))
        if time.monotonic() > deadline:
            number = signal.SIGKILL
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        time.sleep(0.05)


def _is_of(words: list[str], index: int) -> bool:
    return any(word.startswith(leaf_prefix(index)) for word in words)


def _running(namespace: str) -> Iterator[tuple[int, list[str]]]:
    """(process id, command line) of all that plays pairs in a namespace."""
    for word in run(["ip", "netns", "pids", namespace], IP_TIMEOUT_S).split():
        try:
            words = Path(f"/proc/{word}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(PROGRAM) in words:
            yield int(word), words


def _links(namespace: str) -> dict[str, dict[str, Any]]:
    """Interface -> what ``ip`` says of it."""
    found = json.loads(run(["ip", "-n", namespace, "-j", "link", "show"], IP_TIMEOUT_S))
    return {each["ifname"]: each for each in found}


def _masters_of_up(namespace: str) -> dict[str, str]:
    """Interface that is up -> the bridge it is on, or ""."""
    return {name: each.get("master", "") for name, each in _links(namespace).items() if "UP" in each["flags"]}


def _taps(machine: MachinePlan) -> Iterator[tuple[int, BondVlan, str]]:
    """(place of the bond among the machine's, VLAN, name of the TAP): ``h1-b0v1`` is the second VLAN of the first."""
    for place, bond in enumerate(machine.bonds):
        for number, vlan in enumerate(bond.vlans):
            yield place, vlan, f"{leaf_prefix(machine.index)}b{place}v{number}"


def _make_bridge(namespace: str, vlan: BondVlan) -> None:
    lines = [
        f"link add {vlan.name} type bridge mcast_snooping 0",
        f"link set {vlan.name} address {vlan.mac} mtu {vlan.mtu_bytes} alias {vlan.about}",
    ]
    _batch(namespace, lines)
    if any(":" in each for each in vlan.gateways):  # nothing else in the namespace has IPv6
        file = f"/proc/sys/net/ipv6/conf/{vlan.name}/disable_ipv6"
        run(["ip", "netns", "exec", namespace, "sh", "-ec", f"echo 0 >{file}"], IP_TIMEOUT_S)
    nodad = {True: " nodad", False: ""}
    lines = [f"addr add {each} dev {vlan.name}{nodad[':' in each]}" for each in vlan.gateways]
    _batch(namespace, [*lines, f"link set {vlan.name} up"])


def _tap_lines(machine: MachinePlan, vlan: BondVlan, tap: str) -> Iterator[str]:
    yield f"tuntap add {tap} mode tap"
    yield f"link set {tap} mtu {vlan.mtu_bytes} alias {machine.name}:{vlan.about}"
    yield f"link set {tap} master {vlan.name} up"


def _batch(namespace: str, lines: list[str]) -> None:
    if lines:
        run(["ip", "-n", namespace, "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(lines) + "\n")

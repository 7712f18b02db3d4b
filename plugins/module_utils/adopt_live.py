"""The running host's side of an adoption: what of others' is taken down, and the lines of shell that bring it back.

Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.manager_commands import CommandFailedError, Commands
    from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import Run
except ImportError:  # in a test
    from manager_commands import CommandFailedError, Commands
    from rail_state import Run

BACK_WITHIN_S = 20
"""How long a manager may take to bring one thing back."""


@dataclass(frozen=True)
class Before:
    """What an adoption changes, as it was."""

    entries: Sequence[Mapping[str, Any]]
    """What ``ip -j -d address show`` printed."""
    manager: str
    backend: str
    ports: Sequence[str]
    uppers: Sequence[str]
    """Others' interfaces on the ports, the lower ones first."""
    made: Sequence[str]
    """Interfaces of ours that were not there, the upper ones first."""
    ifupdowns: Sequence[str]
    """What ifupdown configured."""


NAMED = """named() {
  for file in /sys/class/net/*/ifindex; do
    now=${file%/ifindex}; now=${now##*/}
    if [ "$(cat "$file")" = "$1" ] && [ "$now" != "$2" ]; then
      ip link set dev "$now" down; ip link set dev "$now" name "$2"
    fi
  done
}"""
"""Gives an interface its name back: its number stays the same as long as it is there."""


def take_down(commands: Commands, adopted: Mapping[str, Any], root: Path = Path("/")) -> None:
    """Delete others' bonds, bridges and VLANs on our ports, take ports out of others', and addresses off them.

    ``adopted``: ``links``, ``release`` and ``flush`` of a plan (adopt_plan.Plan). What is gone already is no failure.
    ``copy``: what brings all back; where it is gone it has done so, and raises CommandFailedError.
    """
    if adopted.get("copy") and not Path(adopted["copy"]).exists():
        message = (
            "what others configured was brought back before ours came; run again, with more gpufabric_adopt_undo_s"
        )
        raise CommandFailedError(message)
    for name in adopted.get("links", ()):
        if (root / "sys/class/net" / name).exists():
            commands.do("ip", "link", "delete", "dev", name)
    for port in adopted.get("release", {}):
        commands.do("ip", "link", "set", "dev", port, "nomaster")
    for port, addresses in adopted.get("flush", {}).items():
        _end_dhclient(port, root)
        for each in addresses:
            commands.do("ip", "address", "delete", each, "dev", port, may_fail=True)


def _end_dhclient(port: str, root: Path) -> None:
    """End the client that ifupdown started, which would set the address again (its number: /run/dhclient.*.pid)."""
    file = root / f"run/dhclient.{port}.pid"
    try:
        pid = int(file.read_text(encoding="utf-8"))
        if b"dhclient" in (root / f"proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):
        return


def lines_back(run: Run, before: Before) -> list[str]:
    """Shell lines that bring the running host back to its files, which are as before by then."""
    number = {each["ifname"]: each["ifindex"] for each in before.entries}
    up = {each["ifname"] for each in before.entries if "UP" in each["flags"]}
    touched = [*before.ports, *before.uppers]
    lines = [NAMED]
    lines += [f"ip link delete dev {shlex.quote(name)} 2>/dev/null" for name in before.made if name not in number]
    lines += [f"named {number[name]} {shlex.quote(name)}" for name in before.ports]
    lines += [f"ip link set dev {shlex.quote(name)} up" for name in before.ports if name in up]
    lines += ["udevadm control --reload 2>/dev/null"]
    if before.manager == "netplan":
        lines += ["netplan generate"]
    if before.backend == "networkd":
        lines += ["networkctl reload", *(f"networkctl reconfigure {shlex.quote(name)}" for name in touched)]
    elif before.backend == "networkmanager":
        lines += ["nmcli general reload conf", "nmcli connection reload", *_profiles(run, touched)]
    if before.ifupdowns:
        lines += [f"timeout {BACK_WITHIN_S} ifup --force {' '.join(map(shlex.quote, before.ifupdowns))}"]
    return [*lines, *_by_hand(before, touched), *_routes(run)]


def _by_hand(before: Before, touched: Sequence[str]) -> Iterator[str]:
    """Memberships and lasting addresses, where no file has them; what the manager brought back already is left."""
    for each in before.entries:
        if each["ifname"] not in touched:
            continue
        name = shlex.quote(each["ifname"])
        if each.get("master"):
            yield f"ip link set dev {name} master {shlex.quote(each['master'])} 2>/dev/null"
        for one in each.get("addr_info", ()):
            if one.get("scope") == "global" and not one.get("dynamic"):
                broadcast = f" broadcast {one['broadcast']}" if one.get("broadcast") else ""
                yield f"ip address add {one['local']}/{one['prefixlen']}{broadcast} dev {name} 2>/dev/null"


def _profiles(run: Run, touched: Sequence[str]) -> Iterator[str]:
    """Each profile that was active on what is touched, upper ones first as they are listed."""
    for line in run(["nmcli", "-t", "-f", "UUID,DEVICE", "connection", "show", "--active"])[1].splitlines():
        ident, _, device = line.partition(":")
        if device in touched:
            yield f"nmcli --wait {BACK_WITHIN_S} connection up uuid {shlex.quote(ident)}"


def _routes(run: Run) -> Iterator[str]:
    """Default routes, where the manager is late or does not know them."""
    for family in ("-4", "-6"):
        for line in run(["ip", family, "route", "show", "default"])[1].splitlines():
            words = [each for each in line.split() if each not in ("linkdown", "dead")]
            if words and "nexthop" not in line and "expires" not in words:
                yield f"ip {family} route append {' '.join(map(shlex.quote, words))} 2>/dev/null"

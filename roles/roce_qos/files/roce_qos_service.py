#!/usr/bin/python3
# ruff: noqa: T201 - what it prints is its journal
"""Keeps the RoCE policy on the rails: ``apply`` sets what differs and ends, ``watch`` has it done again when needed.

Each rail by itself: what can be set is set, and what cannot is named by exit code 1. The firmware is left alone.

Run by gpufabric-roce-qos.service and gpufabric-roce-qos-watch.service. Standard library only; the modules beside this
file are the same that Ansible runs.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from roce_apply import restore
from roce_host import Host
from roce_policy import Policy, PolicyError, read_policy
from roce_report import Report

POLICY = "/etc/gpufabric/roce_qos.json"
RESTART = ("/bin/systemctl", "--no-block", "restart", "gpufabric-roce-qos.service")
SETTLED_S = 2.0  # no event for this long: the driver is through with the port
LONGEST_S = 15.0  # a port that flaps without end is looked after all the same
POLL_S = 1.0

# linux/rtnetlink.h, linux/netlink.h, linux/if.h
RTMGRP_LINK, NETLINK_KOBJECT_UEVENT = 1, 15
RTM_NEWLINK, RTM_DELLINK = 16, 17
IFLA_IFNAME = 3
IFF_LOWER_UP = 0x10000


def main() -> int:
    """Exit 0: as the policy says. 1: something is not. 2: no policy that could be applied."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("apply", "watch"))
    parser.add_argument("--policy", default=POLICY, help="default: %(default)s")
    parser.add_argument("--root", default="/", help="tree that holds /sys and /proc (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="say what differs, change nothing")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--wait-s", type=float, default=0, help="wait so long for rails and RDMA devices to appear")
    options = parser.parse_args()
    try:
        policy = read_policy(json.loads(Path(options.policy).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        problems = error.problems if isinstance(error, PolicyError) else (f"{options.policy}: {error}",)
        print(*problems, sep="\n", file=sys.stderr)
        return 2
    if options.what == "watch":
        return watch(frozenset(policy.rails))
    patience = Patience(options.wait_s)
    signal.signal(signal.SIGTERM, patience.end)
    report = keep(policy, Host(root=Path(options.root)), patience, check=options.check)
    show(report, as_json=options.json)
    return 1 if report.failures else 0


class Patience:
    """How long to wait for rails; SIGTERM ends the waiting, and never a set half way.

    systemd sends it to this process alone (KillMode=mixed), for a restart after a link flap or at shutdown.
    """

    def __init__(self, wait_s: float) -> None:
        self.until, self.over = time.monotonic() + wait_s, False

    def end(self, *_: object) -> None:
        self.over = True

    def left(self) -> bool:
        return not self.over and time.monotonic() < self.until


def keep(policy: Policy, host: Host, patience: Patience, *, check: bool = False) -> Report:
    """Restore the rails that are there at once, each further one as it appears, and at last all of them.

    So a dead NIC costs the others nothing; the last report names it. A rail is there with its RDMA device.
    """
    changes, done = [], set()
    while True:
        there = {rail for rail in policy.rails if host.reader(rail, policy.backend).rdma_device}
        if len(there) == len(policy.rails) or not patience.left():
            break
        if there - done:
            rails = tuple(rail for rail in policy.rails if rail in there - done)
            changes += restore(replace(policy, rails=rails), host, check=check).changes
            done |= there
        time.sleep(POLL_S)
    report = restore(policy, host, check=check)
    if not check:  # in check mode the last run has found the same differences again
        report.changes[:0] = changes
    return report


def show(report: Report, *, as_json: bool) -> None:
    """Changes and absences to the journal, failures to its error level."""
    if as_json:
        print(json.dumps(report.as_dict(), indent=1))
        return
    for change in report.changes:
        print(change)
    for absence in report.absent:
        print(absence)
    for failure in report.failures:
        print(failure, file=sys.stderr)
    for each in report.not_queried:
        print(each)
    if not report.changes and not report.failures:
        print("all rails are as the policy says" + (", as far as their drivers show it" if report.not_queried else ""))


def watch(rails: frozenset[str]) -> int:
    """Restart the service when a rail appeared or got its link back, or an RDMA device appeared. Does not return."""
    links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    links.bind((0, RTMGRP_LINK))
    devices = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT)
    devices.bind((0, 1))  # group 1: as the kernel sends them
    up = {rail for rail in rails if _has_carrier(rail)}
    notify_ready()
    first = last = 0.0  # of the events not yet answered
    while True:
        readable, _, _ = select.select([links, devices], [], [], SETTLED_S if first else None)
        now = time.monotonic()
        if (links in readable and came_up(links, rails, up)) or (devices in readable and rdma_appeared(devices)):
            first, last = first or now, now
        if first and (now - last >= SETTLED_S or now - first >= LONGEST_S):
            first = 0.0
            print("a rail or its RDMA device came (back): applying the policy again", flush=True)
            subprocess.run(RESTART, check=False)  # noqa: S603 - fixed words


def _has_carrier(rail: str) -> bool:
    try:
        return Path(f"/sys/class/net/{rail}/carrier").read_text(encoding="ascii").strip() == "1"
    except OSError:  # no such interface, or it is down
        return False


def came_up(links: socket.socket, rails: frozenset[str], up: set[str]) -> bool:
    """Did one of the rails come up? ``up`` is kept true to what was heard."""
    try:
        data = links.recv(1 << 16)
    except OSError:  # more events than the socket holds (ENOBUFS): something certainly happened
        return True
    came = False
    for name, has_carrier in link_events(data):
        if name in rails and has_carrier and name not in up:
            came = True
        (up.add if has_carrier else up.discard)(name)
    return came


def link_events(data: bytes) -> Iterator[tuple[str, bool]]:
    """(interface, has a carrier now) for each message about a link."""
    while len(data) >= 16:
        length, kind = struct.unpack_from("=IH", data)
        if kind in (RTM_NEWLINK, RTM_DELLINK):
            (flags,) = struct.unpack_from("=I", data, 24)
            name = _attribute(data[32:length], IFLA_IFNAME).rstrip(b"\0").decode()
            yield name, kind == RTM_NEWLINK and bool(flags & IFF_LOWER_UP)
        data = data[(length + 3) & ~3 :] if length >= 16 else b""


def _attribute(attributes: bytes, wanted: int) -> bytes:
    while len(attributes) >= 4:
        length, kind = struct.unpack_from("=HH", attributes)
        if length < 4:
            break
        if kind == wanted:
            return attributes[4:length]
        attributes = attributes[(length + 3) & ~3 :]
    return b""


def rdma_appeared(devices: socket.socket) -> bool:
    """Is the next event of the kernel a new RDMA device?"""
    try:
        fields = devices.recv(1 << 16).split(b"\0")
    except OSError:
        return True
    return b"ACTION=add" in fields and b"SUBSYSTEM=infiniband" in fields


def notify_ready() -> None:
    """Tell systemd that events are heard from now on (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.connect("\0" + address[1:] if address.startswith("@") else address)
            manager.send(b"READY=1")


if __name__ == "__main__":
    sys.exit(main())

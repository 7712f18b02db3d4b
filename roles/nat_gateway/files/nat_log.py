#!/usr/bin/python3
# ruff: noqa: T201 - what it prints is its journal
"""Writes down each source translation of this gateway as it begins and as it ends, from the kernel's own events.

Run by gpufabric-nat-log.service. Standard library only. A record says when, which inside address and port, which
outside address and port stood for it, and towards whom; nat_find.py reads them.

A connection is told of twice where it is known twice, and the second record is marked by ``copy``: ``taken_over``
(another program, which is conntrackd, put it into this kernel: the other gateway had it), ``found`` (it was open
already when this program began, or when events had been lost). An end while this gateway has not the shared address is
``moved``, as the connection goes on at the other one.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nat_records import Files, written

# linux/netlink.h, linux/netfilter/nfnetlink.h, nfnetlink_conntrack.h, nf_conntrack_common.h
NETLINK_NETFILTER, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 12, 270, 1
NLM_F_REQUEST, NLM_F_DUMP = 0x1, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
NFNLGRP_CONNTRACK_NEW, NFNLGRP_CONNTRACK_DESTROY = 1, 3
CONNTRACK_NEW, CONNTRACK_GET, CONNTRACK_DELETE = 0x100, 0x101, 0x102
CTA_TUPLE_ORIG, CTA_TUPLE_REPLY, CTA_STATUS, CTA_ID, CTA_TIMESTAMP = 1, 2, 3, 12, 20
CTA_TUPLE_IP, CTA_TUPLE_PROTO = 1, 2
CTA_IP_V4_SRC, CTA_IP_V4_DST = 1, 2
CTA_PROTO_NUM, CTA_PROTO_SRC_PORT, CTA_PROTO_DST_PORT, CTA_PROTO_ICMP_ID = 1, 2, 3, 4
IPS_SRC_NAT = 1 << 4
SO_RCVBUFFORCE = 33
# linux/netlink.h, linux/rtnetlink.h
NETLINK_ROUTE, RTM_NEWROUTE, RTM_GETROUTE, RTA_DST, RTN_LOCAL, RTM_TYPE_AT = 0, 24, 26, 1, 2, 7
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 132: "sctp"}

BUFFER_BYTES = 64 << 20
KEEP_EVERY_S, ALIVE_EVERY_S = 1.0, 60.0
LATE_S = 2.0
"""Events that may have waited for longer are written down with when they can have been made at the earliest."""
MOST_AT_ONCE = 1000
LOCAL0_INFO = 16 * 8 + 6


def attributes(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Type and value of each of a row of netlink attributes."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            return
        yield kind & 0x3FFF, data[at + 4 : at + length]
        at += (length + 3) & ~3


def ends(data: memoryview) -> tuple[int, str, int, str, int]:
    """Protocol, source and its port, destination and its port; the port of ICMP is its identifier."""
    addresses, protocol, ports = {CTA_IP_V4_SRC: "", CTA_IP_V4_DST: ""}, 0, {}
    for kind, value in attributes(data):
        if kind == CTA_TUPLE_IP:
            addresses |= {one: socket.inet_ntoa(its) for one, its in attributes(value) if one in addresses}
        elif kind == CTA_TUPLE_PROTO:
            for one, its in attributes(value):
                if one == CTA_PROTO_NUM:
                    protocol = its[0]
                elif len(its) == 2:
                    ports[one] = int(struct.unpack("!H", its)[0])
    identifier = ports.get(CTA_PROTO_ICMP_ID, 0)
    source, destination = ports.get(CTA_PROTO_SRC_PORT, identifier), ports.get(CTA_PROTO_DST_PORT, identifier)
    return protocol, addresses[CTA_IP_V4_SRC], source, addresses[CTA_IP_V4_DST], destination


def translation(payload: memoryview) -> dict[str, Any] | None:
    """What a message of the kernel says of a connection; None where its source was not translated."""
    if payload[0] != socket.AF_INET:
        return None
    found = dict(attributes(payload[4:]))
    if CTA_STATUS not in found or not struct.unpack("!I", found[CTA_STATUS])[0] & IPS_SRC_NAT:
        return None
    protocol, inside, inside_port, to, to_port = ends(found[CTA_TUPLE_ORIG])
    _, _, _, outside, outside_port = ends(found[CTA_TUPLE_REPLY])
    entry: dict[str, Any] = {
        "protocol": PROTOCOLS.get(protocol, str(protocol)),
        "inside": inside,
        "inside_port": inside_port,
        "outside": outside,
        "outside_port": outside_port,
        "to": to,
        "to_port": to_port,
        "id": struct.unpack("!I", found[CTA_ID])[0] if CTA_ID in found else 0,
    }
    start = dict(attributes(found[CTA_TIMESTAMP])).get(1) if CTA_TIMESTAMP in found else None
    if start is not None:
        entry["opened"] = written(struct.unpack("!Q", start)[0] / 1e9)
    return entry


def messages(data: bytes) -> Iterator[tuple[int, int, memoryview]]:
    """Type, port of the program that caused it (0: the kernel itself), and payload of each netlink message."""
    whole, at = memoryview(data), 0
    while at + 16 <= len(whole):
        length, kind, _, _, port = struct.unpack_from("=IHHII", whole, at)
        if length < 16:
            return
        yield kind, port, whole[at + 16 : at + length]
        at += (length + 3) & ~3


class Events:
    """The kernel's events of connections that begin and end, in this network namespace."""

    def __init__(self, buffer_bytes: int) -> None:
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, buffer_bytes)
        except PermissionError:  # of a container; the kernel's own limit is what there is
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self.socket.bind((0, 0))
        for group in (NFNLGRP_CONNTRACK_NEW, NFNLGRP_CONNTRACK_DESTROY):
            self.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
        self.socket.setblocking(False)

    def read(self) -> tuple[list[bytes], bool]:
        """What is there, and whether some was lost before."""
        found: list[bytes] = []
        is_lost = False
        while len(found) < MOST_AT_ONCE:
            try:
                found.append(self.socket.recv(1 << 17))
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                is_lost = True
        return found, is_lost


def open_now() -> Iterator[dict[str, Any]]:
    """All translations that the kernel has."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER) as asking:
        asking.bind((0, 0))
        request = struct.pack("=IHHII", 20, CONNTRACK_GET, NLM_F_REQUEST | NLM_F_DUMP, 1, 0)
        asking.send(request + struct.pack("!BBH", socket.AF_INET, 0, 0))
        while True:
            for kind, _, payload in messages(asking.recv(1 << 17)):
                if kind == NLMSG_DONE:
                    return
                if kind == NLMSG_ERROR:
                    raise OSError(-struct.unpack_from("=i", payload)[0], "the kernel does not say what is open")
                found = translation(payload)
                if found is not None:
                    yield found


def has(address: str) -> bool:
    """Does this host have it now, be it as a secondary one?

    The kernel is asked whether packets to it end here. A socket can be bound to any address where load balancers run:
    they set ip_nonlocal_bind.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    wanted = socket.inet_pton(family, address)
    route = struct.pack("=8BI", family, 8 * len(wanted), 0, 0, 0, 0, 0, 0, 0)
    route += struct.pack("=HH", 4 + len(wanted), RTA_DST) + wanted
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_ROUTE) as asking:
        asking.send(struct.pack("=IHHII", 16 + len(route), RTM_GETROUTE, NLM_F_REQUEST, 1, 0) + route)
        # Where there is no way to it, the answer is an error.
        answers = messages(asking.recv(1 << 14))
        return any(kind == RTM_NEWROUTE and payload[RTM_TYPE_AT] == RTN_LOCAL for kind, _, payload in answers)


class Syslog:
    """Where each record is sent as well, without waiting."""

    def __init__(self, where: list[str], gateway: str) -> None:
        self.gateway, self.unsent = gateway, 0
        self.there: list[tuple[socket.socket, Any]] = []
        for each in where:
            host, _, port = each.rpartition(":")
            is_local = each.startswith("/")
            family = socket.AF_UNIX if is_local else socket.AF_INET6 if ":" in host else socket.AF_INET
            one = socket.socket(family, socket.SOCK_DGRAM)
            one.setblocking(False)
            self.there.append((one, each if is_local else (host.strip("[]"), int(port))))

    def send(self, lines: list[tuple[str, str]]) -> None:
        """Time and record each: RFC 5424 to other hosts, the older form to this host's own socket."""
        own = os.getpid()
        for when, line in lines:
            for one, where in self.there:
                head = f"1 {when} {self.gateway} gpufabric-nat {own} translation - "
                local = f"gpufabric-nat[{own}]: "
                text = f"<{LOCAL0_INFO}>{local if one.family == socket.AF_UNIX else head}{line}"
                try:
                    one.sendto(text.encode(), where)
                except OSError:
                    self.unsent += 1


class Log:
    """The records of one gateway."""

    def __init__(self, gateway: str, shared: str, files: Files, syslog: Syslog) -> None:
        self.gateway, self.shared, self.files, self.syslog = gateway, shared, files, syslog
        self.opened = self.ended = 0
        self.read_until_s = time.time()
        """All events before that are written down."""

    def write(self, records: list[dict[str, Any]]) -> None:
        """Records of now, in order."""
        now_s = time.time()
        when = written(now_s)
        lines = [json.dumps({"time": when, "gateway": self.gateway, **each}, separators=(",", ":")) for each in records]
        self.files.write(lines, now_s)
        self.syslog.send([(when, line) for line in lines])

    def take(self, data: list[bytes]) -> None:
        """Messages of the kernel."""
        found = []
        is_ours: bool | None = None
        is_late = time.time() - self.read_until_s > LATE_S
        since = {"since": written(self.read_until_s)} if is_late else {}
        for kind, port, payload in (each for one in data for each in messages(one)):
            if kind not in (CONNTRACK_NEW, CONNTRACK_DELETE):
                continue
            entry = translation(payload)
            if entry is None:
                continue
            if kind == CONNTRACK_NEW:
                self.opened += 1
                found.append({"event": "opened", **entry, **({"copy": "taken_over"} if port else {}), **since})
            else:
                self.ended += 1
                is_ours = has(self.shared) if is_ours is None else is_ours
                found.append({"event": "ended", **entry, **({} if is_ours else {"copy": "moved"}), **since})
        if found:
            self.write(found)

    def look(self, event: str) -> None:
        """Say that something begins here, and what is open already."""
        since = {"since": written(self.read_until_s)} if event == "lost" else {}
        there = [{"event": "opened", **each, "copy": "found"} for each in open_now()]
        self.write([{"event": event, "open": len(there), **since}, *there])

    def alive(self) -> None:
        """A reader sees that nothing was missed until now."""
        entry = {"event": "alive", "opened": self.opened, "ended": self.ended, "active": has(self.shared)}
        self.write([{**entry, "unsent": self.syslog.unsent}])
        self.opened = self.ended = 0


def ready() -> None:
    """Tell systemd."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if where:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
            one.sendto(b"READY=1", where.replace("@", "\0", 1))
    print("ready", flush=True)


def follow(log: Log, events: Events) -> None:
    """Until SIGTERM."""
    waker, woken = socket.socketpair()
    signal.signal(signal.SIGTERM, lambda *_: waker.send(b"."))
    signal.signal(signal.SIGINT, lambda *_: waker.send(b"."))
    log.look("following")
    ready()
    kept = alive = time.monotonic()
    while True:
        there, _, _ = select.select([events.socket, woken], [], [], KEEP_EVERY_S)
        began_s = time.time()
        data, is_lost = events.read()
        log.take(data)
        if is_lost:
            log.look("lost")
            print("events were lost: the kernel made more than could be read; what is open was written down again")
        if len(data) < MOST_AT_ONCE:
            log.read_until_s = began_s
        now = time.monotonic()
        if now - kept >= KEEP_EVERY_S:
            log.files.keep()
            kept = now
        if now - alive >= ALIVE_EVERY_S:
            log.alive()
            alive = now
        if woken in there:
            log.write([{"event": "stopped"}])
            return


def main() -> int:
    """Exit 0: it was told to end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where records go")
    parser.add_argument("--gateway", required=True, help="name of this host in them")
    parser.add_argument("--shared", required=True, help="the address that the translating gateway has")
    parser.add_argument("--file-megabytes", type=float, required=True, help="size of a file at most")
    parser.add_argument("--megabytes", type=float, required=True, help="of all of them on disk at most")
    parser.add_argument(
        "--buffer-bytes", type=int, default=BUFFER_BYTES, help="of events not read yet (default: %(default)s)"
    )
    parser.add_argument("--syslog", action="append", default=[], help="/dev/log, or ADDRESS:PORT (UDP)")
    chosen = parser.parse_args()
    files = Files(chosen.folder, int(chosen.file_megabytes * 1_000_000), int(chosen.megabytes * 1_000_000))
    with contextlib.closing(files):
        events = Events(chosen.buffer_bytes)
        follow(Log(chosen.gateway, chosen.shared, files, Syslog(chosen.syslog, chosen.gateway)), events)
    return 0


if __name__ == "__main__":
    sys.exit(main())

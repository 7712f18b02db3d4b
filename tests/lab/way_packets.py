"""Sends packets between hosts of a routed lab and says which arrived: run where their namespaces are, by sockets alone.

One order a line on standard input, one answer a line on standard output, both JSON. It imports nothing of the project:

    {"hosts": {host: {namespace, devices: {device: {addresses, ways: [[own prefix, gateway]]}}, more: [addresses]}},
     "tcp": [ports], "udp": [ports]}
        hosts serve these ports on all their addresses, and route what is bound to a device by its gateways
    {"probes": [[host, device, source, target, protocol, port, is awaited], ...]}
        answered by [arrived at the host that has the target, answered to the sender] for each

A packet has arrived if its own ends are seen in a host's namespace, whatever that host does with it, or if it was
answered, be it by a refusal: at switches nobody looks. What is awaited is
sent again until it is answered; what is not is looked for as long, and never less than ``_AT_LEAST_S``.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import selectors
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

_NEWNET, _EVERY_PROTOCOL, _OUTGOING = 0x4000_0000, 3, 4
_ROOM_B, _FORCED_ROOM = 4 << 20, 33
_FIRST_PORT, _PORTS = 20_000, 40_000
_AT_LEAST_S, _AT_MOST_S, _AGAIN_S = 2.5, 180.0, 1.0
_BURST, _PAUSE_S = 40, 0.02
_IP, _IP_6 = 0x0800, 0x86DD
_PROTOCOLS = {6: "tcp", 17: "udp", 1: "icmp", 58: "icmp"}
_LIBC = ctypes.CDLL(None, use_errno=True)

Ends = tuple[str, str, str, int, int]
"""Source, target, protocol, source port, destination port; of ICMP its number, and 0."""


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    with Path("/proc/self/ns/net").open() as before, Path(f"/run/netns/{namespace}").open() as there:
        if _LIBC.setns(there.fileno(), _NEWNET):
            raise OSError(ctypes.get_errno(), namespace)
        try:
            yield
        finally:
            _LIBC.setns(before.fileno(), _NEWNET)


def ends_of(protocol: int, packet: bytes) -> Ends | None:
    """Of an IP packet without extension headers."""
    if protocol == _IP and len(packet) > 20:
        kind, start, addresses = packet[9], 4 * (packet[0] & 15), (packet[12:16], packet[16:20])
    elif protocol == _IP_6 and len(packet) > 40:
        kind, start, addresses = packet[6], 40, (packet[8:24], packet[24:40])
    else:
        return None
    source, target = (str(ip_address(each)) for each in addresses)
    name, head = _PROTOCOLS.get(kind, ""), packet[start : start + 8]
    if not name or len(head) < 8:
        return None
    if name == "icmp":
        return (source, target, name, struct.unpack("!H", head[4:6])[0], 0) if head[0] in (8, 128) else None
    return source, target, name, *struct.unpack("!HH", head[:4])


class Hosts:
    """All hosts: what they serve, and what was seen at them."""

    def __init__(self) -> None:
        self.chosen = selectors.DefaultSelector()
        self.namespaces: dict[str, str] = {}
        self.seen: set[tuple[str, Ends]] = set()
        self.owners: dict[str, str] = {}

    def serve(self, order: dict[str, Any]) -> None:
        for host, each in order["hosts"].items():
            self.namespaces[host] = each["namespace"]
            own = [address for device in each["devices"].values() for address in device["addresses"]]
            with inside(each["namespace"]):
                _route(each)
                if not own:  # a switch, which only sends
                    continue
                watching = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERY_PROTOCOL))
                watching.setsockopt(socket.SOL_SOCKET, _FORCED_ROOM, _ROOM_B)
                self._add(watching, self._watch, host)
                for address in (*own, *each["more"]):
                    self.owners[address] = host
                    for port in order["tcp"]:
                        self._add(socket.create_server((address, port), family=_family(address)), self._accept, host)
                    for port in order["udp"]:
                        serving = socket.socket(_family(address), socket.SOCK_DGRAM)
                        serving.bind((address, port))
                        self._add(serving, _echo, host)

    def _add(self, made: socket.socket, what: Any, host: str) -> None:
        made.setblocking(False)
        self.chosen.register(made, selectors.EVENT_READ, (what, host))

    def _watch(self, watching: socket.socket, host: str) -> None:
        for _ in range(500):
            packet, where = watching.recvfrom(128)
            found = ends_of(where[1], packet) if where[2] != _OUTGOING else None
            if found is not None and self.owners.get(found[1]) == host:
                self.seen.add((host, found))

    def _accept(self, listening: socket.socket, host: str) -> None:
        made, _ = listening.accept()
        self._add(made, self._talk, host)

    def _talk(self, connection: socket.socket, _: str) -> None:
        try:
            data = connection.recv(64)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            connection.sendall(data)
        else:
            self.chosen.unregister(connection)
            connection.close()

    def turn(self, for_s: float) -> None:
        """Take what has come for so long."""
        until_s = time.monotonic() + for_s
        while (left_s := until_s - time.monotonic()) > 0:
            for key, events in self.chosen.select(left_s):
                what, about = key.data
                with suppress(BlockingIOError):
                    what(key.fileobj, about) if events & selectors.EVENT_READ else about.begun(key.fileobj)


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _echo(serving: socket.socket, _: str) -> None:
    while True:
        data, where = serving.recvfrom(64)
        with suppress(OSError):  # a host may have no route to who asked: then there is no answer
            serving.sendto(data, where)


def _route(host: dict[str, Any]) -> None:
    """What is bound to a device goes by its gateway, wherever to: as from a host that tries."""
    lines = [f"address replace {each} dev lo" for each in host["more"]]
    for table, (device, each) in enumerate(host["devices"].items(), 7000):
        for prefix, gateway in each["ways"]:
            lines.append(f"-{6 if ':' in gateway else 4} rule add oif {device} lookup {table}")
            lines.append(f"route replace {prefix} dev {device} table {table}")
            lines.append(f"route replace default via {gateway} dev {device} onlink table {table}")
    for line in ["link set lo up", *lines]:
        subprocess.run(["ip", *line.split()], check=True)


class Probe:
    """One packet, sent until it is answered."""

    def __init__(self, hosts: Hosts, number: int, words: list[Any]) -> None:
        self.host, self.device, source, target, self.protocol, self.port, self.is_awaited = words
        own = _FIRST_PORT + number % _PORTS
        is_relay = not self.device  # a switch, which sends from the port that it is answered at
        self.ends: Ends = (
            (source, target, "icmp", own, 0)
            if self.protocol == "icmp"
            else (source, target, self.protocol, 67 if is_relay else own, self.port)
        )
        self.is_answered = self.has_failed = False
        self._hosts = hosts
        self._socket = self._made()

    def _made(self) -> socket.socket:
        source, family = self.ends[0], _family(self.ends[0])
        icmp = socket.IPPROTO_ICMPV6 if family == socket.AF_INET6 else socket.IPPROTO_ICMP
        kind = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM, "icmp": socket.SOCK_RAW}[self.protocol]
        made = socket.socket(family, kind, icmp if self.protocol == "icmp" else 0)
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(self.protocol == "tcp"))
        if self.device:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, self.device.encode())
        try:
            made.bind((source, 0 if self.protocol == "icmp" else self.ends[3]))
        except OSError as error:
            raise OSError(error.errno, f"{self.host} {self.ends}") from error
        if self.protocol == "tcp":
            made.connect_ex((self.ends[1], self.port))
            self._hosts.chosen.register(made, selectors.EVENT_WRITE, (self.take, self))
        else:
            self._hosts.chosen.register(made, selectors.EVENT_READ, (self.take, self))
            self.send(made)
        return made

    def send(self, made: socket.socket | None = None) -> None:
        """TCP sends again by itself, until the kernel gives up."""
        if self.has_failed:
            self.has_failed = False
            self._socket.close()
            with inside(self._hosts.namespaces[self.host]):
                self._socket = self._made()
            return
        sending = made or self._socket
        with suppress(OSError):
            if self.protocol == "udp":
                sending.sendto(b"way", (self.ends[1], self.port))
            elif self.protocol == "icmp":
                sending.sendto(_ping(self.ends), (self.ends[1], 0))

    def begun(self, made: socket.socket) -> None:
        """A connection is open, or refused."""
        error = made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        try:
            if not error:
                made.send(b"way")
        except OSError as failure:
            error = failure.errno or errno.EIO
        if error:
            self._hosts.chosen.unregister(made)
            self.is_answered = error == errno.ECONNREFUSED
            self.has_failed = not self.is_answered
            return
        self._hosts.chosen.modify(made, selectors.EVENT_READ, (self.take, self))

    def take(self, made: socket.socket, _: object) -> None:
        """An answer, maybe: a raw socket is given those to others as well."""
        try:
            data, where = made.recvfrom(256)
        except BlockingIOError:
            return
        except OSError:
            self._hosts.chosen.unregister(made)
            return
        if self.protocol == "icmp":
            head = data[4 * (data[0] & 15) :] if ":" not in self.ends[0] else data
            is_own = head[0] in (0, 129) and struct.unpack("!H", head[4:6])[0] == self.ends[3]
            self.is_answered |= is_own and where[0] == self.ends[1]
        elif data:
            self.is_answered = True
        else:
            self._hosts.chosen.unregister(made)

    @property
    def is_done(self) -> bool:
        return self.is_answered or not self.is_awaited

    def close(self) -> None:
        with suppress(KeyError):
            self._hosts.chosen.unregister(self._socket)
        if self.protocol == "tcp":  # at once, without the state that keeps its ends from being used again
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


def _ping(ends: Ends) -> bytes:
    """An echo request; of IPv6 the kernel writes the sum."""
    head = struct.pack("!BBHHH", 128 if ":" in ends[0] else 8, 0, 0, ends[3], 1)
    total = sum(struct.unpack("!4H", head))
    return head[:2] + struct.pack("!H", ~(total + (total >> 16)) & 0xFFFF) + head[4:]


def send(hosts: Hosts, wanted: list[list[Any]], first: int) -> list[list[Any]]:
    """All of these, many at a time."""
    probes: list[Probe] = []
    hosts.seen.clear()
    for number, words in enumerate(wanted):
        with inside(hosts.namespaces[words[0]]):
            probes.append(Probe(hosts, first + number, words))
        if number % _BURST == _BURST - 1:
            hosts.turn(_PAUSE_S)
    began_s = time.monotonic()
    while True:
        hosts.turn(_AGAIN_S)
        now_s = time.monotonic() - began_s
        if now_s > _AT_MOST_S or (now_s > _AT_LEAST_S and all(each.is_done for each in probes)):
            break
        for each in probes:
            if not each.is_answered:
                each.send()
    arrived = {ends for _, ends in hosts.seen}
    for each in probes:
        each.close()
    return [[each.ends in arrived or each.is_answered, each.is_answered] for each in probes]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))
    hosts, sent = Hosts(), 97 * os.getpid()  # other ends than a program before has left half open
    for line in sys.stdin:
        order = json.loads(line)
        if "hosts" in order:
            hosts.serve(order)
            answer: list[list[Any]] = []
        else:
            answer = send(hosts, order["probes"], sent)
            sent += len(order["probes"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Packets between two hosts of a routed lab at a steady rate, and which of them were lost.

    python -m switch_twins.routed.probe '{"source": {"namespace": "gf1-gpu-1", "address": "10.168.0.1"}, ...}'

Both sockets are this process's, one opened in each host's namespace, so one clock judges both ends. Prints JSON:

    sent, lost                    packets; one is lost if it has not arrived ``_LAST_S`` after the last was sent
    flows, lost_flows             source ports, and how many of them lost a packet
    lost_from_ms, lost_to_ms      when the first lost packet was sent, and the one after the last lost; null if none is
    late_ms                       the longest time that a packet went out after it was due: how busy the machine was
    late_while_lost_ms            the same from the first lost packet to the one after the last lost; 0 if none is
    crossed                       per switch, packets that its ports in ``counted`` sent, as the kernel counts them
"""

from __future__ import annotations

import json
import secrets
import select
import socket
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import Problem, TwinError
from .commands import ip_json
from .entered import inside
from .names import kernel_name

TARGET_PORT = 4791
"""RoCEv2's, as IANA has it."""
_FIRST_SOURCE_PORT = 49_152
"""The first that is reserved for no service (RFC 6335)."""
_LAST_S = 1.0
_BEFORE_S = 0.05
_PACKET = struct.Struct("!16sQ")
_ROOM_B = 8 << 20
_SO_RCVBUFFORCE = 33
"""asm-generic/socket.h"""


@dataclass(frozen=True, slots=True)
class Flows:
    """What is sent: so many packets a second for so long, each flow in its turn."""

    seconds: float
    rate_hz: int
    count: int

    @property
    def packets(self) -> int:
        """All of them."""
        return max(1, round(self.seconds * self.rate_hz))


@dataclass(slots=True)
class Sent:
    """When each packet went out and how late, and which arrived; seconds of one clock."""

    at_s: list[float] = field(default_factory=list)
    late_s: list[float] = field(default_factory=list)
    arrived: set[int] = field(default_factory=set)

    def summary(self, flows: Flows) -> dict[str, Any]:
        """As printed, without what the kernel counted."""
        lost = [number for number in range(len(self.at_s)) if number not in self.arrived]
        found: dict[str, Any] = {
            "sent": len(self.at_s),
            "lost": len(lost),
            "flows": flows.count,
            "lost_flows": len({number % flows.count for number in lost}),
            "lost_from_ms": None,
            "lost_to_ms": None,
            "late_ms": round(max(self.late_s, default=0.0) * 1000, 1),
            "late_while_lost_ms": 0.0,
        }
        if lost:
            found["late_while_lost_ms"] = round(max(self.late_s[lost[0] : lost[-1] + 2]) * 1000, 1)
            after = self.at_s[lost[-1]] + 1 / flows.rate_hz
            for key, moment_s in (("lost_from_ms", self.at_s[lost[0]]), ("lost_to_ms", after)):
                found[key] = round((moment_s - self.at_s[0]) * 1000)
        return found


def send(senders: Sequence[socket.socket], receiver: socket.socket, target: str, flows: Flows) -> Sent:
    """Send every packet when it is due, and take what arrives meanwhile."""
    token, sent = secrets.token_bytes(16), Sent()
    began_s = time.monotonic() + _BEFORE_S
    for number in range(flows.packets):
        due_s = began_s + number / flows.rate_hz
        _take(receiver, token, sent, due_s)
        now_s = time.monotonic()
        sent.at_s.append(now_s)
        sent.late_s.append(now_s - due_s)
        try:
            senders[number % flows.count].sendto(_PACKET.pack(token, number), (target, TARGET_PORT))
        except OSError:
            continue  # the host has no way there at this moment: lost like any other
    _take(receiver, token, sent, time.monotonic() + _LAST_S)
    return sent


def _take(receiver: socket.socket, token: bytes, sent: Sent, until_s: float) -> None:
    """Take what has arrived, and what does until this time."""
    while True:
        ready, _, _ = select.select([receiver], [], [], max(0.0, until_s - time.monotonic()))
        if not ready:
            return
        packet = receiver.recv(_PACKET.size)
        if len(packet) == _PACKET.size and packet.startswith(token):
            sent.arrived.add(_PACKET.unpack(packet)[1])
        if time.monotonic() >= until_s:
            return


def _bound(address: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _ROOM_B)
    made.bind((address, port))
    return made


def _counts(counted: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Per switch, packets that its ports to the receiver's switch have sent until now."""
    found = {}
    for name, each in counted.items():
        ports = {kernel_name(port) for port in each["ports"]}
        shown = ip_json(each["namespace"], "-s", "link", "show")
        found[name] = sum(one["stats64"]["tx"]["packets"] for one in shown if one.get("ifname") in ports)
    return found


def run_probe(order: Mapping[str, Any]) -> dict[str, Any]:
    """Send between two hosts as ordered; what came of it. Raises OSError or TwinError."""
    source, target = order["source"], order["target"]
    flows = Flows(float(order["seconds"]), int(order["rate_hz"]), int(order["flows"]))
    with inside(source["namespace"]):
        senders = [_bound(source["address"], _FIRST_SOURCE_PORT + number) for number in range(flows.count)]
    with inside(target["namespace"]):
        receiver = _bound(target["address"], TARGET_PORT)
    before = _counts(order["counted"])
    try:
        sent = send(senders, receiver, target["address"], flows)
    finally:
        for each in (*senders, receiver):
            each.close()
    after = _counts(order["counted"])
    return {**sent.summary(flows), "crossed": {name: after[name] - before[name] for name in before}}


def main(arguments: list[str]) -> int:
    """Run one probe and print what came of it; the exit code."""
    try:
        found = run_probe(json.loads(arguments[0]))
    except (OSError, TwinError) as error:
        sys.stderr.write(f"{error if isinstance(error, TwinError) else Problem('probe', str(error))}\n")
        return 1
    sys.stdout.write(f"{json.dumps(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

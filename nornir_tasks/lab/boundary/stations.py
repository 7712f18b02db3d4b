"""Who stands behind the ports of a machine that forwards: it sends packets, answers, and says what came.

Run by itself, by the standard library alone, in a network namespace of its own (``unshare --net``). It makes a second
one for the machine, with a cable for each port; the kernel there is the one that forwards. At the other ends of the
cables no kernel is at work: frames are made and read here, so that any source and any flag can be sent. Addresses of
neighbours are answered for those that are said to be there, and for no others.

Lines of JSON in, one answer to each:
``{"build": {"ports": {NAME: {"there": [ADDRESS, ...]}}, "commands": [[WORD, ...], ...]}}``: the machine, and what runs
in it;
``{"run": [WORD, ...], "input": TEXT}``: a command in it; ``{"code", "out", "err"}``;
``{"send": {"flows": [[ID, PORT, FAMILY, PROTOCOL, SOURCE, DESTINATION, SOURCE_PORT, PORT_OR_TYPE], ...],
"arrive": [ID, ...], "answered": [ID, ...], "within_s": SECONDS, "quiet_s": SECONDS}}``: opening packets,
of TCP a SYN; it waits for what should come, and then until nothing comes:
``{"arrived": {ID: [[PORT, SOURCE, DESTINATION], ...]}, "answered": [ID, ...]}``.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from ipaddress import ip_address
from pathlib import Path

TCP, UDP, ICMP, ICMPV6 = 6, 17, 1, 58
IPV4, IPV6, ARP = 0x0800, 0x86DD, 0x0806
SYN, ACK, RST = 2, 16, 4
SOLICIT, ADVERT = 135, 136
AT_ONCE = 50
"""Frames between two looks at what came."""


def checksum(data: bytes) -> int:
    """Of RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def packed(source: bytes, destination: bytes, protocol: int, payload: bytes, place: int | None) -> bytes:
    """An IP packet; ``place``: of the checksum in its payload."""
    if place is not None:
        pseudo = b"" if protocol == ICMP else source + destination + _length(source, protocol, payload)
        payload = payload[:place] + struct.pack("!H", checksum(pseudo + payload)) + payload[place + 2 :]
    if len(source) == 4:
        head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0x4000, 64, protocol, 0) + source + destination
        return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload
    return struct.pack("!IHBB", 0x60000000, len(payload), protocol, 64) + source + destination + payload


def _length(source: bytes, protocol: int, payload: bytes) -> bytes:
    """The end of the pseudo header of RFC 9293, and of RFC 8200 with addresses of IPv6."""
    if len(source) == 16:
        return struct.pack("!II", len(payload), protocol)
    return struct.pack("!HH", protocol, len(payload))


def opening(flow: list) -> bytes:  # type: ignore[type-arg]
    """The first packet of a flow. Its number goes with it: as the sequence number of TCP, else as what it carries."""
    number, _, _, protocol, source, destination, source_port, port = flow
    ends = ip_address(source).packed, ip_address(destination).packed
    carried = struct.pack("!4sI", b"flow", number)
    if protocol == TCP:
        segment = struct.pack("!HHIIBBHHH", source_port, port, number, 0, 0x50, SYN, 64240, 0, 0)
        return packed(*ends, TCP, segment, 16)
    if protocol == UDP:
        return packed(*ends, UDP, struct.pack("!HHHH", source_port, port, 16, 0) + carried, 6)
    echo = struct.pack("!BBHHH", port, 0, 0, source_port, 1) + carried
    return packed(*ends, protocol, echo, 2)


class Read:
    """A packet as it came: what it is, of which flow."""

    def __init__(self, frame: bytes) -> None:
        self.kind = struct.unpack("!H", frame[12:14])[0]
        self.sender = frame[6:12]
        data = frame[14:]
        self.flow: int | None = None
        self.is_opening = False
        self.source = self.destination = b""
        if self.kind == IPV4 and len(data) >= 20:
            self.protocol, start = data[9], (data[0] & 15) * 4
            self.source, self.destination = data[12:16], data[16:20]
            self.payload = data[start : struct.unpack("!H", data[2:4])[0]]
        elif self.kind == IPV6 and len(data) >= 40:
            self.protocol = data[6]
            self.source, self.destination = data[8:24], data[24:40]
            self.payload = data[40 : 40 + struct.unpack("!H", data[4:6])[0]]
        else:
            return
        self._of_flow()

    def _of_flow(self) -> None:
        payload = self.payload
        if self.protocol == TCP and len(payload) >= 20:
            sequence, acknowledged = struct.unpack("!II", payload[4:12])
            self.is_opening = payload[13] & (SYN | ACK) == SYN
            self.flow = sequence if self.is_opening else acknowledged - 1
        elif self.protocol == UDP and payload[8:12] in (b"flow", b"back"):
            self.is_opening = payload[8:12] == b"flow"
            self.flow = struct.unpack("!I", payload[12:16])[0]
        elif self.protocol in (ICMP, ICMPV6) and payload[8:12] == b"flow":
            self.is_opening = payload[0] not in (0, 129)
            self.flow = struct.unpack("!I", payload[12:16])[0]

    def answer(self) -> bytes | None:
        """What who is there says to it; to an ICMP message that is no echo request nothing."""
        ends, payload = (self.destination, self.source), self.payload
        if self.protocol == TCP:
            there, here, sequence = struct.unpack("!HHI", payload[:8])
            segment = struct.pack("!HHIIBBHHH", here, there, 1, sequence + 1, 0x50, SYN | ACK, 64240, 0, 0)
            return packed(*ends, TCP, segment, 16)
        if self.protocol == UDP:
            there, here = struct.unpack("!HH", payload[:4])
            return packed(*ends, UDP, struct.pack("!HHHH", here, there, 16, 0) + b"back" + payload[12:16], 6)
        reply = {8: 0, 128: 129}.get(payload[0])
        if reply is None:
            return None
        return packed(*ends, self.protocol, bytes([reply]) + payload[1:2] + b"\0\0" + payload[4:], 2)


class Station:
    """The far end of one port's cable."""

    def __init__(self, number: int, name: str, there: list[str]) -> None:
        self.name, self.there = name, {ip_address(each).packed for each in there}
        self.mac, self.machine = bytes([2, 0, 0, 0, 1, number]), bytes([2, 0, 0, 0, 2, number])
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)

    def listen(self) -> None:
        """Hear what comes out of the machine."""
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.wire.bind((f"far{self.mac[5]}", 0))
        self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.wire.setblocking(False)

    def say(self, packet: bytes) -> None:
        """A packet to the machine."""
        kind = IPV4 if packet[0] >> 4 == 4 else IPV6
        while True:
            try:
                self.wire.send(self.machine + self.mac + struct.pack("!H", kind) + packet)
            except OSError:  # the queue is full for a moment
                time.sleep(0.001)
            else:
                return

    def neighbour(self, read: Read, frame: bytes) -> bool:
        """Answer who asks for an address; True if this was such a question."""
        if read.kind == ARP:
            target, asker = frame[38:42], frame[28:32]
            if frame[20:22] == b"\0\1" and target in self.there:
                body = struct.pack("!HHBBH", 1, IPV4, 6, 4, 2) + self.mac + target + read.sender + asker
                self.wire.send(read.sender + self.mac + struct.pack("!H", ARP) + body)
            return True
        if read.kind == IPV6 and read.protocol == ICMPV6 and read.payload[0] in (SOLICIT, ADVERT):
            target = read.payload[8:24]
            if read.payload[0] == SOLICIT and target in self.there and any(read.source):
                body = struct.pack("!BBHI", ADVERT, 0, 0, 0x60000000) + target + b"\2\1" + self.mac
                packet = bytearray(packed(target, read.source, ICMPV6, body, 2))
                packet[7] = 255  # RFC 4861, 7.1.2: of neighbours alone
                self.wire.send(read.sender + self.mac + struct.pack("!H", IPV6) + bytes(packet))
            return True
        return False


class Room:
    """The machine, its cables, and who is behind them."""

    def __init__(self) -> None:
        self.stations: dict[str, Station] = {}
        self.machine = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])  # noqa: S607
        self.first = Path("/proc/self/ns/net").readlink()

    def build(self, ports: dict, commands: list) -> dict:  # type: ignore[type-arg]
        """A cable for each port, then what should run in the machine."""
        while Path(f"/proc/{self.machine.pid}/ns/net").readlink() == self.first:
            time.sleep(0.01)
        _run(["ip", "link", "set", "lo", "up"])
        self.inside(["ip", "link", "set", "lo", "up"])
        for number, (name, each) in enumerate(ports.items(), 1):
            station = Station(number, name, each["there"])
            far, mac = f"far{number}", station.machine.hex(":")
            there = ["netns", str(self.machine.pid), "address", mac]
            _run(
                [
                    "ip",
                    "link",
                    "add",
                    far,
                    "address",
                    station.mac.hex(":"),
                    "type",
                    "veth",
                    "peer",
                    "name",
                    name,
                    *there,
                ]
            )
            # The kernel at this end says nothing: all frames are made here.
            _run(["sysctl", "-q", "-w", f"net.ipv6.conf.{far}.disable_ipv6=1"])
            _run(["ip", "link", "set", far, "arp", "off", "up"])
            self.inside(["sysctl", "-q", "-w", f"net/ipv6/conf/{name}/accept_dad=0"])  # slashes: names may have dots
            self.inside(["ip", "link", "set", name, "up"])
            station.listen()
            self.stations[name] = station
        for command in commands:
            self.inside(command)
        return {}

    def inside(self, command: list, text: str = "") -> None:  # type: ignore[type-arg]
        """A command in the machine that must do."""
        done = self.run(command, text)
        if done["code"]:
            raise SystemExit(f"{' '.join(command)}: {done['err'] or done['out']}")

    def run(self, command: list, text: str = "") -> dict:  # type: ignore[type-arg]
        """A command in the machine, and what it says."""
        words = ["nsenter", "--target", str(self.machine.pid), "--net", "--", *command]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)  # noqa: S603
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

    def send(self, flows: list, arrive: list, answered: list, within_s: float, quiet_s: float) -> dict:  # type: ignore
        """All opening packets, and what became of them."""
        self.arrived: dict[int, list] = {}  # type: ignore[type-arg]
        self.answered: set[int] = set()
        self.from_port = {flow[0]: flow[1] for flow in flows}
        for place in range(0, len(flows), AT_ONCE):
            for flow in flows[place : place + AT_ONCE]:
                self.stations[flow[1]].say(opening(flow))
            self._hear(0)
        deadline = time.monotonic() + within_s
        while not (set(arrive) <= set(self.arrived) and set(answered) <= self.answered):
            self._hear(0.05)
            if time.monotonic() > deadline:
                break
        last = time.monotonic()
        while time.monotonic() - last < quiet_s:
            if self._hear(quiet_s / 4):
                last = time.monotonic()
        return {"arrived": self.arrived, "answered": sorted(self.answered)}

    def _hear(self, wait_s: float) -> int:
        """What came at all ends, answered; how many packets of flows these were."""
        found = 0
        wires = {each.wire.fileno(): each for each in self.stations.values()}
        for number in select.select(list(wires), [], [], wait_s)[0]:
            station = wires[number]
            with contextlib.suppress(BlockingIOError):
                while True:
                    frame, (_, _, kind, *_) = station.wire.recvfrom(4096)
                    if kind != socket.PACKET_OUTGOING:
                        found += self._came(station, frame)
        return found

    def _came(self, station: Station, frame: bytes) -> int:
        read = Read(frame)
        if station.neighbour(read, frame) or read.flow is None or read.flow not in self.from_port:
            return 0
        if read.is_opening:
            ends = [str(ip_address(each)) for each in (read.source, read.destination)]
            self.arrived.setdefault(read.flow, []).append([station.name, *ends])
            answer = read.answer()
            if answer is not None:
                station.say(answer)
        elif station.name == self.from_port[read.flow]:
            self.answered.add(read.flow)
        return 1

    def end(self) -> None:
        """The machine's namespace ends with its last process."""
        self.machine.send_signal(signal.SIGKILL)
        self.machine.wait()


def _run(command: list) -> None:  # type: ignore[type-arg]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr or done.stdout}")


def main() -> None:
    """Line by line from the pipe it was started with, until there is none."""
    room = Room()
    try:
        with os.fdopen(0) as lines, os.fdopen(1, "w") as answers:
            for line in lines:
                ((what, body), *more) = json.loads(line).items()
                if what == "run":
                    answer = room.run(body, dict(more).get("input", ""))
                else:
                    answer = (room.build if what == "build" else room.send)(**body)
                answers.write(json.dumps(answer) + "\n")
                answers.flush()
    finally:
        room.end()


if __name__ == "__main__":
    main()

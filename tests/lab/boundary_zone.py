"""What stands behind one port of a firewall in tests: it answers, sends, and says which packets arrived.

Run in a namespace, by the standard library alone. One line of JSON in: port, addresses, listen {tcp, udp}, jobs [id,
family, protocol, source, destination, port]; it says ``ready``, begins at the next line, and ends with a line of JSON:
ids that arrived at this port, and ids of its own jobs that were answered. The id is the source port, or the identifier
of an echo request.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import sys
import threading
import time

ETHERTYPES = {0x0800: 4, 0x86DD: 6}
TCP, UDP, ICMP, ICMPV6 = 6, 17, 1, 58
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
WAIT_S = 2.5


def identified(family: int, packet: bytes) -> int | None:
    """The id of an opening packet: source port of a SYN or of UDP, identifier of an echo request."""
    if family == 4:
        protocol, start = packet[9], (packet[0] & 15) * 4
    else:
        protocol, start = packet[6], 40
    rest = packet[start:]
    if protocol == TCP and len(rest) >= 14 and rest[13] & 0x12 == 0x02:
        return int(struct.unpack("!H", rest[:2])[0])
    if protocol == UDP and rest[8:12] == b"ask!":
        return int(struct.unpack("!H", rest[:2])[0])
    if (protocol, rest[0]) in {(ICMP, 8), (ICMPV6, 128)}:
        return int(struct.unpack("!H", rest[4:6])[0])
    return None


class Zone:
    """One zone."""

    def __init__(self, wanted: dict) -> None:  # type: ignore[type-arg]
        self.jobs = wanted["jobs"]
        self.arrived: set[int] = set()
        self.answered: set[int] = set()
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        if wanted["port"]:  # of all ports otherwise
            self.wire.bind((wanted["port"], 0))
        self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.echoing: list[socket.socket] = []
        self.listening: list[socket.socket] = []
        for port in wanted["listen"]["tcp"]:
            each = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind(("::", port))
            each.listen(512)
            self.listening.append(each)
        for address in wanted["addresses"]:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            for port in wanted["listen"]["udp"]:
                each = socket.socket(family, socket.SOCK_DGRAM)
                each.bind((address, port))
                self.echoing.append(each)

    def hear(self) -> None:
        """What arrives at the port, for ever."""
        while True:
            frame, (_, _, kind, *_) = self.wire.recvfrom(4096)
            family = ETHERTYPES.get(int(struct.unpack("!H", frame[12:14])[0]))
            if family is not None and kind != socket.PACKET_OUTGOING:
                found = identified(family, frame[14:])
                if found is not None:
                    self.arrived.add(found)

    def serve(self) -> None:
        """Take connections, and answer datagrams, for ever."""
        watch = select.epoll()
        there = {each.fileno(): each for each in (*self.listening, *self.echoing)}
        for number in there:
            watch.register(number, select.EPOLLIN)
        while True:
            for number, _ in watch.poll():
                each = there[number]
                with contextlib.suppress(OSError):
                    if each in self.listening:
                        each.accept()[0].close()
                    else:
                        data, where = each.recvfrom(100)
                        each.sendto(data, where)

    def send(self) -> dict[int, tuple[str, int, socket.socket]]:
        """The opening packet of every job."""
        found = {}
        for number, family, protocol, source, destination, port in self.jobs:
            of = FAMILIES[family]
            if protocol == "icmp":
                its = socket.IPPROTO_ICMP if family == 4 else socket.IPPROTO_ICMPV6
                each = socket.socket(of, socket.SOCK_RAW, its)
                each.bind((source, 0))
                echo = struct.pack("!BBHHH", 8 if family == 4 else 128, 0, 0, number, 1)
                sums = sum(struct.unpack("!4H", echo))
                total = ~(sums + (sums >> 16)) & 0xFFFF if family == 4 else 0
                packet, where = echo[:2] + struct.pack("!H", total) + echo[4:], (destination, 0)
            else:
                each = socket.socket(of, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
                each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                each.bind((source, number))
                packet, where = b"ask!", (destination, port)
            each.setblocking(False)
            with contextlib.suppress(OSError):
                each.connect(where) if protocol == "tcp" else each.sendto(packet, where)
            found[each.fileno()] = (protocol, number, each)
        return found

    def wait(self, sent: dict[int, tuple[str, int, socket.socket]], wait_s: float) -> None:
        """Note what is answered."""
        watch = select.epoll()
        for number, (protocol, _, _) in sent.items():
            watch.register(number, select.EPOLLOUT if protocol == "tcp" else select.EPOLLIN)
        deadline = time.monotonic() + wait_s
        while (left := deadline - time.monotonic()) > 0:
            for number, _ in watch.poll(left):
                protocol, job, each = sent[number]
                if protocol == "tcp":
                    if each.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                        self.answered.add(job)
                    watch.unregister(number)
                else:
                    self._answer(protocol, job, each)

    def _answer(self, protocol: str, job: int, each: socket.socket) -> None:
        with contextlib.suppress(OSError):
            data = each.recv(200)
            if protocol == "udp":
                self.answered.add(job)
                return
            rest = data[20:] if each.family == socket.AF_INET else data
            if rest[0] in (0, 129) and int(struct.unpack("!H", rest[4:6])[0]) == job:
                self.answered.add(job)


def main() -> None:
    """One zone, until its jobs are done and their time is over."""
    zone = Zone(json.loads(sys.stdin.readline()))
    for each in (zone.hear, zone.serve):
        threading.Thread(target=each, daemon=True).start()
    print("ready", flush=True)
    while sys.stdin.readline():
        sent = zone.send()
        zone.wait(sent, WAIT_S)
        for _, _, used in sent.values():
            used.close()
        print(json.dumps({"arrived": sorted(zone.arrived), "answered": sorted(zone.answered)}), flush=True)
        zone.arrived.clear()  # not before sending: others may have begun
        zone.answered.clear()


if __name__ == "__main__":
    main()

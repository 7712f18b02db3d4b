"""Who talks through a translating gateway, and who sees it outside. Run in namespaces, by the standard library alone.

``talk DESTINATION``: jobs [source, protocol, source port (0: any)] as JSON in; each is sent once, and its answer
awaited; prints how many were answered. ``see ADDRESS``: notes address, port and time of what comes, and the true
source, which it says itself; prints all of it as JSON at the end of its input.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import threading
import time

PORT = {"tcp": 443, "udp": 53}


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def talk(destination: str) -> None:
    answered = 0
    for number, (source, protocol, port) in enumerate(json.loads(sys.stdin.read())):
        text = source.encode().ljust(16)
        try:
            if protocol == "icmp":
                answered += ping(source, destination, 1000 + number, text)
            else:
                answered += ask(protocol, (source, port), destination, text)
        except OSError:
            continue
    print(answered)


def ping(source: str, destination: str, identifier: int, text: bytes) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as one:
        one.bind((source, 0))
        head = struct.pack("!BBHHH", 8, 0, 0, identifier, 1) + text
        one.sendto(head[:2] + struct.pack("!H", checksum(head)) + head[4:], (destination, 0))
        return bool(select.select([one], [], [], 1)[0])


def ask(protocol: str, source: tuple[str, int], destination: str, text: bytes) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM) as one:
        one.bind(source)
        one.settimeout(1 if protocol == "tcp" else 0.2)
        one.connect((destination, PORT[protocol]))
        one.send(text)
        return bool(one.recv(1))


class Outside:
    """Somebody who keeps a log of his own."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.seen: list[dict[str, object]] = []

    def note(self, protocol: str, address: str, port: int, text: bytes) -> None:
        source = text.decode().strip()
        self.seen.append(
            {"protocol": protocol, "address": address, "port": port, "time": time.time(), "source": source}
        )

    def tcp(self, listening: socket.socket) -> None:
        while True:
            one, (address, port) = listening.accept()
            with one:
                self.note("tcp", address, port, one.recv(16))
                one.send(b".")

    def udp(self, listening: socket.socket) -> None:
        while True:
            text, (address, port) = listening.recvfrom(100)
            self.note("udp", address, port, text)
            listening.sendto(b".", (address, port))

    def icmp(self, listening: socket.socket) -> None:
        while True:
            packet, (address, _) = listening.recvfrom(100)
            if packet[20] == 8 and socket.inet_ntoa(packet[16:20]) == self.address:
                self.note("icmp", address, struct.unpack("!H", packet[24:26])[0], packet[28:44])


def see(address: str) -> None:
    outside = Outside(address)
    tcp = socket.create_server((address, PORT["tcp"]), backlog=100)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((address, PORT["udp"]))
    icmp = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    for hear, there in ((outside.tcp, tcp), (outside.udp, udp), (outside.icmp, icmp)):
        threading.Thread(target=hear, args=(there,), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    time.sleep(0.2)
    print(json.dumps(outside.seen), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "see":
        see(sys.argv[2])
    else:
        talk(sys.argv[2])

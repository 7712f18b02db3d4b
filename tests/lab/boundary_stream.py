"""Connections through firewalls while one of them dies: one that stays open, and new ones all the time.

Run in a namespace, by the standard library alone: ``serve PORT`` answers whatever comes; ``stream SOURCE DESTINATION
PORT [SOURCE_PORT]`` writes a number every 20 ms over one connection, reads them back, opens a connection every 100 ms
beside, and at the end of its input prints a line of JSON: how long no answer came, at most and at the end, and how long
no new connection came about.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
import time

EVERY_S, NEW_EVERY_S, NEW_WAIT_S = 0.02, 0.1, 0.4


def serve(port: int) -> None:
    """Echo on every address, until killed."""
    listening = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_echo, args=(connection,), daemon=True).start()


def _echo(connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        while data := connection.recv(4096):
            connection.sendall(data)


class Stream:
    """One connection that stays."""

    def __init__(self, source: str, destination: str, port: int, source_port: int) -> None:
        self.ends = (source, destination, port)
        self.answers: list[float] = []
        self.refused: list[float] = []
        self.opened: list[float] = []
        self.is_over, self.over_at = False, 0.0
        self.error = ""
        self.connection = socket.create_connection((destination, port), 5, (source, source_port))
        self.connection.settimeout(30)

    def write(self) -> None:
        """A number every 20 ms."""
        number = 0
        with contextlib.suppress(OSError):
            while not self.is_over:
                self.connection.sendall(struct.pack("!I", number))
                number += 1
                time.sleep(EVERY_S)
            self.connection.shutdown(socket.SHUT_WR)

    def read(self) -> None:
        """The numbers come back, in order."""
        expected, left = 0, b""
        try:
            while data := self.connection.recv(4096):
                left += data
                while len(left) >= 4:
                    assert struct.unpack("!I", left[:4])[0] == expected
                    expected, left = expected + 1, left[4:]
                self.answers.append(time.monotonic())
        except (OSError, AssertionError) as error:
            self.error = repr(error)

    def open(self) -> None:
        """New connections, one after the other."""
        source, destination, port = self.ends
        while not self.is_over:
            began = time.monotonic()
            try:
                socket.create_connection((destination, port), NEW_WAIT_S, (source, 0)).close()
                self.opened.append(began)
            except OSError:
                self.refused.append(began)
            time.sleep(NEW_EVERY_S)

    def report(self) -> dict[str, object]:
        """What became of them."""
        silent = max((after - before for before, after in zip(self.answers, self.answers[1:], strict=False)), default=0)
        after = [each for each in self.opened if self.refused and each > self.refused[-1]]
        outage = after[0] - self.refused[0] if after else 0.0 if not self.refused else -1.0
        return {
            "silent_s": silent,
            "silent_at_the_end_s": self.over_at - self.answers[-1],
            "error": self.error,
            "opened": len(self.opened),
            "refused": len(self.refused),
            "outage_s": outage,
        }


def stream(source: str, destination: str, port: int, source_port: int = 0) -> None:
    """Until the input ends."""
    one = Stream(source, destination, port, source_port)
    threads = [threading.Thread(target=each, daemon=True) for each in (one.write, one.read, one.open)]
    for each in threads:
        each.start()
    print("ready", flush=True)
    sys.stdin.read()
    one.over_at = time.monotonic()
    one.is_over = True
    for each in threads:
        each.join(35)
    print(json.dumps(one.report()), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        stream(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))

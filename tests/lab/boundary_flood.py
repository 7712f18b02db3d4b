"""Datagrams without end from one side of a firewall, and how many come to the other. Run in namespaces.

``send ADDRESS`` and ``take ADDRESS``, until the end of its input; prints how many.
"""

from __future__ import annotations

import select
import socket
import sys
import time

PORT = 9999


def main() -> None:
    """One side."""
    what, address = sys.argv[1:]
    there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if what == "take":
        there.bind((address, PORT))
    print("ready", flush=True)
    number = 0
    while True:
        ready, _, _ = select.select([sys.stdin, *([there] if what == "take" else [])], [], [], 0.05 * (what == "take"))
        if what == "send":
            there.sendto(b"flood", (address, PORT))
            number += 1
            time.sleep(0.0002)
        elif there in ready:
            there.recv(100)
            number += 1
        if sys.stdin in ready:
            break
    print(number, flush=True)


if __name__ == "__main__":
    main()

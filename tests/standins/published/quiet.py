"""quiet.py AUTHORITY SOURCE ADDRESS PORT plain|tls COUNT: clients that connect, and say nothing until they are told to.

For each line that it reads it says one: `open` how many connections nobody ended; `ask` what the first of them
gets for an HTTP request; `hear` what the first of them was told unasked.
"""

import contextlib
import select
import socket
import ssl
import sys
from collections.abc import Iterator

authority, source, address, port, how, count = sys.argv[1:7]
CONTEXT = ssl.create_default_context(cafile=authority)


def connected() -> socket.socket:
    connection = socket.create_connection((address, int(port)), 5, (source, 0))
    return CONTEXT.wrap_socket(connection, server_hostname="portal") if how == "tls" else connection


def all_connected() -> Iterator[socket.socket]:
    for _ in range(int(count)):
        with contextlib.suppress(ConnectionError):
            yield connected()


def is_open(connection: socket.socket) -> bool:
    """Whoever says nothing is told nothing but the end."""
    return not select.select([connection], [], [], 0)[0]


def answer_to(connection: socket.socket) -> str:
    return connection.recv(4096).decode().strip().rpartition("\n")[2] or "nothing"


clients = list(all_connected())
print("ready", flush=True)
for line in sys.stdin:
    if line == "open\n":
        print(sum(map(is_open, clients)), flush=True)
        continue
    try:
        if line == "ask\n":
            clients[0].sendall(b"GET / HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n")
        print(answer_to(clients[0]), flush=True)
    except OSError as error:
        print("nothing:", error, flush=True)

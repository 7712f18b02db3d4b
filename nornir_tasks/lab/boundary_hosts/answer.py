"""``answer.py TCP UDP``: a station in a zone answers at these ports (comma between them), at every address it has.

Run by the standard library alone, in the station's namespace, until it is killed. TCP: a request of HTTP gets an answer
that names the address and port it came to; whatever else comes goes back as it is, behind a PROXY header if there is
one. UDP goes back as it is, from the address that it came to.
"""

import contextlib
import os
import socket
import struct
import sys
import threading

OUTPUT = 1
"""File descriptor of what our parent reads."""
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
"""Of version 2 of the PROXY protocol, which is text in version 1."""


def main() -> None:
    """A thread for each port, and for each connection."""
    tcp, udp = ([int(each) for each in text.split(",") if each] for text in sys.argv[1:])
    threads = [threading.Thread(target=_listen, args=(_tcp_socket(port),)) for port in tcp]
    threads += [threading.Thread(target=_reflect, args=(_udp_socket(port),)) for port in udp]
    for each in threads:
        each.start()
    os.write(OUTPUT, b"ready\n")
    for each in threads:
        each.join()


def _tcp_socket(port: int) -> socket.socket:
    return socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512)


def _listen(listening: socket.socket) -> None:
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_serve, args=(connection,), daemon=True).start()


def _serve(connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        while data := connection.recv(4096):
            data = _without_proxy_header(data)
            if b" HTTP/1." in data.partition(b"\r\n")[0]:
                address, port = connection.getsockname()[:2]
                body = f"here is {address.removeprefix('::ffff:')} port {port}\n"
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                connection.sendall((head + body).encode())
                return
            connection.sendall(data)


def _without_proxy_header(data: bytes) -> bytes:
    if data.startswith(SIGNATURE) and len(data) >= 16:
        return data[16 + struct.unpack("!H", data[14:16])[0] :]
    return data.partition(b"\r\n")[2] if data.startswith(b"PROXY ") else data


def _udp_socket(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    found.bind(("::", port))
    return found


def _reflect(waiting: socket.socket) -> None:
    while True:
        with contextlib.suppress(OSError):
            data, more, _, sender = waiting.recvmsg(4096, 256)
            came_to = [each for each in more if each[:2] == (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO)]
            waiting.sendmsg([data], came_to, 0, sender)


if __name__ == "__main__":
    main()

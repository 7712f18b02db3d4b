"""Ask a relay from one address, and print what came of it in a word or two.

ask.py name SOURCE RELAY NAME [tcp]; ask.py page SOURCE RELAY URL; ask.py tunnel SOURCE RELAY HOST:PORT
"""

import socket
import struct
import sys

TIMEOUT_S = 4
ANSWERS = {0: "ok", 2: "servfail", 3: "nxdomain", 5: "refused"}


def opened(kind: int, source: str, relay: str, port: int) -> socket.socket:
    """A socket from one address to a port of the relay."""
    found = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET, kind)
    found.settimeout(TIMEOUT_S)
    found.bind((source, 0))
    found.connect((relay, port))
    return found


def name(source: str, relay: str, asked: str, by: str = "udp") -> str:
    """What the relay answers for a name: the code, and the last address."""
    labels = b"".join(bytes([len(each)]) + each.encode() for each in asked.split("."))
    question = struct.pack("!6H", 4711, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)
    if by == "tcp":
        with opened(socket.SOCK_STREAM, source, relay, 53) as there:
            there.sendall(struct.pack("!H", len(question)) + question)
            answer = there.recv(4096)[2:]
    else:
        with opened(socket.SOCK_DGRAM, source, relay, 53) as there:
            there.send(question)
            answer = there.recv(4096)
    flags, answers = struct.unpack("!H", answer[2:4])[0], struct.unpack("!H", answer[6:8])[0]
    said = ANSWERS.get(flags & 15, str(flags & 15))
    if said != "ok":
        return said
    return f"ok {socket.inet_ntoa(answer[-4:])}" if answers else "ok nothing"


def http(source: str, relay: str, request: str, then: str = "") -> str:
    """The status that the proxy answers with; of a page or an open tunnel, what came by it as well."""
    with opened(socket.SOCK_STREAM, source, relay, 3128) as there:
        there.sendall(request.encode())
        answer = read(there)
        if then and answer.split()[1] == "200":
            there.sendall(then.encode())
            answer = read(there)
    head, _, body = answer.partition("\r\n\r\n")
    status = head.split()[1]
    return f"{status} {body}".strip() if status == "200" else status


def read(there: socket.socket) -> str:
    """Up to the end of an answer, or of its head if it says no length."""
    found = b""
    while b"\r\n\r\n" not in found:
        if not (more := there.recv(4096)):
            break
        found += more
    head, _, body = found.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length")), 0
    )
    while len(body) < length and (more := there.recv(4096)):
        body += more
    return (head + b"\r\n\r\n" + body).decode("latin-1")


def page(source: str, relay: str, url: str) -> str:
    """Fetch a page."""
    return http(source, relay, f"GET {url} HTTP/1.0\r\n\r\n")


def tunnel(source: str, relay: str, target: str) -> str:
    """Open a tunnel, and fetch a page by it."""
    return http(source, relay, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n", "GET / HTTP/1.0\r\n\r\n")


try:
    found = {"name": name, "page": page, "tunnel": tunnel}[sys.argv[1]](*sys.argv[2:])
except OSError as error:
    found = type(error).__name__
sys.stdout.write(f"{found}\n")

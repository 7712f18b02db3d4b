"""The two servers of first boots, on loopback: HTTP for the first file, HTTPS for all else."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.day0.desk import MAX_REQUEST_B, Answer, Desk

REQUEST_TIMEOUT_S = 30.0
"""A caller that connects and says nothing is left after this time."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where to listen, on one address."""

    address: str
    http: int
    https: int


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, ports: Ports, port: int, desk: Desk, context: ssl.SSLContext | None) -> None:
        self.desk, self.is_verified, self._context = desk, context is not None, context
        super().__init__((ports.address, port), _Handler)

    def get_request(self) -> tuple[socket.socket, object]:
        """The handshake waits for the connection's own thread: no other is held up."""
        accepted, address = super().get_request()
        accepted.settimeout(REQUEST_TIMEOUT_S)
        if self._context is not None:
            accepted = self._context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
        return accepted, address

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that breaks is the other end's affair; it may come again."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_TIMEOUT_S
    server_version, sys_version = "gpufabric", ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(b"")

    def do_HEAD(self) -> None:
        """For its date: switches set their clocks by it. Nothing is handed out."""
        self._send(Answer(200, b""))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_REQUEST_B:
            self._send(Answer(413, b"refused: a request is 16 KiB at most, and says how long it is\n"))
            self.close_connection = True
            return
        self._answer(self.rfile.read(int(length)))

    def _answer(self, body: bytes) -> None:
        headers = {key.lower(): value for key, value in self.headers.items()}
        self._send(self.server.desk.answer(self.command, self.path, headers, body, is_verified=self.server.is_verified))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Nothing: a path has a token in it. What happened is told by the desk."""


@contextmanager
def serving(ports: Ports, desk: Desk, context: ssl.SSLContext) -> Iterator[None]:
    """Both servers, until the end of the block. Raises LabError where a port is taken."""
    with ExitStack() as stack:
        servers: list[_Server] = []
        for port, its_context in ((ports.http, None), (ports.https, context)):
            try:
                servers.append(_Server(ports, port, desk, its_context))
            except OSError as error:
                hint = "end what listens there, or choose other ports under day0 in fabric.yml"
                where = f"{ports.address}:{port}"
                raise LabError(Problem(where, f"cannot listen here: {error.strerror}", hint=hint)) from error
            stack.callback(servers[-1].server_close)
        for server in servers:  # both listen by now: who has a script finds what it asks for
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
            stack.callback(server.shutdown)
        yield

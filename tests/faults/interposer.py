"""Stands between the client and one switch: passes every request on, counts it, and lets a fault happen at one of them.

It listens beside the switch, at the switch's own address and with the switch's own certificate, so that the client
takes it for the switch. TLS ends here, so a fault is placed at a whole request: before it reaches the switch, or after
the switch has carried it out and before the client has the answer. Copies over SSH are passed on as they are, and
count as one request each.
"""

import http.client
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import BinaryIO

ANSWER_TIMEOUT_S = 60.0
_CHUNK_BYTES = 65536
_SLOW_PIECES, _SLOW_PAUSE_S = 4, 0.1


class Moment(Enum):
    """When something happens to a request."""

    ARRIVED = "before the switch has it"
    CARRIED_OUT = "carried out, not yet answered"


class Way(Enum):
    """What becomes of a request or its answer."""

    PASS = "passed on"
    END = "the connection ends"
    RESET = "the connection is reset"
    TRUNCATE = "half of the answer, then the connection ends"
    SLOW = "the answer comes in pieces"
    UNAVAILABLE = "an error page of HTTP instead of the answer"


@dataclass(frozen=True, slots=True)
class Place:
    """One request of a client: how many came before it, and what it asks."""

    number: int
    what: str


Hook = Callable[[Place, Moment], Way]


def passing(_: Place, __: Moment) -> Way:
    """No fault."""
    return Way.PASS


@dataclass(frozen=True, slots=True)
class Server:
    """Where a switch listens, and with which certificate and key."""

    address: str
    api_port: int
    ssh_port: int
    certificate: Path
    key: Path


class _Broken(Exception):  # noqa: N818 - the end of a connection, not an error
    """Nothing more is to be passed on over this connection."""

    def __init__(self, way: Way) -> None:
        super().__init__(way.value)
        self.way = way


@dataclass
class Interposer:
    """Serves one switch's API and SSH on ports of its own until ``close``."""

    server: Server
    impostor: tuple[Path, Path]
    """Certificate and key that no client trusts."""
    hook: Hook = passing
    is_out: bool = False
    """Nothing is passed on any more: every connection is reset."""
    is_impostor: bool = False
    """New connections meet the impostor's certificate."""
    trace: list[Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._api = socket.create_server((self.server.address, 0))
        self._ssh = socket.create_server((self.server.address, 0))
        self._own = _context(self.server.certificate, self.server.key)
        self._other = _context(*self.impostor)
        for listener, serve in ((self._api, self._serve_api), (self._ssh, self._serve_ssh)):
            threading.Thread(target=self._accept, args=(listener, serve), daemon=True).start()

    @property
    def api_port(self) -> int:
        """Where the client finds the API."""
        return int(self._api.getsockname()[1])

    @property
    def ssh_port(self) -> int:
        """Where the client finds SSH."""
        return int(self._ssh.getsockname()[1])

    def close(self) -> None:
        """End listening; connections end with their clients."""
        for listener in (self._api, self._ssh):
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def calm(self) -> None:
        """Pass all on from now, and count anew."""
        self.hook, self.is_out, self.is_impostor = passing, False, False
        self.trace.clear()

    # -- serving ---------------------------------------------------------------------------------------------------

    def _accept(self, listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._guarded, args=(serve, client), daemon=True).start()

    def _guarded(self, serve: Callable[[socket.socket], None], client: socket.socket) -> None:
        try:
            serve(client) if not self.is_out else _end(client, Way.RESET)
        except _Broken as broken:
            _end(client, broken.way)
        except (OSError, ValueError, http.client.HTTPException):
            _end(client, Way.END)

    def _next(self, what: str) -> Place:
        """The request's place; one that is asked again and again until its answer changes has one place for all."""
        with self._lock:
            if what.startswith("GET") and self.trace and self.trace[-1].what == what:
                return self.trace[-1]
            place = Place(len(self.trace), what)
            self.trace.append(place)
            return place

    def _meet(self, place: Place, moment: Moment, ends: tuple[Way, ...] = (Way.END, Way.RESET)) -> Way:
        """What happens here; raises where the connection ends."""
        way = self.hook(place, moment)
        if self.is_out:
            raise _Broken(Way.RESET)
        if way in ends:
            raise _Broken(way)
        return way

    # -- the API over HTTPS ----------------------------------------------------------------------------------------

    def _serve_api(self, client: socket.socket) -> None:
        context = self._other if self.is_impostor else self._own
        near = context.wrap_socket(client, server_side=True, do_handshake_on_connect=True, suppress_ragged_eofs=True)
        far = http.client.HTTPSConnection(
            self.server.address, self.server.api_port, timeout=ANSWER_TIMEOUT_S, context=_unverified()
        )
        try:
            with near.makefile("rb") as stream:
                while request := _read_request(stream):
                    self._exchange(near, far, request)
        except _Broken as broken:
            _end(near, broken.way)
        finally:
            far.close()
            near.close()

    def _exchange(self, near: ssl.SSLSocket, far: http.client.HTTPSConnection, request: "_Request") -> None:
        place = self._next(request.what)
        self._meet(place, Moment.ARRIVED)
        if self.is_impostor:  # this connection belongs to the switch that was there before
            raise _Broken(Way.END)
        far.request(request.method, request.path, request.body, request.headers)
        answer = far.getresponse()
        body = answer.read()
        way = self._meet(place, Moment.CARRIED_OUT)
        if way is Way.UNAVAILABLE:
            near.sendall(_head(503, "Service Unavailable", [("Content-Type", "text/html")], b"<html></html>"))
            return
        whole = _head(answer.status, answer.reason, answer.getheaders(), body)
        _send(near, whole, way)

    # -- copies over SSH -------------------------------------------------------------------------------------------

    def _serve_ssh(self, client: socket.socket) -> None:
        """All of a copy is one request: it arrives with the connection, and is carried out when the client hangs up.

        A cut after it arrived is made when half of what a small copy takes has passed.
        """
        place = self._next("copy over SSH")
        self._meet(place, Moment.ARRIVED)
        far = socket.create_connection((self.server.address, self.server.ssh_port), timeout=ANSWER_TIMEOUT_S)
        back = threading.Thread(target=_pump, args=(far, client), daemon=True)
        back.start()
        passed_bytes = 0
        try:
            while data := client.recv(_CHUNK_BYTES):
                passed_bytes += len(data)
                is_amid = passed_bytes - len(data) < _AMID_COPY_BYTES <= passed_bytes
                if is_amid:
                    self._meet(place, Moment.CARRIED_OUT, tuple(way for way in Way if way not in (Way.PASS, Way.SLOW)))
                far.sendall(data)
        except _Broken as broken:
            _end(client, broken.way)
        finally:
            with suppress(OSError):
                far.shutdown(socket.SHUT_RDWR)
            far.close()
            with suppress(OSError):
                client.close()


_AMID_COPY_BYTES = 6000
"""Key exchange, login and the opening of a channel take 3 to 4 kB of the client's bytes; a candidate at least 10."""


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def what(self) -> str:
        return f"{self.method} {self.path} {self.body.decode(errors='replace')[:400]}".strip()


def _read_request(stream: BinaryIO) -> _Request | None:
    line = stream.readline()
    if not line.strip():
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers = dict(http.client.parse_headers(stream).items())
    return _Request(method, path, headers, stream.read(int(headers.get("Content-Length", 0))))


def _head(status: int, reason: str, headers: list[tuple[str, str]], body: bytes) -> bytes:
    kept = [(name, value) for name, value in headers if name.lower() not in ("content-length", "transfer-encoding")]
    rows = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in kept)]
    if status != 204:
        rows.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(rows) + "\r\n\r\n").encode("latin-1") + body


def _send(near: ssl.SSLSocket, whole: bytes, way: Way) -> None:
    if way is Way.TRUNCATE:
        near.sendall(whole[: len(whole) // 2])
        raise _Broken(Way.END)
    if way is not Way.SLOW:
        near.sendall(whole)
        return
    step = len(whole) // _SLOW_PIECES + 1
    for start in range(0, len(whole), step):
        time.sleep(_SLOW_PAUSE_S)
        near.sendall(whole[start : start + step])


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK_BYTES):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def _end(connection: socket.socket, way: Way) -> None:
    """The end without a word of TLS: what a firewall, a crash or a pulled cable leaves the client with."""
    with suppress(OSError):
        if way is Way.RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            connection.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        connection.close()


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _unverified() -> ssl.SSLContext:
    """For our own way to the switch, on loopback: who it is, is the client's question."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

"""The HTTPS front of a twin: TLS with the lab's certificate, HTTP Basic login, keep-alive, and counted traffic.

    self._server = ApiServer(device, lab, self.requests, self._handle)
    await self._server.start()          # from Twin.start; Twin.stop calls stop()
    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse: ...

Every request with the lab's account reaches the handler; any other is answered 401 here, without a word on why.
Connections are counted once their TLS handshake is done.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from asyncio import BaseTransport, Task, get_running_loop
from collections.abc import Awaitable, Callable

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from .spec import DeviceSpec
from .twin import LabContext, RequestCounter

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
MAX_BODY_BYTES = 64 << 20
KEEP_ALIVE_S = 75.0
"""How long an idle connection stays open; nginx's default, and nginx is what stands in front of NX-API and NVUE."""


class ApiServer:
    """One HTTPS listener. ``realm`` and ``unauthorized`` let an OS answer a refused login in its own way."""

    def __init__(
        self,
        device: DeviceSpec,
        lab: LabContext,
        counter: RequestCounter,
        handle: Handler,
        *,
        realm: str = "restricted",
        unauthorized: Callable[[], web.Response] | None = None,
    ) -> None:
        self._device, self._lab, self._counter = device, lab, counter
        self._handle, self._realm, self._unauthorized = handle, realm, unauthorized
        self._runner: web.ServerRunner | None = None

    async def start(self) -> None:
        """Listen on the device's address and API port. Raises OSError if the address is taken."""
        server = _CountingServer(self._answer, self._counter)
        self._runner = web.ServerRunner(server, access_log=None)
        await self._runner.setup()
        tls = self._lab.certificates.server_context(self._device)
        await web.TCPSite(self._runner, self._device.address, self._device.api_port, ssl_context=tls).start()

    async def stop(self) -> None:
        """Close the listener and every connection; harmless if not started."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._counter.requests += 1
        if not is_authorized(request.headers.get("Authorization", ""), self._lab):
            if self._unauthorized is not None:
                return self._unauthorized()
            return web.Response(status=401, headers={"WWW-Authenticate": f'Basic realm="{self._realm}"'})
        return await self._handle(request)


class _CountingServer(web.Server):
    """aiohttp's low-level server, counting connections as they are accepted."""

    def __init__(self, handler: Handler, counter: RequestCounter) -> None:
        super().__init__(handler, request_factory=self._request, keepalive_timeout=KEEP_ALIVE_S, access_log=None)
        self._counter = counter

    @staticmethod
    def _request(
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: Task[None],
    ) -> web.BaseRequest:
        """As aiohttp's own, but a body may be as long as a configuration is."""
        loop = get_running_loop()
        return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=MAX_BODY_BYTES)

    def connection_made(self, handler: object, transport: BaseTransport) -> None:
        self._counter.connections += 1
        super().connection_made(handler, transport)  # type: ignore[arg-type]


def is_authorized(header: str, lab: LabContext) -> bool:
    """Whether an Authorization header carries the lab's account by HTTP Basic; compared in constant time."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return False
    try:
        given = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(given, f"{lab.username}:{lab.password}".encode())

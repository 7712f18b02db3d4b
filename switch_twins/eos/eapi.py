"""eAPI: JSON-RPC over HTTPS on /command-api, with Basic authentication against the running configuration's users.

Answers have the shapes pyeapi 1.0.4 documents and public recordings show: ``result`` a list with one element a
command, or ``error`` with code, message "CLI command 2 of 2 'show bogus' failed: invalid command" and the answers up
to the failed command in ``data``.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any, NoReturn

from aiohttp import web

from ..served import ServedApi
from ..twin import RequestCounter
from ..unexpected import noted
from .shell import REASONS, CommandFailedError, Shell

PATH = "/command-api"
_INTERNAL = -32603
"""JSON-RPC 2.0 Specification, 5.1."""
_MAX_BYTES = 32 * 1024 * 1024
_UNAUTHORIZED = "Unable to authenticate user: Bad username/password combination\n"

Authenticate = Callable[[str, str], bool]
NewShell = Callable[[str], Shell]


class EapiServer:
    """Serves one switch. ``is_reachable``: does its configuration still allow access?"""

    def __init__(
        self,
        name: str,
        authenticate: Authenticate,
        new_shell: NewShell,
        is_reachable: Callable[[], bool],
        api: ServedApi,
        counter: RequestCounter,
    ) -> None:
        self._name = name
        self._authenticate, self._new_shell, self._is_reachable = authenticate, new_shell, is_reachable
        self._api, self._counter = api, counter
        self._runner: web.ServerRunner | None = None

    async def start(self, address: str, port: int) -> None:
        """Listen. Raises OSError if the address is taken."""
        self._runner = web.ServerRunner(web.Server(self._handle))
        await self._runner.setup()
        context = self._api.context()
        await web.TCPSite(self._runner, address, port, ssl_context=context, shutdown_timeout=0.5).start()

    async def stop(self) -> None:
        """Close the listener and every connection."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if not self._is_reachable() or not self._api.is_current(request.transport):
            _cut(request)
        await self._counter.arrived(request.transport)
        user = self._user(request.headers.get("Authorization", ""))
        if user is None:
            challenge = {"WWW-Authenticate": 'Basic realm="COMMAND_API_AUTH"'}
            return web.Response(status=401, text=_UNAUTHORIZED, headers=challenge)
        if request.path == PATH and request.method == "HEAD":
            return web.Response()
        if request.path != PATH or request.method != "POST":
            return web.Response(status=404, text="Not Found\n")
        body = await request.content.read(_MAX_BYTES)
        while chunk := await request.content.read(_MAX_BYTES):
            body += chunk
        answer = self._answer(body, user)
        if not self._api.is_current(request.transport):
            _cut(request)  # the server was restarted under the request
        return web.json_response(answer)

    def _user(self, header: str) -> str | None:
        kind, _, encoded = header.partition(" ")
        try:
            name, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return name if kind.lower() == "basic" and self._authenticate(name, password) else None

    def _answer(self, body: bytes, user: str) -> dict[str, Any]:
        try:
            call = json.loads(body)
        except ValueError:
            return _rpc_error(None, -32700, "Parse error")
        mistake = _mistake(call)
        if mistake:
            return _rpc_error(call.get("id") if isinstance(call, dict) else None, *mistake)
        params = call["params"]
        is_text = params.get("format", "json") == "text"
        try:
            answer = run_commands(self._new_shell(user), params["cmds"], is_text)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets JSON
            return _rpc_error(call.get("id"), _INTERNAL, noted(self._name, error))
        return {"jsonrpc": "2.0", "id": call.get("id"), **answer}


def _cut(request: web.BaseRequest) -> NoReturn:
    """End the connection without an answer."""
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("the switch's configuration shuts this path")


def run_commands(shell: Shell, commands: list[str | dict[str, Any]], is_text: bool) -> dict[str, Any]:
    """Run a request's commands; ``{"result": [...]}`` or ``{"error": {...}}``."""
    results: list[dict[str, Any]] = []
    for number, command in enumerate(commands, start=1):
        line = command if isinstance(command, str) else str(command.get("cmd", ""))
        body = None if isinstance(command, str) else command.get("input")
        try:
            results.append(shell.run(line, body, is_text))
        except CommandFailedError as failure:
            failed: dict[str, Any] = {"errors": [failure.words]}
            if is_text:
                failed["output"] = f"% {failure.words}\n"
            message = f"CLI command {number} of {len(commands)} '{line}' failed: {REASONS[failure.code]}"
            return {"error": {"code": failure.code, "message": message, "data": [*results, failed]}}
    return {"result": results}


def _mistake(call: object) -> tuple[int, str] | None:
    """The mistake in a JSON-RPC call: (code, message)."""
    if not isinstance(call, dict) or call.get("jsonrpc") != "2.0":
        return -32600, "Expected field 'jsonrpc' not specified"
    if call.get("method") != "runCmds":
        return -32601, f"Method {call.get('method')} not found"
    params = call.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("cmds"), list) or not params["cmds"]:
        return -32602, "Expected field 'cmds' not specified"
    if params.get("version") not in (1, "latest"):
        return -32602, "Unsupported version"
    return None


def _rpc_error(call_id: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}}

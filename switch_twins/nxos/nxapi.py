"""NX-API: JSON-RPC over HTTPS at /ins, as used by napalm's nxapi_plumbing; ``ins_api`` messages: ins_api.py.

Shapes (vendor documentation "NX-API CLI", napalm 5.2.0 nxapi_plumbing): a request is an array of ``{jsonrpc, method,
params: {cmd, version}, id}``; the answer to ``cli`` is ``result.body``, to ``cli_ascii`` ``result.msg``; to a refused
command ``error.data.msg``, and a refused configuration line ends the array; the answer to one command is an object, to
several a list.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any, Protocol

from aiohttp import web

from ..served import ServedApi
from ..spec import DeviceSpec
from ..twin import RequestCounter
from ..unexpected import noted
from . import ins_api
from .cli import Cli
from .reply import Reply

_MAX_REQUEST_BYTES = 16 * 2**20
_METHODS = ("cli", "cli_ascii")


class Backend(Protocol):
    """What the servers need from the switch behind them."""

    device: DeviceSpec
    requests: RequestCounter
    api: ServedApi

    def authenticate(self, user: str, password: str) -> bool:
        """Does the configuration have this user with this password?"""

    def is_api_reachable(self) -> bool:
        """Does NX-API answer on the management port?"""

    def open_cli(self, user: str, *, in_config: bool = False) -> Cli:
        """A new session."""


class NxApiServer:
    """The HTTPS listener of one switch."""

    def __init__(self, switch: Backend) -> None:
        self._switch = switch
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen. Raises OSError if the address is taken."""
        application = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        application.router.add_post("/ins", self._post)
        self._runner = web.AppRunner(application, access_log=None, keepalive_timeout=300)
        await self._runner.setup()
        context = self._switch.api.context()
        site = web.TCPSite(self._runner, self._switch.device.address, self._switch.device.api_port, ssl_context=context)
        await site.start()

    async def stop(self) -> None:
        """Close the listener and every connection."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _post(self, request: web.Request) -> web.StreamResponse:
        if not self._switch.is_api_reachable() or not self._switch.api.is_current(request.transport):
            return self._hang_up(request)
        await self._switch.requests.arrived(request.transport)
        user = self._user(request)
        if user is None:
            return web.Response(
                status=401, text="Unauthorized", headers={"WWW-Authenticate": 'Basic realm="Secure Zone"'}
            )
        try:
            calls = json.loads(await request.text())
        except json.JSONDecodeError:
            return web.json_response(_error(None, -32700, "Parse error", "Request is not JSON"), status=400)
        try:
            answer = self._answered(calls, user)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets JSON
            answer = _failed(calls, noted(self._switch.device.name, error))
        if not self._switch.api.is_current(request.transport):
            return self._hang_up(request)  # nginx was restarted under the request
        return answer

    def _answered(self, calls: Any, user: str) -> web.Response:  # noqa: ANN401  (decoded JSON)
        if ins_api.is_message(calls):
            found = ins_api.answer(calls, lambda in_config: self._switch.open_cli(user, in_config=in_config))
            return web.json_response(found)
        answers = self._run(calls if isinstance(calls, list) else [calls], user)
        return web.json_response(answers[0] if len(answers) == 1 else answers, content_type="application/json-rpc")

    @staticmethod
    def _hang_up(request: web.Request) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=503)

    def _user(self, request: web.Request) -> str | None:
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        try:
            user, _, password = base64.b64decode(value).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return user if scheme == "Basic" and self._switch.authenticate(user, password) else None

    def _run(self, calls: list[Any], user: str) -> list[dict[str, Any]]:
        """Run the commands of one request in one session; a refused configuration line ends it."""
        cli = self._switch.open_cli(user, in_config=True)
        answers: list[dict[str, Any]] = []
        for call in calls:
            answers.append(_answer(call, cli.run))
            if "error" in answers[-1] and not cli.is_exec:
                break
        cli.finish()
        return answers


def _failed(calls: object, words: str) -> web.Response:
    """Nothing could be answered: the error of JSON-RPC 2.0 (5.1), or ``ins_api``'s (M)."""
    if ins_api.is_message(calls):
        return web.json_response(ins_api.failed(words))
    return web.json_response(_error(None, -32603, "Internal error", words), status=500)


def _answer(call: object, run: Callable[[str], Reply]) -> dict[str, Any]:
    """One call's response."""
    number = call.get("id") if isinstance(call, dict) else None
    params = call.get("params") if isinstance(call, dict) else None
    command = params.get("cmd") if isinstance(params, dict) else None
    method = str(call.get("method")) if isinstance(call, dict) else ""
    if not isinstance(command, str) or method not in _METHODS:
        return _error(number, -32600, "Invalid Request", "Request has no command, or an unknown method")
    reply = Reply()
    for part in command.split(" ;"):
        reply = run(part)
        if reply.is_refused:
            return _error(number, -32602, "Invalid params", reply.text)
    result = _result(method, command, reply)
    if result is _UNSUPPORTED:
        return _error(number, -32602, "Invalid params", "structured output unsupported\n")
    return {"jsonrpc": "2.0", "result": result, "id": number}


_UNSUPPORTED: dict[str, Any] = {}


def _result(method: str, command: str, reply: Reply) -> dict[str, Any] | None:
    if method == "cli_ascii":
        return {"msg": reply.text}
    if reply.body is not None:
        return {"body": reply.body}
    if command.lstrip().startswith("sh"):
        return _UNSUPPORTED
    return {"msg": reply.text} if reply.text else None


def _error(number: object, code: int, message: str, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message, "data": {"msg": text}}, "id": number}

"""The REST server: ``https://<switch>:8765/nvue_v1`` (Cumulus Linux docs, NVUE-API.md)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol
from urllib.parse import unquote

from aiohttp import web

from ..served import ServedApi
from ..twin import RequestCounter
from ..unexpected import noted
from . import query
from .access import Access, DeniedError
from .autofill import complete
from .defaults import filled
from .dialect import Dialect
from .nvset import CommandError, to_patch
from .revisions import RevisionError, RevisionStore
from .schema import Mistake, Schema, secret_paths
from .tree import Path, Tree, changes, compress, get, merge, ordered, remove, wrap

_PREFIX = "nvue_v1"
_SHOWN_EMPTY = ("service", "system")
"""Of these the operational state without a setting is an empty object ("No Data"), from memory."""
_TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    415: "Unsupported Media Type",
    500: "Internal Server Error",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class RefusalError(Exception):
    """A request that gets an error as its answer."""

    def __init__(self, status: int, detail: str, mistakes: Iterable[Mistake] = ()) -> None:
        super().__init__(detail)
        self.status, self.detail, self.mistakes = status, detail, tuple(mistakes)

    def response(self) -> web.Response:
        """The error's body: a problem document, with NVUE's ``validation`` object if the schema refused."""
        body: Tree = {"detail": self.detail, "status": self.status, "title": _TITLES.get(self.status, "Error")}
        if self.mistakes:
            body["validation"] = {
                "valid": False,
                "selected_errors": [
                    {"error": mistake.message, "instanceLocation": mistake.pointer} for mistake in self.mistakes
                ],
            }
        headers = {"WWW-Authenticate": 'Basic realm="NVUE"'} if self.status == 401 else {}
        return web.json_response(body, status=self.status, headers=headers)


class Switch(Protocol):
    """What the server needs of a twin."""

    name: str
    requests: RequestCounter
    api: ServedApi
    access: Access
    schema: Schema
    dialect: Dialect
    store: RevisionStore

    def is_reachable(self) -> bool:
        """Does the running configuration allow access over the management interface?"""

    def operational(self, path: Path) -> Tree:
        """The operational tree, as far as a path needs it."""


class RestServer:
    """Answers one twin's requests."""

    def __init__(self, twin: Switch) -> None:
        self._twin = twin
        self.app = web.Application(middlewares=[self._guard], client_max_size=64 << 20)
        self.app.router.add_route("*", "/{tail:.*}", self._answer)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Count, drop if the switch is not reachable any more, check the account, and report errors."""
        await self._twin.requests.arrived(request.transport)
        if not self._twin.is_reachable() or not self._twin.api.is_current(request.transport):
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError
        try:
            is_write = request.method not in ("GET", "HEAD")
            header = request.headers.get("Authorization")
            request["user"] = self._twin.access.user(header, self._twin.store.running, is_write=is_write)
            return await handler(request)
        except DeniedError as denied:
            return RefusalError(denied.status, denied.detail).response()
        except RefusalError as refused:
            return refused.response()
        except RevisionError as error:
            return RefusalError(error.status, error.detail).response()
        except (query.QueryError, CommandError) as error:
            return RefusalError(400, str(error)).response()
        except (web.HTTPException, ConnectionError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets JSON
            return RefusalError(500, noted(self._twin.name, error)).response()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        parts = [unquote(part) for part in request.rel_url.raw_path.split("/") if part]
        if parts[:1] != [_PREFIX]:
            raise RefusalError(404, "The requested URL was not found on the server.")
        path = tuple(parts[1:])
        if path[:1] == ("revision",):
            return await self._revision(request, path[1:])
        if path == ("api-token",) and request.method == "GET":
            return web.json_response({"token": self._twin.access.token(request["user"], self._twin.store.running)})
        handlers = {"GET": self._get, "PATCH": self._patch, "DELETE": self._delete}
        if request.method not in handlers:
            raise RefusalError(405, f"{request.method} is not offered for this endpoint.")
        return await handlers[request.method](request, path)

    # -- revisions -------------------------------------------------------------------------------------------------

    async def _revision(self, request: web.Request, path: Path) -> web.Response:
        store = self._twin.store
        if not path:
            if request.method == "POST":
                revision = store.create(request["user"])
                return web.json_response({revision.id: revision.body()})
            if request.method == "GET":
                return web.json_response({name: found.body() for name, found in store.revisions.items()})
        elif len(path) == 1:
            if request.method == "GET":
                return web.json_response(store.find(path[0]).body())
            if request.method == "PATCH":
                return web.json_response(store.request(path[0], _object(await _json(request))))
            if request.method == "DELETE":
                store.delete(path[0])
                return web.Response(status=204)
        raise RefusalError(405, f"{request.method} is not offered for this endpoint.")

    # -- configuration ---------------------------------------------------------------------------------------------

    async def _patch(self, request: web.Request, path: Path) -> web.Response:
        revision = self._twin.store.editable(_rev(request))
        patch = await self._body(request, path)
        mistakes = self._twin.schema.mistakes(patch)
        if mistakes:
            raise RefusalError(400, "The request body does not match the schema.", mistakes)
        complete(patch, revision.tree)
        merge(revision.tree, patch)
        revision.state, revision.issue, revision.progress = "pending", {}, ""
        return web.json_response(_at(_masked(patch), path))

    async def _body(self, request: web.Request, path: Path) -> Tree:
        if request.content_type == "text/plain":
            if not self._twin.dialect.takes_commands or path:
                raise RefusalError(415, "text/plain is not supported here.")
            return to_patch(self._twin.schema, await request.text())
        body = await _json(request)
        if not path:
            return _object(body)
        if self._twin.schema.node(path) is None:
            raise _not_found(path)
        return wrap(path, body)

    async def _delete(self, request: web.Request, path: Path) -> web.Response:
        revision = self._twin.store.editable(_rev(request))
        if path and self._twin.schema.node(path) is None:
            raise _not_found(path)
        try:
            remove(revision.tree, path, self._twin.schema.is_entry)
        except KeyError:
            raise RefusalError(404, f"{'.'.join(path)} is not configured.") from None
        revision.state, revision.issue, revision.progress = "pending", {}, ""
        return web.Response(status=204)

    async def _get(self, request: web.Request, path: Path) -> web.Response:
        parameters = request.query
        include, omit = parameters.getall("include", []), parameters.getall("omit", [])
        query.check_view(path, parameters.get("view"), bool(include or omit))
        rev = parameters.get("rev", "operational")
        is_live = rev == "operational"
        tree = self._operational(path, include) if is_live else self._configured(request, path, rev)
        found = self._find(tree, path, is_configuration=not is_live)
        if isinstance(found, dict):
            found = query.select(query.matching(found, parameters.get("filter")), include, omit)
        return web.json_response(ordered(found))

    def _operational(self, path: Path, include: list[str]) -> Tree:
        """The live tree; of the root, only the objects that ``include`` names, since the whole is large."""
        names = {pointer.strip("/").split("/")[0] for text in include for pointer in text.split(",")}
        if path or not names or "*" in names:
            return self._twin.operational(path)
        tree: Tree = {}
        for name in names:
            tree |= self._twin.operational((name,))
        return tree

    def _configured(self, request: web.Request, path: Path, rev: str) -> Tree:
        """A revision's configuration, or the difference of two, as the parameters say."""
        is_filled = request.query.get("filled", "true") != "false"

        def read(name: str) -> Tree:
            tree = self._twin.store.tree(name)
            return filled(tree, self._twin.dialect) if is_filled else tree

        tree = read(rev)
        other = request.query.get("diff")
        if other is not None:
            tree = changes(read(other), tree)
        tree = _masked(tree)
        has_ranges = self._twin.dialect.takes_commands and request.query.get("expand") != "true"
        return compress(tree) if has_ranges and path in ((), ("interface",)) else tree

    def _find(self, tree: Tree, path: Path, *, is_configuration: bool) -> Any:  # noqa: ANN401  (JSON)
        """The value at a path. An object that may exist and is empty is {}; an unknown name is a 404."""
        try:
            return get(tree, path)
        except KeyError:
            node = self._twin.schema.node(path)
            parent = self._twin.schema.node(path[:-1]) if path else None
            is_fixed = node is not None and parent is not None and path[-1] in parent.fields and node.is_object
            if is_fixed and (is_configuration or path[0] in _SHOWN_EMPTY):
                return {}
            raise _not_found(path) from None


def _not_found(path: Path) -> RefusalError:
    return RefusalError(404, f"The requested URL /{_PREFIX}/{'/'.join(path)} was not found on the server.")


def _rev(request: web.Request) -> str:
    if "rev" not in request.query:
        raise RefusalError(400, "Missing query parameter 'rev'.")
    return request.query["rev"]


async def _json(request: web.Request) -> Any:  # noqa: ANN401  (JSON)
    text = await request.text()
    try:
        return json.loads(text, parse_constant=_no_constant) if text.strip() else {}
    except (json.JSONDecodeError, ValueError) as error:
        raise RefusalError(400, f"The request body is not valid JSON: {error}") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _object(body: object) -> Tree:
    if not isinstance(body, dict):
        mistake = Mistake("", f"{body!r} is not of type 'object'", "wrong-type")
        raise RefusalError(400, "The request body is not an object.", [mistake])
    return body


def _at(patch: Tree, path: Path) -> Any:  # noqa: ANN401  (JSON)
    """The answer to a PATCH of ``path``; a range in the path is answered from the root."""
    try:
        return get(patch, path)
    except KeyError:
        return patch


def _masked(tree: Tree) -> Tree:
    """A copy with secrets shown as ``*``."""
    masked: Tree = json.loads(json.dumps(tree))
    for path in secret_paths(masked):
        get(masked, path[:-1])[path[-1]] = "*"
    return masked

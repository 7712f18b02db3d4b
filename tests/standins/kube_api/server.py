"""The API over HTTPS: addresses, tokens, media types, watches."""

from __future__ import annotations

import json
import re
import ssl
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from . import documents, protobuf
from .cluster import Cluster, Written
from .errors import ApiError
from .kinds import Kind
from .selectors import matches
from .writes import Write

Object = dict[str, Any]
OBJECTS = re.compile(
    r"/(?:api|apis/(?P<group>[^/]+))/(?P<version>[^/]+)(?:/namespaces/(?P<namespace>[^/]+))?"
    r"/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<part>status|scale|eviction))?"
)
NAMESPACE = re.compile(r"/api/v1/namespaces(?:/(?P<name>[^/]+))?(?:/(?P<part>status|finalize))?")


class Server(ThreadingHTTPServer):
    """Listens on loopback."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, port: int, context: ssl.SSLContext, cluster: Cluster, token: str, version: str, log: Path
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.context, self.cluster, self.token, self.version, self.log = context, cluster, token, version, log
        self.log_lock = threading.Lock()

    def get_request(self) -> Any:
        connection, address = super().get_request()
        wrapped = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return wrapped, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error; all else is a fault of the stand-in."""
        if not isinstance(sys.exception(), (ConnectionError, ssl.SSLError, TimeoutError)):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 (names that http.server calls)

    def log_message(self, *args: Any) -> None:
        """Nothing to the terminal: requests.log has them."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        split = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(split.query, keep_blank_values=True).items()}
        path = unquote(split.path)
        with self.server.log_lock, self.server.log.open("a", encoding="utf-8") as log:
            log.write(f"{self.command} {self.path}\n")
        try:
            self._admit()
            self._routed(path, body)
        except ApiError as error:
            self._send(error.code, error.status())

    def _admit(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            raise ApiError("Unauthorized", "Unauthorized")

    def _routed(self, path: str, body: bytes) -> None:
        document = self._document(path.rstrip("/") or "/")
        if document is not None:
            self._send(200, document)
            return
        cluster = self.server.cluster
        of_namespace = NAMESPACE.fullmatch(path)
        found = of_namespace or OBJECTS.fullmatch(path)
        if found is None:
            raise ApiError("NotFound", "the server could not find the requested resource")
        parts = {"group": None, "version": "v1", "plural": "namespaces", "namespace": None, **found.groupdict()}
        kind = cluster.kind(parts["group"] or "", parts["version"], parts["plural"])
        namespace, name, part = parts["namespace"] or "", parts["name"] or "", parts["part"] or ""
        given = self._given(body)
        if self.command == "GET":
            self._read(kind, namespace, name)
        elif self.command == "DELETE":
            self._delete(kind, namespace, name, given)
        else:
            self._write(kind, namespace, name, part, given)

    def _given(self, body: bytes) -> Any:
        try:
            if body.startswith(protobuf.MAGIC):
                return protobuf.read(body)
            return json.loads(body) if body else {}
        except protobuf.UnknownKindError as kind:
            what = f"this stand-in reads no {kind} in protobuf: apply a manifest, which is sent as JSON"
            raise ApiError("UnsupportedMediaType", what) from kind
        except ValueError as error:
            raise ApiError("BadRequest", f"this stand-in reads JSON alone: {error}") from error

    def _document(self, path: str) -> Object | None:
        kinds = self.server.cluster.kinds
        if self.command != "GET":
            return None
        if path == "/version":
            return documents.version(self.server.version)
        if path in {"/healthz", "/livez", "/readyz"}:
            return {"status": "ok"}
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            return documents.groups(kinds)
        if path == "/openapi/v3":
            return documents.openapi_index(kinds)
        if path.startswith("/openapi/v3/"):
            return documents.openapi(kinds, path.removeprefix("/openapi/v3/"))
        parts = path.split("/")[1:]
        if parts == ["api", "v1"]:
            return documents.resources(kinds, "", "v1")
        if parts[0] == "apis" and len(parts) == 2 and any(each.group == parts[1] for each in kinds):
            return documents.group(parts[1], kinds)
        if parts[0] == "apis" and len(parts) == 3:
            return documents.resources(kinds, parts[1], parts[2])
        return None

    def _read(self, kind: Kind, namespace: str, name: str) -> None:
        cluster = self.server.cluster
        if name:
            self._send(200, cluster.get(kind, namespace, name))
            return
        labels, fields = self.query.get("labelSelector", ""), self.query.get("fieldSelector", "")
        if self.query.get("watch") in {"true", "1"}:
            self._watch(kind, namespace, labels, fields)
            return
        with cluster.changed:
            items = cluster.list(kind, namespace, labels, fields)
            version = str(cluster.version)
        made = {"apiVersion": kind.api_version, "kind": f"{kind.kind}List", "metadata": {"resourceVersion": version}}
        self._send(200, {**made, "items": items})

    def _watch(self, kind: Kind, namespace: str, labels: str, fields: str) -> None:
        since = int(self.query.get("resourceVersion") or 0)
        timeout_s = float(self.query.get("timeoutSeconds") or 300)

        def wanted(each: Object) -> bool:
            return namespace in {"", each["metadata"].get("namespace")} and matches(each, labels, fields)

        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for what, each in self.server.cluster.watch(kind, since, timeout_s, wanted):
            line = json.dumps({"type": what, "object": each}).encode() + b"\n"
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _write(self, kind: Kind, namespace: str, name: str, part: str, given: Any) -> None:
        cluster = self.server.cluster
        agent = self.headers.get("User-Agent", "unknown").split("/")[0]
        how = Write(
            manager=self.query.get("fieldManager") or agent,
            is_dry_run=self.query.get("dryRun") == "All",
            validation=self.query.get("fieldValidation") or "Warn",
            force=self.query.get("force") in {"true", "True", "1"},
        )
        media = self.headers.get("Content-Type", "application/json").split(";")[0]
        writes = {
            "POST": partial(cluster.create, kind, namespace or _of(given), given, how),
            "PUT": partial(cluster.update, kind, namespace, name, given, how, part),
            "PATCH": partial(cluster.patch, kind, namespace, name, media, given, how, part),
        }
        if self.command == "POST" and part == "eviction" and kind.kind == "Pod":
            cluster.evict(kind, namespace, name, is_dry_run=how.is_dry_run)
            done = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
            self._send(201, done)
            return
        if self.command == "POST" and name:
            raise ApiError("MethodNotAllowed", "the server does not allow this method on the requested resource")
        made: Written = writes[self.command]()
        self._send(201 if made.is_new else 200, made.object, made.warnings)

    def _delete(self, kind: Kind, namespace: str, name: str, given: Object) -> None:
        cluster, is_dry_run = self.server.cluster, "All" in {self.query.get("dryRun"), *given.get("dryRun", ())}
        if name:
            gone = cluster.delete(kind, namespace, name, is_dry_run=is_dry_run)
            details = {"name": name, "group": kind.group, "kind": kind.plural, "uid": gone["metadata"]["uid"]}
            done = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
            self._send(200, done)
            return
        labels, fields = self.query.get("labelSelector", ""), self.query.get("fieldSelector", "")
        every = cluster.list(kind, namespace, labels, fields)
        for each in every:
            metadata = each["metadata"]
            cluster.delete(kind, metadata.get("namespace", ""), metadata["name"], is_dry_run=is_dry_run)
        self._send(200, {"apiVersion": kind.api_version, "kind": f"{kind.kind}List", "metadata": {}, "items": every})

    def _send(self, code: int, document: Object, warnings: tuple[str, ...] = ()) -> None:
        body = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for each in warnings:
            quoted = each.replace("\\", "\\\\").replace('"', '\\"')
            self.send_header("Warning", f'299 - "{quoted}"')
        self.end_headers()
        self.wfile.write(body)


def _of(given: Any) -> str:
    return (given.get("metadata") or {}).get("namespace") or "" if isinstance(given, dict) else ""

"""yaml-language-server, as an editor runs it: opens a file with a schema and collects what it underlines."""

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ANSWER_S = 60


class LanguageServer:
    """One process. ``schemas``: file pattern -> schema file."""

    def __init__(self, program: str, schemas: dict[str, Path]) -> None:
        self._settings = {
            "yaml": {
                "schemas": {path.as_uri(): pattern for pattern, path in schemas.items()},
                "customTags": ["!secret scalar"],
                "schemaStore": {"enable": False},
            }
        }
        self._process = subprocess.Popen([program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def __enter__(self) -> Self:
        self._request(
            "initialize", {"processId": None, "rootUri": None, "capabilities": {"workspace": {"configuration": True}}}
        )
        self._send({"method": "initialized", "params": {}})
        self._send({"method": "workspace/didChangeConfiguration", "params": {"settings": self._settings}})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate(timeout=ANSWER_S)

    def underlined(self, file: Path) -> list[str]:
        """What it says of a file, as ``3: Property sit is not allowed.``."""
        uri = file.as_uri()
        opened = {"uri": uri, "languageId": "yaml", "version": 1, "text": file.read_text(encoding="utf-8")}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        while True:
            message = self._read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                found = message["params"]["diagnostics"]
                return [f"{each['range']['start']['line'] + 1}: {each['message']}" for each in found]

    def _request(self, method: str, params: dict[str, Any]) -> None:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while self._read().get("id") != self._number:
            pass

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        """The next message; questions about settings are answered on the way."""
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        message: dict[str, Any] = json.loads(self._process.stdout.read(length) or b"{}")
        assert message, "the language server ended"
        if message.get("method") == "workspace/configuration":
            answers = [self._settings.get(each.get("section", ""), {}) for each in message["params"]["items"]]
            self._send({"id": message["id"], "result": answers})
        elif "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})
        return message

"""The client of a running lab, for its control socket (``control.py`` has the requests).

It needs Python's standard library only, so a client need not install the packages of the switches.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from .errors import Problem, TwinError

__all__ = ["ADDRESS_TAKEN", "ENDED", "READY", "RECORD", "SOCKETS", "SOCKETS_PREFIX", "ControlClient", "TwinError"]

READY = "ready.json"
"""Written into the lab's directory when every device listens, and removed at its end."""
RECORD = "process.json"
"""Written as the lab's process starts: its id and its start time, so that a recycled id is detected."""
ENDED = "ended.json"
"""Written with the reason when the lab ends in order."""
SOCKETS, SOCKETS_PREFIX = "sockets", "switch-twins-"
"""A link to the folder of the control socket, if that is elsewhere, and how the folder's name begins."""
ADDRESS_TAKEN = 98
"""Exit code of the lab's process if another process listens on one of its addresses."""


class ControlClient:
    """Sends requests to a running lab. One connection per request, with a time limit of ``timeout_s``."""

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path, self._timeout_s = path, timeout_s

    def ask(self, request: str, **arguments: object) -> Any:  # noqa: ANN401  (decoded JSON)
        """Send a request and return its result. Raises TwinError if the lab refuses or does not answer."""
        line = json.dumps({"request": request, **arguments}).encode() + b"\n"
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(self._timeout_s)
                connection.connect(str(self._path))
                connection.sendall(line)
                with connection.makefile("rb") as answers:
                    answer = json.loads(answers.readline() or b"null")
        except (OSError, ValueError) as error:
            raise TwinError(Problem(str(self._path), f"the lab does not answer: {error}", hint="is it up?")) from error
        if not answer or not answer["ok"]:
            raise TwinError(Problem("lab", str(answer["error"]) if answer else "the lab closed the connection"))
        return answer["result"]

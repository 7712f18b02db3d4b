"""The carrier that a machine sees on a NIC, over QEMU's monitor (QMP: docs/interop/qmp-spec; command set_link)."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import IO

from ..errors import Problem, TwinError

_TIMEOUT_S = 10.0
_FOLDER = os.O_RDONLY | os.O_DIRECTORY


def set_carrier(monitor: Path, nic: str, *, is_there: bool) -> None:
    """Give a NIC of a running machine its carrier, or take it. Raises TwinError if QEMU does not do it."""
    try:
        folder = os.open(monitor.parent, _FOLDER)  # makes any path short enough for a socket's
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(_TIMEOUT_S)
                connection.connect(f"/proc/self/fd/{folder}/{monitor.name}")
                with connection.makefile("rw", encoding="utf-8") as stream:
                    stream.readline()  # the greeting
                    _run(stream, "qmp_capabilities")
                    _run(stream, "set_link", name=nic, up=is_there)
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        raise TwinError(Problem(str(monitor), f"QEMU does not set the carrier of {nic}: {error}")) from error


def _run(stream: IO[str], command: str, **arguments: object) -> None:
    stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
    stream.flush()
    while True:
        answer = json.loads(stream.readline() or '{"error": {"desc": "the connection was closed"}}')
        if "error" in answer:
            raise ValueError(answer["error"].get("desc", "refused"))
        if "return" in answer:  # else it is an event
            return

"""QEMU's machine protocol over a machine's socket: one command at a time, each with a time limit."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LabError, Problem, words_of

SOCKET = "qmp.sock"
COMMAND_TIMEOUT_S = 120.0


def command(directory: Path, name: str, /, **arguments: object) -> Any:  # noqa: ANN401 - decoded JSON
    """Run one command on the machine of this folder. Raises LabError with QEMU's message if it refuses."""
    # A socket's path must be short; a descriptor of the folder makes any path short.
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(COMMAND_TIMEOUT_S)
            connection.connect(f"/proc/self/fd/{folder}/{SOCKET}")
            with connection.makefile("rw", encoding="utf-8") as stream:
                stream.readline()  # the greeting
                _say(stream, {"execute": "qmp_capabilities"})
                return _say(stream, {"execute": name, "arguments": arguments})
    except (OSError, ValueError) as error:
        raise LabError(Problem(str(directory / SOCKET), f"QEMU did not answer {name}: {words_of(error)}")) from error
    finally:
        os.close(folder)


def save(directory: Path, name: str) -> None:
    """Save the whole state of a running machine, memory included, under a name. An earlier one is replaced."""
    _monitor(directory, f"savevm {name}")


def load(directory: Path, name: str) -> None:
    """Restore a saved state. Raises LabError if there is none of that name; the machine then continues."""
    try:
        _monitor(directory, f"loadvm {name}")
    except LabError:
        command(directory, "cont")  # a failed loadvm leaves the machine stopped
        raise


def _monitor(directory: Path, line: str) -> None:
    # In QEMU 7.2 the protocol has no savevm or loadvm that waits for completion.
    output = command(directory, "human-monitor-command", **{"command-line": line})
    if output.strip():
        raise LabError(Problem(directory.name, f"{line}: {output.strip()}"))


def _say(stream: Any, request: dict[str, Any]) -> Any:  # noqa: ANN401 - a text stream; decoded JSON
    stream.write(json.dumps(request) + "\n")
    stream.flush()
    while True:
        line = stream.readline()
        if not line:
            raise ValueError("the connection was closed")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"].get("desc", "refused"))
        if "return" in answer:
            return answer["return"]

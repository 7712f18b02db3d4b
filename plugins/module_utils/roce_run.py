"""Running programs on a host. Standard library only, Python 3.9.

``run_command`` is the ``run`` argument of the readers and setters of RoCE knobs; tests pass another.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

TIMEOUT_S = 30
MISSING_PROGRAM, NO_ANSWER = 127, 124
FIRMWARE_TOOLS = ("mlxconfig", "mstconfig")
"""Programs for the settings that a NIC keeps in its flash."""
NEVER_KILLED = (*FIRMWARE_TOOLS, "mlxfwreset", "mstfwreset", "mlxreg", "mstreg")
"""Programs that hold a semaphore of the NIC while they work, write its flash, or have its driver away."""
FIRMWARE_WAIT_S = 300
OUT_OF_SEQUENCE, ATTEMPTS = "Protocol error", 4
"""Message of dcb (with exit code 0, and half of the work undone) if an answer has another number than its request: it
numbers them by the clock's seconds (iproute2 lib/mnl_utils.c), which may change during a run. Seen once in some hundred
calls on a slow machine. A second run completes: all our commands are idempotent."""


@dataclass(frozen=True)
class Answer:
    """The result of a program."""

    exit_code: int
    stdout: str
    stderr: str = ""

    @property
    def complaint(self) -> str:
        """The first line of a failed program's output, or its exit code."""
        lines = [line.strip() for line in (self.stderr + "\n" + self.stdout).splitlines() if line.strip()]
        return lines[0] if lines else f"exit code {self.exit_code}, and no word why"


Run = Callable[[Sequence[str]], Answer]


def run_command(argv: Sequence[str]) -> Answer:
    """Run a program; repeat dcb if its answer had the wrong number. Never raises.

    A program of NEVER_KILLED is never killed: after FIRMWARE_WAIT_S it is left running, and named with its process.
    """
    if argv[0] in NEVER_KILLED:
        return _run_unkilled(argv, FIRMWARE_WAIT_S)
    for _ in range(ATTEMPTS):
        answer = _run(argv)
        if argv[0] != "dcb" or OUT_OF_SEQUENCE not in answer.stderr:
            break
    return answer


def _run(argv: Sequence[str]) -> Answer:
    """Run it once, with a limit of TIMEOUT_S."""
    try:
        done = subprocess.run(  # noqa: S603 - an argument list, no shell
            list(argv),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
            env=_environment(),
        )
    except subprocess.TimeoutExpired:
        return Answer(NO_ANSWER, "", f"no answer within {TIMEOUT_S} s")
    except OSError as error:
        return Answer(MISSING_PROGRAM, "", f"{argv[0]}: {error.strerror}")
    return Answer(done.returncode, done.stdout, done.stderr)


def _run_unkilled(argv: Sequence[str], wait_s: float) -> Answer:
    """Run it to its end, or leave it running after ``wait_s``.

    In a session of its own and with files for its output, so that neither a signal to us nor our end stops it half way.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(  # noqa: S603 - an argument list, no shell
                list(argv), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=_environment(), start_new_session=True
            )
        except OSError as error:
            return Answer(MISSING_PROGRAM, "", f"{argv[0]}: {error.strerror}")
        try:
            exit_code = process.wait(wait_s)
        except subprocess.TimeoutExpired:
            left = f"no answer within {wait_s:g} s. It was not killed, and goes on as process {process.pid}"
            return Answer(NO_ANSWER, "", left)
        return Answer(exit_code, _text_of(out), _text_of(err))


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _environment() -> dict[str, str]:
    """Ours with the C locale, and system folders last in PATH."""
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    return dict(os.environ, LC_ALL="C", PATH=path.lstrip(":"))

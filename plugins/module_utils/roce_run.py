"""Running programs on a host. Standard library only, Python 3.9.

``run_command`` is the ``run`` argument of the readers and setters of RoCE knobs; tests pass another.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

TIMEOUT_S = 30
MISSING_PROGRAM = 127
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
    """Run a program; repeat dcb if its answer had the wrong number. Never raises."""
    for _ in range(ATTEMPTS):
        answer = _run(argv)
        if argv[0] != "dcb" or OUT_OF_SEQUENCE not in answer.stderr:
            break
    return answer


def _run(argv: Sequence[str]) -> Answer:
    """Run it once, with the C locale, system folders last in PATH, and a limit of TIMEOUT_S."""
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    environment = dict(os.environ, LC_ALL="C", PATH=path.lstrip(":"))
    try:
        done = subprocess.run(  # noqa: S603 - an argument list, no shell
            list(argv),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return Answer(124, "", f"no answer within {TIMEOUT_S} s")
    except OSError as error:
        return Answer(MISSING_PROGRAM, "", f"{argv[0]}: {error.strerror}")
    return Answer(done.returncode, done.stdout, done.stderr)

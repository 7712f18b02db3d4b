"""Run a program of the machine with a time limit; report its output if it fails."""

import subprocess
from collections.abc import Mapping, Sequence

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs

TAIL_LINES = 6


def run(argv: Sequence[str], timeout_s: float, stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Its standard output. Raises LabError with its last lines if it fails, is missing or exceeds the time limit.

    ``environment``: variables beside ours.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a list of words, no shell
            list(argv),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            env=programs.environment(**(environment or {})),
        )
    except FileNotFoundError:
        raise LabError(Problem(argv[0], "this program is missing", hint="scripts/machine_packages.sh")) from None
    except subprocess.TimeoutExpired as late:
        raise LabError(Problem(" ".join(argv[:3]), f"not done after {timeout_s:.0f} s")) from late
    if done.returncode:
        output = (done.stderr.strip() or done.stdout.strip()).splitlines()[-TAIL_LINES:]
        raise LabError(Problem(" ".join(argv), f"ended with exit code {done.returncode}", found=" | ".join(output)))
    return done.stdout

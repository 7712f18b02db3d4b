"""Run a program of the machine with a time limit; report its output if it fails."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence

from nornir_tasks.errors import LabError, Problem

TAIL_LINES = 6


def run(argv: Sequence[str], timeout_s: float, stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Its standard output. Raises LabError with its last lines if it fails, is missing or exceeds the time limit."""
    try:
        done = subprocess.run(  # noqa: S603 - a list of words, no shell
            list(argv), input=stdin, capture_output=True, text=True, timeout=timeout_s, check=False, env=environment
        )
    except FileNotFoundError:
        raise LabError(Problem(argv[0], "this program is missing", hint="scripts/machine_packages.sh")) from None
    except subprocess.TimeoutExpired as late:
        raise LabError(Problem(" ".join(argv[:3]), f"not done after {timeout_s:.0f} s")) from late
    if done.returncode:
        output = (done.stderr.strip() or done.stdout.strip()).splitlines()[-TAIL_LINES:]
        raise LabError(Problem(" ".join(argv), f"ended with exit code {done.returncode}", found=" | ".join(output)))
    return done.stdout


def is_there(program: str) -> bool:
    """Can this program be started? System programs count even if PATH does not contain them."""
    return shutil.which(program) is not None or shutil.which(program, path="/usr/sbin:/sbin") is not None

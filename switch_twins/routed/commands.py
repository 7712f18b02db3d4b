"""Programs of iproute2 and FRR, run for a lab."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import Problem, TwinError

FRR = Path("/usr/lib/frr")
"""Where Debian's package has the daemons; ``frr-tools`` of others has them there too."""
_TIMEOUT_S = 60.0


def run(command: Sequence[str], text: str = "") -> str:
    """The standard output of a program. Raises TwinError with its words if it fails, is missing or does not end."""
    try:
        done = subprocess.run(  # noqa: S603  (fixed programs; arguments are names the lab made)
            command, input=text, text=True, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TwinError(Problem(command[0], f"cannot be run: {error}")) from error
    if done.returncode:
        message = " | ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
        raise TwinError(Problem(" ".join(command), "failed", found=message or f"exit code {done.returncode}"))
    return done.stdout


def ip(namespace: str | None, lines: Iterable[str]) -> None:
    """Run lines of ``ip`` in a namespace or (None) the machine's own. Raises TwinError at the first wrong one."""
    text = "".join(f"{line}\n" for line in lines)
    if text:
        run(["ip", *([] if namespace is None else ["-n", namespace]), "-batch", "-"], text)


def ip_json(namespace: str, *words: str) -> Any:  # noqa: ANN401  (decoded JSON)
    """What ``ip -json`` shows in a namespace."""
    return json.loads(run(["ip", "-n", namespace, "-json", *words]) or "[]")

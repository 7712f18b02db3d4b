"""Which commit of gpufabric this is, where it runs from a checkout."""

import subprocess
from pathlib import Path

import nornir_tasks

WAIT_S = 5


def commit() -> str:
    """``commit 0123456789ab``, with ``and changes`` where files differ from it; empty in an installed package."""
    top = Path(nornir_tasks.__file__).resolve().parents[1]
    if not (top / ".git").exists():
        return ""
    command = ["git", "-C", str(top), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty= and changes"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):  # no git, or a slow disk: the version alone
        return ""
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else ""

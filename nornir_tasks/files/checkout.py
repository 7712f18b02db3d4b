"""Which commit of gpufabric this is: the checkout's, or the one that an installed package was built from."""

import subprocess
from pathlib import Path

import nornir_tasks

WAIT_S = 5
FILE = "_data/commit.txt"
"""Below this package, where ``scripts/commit_of_build.py`` left it."""


def commit() -> str:
    """``commit 0123456789ab``, with ``and changes`` where files differ from it; empty where that is not known."""
    package = Path(nornir_tasks.__file__).resolve().parent
    if (package / FILE).is_file():
        return (package / FILE).read_text(encoding="utf-8").strip()
    top = package.parent
    if not (top / ".git").exists():
        return ""
    command = ["git", "-C", str(top), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty= and changes"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):  # no git, or a slow disk: the version alone
        return ""
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else ""

"""A fault of the lab's own while a switch answers: its traceback is in the lab's log, the client gets an error."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

_OURS = str(Path(__file__).parent)


def noted(device: str, error: Exception) -> str:
    """Write it into the lab's log; what the client is told, which is where it was: its message may hold a secret."""
    frames = traceback.extract_tb(error.__traceback__)
    where = next((each for each in reversed(frames) if each.filename.startswith(_OURS)), frames[-1])
    sys.stderr.write(f"{device}: an answer failed\n{''.join(traceback.format_exception(error))}")
    sys.stderr.flush()
    kind, file = type(error).__name__, Path(where.filename).name
    return f"the lab failed to answer: {kind} in {file}, line {where.lineno}; the lab's log has its traceback"

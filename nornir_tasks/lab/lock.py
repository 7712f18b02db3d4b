"""One at a time, whatever ends the process that holds a lock: the kernel drops it then."""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nornir_tasks.errors import LabError, Problem

LOCK_TIMEOUT_S = 1200.0


@contextmanager
def locked(file: Path, who: str, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this file; while somebody else does, say who and wait. LabError after LOCK_TIMEOUT_S seconds."""
    with file.open("w") as lock:
        deadline, told = time.monotonic() + LOCK_TIMEOUT_S, False
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LabError(Problem(str(file), f"{who}, and does not end")) from None
                if not told:
                    say(f"{who}; waiting for it")
                    told = True
                time.sleep(0.5)
        yield

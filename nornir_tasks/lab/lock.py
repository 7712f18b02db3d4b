"""A lock file: the kernel releases it when the process that holds it ends in any way."""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from nornir_tasks.errors import LabError, Problem

LOCK_TIMEOUT_S = 1200.0


@contextmanager
def locked(file: Path, who: str, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this file; wait for another holder, and name it. LabError after LOCK_TIMEOUT_S seconds."""
    with _opened(file) as lock:
        deadline, reported = time.monotonic() + LOCK_TIMEOUT_S, False
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LabError(Problem(str(file), f"{who}{_holder(lock)}, and does not end")) from None
                if not reported:
                    say(f"{who}{_holder(lock)}; waiting for it")
                    reported = True
                time.sleep(0.2)
        _sign(lock)
        yield


def _opened(file: Path) -> TextIO:
    try:
        return file.open("a+", encoding="utf-8")
    except OSError as error:
        raise unwritable(file, error) from error


def _sign(lock: TextIO) -> None:
    """Record the holder. A full disk does not prevent locking."""
    try:
        lock.truncate(0)
        lock.write(f"process {os.getpid()}, since {datetime.now(UTC):%H:%M:%S} UTC\n")
        lock.flush()
    except OSError:
        return


def _holder(lock: TextIO) -> str:
    lock.seek(0)
    text = lock.read().strip()
    return f" ({text})" if text else ""


def unwritable(path: Path | str, error: OSError) -> LabError:
    """What to say when a file of the lab cannot be written, and what to do about it."""
    where = str(error.filename or path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "free space there, or set GPUFABRIC_STATE to a folder on another disk; then nornir lab up again"
    else:
        hint = "set GPUFABRIC_STATE to a folder that you may write to"
    return LabError(Problem(where, f"cannot be written: {error.strerror}", hint=hint))

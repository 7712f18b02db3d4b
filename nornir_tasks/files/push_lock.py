"""One push of a site at a time: a lock that the kernel drops when its process ends, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from nornir_tasks.errors import Problem, RefusedError


@contextmanager
def sole_push(directory: Path, verb: str) -> Iterator[None]:
    """Hold the lock of the site with this state folder. Raises RefusedError naming the process that holds it.

    It covers this machine and account; a push from elsewhere is stopped by the switches' own locks.
    """
    with _opened(directory / "push.lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RefusedError(
                Problem(
                    where=verb,
                    what="another push of this site is under way",
                    found=_holder(file),
                    hint="wait until it has ended; nothing was read or changed",
                )
            ) from None
        _note(directory / "push.lock", file, f"nornir {verb}, process {os.getpid()}\n")
        try:
            yield
        finally:
            with suppress(OSError):
                file.truncate(0)


def _holder(file: TextIO) -> str:
    """Who holds the lock. It writes its name right after it has got the lock, so an empty file is read again."""
    for _ in range(20):
        file.seek(0)
        if name := file.read().strip():
            return name
        time.sleep(0.05)
    return "a process that has not written its name"


def _opened(path: Path) -> TextIO:
    try:
        return path.open("a+", encoding="utf-8")
    except OSError as error:
        raise _refused(path, error) from error


def _note(path: Path, file: TextIO, text: str) -> None:
    """Say who holds the lock."""
    try:
        file.truncate(0)
        file.write(text)
        file.flush()
    except OSError as error:
        with suppress(OSError):  # what could not be written is tried again at the closing
            file.close()
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> RefusedError:
    hint = "make room on the disk, give the folder back to its owner, or set GPUFABRIC_STATE"
    return RefusedError(Problem(str(path), f"cannot be written: {error.strerror}", hint=hint))

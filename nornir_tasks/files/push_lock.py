"""One push of a site at a time: a lock that the kernel drops when its process ends, however it ends."""

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from nornir_tasks.errors import LocalError, Problem, RefusedError
from nornir_tasks.files.person import person

LOCK = "push.lock"
_TRIES, _PAUSE_S = 10, 0.02
"""A process that only looks whether the lock is held has it for an instant, so it is tried again."""


@dataclass(frozen=True, slots=True)
class PushLock:
    """The lock, held."""

    path: Path
    file: TextIO

    def note_push(self, number: int) -> None:
        """Write which push of the journal this is, for ``push_under_way``. Raises LocalError if that cannot be."""
        _write(self.path, self.file, f"push {number}\n")


@contextmanager
def sole_push(directory: Path, verb: str) -> Iterator[PushLock]:
    """Hold the lock of the site with this state folder. Raises RefusedError naming the process that holds it.

    Raises LocalError where the lock cannot be written. It covers this machine and account; a push from elsewhere is
    stopped by the switches' own locks.
    """
    path = directory / LOCK
    with _opened(path) as file:
        if not _got(file):
            raise RefusedError(
                Problem(
                    where=verb,
                    what="another push of this site is under way",
                    found=_holder(file),
                    hint="wait until it has ended; nothing was read or changed",
                )
            )
        _clear(path, file)
        _write(path, file, f"nornir {verb} by {person()[0]}, process {os.getpid()}\n")
        try:
            yield PushLock(path, file)
        finally:
            with suppress(OSError, ValueError):  # ValueError: closed, because it could not be written
                file.truncate(0)


def push_under_way(directory: Path) -> int | None:
    """The journal's number of the push of this site that a process of this machine carries out now, if any.

    None as well while that one still reads the switches: it has no number yet.
    """
    try:
        with (directory / LOCK).open(encoding="utf-8") as file:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return None  # no process holds it; what stands there was left by a process that was killed
            number = re.search(r"^push (\d+)$", file.read(), re.MULTILINE)
    except OSError:  # no push was here yet
        return None
    return None if number is None else int(number[1])


def _got(file: TextIO) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        else:
            return True
    return False


def _holder(file: TextIO) -> str:
    """Who holds the lock. It writes its name right after it has got the lock, so an empty file is read again."""
    for _ in range(20):
        file.seek(0)
        if lines := file.read().strip().splitlines():
            return ", ".join(lines)
        time.sleep(0.05)
    return "a process that has not written its name"


def _opened(path: Path) -> TextIO:
    try:
        return path.open("a+", encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from error


def _clear(path: Path, file: TextIO) -> None:
    """Remove what a process left that was killed."""
    try:
        file.truncate(0)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write(path: Path, file: TextIO, text: str) -> None:
    try:
        file.write(text)
        file.flush()
    except OSError as error:
        with suppress(OSError):  # what could not be written is tried again at the closing
            file.close()
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> LocalError:
    hint = "make room on the disk, give the folder back to its owner, or set GPUFABRIC_STATE"
    return LocalError(Problem(str(path), f"cannot be written: {error.strerror}", hint=hint))

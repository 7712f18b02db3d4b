"""The files of the log of translations: written by nat_log.py, read by nat_find.py.

A record is a line of JSON. The newest file is ``translations.log``; older ones have the time of their end in their name
and are compressed. Standard library only.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

NAME = "translations"
COMPRESS = ("nice", "-n", "10", "gzip", "-f")


def written(when_s: float) -> str:
    """A time as records have it, in UTC."""
    return datetime.fromtimestamp(when_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def files(folder: Path) -> list[Path]:
    """Oldest first."""
    # While one is compressed it is there twice.
    old = {each.name.removesuffix(".gz"): each for each in sorted(folder.glob(f"{NAME}-*.log*"), reverse=True)}
    return [*(old[name] for name in sorted(old)), *folder.glob(f"{NAME}.log")]


def size_bytes(path: Path) -> int:
    """In bytes, also of one that was compressed since it was listed."""
    for each in (path, path.with_suffix(".log.gz")):
        with suppress(FileNotFoundError):
            return each.stat().st_size
    return 0


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Of one file; a line that was cut off by a crash is left out."""
    with _opened(path) as lines:
        for line in lines:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict) and "time" in found:
                yield found


def _opened(path: Path) -> IO[str]:
    how: dict[str, Any] = {"mode": "rt", "encoding": "utf-8", "errors": "replace"}
    if path.suffix == ".gz":
        return cast("IO[str]", gzip.open(path, **how))
    try:
        return path.open(**how)
    except FileNotFoundError:  # it was compressed since it was listed
        return cast("IO[str]", gzip.open(path.with_name(f"{path.name}.gz"), **how))


class Files:
    """Where records go: so many bytes a file, so many in all as they are on disk, and the oldest files make room."""

    def __init__(self, folder: Path, file_bytes: int, most_bytes: int) -> None:
        self.folder, self.file_bytes, self.most_bytes = folder, file_bytes, most_bytes
        self.path = folder / f"{NAME}.log"
        self.compressing: subprocess.Popen[bytes] | None = None
        # Of a program that was killed before they were compressed.
        left = [str(each) for each in sorted(folder.glob(f"{NAME}-*.log"))]
        if left:
            self.compressing = subprocess.Popen([*COMPRESS, *left])  # noqa: S603 (fixed, and files of ours)
        self.is_dirty = False
        self._open()

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self.number = os.open(self.path, flags, 0o640)
        self.bytes = os.fstat(self.number).st_size
        if self.bytes and not self._ends_whole():
            self._put(b"\n")

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as there:
            there.seek(-1, os.SEEK_END)
            return there.read(1) == b"\n"

    def _put(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self.number, left) :]
            except OSError as error:
                if error.errno != errno.ENOSPC or not self._make_room():
                    raise
        self.bytes += len(data)
        self.is_dirty = True

    def _make_room(self) -> bool:
        """Others filled the disk: rather the oldest records go than the newest."""
        for oldest in files(self.folder)[:-1][:1]:
            oldest.unlink(missing_ok=True)
            return True
        return False

    def write(self, lines: list[str], now_s: float) -> None:
        """All of them, in as many files as it takes."""
        pending: list[bytes] = []
        size = 0
        for line in lines:
            data = f"{line}\n".encode()
            if self.bytes + size + len(data) > self.file_bytes and (self.bytes or size):
                self._put(b"".join(pending))
                pending, size = [], 0
                self.turn(now_s)
            pending.append(data)
            size += len(data)
        if pending:
            self._put(b"".join(pending))

    def turn(self, now_s: float) -> None:
        """Begin a new file, compress the full one, and remove the oldest until there is room for the new one."""
        self.keep()
        os.close(self.number)
        if self.compressing is not None:
            self.compressing.wait()
        stamp = written(now_s).replace("-", "").replace(":", "")
        full = self.folder / f"{NAME}-{stamp}.log"
        number = 0
        while full.exists() or full.with_suffix(".log.gz").exists():
            number += 1
            full = self.folder / f"{NAME}-{stamp}-{number:06}.log"
        self.path.rename(full)
        self.compressing = subprocess.Popen([*COMPRESS, str(full)])  # noqa: S603 (fixed, and a file of ours)
        self._open()
        old = files(self.folder)[:-1]
        sizes = list(map(size_bytes, old))
        while old and sum(sizes) > self.most_bytes - self.file_bytes:
            old.pop(0).unlink(missing_ok=True)
            sizes.pop(0)

    def keep(self) -> None:
        """What was written survives a cut of power."""
        if self.is_dirty:
            os.fdatasync(self.number)
            self.is_dirty = False

    def close(self) -> None:
        """No more records."""
        self.keep()
        os.close(self.number)
        if self.compressing is not None:
            self.compressing.wait()

"""Documents that a command writes to a given path: completely or not at all, and never over a device.

A regular file is replaced atomically and keeps its mode; a symbolic link stays, and its target is replaced. Other
files (a terminal, a FIFO) are written to. Folders are not created: a misspelt one would hide the document.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from nornir_tasks.errors import LocalError, Problem

STDOUT = "-"
OPEN_ALREADY = ("/dev/fd/", "/dev/stderr", "/proc/")
"""Paths with these prefixes name open files: replacing one would not change the open file."""


def is_stdout(target: str) -> bool:
    """Does this name standard output: ``-``, ``/dev/stdout``, or the very file that stdout goes to?"""
    if target == STDOUT or os.path.normpath(target) in {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}:
        return True
    try:
        out = os.fstat(1)
        return stat.S_ISREG(out.st_mode) and os.path.samestat(Path(target).stat(), out)
    except OSError:
        return False


def write_documents(documents: Mapping[Path, str | bytes]) -> None:
    """Write these files, no plain one before all can be written. Raises LocalError naming the one that cannot."""
    hidden: dict[Path, Path] = {}
    try:
        for path, content in documents.items():
            if not _is_written_through(path):
                with _naming(path):
                    real = path.resolve()
                    hidden[real] = unfinished(real, content)
        for path, content in documents.items():
            if _is_written_through(path):
                with _naming(path):
                    path.write_bytes(_as_bytes(content))
        for real, file in hidden.items():
            with _naming(real):
                file.replace(real)
    finally:
        for file in hidden.values():
            file.unlink(missing_ok=True)


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def unfinished(path: Path, content: str | bytes) -> Path:
    """The content in a hidden file beside ``path``, ready to take its name, with mode and owner of what has it now."""
    before = path.stat() if path.exists() else None
    if before and (stat.S_ISDIR(before.st_mode) or not os.access(path, os.W_OK)):
        code = errno.EISDIR if stat.S_ISDIR(before.st_mode) else errno.EACCES
        raise OSError(code, os.strerror(code), str(path))
    hidden = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        with hidden.open("xb") as file:
            file.write(_as_bytes(content))
        if before:
            with suppress(PermissionError):
                os.chown(hidden, before.st_uid, before.st_gid)
            hidden.chmod(stat.S_IMODE(before.st_mode))
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise
    return hidden


def _is_written_through(path: Path) -> bool:
    """Devices and FIFOs; not disks, which are refused: no user means to write a document over a file system."""
    if os.path.abspath(path).startswith(OPEN_ALREADY):  # noqa: PTH100 - links are not followed
        return True
    if path.is_block_device():
        raise LocalError(Problem(str(path), "is a disk", hint=_HINT))
    return path.exists() and not path.is_file() and not path.is_dir()


_HINT = "choose another file, or - for standard output"


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors of one file, with its name and what to do."""
    try:
        yield
    except OSError as error:
        hint = _HINT
        if not path.parent.is_dir():
            hint = f"make its folder first: mkdir -p {path.parent}"
        raise LocalError(Problem(str(path), f"cannot be written: {error.strerror}", hint=hint)) from error

"""A hash of the code that decides what a push changes: this package, its templates and its catalogue."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import nornir_tasks
from nornir_tasks.files.resources import resource

_APART = ("_data", "__pycache__")
"""Resources have their own names below; what Python compiles follows from the rest."""


def code_hash() -> str:
    """SHA-256, hexadecimal: the same in a checkout and in the package that is built from it."""
    made = hashlib.sha256()
    for name, file in sorted(_files()):
        made.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return made.hexdigest()


def _files() -> Iterator[tuple[str, Path]]:
    tops = {
        "nornir_tasks": Path(nornir_tasks.__file__).resolve().parent,
        "templates": resource("templates"),
        "catalogue": resource("catalogue"),
    }
    for top, folder in tops.items():
        for file in folder.rglob("*"):
            name = file.relative_to(folder)
            if file.is_file() and not any(part.startswith(".") or part in _APART for part in name.parts):
                yield f"{top}/{name.as_posix()}", file

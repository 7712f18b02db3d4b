"""New entries of ``devices.yml``: added behind its last switch; every line and comment that stands there stays."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.documents import write_documents
from nornir_tasks.files.marked_yaml import Marked, marked_text, read_marked
from nornir_tasks.files.resources import shown

_EMPTY = re.compile(r"^(devices:)\s*\{\s*\}")


def add_entries(file: Path, entries: Sequence[str]) -> None:
    """Write these lines, each a switch's. Raises IntentError where they have no place, LocalError if it fails."""
    with file.open(encoding="utf-8", newline="") as stream:
        lines = stream.read().splitlines(keepends=True)
    before = read_marked(file)
    place, indent = _place(lines, before)
    if place is None:
        what = "its devices are not one on a line, so none can be added behind them"
        hint = f"write each on a line of its own, and add: {entries[0]}"
        raise IntentError(Problem(f"{shown(file)}:{before.marks.line(('devices',))}", what, hint=hint))
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    if not lines[place - 1].endswith("\n"):
        lines[place - 1] += end
    text = "".join((*lines[:place], *(f"{indent}{each}{end}" for each in entries), *lines[place:]))
    _check(file, before.data, text, len(entries))
    write_documents({file: text.encode()})


def _place(lines: list[str], before: Marked) -> tuple[int | None, str]:
    """Number of lines before the new ones, and their indent. The line of an empty list is opened."""
    head = before.marks.line(("devices",))
    own = [line for path, line in before.marks.lines.items() if path[:1] == ("devices",) and len(path) > 1]
    if not own:
        lines[head - 1], count = _EMPTY.subn(r"\1", lines[head - 1])
        return (head if count else None), "  "
    if min(own) == head:
        return None, ""
    place = max(own)
    while place < len(lines) and lines[place][:1] in (" ", "\t") and lines[place].strip():
        place += 1
    first = lines[min(own) - 1]
    return place, first[: len(first) - len(first.lstrip())]


def _check(file: Path, before: Mapping[str, Any], text: str, added: int) -> None:
    """Does the new text say what the old one does, and so many switches more?"""
    after = marked_text(text, shown(file))
    devices, then = before["devices"], after.data["devices"] if isinstance(after.data, dict) else {}
    is_kept = then == {**then, **devices} and {**after.data, "devices": devices} == before
    if after.end is not None or not is_kept or len(then) != len(devices) + added:
        what = "its devices stand in a form that none can be added to by itself"
        raise IntentError(Problem(shown(file), what, hint="nornir design names the switches; list them by hand"))

"""``nv set`` and ``nv unset`` lines converted into a subtree.

NVUE accepts a file of such lines as a PATCH with content type text/plain (Cumulus Linux 5.16 docs, NVUE-API.md, "Patch
a Batch of Configuration Commands"). Names may be ranges: ``swp1-4,swp6``, ``0-3,5-7`` (Quality-of-Service/_index.md).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from .schema import Node, Schema

_RANGE = re.compile(r"^([a-zA-Z_]*?)(\d+)((?:s\d+)?)-(\d+)$")
_SUB_RANGE = re.compile(r"^(swp\d+s)(\d+)-(\d+)$")


class CommandError(ValueError):
    """A line that is no command of this release; the text is the switch's message."""


def to_patch(schema: Schema, text: str) -> dict[str, Any]:
    """One PATCH body for all lines; unset becomes null. Raises CommandError for the first invalid line."""
    patch: dict[str, Any] = {}
    for line in text.splitlines():
        bare = line.strip()
        if bare and not bare.startswith("#"):
            _add(schema, patch, bare)
    return patch


def _add(schema: Schema, patch: dict[str, Any], line: str) -> None:
    words = shlex.split(line)
    if words[:2] not in (["nv", "set"], ["nv", "unset"]) or len(words) < 3:
        raise CommandError(f"Error: Invalid Command: {line}")
    for path, value in _expand(schema.root, words[2:], (), line):
        _put(patch, path, None if words[1] == "unset" else value)


def _expand(node: Node, words: list[str], path: tuple[str, ...], line: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every (path, value) a line sets: several if it names a range."""
    if not words:
        yield path, {}
        return
    word, rest = words[0], words[1:]
    if word in node.fields:
        yield from _expand(node.fields[word], rest, (*path, word), line)
    elif node.entry is not None:
        for key in expand_range(word):
            yield from _expand(node.entry, rest, (*path, key), line)
    elif node.scalars and not rest:
        yield path, _scalar(node, word)
    else:
        raise CommandError(f"Error: Invalid parameter: {word} in: {line}")


def _scalar(node: Node, word: str) -> str | int:
    wants_number = any(scalar.name in ("integer", "number") for scalar in node.scalars)
    is_word = any(word in scalar.values for scalar in node.scalars)
    return int(word) if wants_number and not is_word and re.fullmatch(r"-?\d+", word) else word


def _put(patch: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    here = patch
    for key in path[:-1]:
        here = here.setdefault(key, {})
    if value == {} and isinstance(here.get(path[-1]), dict):
        return
    here[path[-1]] = value


def expand_range(word: str) -> list[str]:
    """``swp1-4,swp6`` or ``1-3,7``, one by one. A part without a name has that of the previous one (``swp1-2,32``)."""
    if re.match(r"^[0-9a-fA-F:.]+(/\d+)?$", word) and not re.fullmatch(r"[\d,-]+", word):
        return [word]  # an address
    parts = [part.strip() for part in word.split(",") if part.strip()] or [word]
    if not all(re.fullmatch(r"[a-zA-Z_]*[\d]+(s\d+)?(-\d+)?", part) for part in parts):
        return [word]
    found: list[str] = []
    name = ""
    for part in parts:
        if part[0].isalpha():
            name = re.match(r"[a-zA-Z_]*", part)[0]  # type: ignore[index]
        found += _one_range(part if part[0].isalpha() or not name else name + part)
    return found


def _one_range(part: str) -> list[str]:
    sub = _SUB_RANGE.match(part)
    if sub:
        return [f"{sub[1]}{number}" for number in range(int(sub[2]), int(sub[3]) + 1)]
    plain = _RANGE.match(part)
    if plain and not plain[3]:
        return [f"{plain[1]}{number}" for number in range(int(plain[2]), int(plain[4]) + 1)]
    return [part]

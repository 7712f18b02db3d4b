"""Reading lines by table: which pattern fills which field. What no row matches is handed back, never guessed at."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from nornir_tasks.platforms.config_tree import ConfigTree, Path


@dataclass(frozen=True, slots=True)
class Row:
    """A line that fully matches ``pattern`` sets ``field`` to ``value(match)``."""

    pattern: re.Pattern[str]
    field: str
    value: Callable[[re.Match[str]], Any]


def row(pattern: str, field: str, value: Callable[[re.Match[str]], Any]) -> Row:
    """A Row from a pattern's text."""
    return Row(re.compile(pattern), field, value)


def text(found: re.Match[str]) -> str:
    """The first group as it stands."""
    return found[1]


def number(found: re.Match[str]) -> int:
    """The first group as a number."""
    return int(found[1])


def yes(_: re.Match[str]) -> bool:
    """The line's presence means True."""
    return True


def no(_: re.Match[str]) -> bool:
    """The line's presence means False."""
    return False


def look_up(line: str, rows: Iterable[Row]) -> tuple[str, Any] | None:
    """Field and value of one line; None if no row knows it."""
    for each in rows:
        if found := each.pattern.fullmatch(line):
            return each.field, each.value(found)
    return None


def read(lines: Iterable[ConfigTree], rows: Iterable[Row]) -> tuple[dict[str, Any], list[ConfigTree]]:
    """Fields of a block's lines, and the lines no row knows. A line with a block below it is never a plain value."""
    fields: dict[str, Any] = {}
    unknown = []
    for line in lines:
        known = None if line else look_up(line.text, rows)
        if known is None:
            unknown.append(line)
        else:
            fields[known[0]] = known[1]
    return fields, unknown


def leave(left: ConfigTree, above: Path, lines: Iterable[ConfigTree]) -> None:
    """Put lines, with all below them, into the remainder at their place."""
    for line in lines:
        left.add_path(above).add(line.text, line.line).merge(line)


def starting(tree: ConfigTree, start: str) -> Iterator[ConfigTree]:
    """The lines of one level that begin so."""
    return (node for node in tree.children.values() if node.text.startswith(start))

"""The lines behind a verdict: file, row and text of each, looked up where a report prints them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lossless import LosslessLines, Setting
from nornir_tasks.proofs.verdicts import Broken, Outcome, Statement


class Quote(NamedTuple):
    """One line of a report."""

    file: str
    """The rendered file, ``running configuration of leaf-1``, ``variables of gpu-1``."""
    row: int | None
    """In that file, from 1; None: the line is not there, or the source has no rows."""
    text: str

    def __str__(self) -> str:
        return f"{self.file}{'' if self.row is None else f':{self.row}'}: {self.text}"


class Source(NamedTuple):
    """The text of one switch."""

    file: str
    tree: ConfigTree
    lossless: LosslessLines


@dataclass(slots=True)
class Quotes:
    """Looks lines up. ``source``: the text of a switch, made when it is first needed."""

    source: Callable[[str], Source]
    _rows: dict[str, tuple[Source, dict[str, int]]] = field(default_factory=dict)
    _found: dict[tuple[str, Setting], tuple[Quote, ...]] = field(default_factory=dict)

    def of(self, broken: Broken) -> tuple[tuple[Statement, tuple[Quote, ...]], ...]:
        """Each end with its lines."""
        return tuple((stated, tuple(self._of(stated))) for stated in broken.ends)

    def _of(self, stated: Statement) -> Iterator[Quote]:
        device = stated.at.device
        if stated.line:
            yield self._line(device, stated.line)
        elif stated.setting is not None:
            yield from self._setting(device, stated.setting)
        elif stated.variable:
            yield Quote(f"variables of {device}", None, stated.variable)

    def _text(self, device: str) -> tuple[Source, dict[str, int]]:
        if device not in self._rows:
            source = self.source(device)
            self._rows[device] = source, {" / ".join(path): node.line for path, node in source.tree.walk()}
        return self._rows[device]

    def _line(self, device: str, path: Path) -> Quote:
        source, rows = self._text(device)
        text = " / ".join(path)
        if text in rows:
            return Quote(source.file, rows[text] or None, text)
        missing = path[-1].removeprefix("no ") if path[-1].startswith("no ") else f"no {path[-1]}"
        return Quote(source.file, None, f"no line {' / '.join((*path[:-1], missing))!r}")

    def _setting(self, device: str, setting: Setting) -> tuple[Quote, ...]:
        key = device, setting
        if key not in self._found:
            source, rows = self._text(device)
            self._found[key] = tuple(
                _first(source.file, rows, each.patterns, each.absent) for each in source.lossless.lines_of(setting)
            )
        return self._found[key]


def _first(file: str, rows: dict[str, int], patterns: tuple[str, ...], absent: str) -> Quote:
    for each in patterns:
        matches = re.compile(each).fullmatch
        for text, row in rows.items():
            if matches(text):
                return Quote(file, row or None, text)
    return Quote(file, None, f"no line {absent!r}")


MOST_QUOTED = 1000
"""Of one proof, so many broken cables are quoted with their lines; all are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is broken, with the lines of both ends, and what else the same line breaks in the same way."""

    proof: str
    where: str
    what: str
    ends: tuple[tuple[Statement, tuple[Quote, ...]], ...]
    also: tuple[str, ...] = ()


def findings(outcome: Outcome, quotes: Quotes) -> tuple[Finding, ...]:
    """Broken cables with their lines; those that one line breaks in one way are one finding, in the order of cables."""
    shown = [(each, quotes.of(each)) for each in outcome.broken[:MOST_QUOTED]]
    counts = Counter((each.what, quote) for each, ends in shown for _, lines in ends for quote in lines)
    groups: dict[object, list[tuple[Broken, tuple[tuple[Statement, tuple[Quote, ...]], ...]]]] = {}
    for each, ends in shown:
        lines = [quote for _, found in ends for quote in found]
        line = max(lines, key=lambda quote: counts[each.what, quote]) if lines else None
        groups.setdefault((each.what, line or each.where), []).append((each, ends))
    return tuple(
        Finding(outcome.name, first.where, first.what, ends, tuple(each.where for each, _ in others))
        for (first, ends), *others in groups.values()
    )

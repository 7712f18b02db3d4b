"""Parsing lines by table: a row names the pattern, the field that it fills, and other properties of the line.

A line that no row matches is returned, never guessed at. The rules for lines that replace one another, and for lines
that the OS hides, are derived from the same rows, so each line of the model is described in one place.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nornir_tasks.platforms.config_tree import ConfigTree, Path


@dataclass(frozen=True, slots=True)
class Row:
    """A line that fully matches ``pattern`` sets ``field`` to ``value(match)``; None: the model has no such value."""

    pattern: re.Pattern[str]
    field: str
    value: Callable[[re.Match[str]], Any]
    single: str
    """For a setting with one value: the pattern of the line's beginning, up to the value. A line replaces another one
    with the same beginning (and equal groups, if there are any) without ``no``. Empty: lines are independent."""
    hidden: tuple[str, ...]
    """Lines of this setting that the OS accepts and does not print, because they are its defaults."""
    many: bool
    """Do several such lines fill the field, as a list?"""
    negation: "Negation | None"
    """How the line is taken away, where that is not ``no`` and the whole line."""


Negation = tuple[str, str]
"""The pattern of whole lines, and what is typed to remove one, with its groups (``\\1``). In a block with ``before``
(:class:`Block`) the pattern is of what follows, and ``\\g<before>`` what stands before it."""


def row(
    pattern: str,
    field: str,
    value: Callable[[re.Match[str]], Any],
    *,
    single: str = "",
    hidden: Iterable[str] = (),
    many: bool = False,
    negation: Negation | None = None,
) -> Row:
    """A Row from a pattern's text."""
    return Row(re.compile(pattern), field, value, single, tuple(hidden), many, negation)


Table = Mapping[str, tuple[Row, ...]]
"""Rows by the first word of their lines."""

_WORD = re.compile(r"[\w-]+")


def table(*rows: Row) -> Table:
    """A Table of rows. ValueError for a row whose first word is a pattern: no line is looked up under it."""
    words: dict[str, list[Row]] = {}
    for each in rows:
        word = each.pattern.pattern.partition(" ")[0]
        if _WORD.fullmatch(word) is None:
            message = f"{each.pattern.pattern}: begins with a pattern, not with a word"
            raise ValueError(message)
        words.setdefault(word, []).append(each)
    return {word: tuple(entries) for word, entries in words.items()}


def text(found: re.Match[str]) -> str:
    """The first group unchanged."""
    return found[1]


def number(found: re.Match[str]) -> int:
    """The first group as a number."""
    return int(found[1])


def yes(_: re.Match[str]) -> bool:
    """True: the line is present."""
    return True


def no(_: re.Match[str]) -> bool:
    """False: the line is present."""
    return False


Fields = dict[str, Any]


def look_up(line: str, rows: Table) -> tuple[str, Any] | None:
    """Field and value of one line; None if no row matches it."""
    known = _find(line, rows)
    return None if known is None else (known[0].field, known[1])


def _find(line: str, rows: Table) -> tuple[Row, Any] | None:
    for each in rows.get(line.partition(" ")[0], ()):
        if found := each.pattern.fullmatch(line):
            value = each.value(found)
            return None if value is None else (each, value)
    return None


def take(line: ConfigTree, rows: Table, fields: Fields) -> bool:
    """Fill the field of one line; False if no row matches it. A line with a block below it is never a plain value."""
    known = None if line.children else _find(line.text, rows)
    if known is None:
        return False
    found, value = known
    if found.many:
        fields.setdefault(found.field, []).append(value)
    else:
        fields[found.field] = value
    return True


def read(lines: Iterable[ConfigTree], rows: Table) -> tuple[Fields, list[ConfigTree]]:
    """Fields of a block's lines, and the lines that no row matches."""
    fields: Fields = {}
    unknown = [line for line in lines if not take(line, rows, fields)]
    return fields, unknown


def leave(left: ConfigTree, above: Path, lines: Iterable[ConfigTree]) -> None:
    """Add lines, with all lines below them, to the remainder under their own path."""
    for line in lines:
        left.add_path(above).add(line.text, line.line).merge(line)


def starting(tree: ConfigTree, start: str) -> Iterator[ConfigTree]:
    """The lines of one level with this beginning."""
    return (node for node in tree.children.values() if node.text.startswith(start))


@dataclass(frozen=True, slots=True)
class Block:
    """The context of rows: patterns of the beginnings of the lines above; ``before``: of each line itself."""

    above: tuple[str, ...]
    rows: tuple[Row, ...]
    before: str = ""
    hidden: tuple[str, ...] = ()
    """The same for settings without a row, since they are never configured."""
    negations: tuple[Negation, ...] = ()
    """The same for lines that no row reads, or several."""


def one_value(rows: Iterable[Row], before: str = "") -> str:
    """A pattern of the lines with one value; lines with equal groups are one setting. Empty: there are none."""
    settings = dict.fromkeys(each.single for each in rows if each.single)
    return f"^({before}(?:{'|'.join(settings)}))(?:\\s|$)" if settings else ""


def replaced(blocks: Iterable[Block]) -> tuple[tuple[str, ...], ...]:
    """Lines with one value, block by block: a pattern for each line from the top down to :func:`one_value`."""
    return tuple(
        (*(f"^{each}" for each in block.above), pattern)
        for block in blocks
        if (pattern := one_value(block.rows, block.before))
    )


Negations = tuple[tuple[tuple[re.Pattern[str], ...], re.Pattern[str], str], ...]
"""Patterns of the beginnings of the lines above, from the top; of the line itself; what is typed to remove it."""


def negations(blocks: Iterable[Block]) -> Negations:
    """How lines are removed that ``no`` and the whole line do not remove, block by block."""
    found = (
        (tuple(map(re.compile, block.above)), _after(block.before, pattern), typed)
        for block in blocks
        for pattern, typed in (*(each.negation for each in block.rows if each.negation), *block.negations)
    )
    return tuple(dict.fromkeys(found))


def _after(before: str, pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?P<before>{before}){pattern}" if before else pattern)


def removal(path: Path, known: Negations) -> str | None:
    """What is typed to remove the last line of a path; None: nothing of its own is known."""
    *above, line = path
    for enclosing, pattern, typed in known:
        is_there = len(enclosing) == len(above) and all(map(re.Pattern.match, enclosing, above))
        if is_there and (found := pattern.fullmatch(line)):
            return found.expand(typed).rstrip()
    return None


def printed_negated(blocks: Iterable[Block]) -> frozenset[str]:
    """Lines whose ``no`` form a switch prints: those of rows, and defaults that nothing configures."""
    parts = tuple(blocks)
    rows = (each.pattern.pattern for block in parts for each in block.rows)
    return frozenset(line[3:] for line in rows if line.startswith("no ")).union(*(block.hidden for block in parts))


Hidden = tuple[tuple[tuple[re.Pattern[str], ...], frozenset[str]], ...]
"""Hidden lines, block by block: patterns of the beginnings of the lines above, from the top, and the lines
themselves."""


def hidden_lines(blocks: Iterable[Block]) -> Hidden:
    """The hidden lines of these blocks' rows."""
    lines = ((block, {*block.hidden, *(line for each in block.rows for line in each.hidden)}) for block in blocks)
    return tuple((tuple(map(re.compile, block.above)), frozenset(texts)) for block, texts in lines if texts)


def visible(tree: ConfigTree, hidden: Hidden) -> ConfigTree:
    """The tree without hidden lines; blocks without any are ``tree``'s own nodes, not copies."""
    kept = ConfigTree(tree.text, tree.line)
    gone, deeper = _here_and_below(hidden)
    kept.children = {line: child for line, child in tree.children.items() if line not in gone or child.children}
    if deeper:
        for line, child in kept.children.items():
            if child.children and (below := sum((rest for begins, rest in deeper if begins.match(line)), ())):
                kept.children[line] = visible(child, below)
    return kept


@cache
def _here_and_below(hidden: Hidden) -> tuple[frozenset[str], tuple[tuple[re.Pattern[str], Hidden], ...]]:
    """The lines hidden at this level; what is hidden below each line that a pattern matches."""
    here = frozenset[str]().union(*(lines for above, lines in hidden if not above))
    return here, tuple((above[0], ((above[1:], lines),)) for above, lines in hidden if above)

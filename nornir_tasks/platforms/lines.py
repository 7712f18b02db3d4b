"""Reading lines by table: a row says which pattern fills which field, and what else there is to know of such a line.

What no row matches is handed back, never guessed at. Which lines replace one another, and which the OS hides, is made
from the same rows, so that a line of the model is told of in one place.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.platforms.config_tree import ConfigTree, Path


@dataclass(frozen=True, slots=True)
class Row:
    """A line that fully matches ``pattern`` sets ``field`` to ``value(match)``; None is a value we cannot hold."""

    pattern: re.Pattern[str]
    field: str
    value: Callable[[re.Match[str]], Any]
    single: str
    """Of a setting that holds one value: the pattern of how its line begins, up to the value. A line takes the place of
    another that begins alike (with equal groups, where it has any) without ``no``. Empty: they stand side by side."""
    hidden: tuple[str, ...]
    """Lines of this setting that the OS takes and does not print, because they say what is so anyway."""
    many: bool
    """Do several such lines fill the field, as a list?"""


def row(
    pattern: str,
    field: str,
    value: Callable[[re.Match[str]], Any],
    *,
    single: str = "",
    hidden: Iterable[str] = (),
    many: bool = False,
) -> Row:
    """A Row from a pattern's text."""
    return Row(re.compile(pattern), field, value, single, tuple(hidden), many)


Table = Mapping[str, tuple[Row, ...]]
"""Rows by the first word of their lines."""

_WORD = re.compile(r"[\w-]+")


def table(*rows: Row) -> Table:
    """A Table of rows. ValueError for a row whose first word is a pattern: no line would be looked up under it."""
    words: dict[str, list[Row]] = {}
    for each in rows:
        word = each.pattern.pattern.partition(" ")[0]
        if _WORD.fullmatch(word) is None:
            message = f"{each.pattern.pattern}: begins with a pattern, not with a word"
            raise ValueError(message)
        words.setdefault(word, []).append(each)
    return {word: tuple(entries) for word, entries in words.items()}


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


Fields = dict[str, Any]


def look_up(line: str, rows: Table) -> tuple[str, Any] | None:
    """Field and value of one line; None if no row knows it."""
    known = _find(line, rows)
    return None if known is None else (known[0].field, known[1])


def _find(line: str, rows: Table) -> tuple[Row, Any] | None:
    for each in rows.get(line.partition(" ")[0], ()):
        if found := each.pattern.fullmatch(line):
            value = each.value(found)
            return None if value is None else (each, value)
    return None


def take(line: ConfigTree, rows: Table, fields: Fields) -> bool:
    """Fill the field of one line; False if no row knows it. A line with a block below it is never a plain value."""
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
    """Fields of a block's lines, and the lines no row knows."""
    fields: Fields = {}
    unknown = [line for line in lines if not take(line, rows, fields)]
    return fields, unknown


def leave(left: ConfigTree, above: Path, lines: Iterable[ConfigTree]) -> None:
    """Put lines, with all below them, into the remainder at their place."""
    for line in lines:
        left.add_path(above).add(line.text, line.line).merge(line)


def starting(tree: ConfigTree, start: str) -> Iterator[ConfigTree]:
    """The lines of one level that begin so."""
    return (node for node in tree.children.values() if node.text.startswith(start))


@dataclass(frozen=True, slots=True)
class Block:
    """Where rows stand: patterns of how the lines above them begin, from the top; ``before``: of each line's own."""

    above: tuple[str, ...]
    rows: tuple[Row, ...]
    before: str = ""
    hidden: tuple[str, ...] = ()
    """Likewise of settings that no row reads, since we never set them."""


def one_value(rows: Iterable[Row], before: str = "") -> str:
    """A pattern of the lines that hold one value; those with equal groups are one setting. Empty: there are none."""
    settings = dict.fromkeys(each.single for each in rows if each.single)
    return f"^({before}(?:{'|'.join(settings)}))(?: |$)" if settings else ""


def replaced(blocks: Iterable[Block]) -> tuple[tuple[str, ...], ...]:
    """Lines that hold one value, block by block: a pattern for each line from the top down to :func:`one_value`."""
    return tuple(
        (*(f"^{each}" for each in block.above), pattern)
        for block in blocks
        if (pattern := one_value(block.rows, block.before))
    )


Hidden = tuple[tuple[tuple[re.Pattern[str], ...], frozenset[str]], ...]
"""Hidden lines, block by block: how the lines above begin, from the top, and the lines themselves."""


def hidden_lines(blocks: Iterable[Block]) -> Hidden:
    """What the rows of these blocks say is hidden."""
    lines = ((block, {*block.hidden, *(line for each in block.rows for line in each.hidden)}) for block in blocks)
    return tuple((tuple(map(re.compile, block.above)), frozenset(texts)) for block, texts in lines if texts)


def visible(tree: ConfigTree, hidden: Hidden) -> ConfigTree:
    """The tree without the lines that are hidden; blocks that have none are ``tree``'s own nodes, not copies."""
    kept = ConfigTree(tree.text, tree.line)
    gone = frozenset[str]().union(*(lines for above, lines in hidden if not above))
    kept.children = {line: child for line, child in tree.children.items() if line not in gone or child.children}
    deeper = [(above[0].match, above[1:], lines) for above, lines in hidden if above]
    if deeper:
        for line, child in kept.children.items():
            if child.children and (below := tuple((rest, lines) for begins, rest, lines in deeper if begins(line))):
                kept.children[line] = visible(child, below)
    return kept

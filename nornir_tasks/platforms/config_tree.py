"""A configuration as a tree of lines, the input of parse, ownership, diff and audit.

EOS and NX-OS text nests by indentation; NVUE data becomes the same tree (a mapping's key is a node, a scalar is a leaf
``key: json``), so all code above this file is common to three OSes. Siblings are unique by their text and keep the
order in which the switch printed them; equality ignores the order (entries whose order matters carry a number).
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal

Path = tuple[str, ...]
"""Lines from the top of the configuration down to one line."""


class ConfigTree:
    """One line and the lines below it. The root's text is empty."""

    __slots__ = ("children", "line", "repeats", "text")

    def __init__(self, text: str = "", line: int = 0) -> None:
        self.text = text
        self.line = line
        self.repeats: tuple[int, ...] = ()
        """Further rows of the source text with the same line."""
        self.children: dict[str, ConfigTree] = {}

    def add(self, text: str, line: int = 0) -> "ConfigTree":
        """The child with this text, created if it is missing."""
        child = self.children.get(text)
        if child is None:
            child = self.children[text] = ConfigTree(text, line)
        return child

    def add_path(self, path: Path, line: int = 0) -> "ConfigTree":
        """The node at the end of this path, created if it is missing."""
        node = self
        for text in path:
            node = node.add(text, line)
        return node

    def merge(self, other: "ConfigTree") -> None:
        """Add all lines of ``other``."""
        for child in other.children.values():
            self.add(child.text, child.line).merge(child)

    def share(self, other: "ConfigTree") -> None:
        """Like merge, but this tree uses ``other``'s own nodes where it has none, so neither may change afterwards.

        Where both have lines below one text, a new node is made: no node of ``other`` changes here.
        """
        for text, child in other.children.items():
            existing = self.children.get(text)
            if existing is None or not existing.children:
                self.children[text] = child
            elif child.children:
                both = self.children[text] = ConfigTree(text, existing.line)
                both.children = existing.children.copy()
                both.share(child)

    def copy(self) -> "ConfigTree":
        """An independent tree with the same lines."""
        twin = ConfigTree(self.text, self.line)
        twin.merge(self)
        return twin

    def get(self, *path: str) -> "ConfigTree | None":
        """The node at this path; None if there is none."""
        node: ConfigTree | None = self
        for text in path:
            node = node.children.get(text) if node is not None else None
        return node

    def walk(self, above: Path = ()) -> Iterator[tuple[Path, "ConfigTree"]]:
        """Every line below this node with its path, parents first."""
        todo = [((*above, child.text), child) for child in reversed(self.children.values())]
        while todo:
            path, node = todo.pop()
            yield path, node
            if node.children:
                todo.extend(((*path, child.text), child) for child in reversed(node.children.values()))

    def paths(self) -> frozenset[Path]:
        """All lines as paths; trees with the same paths are equal."""
        return frozenset(path for path, _ in self.walk())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConfigTree) and self.children == other.children

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.children)

    def __repr__(self) -> str:
        return f"ConfigTree({self.text!r}, {len(self.children)} children)"

    def lines(self, indent: str, depth: int = 0) -> Iterator[str]:
        """The text below this node, each level indented once more."""
        for child in self.children.values():
            yield indent * depth + child.text
            yield from child.lines(indent, depth + 1)


def in_printed_order(tree: ConfigTree) -> ConfigTree:
    """The same lines in the order of the source text, whatever parts the tree was joined from."""
    ordered = ConfigTree(tree.text, tree.line)
    ordered.repeats = tree.repeats
    for node in sorted(tree.children.values(), key=lambda each: each.line):
        ordered.children[node.text] = in_printed_order(node) if node.children else node
    return ordered


@dataclass(frozen=True, slots=True)
class Heredoc:
    """A block of text that is not configuration, such as a banner. ``end`` may use groups of ``start``."""

    start: re.Pattern[str]
    end: str
    stands_alone: bool
    """The end must be a row of its own; else it may be anywhere in a row."""


_NOTHING = re.compile(r"(?!)")


def from_text(text: str, heredocs: Iterable[Heredoc] = (), noise: re.Pattern[str] | None = None) -> ConfigTree:
    """Parse indented configuration text. ``noise`` matches lines without meaning (``!``, ``exit-address-family``)."""
    root = ConfigTree()
    stack: list[tuple[int, ConfigTree]] = [(-1, root)]
    rows = text.splitlines()
    numbered = iter(enumerate(rows, start=1))
    is_noise = (noise or _NOTHING).fullmatch
    blocks = tuple(heredocs)
    is_special = _any_of(tuple(each.start for each in blocks), noise or _NOTHING).fullmatch
    for number, row in numbered:
        line = row.strip()
        if not line:
            continue
        depth = len(row) - len(row.lstrip()) if row[0].isspace() else 0
        if is_special(line):
            if is_noise(line):
                continue
            last = next(filter(None, (_end_of(block, line, rows, number) for block in blocks)))
            line = "\n".join([line, *rows[number:last]])
            deque(islice(numbered, last - number), maxlen=0)
        while stack[-1][0] >= depth:
            stack.pop()
        above = stack[-1][1].children
        node = above.get(line)
        if node is None:
            node = above[line] = ConfigTree(line, number)
        else:
            node.repeats += (number,)
        stack.append((depth, node))
    return root


@cache
def _any_of(starts: tuple[re.Pattern[str], ...], noise: re.Pattern[str]) -> re.Pattern[str]:
    """One pattern for all special lines: every line of every switch is matched, several times per push."""
    return re.compile("|".join(f"(?:{each.pattern})" for each in (noise, *starts)))


def _end_of(block: Heredoc, line: str, rows: Sequence[str], number: int) -> int | None:
    """The last row of the block that this line opens; None if it opens none."""
    found = block.start.fullmatch(line)
    return _last_row(rows, number, found.expand(block.end), stands_alone=block.stands_alone) if found else None


def _last_row(rows: Sequence[str], first: int, end: str, *, stands_alone: bool) -> int:
    """The last row (from 1) of a text that begins in row ``first``; ``first`` itself if nothing ends it."""
    for number in range(first + 1, len(rows) + 1):
        row = rows[number - 1]
        if (row.rstrip() == end) if stands_alone else (end in row):
            return number
    return first


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One line that a push adds or removes."""

    path: Path
    op: Literal["+", "-"]

    def __str__(self) -> str:
        return f"{self.op} {' / '.join(self.path)}"


def difference(running: ConfigTree, wanted: ConfigTree, above: Path = ()) -> Iterator[Change]:
    """The changes from ``running`` to ``wanted``: removals before additions at each level, blocks line by line."""
    for text, node in running.children.items():
        if text not in wanted.children:
            path = (*above, text)
            yield Change(path, "-")
            yield from (Change(below, "-") for below, _ in node.walk(path))
    for text, node in wanted.children.items():
        existing = running.children.get(text)
        if existing is None:
            path = (*above, text)
            yield Change(path, "+")
            yield from (Change(below, "+") for below, _ in node.walk(path))
        elif existing.children != node.children:
            yield from difference(existing, node, (*above, text))

"""How a tree is read: tables of line patterns with handlers, and a record of what nobody understood.

A table is a mapping from a line's first word to its shapes; a handler that returns False did not understand the line
after all. What is left over stands in ``remainder`` under its own path. A line that must stand together with others
and is absent (PFC mode on one of many ports) is put there as its ``no`` form, so that nothing vanishes silently.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nornir_tasks.platforms.config_tree import ConfigTree, Path

Handler = Callable[[re.Match[str], ConfigTree, Path], bool | None]
Table = Mapping[str, tuple[tuple[re.Pattern[str], Handler], ...]]


def table(*shapes: tuple[str, Handler]) -> Table:
    """A Table from (pattern, handler) pairs; the pattern's text up to the first blank is the line's first word."""
    words: dict[str, list[tuple[re.Pattern[str], Handler]]] = {}
    for pattern, handler in shapes:
        words.setdefault(pattern.partition(" ")[0], []).append((re.compile(pattern), handler))
    return {word: tuple(entries) for word, entries in words.items()}


@dataclass(slots=True)
class Remainder:
    """Collects the lines that the model does not know, and required lines that are absent."""

    tree: ConfigTree = field(default_factory=ConfigTree)

    def unknown(self, node: ConfigTree, above: Path) -> None:
        """Record a line and all below it."""
        self.tree.add_path(above).add(node.text, node.line).merge(node)

    def missing(self, *path: str) -> None:
        """A line that has to be there and is not."""
        line = path[-1]
        self.tree.add_path((*path[:-1], line.removeprefix("no ") if line.startswith("no ") else f"no {line}"))

    def read(self, node: ConfigTree, above: Path, shapes: Table) -> None:
        """Hand each line below ``node`` to its handler; what has none, or is declined, is unknown."""
        for child in node.children.values():
            for pattern, handler in shapes.get(child.text.partition(" ")[0], ()):
                if found := pattern.fullmatch(child.text):
                    if handler(found, child, above) is False:
                        self.unknown(child, above)
                    break
            else:
                self.unknown(child, above)

    def leaf(self, node: ConfigTree, above: Path) -> None:
        """A line that holds nothing below it in our model: whatever stands there is unknown."""
        for child in node.children.values():
            self.unknown(child, (*above, node.text))

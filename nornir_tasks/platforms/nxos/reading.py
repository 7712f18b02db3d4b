"""Reading a tree: rows for lines with a value, handlers for blocks, and a record of what was not understood.

A handler returns False if it did not understand the block. Everything left over is in ``remainder`` under its own path.
A line that is required together with others and is absent (PFC mode on one of many ports) is recorded as its ``no``
form, so that nothing disappears silently.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Fields, Table, take

Handler = Callable[[re.Match[str], ConfigTree, Path], bool | None]
Handlers = tuple[tuple[re.Pattern[str], Handler], ...]
"""The reader of a block, by the pattern of its first line."""


@dataclass(slots=True)
class Remainder:
    """Collects the lines that the model does not have, and required lines that are absent."""

    tree: ConfigTree = field(default_factory=ConfigTree)

    def unknown(self, node: ConfigTree, above: Path) -> None:
        """Record a line and all lines below it."""
        self.tree.add_path(above).add(node.text, node.line).merge(node)

    def missing(self, *path: str) -> None:
        """Record a required line that is absent."""
        line = path[-1]
        self.tree.add_path((*path[:-1], line.removeprefix("no ") if line.startswith("no ") else f"no {line}"))

    def read(self, node: ConfigTree, above: Path, rows: Table, handlers: Handlers = ()) -> Fields:
        """Fields of the lines below ``node``; blocks go to their handlers, other lines are recorded as unknown."""
        fields: Fields = {}
        for child in node.children.values():
            if not take(child, rows, fields) and not self._handled(child, above, handlers):
                self.unknown(child, above)
        return fields

    @staticmethod
    def _handled(node: ConfigTree, above: Path, handlers: Handlers) -> bool:
        for pattern, handler in handlers:
            if found := pattern.fullmatch(node.text):
                return handler(found, node, above) is not False
        return False

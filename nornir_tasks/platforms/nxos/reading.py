"""How a tree is read: rows for lines that hold a value, handlers for blocks, and a record of what nobody understood.

A handler that returns False did not understand the block after all. What is left over stands in ``remainder`` under its
own path. A line that must stand together with others and is absent (PFC mode on one of many ports) is put there as its
``no`` form, so that nothing vanishes silently.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Fields, Table, take

Handler = Callable[[re.Match[str], ConfigTree, Path], bool | None]
Handlers = tuple[tuple[re.Pattern[str], Handler], ...]
"""What reads a block, by the pattern of its first line."""


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

    def read(self, node: ConfigTree, above: Path, rows: Table, handlers: Handlers = ()) -> Fields:
        """Fields of the lines below ``node``, whose blocks go to their handlers; what neither knows is unknown."""
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

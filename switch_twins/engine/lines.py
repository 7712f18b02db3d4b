"""The lines directly below one line, found by their first words without a search through all of them.

A large switch has hundreds of interfaces at top level, and every show command looks up every port among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from .grammar import Rule

Key = tuple[object, ...]
_WORTH_AN_INDEX = 12
"""Up to this number of lines a search is faster than building an index."""


class Line(Protocol):
    """What is looked at of a node."""

    rule: Rule | None

    @property
    def line(self) -> str:
        """The line as printed."""


Node = TypeVar("Node", bound=Line)


class Lines(dict[Key, Node], Generic[Node]):
    """Nodes by their key. An index is built on demand; a new line is added to it, any other change drops it."""

    _by_words: dict[str, list[Node]] | None = None
    _by_rule: dict[Rule | None, list[Node]] | None = None
    _sorted: dict[str, list[Node]] | None = None

    def beginning(self, leading: str) -> list[Node]:
        """The nodes whose line begins with these whole words (``no`` counts as one), in no particular order."""
        if len(self) < _WORTH_AN_INDEX:
            return [node for node in self.values() if _begins(node.line, leading)]
        if self._by_words is None:
            self._by_words = {}
            for node in self.values():
                self._enter(node, self._by_words)
        words = leading.split(" ", 2)
        found = self._by_words.get(" ".join(words[:2]), [])
        return [node for node in found if _begins(node.line, leading)] if len(words) > 2 else found

    def beginning_in_order(self, leading: str, order: Callable[[Node], Any]) -> list[Node]:
        """The same, sorted; kept until the next change, since show commands read all interfaces again and again."""
        found = self.beginning(leading)
        if len(found) < 2:
            return found
        if len(found) < _WORTH_AN_INDEX:
            return sorted(found, key=order)
        if self._sorted is None:
            self._sorted = {}
        if leading not in self._sorted:
            self._sorted[leading] = sorted(found, key=order)
        return self._sorted[leading]

    def of_rule(self, rule: Rule) -> list[Node]:
        """The nodes that match a rule."""
        if len(self) < _WORTH_AN_INDEX:
            return [node for node in self.values() if node.rule is rule]
        if self._by_rule is None:
            self._by_rule = {}
            for node in self.values():
                self._by_rule.setdefault(node.rule, []).append(node)
        return self._by_rule.get(rule, [])

    def forget(self) -> None:
        """Drop the index; required after any direct change of a node's words."""
        self._by_words = self._by_rule = self._sorted = None

    # -- changes ---------------------------------------------------------------------------------------------------

    def __setitem__(self, key: Key, node: Node) -> None:
        """Add a line."""
        is_new = key not in self
        super().__setitem__(key, node)
        if not is_new:
            self.forget()
            return
        self._sorted = None
        if self._by_words is not None:
            self._enter(node, self._by_words)
        if self._by_rule is not None:
            self._by_rule.setdefault(node.rule, []).append(node)

    def __delitem__(self, key: Key) -> None:
        """Remove a line."""
        super().__delitem__(key)
        self.forget()

    def pop(self, key: Key, default: Any = None) -> Any:  # noqa: ANN401  (dict's own signature)
        """Remove a line; None or ``default`` if it is missing."""
        self.forget()
        return super().pop(key, default)

    def _unsupported(self, *_: object) -> None:
        raise TypeError("lines are put in and taken away one at a time")

    clear = update = setdefault = popitem = __ior__ = _unsupported  # type: ignore[assignment]

    @staticmethod
    def _enter(node: Node, index: dict[str, list[Node]]) -> None:
        words = node.line.split(" ", 2)
        index.setdefault(words[0], []).append(node)
        if len(words) > 1:
            index.setdefault(f"{words[0]} {words[1]}", []).append(node)


def _begins(line: str, leading: str) -> bool:
    """Whether a line begins with these whole words."""
    return line.startswith(leading) and (len(line) == len(leading) or line[len(leading)] == " ")

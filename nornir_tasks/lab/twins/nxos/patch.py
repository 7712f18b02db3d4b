"""The commands that take one configuration to another, as rollback and configure replace print them."""

from __future__ import annotations

from ..engine import Node, Tree


def patch(old: Tree, new: Tree) -> list[str]:
    """Lines, indented by mode; removals first and last things first, so that nothing in use is taken away."""
    removals, additions = _difference(_Side(old, old.root), _Side(new, new.root), 0)
    return removals + additions


class _Side:
    """One mode of one configuration, with lines that are their own default left out."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self.tree, self.node = tree, node
        shown = (child for child in node.ordered() if not self._is_default(child))
        self.children = {(child.rule.key(child.identity) if child.rule else ()): child for child in shown}

    def _is_default(self, child: Node) -> bool:
        rule = child.rule
        if rule is None:
            return False
        if rule.defaults and self.tree.default_line(rule, self.node) == child.line:
            return True
        return rule.hide_empty and not _Side(self.tree, child).children


def _difference(old: _Side, new: _Side, depth: int) -> tuple[list[str], list[str]]:
    pad = "  " * depth
    removals: list[str] = []
    additions: list[str] = []
    for key, gone in reversed(list(old.children.items())):
        if key not in new.children and not (gone.rule and gone.rule.permanent):
            removals.append(pad + (gone.words if gone.negated else f"no {gone.words}"))
        elif key not in new.children:
            additions += _inside(old, gone, depth, is_new=False)
    for key, node in new.children.items():
        before = old.children.get(key)
        if before is None or before.line != node.line or before.body != node.body:
            additions += [pad + node.line, *node.body]
            additions += _inside(new, node, depth, is_new=True)[1:] if node.children else []
        elif node.children or before.children:
            taken, added = _difference(_Side(old.tree, before), _Side(new.tree, node), depth + 1)
            removals += [pad + node.line, *taken] if taken else []
            additions += [pad + node.line, *added] if added else []
    return removals, additions


def _inside(side: _Side, node: Node, depth: int, *, is_new: bool) -> list[str]:
    """A mode that only one side has: everything in it, added or taken away."""
    empty = Node(node.rule, node.words)
    full, nothing = _Side(side.tree, node), _Side(side.tree, empty)
    old, new = (nothing, full) if is_new else (full, nothing)
    taken, added = _difference(old, new, depth + 1)
    lines = taken + added
    return ["  " * depth + node.line, *lines] if lines else []

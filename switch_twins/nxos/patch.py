"""The commands from one configuration to another, as printed by rollback and configure replace."""

from __future__ import annotations

from collections.abc import Hashable

from ..engine import Node, Tree

LAYER_3 = (
    "ip address",
    "ip unnumbered",
    "ip forward",
    "ip redirects",
    "ipv6 address",
    "ipv6 nd",
    "hsrp ",
    "medium p2p",
)
"""Lines of a port that disappear when its VRF changes."""


def patch(old: Tree, new: Tree) -> list[str]:
    """Lines, indented by mode; removals first and in reverse order, so that nothing in use is removed.

    A policy that is replaced on ports is removed after they change, and its classes after it.
    """
    removals, additions = _difference(_Side(old, old.root), _Side(new, new.root), 0)
    late = [line for line in removals if line.startswith(("no policy-map ", "no class-map "))]
    return [line for line in removals if line not in late] + additions + late


class _Side:
    """One mode of one configuration, without lines that equal their default."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self.tree, self.node = tree, node
        shown = (child for child in node.ordered() if not self._is_default(child))
        self.children = {_key(child): child for child in shown}

    def with_empty(self, other: _Side) -> dict[Hashable, Node]:
        """The lines, and modes that are empty here and not on the other side: they lose lines, and stay."""
        empty = {_key(child): child for child in self.node.ordered() if child.rule and child.rule.hide_empty}
        return {**{key: child for key, child in empty.items() if key in other.children}, **self.children}

    def has_by_default(self, child: Node) -> bool:
        """Does this line need no removal, because it is the default here?"""
        return bool(child.rule and child.rule.defaults) and self._default(child) == child.line

    def _default(self, child: Node) -> str:
        return self.tree.default_line(child.rule, self.node) if child.rule is not None else ""

    def _is_default(self, child: Node) -> bool:
        rule = child.rule
        if rule is None:
            return False
        if self.has_by_default(child):
            return True
        return rule.hide_empty and not _Side(self.tree, child).children


def _key(node: Node) -> Hashable:
    return node.rule.key(node.identity) if node.rule else ()


def _difference(old: _Side, new: _Side, depth: int) -> tuple[list[str], list[str]]:
    """The lines to remove, in reverse order, and the lines to add, in order."""
    pad = "  " * depth
    there = new.with_empty(old)
    inner = {
        key: _difference(_Side(old.tree, old.children[key]), _Side(new.tree, node), depth + 1)
        for key, node in there.items()
        if key in old.children
    }
    removals: list[str] = []
    for key, node in reversed(list(old.children.items())):
        if key not in there:
            if not new.has_by_default(node) and not _is_port(node):
                removals.append(pad + (node.words if node.negated else f"no {node.words}"))
        elif _gives_way(node, there[key]):
            removals.append(f"{pad}no {node.words}")
        elif inner[key][0]:
            removals += [pad + node.line, *inner[key][0]]
    additions: list[str] = []
    moves = _vrf_of(old) != _vrf_of(new)
    for key, node in new.children.items():
        before = _left_of(old.children.get(key), node, moves=moves)
        known = key in inner and before is not None
        added = inner[key][1] if known else _everything(new.tree, node, depth + 1)
        if before is None and _is_port(node) and not added:
            continue
        if before is None or before.line != node.line or before.body != node.body or added:
            additions += [pad + node.line, *node.body, *added]
    return removals, additions


def _left_of(before: Node | None, after: Node, *, moves: bool) -> Node | None:
    """What is still there of a line when the new one is typed."""
    if moves and after.words.startswith(LAYER_3):
        return None  # a port loses its addresses when its VRF changes: they are typed again (the lab's reading)
    is_mode = after.rule is not None and after.rule.mode is not None
    return None if before is None or (is_mode and _gives_way(before, after)) else before  # a mode's lines go with it


def _gives_way(before: Node, after: Node) -> bool:
    """Must a line be gone before the one that takes its place (a rule of an access list, a pair's domain)?"""
    return before.rule is not None and before.rule.single and before.line != after.line


def _vrf_of(side: _Side) -> str | None:
    """The VRF of a port, if it has one."""
    return next((child.line for child in side.children.values() if child.words.startswith("vrf member ")), None)


def _is_port(node: Node) -> bool:
    """Ports are created and removed by the line that splits their cage, never by themselves."""
    return node.rule is not None and node.rule.permanent


def _everything(tree: Tree, node: Node, depth: int) -> list[str]:
    """All lines of a new mode."""
    return _difference(_Side(tree, Node(node.rule, node.words)), _Side(tree, node), depth)[1]

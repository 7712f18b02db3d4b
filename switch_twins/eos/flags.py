"""Flags of an EOS configuration: lines that stand, or are negated, below a node."""

from __future__ import annotations

from ..engine import Node


def is_on(node: Node, line: str, default: bool) -> bool:
    """Whether exactly this line stands under a node, ``no`` and default counted."""
    for child in node.children.values():
        if child.words == line:
            return not child.negated
    return default

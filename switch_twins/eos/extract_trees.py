"""Spanning trees of an EOS configuration: instance 0 of MSTP, the mode that EOS has by default (um-eos, STP).

Other modes have trees of their own; their instances' names in the answers have no source here, so there are none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..engine import Tree
from ..state import TreeLines

_DEFAULT_PRIORITY = 32768


def trees(tree: Tree) -> Iterator[TreeLines]:
    """The trees of a switch."""
    mode = tree.first("spanning-tree mode")
    if mode is not None and not mode.negated and mode.words.split()[-1] != "mstp":
        return
    lines = (each for each in tree.find("spanning-tree mst") if each.params.get("instance") == "0")
    yield TreeLines("MST0", next((int(each.params["priority"]) for each in lines), _DEFAULT_PRIORITY))

"""Spanning trees of an NX-OS configuration: one of each VLAN (rapid PVST+, the default), or one of all (MST).

Cisco Nexus 9000 NX-OS Layer 2 Switching Configuration Guide, Configuring Rapid PVST+ and Configuring MST.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..engine import Tree
from ..state import TreeLines
from .words import numbers

_DEFAULT_PRIORITY = 32768


def trees(tree: Tree, vlans: Iterable[int]) -> Iterator[TreeLines]:
    """The trees of a switch with these VLANs."""
    mode = tree.first("spanning-tree mode")
    if mode is not None and mode.words.split()[-1] == "mst":
        lines = (each for each in tree.find("spanning-tree mst") if each.params.get("instances", "").startswith("0"))
        yield TreeLines("MST0000", next((int(each.params["priority"]) for each in lines), _DEFAULT_PRIORITY))
        return
    priorities: dict[int, int] = {}
    for line in tree.find("spanning-tree vlan"):
        if "priority" in line.params:
            listed = numbers(line.params["vlans"], 1, 4094) or ()
            priorities.update(dict.fromkeys(listed, int(line.params["priority"])))
    for vlan in sorted({1, *vlans}):
        yield TreeLines(f"VLAN{vlan:04d}", priorities.get(vlan, _DEFAULT_PRIORITY), vlan)

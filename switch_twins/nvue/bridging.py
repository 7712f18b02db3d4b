"""``bridge.domain`` of an interface in the operational tree: what spanning tree makes of a port of a bridge.

Published as a table: Spanning-Tree-and-Rapid-Spanning-Tree.md, `nv show interface swp1 bridge domain br_default`, whose
rows are taken for the keys (tests/recorded/nvue_show/spanning_tree.txt); the word of a port that is down is (M).
"""

from __future__ import annotations

from ..fabric import FabricSim
from ..learned import learned
from .dialect import Dialect
from .tree import Tree, get_or

_SWITCHES = {"admin-edge": False, "auto-edge": True, "bpdu-filter": False, "bpdu-guard": False, "network": False}
"""With the value of a port that was not set (``auto-edge``: the same table)."""


def of_member(settings: Tree, dialect: Dialect, *, is_up: bool) -> Tree:
    """Each bridge of an interface."""
    return {
        name: {**member, "stp": _port(member.get("stp", {}), dialect, is_up=is_up)}
        for name, member in get_or(settings, {}, "bridge", "domain").items()
    }


def mac_table(fabric: FabricSim, device: str, name: str) -> Tree:
    """``mac-table`` of a bridge, by number: tests/recorded/nvue_show/mac_table.txt. A learned row has no type there."""
    return {
        str(number): {
            "age": 1,
            "bridge-domain": name,
            "interface": each.port,
            "last-update": 1,
            "mac": each.mac,
            "vlan": each.vlan,
        }
        for number, each in enumerate(learned(fabric, device), start=1)
    }


def _port(configured: Tree, dialect: Dialect, *, is_up: bool) -> Tree:
    words = {key: configured.get(key, dialect.word(value)) for key, value in _SWITCHES.items()}
    return {**words, "state": "forwarding" if is_up else "disabled"}

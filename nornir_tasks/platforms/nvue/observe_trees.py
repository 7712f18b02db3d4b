"""Ports in the spanning tree of a Cumulus Linux switch. Pure.

Rows of ``nv show interface swp1 bridge domain br_default`` (tests/recorded/nvue_show/spanning_tree.txt), nested as all
that NVUE shows. Which bridge is the root is published as text alone.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.nvue.tree import BRIDGE
from nornir_tasks.platforms.observed import TreePort

PARTS = (f"/*/bridge/domain/{BRIDGE}",)
_FORWARDING = "forwarding"


def tree_ports(ports: dict[str, Any]) -> Iterator[TreePort]:
    """Each port of the bridge that has a state."""
    for name, port in ports.items():
        shown = port.get("bridge", {}).get("domain", {}).get(BRIDGE, {}).get("stp", {})
        if "state" in shown:
            state = _word(shown["state"])
            edge, guarded = _truth(shown.get("admin-edge")), _truth(shown.get("bpdu-guard"))
            yield TreePort(name, state, state == _FORWARDING, edge, guarded)


def _word(state: object) -> str:
    """A word, or an object with the word as its key, as in the configuration."""
    return next(iter(state), "") if isinstance(state, dict) else str(state or "")


def _truth(word: object) -> bool | None:
    """``on`` until 5.14, ``enabled`` from 5.15 on."""
    return None if word is None else _word(word) in ("on", "enabled")

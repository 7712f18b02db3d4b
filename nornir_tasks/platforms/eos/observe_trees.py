"""Spanning trees in EOS's show output. Pure.

Keys as Mondoo's reader of ``show spanning-tree`` has them (tests/recorded/eos_show/spanning_tree.txt). Whether BPDUs
shut a port is shown port by port alone, so it is not read.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import TreePort, TreeState

_FORWARDING = "forwarding"


def trees(answer: dict[str, Any]) -> Iterator[TreeState]:
    """Each instance; the number of its VLAN or instance is shown apart from the priority."""
    for name, shown in answer.get("spanningTreeInstances", {}).items():
        root, own = shown.get("rootBridge", {}), shown.get("bridge", {})
        if "macAddress" in root and "macAddress" in own:
            yield TreeState(name, root["macAddress"].lower(), int(root["priority"]), own["macAddress"].lower())


def tree_ports(answer: dict[str, Any]) -> Iterator[TreePort]:
    """The ports of all instances."""
    found: dict[str, TreePort] = {}
    for shown in answer.get("spanningTreeInstances", {}).values():
        for port, each in shown.get("interfaces", {}).items():
            state = str(each.get("state", ""))
            if port not in found or state != _FORWARDING:
                found[port] = TreePort(port, state, state == _FORWARDING, each.get("isEdgePort"), None)
    return iter(found.values())

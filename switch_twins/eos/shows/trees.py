"""show spanning-tree.

JSON keys: those of Mondoo's reader (tests/recorded/eos_show/spanning_tree.txt). That both switches of a pair that is up
show one bridge, the pair's, follows um-eos, Multi-Chassis Link Aggregation; that ports which are down are left out has
no source (M). Costs, priorities and numbers of ports are not worked out.
"""

from __future__ import annotations

from typing import Any

from ...trees import Bridge, Tree, trees
from ..view import View

_EDGE = ("spanning-tree portfast", "spanning-tree portfast edge")
_TIMES = {"helloTime": 2, "maxAge": 20, "forwardDelay": 15}


def spanning_tree_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree``: each instance, its bridges and its ports."""
    ports = _ports(view)
    return {"spanningTreeInstances": {each.lines.name: _instance(each, ports) for each in _trees(view)}}


def _trees(view: View) -> tuple[Tree, ...]:
    return trees(view.fabric, view.device.name)


def _instance(tree: Tree, ports: dict[str, Any]) -> dict[str, Any]:
    """A pair's bridge is that of its root."""
    own = tree.root if tree.peer is not None else tree.own
    return {"protocol": "mstp", "bridge": _bridge(own), "rootBridge": _bridge(tree.root), "interfaces": ports}


def _bridge(bridge: Bridge) -> dict[str, Any]:
    mac = ":".join(bridge.serial[at : at + 2] for at in (0, 2, 4))
    return {"priority": bridge.priority, "macAddress": f"02:1c:73:{mac}", "systemIdExtension": 0, **_TIMES}


def _ports(view: View) -> dict[str, Any]:
    switched = {each.name for each in view.state.interfaces if each.vlans and not each.group}
    found = {}
    for number, node in enumerate(view.interfaces(), start=1):
        name = node.params["name"]
        if name in switched and view.fabric.is_up(view.device.name, name):
            is_edge = any(each.words in _EDGE and not each.negated for each in node.children.values())
            found[name] = _port(number, is_edge=is_edge)
    return found


def _port(number: int, *, is_edge: bool) -> dict[str, Any]:
    return {
        "priority": 128,
        "linkType": "p2p",
        "state": "forwarding",
        "cost": 1999,
        "role": "designated",
        "inconsistentFeatures": dict.fromkeys(("loopGuard", "rootGuard", "mstPvstBorder", "bridgeAssurance"), False),
        "portNumber": number,
        "isEdgePort": is_edge,
    }

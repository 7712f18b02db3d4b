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
    return {
        "protocol": "mstp",
        "bridge": instance_bridge(own),
        "rootBridge": instance_bridge(tree.root),
        "interfaces": ports,
    }


def instance_bridge(bridge: Bridge) -> dict[str, Any]:
    """A bridge as every form of the command shows it."""
    mac = ":".join(bridge.serial[at : at + 2] for at in (0, 2, 4))
    return {"priority": bridge.priority, "macAddress": f"02:1c:73:{mac}", "systemIdExtension": 0, **_TIMES}


def switched_ports(view: View) -> list[str]:
    """Switched ports and groups that are up, in order of the switch's interfaces."""
    switched = (each for each in view.state.interfaces if each.vlans and not each.group)
    return [each.name for each in switched if view.fabric.is_up(view.device.name, each.name)]


def _ports(view: View) -> dict[str, Any]:
    there, found = frozenset(switched_ports(view)), {}
    for number, node in enumerate(view.interfaces(), start=1):
        name = node.params["name"]
        if name in there:
            is_edge = any(each.words in _EDGE and not each.negated for each in node.children.values())
            found[name] = _port(number, view.word("stpState", name) or "forwarding", is_edge=is_edge)
    return found


def _port(number: int, state: str, *, is_edge: bool) -> dict[str, Any]:
    return {
        "priority": 128,
        "linkType": "p2p",
        "state": state,
        "cost": 1999,
        "role": "designated",
        "inconsistentFeatures": dict.fromkeys(("loopGuard", "rootGuard", "mstPvstBorder", "bridgeAssurance"), False),
        "portNumber": number,
        "isEdgePort": is_edge,
    }

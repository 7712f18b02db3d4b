"""show vlan.

JSON keys: netenglabs/suzieq at 584b22a, a vEOS 4.23.5M (tests/recorded/eos_show/vlan.txt). Ports that are down are left
out (um-eos, VLANs: ``show vlan configured-ports`` has those), a suspended VLAN is shown as such (M).
"""

from __future__ import annotations

from typing import Any

from ...engine import Node
from ..extract import active_vlans, numbers
from ..view import View

_CPU = "Cpu"


def vlans_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show vlan`` and ``show vlan brief``: each VLAN that exists, and the ports that carry it now."""
    names, active = {1: "default"} | _names(view), active_vlans(view.tree)
    carrying = _carrying(view, frozenset(names))
    return {
        "sourceDetail": "",
        "vlans": {
            str(number): {
                "name": names[number],
                "status": "active" if number in active else "suspended",
                "dynamic": False,
                "interfaces": {port: {"privatePromoted": False} for port in carrying.get(number, ())},
            }
            for number in sorted(names)
        },
    }


def _names(view: View) -> dict[int, str]:
    return {
        number: _name(node, number)
        for node in view.tree.find("vlan")
        if "vlans" in node.params and not node.negated
        for number in numbers(node.params["vlans"])
    }


def _name(node: Node, number: int) -> str:
    return node.value("name", "name") or f"VLAN{number:04d}"


def _carrying(view: View, there: frozenset[int]) -> dict[int, list[str]]:
    """VLAN -> ports that are up, and the switch itself where an SVI is."""
    found: dict[int, list[str]] = {}
    for each in view.state.interfaces:
        if each.svi_vlan is not None:
            found.setdefault(each.svi_vlan, []).append(_CPU)
        is_there = not each.group and view.fabric.is_up(view.device.name, each.name)
        for number in each.vlans & there if is_there else ():
            found.setdefault(number, []).append(each.name)
    return found

"""show ip virtual-router.

JSON keys: those that published scripts read (tests/recorded/eos_show/virtual_router.txt). That a gateway whose SVI is
down is ``inactive`` has no source (M).
"""

from __future__ import annotations

from typing import Any

from ...engine import Node
from ..view import View

_LINE = "ip virtual-router address"


def virtual_routers_json(view: View, parameters: dict[str, str]) -> dict[str, Any]:
    """``show ip virtual-router``: the gateways of one VRF, or of all."""
    vrf, node = parameters.get("vrf", "default"), view.tree.first("ip virtual-router mac-address")
    rows = [_row(view, each) for each in view.interfaces() if each.first(_LINE) is not None]
    return {
        "virtualMacs": [{"macAddress": node.params["mac"], "macType": "varp"}] if node is not None else [],
        "virtualRouters": [row for row in rows if vrf in ("all", row["vrfName"])],
    }


def _row(view: View, node: Node) -> dict[str, Any]:
    """Without a MAC address for it nothing answers."""
    name = node.params["name"]
    answers = view.fabric.is_up(view.device.name, name) and view.tree.first("ip virtual-router mac-address") is not None
    return {
        "interface": name,
        "vrfName": node.value("vrf", "vrf") or "default",
        "state": "active" if answers else "inactive",
        "virtualIps": [{"ip": line.params["address"]} for line in node.find(_LINE)],
    }

"""show ip arp, show arp: whom the switch has resolved (switch_twins/arp.py).

Shapes: tests/recorded/eos_show/ip_arp.txt. Of an SVI the port is named as well. Entries are as old as the lab's last
answer: 0.
"""

from __future__ import annotations

from typing import Any

from ...arp import Resolved, resolved
from ..view import View, dotted


def arp_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ip arp [vrf NAME|all]``."""
    return {"vrfs": {vrf: _entries(found) for vrf, found in _by_vrf(view, params).items()}}


def _entries(found: list[Resolved]) -> dict[str, Any]:
    rows = [
        {"address": each.address, "hwAddress": dotted(each.mac), "interface": _where(each), "age": 0} for each in found
    ]
    counts = {"totalEntries": len(rows), "dynamicEntries": len(rows), "staticEntries": 0, "notLearnedEntries": 0}
    return {**counts, "ipV4Neighbors": rows}


def arp_text(view: View, params: dict[str, str]) -> str:
    """The same as text; VRFs are named where one was asked for."""
    parts = []
    for vrf, found in _by_vrf(view, params).items():
        lines = [f"VRF: {vrf}"] if "vrf" in params else []
        lines.append("Address         Age (sec)  Hardware Addr   Interface")
        lines += [f"{each.address:<15} {'0:00:00':>9}  {dotted(each.mac)}  {_where(each)}" for each in found]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _where(each: Resolved) -> str:
    return f"{each.interface}, {each.port}" if each.port else each.interface


def _by_vrf(view: View, params: dict[str, str]) -> dict[str, list[Resolved]]:
    wanted, found = params.get("vrf") or "default", resolved(view.fabric, view.device.name)
    names = ["default", *(node.params["vrf"] for node in view.tree.find("vrf instance"))]
    return {
        name: [each for each in found if each.vrf == name]
        for name in names
        if wanted in ("all", name) and (wanted != "all" or any(each.vrf == name for each in found))
    }

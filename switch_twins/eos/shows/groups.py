"""show port-channel.

JSON keys: what anta 1.10.0 reads (tests/interfaces.py, VerifyPortChannels; the inputs of its tests). The reason of a
member whose link is down is no word from a source (M).
"""

from __future__ import annotations

from typing import Any

from ..view import View

_SILENT, _DOWN = "waiting for LACP response", "link down"
_MOST_MEMBERS = 16


def port_channels_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show port-channel``."""
    found = {each.name: _group(view, each.name, each.min_links) for each in view.state.interfaces if each.is_group}
    return {"portChannels": found}


def _group(view: View, name: str, min_links: int) -> dict[str, Any]:
    active: dict[str, Any] = {}
    inactive: dict[str, Any] = {}
    for member in view.fabric.members(view.device.name, name):
        if member.is_bundled:
            active[member.port] = {}
        else:
            link = view.fabric.link(view.device.name, member.port)
            inactive[member.port] = {"reasonUnconfigured": _SILENT if link.is_up else _DOWN}
    return {
        "activePorts": active,
        "inactivePorts": inactive,
        "rxPorts": {},
        "recircFeature": [],
        "inactiveLag": False,
        "minLinks": min_links if min_links > 1 else 0,
        "minSpeed": "0 gbps",
        "currWeight": len(active),
        "maxWeight": _MOST_MEMBERS,
    }

"""show port-channel, show lacp neighbor.

JSON keys: what anta 1.10.0 reads (tests/interfaces.py, VerifyPortChannels; the inputs of its tests); of neighbours
those in tests/recorded/eos_show/lacp.txt. The reason of a member whose link is down is no word from a source (M), nor
is it that members which hear no partner have no neighbour (M).
"""

from __future__ import annotations

from typing import Any

from ...partners import Partner, partners
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


def lacp_neighbors_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show lacp neighbor``."""
    found: dict[str, Any] = {}
    for each in view.state.interfaces:
        if each.is_group:
            heard = partners(view.fabric, view.device.name, each.name)
            found[each.name] = {"interfaces": {partner.port: _neighbor(partner) for partner in heard}}
    return {"portChannels": found, "orphanPorts": {}}


def _neighbor(partner: Partner) -> dict[str, Any]:
    is_used = partner.is_bundled
    flags = dict.fromkeys(("synchronization", "collecting", "distributing"), is_used)
    state = {"activity": True, "timeout": partner.is_fast, "aggregation": True, **flags, "defaulted": False}
    return {
        "actorPortStatus": "bundled" if is_used else "standby",
        "partnerPortState": {**state, "expired": False},
        "partnerSystemId": f"8000,{'-'.join(partner.system)}",
        "partnerOperKey": "0x000f",
        "partnerPortId": 1,
        "partnerPortPriority": 32768,
    }

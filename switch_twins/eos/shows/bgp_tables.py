"""show bgp neighbors ... routes and advertised-routes, show bgp instance.

JSON keys: tests/recorded/eos_show/bgp_tables.txt.
"""

from __future__ import annotations

from typing import Any

from ...bgp_paths import BgpPath
from ...engine import Node
from ...sessions import BgpSession
from ..view import View
from .bgp_neighbors import processes

_PROTOCOLS = {"connected": "Connected", "static": "Static", "attached-host": "AttachedHost", "dynamic": "Dynamic"}


def received_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bgp neighbors ADDRESS routes [vrf NAME]``: what was accepted from one neighbour."""
    vrf, peer = params.get("vrf") or "default", params["address"]
    paths = view.fabric.paths(view.device.name, vrf)
    mine = {prefix: [each for each in found if _is_from(each, peer)] for prefix, found in paths.items()}
    return _entries(vrf, {prefix: found[0].is_used for prefix, found in mine.items() if found})


def _is_from(path: BgpPath, peer: str) -> bool:
    return path.session is not None and path.session.neighbor.address == peer


def announced_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bgp neighbors ADDRESS advertised-routes [vrf NAME]``."""
    vrf = params.get("vrf") or "default"
    session = _session(view, vrf, params["address"])
    return _entries(vrf, dict.fromkeys(view.fabric.announced(session), True) if session is not None else {})


def _session(view: View, vrf: str, address: str) -> BgpSession | None:
    sessions = view.fabric.sessions(view.device.name, vrf)
    return next((each for each in sessions if each.neighbor.address == address), None)


def _entries(vrf: str, active: dict[str, bool]) -> dict[str, Any]:
    entries = {
        prefix: {"bgpRoutePaths": [{"routeType": {"valid": True, "active": is_active}}]}
        for prefix, is_active in active.items()
    }
    return {"vrfs": {vrf: {"bgpRouteEntries": entries}}}


def instance_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bgp instance [vrf NAME|all]``: what is redistributed; an address family without any has none."""
    vrfs = {}
    for vrf, process in processes(view, params):
        family = process.first("address-family ipv4")
        lines = [each for at in (process, family) if at is not None for each in at.find("redistribute")]
        routes = [_redistributed(each) for each in lines if not each.negated]
        vrfs[vrf] = {"vrf": vrf, "afiSafiConfig": {"v4u": {"redistributedRoutes": routes} if routes else {}}}
    return {"vrfs": vrfs}


def _redistributed(line: Node) -> dict[str, Any]:
    word = line.words.split()[1]
    found: dict[str, Any] = {"proto": _PROTOCOLS.get(word, word)}
    if " include leaked" in line.words:
        found["includeLeaked"] = True
    if "map" in line.params:
        found["routeMap"] = line.params["map"]
    return found

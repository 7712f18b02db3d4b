"""show bgp neighbors, show bgp summary: each session as EOS's multi-agent BGP shows it.

JSON keys: tests/recorded/eos_show/bgp_neighbors.txt. What the peer announces that has the own AS in its path is dropped
before it is counted as received, and counted as such. The default of ``send-community`` is all kinds (um-eos, BGP). A
key is left out where nothing is configured, as ANTA's tests have it for route maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine import Node
from ...sessions import BgpSession
from ..extract_bgp import Peer
from ..seedable import DROPS, UPDATE_ERRORS
from ..view import View
from .bgp import neighbor_facts, peer_state

_COMMUNITIES = ("standard", "extended", "large")
_HUNDRED_PERCENT = 100


def neighbors_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bgp neighbors [vrf NAME|all]``."""
    vrfs = {}
    for vrf, process in processes(view, params):
        peers = [_neighbor(view, process, each) for each in view.fabric.sessions(view.device.name, vrf)]
        vrfs[vrf] = {"peerList": peers}
    return {"vrfs": vrfs}


def processes(view: View, params: dict[str, str]) -> Iterator[tuple[str, Node]]:
    """Each VRF in which BGP runs, of those that were asked for, with its lines."""
    wanted, root = params.get("vrf") or "default", view.tree.first("router bgp")
    if root is None:
        return
    for vrf, node in (("default", root), *((each.params["vrf"], each) for each in root.find("vrf"))):
        if wanted in ("all", vrf):
            yield vrf, node


def _neighbor(view: View, process: Node, session: BgpSession) -> dict[str, Any]:
    peer = Peer(view.tree, process, process.first("address-family ipv4"), session.neighbor.address)
    found = neighbor_facts(view, session)
    for key in ("routeMapInbound", "routeMapOutbound"):
        if not found[key]:
            del found[key]
    address, is_up = session.neighbor.address, session.state == "established"
    counted = {name: view.counter(name, address) for name in (*DROPS, *UPDATE_ERRORS)}
    counted["inDropAsloop"] += view.fabric.looped(session)
    found |= {
        "md5AuthEnabled": session.neighbor.has_password,
        "neighborCapabilities": _capabilities(session, peer),
        "advertisedCommunities": _communities(peer),
        "dropStats": {name: counted[name] for name in DROPS},
        "peerInUpdateErrors": {
            **{name: counted[name] for name in UPDATE_ERRORS},
            "disabledAfiSafi": "None",
            "lastUpdErrTime": 0,
        },
    }
    warning = _warning_limit(peer, session.neighbor.prefix_limit or 0)
    if warning is not None:
        found["totalRoutesWarnLimit"] = warning
    if is_up:
        queues = {name: view.counter(name, address) for name in ("inputQueueLength", "outputQueueLength")}
        found["peerTcpInfo"] = {"state": "ESTABLISHED", **queues}
    return found


def _capabilities(session: BgpSession, peer: Peer) -> dict[str, Any]:
    """What this end offers, and whether the peer, while there is one, has agreed."""
    offers, is_up = not peer.is_on("dont-capability-negotiate"), session.state == "established"
    agreed = {"advertised": offers, "received": is_up, "enabled": offers and is_up}
    families = {"ipv4Unicast": dict(agreed)} if session.neighbor.is_ipv4_active else {}
    return {"multiprotocolCaps": families, "fourOctetAsnCap": dict(agreed), "routeRefreshCap": dict(agreed)}


def _communities(peer: Peer) -> dict[str, bool]:
    line = peer.line("send-community")
    if line is None or line.negated:
        return dict.fromkeys(_COMMUNITIES, False)
    named = [word for word in line.words.split() if word in _COMMUNITIES]
    return {kind: not named or kind in named for kind in _COMMUNITIES}


def _warning_limit(peer: Peer, limit: int) -> int | None:
    line = peer.line("maximum-routes")
    if line is None or line.negated:
        return None
    if "percent" in line.params:
        return limit * int(line.params["percent"]) // _HUNDRED_PERCENT
    return int(line.params["count"]) if "count" in line.params else None


def summary_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bgp summary [vrf NAME|all]``."""
    instances = {each.vrf: each for each in view.state.bgp}
    vrfs = {}
    for vrf, _ in processes(view, params):
        sessions = view.fabric.sessions(view.device.name, vrf)
        vrfs[vrf] = {
            "vrf": vrf,
            "routerId": instances[vrf].router_id,
            "asn": str(instances[vrf].asn),
            "peers": {each.neighbor.address: _short(view, each) for each in sessions},
        }
    return {"vrfs": vrfs}


def _short(view: View, session: BgpSession) -> dict[str, Any]:
    found: dict[str, Any] = {"peerState": peer_state(session), "peerAsn": str(session.neighbor.remote_as or 0)}
    if session.neighbor.is_ipv4_active:
        found["ipv4Unicast"] = {
            "afiSafiState": "negotiated" if session.state == "established" else "advertised",
            "nlrisReceived": session.prefixes_received - view.fabric.looped(session),
            "nlrisAccepted": session.prefixes_accepted,
        }
    return found

"""show ip bgp summary, ip bgp neighbors, ip route: the results of the fabric simulation.

JSON keys: what NAPALM 5.2.0 and anta 1.10.0 read. Text: the shapes ntc-templates 9.3.0 parses.
"""

from __future__ import annotations

from typing import Any

from ...fabric import Route
from ...reach import longest_match
from ...sessions import BgpSession
from ..view import View
from .ip_bgp import is_chosen

_STATES = {"established": "Established", "active": "Active"}
_IDLE_REASONS = {"admin_down": "Administratively shut down", "prefix_limit": "Maximum routes exceeded"}
_CODES = {"connected": "C", "static": "S", "bgp": "B E"}
_DISTANCES = {"static": 1, "bgp": 200}


def _instances(view: View, params: dict[str, str]) -> list[Any]:
    wanted = params.get("vrf") or "default"
    return [instance for instance in view.state.bgp if wanted in ("all", instance.vrf)]


def sessions_of(view: View, vrf: str, *, is_ipv6: bool = False) -> list[BgpSession]:
    """The sessions with neighbours of one family in a VRF."""
    found = view.fabric.sessions(view.device.name, vrf)
    return [each for each in found if (":" in each.neighbor.address) == is_ipv6]


def summary_json(view: View, params: dict[str, str], *, is_ipv6: bool = False) -> dict[str, Any]:
    """``show ip bgp summary [vrf NAME|all]``."""
    vrfs = {}
    for instance in _instances(view, params):
        found = sessions_of(view, instance.vrf, is_ipv6=is_ipv6)
        peers = {each.neighbor.address: _summary(view, each) for each in found}
        vrfs[instance.vrf] = {
            "vrf": instance.vrf,
            "routerId": instance.router_id,
            "asn": str(instance.asn),
            "peers": peers,
        }
    return {"vrfs": vrfs}


def summary6_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ipv6 bgp summary [vrf NAME|all]``."""
    return summary_json(view, params, is_ipv6=True)


def peer_state(session: BgpSession) -> str:
    """The word for its state."""
    return _STATES.get(session.state, "Idle")


def _summary(view: View, session: BgpSession) -> dict[str, Any]:
    found = {
        "version": 4,
        "msgReceived": 0,
        "msgSent": 0,
        "inMsgQueue": 0,
        "outMsgQueue": 0,
        "asn": str(session.neighbor.remote_as or 0),
        "prefixAccepted": session.prefixes_accepted,
        "prefixReceived": session.prefixes_received,
        "upDownTime": view.timestamp(session.since_s),
        "underMaintenance": False,
        "peerState": peer_state(session),
        "description": session.neighbor.description,
    }
    if found["peerState"] == "Idle":
        reasons = {"admin_down": "Admin", "prefix_limit": "MaxPath"}
        found["peerStateIdleReason"] = reasons.get(session.state, session.reason or "NoInterface")
    return found


def summary_text(view: View, params: dict[str, str]) -> str:
    """``show ip bgp summary`` as text."""
    lines = []
    for name, vrf in summary_json(view, params)["vrfs"].items():
        lines.append(f"BGP summary information for VRF {name}")
        lines.append(f"Router identifier {vrf['routerId']}, local AS number {vrf['asn']}")
        lines.append("Neighbor Status Codes: m - Under maintenance")
        counters = "MsgRcvd   MsgSent  InQ OutQ  Up/Down State   PfxRcd PfxAcc"
        lines.append(f"  {'Description':<24} {'Neighbor':<16} V {'AS':<12} {counters}")
        for address, peer in vrf["peers"].items():
            up = peer["peerState"] == "Established"
            state = (
                "Estab" if up else peer["peerState"] + ("(Admin)" if peer.get("peerStateIdleReason") == "Admin" else "")
            )
            counts = f"{peer['prefixReceived']:<6} {peer['prefixAccepted']}" if up else ""
            label = (peer["description"] or "-")[:24]
            lines.append(
                f"  {label:<24} {address:<16} 4 {peer['asn']:<12} {peer['msgReceived']:>7} {peer['msgSent']:>9}"
                f"    0    0 00:00:00 {state:<7} {counts}".rstrip()
            )
        lines.append("")
    return "\n".join(lines) + "\n"


def neighbors_json(view: View, params: dict[str, str], *, is_ipv6: bool = False) -> dict[str, Any]:
    """``show ip bgp neighbors [ADDRESS] [vrf NAME|all]``."""
    wanted = params.get("address")
    vrfs = {}
    for instance in _instances(view, params):
        sessions = sessions_of(view, instance.vrf, is_ipv6=is_ipv6)
        peers = [neighbor_facts(view, s) for s in sessions if wanted in (None, s.neighbor.address)]
        vrfs[instance.vrf] = {"peerList": peers}
    return {"vrfs": vrfs}


def peers6_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ipv6 bgp peers [vrf NAME|all]``."""
    return neighbors_json(view, params, is_ipv6=True)


def neighbor_facts(view: View, session: BgpSession) -> dict[str, Any]:
    """What every form of ``show bgp neighbors`` has of a session."""
    n = session.neighbor
    received, sent = (session.prefixes_received, 0), (session.prefixes_sent, 0)
    (v4_received, v6_received), (v4_sent, v6_sent) = (
        (received, sent) if ":" not in n.address else (received[::-1], sent[::-1])
    )
    found: dict[str, Any] = {
        "peerAddress": n.address,
        "version": 4,
        "asn": str(n.remote_as or 0),
        "localAsn": str(session.local_as),
        "routerId": session.peer_router_id,
        "linkType": "external",
        "peerGroupName": n.peer_group,
        "vrf": session.vrf,
        "state": peer_state(session),
        "description": n.description,
        "holdTime": session.hold_s,
        "keepaliveTime": session.keepalive_s,
        "configuredHoldTime": n.hold_s,
        "configuredKeepaliveTime": n.keepalive_s,
        "prefixesReceived": v4_received,
        "prefixesSent": v4_sent,
        "v6PrefixesReceived": v6_received,
        "v6PrefixesSent": v6_sent,
        "maxTotalRoutes": n.prefix_limit or 0,
        "routeMapInbound": n.route_map_in or "",
        "routeMapOutbound": n.route_map_out or "",
        "bfdState": "up" if session.is_bfd_up else "unknown",
    }
    if n.ttl_security_hops is not None:
        found["maxTtlHops"] = n.ttl_security_hops
    if found["state"] == "Established":
        found["establishedTime"] = int(view.clock.now_s() - session.since_s)
        found["updateSource"] = session.local_address or ""
    elif found["state"] == "Idle":
        found["idleReason"] = _IDLE_REASONS.get(session.state, session.reason or "No interface")
    return found


# -- routes --------------------------------------------------------------------------------------------------------


def routes_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ip route [vrf NAME|all] [PREFIX] [bgp|connected|static]``."""
    vrfs = {}
    for name in vrf_names(view, params):
        routes = {r.prefix: _route(r) for r in _routes(view, name, params)}
        vrfs[name] = {
            "routingDisabled": not view.state.is_routing,
            "allRoutesProgrammedHardware": True,
            "allRoutesProgrammedKernel": True,
            "defaultRouteState": "notSet",
            "routes": routes,
        }
    return {"vrfs": vrfs}


def vrf_names(view: View, params: dict[str, str]) -> list[str]:
    """The VRFs that were asked for, of those there are."""
    wanted = params.get("vrf") or "default"
    known = ["default", *(node.params["vrf"] for node in view.tree.find("vrf instance"))]
    return [name for name in known if wanted in ("all", name)]


def _routes(view: View, vrf: str, params: dict[str, str]) -> list[Route]:
    protocol, table = params.get("protocol"), view.fabric.rib(view.device.name, vrf)
    prefix = params.get("prefix")
    if prefix and "/" not in prefix:  # an address: the route that its packets take
        route = longest_match(table, prefix)
        return [route] if route is not None and protocol in (None, route.protocol) else []
    return [r for r in table.values() if is_chosen(r.prefix, params) and protocol in (None, r.protocol)]


def _route(route: Route) -> dict[str, Any]:
    is_discard = route.protocol == "static" and not route.next_hops[0].interface
    vias = [
        {"interface": hop.interface or "Null0"} | ({"nexthopAddr": hop.address} if hop.address else {})
        for hop in route.next_hops
    ]
    found: dict[str, Any] = {
        "hardwareProgrammed": True,
        "kernelProgrammed": True,
        "routeType": {"bgp": "eBGP"}.get(route.protocol, route.protocol),
        "routeLeaked": False,
        "routeAction": "drop" if is_discard else "forward",
        "directlyConnected": route.protocol == "connected",
        "vias": vias,
    }
    if route.protocol in _DISTANCES:
        found |= {"preference": _DISTANCES[route.protocol], "metric": 0}
    return found


def routes_text(view: View, params: dict[str, str]) -> str:
    """``show ip route`` as text."""
    lines = []
    for name in vrf_names(view, params):
        lines += [
            "",
            f"VRF: {name}",
            "Codes: C - connected, S - static, B E - eBGP",
            "",
            "Gateway of last resort is not set",
            "",
        ]
        for route in _routes(view, name, params):
            lines += _route_lines(route)
    return "\n".join(lines).lstrip("\n") + "\n\n"


def _route_lines(route: Route) -> list[str]:
    head = f" {_CODES[route.protocol]:<8} {route.prefix}"
    first = route.next_hops[0]
    if not first.address:
        return [f"{head} is directly connected, {first.interface or 'Null0'}"]
    hops = [f"via {hop.address}, {hop.interface}" for hop in route.next_hops]
    pad = " " * (len(head) + 1 + len(f"[{_DISTANCES[route.protocol]}/0]") + 1)
    return [f"{head} [{_DISTANCES[route.protocol]}/0] {hops[0]}", *(pad + hop for hop in hops[1:])]

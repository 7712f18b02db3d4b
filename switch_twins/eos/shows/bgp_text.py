"""show ip bgp neighbors as text, as the multi-agent routing model prints it.

Shape: tests/recorded/eos_show/bgp_neighbors_text.txt. No message is sent in the lab, so none is counted.
"""

from __future__ import annotations

from ...sessions import BgpSession
from ...state import BgpInstance
from ..view import View
from .bgp import sessions_of

_LAST = {"established": ("OpenConfirm", "RecvUpdate"), "active": ("Connect", "TransportError")}
_STATES = {"established": "Established", "active": "Active"}
_BGP_PORT, _CLIENT_PORT = 179, 35001
_MESSAGES = ("Opens", "Notifications", "Updates", "Keepalives", "Route-Refresh", "Total messages")


def neighbors_text(view: View, params: dict[str, str], *, is_ipv6: bool = False) -> str:
    """``show ip bgp neighbors [ADDRESS] [vrf NAME|all]``."""
    wanted, vrf = params.get("address"), params.get("vrf") or "default"
    blocks = [
        [*_head(session), *_state(view, session), *_counts(session), *_foot(session, instance)]
        for instance in view.state.bgp
        for session in sessions_of(view, instance.vrf, is_ipv6=is_ipv6)
        if vrf in ("all", instance.vrf) and wanted in (None, session.neighbor.address)
    ]
    return "".join("\n".join(block) + "\n\n" for block in blocks)


def peers6_text(view: View, params: dict[str, str]) -> str:
    """``show ipv6 bgp peers [ADDRESS] [vrf NAME|all]``."""
    return neighbors_text(view, params, is_ipv6=True)


def _head(session: BgpSession) -> list[str]:
    neighbor = session.neighbor
    lines = [f"BGP neighbor is {neighbor.address}, remote AS {neighbor.remote_as or 0}, external link"]
    if neighbor.description:
        lines.append(f"  Description: {neighbor.description}")
    lines.append(f"  BGP version 4, remote router ID {session.peer_router_id}, VRF {session.vrf}")
    if neighbor.peer_group:
        lines.append(f"  Inherits configuration from and member of peer-group {neighbor.peer_group}")
    return lines


def _state(view: View, session: BgpSession) -> list[str]:
    neighbor, is_up = session.neighbor, session.state == "established"
    last_state, last_event = _LAST.get(session.state, ("NoState", "Stop"))
    seconds = int(view.clock.now_s() - session.since_s)
    up = f", up for {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}" if is_up else ""
    shut = " Administratively shut down" if session.state == "admin_down" else ""
    return [
        f"  Hold time is {session.hold_s}, keepalive interval is {session.keepalive_s} seconds",
        f"  Configured hold time is {neighbor.hold_s}, keepalive interval is {neighbor.keepalive_s} seconds",
        f"  BGP state is {_STATES.get(session.state, 'Idle')}{up}",
        *([f"  {shut.strip()}"] if shut else ()),
        f"  Number of transitions to established: {int(is_up)}",
        f"  Last state was {last_state}",
        f"  Last event was {last_event}",
    ]


def _counts(session: BgpSession) -> list[str]:
    lines = ["  Message Statistics:", f"{'Sent':>29}{'Rcvd':>10}"]
    lines += [f"    {name + ':':<16}{0:>9}{0:>10}" for name in _MESSAGES]
    lines += ["  Prefix Statistics:", f"{'Sent':>39}{'Rcvd':>10}"]
    neighbor, counts = session.neighbor, [(session.prefixes_sent, session.prefixes_received), (0, 0)]
    for family, (sent, received) in zip((4, 6), counts[:: -1 if ":" in neighbor.address else 1], strict=True):
        lines.append(f"    {f'IPv{family} Unicast:':<16}{sent:>19}{received:>10}")
    if neighbor.prefix_limit:
        lines.append(f"  Configured maximum total number of routes is {neighbor.prefix_limit}")
    lines += [
        "  Inbound updates dropped by reason:",
        "    AS path loop detection: 0",
        "    Enforced First AS: 0",
        "    Nexthop matches local IP address: 0",
    ]
    if neighbor.route_map_in:
        lines.append(f"  Inbound route map is {neighbor.route_map_in}")
    if neighbor.route_map_out:
        lines.append(f"  Outbound route map is {neighbor.route_map_out}")
    return lines


def _foot(session: BgpSession, instance: BgpInstance) -> list[str]:
    is_up, own = session.state == "established", (session.local_address or "").partition("/")[0]
    lines = [f"Local AS is {session.local_as}, local router ID {instance.router_id}"]
    lines.append(f"TTL is {session.neighbor.ebgp_multihop or 1}")
    if own:
        lines.append(f"Local TCP address is {own}" + (f", local port is {_CLIENT_PORT}" if is_up else ""))
    lines.append(f"Remote TCP address is {session.neighbor.address}, remote port is {_BGP_PORT}")
    if is_up:
        lines += ["TCP Socket Information:", "  TCP state is ESTABLISHED", "  Recv-Q: 0/32768", "  Send-Q: 0/32768"]
    return lines

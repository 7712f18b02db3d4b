"""show bfd peers: the sessions that BGP requests, and their timers.

JSON keys: tests/recorded/eos_show/routing_summary.txt. Timers in force are those of RFC 5880: an end sends no faster
than the other one wants to receive. Of the far end the defaults are taken, 300 ms and 3, which is what the fabrics'
spines have; the switch's own are read from its lines. When a session was last down, no lab knows before it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine import Node, Tree
from ...sessions import BgpSession
from ..view import View

_US_PER_MS = 1000


@dataclass(frozen=True, slots=True)
class Timers:
    """Milliseconds between packets sent and received, and how many may be missed."""

    transmit_ms: int = 300
    receive_ms: int = 300
    multiplier: int = 3


_OTHERS = Timers()


def peers_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show bfd peers [vrf NAME|all] [detail]``."""
    wanted = params.get("vrf") or "default"
    vrfs: dict[str, Any] = {}
    for instance in view.state.bgp:
        if wanted not in ("all", instance.vrf):
            continue
        found = {}
        for number, session in enumerate(view.fabric.sessions(view.device.name, instance.vrf), start=1):
            if session.neighbor.bfd:
                stats = _stats(view, session, number, has_detail="detail" in params)
                found[session.neighbor.address] = {"peerStats": {session.interface or "": stats}}
        vrfs[instance.vrf] = {"ipv4Neighbors": found, "ipv6Neighbors": {}, "ipv4ReflectorNeighbors": {}}
    return {"vrfs": vrfs}


def _stats(view: View, session: BgpSession, number: int, *, has_detail: bool) -> dict[str, Any]:
    up = session.is_bfd_up
    found: dict[str, Any] = {
        "status": "up" if up else "down",
        "localDisc": number,
        "remoteDisc": number if up else 0,
        "l3intf": session.interface or "",
        "lastDown": 0.0 if up else view.timestamp(session.since_s),
    }
    return found | {"peerStatsDetail": _detail(view, session)} if has_detail else found


def _detail(view: View, session: BgpSession) -> dict[str, Any]:
    own = timers(view.tree, session.interface or "")
    transmit = max(own.transmit_ms, _OTHERS.receive_ms)
    receive = max(own.receive_ms, _OTHERS.transmit_ms)
    return {
        "role": "active",
        "apps": ["bgp"],
        "operTxInterval": transmit * _US_PER_MS,
        "operRxInterval": receive * _US_PER_MS,
        "detectMult": own.multiplier,
        "detectTime": receive * _OTHERS.multiplier * _US_PER_MS,
    }


def timers(tree: Tree, interface: str) -> Timers:
    """What is configured on an interface, else for the whole switch, else EOS's default."""
    port, process = tree.first(f"interface {interface}"), tree.first("router bfd")
    own = port.first("bfd interval") if port is not None else None
    line = own or (process.first("interval") if process is not None else None)
    return _read(line) if line is not None and not line.negated else Timers()


def _read(line: Node) -> Timers:
    interval, receive, multiplier = (int(line.params[key]) for key in ("interval", "min_rx", "multiplier"))
    return Timers(interval, receive, multiplier)

"""What FRR and the kernel say, in the words of the fabric: sessions, routes and next hops.

Keys of FRR's JSON: bgpd/bgp_vty.c of 8.4 (bgp_show_peer, bgp_show_summary), bgpd/bgp_route.c (route_vty_out).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv6Address
from typing import Any

from ..bgp_paths import BgpPath
from ..policy import NO_COMMUNITIES, network_of, prefix_text
from ..sessions import BgpSession, SessionState
from ..solution import NextHop, Route
from ..state import SwitchState
from .conf import key_of
from .names import kernel_name

_STATES: dict[str, SessionState] = {"Established": "established", "Idle": "idle"}
_SHUT, _LIMIT = "Idle (Admin)", "Idle (PfxCt)"
_STAND_IN = "169.254.0.1"
"""FRR's next hop in the kernel for a neighbour without an IPv4 address (zebra/rt_netlink.c, ipv4_ll_buf)."""
_DEAD = frozenset({"dead", "linkdown"})
Json = Mapping[str, Any]


# -- sessions ------------------------------------------------------------------------------------------------------


def session(judged: BgpSession, peers: Json, summary: Json, bfd: Json, now_s: float) -> BgpSession:
    """One session as FRR has it. ``judged``: the same as the simulation has it, of which names and interface are taken.

    ``peers``, ``summary``, ``bfd``: all that FRR knows, by neighbour.
    """
    name = key_of(judged.neighbor)
    peer, short = peers.get(name, {}), summary.get(name, {})
    found = BgpSession(judged.device, judged.vrf, judged.local_as, judged.neighbor, _state(short))
    found.interface, found.peer_device = judged.interface, judged.peer_device
    found.local_address, found.peer_address = judged.local_address, judged.peer_address
    if judged.neighbor.bfd:
        found.bfd_is_up = _bfd_status(bfd, name) == "up"
    if found.state != "established":
        found.reason = _reason(judged, peer, short)
        found.since_s = now_s - peer.get("lastResetTimerMsecs", 0) / 1000
        return found
    found.peer_router_id = str(peer.get("remoteRouterId", found.peer_router_id))
    if judged.neighbor.interface:
        found.peer_address = str(peer.get("bgpNeighborAddr", found.peer_address))
    found.hold_s = int(peer.get("bgpTimerHoldTimeMsecs", 0)) // 1000
    found.keepalive_s = int(peer.get("bgpTimerKeepAliveIntervalMsecs", 0)) // 1000
    found.since_s = now_s - short.get("peerUptimeMsec", 0) / 1000
    found.prefixes_received = found.prefixes_accepted = int(short.get("pfxRcd", 0))
    found.prefixes_sent = int(short.get("pfxSnt", 0))
    found.peer_key = judged.peer_key
    return found


def _state(short: Json) -> SessionState:
    word = str(short.get("state", "Idle"))
    if word == _SHUT:
        return "admin_down"
    if word == _LIMIT:
        return "prefix_limit"
    return _STATES.get(word, "active")


def _reason(judged: BgpSession, peer: Json, short: Json) -> str:
    """FRR's own words; where it has not tried yet, the simulation's: of a neighbour that FRR cannot have at all."""
    notified = peer.get("lastErrorCodeSubcode") or ""
    words = [peer.get("lastNotificationReason"), peer.get("lastResetDueTo")]
    cause = next((str(each) for each in words if each), "")
    if not short or not cause:
        return judged.reason or "no connection yet"
    return f"{cause} ({notified})" if notified else cause


def _bfd_status(bfd: Json, name: str) -> str:
    return str(bfd.get(name, {}).get("status", "down"))


def by_neighbor(peers: Iterable[Json]) -> dict[str, Json]:
    """BFD's peers (``show bfd peers json``) by address and by interface."""
    found = {}
    for each in peers:
        found[str(each.get("peer"))] = each
        if ":" in str(each.get("peer")) and each.get("interface"):
            found[str(each["interface"])] = each
    return found


# -- routes --------------------------------------------------------------------------------------------------------


def link_locals(shown: Iterable[Json]) -> dict[str, str]:
    """Who is behind each port of the kernel, from ``ip -json neighbor``, where FRR wrote an address for it there."""
    return {str(each["dev"]): _link_local(str(each["lladdr"])) for each in shown if each.get("dst") == _STAND_IN}


def _link_local(mac: str) -> str:
    """The IPv6 link-local address that follows from a MAC address (RFC 4291, appendix A)."""
    octets = bytes.fromhex(mac.replace(":", ""))
    return str(IPv6Address(b"\xfe\x80" + bytes(6) + bytes((octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]))))


def routes(
    state: SwitchState, shown: Iterable[Json], connected: Mapping[str, str], behind: Mapping[str, str], bgp: Json
) -> dict[str, Route]:
    """A switch's IPv4 table from ``ip -json route``, by prefix.

    ``connected``: networks of its interfaces that are up, with the interface; the kernel has loopbacks' elsewhere.
    ``behind``: link-local addresses by the kernel's port. ``bgp``: FRR's table, of which AS paths are taken.
    """
    names = {kernel_name(each.name): each.name for each in state.interfaces if not each.is_loopback}
    found = {prefix: Route(prefix, "connected", (NextHop("", name),)) for prefix, name in connected.items()}
    for each in shown:
        prefix = _prefix(str(each["dst"]))
        hops = tuple(sorted(_hops(each, names, behind)))
        if each.get("protocol") == "kernel" or not hops:
            continue
        if each.get("protocol") == "bgp":
            found.setdefault(prefix, Route(prefix, "bgp", hops, _path(bgp.get(prefix, ()))))
        else:
            found.setdefault(prefix, Route(prefix, "static", hops))
    return {prefix: found[prefix] for prefix in sorted(found, key=network_of)}


def paths(sessions: Iterable[BgpSession], bgp: Json) -> dict[str, list[BgpPath]]:
    """FRR's table (``show bgp ... json``), every path; communities are not in it."""
    by_peer = {address: each for each in sessions for address in (each.neighbor.address, each.peer_address) if address}
    found: dict[str, list[BgpPath]] = {}
    for prefix in sorted(bgp, key=network_of):
        valid = [each for each in bgp[prefix] if each.get("valid")]
        made = [_bgp_path(prefix, each, by_peer) for each in valid]
        found[prefix] = sorted(made, key=lambda path: (not path.is_best, not path.is_used))
    return found


def _bgp_path(prefix: str, shown: Json, by_peer: Mapping[str, BgpSession]) -> BgpPath:
    session, is_best = by_peer.get(str(shown.get("peerId"))), bool(shown.get("bestpath"))
    as_path = tuple(int(asn) for asn in str(shown.get("path", "")).split() if asn.isdigit())
    used = is_best or bool(shown.get("multipath"))
    return BgpPath(prefix_text(prefix), as_path, NO_COMMUNITIES, int(shown.get("locPrf", 100)), session, is_best, used)


def _prefix(text: str) -> str:
    return prefix_text("0.0.0.0/0" if text == "default" else text if "/" in text else f"{text}/32")


def _hops(route: Json, names: Mapping[str, str], behind: Mapping[str, str]) -> Iterator[NextHop]:
    if route.get("type") == "blackhole":
        yield NextHop("", "")
        return
    if route.get("type") == "unreachable":  # the end of the table of a VRF
        return
    for each in route.get("nexthops") or [route]:
        if _DEAD & set(each.get("flags", ())):
            continue
        address = each.get("gateway") or each.get("via", {}).get("host", "")
        port = str(each.get("dev", ""))
        address = behind.get(port, address) if address == _STAND_IN else address
        yield NextHop(str(address), names.get(port, port))


def _path(paths: Iterable[Json]) -> tuple[int, ...]:
    best = next((each for each in paths if each.get("bestpath")), {})
    return tuple(int(asn) for asn in str(best.get("path", "")).split() if asn.isdigit())

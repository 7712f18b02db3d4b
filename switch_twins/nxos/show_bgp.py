"""show bgp summary, show ip bgp [PREFIX], show ip bgp neighbors, show bgp process.

JSON keys: napalm 5.2.0 test/nxos/mocked_data/test_get_bgp_neighbors (summary), those of ``show ip bgp neighbors`` from
published outputs; text: tests/recorded/nxos_show/bgp_text.txt. No message is sent in the lab, so none is counted.
"""

from __future__ import annotations

from collections.abc import Collection

from ..bgp_paths import BgpPath
from ..sessions import BgpSession
from ..state import BgpInstance
from .reply import Body, Reply, View, duration, table

_STATES = {
    "established": "Established",
    "idle": "Idle",
    "active": "Active",
    "admin_down": "Shutdown",
    "prefix_limit": "Idle",
}
_TEXT_STATES = {**_STATES, "admin_down": "Shut (Admin)", "prefix_limit": "Shut (PfxCt)"}


def _age(view: View, session: BgpSession) -> str:
    return duration(max(0.0, view.clock.now_s() - session.since_s))


def _summary_row(view: View, session: BgpSession) -> Body:
    is_up = session.state == "established"
    return {
        "neighborid": session.neighbor.address,
        "neighborversion": "4",
        "msgrecvd": 0,
        "msgsent": 0,
        "neighbortableversion": "1" if is_up else "0",
        "inq": "0",
        "outq": "0",
        "neighboras": str(session.neighbor.remote_as or 0),
        "time": _age(view, session),
        "state": _STATES[session.state],
        "prefixreceived": str(session.prefixes_received),
    }


_FAMILIES = {"1": "IPv4 Unicast", "2": "IPv6 Unicast"}
"""Number of an address family -> its name (napalm 5.2.0, nxos, get_bgp_neighbors)."""


def _summary_text(view: View, vrf: str, instance: BgpInstance, family: str, sessions: list[BgpSession]) -> str:
    lines = [
        f"BGP summary information for VRF {vrf}, address family {family}",
        f"BGP router identifier {instance.router_id}, local AS number {instance.asn}",
        f"BGP table version is 1, {family} config peers {len(sessions)}, "
        f"capable peers {sum(s.state == 'established' for s in sessions)}",
        "",
        "Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    ]
    for session in sessions:
        row = _summary_row(view, session)
        last = row["prefixreceived"] if session.state == "established" else _TEXT_STATES[session.state]
        lines.append(
            f"{row['neighborid']:<15} 4 {row['neighboras']:>5} {row['msgrecvd']:>10} {row['msgsent']:>10} "
            f"{row['neighbortableversion']:>8} {0:>4} {0:>4} {row['time']:>8} {last}"
        )
    return "\n".join(lines) + "\n\n"


def summary(view: View, vrf: str | None = None, families: Collection[str] = ("1",)) -> Reply:
    """Show bgp ipv4 unicast summary [vrf X]. ``families``: by their numbers; that of IPv6 is shown if it has any."""
    if view.store.running.first("router bgp") is None:
        return Reply("Note: BGP process currently not running\n", {})
    instances = {i.vrf: i for i in view.fabric.state(view.device.name).bgp}
    texts, rows = [], []
    for name, instance in instances.items():
        if vrf not in (None, name):
            continue
        shown: list[Body] = []
        for family in families:
            sessions = sessions_of(view, name, is_ipv6=family == "2")
            if family == "1" or sessions:
                texts.append(_summary_text(view, name, instance, _FAMILIES[family], sessions))
                shown.append({"af-id": family, **table("saf", [_saf(view, _FAMILIES[family], sessions)])})
        rows.append(
            {
                "vrf-name-out": name,
                "vrf-router-id": instance.router_id,
                "vrf-local-as": str(instance.asn),
                **table("af", shown),
            }
        )
    return Reply("".join(texts), table("vrf", rows))


def every_summary(view: View) -> Reply:
    """Show bgp all summary vrf all."""
    return summary(view, families=tuple(_FAMILIES))


def sessions_of(view: View, vrf: str, *, is_ipv6: bool = False) -> list[BgpSession]:
    """Those with neighbours of one family in a VRF, in which they exchange routes."""
    found = view.fabric.sessions(view.device.name, vrf)
    return [each for each in found if each.is_ipv6 == is_ipv6 and each.neighbor.is_ipv4_active]


def _saf(view: View, family: str, sessions: list[BgpSession]) -> Body:
    found: Body = {
        "safi": "1",
        "af-name": family,
        "tableversion": "1",
        "configuredpeers": str(len(sessions)),
        "capablepeers": str(sum(s.state == "established" for s in sessions)),
    }
    return found | table("neighbor", [_summary_row(view, session) for session in sessions])


def neighbors(view: View, address: str | None = None, vrf: str = "default") -> Reply:
    """Show ip bgp neighbors [X] [vrf Y]."""
    texts, rows = [], []
    found = (each for each in view.fabric.sessions(view.device.name, vrf) if not each.is_ipv6)
    for index, session in enumerate(found, start=1):
        if address in (None, session.neighbor.address):
            rows.append(_neighbor_row(view, session, index))
            texts.append("\n".join(_neighbor_lines(view, session, index)) + "\n\n")
    return Reply("".join(texts), table("neighbor", rows))


def every_neighbor(view: View) -> Reply:
    """Show bgp vrf all all neighbors: of all VRFs and families, as text."""
    instances = dict.fromkeys(each.vrf for each in view.fabric.state(view.device.name).bgp)
    found = (each for vrf in instances for each in view.fabric.sessions(view.device.name, vrf))
    return Reply("".join("\n".join(_neighbor_lines(view, each, n)) + "\n\n" for n, each in enumerate(found, start=1)))


def _timers(session: BgpSession) -> tuple[int, int]:
    return session.hold_s or session.neighbor.hold_s, session.keepalive_s or session.neighbor.keepalive_s


def _neighbor_row(view: View, session: BgpSession, index: int) -> Body:
    neighbor, (hold, keepalive) = session.neighbor, _timers(session)
    return {
        "neighbor": neighbor.address,
        "remoteas": str(neighbor.remote_as or 0),
        "link": "ebgp link",
        "index": str(index),
        "description": neighbor.description,
        "version": "4",
        "remote-id": session.peer_router_id,
        "state": _STATES[session.state],
        "up": str(session.state == "established").lower(),
        "elapsedtime": _age(view, session),
        "holdtime": str(hold),
        "keepalivetime": str(keepalive),
        "peertemplate": neighbor.peer_group,
        "bfd": str(neighbor.bfd).lower(),
        "reason": session.reason,
        "prefixreceived": str(session.prefixes_received),
        "prefixaccepted": str(session.prefixes_accepted),
        "prefixsent": str(session.prefixes_sent),
    }


def _neighbor_lines(view: View, session: BgpSession, index: int) -> list[str]:
    neighbor, (hold, keepalive) = session.neighbor, _timers(session)
    is_up = session.state == "established"
    state = _STATES[session.state] if session.state != "admin_down" else "Idle (Admin)"
    lines = [
        f"BGP neighbor is {neighbor.address},  remote AS {neighbor.remote_as or 0}, ebgp link,  Peer index {index}"
    ]
    if neighbor.peer_group:
        lines.append(f"  Inherits peer configuration from peer-template {neighbor.peer_group}")
    if neighbor.description:
        lines.append(f"  Description: {neighbor.description}")
    lines += [
        f"  BGP version 4, remote router ID {session.peer_router_id}",
        *([] if session.vrf == "default" else [f"  Neighbor vrf: {session.vrf}"]),
        f"  BGP state = {state}, {'up' if is_up else 'down'} for {_age(view, session)}",
    ]
    if session.interface:
        lines.append(f"  Peer is directly attached, interface {session.interface}")
    if neighbor.bfd:
        up = "Up" if session.is_bfd_up else "Down"
        lines.append(f"  BFD live-detection is configured and enabled, state is {up}")
    read = "00:00:01" if is_up else "never"
    lines += [
        f"  Last read {read}, hold time = {hold}, keepalive interval is {keepalive} seconds",
        f"  Connections established {int(is_up)}, dropped {int(not is_up)}",
        f"  Last reset by us never, due to {session.reason or 'No error'}",
        "  Last reset by peer never, due to No error",
        "",
    ]
    return [*lines, *(_capabilities(session) if is_up else ()), *_family(session), *_ends(session)]


def _family_name(session: BgpSession) -> str:
    return _FAMILIES["2" if session.is_ipv6 else "1"]


def _capabilities(session: BgpSession) -> list[str]:
    words = ["Dynamic capability", "Dynamic capability (old)", "Route refresh capability (new)"]
    words += ["Route refresh capability (old)", "4-Byte AS capability", f"Address family {_family_name(session)}"]
    ways = {"Dynamic capability": "advertised (mp, refresh, gr) received (mp, refresh, gr)"}
    lines = [f"  {word}: {ways.get(word, 'advertised received')}" for word in words]
    kinds = ["Opens", "Notifications", "Updates", "Keepalives", "Route Refresh", "Capability", "Total", "Total bytes"]
    counted = [f"  {kind + ':':<16}{0:>16}{0:>19}" for kind in kinds]
    counted.append(f"  {'Bytes in queue:':<16}{0:>16}{0:>19}")
    head = "                              Sent               Rcvd"
    return ["  Neighbor capabilities:", *lines, "", "  Message statistics:", head, *counted, ""]


def _family(session: BgpSession) -> list[str]:
    neighbor = session.neighbor
    lines = [f"  For address family: {_family_name(session)}", "  BGP table version 1, neighbor version 1"]
    lines += [
        f"  {session.prefixes_accepted} accepted paths consume {session.prefixes_accepted * 144} bytes of memory",
        f"  {session.prefixes_sent} sent paths",
    ]
    if neighbor.send_community:
        lines.append("  Community attribute sent to this neighbor")
    for way, name in (("Inbound", neighbor.route_map_in), ("Outbound", neighbor.route_map_out)):
        if name:
            lines.append(f"  {way} route-map configured is {name}, handle obtained")
    return [*lines, ""]


def _ends(session: BgpSession) -> list[str]:
    if session.state != "established":
        return ["  No established BGP session with peer"]
    local = (session.local_address or "").partition("/")[0]
    return [
        f"  Local host: {local}, Local port: 179",
        f"  Foreign host: {session.peer_address}, Foreign port: 179",
        "  fd = 52",
    ]


# -- paths ---------------------------------------------------------------------------------------------------------

_LEGEND = """\
Status: s-suppressed, x-deleted, S-stale, d-dampened, h-history, *-valid, >-best
Path type: i-internal, e-external, c-confed, l-local, a-aggregate, r-redist, I-injected
Origin codes: i - IGP, e - EGP, ? - incomplete, | - multipath, & - backup

   Network            Next Hop            Metric     LocPrf     Weight Path
"""
_NOBODY = "0.0.0.0"  # noqa: S104  (the next hop of an own network)


def _router_id(view: View, vrf: str) -> str:
    instances = (each for each in view.fabric.state(view.device.name).bgp if each.vrf == vrf)
    return next((each.router_id for each in instances), _NOBODY)


def table_of_paths(view: View, vrf: str = "default") -> Reply:
    """Show ip bgp [vrf X]."""
    head = [
        f"BGP routing table information for VRF {vrf}, address family IPv4 Unicast",
        f"BGP table version is 1, local router ID is {_router_id(view, vrf)}",
    ]
    lines: list[str] = []
    rows: list[Body] = []
    for prefix, paths in view.fabric.paths(view.device.name, vrf).items():
        for number, path in enumerate(paths):
            lines.append(_path_line(path, "" if number else prefix))
        rows.append({"ipprefix": prefix, **table("path", [_path_row(path) for path in paths])})
    text = "\n".join(head) + "\n" + _LEGEND + "".join(f"{line}\n" for line in lines)
    return Reply(text, table("prefix", rows))


def _path_line(path: BgpPath, prefix: str) -> str:
    """In columns; another path to the same prefix leaves the prefix out."""
    best = ">" if path.is_best else "|" if path.is_used else " "
    kind, preference, weight = _weights(path)
    words = "".join(f"{number} " for number in path.as_path)
    hop = path.next_hop or _NOBODY
    return f"*{best}{kind}{prefix:<18} {hop:<15}{'':13}{preference:>8}{weight:>11} {words}i"


def _weights(path: BgpPath) -> tuple[str, str, str]:
    """Kind, local preference and weight as the table has them: an external path shows no preference."""
    return ("l", "100", "32768") if path.session is None else ("e", "", "0")


def _path_row(path: BgpPath) -> Body:
    kind, _, weight = _weights(path)
    return {
        "pathnr": "0",
        "best": "bestpath" if path.is_best else "multipath" if path.is_used else "none",
        "type": {"l": "local", "e": "external"}[kind],
        "ipnexthop": path.next_hop or _NOBODY,
        "localpref": str(path.local_preference),
        "weight": weight,
        "aspath": " ".join(map(str, path.as_path)),
        "origin": "igp",
    }


def one_prefix(view: View, prefix: str, vrf: str = "default") -> Reply:
    """Show ip bgp [vrf X] PREFIX."""
    paths = view.fabric.paths(view.device.name, vrf).get(prefix, [])
    lines = [f"BGP routing table information for VRF {vrf}, address family IPv4 Unicast"]
    if not paths:
        return Reply("\n".join([*lines, "% Network not in table", ""]))
    lines += [
        f"BGP routing table entry for {prefix}, version 1",
        f"Paths: ({len(paths)} available, best #1)",
        "Flags: (0x080012) on xmit-list, is in urib, is best urib route, is in HW,",
        "",
    ]
    for path in paths:
        lines += _path_lines(path, _router_id(view, vrf))
    return Reply("\n".join([*lines, ""]))


def _path_lines(path: BgpPath, own_id: str) -> list[str]:
    kind, _, weight = _weights(path)
    word = {"l": "local", "e": "external"}[kind]
    best = "is best path" if path.is_best else "is multipath" if path.is_used else "not best"
    as_path = f"{' '.join(map(str, path.as_path))} , path sourced external to AS" if path.session else ""
    hop, router_id = path.next_hop or _NOBODY, path.session.peer_router_id if path.session else own_id
    lines = [
        *(["  Advertised path-id 1"] if path.is_best else []),
        f"  Path type: {word}, path is valid, {best}",
        f"  AS-Path: {as_path or 'NONE, path locally originated'}",
        f"    {hop} (metric 0) from {hop} ({router_id})",
        f"      Origin IGP, MED not set, localpref {path.local_preference}, weight {weight}",
    ]
    if path.communities:
        lines.append(f"      Community: {' '.join(sorted(path.communities))}")
    return [*lines, ""]


def process(view: View) -> Reply:
    """Show bgp process: what of it follows from the configuration."""
    node = view.store.running.first("router bgp")
    if node is None:
        return Reply("Note: BGP process currently not running\n")
    facts = {
        "BGP Protocol Started, reason": "configuration",
        "BGP Protocol Tag": node.params["asn"],
        "BGP Protocol State": "Running",
        "BGP AS format": "asplain",
    }
    lines = [f"{name:<31}: {value}" for name, value in facts.items()]
    return Reply("\n".join(["BGP Process Information", *lines, ""]))

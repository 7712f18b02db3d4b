"""BGP summaries and neighbours, routes, BFD: answered from the simulated fabric.

JSON keys: napalm 5.2.0 test/nxos/mocked_data/test_get_bgp_neighbors (summary), batfish and ntc-templates (routes);
keys of ``show ip bgp neighbors`` and ``show bfd neighbors`` from published outputs.
"""

from __future__ import annotations

import ipaddress
import itertools

from ..fabric import Route
from ..sessions import BgpSession
from .reply import Body, Reply, View, duration, short_name, table

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
        "msgrecvd": 10 if is_up else 0,
        "msgsent": 10 if is_up else 0,
        "neighbortableversion": "1" if is_up else "0",
        "inq": "0",
        "outq": "0",
        "neighboras": str(session.neighbor.remote_as or 0),
        "time": _age(view, session),
        "state": _STATES[session.state],
        "prefixreceived": str(session.prefixes_received),
    }


def _summary_text(view: View, vrf: str, router_id: str, asn: int, sessions: list[BgpSession]) -> str:
    lines = [
        f"BGP summary information for VRF {vrf}, address family IPv4 Unicast",
        f"BGP router identifier {router_id}, local AS number {asn}",
        f"BGP table version is 1, IPv4 Unicast config peers {len(sessions)}, "
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


def summary(view: View, vrf: str | None = None) -> Reply:
    """Show bgp all summary vrf all, show bgp ipv4 unicast summary [vrf X]."""
    if view.store.running.first("router bgp") is None:
        return Reply("Note: BGP process currently not running\n", {})
    instances = {i.vrf: i for i in view.fabric.state(view.device.name).bgp}
    texts, rows = [], []
    for name, instance in instances.items():
        if vrf not in (None, name):
            continue
        sessions = [s for s in view.fabric.sessions(view.device.name, name) if s.neighbor.is_ipv4_active]
        texts.append(_summary_text(view, name, instance.router_id, instance.asn, sessions))
        saf: Body = {
            "safi": "1",
            "af-name": "IPv4 Unicast",
            "tableversion": "1",
            "configuredpeers": str(len(sessions)),
            "capablepeers": str(sum(s.state == "established" for s in sessions)),
        }
        saf |= table("neighbor", [_summary_row(view, session) for session in sessions])
        family = {"af-id": "1", **table("saf", [saf])}
        rows.append(
            {
                "vrf-name-out": name,
                "vrf-router-id": instance.router_id,
                "vrf-local-as": str(instance.asn),
                **table("af", [family]),
            }
        )
    return Reply("".join(texts), table("vrf", rows))


def neighbors(view: View, address: str | None = None) -> Reply:
    """Show ip bgp neighbors [X], VRF default."""
    texts, rows = [], []
    for index, session in enumerate(view.fabric.sessions(view.device.name, "default"), start=1):
        if address not in (None, session.neighbor.address):
            continue
        neighbor, state = session.neighbor, _STATES[session.state]
        age = _age(view, session)
        hold, keepalive = session.hold_s or neighbor.hold_s, session.keepalive_s or neighbor.keepalive_s
        rows.append(
            {
                "neighbor": neighbor.address,
                "remoteas": str(neighbor.remote_as or 0),
                "link": "ebgp link",
                "index": str(index),
                "description": neighbor.description,
                "version": "4",
                "remote-id": session.peer_router_id,
                "state": state,
                "up": str(session.state == "established").lower(),
                "elapsedtime": age,
                "holdtime": str(hold),
                "keepalivetime": str(keepalive),
                "peertemplate": neighbor.peer_group,
                "bfd": str(neighbor.bfd).lower(),
                "reason": session.reason,
                "prefixreceived": str(session.prefixes_received),
                "prefixaccepted": str(session.prefixes_accepted),
                "prefixsent": str(session.prefixes_sent),
            }
        )
        texts.append(
            f"BGP neighbor is {neighbor.address}, remote AS {neighbor.remote_as or 0}, ebgp link, Peer index {index}\n"
            f"  Description: {neighbor.description}\n  BGP version 4, remote router ID {session.peer_router_id}\n"
            f"  BGP state = {state}, {'up' if session.state == 'established' else 'down'} for {age}\n"
            f"  Last read never, hold time = {hold}, keepalive interval is {keepalive} seconds\n"
            + (f"  Last reset: {session.reason}\n" if session.reason else "")
            + f"  {session.prefixes_accepted} accepted paths, {session.prefixes_sent} sent paths\n\n"
        )
    return Reply("".join(texts), table("neighbor", rows))


# -- routes --------------------------------------------------------------------------------------------------------

_PREFERENCES = {"connected": ("0", "direct"), "static": ("1", "static"), "bgp": ("20", "bgp")}


def _paths(view: View, route: Route) -> list[Body]:
    preference, client = _PREFERENCES[route.protocol]
    process = view.store.running.first("router bgp")
    if route.protocol == "bgp" and process is not None:
        client = f"bgp-{process.params['asn']}"
    return [
        {
            "ipnexthop": hop.address or _own_address(view, hop.interface),
            "ifname": short_name(hop.interface or "Null0"),
            "uptime": "00:10:00",
            "pref": preference,
            "metric": "0",
            "clientname": client,
            "ubest": "true",
            **({"type": "external"} if route.protocol == "bgp" else {}),
        }
        for hop in route.next_hops
    ]


def _own_address(view: View, interface: str) -> str:
    node = view.interface(interface) if interface else None
    address = node.value("ip address", "address") if node else None
    return address.partition("/")[0] if address else ""


def ip_route(view: View, prefix: str | None = None, vrf: str = "default") -> Reply:
    """Show ip route [PREFIX|ADDRESS] [vrf X|all]."""
    contexts = (node.params["name"] for node in view.store.running.find("vrf context"))
    names = dict.fromkeys(("default", *contexts)) if vrf == "all" else (vrf,)
    texts, bodies = zip(*(_table(view, prefix, name) for name in names), strict=True)
    return Reply("\n".join(texts), table("vrf", list(bodies)))


def _table(view: View, prefix: str | None, vrf: str) -> tuple[str, Body]:
    """The routes of one VRF, as text and as a row of the answer."""
    routes = view.fabric.rib(view.device.name, vrf)
    chosen = list(routes.values()) if prefix is None else _matching(routes, prefix)
    lines = [
        f'IP Route Table for VRF "{vrf}"',
        "'*' denotes best ucast next-hop",
        "'**' denotes best mcast next-hop",
        "'[x/y]' denotes [preference/metric]",
        "",
    ]
    rows = []
    for route in chosen:
        paths = _paths(view, route)
        attached = ", attached" if route.protocol == "connected" else ""
        lines.append(f"{route.prefix}, ubest/mbest: {len(paths)}/0{attached}")
        for path in paths:
            via = f"{path['ipnexthop']}, {path['ifname']}" if path["ipnexthop"] else path["ifname"]
            lines.append(f"    *via {via}, [{path['pref']}/{path['metric']}], {path['uptime']}, {path['clientname']}")
        rows.append(
            {
                "ipprefix": route.prefix,
                "ucast-nhops": str(len(paths)),
                "mcast-nhops": "0",
                "attached": str(bool(attached)).lower(),
                **table("path", paths),
            }
        )
    family = {"addrf": "ipv4", **table("prefix", rows)}
    return "\n".join(lines) + "\n", {"vrf-name-out": vrf, **table("addrf", [family])}


def _matching(routes: dict[str, Route], prefix: str) -> list[Route]:
    """The route with exactly this prefix, or the longest one that contains an address."""
    if "/" in prefix:
        exact = str(ipaddress.ip_network(prefix, strict=False))
        return [routes[exact]] if exact in routes else []
    address = ipaddress.ip_address(prefix)
    holding = [r for r in routes.values() if address in ipaddress.ip_network(r.prefix)]
    return sorted(holding, key=lambda r: -int(r.prefix.partition("/")[2]))[:1]


def load_sharing(view: View) -> Reply:
    """Show ip load-sharing."""
    line = view.store.running.first("ip load-sharing")
    words = (
        line.words.split()
        if line
        else ["ip", "load-sharing", "address", "source-destination", "port", "source-destination"]
    )
    options = dict(itertools.pairwise(words))
    mode = " ".join(words[2 : next((i for i, w in enumerate(words) if w in ("universal-id", "rotate")), len(words))])
    seed, rotate = options.get("universal-id", "316862977"), options.get("rotate", "32")
    text = (
        f"IPv4/IPv6 ECMP load sharing:\nUniversal-id (Random Seed): {seed}\nLoad-share mode : {mode}\n"
        f"GRE-Outer hash is disabled\nConcatenation is disabled\nRotate: {rotate}\n"
    )
    return Reply(text, {"univer_id": seed, "hash_mode": mode, "rotate": rotate})


def bfd_neighbors(view: View) -> Reply:
    """Show bfd neighbors: a session per established BGP neighbour with BFD."""
    if view.store.running.first("feature bfd") is None:
        return Reply("ERROR: BFD is not enabled\n", is_refused=True)
    lines = [
        "OurAddr         NeighAddr       LD/RD                 RH/RS           Holdown(mult)     State"
        "       Int                   Vrf                              Type    "
    ]
    rows = []
    sessions = (s for s in view.fabric.sessions(view.device.name) if s.is_bfd_up)
    for index, session in enumerate(sessions, start=1):
        local = (session.local_address or "").partition("/")[0]
        port = short_name(session.interface or "")
        lines.append(
            f"{local:<15} {session.neighbor.address:<15} {1090519040 + index}/{index:<10} Up              "
            f"900(3)            Up          {port:<21} {session.vrf:<32} SH"
        )
        rows.append(
            {
                "src_ip_addr": local,
                "dest_ip_addr": session.neighbor.address,
                "local_disc": str(1090519040 + index),
                "remote_disc": str(index),
                "rh_rs": "Up",
                "holddown": "900",
                "mult": "3",
                "state": "Up",
                "intf": port,
                "vrf_name": session.vrf,
                "type": "SH",
            }
        )
    return Reply("\n".join(lines) + "\n", table("bfdNeighbor", rows))

"""Routes and BFD: answered from the simulated fabric.

JSON keys: batfish and ntc-templates (routes); keys of ``show bfd neighbors`` from published outputs. Text of a route in
all VRFs: tests/recorded/nxos_show/bgp_text.txt.
"""

from __future__ import annotations

import ipaddress
import itertools

from ..fabric import Route
from ..sessions import BgpSession
from .reply import Body, Reply, View, duration, short_name, table
from .show_vrfs import vrf_numbers

_PREFERENCES = {"connected": ("0", "direct"), "static": ("1", "static"), "bgp": ("20", "bgp")}


_Sessions = dict[tuple[str, str | None], BgpSession]
"""By the far end's address and the interface to it."""


def _paths(view: View, route: Route, sessions: _Sessions) -> list[Body]:
    preference, client = _PREFERENCES[route.protocol]
    process = view.store.running.first("router bgp")
    if route.protocol == "bgp" and process is not None:
        client = f"bgp-{process.params['asn']}"
    rows = []
    for hop in route.next_hops:
        session = sessions.get((hop.address, hop.interface)) if route.protocol == "bgp" else None
        row = {
            "ipnexthop": hop.address or _own_address(view, hop.interface),
            "ifname": short_name(hop.interface or "Null0"),
            "uptime": duration(_age_s(view, session)),
            "pref": preference,
            "metric": "0",
            "clientname": client,
            "ubest": "true",
        }
        if session is not None:
            row |= {"type": "external", "tag": str(session.neighbor.remote_as)}
        rows.append(row)
    return rows


def _age_s(view: View, session: BgpSession | None) -> float:
    """Of a learned route as long as its session is up; when others came is not worked out (M)."""
    return view.up_s() if session is None else max(0.0, view.clock.now_s() - session.since_s)


def _own_address(view: View, interface: str) -> str:
    node = view.interface(interface) if interface else None
    address = node.value("ip address", "address") if node else None
    return address.partition("/")[0] if address else ""


def ip_route(view: View, prefix: str | None = None, vrf: str = "default") -> Reply:
    """Show ip route [PREFIX|ADDRESS] [vrf X|all]."""
    names = vrf_numbers(view) if vrf == "all" else (vrf,)
    texts, bodies = zip(*(_table(view, prefix, name) for name in names), strict=True)
    return Reply("\n".join(texts), table("vrf", list(bodies)))


def _table(view: View, prefix: str | None, vrf: str) -> tuple[str, Body]:
    """The routes of one VRF, as text and as a row of the answer."""
    routes = view.fabric.rib(view.device.name, vrf)
    chosen = list(routes.values()) if prefix is None else _matching(routes, prefix)
    sessions = {(each.peer_address, each.interface): each for each in view.fabric.sessions(view.device.name, vrf)}
    lines = [
        f'IP Route Table for VRF "{vrf}"',
        "'*' denotes best ucast next-hop",
        "'**' denotes best mcast next-hop",
        "'[x/y]' denotes [preference/metric]",
        "'%<string>' in via output denotes VRF <string>",
        "",
    ]
    rows = []
    for route in chosen:
        paths = _paths(view, route, sessions)
        attached = ", attached" if route.protocol == "connected" else ""
        lines.append(f"{route.prefix}, ubest/mbest: {len(paths)}/0{attached}")
        for path in paths:
            via = f"{path['ipnexthop']}, {path['ifname']}" if path["ipnexthop"] else path["ifname"]
            end = f", external, tag {path['tag']}" if "tag" in path else ""
            age = f"{path['uptime']}, {path['clientname']}{end}"
            lines.append(f"    *via {via}, [{path['pref']}/{path['metric']}], {age}")
        rows.append(
            {
                "ipprefix": route.prefix,
                "ucast-nhops": str(len(paths)),
                "mcast-nhops": "0",
                "attached": str(bool(attached)).lower(),
                **table("path", paths),
            }
        )
    if not chosen:
        lines += ["Route not found", ""]
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

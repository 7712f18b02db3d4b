"""show ip bgp: all paths, by prefix.

Shapes: tests/recorded/eos_show/ip_bgp.txt. What is not announced further is said of a path by EOS in words that the lab
needs two of: the best path, and those that carry packets beside it.
"""

from __future__ import annotations

from typing import Any

from ...bgp_paths import BgpPath
from ...origins import Origin, Origins
from ...policy import network_of
from ...state import BgpInstance
from ..view import View

_BEST, _BESIDE, _WORSE = "noReason", "ecmpFast", "asPathLength"
_EXTERNAL, _LOCAL = "External", "Local"


def chosen(view: View, params: dict[str, str]) -> dict[BgpInstance, dict[str, list[BgpPath]]]:
    """The paths that a command asks for, by instance."""
    wanted = params.get("vrf") or "default"
    found = {}
    for instance in view.state.bgp:
        if wanted in ("all", instance.vrf):
            table = view.fabric.paths(view.device.name, instance.vrf)
            found[instance] = {prefix: paths for prefix, paths in table.items() if is_chosen(prefix, params)}
    return found


def is_chosen(prefix: str, params: dict[str, str]) -> bool:
    """Is this the prefix of a command, or with ``longer-prefixes`` in it?"""
    given = params.get("prefix")
    if given is None:
        return True
    if "longer" not in params:
        return prefix == (given if "/" in given else f"{given}/32")
    (number, length), (inner, inner_length) = network_of(given), network_of(prefix)
    return inner_length >= length and inner >> (32 - length) == number >> (32 - length)


def ip_bgp_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ip bgp [PREFIX [longer-prefixes]] [vrf NAME|all]``."""
    origins = Origins(view.fabric)
    return {
        "vrfs": {
            instance.vrf: {
                "vrf": instance.vrf,
                "routerId": instance.router_id,
                "asn": str(instance.asn),
                "bgpRouteEntries": {
                    prefix: _entry(view, prefix, paths, [origins.of(each, instance.asn) for each in paths])
                    for prefix, paths in table.items()
                },
            }
            for instance, table in chosen(view, params).items()
        }
    }


def _entry(view: View, prefix: str, paths: list[BgpPath], origins: list[Origin]) -> dict[str, Any]:
    address, _, length = prefix.partition("/")
    used = sum(path.is_used for path in paths)
    return {
        "address": address,
        "maskLength": int(length),
        "totalPaths": len(paths),
        "bgpAdvertisedPeerGroups": {},
        "bgpRoutePaths": [
            _path(view, path, origin, is_ecmp=used > 1) for path, origin in zip(paths, origins, strict=True)
        ],
    }


def _path(view: View, path: BgpPath, origin: Origin, *, is_ecmp: bool) -> dict[str, Any]:
    session = path.session
    is_ecmp = is_ecmp and path.is_used
    found = {
        "asPathEntry": {
            "asPath": " ".join(str(asn) for asn in path.as_path),
            "asPathType": _EXTERNAL if session is not None else _LOCAL,
        },
        "med": 0,
        "localPreference": path.local_preference,
        "weight": 0,
        "nextHop": path.next_hop,
        "timestamp": int(view.timestamp(session.since_s if session is not None else view.booted_s)),
        "reasonNotBestpath": _BEST if path.is_best else _BESIDE if path.is_used else _WORSE,
        "routeType": {
            "origin": origin,
            "valid": True,
            "active": path.is_best,
            "ecmp": is_ecmp,
            "ecmpHead": is_ecmp and path.is_best,
            "ecmpContributor": is_ecmp,
            **dict.fromkeys(("atomicAggregator", "suppressed", "queued", "luRoute", "stale", "backup", "ucmp"), False),
        },
        "routeDetail": {
            "origin": origin,
            "rxSafi": "Unicast",
            "communityList": sorted(path.communities),
            "extCommunityList": [],
            "largeCommunityList": [],
            "recvdFromRRClient": False,
            "tunnelRibEligible": False,
        },
    }
    if session is not None:
        found["peerEntry"] = {"peerRouterId": session.peer_router_id, "peerAddr": session.peer_address}
    return found


_LEGEND = """\
Route status codes: s - suppressed, * - valid, > - active, # - not installed, E - ECMP head, e - ECMP
                    S - Stale, c - Contributing to ECMP, b - backup
Origin codes: i - IGP, e - EGP, ? - incomplete
AS Path Attributes: Or-ID - Originator ID, C-LST - Cluster List, LL Nexthop - Link Local Nexthop

          Network                Next Hop              Metric  LocPref Weight  Path
"""


def ip_bgp_text(view: View, params: dict[str, str]) -> str:
    """The same as text, a line for each path."""
    parts, origins = [], Origins(view.fabric)
    for instance, table in chosen(view, params).items():
        head = f"BGP routing table information for VRF {instance.vrf}\n"
        head += f"Router identifier {instance.router_id}, local AS number {instance.asn}\n"
        rows = (_row(path, len(paths), origins.of(path, instance.asn)) for paths in table.values() for path in paths)
        parts.append(head + _LEGEND + "".join(rows))
    return "".join(parts)


def _row(path: BgpPath, others: int, origin: Origin) -> str:
    marks = f"*{'>' if path.is_best else ' '}{_ecmp(path) if others > 1 and path.is_used else ' '}"
    hop, metric, preference, weight = path.next_hop, "0", str(path.local_preference), "0"
    if path.session is None:
        hop, metric, preference, weight = "-", "-", "-", "0"
    route = " ".join([*(str(asn) for asn in path.as_path), "i" if origin == "Igp" else "?"])
    return f" {marks:<8} {path.prefix:<22} {hop:<21} {metric:<7} {preference:<7} {weight:<7} {route}\n"


def _ecmp(path: BgpPath) -> str:
    return "E" if path.is_best else "e"

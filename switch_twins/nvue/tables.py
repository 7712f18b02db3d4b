"""Routes and groups of next hops in an answer.

Each table is read once an answer: packets' real routes change while one is written, and what is said of a route's group
must be of that route.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from ..fabric import FabricSim, NextHop, Route
from .tree import Tree

_EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_FIRST_GROUP = 12
_FLAGS = {"connected": ("*Sio", 0), "static": ("*Si", 1), "bgp": ("*Si", 20)}


class Tables:
    """The IPv4 tables of one switch at one time."""

    def __init__(self, fabric: FabricSim, device: str, vrfs: Iterable[str]) -> None:
        self._routes: Mapping[str, Mapping[str, Route]] = {vrf: fabric.rib(device, vrf) for vrf in vrfs}
        found: set[tuple[str, tuple[NextHop, ...]]] = set()
        for vrf, routes in self._routes.items():
            for route in routes.values():
                found.add((vrf, route.next_hops))
                found.update((vrf, (hop,)) for hop in route.next_hops)
        self._groups = {key: number for number, key in enumerate(sorted(found), start=_FIRST_GROUP)}

    def routes(self, vrf: str, path: tuple[str, ...]) -> Tree:
        """All routes have only the id of their next-hop group; a single requested route shows its next hops.

        Published: NVUE-API.md (the list's JSON), View-Routing-Tables.md (one route); its key ``via`` is (M).
        """
        is_one = len(path) > 6 and path[1:6] == (vrf, "router", "rib", "ipv4", "route")
        wanted = path[6] if is_one else None
        tree: Tree = {}
        for prefix, route in self._routes[vrf].items():
            entry = _route(route, self._groups[vrf, route.next_hops])
            if prefix == wanted:
                entry["via"] = {_via_key(hop): _via(hop, vrf) for hop in route.next_hops}
            tree[prefix] = {"route-entry": {"1": entry}}
        return tree

    def next_hops(self, on: str) -> Tree:
        """A number for every set of next hops in use, and for each of its members; ``on``: the release's word.

        A group of several depends on its members, one alone has ``via``. Published as a table:
        Equal-Cost-Multipath-Load-Sharing.md, `nv show router nexthop rib`.
        """
        rib: Tree = {}
        for (vrf, hops), number in self._groups.items():
            members: Tree = {str(self._groups[vrf, (hop,)]): {} for hop in hops} if len(hops) > 1 else {}
            rib[str(number)] = {
                "installed": on,
                "type": "zebra",
                "valid": on,
                "vrf": vrf,
                **({"depends": members} if members else {"via": {_via_key(hops[0]): _via(hops[0], vrf)}}),
            }
        return rib


def _route(route: Route, group: int) -> Tree:
    flags, distance = _FLAGS[route.protocol]
    words = ("fib-selected", "installed", *(("offloaded",) if "o" in flags else ()), "selected")
    return {
        "distance": distance,
        "flags": {word: {} for word in words},
        "flags-string": flags,
        "metric": 0,
        "nexthop-group-id": group,
        "protocol": route.protocol,
        "table-id": 254,
        "uptime": shown_time(0.0),
    }


def _via_key(hop: NextHop) -> str:
    return hop.address or hop.interface or "blackhole"


def _via(hop: NextHop, vrf: str) -> Tree:
    if not hop.address and not hop.interface:
        return {"type": "blackhole", "vrf": vrf, "weight": 1}
    kind = "ip-address" if hop.address else "interface"
    return {"flags": {"active": {}, "installed": {}}, "interface": hop.interface, "type": kind, "vrf": vrf, "weight": 1}


def shown_time(at_s: float) -> str:
    """A time of the lab's clock as the switch shows it."""
    return (_EPOCH + dt.timedelta(seconds=at_s)).strftime("%Y-%m-%dT%H:%M:%SZ")

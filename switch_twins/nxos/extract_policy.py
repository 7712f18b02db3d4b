"""Prefix lists, route maps and static routes of an NX-OS configuration tree."""

from __future__ import annotations

from ..engine import Node, Tree
from ..state import PrefixList, PrefixListEntry, RouteMap, RouteMapEntry, StaticRoute

_NAMED = {"graceful-shutdown": "65535:0", "no-export": "65535:65281", "no-advertise": "65535:65282"}
"""Numbers of communities with names (RFC 8326, RFC 1997)."""


def prefix_lists(tree: Tree, word: str = "ip", name: str = "list") -> list[PrefixList]:
    """Those of one family, by the word that their lines begin with."""
    entries: dict[str, list[PrefixListEntry]] = {}
    for node in tree.find(f"{word} prefix-list"):
        if "seq" not in node.params:
            continue
        p, exact = node.params, node.params.get("eq")
        low, high = (exact, exact) if exact else (p.get("ge"), p.get("le"))
        entry = PrefixListEntry(
            int(p["seq"]), " permit " in node.words, p["prefix"], int(low) if low else None, int(high) if high else None
        )
        entries.setdefault(p[name], []).append(entry)
    return [PrefixList(each, tuple(sorted(found, key=lambda e: e.sequence))) for each, found in entries.items()]


def route_maps(tree: Tree) -> list[RouteMap]:
    """All of them; the lists of IPv6 that one matches stand beside those of IPv4."""
    entries: dict[str, list[RouteMapEntry]] = {}
    for node in tree.find("route-map"):
        entries.setdefault(node.params["name"], []).append(_route_map_entry(node))
    return [RouteMap(name, tuple(sorted(found, key=lambda e: e.sequence))) for name, found in entries.items()]


def _route_map_entry(node: Node) -> RouteMapEntry:
    lists = f"{node.value('match ip address prefix-list', 'lists') or ''} "
    lists += node.value("match ipv6 address prefix-list", "lists") or ""
    communities = node.value("match community", "lists") or ""
    prepend = node.value("set as-path prepend", "numbers") or ""
    preference = node.value("set local-preference", "preference")
    values = node.first("set community")
    words = values.words.split()[2:] if values else []
    return RouteMapEntry(
        sequence=int(node.params["seq"]),
        permit=node.words.split()[2] == "permit",
        match_prefix_lists=tuple(lists.split()),
        match_communities=tuple(communities.split()),
        prepend=tuple(int(number) for number in prepend.split()),
        communities=tuple(_NAMED.get(w, w) for w in words if w != "additive"),
        communities_additive="additive" in words,
        local_preference=int(preference) if preference else None,
    )


def static_routes(scope: Node, vrf: str, word: str = "ip") -> list[StaticRoute]:
    """Those of one family, by the word that their lines begin with."""
    routes = []
    for node in scope.find(f"{word} route"):
        out = node.params.get("out")
        interface = None if out in (None, "Null0") else out
        routes.append(StaticRoute(node.params["to"], node.params.get("via"), interface, vrf))
    return routes

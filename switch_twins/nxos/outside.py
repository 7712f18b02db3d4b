"""What an NX-OS configuration has of sessions with other networks, beyond SwitchState: IPv6, AS paths, aggregates."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine import Node, Tree
from ..state import AsPathList, BgpNeighbor, Outside, SwitchState
from .extract import neighbor
from .extract_policy import prefix_lists, static_routes
from .to_kernel import addresses_v6

_FAMILIES = ("address-family ipv4 unicast", "address-family ipv6 unicast")


def with_outside(state: SwitchState, tree: Tree) -> SwitchState:
    """A switch with what it has of these, and the addresses of IPv6 that it has sessions from."""
    process = tree.first("router bgp")
    peers = process.find("neighbor") if process is not None else ()
    if tree.first("ip as-path access-list") is None and not any(":" in each.params["peer"] for each in peers):
        return state
    return state.with_outside(outside(tree), addresses_v6(tree))


def outside(tree: Tree) -> Outside:
    """All of the default VRF."""
    process = tree.first("router bgp")
    families = [each for each in map(process.first, _FAMILIES) if each is not None] if process is not None else []
    six = [each for each in families if each.words == _FAMILIES[1]]
    return Outside(
        neighbors=tuple(_neighbors(process)) if process is not None else (),
        prefix_lists=tuple(prefix_lists(tree, "ipv6", "list6")),
        networks=tuple(node.params["prefix"] for family in six for node in family.find("network")),
        static_routes=tuple(static_routes(tree.root, "default", "ipv6")),
        aggregates=tuple(node.params["prefix"] for family in families for node in family.find("aggregate-address")),
        as_path_lists=tuple(_as_path_lists(tree)),
        as_paths=dict(_as_paths(tree)),
        next_hop_self=frozenset(_next_hops(process)) if process is not None else frozenset(),
    )


def _neighbors(process: Node) -> Iterator[BgpNeighbor]:
    for node in process.find("neighbor"):
        if ":" in node.params["peer"]:
            yield neighbor(process, process, node, "ipv6")


def _as_path_lists(tree: Tree) -> Iterator[AsPathList]:
    entries: dict[str, list[Node]] = {}
    for node in tree.find("ip as-path access-list"):
        entries.setdefault(node.params["name"], []).append(node)
    for name, found in entries.items():
        ordered = sorted(found, key=lambda node: int(node.params["seq"]))
        rules = ((" permit " in node.words, node.params["expression"].strip('"')) for node in ordered)
        yield AsPathList(name, tuple(rules))


def _as_paths(tree: Tree) -> Iterator[tuple[tuple[str, int], str]]:
    for node in tree.find("route-map"):
        if (lists := node.value("match as-path", "lists")) is not None:
            yield (node.params["name"], int(node.params["seq"])), lists


def _next_hops(process: Node) -> Iterator[str]:
    for node in process.find("neighbor"):
        template = process.first(f"template peer {node.value('inherit peer', 'template')}")
        families = (level.first(words) for level in (node, template) if level is not None for words in _FAMILIES)
        if any(family is not None and family.first("next-hop-self") is not None for family in families):
            yield node.params["peer"]

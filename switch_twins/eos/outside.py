"""What an EOS configuration has of sessions with other networks, beyond SwitchState: IPv6, AS paths, aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..engine import Node, Tree
from ..routed.form import Unplayed
from ..state import AsPathList, BgpNeighbor, Outside, SwitchState
from .extract import prefix_list, static
from .extract_bgp import Peer, bgp
from .to_kernel import addresses_v6

AGGREGATE_DISTANCE = 200
"""batfish/lab-validation at dbe21f0, snapshots/eos_bgp_aggregate/README.md."""
_MODE = "ip as-path regex-mode"
_LIST = "ip as-path access-list"


def with_outside(state: SwitchState, tree: Tree) -> SwitchState:
    """A switch with what it has of these, and the addresses of IPv6 that it has sessions from."""
    process = tree.first("router bgp")
    peers = process.find("neighbor") if process is not None else ()
    if tree.first(_LIST) is None and not any(":" in each.params.get("peer", "") for each in peers):
        return state
    return state.with_outside(outside(tree), addresses_v6(tree))


def outside(tree: Tree) -> Outside:
    """All of the default VRF."""
    process = tree.first("router bgp")
    six = process.first("address-family ipv6") if process is not None else None
    return Outside(
        neighbors=tuple(peers_v6(tree)),
        prefix_lists=tuple(prefix_list(node) for node in tree.find("ipv6 prefix-list")),
        networks=tuple(line.params["prefix"] for line in six.find("network")) if six is not None else (),
        static_routes=tuple(static(node) for node in tree.find("ipv6 route") if "vrf" not in node.params),
        aggregates=tuple(_aggregates(tree, process)),
        as_path_lists=tuple(_as_path_lists(tree)),
        as_paths=dict(_as_paths(tree)),
        next_hop_self=frozenset(_sent_on(tree, process)),
    )


def _aggregates(tree: Tree, process: Node | None) -> Iterator[str]:
    """Those that are in BGP's table while a network in them is.

    An aggregate is a route of its own, and in BGP while it is the one in use: one whose prefix has a static route of a
    smaller distance is not announced (tests/recorded/eos_show/aggregates.txt: 1 and 199 keep it out, 254 does
    not). Whether the static route's next hop is reached is not asked.
    """
    found = (static(node) for word in ("ip route", "ipv6 route") for node in tree.find(word))
    preferred = {each.prefix for each in found if each.vrf == "default" and each.distance < AGGREGATE_DISTANCE}
    for line in process.find("aggregate-address") if process is not None else ():
        if line.params["prefix"] not in preferred:
            yield line.params["prefix"]


def peers_v6(tree: Tree) -> Iterator[BgpNeighbor]:
    """Neighbours with addresses of IPv6, by what ``address-family ipv6`` says of them."""
    process = tree.first("router bgp")
    if process is None:
        return
    six = process.first("address-family ipv6")
    peers = dict.fromkeys(line.params.get("peer", "") for line in process.find("neighbor"))
    for peer in (Peer(tree, process, six, address) for address in peers if ":" in address):
        found = peer.line("activate", six) if six is not None else None
        yield replace(peer.neighbor(), is_ipv4_active=found is not None and not found.negated)


def read_otherwise(tree: Tree) -> Iterator[Unplayed]:
    """Lists whose brackets hold ranges of AS numbers: FRR has the other way alone, in which they hold digits."""
    mode = tree.first(_MODE)
    if mode is None or mode.words != f"{_MODE} string":
        yield from (Unplayed(node.line, "FRR reads AS paths as text") for node in tree.find(_LIST))


def _as_path_lists(tree: Tree) -> Iterator[AsPathList]:
    found: dict[str, list[tuple[bool, str]]] = {}
    for node in sorted(tree.find(_LIST), key=lambda each: each.entered):
        words = node.words.split()
        found.setdefault(node.params["list"], []).append((words[4] == "permit", node.params["regex"]))
    return (AsPathList(name, tuple(rules)) for name, rules in found.items())


def _as_paths(tree: Tree) -> Iterator[tuple[tuple[str, int], str]]:
    for node in tree.find("route-map"):
        if (name := node.value("match as-path", "list")) is not None:
            yield (node.params["map"], int(node.params["seq"])), name


def _sent_on(tree: Tree, process: Node | None) -> Iterator[str]:
    """Neighbours, by themselves or their group, that are told this switch as the next hop."""
    if process is None:
        return
    default = (instance for instance in bgp(tree) if instance.vrf == "default")
    known = [each for instance in default for each in instance.neighbors]
    for peer in (*known, *peers_v6(tree)):
        if Peer(tree, process, None, peer.address).is_on("next-hop-self"):
            yield peer.address

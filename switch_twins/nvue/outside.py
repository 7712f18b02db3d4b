"""What an NVUE configuration has of sessions with other networks, beyond SwitchState: IPv6, AS paths, aggregates."""

from __future__ import annotations

from collections.abc import Iterator

from ..state import AsPathList, Outside, SwitchState
from .dialect import Dialect
from .extract import neighbor, prefix_list, static
from .to_kernel import addresses_v6
from .tree import Tree, get_or

_SIX = "ipv6-unicast"


def with_outside(state: SwitchState, tree: Tree, dialect: Dialect) -> SwitchState:
    """A switch with what it has of these, and the addresses of IPv6 that it has sessions from."""
    found = outside(tree, dialect)
    return state if found == Outside() else state.with_outside(found, addresses_v6(tree))


def outside(tree: Tree, dialect: Dialect) -> Outside:
    """All of the default VRF."""
    policy, router = get_or(tree, {}, "router", "policy"), get_or(tree, {}, "vrf", "default", "router")
    bgp = get_or(router, {}, "bgp")
    peers, groups = bgp.get("neighbor", {}), bgp.get("peer-group", {})
    families = get_or(bgp, {}, "address-family")
    six = families.get(_SIX, {})
    return Outside(
        neighbors=tuple(
            neighbor(address, peer, groups.get(peer.get("peer-group", ""), {}), bgp, dialect, _SIX)
            for address, peer in peers.items()
            if ":" in address and dialect.is_on(peer, True)
        ),
        prefix_lists=tuple(
            prefix_list(*item) for item in policy.get("prefix-list", {}).items() if item[1].get("type") == "ipv6"
        ),
        networks=tuple(six.get("network", {})) if dialect.is_on(six, False) else (),
        static_routes=tuple(
            static(prefix, hop, "default", via)
            for prefix, route in get_or(router, {}, "static").items()
            for hop, via in route.get("via", {}).items()
            if ":" in prefix
        ),
        aggregates=tuple(prefix for family in families.values() for prefix in family.get("aggregate-route", {})),
        as_path_lists=tuple(_as_path_list(*item) for item in policy.get("as-path-list", {}).items()),
        as_paths=dict(_as_paths(policy)),
        next_hop_self=frozenset(
            address
            for address, peer in peers.items()
            if any(_is_self(source) for source in (peer, groups.get(peer.get("peer-group", ""), {})))
        ),
    )


def _as_path_list(name: str, content: Tree) -> AsPathList:
    rules = sorted(content.get("rule", {}).items(), key=lambda item: int(item[0]))
    return AsPathList(name, tuple((rule.get("action") == "permit", str(rule.get("aspath-exp"))) for _, rule in rules))


def _as_paths(policy: Tree) -> Iterator[tuple[tuple[str, int], str]]:
    for name, content in policy.get("route-map", {}).items():
        for number, rule in content.get("rule", {}).items():
            if (found := get_or(rule, None, "match", "as-path-list")) is not None:
                yield (name, int(number)), str(found)


def _is_self(source: Tree) -> bool:
    families = get_or(source, {}, "address-family").values()
    return any(family.get("nexthop-setting") in ("self", "force") for family in families)

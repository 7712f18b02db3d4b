"""Prefix lists, route maps, discard routes and BGP parsed."""

import re
from collections.abc import Collection
from copy import deepcopy
from dataclasses import replace

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.bgp import Bfd, Bgp, BgpVrf, Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import (
    AsPathList,
    AsPathRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    RoutingPolicy,
)
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.nvue.capabilities import NvueCapabilities, Spelling
from nornir_tasks.platforms.nvue.reading import (
    Data,
    drop_if_empty,
    entries,
    look,
    take,
    take_empty,
    take_int,
    take_text,
    take_word,
)

_POLICY = ("router", "policy")
_BGP = ("vrf", "default", "router", "bgp")
_AF, _AF6 = ("address-family", "ipv4-unicast"), ("address-family", "ipv6-unicast")
_RELAX = ("path-selection", "multipath", "aspath-ignore")
_ADDRESS, _PORT = re.compile(r"[\d.]+|[0-9a-f:.]*:[0-9a-f:.]*"), re.compile(r"swp\w+|peerlink\.\d+")
BFD_PROFILE = "GPUFABRIC-BFD"

# docs514 Optional-BGP-Configuration.md: defaults without a line
_KEEPALIVE_S, _HOLD_S, _MAXIMUM_PATHS = 3, 9, 64


def parse_policy(data: Data) -> RoutingPolicy:
    """All prefix lists and route maps."""
    lists = tuple(_prefix_list(data, name) for name, _ in entries(data, *_POLICY, "prefix-list"))
    six = frozenset(each.name for each in lists if each.is_ipv6)
    maps = tuple(_route_map(data, name, six) for name, _ in entries(data, *_POLICY, "route-map"))
    paths = tuple(_as_path_list(data, name) for name, _ in entries(data, *_POLICY, "as-path-list"))
    return RoutingPolicy(lists, maps, paths)


def _as_path_list(data: Data, name: str) -> AsPathList:
    at = (*_POLICY, "as-path-list", name)
    rules = []
    for key, rule in entries(data, *at, "rule"):
        pattern = rule.get("aspath-exp")
        if not key.isdecimal() or not isinstance(pattern, str) or rule.get("action") not in ("permit", "deny"):
            continue
        del rule["aspath-exp"]
        rules.append(AsPathRule(int(key), rule.pop("action") == "permit", pattern))
        drop_if_empty(data, *at, "rule", key)
    drop_if_empty(data, *at, "rule")
    drop_if_empty(data, *at)
    return AsPathList(name, tuple(rules))


def _prefix_list(data: Data, name: str) -> PrefixList:
    at = (*_POLICY, "prefix-list", name)
    rules = []
    for key, rule in entries(data, *at, "rule"):
        matches = entries(rule, "match")
        if not key.isdecimal() or len(matches) != 1 or rule.get("action") not in ("permit", "deny"):
            continue
        prefix, lengths = matches[0]
        ge, le = take_int(lengths, "min-prefix-len"), take_int(lengths, "max-prefix-len")
        drop_if_empty(rule, "match", prefix)
        rules.append(PrefixRule(int(key), rule.pop("action") == "permit", prefix, ge, le))
        drop_if_empty(data, *at, "rule", key)
    found = PrefixList(name, tuple(rules))
    take_word(data, _family_word(found.is_ipv6), *at, "type")
    drop_if_empty(data, *at)
    return found


def _family_word(is_ipv6: bool) -> Family:
    return "ipv6" if is_ipv6 else "ipv4"


def _route_map(data: Data, name: str, six: Collection[str]) -> RouteMap:
    """``six``: the prefix lists of IPv6."""
    at = (*_POLICY, "route-map", name)
    rules = []
    for key, rule in entries(data, *at, "rule"):
        if not key.isdecimal() or rule.get("action") not in ({"permit": {}}, {"deny": {}}):
            continue
        permit = "permit" in rule.pop("action")
        prefixes = take_text(rule, "match", "ip-prefix-list")
        take_word(rule, _family_word(prefixes in six), "match", "type")
        rules.append(
            RouteMapRule(
                sequence=int(key),
                permit=permit,
                match_prefix_list=prefixes,
                match_as_path=take_text(rule, "match", "as-path-list"),
                prepend=_prepend(rule),
                communities=_communities(rule),
                description=take_text(rule, "description"),
            )
        )
        drop_if_empty(data, *at, "rule", key)
    drop_if_empty(data, *at)
    return RouteMap(name, tuple(rules))


def _prepend(rule: Data) -> tuple[int, ...]:
    path = look(rule, "set", "as-path-prepend", "as")
    if not isinstance(path, str) or not all(part.isdecimal() for part in path.split(",")):
        return ()
    take_text(rule, "set", "as-path-prepend", "as")
    return tuple(int(part) for part in path.split(","))


def _communities(rule: Data) -> tuple[str, ...]:
    named = [name for name, _ in entries(rule, "set", "community")]
    return tuple(name for name in named if take_empty(rule, "set", "community", name))


def parse_static_routes(data: Data) -> tuple[StaticRoute, ...]:
    """Discard routes and routes to addresses, of all VRFs; other static routes stay in the data."""
    found = []
    for vrf, _ in entries(data, "vrf"):
        for prefix, _ in entries(data, "vrf", vrf, "router", "static"):
            at = ("vrf", vrf, "router", "static", prefix)
            if (hops := _next_hops(data, at)) is not None:
                take_word(data, f"ipv{6 if ':' in prefix else 4}-unicast", *at, "address-family")
                tag, interface = take_int(data, *at, "tag"), _interface(data, at, hops)
                drop_if_empty(data, *at)
                found.append(StaticRoute(prefix, None if vrf == "default" else vrf, hops, tag, interface))
    return tuple(found)


def _interface(data: Data, at: tuple[str, ...], hops: tuple[str, ...]) -> str | None:
    """The one interface that all next hops of a route are behind; else they stay in the data."""
    behind = {hop: [name for name, _ in entries(data, *at, "via", hop, "interface")] for hop in hops}
    names = {tuple(each) for each in behind.values()}
    if len(names) != 1 or len(first := next(iter(names))) != 1:
        return None
    for hop in hops:
        take_empty(data, *at, "via", hop, "interface", first[0])
    return first[0]


def _next_hops(data: Data, at: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of one route: the addresses that it leads to; empty: a discard route; None: neither."""
    if take_word(data, "blackhole", *at, "via", "blackhole", "type"):
        return ()
    kind = f"ipv{6 if ':' in at[-1] else 4}-address"
    named = [name for name, _ in entries(data, *at, "via")]
    return tuple(name for name in named if take_word(data, kind, *at, "via", name, "type")) or None


def parse_bgp(data: Data, capabilities: NvueCapabilities) -> tuple[Bgp | None, Bfd | None]:
    """BGP of all VRFs, and BFD's intervals, which are in its peer groups until 5.14."""
    spelling = capabilities.spelling
    bfd = _bfd_profile(data, spelling) if spelling.bfd_profiles else None
    if any(look(data, *at, spelling.switch) != spelling.on for at in (("router", "bgp"), _BGP)):
        return None, bfd
    take_word(data, spelling.on, "router", "bgp", spelling.switch)
    asn = take_int(data, "router", "bgp", "autonomous-system")
    restart = ("router", "bgp", "graceful-restart", "mode")
    is_helper = take_word(data, "helper-only", *restart) or not take_word(data, "off", *restart)
    paths, networks = _family(data, spelling, _BGP)
    take_word(data, spelling.on, *_BGP, *_AF6, spelling.switch)
    networks += _networks(data, (*_BGP, *_AF6))
    aggregates = tuple(each for family in (_AF, _AF6) for each in _aggregates(data, spelling, (*_BGP, *family)))
    is_relaxed = _is_relaxed(data, spelling, _BGP)
    neighbors, secured = _neighbors(data, spelling, _BGP)
    inner, sessions = [], []
    for vrf, at in _running_vrfs(data, spelling):
        router_id = take_text(data, *at, "router-id") or ""
        inner.append(BgpVrf(vrf, router_id, *_family(data, spelling, at)))
        if look(data, *at, *_RELAX) == (spelling.on if is_relaxed else spelling.off):
            _is_relaxed(data, spelling, at)  # as in the default VRF; any other value stays unread
        found, of_groups = _neighbors(data, spelling, at)
        sessions += [replace(each, vrf=vrf) for each in found]
        for group, members in of_groups.items():
            secured.setdefault(group, []).extend(members)
    groups, group_bfd = _peer_groups(data, capabilities, secured, (*neighbors, *sessions))
    bgp = Bgp(
        asn=asn or 0,
        router_id=take_text(data, "router", "bgp", "router-id") or "",
        maximum_paths=paths,
        multipath_relax=is_relaxed,
        graceful_restart_helper_only=is_helper,
        log_neighbor_changes=True,  # FRR's datacenter defaults, which Cumulus Linux runs; NVUE has no key for it
        networks=networks,
        aggregates=aggregates,
        peer_groups=groups,
        neighbors=(*neighbors, *sessions),
        vrfs=tuple(inner),
    )
    for each in inner:
        drop_if_empty(data, "vrf", each.name, "router", "bgp")
        drop_if_empty(data, "vrf", each.name, "router")
    return bgp, bfd or group_bfd


def _running_vrfs(data: Data, spelling: Spelling) -> list[tuple[str, Path]]:
    """The VRFs other than the default one in which BGP runs, and its path there."""
    places = [(vrf, ("vrf", vrf, "router", "bgp")) for vrf, _ in entries(data, "vrf") if vrf != "default"]
    return [(vrf, at) for vrf, at in places if look(data, *at, spelling.switch) == spelling.on]


def _family(data: Data, spelling: Spelling, at: Path) -> tuple[int, tuple[str, ...]]:
    """The number of equal-cost paths and the networks of one VRF; takes the lines that enable BGP there."""
    take_word(data, spelling.on, *at, spelling.switch)
    take_word(data, spelling.on, *at, *_AF, spelling.switch)
    paths = take_int(data, *at, *_AF, "multipaths", "ebgp")
    return _MAXIMUM_PATHS if paths is None else paths, _networks(data, (*at, *_AF))


def _networks(data: Data, at: Path) -> tuple[str, ...]:
    """Of one family."""
    found = [prefix for prefix, _ in entries(data, *at, "network")]
    return tuple(prefix for prefix in found if take_empty(data, *at, "network", prefix))


def _aggregates(data: Data, spelling: Spelling, at: Path) -> tuple[str, ...]:
    """Of one family: those in place of the networks in them; any other stays unread."""
    found = [prefix for prefix, _ in entries(data, *at, "aggregate-route")]
    taken = [each for each in found if take_word(data, spelling.on, *at, "aggregate-route", each, "summary-only")]
    for prefix in taken:
        drop_if_empty(data, *at, "aggregate-route", prefix)
    return tuple(taken)


def _is_relaxed(data: Data, spelling: Spelling, at: Path) -> bool:
    return not take_word(data, spelling.off, *at, *_RELAX) and take_word(data, spelling.on, *at, *_RELAX)


def _bfd_profile(data: Data, spelling: Spelling) -> Bfd | None:
    profile = ("router", "bfd", "profile", BFD_PROFILE)
    if look(data, "router", "bfd", "state") != spelling.on:
        return None
    found = _intervals(data, *profile)
    if found is not None:
        take_word(data, spelling.on, "router", "bfd", "state")
        drop_if_empty(data, *profile)
    return found


def _intervals(data: Data, *at: str) -> Bfd | None:
    keys = ("min-tx-interval", "min-rx-interval", "detect-multiplier")
    found = [value for key in keys if isinstance(value := look(data, *at, key), int)]
    if len(found) != len(keys):
        return None
    for key in keys:
        take_int(data, *at, key)
    return Bfd(*found)


def _neighbors(data: Data, spelling: Spelling, bgp: Path) -> tuple[tuple[Neighbor, ...], dict[str, list[bool]]]:
    """The neighbours; and for each peer group, which of its members check the TTL."""
    found: list[Neighbor] = []
    secured: dict[str, list[bool]] = {}
    for key, each in entries(data, *bgp, "neighbor"):
        group, remote_as = each.get("peer-group"), each.get("remote-as")
        is_numbered = _ADDRESS.fullmatch(key) is not None
        # neighbours outside every group or with `external` are not ours: they stay unread
        if not isinstance(group, str) or not isinstance(remote_as, int) or not (is_numbered or _PORT.fullmatch(key)):
            continue
        take(each, "peer-group")
        take(each, "remote-as")
        take_word(each, "numbered" if is_numbered else "unnumbered", "type")
        if not is_numbered:
            # docs514 Optional-BGP-Configuration.md: on by default for an interface neighbour
            take_word(each, spelling.on, "capabilities", "extended-nexthop")
        ttl = (look(each, "ttl-security", spelling.switch), look(each, "ttl-security", "hops"))
        secured.setdefault(group, []).append(ttl == (spelling.on, 1))
        description = take_text(each, "description") or ""
        route_map = take_text(each, *_AF, "policy", "inbound", "route-map")
        address, interface = (key, None) if is_numbered else (None, key)
        found.append(Neighbor(address, remote_as, group, description, route_map, interface))
    for neighbor in found:
        group, at = neighbor.peer_group, (*bgp, "neighbor", neighbor.peer)
        if all(secured[group]):
            take_word(data, spelling.on, *at, "ttl-security", spelling.switch)
            take_int(data, *at, "ttl-security", "hops")
        drop_if_empty(data, *at)
    return tuple(found), secured


def _peer_groups(
    data: Data, capabilities: NvueCapabilities, secured: dict[str, list[bool]], neighbors: tuple[Neighbor, ...]
) -> tuple[tuple[PeerGroup, ...], Bfd | None]:
    """Peer groups, and the BFD intervals of the first group with BFD; those of others stay unread if they differ.

    A group is repeated, with equal settings, in each VRF with neighbours in it; a group without neighbours is in the
    default VRF. Anything else stays unread.
    """
    found: dict[str, PeerGroup] = {}
    used = {(each.vrf or "default", each.peer_group) for each in neighbors}
    bfd = None
    for vrf, _ in entries(data, "vrf"):
        at = ("vrf", vrf, "router", "bgp", "peer-group")
        for name, group in entries(data, *at):
            is_placed = (vrf, name) in used or (vrf == "default" and name not in {each for _, each in used})
            unread = None if is_placed and name not in found else deepcopy(group)
            own = _group_bfd(group, capabilities.spelling, bfd)
            has_bfd = own is not None or take_word(group, BFD_PROFILE, "bfd", "profile")
            members = secured.get(name, [])
            ttl = bool(members) and all(members)
            read = _peer_group(name, group, capabilities.spelling, bfd=has_bfd, ttl=ttl)
            if not is_placed or found.setdefault(name, read) != read:
                group.update(unread or {})
                continue
            bfd = bfd or own
            drop_if_empty(data, *at, name)
    return tuple(found.values()), bfd


def _group_bfd(group: Data, spelling: Spelling, known: Bfd | None) -> Bfd | None:
    values = dict(group.get("bfd") or {})
    if spelling.bfd_profiles or values.pop(spelling.switch, None) != spelling.on:
        return None
    found = _intervals(values)
    if found is None or (known is not None and found != known):
        return None
    _intervals(group, "bfd")
    take_word(group, spelling.on, "bfd", spelling.switch)
    return found


def _peer_group(name: str, group: Data, spelling: Spelling, *, bfd: bool, ttl: bool) -> PeerGroup:
    keepalive, hold = take_int(group, "timers", "keepalive"), take_int(group, "timers", "hold")
    advertise = ("timers", "route-advertisement")
    # a group of IPv6 says that it has no routes of IPv4, which is on by default
    family: Family = "ipv4" if look(group, *_AF, spelling.switch) != spelling.off else "ipv6"
    at = _AF6 if family == "ipv6" and take_word(group, spelling.off, *_AF, spelling.switch) else _AF
    regular = (*at, "community-advertise", "regular")
    take_word(group, spelling.on, *at, spelling.switch)
    return PeerGroup(
        name=name,
        keepalive_s=_KEEPALIVE_S if keepalive is None else keepalive,
        hold_s=_HOLD_S if hold is None else hold,
        connect_retry_s=take_int(group, "timers", "connection-retry"),
        advertisement_interval_s=0 if take_word(group, "none", *advertise) else take_int(group, *advertise),
        bfd=bfd,
        ttl_security=ttl,
        # docs514 Troubleshooting-BGP.md: regular communities are sent unless turned off
        send_community=take_word(group, spelling.on, *regular) or not take_word(group, spelling.off, *regular),
        max_prefixes=take_int(group, *at, "prefix-limits", "inbound", "maximum") or 0,
        prefix_restart_min=take_int(group, *at, "prefix-limits", "inbound", "reestablish-wait"),
        route_map_in=take_text(group, *at, "policy", "inbound", "route-map"),
        route_map_out=take_text(group, *at, "policy", "outbound", "route-map"),
        family=family,
        next_hop_self=take_word(group, "self", *at, "nexthop-setting"),
        password=None if look(group, "password") == "none" else take_text(group, "password"),
    )

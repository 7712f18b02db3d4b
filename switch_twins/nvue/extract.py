"""What the running tree means for the neighbours: SwitchState out of NVUE's objects.

Defaults are FRR's "datacenter" ones as Cumulus Linux documents them: keepalive 3 s, hold 9 s, 64 equal paths, IPv4
unicast active, communities sent (Optional-BGP-Configuration.md, Troubleshooting-BGP.md). A port that an interface
neighbour is configured by advertises itself untold (Basic-BGP-Configuration.md, BGP Unnumbered; FRRouting/frr,
bgp_zebra_initiate_radv).
"""

from __future__ import annotations

import functools
import hashlib
import ipaddress
from collections.abc import Iterator
from dataclasses import replace

from ..spec import DeviceSpec
from ..state import (
    BgpInstance,
    BgpNeighbor,
    InterfaceState,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from .dialect import Dialect
from .extract_pair import pair_state
from .ports import is_part, ports
from .tree import Tree, get_or, natural

_SWP_MTU, _OTHER_MTU, _LOOPBACK_MTU = 9216, 1500, 65536
_GRACEFUL_SHUTDOWN = "65535:0"


def switch_state(device: DeviceSpec, tree: Tree, dialect: Dialect) -> SwitchState:
    """The neutral state of a switch."""
    policy = get_or(tree, {}, "router", "policy")
    bgp = [_instance(name, vrf, tree, dialect) for name, vrf in get_or(tree, {}, "vrf").items()]
    interfaces = tuple(_interfaces(device, tree, dialect))
    return SwitchState(
        name=device.name,
        os="nvue",
        hostname=str(get_or(tree, device.name, "system", "hostname")),
        interfaces=interfaces,
        bgp=tuple(instance for instance in bgp if instance is not None),
        prefix_lists=tuple(
            prefix_list(*item) for item in policy.get("prefix-list", {}).items() if item[1].get("type") != "ipv6"
        ),
        route_maps=tuple(_route_map(*item) for item in policy.get("route-map", {}).items()),
        static_routes=tuple(
            static(prefix, hop, vrf, via)
            for vrf, content in get_or(tree, {}, "vrf").items()
            for prefix, route in get_or(content, {}, "router", "static").items()
            for hop, via in route.get("via", {}).items()
            if ":" not in prefix  # the lab's fabric routes IPv4
        ),
        lldp_enabled=get_or(tree, "enabled", *dialect.lldp, "state") != "disabled",
        pair=pair_state(tree, dialect, interfaces),
    )


def _interfaces(device: DeviceSpec, tree: Tree, dialect: Dialect) -> list[InterfaceState]:
    configured = get_or(tree, {}, "interface")
    behind = {name for vrf in get_or(tree, {}, "vrf").values() for name in get_or(vrf, {}, "router", "bgp", "neighbor")}
    there = set(ports(device, tree))
    others = {name for name in configured if name not in device.ports and not is_part(name)}
    names = sorted({*others, *there, "lo"}, key=natural)
    found = (
        _interface(name, configured.get(name), dialect, link_local=link_local(device.name, name), behind=name in behind)
        for name in names
    )
    groups = dict(_memberships(configured))
    grouped = (replace(state, **groups.get(state.name, {})) for state in found)
    return [*(_with_vlans(state, tree, dialect) for state in grouped), *_of_vrfs(tree)]


def _memberships(interfaces: Tree) -> Iterator[tuple[str, Tree]]:
    """What makes a group and its members; LACP, and at the fast rate, by default (Bonding-Link-Aggregation.md)."""
    for name, settings in interfaces.items():
        if settings.get("type") not in ("bond", "peerlink"):
            continue
        bond = settings.get("bond", {})
        yield name, {"is_group": True, "over_both": str(get_or(bond, "", "mlag", "id"))}
        has_lacp, is_fast = bond.get("mode", "lacp") == "lacp", bond.get("lacp-rate", "fast") == "fast"
        for member in bond.get("member", {}):
            yield member, {"group": name, "lacp_active": has_lacp or None, "lacp_is_fast": is_fast}


def _of_vrfs(tree: Tree) -> Iterator[InterfaceState]:
    """The interface of each VRF with an address, which is its loopback (Virtual-Routing-and-Forwarding-VRF.md, BGP)."""
    for name, vrf in get_or(tree, {}, "vrf").items():
        addresses = tuple(each for each in get_or(vrf, {}, "loopback", "ip", "address") if ":" not in each)
        if addresses and name != "default":
            yield InterfaceState(
                name=name,
                is_admin_up=True,
                is_routed=True,
                addresses=addresses,
                mtu_bytes=_LOOPBACK_MTU,
                vrf=name,
                is_loopback=True,
            )


def _with_vlans(state: InterfaceState, tree: Tree, dialect: Dialect) -> InterfaceState:
    """A bridge's member with its VLANs, an SVI with its own (VLAN-aware-Bridge-Mode.md)."""
    settings = get_or(tree, {}, "interface", state.name)
    if settings.get("type") == "sub":
        port, _, tag = state.name.rpartition(".")
        return replace(state, port=settings.get("base-interface", port), tag=int(settings.get("vlan") or tag))
    bridges = get_or(tree, {}, "bridge", "domain")
    if settings.get("type") == "svi":
        number = int(settings.get("vlan") or state.name.removeprefix("vlan"))
        bridge = bridges.get(settings.get("base-interface", "br_default"), {})
        forced = dialect.is_on(bridge, False, "svi-force-up")
        return replace(state, svi_vlan=number, has_vlan=str(number) in bridge.get("vlan", {}), autostate=not forced)
    for name, member in get_or(settings, {}, "bridge", "domain").items():
        access = member.get("access")
        if isinstance(access, int):
            return replace(state, access_vlan=access, vlans=frozenset({access}))
        carried = member.get("vlan") or get_or(bridges, {}, name, "vlan")
        native = member.get("untagged", get_or(bridges, 1, name, "untagged"))
        untagged = {native} if isinstance(native, int) else set[int]()
        vlans = frozenset({*untagged, *(int(each) for each in carried if each.isdecimal())})
        return replace(state, vlans=vlans, native_vlan=next(iter(untagged), None))
    return state


def mac_address(device: str, interface: str) -> str:
    """The port's own address, in NVIDIA's range."""
    digest = hashlib.sha256(f"{device}/{interface}".encode()).hexdigest()
    return "44:38:39:" + ":".join(digest[i : i + 2] for i in (0, 2, 4))


@functools.lru_cache(maxsize=65536)
def link_local(device: str, interface: str) -> str:
    """The IPv6 link-local address that follows from a port's MAC address (RFC 4291, appendix A)."""
    octets = bytes.fromhex(mac_address(device, interface).replace(":", ""))
    identifier = bytes((octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]))
    return str(ipaddress.IPv6Address(b"\xfe\x80" + bytes(6) + identifier))


def _interface(name: str, content: Tree | None, dialect: Dialect, *, link_local: str, behind: bool) -> InterfaceState:
    """A port that was not configured is down; configuring it brings it up (Interface-Configuration-and-Management)."""
    is_port, is_loopback = name.startswith("swp"), name == "lo"
    content = {} if content is None and not is_port else content
    settings = content or {}
    link = settings.get("link", {})
    may_be_unnumbered = is_port or name.startswith("peerlink.")
    default_mtu = _SWP_MTU if is_port else _LOOPBACK_MTU if is_loopback else _OTHER_MTU
    return InterfaceState(
        name=name,
        is_admin_up=content is not None and "down" not in link.get("state", {}),
        is_routed=not get_or(settings, {}, "bridge", "domain"),
        addresses=tuple(dialect.addresses_of(settings)),
        mtu_bytes=link.get("mtu", default_mtu),
        vrf=dialect.vrf_of(settings),
        description=settings.get("description", ""),
        is_loopback=is_loopback,
        lldp_transmit=get_or(settings, "enabled", "lldp", "state") != "disabled",
        lldp_receive=get_or(settings, "enabled", "lldp", "state") != "disabled",
        speed=_speed(link),
        fec=_fec(link),
        negotiate=_negotiates(link, dialect),
        link_local=link_local if may_be_unnumbered else "",
        advertises=may_be_unnumbered and dialect.is_on(settings, behind, *dialect.advertisement),
    )


def _speed(link: Tree) -> str | None:
    speed = link.get("speed", "auto")
    return None if speed == "auto" else str(speed).lower()


def _fec(link: Tree) -> str | None:
    return {"rs": "rs", "baser": "fc", "off": "none"}.get(str(link.get("fec", "auto")))


def _negotiates(link: Tree, dialect: Dialect) -> bool | None:
    """Setting a speed switches negotiation off (Switch-Port-Attributes, "Auto-negotiation and Link Speed").

    Asked for in so many words as well: not documented, so nothing is claimed. Neither set: the firmware tries all.
    """
    negotiates, has_speed = link.get("auto-negotiate"), _speed(link) is not None
    if negotiates is None:
        return False if has_speed else None
    return (None if has_speed else True) if negotiates == dialect.on else False


def _instance(vrf: str, content: Tree, tree: Tree, dialect: Dialect) -> BgpInstance | None:
    bgp = get_or(content, None, "router", "bgp")
    if not isinstance(bgp, dict) or not bgp or not dialect.is_on(bgp, True):
        return None
    globally = get_or(tree, {}, "router", "bgp")
    if not dialect.is_on(globally, True):
        return None
    asn = bgp.get("autonomous-system", "auto")
    asn = globally.get("autonomous-system", 0) if asn == "auto" else asn
    ipv4 = get_or(bgp, {}, "address-family", "ipv4-unicast")
    groups = bgp.get("peer-group", {})
    connected = get_or(ipv4, {}, "redistribute", "connected")
    is_ipv4_on = dialect.is_on(ipv4, True)
    route_map = connected.get("route-map")
    return BgpInstance(
        asn=asn if isinstance(asn, int) else 0,
        router_id=_router_id(bgp, globally, tree, dialect),
        vrf=vrf,
        neighbors=tuple(
            neighbor(address, peer, groups.get(peer.get("peer-group", ""), {}), bgp, dialect)
            for address, peer in bgp.get("neighbor", {}).items()
            if dialect.is_on(peer, True) and ":" not in address  # sessions of IPv6: outside.py
        ),
        networks=tuple(ipv4.get("network", {})) if is_ipv4_on else (),
        redistribute_connected=dialect.is_on(connected, False),
        redistribute_connected_route_map=None if route_map in (None, "none") else route_map,
        maximum_paths=get_or(ipv4, 64, "multipaths", "ebgp"),
        multipath_relax=dialect.is_true(bgp, False, "path-selection", "multipath", "aspath-ignore"),
    )


def _router_id(bgp: Tree, globally: Tree, tree: Tree, dialect: Dialect) -> str:
    for value in (bgp.get("router-id"), globally.get("router-id")):
        if value not in (None, "auto", "none"):
            return str(value)
    addresses = dialect.addresses_of(get_or(tree, {}, "interface", "lo"))
    return addresses[0].partition("/")[0] if addresses else "0.0.0.0"  # noqa: S104  (FRR prints it for "none yet")


class _Peer:
    """A neighbour's setting, or else its peer group's, or else the VRF's default."""

    def __init__(self, peer: Tree, group: Tree) -> None:
        self._peer, self._group = peer, group

    def get(self, *path: str, default: object = None, inherit: tuple[object, ...] = (None, "auto")) -> object:
        for source in (self._peer, self._group):
            value = get_or(source, None, *path)
            if value not in inherit:
                return value
        return default


def neighbor(
    address: str, peer: Tree, group: Tree, bgp: Tree, dialect: Dialect, unicast: str = "ipv4-unicast"
) -> BgpNeighbor:
    """A neighbour with what its group adds, and what it has in one address family: IPv4's is on by default."""
    settings = _Peer(peer, group)
    family = ("address-family", unicast)
    by_default = dialect.word(unicast == "ipv4-unicast")
    limits = (*family, "prefix-limits", "inbound")
    limit = settings.get(*limits, "maximum", inherit=(None, "none"))
    wait_min = settings.get(*limits, "reestablish-wait")
    is_numbered = peer.get("type", "numbered") == "numbered"
    next_hops = settings.get("capabilities", "extended-nexthop", default=dialect.word(not is_numbered))
    communities = settings.get(*family, "community-advertise", "regular", default=dialect.on)
    return BgpNeighbor(
        address=address,
        remote_as=_remote_as(settings),
        description=_text(settings.get("description")) or "",
        peer_group=_text(peer.get("peer-group")) or "",
        is_shutdown=settings.get("shutdown") == dialect.on,
        is_ipv4_active=settings.get(*family, dialect.switch, default=by_default) == dialect.on,
        bfd=_has_bfd(settings, dialect),
        ttl_security_hops=_hops(peer, dialect),
        ebgp_multihop=_whole(settings.get("multihop-ttl")),
        has_password=settings.get("password", inherit=(None, "none")) is not None,
        password=_text(settings.get("password", inherit=(None, "none"))),
        route_map_in=_text(settings.get(*family, "policy", "inbound", "route-map")),
        route_map_out=_text(settings.get(*family, "policy", "outbound", "route-map")),
        prefix_list_in=_text(settings.get(*family, "policy", "inbound", "prefix-list")),
        prefix_list_out=_text(settings.get(*family, "policy", "outbound", "prefix-list")),
        prefix_limit=_whole(limit),
        prefix_limit_restart_s=None if _whole(wait_min) is None else 60.0 * _int(wait_min),
        prefix_limit_warning_only=settings.get(*limits, "warning-only") == dialect.on,
        send_community=communities == dialect.on,
        allowas_in=_allowas(settings, family, dialect),
        keepalive_s=_timer(settings, bgp, "keepalive", 3),
        hold_s=_timer(settings, bgp, "hold", 9),
        interface="" if is_numbered else address,
        extended_nexthop=next_hops == dialect.on,
    )


def _remote_as(settings: _Peer) -> int | None:
    found = settings.get("remote-as")
    return found if isinstance(found, int) or found in ("external", "internal") else None  # type: ignore[return-value]


def _has_bfd(settings: _Peer, dialect: Dialect) -> bool:
    if dialect.has_bfd_profiles:
        return _text(settings.get("bfd", "profile")) is not None
    return settings.get("bfd", dialect.switch) == dialect.on


def _hops(peer: Tree, dialect: Dialect) -> int | None:
    """GTSM, from the neighbour alone: a peer group's never reaches FRR (Optional-BGP-Configuration.md)."""
    security = peer.get("ttl-security", {})
    if security.get(dialect.switch) == dialect.off or not security:
        return None
    return int(security.get("hops", 1))


def _allowas(settings: _Peer, family: tuple[str, ...], dialect: Dialect) -> int:
    occurrences = settings.get(*family, "aspath", "allow-my-asn", "occurrences")
    is_on = settings.get(*family, "aspath", "allow-my-asn", dialect.switch) == dialect.on
    return _int(occurrences if occurrences is not None else 3) if is_on or occurrences is not None else 0


def _timer(settings: _Peer, bgp: Tree, key: str, default: int) -> int:
    value = settings.get("timers", key)
    value = get_or(bgp, default, "timers", key) if value is None else value
    return 0 if value == "none" else _int(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value != "none" else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def prefix_list(name: str, content: Tree) -> PrefixList:
    """A prefix list of either family."""
    entries = [
        PrefixListEntry(
            int(number),
            rule.get("action") == "permit",
            prefix,
            match.get("min-prefix-len"),
            match.get("max-prefix-len"),
        )
        for number, rule in content.get("rule", {}).items()
        for prefix, match in rule.get("match", {}).items()
    ]
    return PrefixList(name, tuple(sorted(entries, key=lambda entry: entry.sequence)))


def _route_map(name: str, content: Tree) -> RouteMap:
    entries = [_route_map_entry(int(number), rule) for number, rule in content.get("rule", {}).items()]
    return RouteMap(name, tuple(sorted(entries, key=lambda entry: entry.sequence)))


def _route_map_entry(number: int, rule: Tree) -> RouteMapEntry:
    actions, match = rule.get("set", {}), rule.get("match", {})
    listed = match.get("ip-prefix-list")
    return RouteMapEntry(
        sequence=number,
        permit="deny" not in rule.get("action", {}),
        match_prefix_lists=(listed,) if listed else (),
        prepend=tuple(int(asn) for asn in get_or(actions, "", "as-path-prepend", "as").split(",") if asn),
        communities=tuple(_community(word) for word in actions.get("community", {}) if word != "additive"),
        communities_additive="additive" in actions.get("community", {}),
        local_preference=actions.get("local-preference"),
    )


def _community(word: str) -> str:
    return _GRACEFUL_SHUTDOWN if word == "graceful-shutdown" else word


def static(prefix: str, hop: str, vrf: str, via: Tree) -> StaticRoute:
    """One next hop of a static route of IPv4, or of IPv6 to an address."""
    prefix = "0.0.0.0/0" if prefix == "default" else prefix
    if hop in ("blackhole", "reject"):
        return StaticRoute(prefix, vrf=vrf)
    if hop[0].isdigit() or ":" in hop:
        return StaticRoute(prefix, next_hop=hop, interface=next(iter(via.get("interface", {})), None), vrf=vrf)
    return StaticRoute(prefix, interface=hop, vrf=vrf)

"""What an NVUE configuration says of routing beyond SwitchState, and its keys that FRR has no counterpart for.

Cumulus Linux runs FRR, so most of these keys are FRR's own. The keys of BGP, of its policies and of static routes are
listed; what is not here is refused. Of an interface, the keys that decide who reaches whom are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ..routed.form import NO_LAYER_2, NO_VRF, BfdTimes, Peer, Routing, Unplayed
from ..twin import Twin
from . import to_kernel, to_lists
from .device import NvueTwin
from .dialect import Dialect
from .outside import outside
from .tree import Tree, get_or

_BFD = BfdTimes(300, 300, 3)
"""Cumulus Linux's defaults (Bidirectional-Forwarding-Detection-BFD.md)."""
_RETRY_S = 10
"""Cumulus Linux's default (Optional-BGP-Configuration.md, BGP Timers)."""
_ON = r"(enable|state)"
_PEER = (
    rf"(type|description|peer-group|remote-as|shutdown|multihop-ttl|password|{_ON})|timers/(keepalive|hold|connection-retry)"
    rf"|timers/route-advertisement|bfd/.*|ttl-security/({_ON}|hops)|capabilities/extended-nexthop"
    rf"|address-family/ipv[46]-unicast/({_ON}|nexthop-setting|community-advertise/(regular|extended|large)"
    rf"|policy/(inbound|outbound)/(route-map|prefix-list)|prefix-limits/inbound/.*|aspath/allow-my-asn/({_ON}|occurrences))"
)
_BGP = re.compile(
    rf"autonomous-system|router-id|{_ON}|timers/(keepalive|hold|connection-retry|route-advertisement)"
    rf"|path-selection/multipath/aspath-ignore|address-family/ipv4-unicast/({_ON}|network/[^/]+/[^/]+|multipaths/ebgp"
    rf"|redistribute/connected/({_ON}|route-map)|aggregate-route/[^/]+/[^/]+/summary-only)"
    rf"|address-family/ipv6-unicast/({_ON}|network/[^/]+/[^/]+|aggregate-route/[^/]+/[^/]+/summary-only)"
    rf"|(neighbor|peer-group)/[^ /]+/({_PEER})"
)
_GLOBAL = re.compile(
    rf"bgp/(autonomous-system|router-id|{_ON}|graceful-restart/mode)|bfd/.*|policy/(prefix|as-path)-list/.*|adaptive-routing/.*"
)
_RULE = re.compile(
    r"action/(permit|deny)|match/(type|ip-prefix-list|as-path-list)|set/as-path-prepend/as|set/community/[^/]+|set/local-preference"
    r"|description"
)
_FORWARDING = re.compile(
    r"acl/.*|router/(ospf|ospf6|pim|pbr)/.*|ip/(vrr|vrrp|igmp)/.*|ipv[46]/(vrr|vrrp)/.*|ip/address/.*:.*|ipv6/address/.*"
)
_LAYER_2 = frozenset({"bond", "peerlink", "svi", "sub"})
_NO_COUNTERPART = "no counterpart in FRR is known here"


def routing(twin: Twin, *, has_devices: bool = False) -> Routing:
    """Read a twin's running tree. ``has_devices``: the kernel has VRFs, VLANs and bonds."""
    assert isinstance(twin, NvueTwin)  # noqa: S101  (the caller looked this module up by the twin's system)
    return of_tree(twin.store.running, twin.dialect, has_devices=has_devices)


def of_tree(tree: Tree, dialect: Dialect, *, has_devices: bool = False) -> Routing:
    """Read a configuration."""
    vrfs = [name for name in get_or(tree, {}, "vrf") if name != "default"]
    filters = to_lists.lists(tree)
    return Routing(
        _peers(tree, "default", dialect),
        _graceful_restart(tree),
        (*_refused(tree, dialect, has_devices=has_devices), *(filters.unreadable if has_devices else ())),
        () if has_devices else tuple(_left_out(tree, dialect)),
        {name: _peers(tree, name, dialect) for name in vrfs},
        to_kernel.vlans(tree),
        to_kernel.addresses_v6(tree),
        tuple(to_kernel.gateways(tree, dialect)),
        lists=filters.lists,
        bound=filters.bound,
        outside=outside(tree, dialect),
    )


def _peers(tree: Tree, vrf: str, dialect: Dialect) -> dict[str, Peer]:
    bgp = get_or(tree, {}, "vrf", vrf, "router", "bgp")
    groups = bgp.get("peer-group", {})
    return {
        name: _peer(peer, groups.get(peer.get("peer-group", ""), {}), bgp, tree, dialect)
        for name, peer in bgp.get("neighbor", {}).items()
    }


def _graceful_restart(tree: Tree) -> Literal["on", "helper", "off"]:
    """Helper is the default (Optional-BGP-Configuration.md, Graceful BGP Restart)."""
    mode = get_or(tree, "helper-only", "router", "bgp", "graceful-restart", "mode")
    return {"full": "on", "off": "off"}.get(mode, "helper")  # type: ignore[return-value]


def _peer(peer: Tree, group: Tree, bgp: Tree, tree: Tree, dialect: Dialect) -> Peer:
    sources = [peer, group, bgp]
    retries = (get_or(source, None, "timers", "connection-retry") for source in sources)
    retry_s = next((each for each in retries if isinstance(each, int)), _RETRY_S)
    times = {**_own_times(group), **_own_times(peer)}
    if dialect.has_bfd_profiles:
        name = get_or(peer, None, "bfd", "profile") or get_or(group, "", "bfd", "profile")
        times = get_or(tree, {}, "router", "bfd", "profile", name)
    return Peer(
        BfdTimes(
            times.get("min-tx-interval", _BFD.transmit_ms),
            times.get("min-rx-interval", _BFD.receive_ms),
            times.get("detect-multiplier", _BFD.multiplier),
        ),
        retry_s,
        next((each for source in sources if (each := source.get("password")) not in (None, "none")), None),
    )


def _own_times(source: Tree) -> Tree:
    return {key: value for key, value in get_or(source, {}, "bfd").items() if isinstance(value, int)}


# -- what FRR is not told ------------------------------------------------------------------------------------------


def _refused(tree: Tree, dialect: Dialect, *, has_devices: bool) -> Iterator[Unplayed]:
    for name in get_or(tree, {}, "vrf") if has_devices else ("default",):
        yield from _of_vrf(get_or(tree, {}, "vrf", name, "router"), f"vrf {name} router")
    for path, value in _leaves(get_or(tree, {}, "router")):
        rule = re.fullmatch(r"policy/route-map/[^/]+/rule/[^/]+/(.*)", path)
        known = _RULE.fullmatch(rule[1]) if rule is not None else _GLOBAL.fullmatch(path)
        is_known = known or (has_devices and path.startswith("vrr/"))
        if not is_known and not _is_off(value) and not path.startswith("nexthop/"):
            yield _unknown(path, value, "router")
    for name, settings in get_or(tree, {}, "interface").items():
        if settings.get("type") != "eth" and (has_devices or dialect.vrf_of(settings) == "default"):
            yield from _of_interface(name, settings, has_devices=has_devices)


def _of_vrf(router: Tree, where: str) -> Iterator[Unplayed]:
    for path, value in _leaves(router.get("bgp", {})):
        if not _BGP.fullmatch(path) and not _is_off(value):
            yield _unknown(path, value, f"{where} bgp")
    for key in router:
        if key not in ("bgp", "static"):
            yield from (_unknown(path, value, where) for path, value in _leaves({key: router[key]}))


def _of_interface(name: str, settings: Tree, *, has_devices: bool) -> Iterator[Unplayed]:
    if settings.get("type") in _LAYER_2 and not has_devices:
        if any(get_or(settings, {}, family, "address") for family in ("ip", "ipv4", "ipv6")):
            yield Unplayed(f"type: {settings['type']}", NO_LAYER_2, f"interface {name}")
        return
    is_switched = bool(get_or(settings, {}, "bridge", "domain"))
    for path, value in _leaves(settings):
        is_translated = has_devices and to_kernel.is_translated(path) and not (is_switched and path.startswith("acl/"))
        if _FORWARDING.fullmatch(path) and not _is_off(value) and not is_translated:
            yield Unplayed(path, "it decides what is forwarded, and has no counterpart here", f"interface {name}")


def _left_out(tree: Tree, dialect: Dialect) -> Iterator[Unplayed]:
    for name, settings in get_or(tree, {}, "interface").items():
        if settings.get("type") == "eth":
            continue
        vrf = dialect.vrf_of(settings)
        if vrf != "default":
            yield Unplayed(f"vrf: {vrf}", NO_VRF, f"interface {name}")
        elif settings.get("type") in _LAYER_2 or get_or(settings, {}, "bridge", "domain"):
            yield Unplayed(f"type: {settings.get('type', 'swp')}", NO_LAYER_2, f"interface {name}")


def _unknown(path: str, value: object, where: str) -> Unplayed:
    return Unplayed(f"{path}: {value}" if value not in ({}, None) else path, _NO_COUNTERPART, where)


def _is_off(value: object) -> bool:
    return value in ("off", "disabled", "none")


def _leaves(tree: Tree, before: str = "") -> Iterator[tuple[str, object]]:
    """Every leaf by its path, an empty object included."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{before}{key}/")
        else:
            yield f"{before}{key}", value

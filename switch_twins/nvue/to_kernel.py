"""What an NVUE configuration says of switched ports and gateways beyond SwitchState."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..routed.form import Gateway
from .dialect import Dialect
from .tree import Tree, get_or

_TRANSLATED = re.compile(
    r"ip/vrr/.*|ipv[46]/vrr/.*|ip/address/.*:.*|ipv6/address/.*|ip/gateway/.*|ipv4/gateway/.*|acl/[^/]+/(in|out)bound"
)
_FIRST_MAC = 0x00005E000101
"""Of a gateway without one of its own: that of fabric ID 1 (Virtual-Router-Redundancy-VRR.md)."""


def is_translated(path: str) -> bool:
    """Is this key of a routed interface one of those that are read here?"""
    return _TRANSLATED.fullmatch(path) is not None


def vlans(tree: Tree) -> frozenset[int]:
    """VLANs of the bridges."""
    bridges = get_or(tree, {}, "bridge", "domain").values()
    return frozenset(int(each) for bridge in bridges for each in bridge.get("vlan", {}) if each.isdecimal())


def addresses_v6(tree: Tree) -> dict[str, tuple[str, ...]]:
    """IPv6 addresses with length, by interface."""
    found: dict[str, tuple[str, ...]] = {}
    for name, settings in get_or(tree, {}, "interface").items():
        listed = {**get_or(settings, {}, "ip", "address"), **get_or(settings, {}, "ipv6", "address")}
        if own := tuple(each for each in listed if ":" in each):
            found[name] = own
    return found


def gateways(tree: Tree, dialect: Dialect) -> Iterator[Gateway]:
    """VRR of SVIs, where it is on."""
    if not dialect.is_on(get_or(tree, {}, "router", "vrr"), False):
        return
    for name, settings in get_or(tree, {}, "interface").items():
        if settings.get("type") != "svi":
            continue
        mac, addresses = "", list[str]()
        for family in ("ip", "ipv4", "ipv6"):
            configured = get_or(settings, {}, family, "vrr")
            if dialect.is_on(configured, False):
                mac = mac or str(configured.get("mac-address") or "")
                addresses += [each.partition("/")[0] for each in configured.get("address", {})]
        if addresses:
            yield Gateway(name, (mac or _mac(tree)).lower(), tuple(addresses))


def _mac(tree: Tree) -> str:
    """Of the whole switch: its own, or what follows from the fabric's number."""
    settings = get_or(tree, {}, "system", "global")
    given = settings.get("anycast-mac") or settings.get("fabric-mac")
    if given not in (None, "none", "auto"):
        return str(given)
    number = settings.get("anycast-id") or settings.get("fabric-id")
    digits = f"{_FIRST_MAC + (number - 1 if isinstance(number, int) else 0):012x}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))

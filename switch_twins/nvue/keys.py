"""Valid keys of NVUE's collections: the OpenAPI documents leave them open, the OS does not.

Sources: [V] Cumulus Linux documentation (page named) or nvueschema's typed aliases; [V-lab] a published configuration.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

EMPTY_OBJECTS = frozenset(
    {
        # words that are set or not, printed as {}: nvueschema gives them and named collections the same type
        "up",
        "down",
        "deny",
        "next-rule",
        "onlink",
        "standard",
        "local",
        "tacacs",
        "radius",
        "ldap",
        "advertise-origin",
        "nhg-per-origin",
        "conditional-disaggregation",
        "trap-snmp-auth-failures",
    }
)

SECRET_KEYS = frozenset(
    {
        # `nv show` and `nv config show` print these as `*`: BGP password (514 Troubleshooting-BGP.md), user's passwords
        # (514 User-Accounts.md; nv config show -o commands of a public lab) [V]; AAA secrets by the same rule [M]
        "password",
        "hashed-password",
        "secret",
    }
)

# nvueschema InterfaceName
_INTERFACE = re.compile(r"^(swp|eth|bond|br|lo|vlan|peerlink|erspan|mgmt)[a-zA-Z0-9_./-]*$")
_VRF = re.compile(r"^[a-zA-Z][a-zA-Z0-9_-]{0,14}$")  # nvueschema VrfName
_POLICY_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_-]*$")  # Route-Filtering-and-Redistribution.md [V]
_TRAFFIC_POOLS = ("default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless")  # QoS page [V]
_BREAKOUTS = ("1x", "2x", "4x", "8x", "disabled")  # command reference [V]; disabled: csl-02 [V-lab]

Refuse = Callable[[str], str | None]


def refuse(path: tuple[str, ...], key: str) -> str | None:
    """Why a collection at ``path`` refuses a key; None if it accepts it."""
    for pattern, rule in _RULES:
        if len(pattern) == len(path) and all(want in ("*", have) for want, have in zip(pattern, path, strict=True)):
            return rule(key)
    return None


def _number(minimum: int, maximum: int) -> Refuse:
    def rule(key: str) -> str | None:
        if key.isascii() and key.isdecimal() and str(int(key)) == key and minimum <= int(key) <= maximum:
            return None
        return f"{key!r} is not an integer between {minimum} and {maximum}"

    return rule


def _one_of(*words: str) -> Refuse:
    return lambda key: None if key in words else f"{key!r} is not one of {list(words)!r}"


def _matches(pattern: re.Pattern[str], what: str) -> Refuse:
    return lambda key: None if pattern.match(key) else f"{key!r} is not a {what}"


def _prefix(key: str) -> str | None:
    return None if _is(ipaddress.ip_network, key, "/" in key, strict=True) else f"{key!r} is not a 'prefix'"


def _loose_prefix(key: str) -> str | None:
    return None if _is(ipaddress.ip_network, key, "/" in key, strict=False) else f"{key!r} is not a 'prefix'"


def _static_prefix(key: str) -> str | None:
    return None if key in ("default", "default6") else _prefix(key)  # Static-Routing.md [V]


def _interface_address(key: str) -> str | None:
    return None if _is(ipaddress.ip_interface, key, "/" in key) else f"{key!r} is not an 'ip-prefix'"


def _address(key: str) -> str | None:
    return None if _is(ipaddress.ip_address, key, True) else f"{key!r} is not an 'ip-address'"


def _neighbor(key: str) -> str | None:
    known = _INTERFACE.match(key) or _address(key) is None or _VRF.match(key)
    return None if known else f"{key!r} is not a BGP neighbor"


def _via(key: str) -> str | None:
    known = key in ("blackhole", "reject") or _INTERFACE.match(key) or _address(key) is None
    return None if known else f"{key!r} is not a next hop"


def _is(parse: Callable[..., object], key: str, precondition: bool, **options: bool) -> bool:
    try:
        parse(key, **options)
    except ValueError:
        return False
    return precondition


_RULES: tuple[tuple[tuple[str, ...], Refuse], ...] = (
    (("interface",), _matches(_INTERFACE, "interface name")),
    (("interface", "*", "ip", "address"), _interface_address),
    (("interface", "*", "ipv4", "address"), _interface_address),
    (("interface", "*", "ipv6", "address"), _interface_address),
    # "virtual addresses with prefixes" (nvueschema, ipv4.vrr.address)
    (("interface", "*", "ip", "vrr", "address"), _interface_address),
    (("interface", "*", "ipv4", "vrr", "address"), _interface_address),
    (("interface", "*", "ipv6", "vrr", "address"), _interface_address),
    (("interface", "*", "link", "breakout"), _one_of(*_BREAKOUTS)),
    (("vrf",), _matches(_VRF, "VRF name")),
    (("vrf", "*", "router", "static"), _static_prefix),
    (("vrf", "*", "router", "static", "*", "via"), _via),
    (("vrf", "*", "router", "static", "*", "distance"), _number(1, 255)),
    (("vrf", "*", "router", "bgp", "neighbor"), _neighbor),
    (("vrf", "*", "router", "bgp", "peer-group"), _matches(_POLICY_NAME, "peer group name")),
    (("vrf", "*", "router", "bgp", "address-family", "ipv4-unicast", "network"), _prefix),
    (("vrf", "*", "router", "bgp", "address-family", "ipv6-unicast", "network"), _prefix),
    (("router", "policy", "prefix-list"), _matches(_POLICY_NAME, "prefix list name")),
    (("router", "policy", "prefix-list", "*", "rule"), _number(1, 4294967295)),
    (("router", "policy", "prefix-list", "*", "rule", "*", "match"), _loose_prefix),
    (("router", "policy", "route-map"), _matches(_POLICY_NAME, "route map name")),
    (("router", "policy", "route-map", "*", "rule"), _number(1, 65535)),
    # switch priorities, traffic classes and code points: Quality-of-Service/_index.md [V]
    (("qos", "egress-queue-mapping"), _one_of("default-global")),  # "NVUE only supports the default-global profile"
    (("qos", "egress-queue-mapping", "*", "switch-priority"), _number(0, 7)),
    (("qos", "mapping", "*", "dscp"), _number(0, 63)),
    (("qos", "mapping", "*", "pcp"), _number(0, 7)),
    (("qos", "pfc", "*", "switch-priority"), _number(0, 7)),
    (("qos", "congestion-control", "*", "traffic-class"), _number(0, 7)),
    (("qos", "egress-scheduler", "*", "traffic-class"), _number(0, 7)),
    (("qos", "egress-shaper", "*", "traffic-class"), _number(0, 7)),
    (("qos", "remark", "*", "switch-priority"), _number(0, 7)),
    (("qos", "traffic-pool"), _one_of(*_TRAFFIC_POOLS)),
    (("qos", "traffic-pool", "*", "switch-priority"), _number(0, 7)),
)

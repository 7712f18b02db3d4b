"""Additions of ``filled=true`` to a configuration: the defaults of existing objects.

Values: Cumulus Linux docs (Switch-Port-Attributes, Optional-BGP-Configuration, Troubleshooting-BGP: the applied column
of `nv show`). Only the objects a fabric uses are filled; a real switch fills all of them.
"""

from __future__ import annotations

import copy

from .dialect import Dialect
from .qos import EffectiveQos
from .tree import Tree, get_or

_LINKED = ("swp", "eth", "bond")


def filled(tree: Tree, dialect: Dialect) -> Tree:
    """A copy of a configuration with defaults added."""
    result = copy.deepcopy(tree)
    for name, interface in result.get("interface", {}).items():
        _put(interface, _interface(name, dialect))
    for vrf in result.get("vrf", {}).values():
        bgp = get_or(vrf, None, "router", "bgp")
        if isinstance(bgp, dict):
            _fill_bgp(bgp, dialect)
    if "qos" in result:
        effective = EffectiveQos(tree, dialect)
        _put(
            result["qos"],
            {
                "pfc-watchdog": effective.watchdog(),
                "traffic-pool": effective.pools(),
                "mapping": {"default-global": {"trust": effective.mapping()["trust"]}},
            },
        )
    _put(
        result,
        {
            "router": {
                "bgp": {
                    dialect.switch: dialect.off,
                    "graceful-restart": {"mode": "off"},
                    "graceful-shutdown": dialect.off,
                    "wait-for-install": dialect.off,
                }
            }
        },
    )
    return result


def _interface(name: str, dialect: Dialect) -> Tree:
    if not name.startswith(_LINKED):
        return {}
    mtu = 1500 if name.startswith("eth") else 9216
    return {
        "link": {
            "auto-negotiate": dialect.on,
            "duplex": "full",
            "fec": "auto",
            "mtu": mtu,
            "speed": "auto",
            **({"fast-linkup": dialect.off} if name.startswith("swp") else {}),
        },
        "lldp": {"state": "enabled"},
    }


def _fill_bgp(bgp: Tree, dialect: Dialect) -> None:
    _put(
        bgp,
        {
            dialect.switch: dialect.on,
            "path-selection": {"multipath": {"aspath-ignore": dialect.off, "bandwidth": "all-paths"}},
            "timers": {"keepalive": 3, "hold": 9, "connection-retry": 10, "route-advertisement": "none"},
            "address-family": {"ipv4-unicast": {dialect.switch: dialect.on, "multipaths": {"ebgp": 64, "ibgp": 64}}},
        },
    )
    for neighbor in bgp.get("neighbor", {}).values():
        _put(
            neighbor,
            {
                dialect.switch: dialect.on,
                "enforce-first-as": dialect.on,
                "passive-mode": dialect.off,
                "nexthop-connected-check": dialect.on,
                "description": "none",
                "graceful-shutdown": dialect.off,
                "shutdown": dialect.off,
                "password": "none",
                "ttl-security": {dialect.switch: dialect.off},
                "timers": dict.fromkeys(("keepalive", "hold", "connection-retry", "route-advertisement"), "auto"),
                "address-family": {
                    "ipv4-unicast": {
                        dialect.switch: dialect.on,
                        "soft-reconfiguration": dialect.off,
                        "prefix-limits": {"inbound": {"maximum": "none"}},
                    }
                },
            },
        )


def _put(target: Tree, defaults: Tree) -> None:
    """Add what is missing, at any depth."""
    for key, value in defaults.items():
        if isinstance(value, dict):
            existing = target.setdefault(key, {})
            if isinstance(existing, dict):
                _put(existing, value)
        else:
            target.setdefault(key, value)

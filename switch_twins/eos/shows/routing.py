"""show ip, show ip route summary.

JSON keys: tests/recorded/eos_show/routing_summary.txt. Routes are those of ``show ip route``; the ones that a switch
adds for its own addresses (attached, internal) are not counted.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..extract import routing_model
from ..view import View
from .bgp import vrf_names


def ip_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show ip``: what is forwarded at all."""
    ipv6 = view.tree.first("ipv6 unicast-routing")
    return {
        "v4RoutingEnabled": view.state.is_routing,
        "v6RoutingEnabled": ipv6 is not None and not ipv6.negated,
        "v6IntfForwarding": False,
        "vrrpIntfs": 0,
        "multicastRouting": {"ipMulticastEnabled": False, "ip6MulticastEnabled": False},
        "v6EcmpInfo": {"v6EcmpRouteSupport": True},
    }


def summary_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show ip route [vrf NAME|all] summary``, with the routing agents that are configured and that run."""
    return {
        "vrfs": {name: _summary(view, name) for name in vrf_names(view, params)},
        "protoModelStatus": {
            "configuredProtoModel": routing_model(view.tree),
            "operatingProtoModel": view.machine.routing_model,
        },
    }


def _summary(view: View, vrf: str) -> dict[str, Any]:
    table = view.fabric.rib(view.device.name, vrf)
    kinds = Counter(route.protocol for route in table.values())
    lengths = Counter(prefix.partition("/")[2] for prefix in table)
    return {
        "maskLen": dict(sorted(lengths.items(), key=lambda each: int(each[0]))),
        "totalRoutes": len(table),
        "connected": kinds["connected"],
        "static": kinds["static"],
        "bgpCounts": {"bgpTotal": kinds["bgp"], "bgpExternal": kinds["bgp"], "bgpInternal": 0, "bgpLocal": 0},
    }

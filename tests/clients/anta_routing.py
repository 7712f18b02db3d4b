"""ANTA's tests of reachability, LLDP, BFD and routes, on a leaf of the compute fabric."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from anta_client import AntaCase, Lab, bgp, cutting, typing

LEAF, OTHER = "leaf-g1-r0", "leaf-g1-r2"
_UPLINK, _CABLE = "Ethernet63/1", "leaf-g1-r0-u1"
_ROUTING = "routing.generic"


def _spines(lab: Lab) -> list[dict[str, Any]]:
    return lab.links(LEAF, "fabric")


def _neighbors(lab: Lab) -> dict[str, Any]:
    far = [
        {"port": each["own"]["port"], "neighbor_device": each["far"]["device"], "neighbor_port": each["far"]["port"]}
        for each in _spines(lab)
    ]
    return {"neighbors": far, "require_fqdn": False}


def _swap(lab: Lab) -> AbstractContextManager[None]:
    return lab.swapped("leaf-g1-r0-u1", "leaf-g1-r0-u2")


def _pings(lab: Lab) -> dict[str, Any]:
    own, far = lab.device(LEAF)["loopback"], lab.device(OTHER)["loopback"]
    (host, *_) = lab.links(LEAF, "host")
    near = {"destination": host["far"]["address"], "source": host["own"]["address"]}
    return {"hosts": [{"destination": far, "source": own, "size": 9000, "df_bit": True}, near]}


def _bfd(lab: Lab) -> list[dict[str, Any]]:
    return [{"peer_address": each["far"]["address"], "interface": each["own"]["port"]} for each in _spines(lab)]


def _with(rows: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    return [{**row, **more} for row in rows]


def _loopback(lab: Lab) -> str:
    return f"{lab.device(OTHER)['loopback']}/32"


def _block(lab: Lab) -> str:
    return str(lab.device(LEAF)["host_blocks"]["compute"])


def _present(lab: Lab) -> dict[str, Any]:
    return {"route_entries": [{"prefix": _loopback(lab)}, {"prefix": _block(lab)}]}


def _sizes(lab: Lab) -> dict[str, Any]:
    """The design counts own prefixes apart: the loopback is connected, the block of the hosts a static route."""
    routes = lab.design["routes"][LEAF]
    counts = {"total_routes": routes["total"], "bgp": routes["learned"], "connected": routes["connected"] + 1}
    sources = [{"source": name, "minimum": count, "maximum": count} for name, count in counts.items()]
    return {"minimum": 1, "maximum": 100, "vrfs": [{"vrf": "default", "route_sources": sources}]}


def _types(lab: Lab) -> dict[str, Any]:
    kinds = {_loopback(lab): "eBGP", _block(lab): "static", f"{lab.device(LEAF)['loopback']}/32": "connected"}
    return {"routes_entries": [{"prefix": prefix, "route_type": kind} for prefix, kind in kinds.items()]}


def _next_hops(lab: Lab) -> dict[str, Any]:
    hops = [each["far"]["address"] for each in _spines(lab)]
    return {"route_entries": [{"prefix": _loopback(lab), "nexthops": hops, "strict": True}]}


def _timers(lab: Lab) -> dict[str, Any]:
    """The intent leaves them alone: EOS has 300 ms and 3."""
    return {"bfd_peers": _with(_bfd(lab), tx_interval=300, rx_interval=300, multiplier=3, detection_time=900)}


_DOWN = cutting(_CABLE)
_BOTH_SHUT = bgp(
    LEAF,
    ["neighbor COMPUTE-SPINES shutdown"],
    ["no neighbor COMPUTE-SPINES shutdown"],
)
_UNFILTERED = typing(LEAF, ["no ip route 10.168.0.0/24 Null0"], ["ip route 10.168.0.0/24 Null0"])

CASES = [
    AntaCase("connectivity.VerifyLLDPNeighbors", LEAF, _swap, "Wrong LLDP neighbors: spine-2/swp1", _neighbors),
    AntaCase("connectivity.VerifyReachability", LEAF, _BOTH_SHUT, "from 10.255.0.1 .*Unreachable", _pings),
    AntaCase("bfd.VerifyBFDSpecificPeers", LEAF, _DOWN, "State: down", lambda lab: {"bfd_peers": _bfd(lab)}),
    AntaCase("bfd.VerifyBFDPeersHealth", LEAF, _DOWN, "Peer: 10.160.0.0 .*State: down"),
    AntaCase(
        "bfd.VerifyBFDPeersIntervals",
        LEAF,
        typing(LEAF, ["router bfd", "interval 900 min-rx 900 multiplier 5 default"], ["no router bfd"]),
        "Incorrect Transmit interval - Expected: 300 Actual: 900.*Incorrect Multiplier",
        _timers,
    ),
    AntaCase(
        "bfd.VerifyBFDPeersRegProtocols",
        LEAF,
        bgp(LEAF, ["no neighbor COMPUTE-SPINES bfd"], ["neighbor COMPUTE-SPINES bfd"]),
        "Not found",
        lambda lab: {"bfd_peers": _with(_bfd(lab), protocols=["bgp"])},
    ),
    AntaCase(
        f"{_ROUTING}.VerifyRoutingProtocolModel",
        LEAF,
        typing(LEAF, ["service routing protocols model ribd"], ["service routing protocols model multi-agent"]),
        "Routing model is misconfigured",
    ),
    AntaCase(
        f"{_ROUTING}.VerifyRoutingStatus",
        LEAF,
        typing(LEAF, ["ipv6 unicast-routing"], ["no ipv6 unicast-routing"]),
        "IPv6 unicast routing enabled status mismatch - Expected: False Actual: True",
        lambda _: {"ipv4_unicast": True},
    ),
    AntaCase(f"{_ROUTING}.VerifyRoutingTableSize", LEAF, _DOWN, "Connected - Routes below minimum", _sizes),
    AntaCase(
        f"{_ROUTING}.VerifyRoutingTableEntry",
        LEAF,
        _BOTH_SHUT,
        "missing from the routing table of VRF default: 10.255.32.1",
        lambda lab: {"routes": [lab.device(OTHER)["loopback"]], "collect": "one"},
    ),
    AntaCase(f"{_ROUTING}.VerifyIPv4RouteType", LEAF, _UNFILTERED, "10.168.0.0/24 .*Route not found", _types),
    AntaCase(f"{_ROUTING}.VerifyIPv4RouteNextHops", LEAF, _DOWN, "List of next-hops not matching", _next_hops),
    AntaCase(
        f"{_ROUTING}.VerifyIPv4RoutePresencePerPrefix", LEAF, _BOTH_SHUT, "10.255.32.1/32 .*Route not found", _present
    ),
    AntaCase(
        f"{_ROUTING}.VerifyIPv4RoutePresencePerVRF", LEAF, _BOTH_SHUT, "10.255.32.1/32 .*Route not found", _present
    ),
]

"""ANTA's tests of BGP, on a leaf of the compute fabric: two sessions, with the spines."""

from __future__ import annotations

from typing import Any

from anta_client import FAILURE, AntaCase, Lab, bgp, cutting, seeding, typing

LEAF, OTHER = "leaf-g1-r0", "leaf-g1-r2"
_BGP, _FIRST, _GROUP = "routing.bgp", "10.160.0.0", "COMPUTE-SPINES"
"""The first spine's end of its link with the leaf; the peer group."""


def _peers(**more: Any) -> Any:
    """Each spine as a peer, with what a test wants of it beside."""

    def inputs(lab: Lab) -> dict[str, Any]:
        made = {key: value(lab) if callable(value) else value for key, value in more.items()}
        return {"bgp_peers": [{"peer_address": each, **made} for each in _addresses(lab)]}

    return inputs


def _addresses(lab: Lab) -> list[str]:
    return [each["far"]["address"] for each in lab.links(LEAF, "fabric")]


def _family(**more: Any) -> Any:
    def inputs(lab: Lab) -> dict[str, Any]:
        made = {key: value(lab) if callable(value) else value for key, value in more.items()}
        return {"address_families": [{"afi": "ipv4", "safi": "unicast", "vrf": "default", **made}]}

    return inputs


def _block(name: str) -> Any:
    return lambda lab: str(lab.device(name)["host_blocks"]["compute"])


def _loopback(name: str) -> Any:
    return lambda lab: f"{lab.device(name)['loopback']}/32"


def _number(pattern: str) -> Any:
    return lambda lab: int(lab.word(LEAF, pattern))


def _word(pattern: str) -> Any:
    return lambda lab: lab.word(LEAF, pattern)


def _exchanged(lab: Lab) -> dict[str, Any]:
    sent, heard = ([_block(name)(lab), _loopback(name)(lab)] for name in (LEAF, OTHER))
    return _peers(advertised_routes=sent, received_routes=heard)(lab)  # type: ignore[no-any-return]


def _paths(lab: Lab) -> dict[str, Any]:
    """The block is announced by a ``network`` line there."""
    hops = [{"nexthop": each, "origin": "Igp"} for each in _addresses(lab)]
    return {"route_entries": [{"prefix": _block(OTHER)(lab), "paths": hops}]}


def _ecmp(lab: Lab) -> dict[str, Any]:
    ways = lab.design["routes"][LEAF]["ecmp_widest"]
    return {"route_entries": [{"prefix": _block(OTHER)(lab), "ecmp_count": ways}]}


def _redistribution(_: Lab) -> dict[str, Any]:
    connected = {"afi_safi": "ipv4Unicast", "redistributed_routes": [{"proto": "Connected"}]}
    return {"vrfs": [{"vrf": "default", "address_families": [connected]}]}


def _session_shut(neighbor: str = _FIRST) -> Any:
    return bgp(LEAF, [f"neighbor {neighbor} shutdown"], [f"no neighbor {neighbor} shutdown"])


def _changed(line: str, back: str) -> Any:
    return bgp(LEAF, [f"neighbor {_GROUP} {line}"], [f"neighbor {_GROUP} {back}"])


_SHUT, _CUT = _session_shut(), cutting("leaf-g1-r0-u1")
_SILENT = bgp(
    LEAF, [f"neighbor {_FIRST} dont-capability-negotiate"], [f"no neighbor {_FIRST} dont-capability-negotiate"]
)
_OTHER_GROUP = bgp(
    LEAF,
    ["neighbor OTHERS peer group", f"neighbor {_FIRST} peer group OTHERS"],
    [f"neighbor {_FIRST} peer group {_GROUP}", "no neighbor OTHERS peer group"],
)
_NARROWER = typing(
    LEAF,
    ["ip prefix-list COMPUTE-FABRIC", "no seq 20"],
    ["ip prefix-list COMPUTE-FABRIC", "seq 20 permit 10.168.0.0/13 le 24"],
)
_NOTHING_ANNOUNCED = bgp(
    LEAF,
    ["address-family ipv4", "no network 10.168.0.0/24"],
    ["address-family ipv4", "network 10.168.0.0/24"],
)
_DROPS = ["prefixDroppedMartianV4", "prefixDroppedMaxRouteLimitViolatedV4", "inDropMalformedMpbgp", "inDropNhLocal"]
"""Not ``inDropAsloop``: both spines have one AS number and announce to a leaf what they have from it."""

CASES = [
    AntaCase(
        f"{_BGP}.VerifyBGPPeerCount", LEAF, _SHUT, "Expected: 2 Actual: 1", _family(check_peer_state=True, num_peers=2)
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeersHealth", LEAF, _SHUT, f"Peer: {_FIRST} - Incorrect session state .*Idle", _family()
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPSpecificPeers",
        LEAF,
        seeding(LEAF, "inputQueueLength", _FIRST, 7),
        f"Peer: {_FIRST} - Session has non-empty message queues - InQ: 7",
        _family(peers=_addresses),
    ),
    AntaCase(f"{_BGP}.VerifyBGPPeerSession", LEAF, _CUT, "Incorrect session state", _peers()),
    AntaCase(
        f"{_BGP}.VerifyBGPExchangedRoutes",
        LEAF,
        _NOTHING_ANNOUNCED,
        "Advertised route: 10.168.0.0/24 - Not found",
        _exchanged,
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerMPCaps",
        LEAF,
        bgp(
            LEAF,
            ["address-family ipv4", f"no neighbor {_FIRST} activate"],
            ["address-family ipv4", f"default neighbor {_FIRST} activate"],
        ),
        "Mismatch - Expected: ipv4Unicast|ipv4Unicast not found",
        _peers(capabilities=["ipv4Unicast"], strict=True),
    ),
    AntaCase(f"{_BGP}.VerifyBGPPeerASNCap", LEAF, _SILENT, "4-octet ASN capability not negotiated", _peers()),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerRouteRefreshCap", LEAF, _SHUT, "capability not negotiated - .*Received: False", _peers()
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerMD5Auth",
        LEAF,
        bgp(LEAF, [f"neighbor {_FIRST} password 0 spine-1"], [f"no neighbor {_FIRST} password"]),
        f"Peer: {_FIRST} .*Incorrect session state",
        _peers(),
        FAILURE,
        f"^Peer: {_FIRST} VRF: default - Session does not have MD5 authentication enabled; Peer",
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPAdvCommunities",
        LEAF,
        _changed("send-community standard", "send-community"),
        "Extended: False",
        _peers(),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPTimers",
        LEAF,
        _changed("timers 3 9", "timers 10 30"),
        "Hold time mismatch - Expected: 30 Actual: 9",
        _peers(
            keep_alive_time=_number(rf"neighbor {_GROUP} timers (\d+) \d+"),
            hold_time=_number(rf"neighbor {_GROUP} timers \d+ (\d+)"),
        ),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerDropStats",
        LEAF,
        seeding(LEAF, "prefixDroppedMartianV4", _FIRST, 3),
        "prefixDroppedMartianV4: 3",
        _peers(drop_stats=_DROPS),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerUpdateErrors",
        LEAF,
        seeding(LEAF, "inUpdErrIgnore", _FIRST, 2),
        "Non-zero update error counter - inUpdErrIgnore: 2",
        _peers(),
    ),
    AntaCase(
        f"{_BGP}.VerifyBgpRouteMaps",
        LEAF,
        bgp(LEAF, [f"no neighbor {_GROUP} route-map COMPUTE-IN in"], [f"neighbor {_GROUP} route-map COMPUTE-IN in"]),
        "Inbound route-map mismatch - Expected: COMPUTE-IN Actual: Not Configured",
        _peers(
            inbound_route_map=_word(rf"neighbor {_GROUP} route-map (\S+) in"),
            outbound_route_map=_word(rf"neighbor {_GROUP} route-map (\S+) out"),
        ),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerRouteLimit",
        LEAF,
        _changed("maximum-routes 60", "maximum-routes 50"),
        "Maximum routes mismatch - Expected: 50 Actual: 60",
        _peers(maximum_routes=_number(rf"neighbor {_GROUP} maximum-routes (\d+)")),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPPeerGroup",
        LEAF,
        _OTHER_GROUP,
        f"Incorrect peer group configured - Expected: {_GROUP} Actual: OTHERS",
        _peers(peer_group=_word(r"neighbor (\S+) peer group")),
    ),
    AntaCase(
        f"{_BGP}.VerifyBGPNlriAcceptance",
        LEAF,
        _NARROWER,
        "Some NLRI were filtered or rejected",
        _peers(capabilities=["ipv4Unicast"]),
    ),
    AntaCase(f"{_BGP}.VerifyBGPRoutePaths", LEAF, _SHUT, f"Next-hop: {_FIRST} .*Path not found", _paths),
    AntaCase(f"{_BGP}.VerifyBGPRouteECMP", LEAF, _SHUT, "ECMP", _ecmp),
    AntaCase(
        f"{_BGP}.VerifyBGPRedistribution",
        LEAF,
        bgp(LEAF, ["redistribute connected"], ["no redistribute connected"]),
        "success",
        _redistribution,
        FAILURE,
        "Not redistributed",
    ),
]

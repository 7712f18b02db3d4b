"""ANTA's tests of MLAG, VLANs and spanning tree, on a pair of leaves of the front fabric."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from anta_client import AntaCase, Fault, Lab, cutting, seeding, typing

FRONT, PEER = "front-leaf-g1-a", "front-leaf-g1-b"
_GROUP, _LEG_CABLE = "Port-Channel1", "front-leaf-g1-a-h1"


def _vlans(lab: Lab) -> list[int]:
    """The VLANs of the planes that have hosts here, as the intent numbers them."""
    return sorted(int(lab.word(FRONT, rf"vlan ({number})")) for number in (200, 300))


def _statuses(lab: Lab) -> dict[str, Any]:
    return {"vlans": [{"vlan_id": each, "status": "active"} for each in _vlans(lab)]}


def _delays(lab: Lab) -> dict[str, Any]:
    """300 s is EOS's own where the intent leaves the delay of MLAG's ports alone."""
    return {"reload_delay": 300, "reload_delay_non_mlag": int(lab.word(FRONT, r"reload-delay non-mlag (\d+)"))}


def _detection(lab: Lab) -> dict[str, Any]:
    delay = lab.word(FRONT, r"dual-primary detection delay (\d+) action errdisable all-interfaces")
    return {
        "detection_delay": int(delay),
        "errdisabled": True,
        "recovery_delay": 0,
        "recovery_delay_non_mlag": 0,
    }


def _without_tree(lab: Lab) -> dict[str, Any]:
    return {"vlans": [int(lab.word(FRONT, r"no spanning-tree vlan-id (\d+)"))]}


def _priority(lab: Lab) -> dict[str, Any]:
    return {"priority": int(lab.word(FRONT, r"spanning-tree mst 0 priority (\d+)")), "instances": [0]}


def _mlag(lines: list[str], back: list[str], switch: str = FRONT) -> Fault:
    return typing(switch, ["mlag configuration", *lines], ["mlag configuration", *back])


def _on_both(line: str, back: str) -> Fault:
    """The pair is one bridge: what only one of the two says does not count."""

    @contextmanager
    def both(lab: Lab) -> Iterator[None]:
        with lab.typed(FRONT, [line], [back]), lab.typed(PEER, [line], [back]):
            yield

    def fault(lab: Lab) -> AbstractContextManager[None]:
        return both(lab)

    return fault


_TREE = "stp"
_BLOCKED = seeding(FRONT, "stpState", _GROUP, "discarding")

CASES = [
    AntaCase(
        "mlag.VerifyMlagStatus",
        FRONT,
        typing(FRONT, ["interface Port-Channel1000", "shutdown"], ["interface Port-Channel1000", "no shutdown"]),
        "negotiation status mismatch - Expected: connected Actual: connecting.*peer link is not correct",
    ),
    AntaCase("mlag.VerifyMlagInterfaces", FRONT, cutting(_LEG_CABLE), "Partial Active Ports: 1"),
    AntaCase(
        "mlag.VerifyMlagConfigSanity",
        FRONT,
        typing(
            PEER,
            ["interface Port-Channel1", "switchport trunk native vlan 300"],
            ["interface Port-Channel1", "switchport trunk native vlan 200"],
        ),
        "config-sanity found in interface configuration",
    ),
    AntaCase(
        "mlag.VerifyMlagReloadDelay",
        FRONT,
        _mlag(["reload-delay mlag 400"], ["no reload-delay mlag"]),
        "MLAG reload-delay mismatch - Expected: 300s Actual: 400s",
        _delays,
    ),
    AntaCase(
        "mlag.VerifyMlagDualPrimary",
        FRONT,
        _mlag(
            ["dual-primary detection delay 60 action errdisable all-interfaces"],
            ["dual-primary detection delay 5 action errdisable all-interfaces"],
        ),
        "detection delay mismatch - Expected: 5 Actual: 60",
        _detection,
    ),
    AntaCase(
        "mlag.VerifyMlagPrimaryPriority",
        FRONT,
        _mlag(["primary-priority 10"], ["no primary-priority"], PEER),
        "The device is not set as MLAG primary",
        lambda _: {"primary_priority": 32767},
    ),
    AntaCase(
        "vlan.VerifyVlanInternalPolicy",
        FRONT,
        typing(FRONT, ["vlan internal order descending range 1006 4094"], ["no vlan internal order"]),
        "Incorrect VLAN internal allocation policy configured - Expected: ascending Actual: descending",
        lambda _: {"policy": "ascending", "start_vlan_id": 1006, "end_vlan_id": 4094},
    ),
    AntaCase(
        "vlan.VerifyDynamicVlanSource",
        FRONT,
        seeding(FRONT, "dynamicVlans", "", "mlagsync 1401"),
        "Unexpected sources have VLANs allocated: mlagsync",
        lambda _: {"sources": [], "strict": True},
    ),
    AntaCase(
        "vlan.VerifyVlanStatus",
        FRONT,
        typing(FRONT, ["vlan 200", "state suspend"], ["vlan 200", "state active"]),
        "Vlan200 - Incorrect administrative status - Expected: active Actual: suspended",
        _statuses,
    ),
    AntaCase(
        f"{_TREE}.VerifySTPMode",
        FRONT,
        typing(FRONT, ["spanning-tree mode rapid-pvst"], ["spanning-tree mode mstp"]),
        "Incorrect STP mode - Expected: mstp Actual: rapidPvst",
        lambda lab: {"mode": "mstp", "vlans": _vlans(lab)},
    ),
    AntaCase(f"{_TREE}.VerifySTPBlockedPorts", FRONT, _BLOCKED, f"STP Instance: MST0 - Blocked ports - {_GROUP}"),
    AntaCase(
        f"{_TREE}.VerifySTPForwardingPorts",
        FRONT,
        _BLOCKED,
        f"VLAN 200 Interface: {_GROUP} - Invalid state - Expected: forwarding Actual: discarding",
        lambda lab: {"vlans": _vlans(lab)},
    ),
    AntaCase(
        f"{_TREE}.VerifySTPCounters",
        FRONT,
        seeding(FRONT, "bpduTaggedError", _GROUP, 4),
        f"{_GROUP} - STP BPDU packet tagged errors count mismatch - Expected: 0 Actual: 4",
    ),
    AntaCase(
        f"{_TREE}.VerifySTPRootPriority",
        FRONT,
        _on_both("spanning-tree mst 0 priority 8192", "spanning-tree mst 0 priority 4096"),
        "STP Instance: MST0 - Incorrect root priority - Expected: 4096 Actual: 8192",
        _priority,
    ),
    AntaCase(
        f"{_TREE}.VerifyStpTopologyChanges",
        FRONT,
        seeding(FRONT, "topologyChanges", _GROUP, 40),
        f"{_GROUP} - Number of changes not within the threshold - Expected: 10 Actual: 41",
        lambda _: {"threshold": 10},
    ),
    AntaCase(
        f"{_TREE}.VerifySTPDisabledVlans",
        FRONT,
        typing(FRONT, ["spanning-tree vlan-id 4094"], ["no spanning-tree vlan-id 4094"]),
        "VLAN: 4094 - STP is enabled",
        _without_tree,
    ),
]

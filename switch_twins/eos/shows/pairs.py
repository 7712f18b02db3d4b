"""show mlag, show mlag detail, show mlag config-sanity.

JSON keys and words: suzieq's recorded ``show mlag detail`` of a pair that is up and of a switch without one
(tests/recorded/eos_show/mlag.txt, mlag_disabled.txt), anta's tests of a pair that is not (mlag_broken.txt,
mlag_config_sanity.txt). What no source shows: what ``detail`` says while the peer is gone, and that ``state`` stays
``active`` then is a word of those tests alone (M).
"""

from __future__ import annotations

from typing import Any

from ...pairs import Pairing
from ...state import InterfaceState
from ..view import View

_HEARTBEAT_MS = 4000
_RELOAD_DELAY_S = 300
_WORDS = {True: "up", False: "down"}
_OFF: dict[str, Any] = {"state": "disabled", "localInterface": "", "peerLink": ""}


def mlag_json(view: View, parameters: dict[str, str]) -> dict[str, Any]:
    """``show mlag``, and with ``detail`` what it adds."""
    pairing = view.fabric.pair(view.device.name)
    answer = _answer(view, pairing) if pairing is not None else dict(_OFF)
    answer |= {"portsErrdisabled": False, "dualPrimaryPortsErrdisabled": False, **_delays(view)}
    answer["mlagPorts"] = _ports(view, pairing)
    return {**answer, "detail": _detail(view, pairing)} if "detail" in parameters else answer


def _answer(view: View, pairing: Pairing) -> dict[str, Any]:
    pair = pairing.config
    compared = {"configSanity": "inconsistent" if pairing.differences else "consistent"} if pairing.is_peer_up else {}
    local_is_up = pairing.is_peer_link_up and view.fabric.is_up(view.device.name, pair.talks_on)
    return {
        "state": "active",
        "negStatus": "connected" if pairing.is_peer_up else "connecting",
        "domainId": pair.domain,
        "localInterface": pair.talks_on,
        "peerAddress": pair.peer_address,
        "peerLink": pair.peer_link,
        "peerLinkStatus": _WORDS[pairing.is_peer_link_up],
        "localIntfStatus": _WORDS[local_is_up],
        "systemId": view.mac(),
        **compared,
    }


def _delays(view: View) -> dict[str, Any]:
    node = view.tree.first("mlag configuration")
    mlag, other = (node.value(f"reload-delay {what}", "seconds") if node else None for what in ("mlag", "non-mlag"))
    line = node.first("dual-primary recovery delay mlag") if node else None
    waits = line.params if line is not None else {}
    recovery = {
        "dualPrimaryMlagRecoveryDelay": int(waits.get("mlag", 0)),
        "dualPrimaryNonMlagRecoveryDelay": int(waits.get("other", 0)),
    }
    detection = node.first("dual-primary detection delay") if node else None
    return {
        "reloadDelay": int(mlag) if mlag and mlag.isdecimal() else _RELOAD_DELAY_S,
        "reloadDelayNonMlag": int(other) if other and other.isdecimal() else _RELOAD_DELAY_S,
        "dualPrimaryDetectionState": "disabled" if detection is None else "configured",
        **(recovery if detection is not None else {}),
    }


def _detail(view: View, pairing: Pairing | None) -> dict[str, Any]:
    if pairing is None:
        return {"mlagState": "disabled", "peerMlagState": "unknown", "enabled": False, "udpHeartbeatAlive": False}
    primary = pairing.role == "primary" or pairing.is_alone
    return {
        "mlagState": "primary" if primary else "secondary",
        "peerMlagState": ("secondary" if primary else "primary") if pairing.is_peer_up else "unknown",
        "enabled": True,
        "primaryPriority": pairing.config.priority,
        **_detection(view),
        "heartbeatInterval": _HEARTBEAT_MS,
        "udpHeartbeatAlive": pairing.is_keepalive_alive,
        "failover": pairing.is_alone and pairing.role == "secondary",
    }


def _detection(view: View) -> dict[str, Any]:
    """What is done about two primaries, and after how long."""
    node = view.tree.first("mlag configuration")
    line = node.first("dual-primary detection delay") if node is not None else None
    if line is None:
        return {}
    shuts = "errdisable" in line.words
    return {
        "dualPrimaryDetectionDelay": int(line.params["seconds"]),
        "dualPrimaryAction": "errdisableAllInterfaces" if shuts else "none",
    }


def _ports(view: View, pairing: Pairing | None) -> dict[str, int]:
    """How many groups over both switches are up on both, on one, on none."""
    counts = {"Disabled": 0, "Configured": 0, "Inactive": 0, "Active-partial": 0, "Active-full": 0}
    theirs = _up_by_number(view, pairing.peer.name) if pairing and pairing.peer and pairing.is_peer_up else {}
    for number, is_up in _up_by_number(view, view.device.name).items() if pairing is not None else ():
        both = is_up + theirs.get(number, False)
        counts[("Inactive", "Active-partial", "Active-full")[both]] += 1
    return counts


def _up_by_number(view: View, device: str) -> dict[str, bool]:
    groups: tuple[InterfaceState, ...] = view.fabric.state(device).interfaces
    return {each.over_both: view.fabric.is_up(device, each.name) for each in groups if each.over_both}


def config_sanity_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show mlag config-sanity``: only what differs."""
    pairing = view.fabric.pair(view.device.name)
    everywhere: dict[str, Any] = {}
    of_interfaces: dict[str, Any] = {}
    for each in pairing.differences if pairing is not None else ():
        values = {"localValue": each.own.value, "peerValue": each.peer_value}
        if each.own.interface:
            of_interfaces[each.own.name] = {"interface": {each.own.interface: values}}
        else:
            everywhere.setdefault("mlag", {"globalParameters": {}})["globalParameters"][each.own.name] = values
    return {
        "globalConfiguration": everywhere,
        "interfaceConfiguration": of_interfaces,
        "mlagActive": pairing is not None,
        "mlagConnected": pairing is not None and pairing.is_peer_up,
    }

"""What ``show interfaces`` says of a port beside its state: MTU, lanes, negotiation, counters.

JSON keys: tests/recorded/eos_show/port_counters.txt and interfaces.txt. A bridged port shows the Ethernet MTU, 9214
unless ``l2 mtu`` says otherwise, whatever its IP MTU is (there, of a vEOS 4.23.5M).
"""

from __future__ import annotations

from typing import Any

from ...engine import Node
from ...state import InterfaceState
from ..flags import is_on
from ..ports import speed_of
from ..seedable import TRANSMIT
from ..view import View
from .counters import errors_of

_LOOPBACK_MTU, _ETHERNET_MTU = 65535, 9214
_CAGE_LANES = 4
"""Of a port of which the speed does not say how many lanes it uses (M)."""


def _node(view: View, name: str) -> Node | None:
    return view.tree.first(f"interface {name}")


def port_facts(view: View, interface: InterfaceState) -> dict[str, Any]:
    """MTU, and of a port its lanes and how it negotiated."""
    node = _node(view, interface.name)
    found: dict[str, Any] = {"mtu": _mtu(interface, node)}
    if not interface.name.startswith("Ethernet") or "." in interface.name:
        return found
    speed = speed_of(node) if node is not None else None
    lanes = (speed.lanes if speed is not None else None) or (_CAGE_LANES if "/" in interface.name else 1)
    negotiates = "success" if view.fabric.is_up(view.device.name, interface.name) else "negotiating"
    has_own = node is not None and node.first("mtu") is not None
    return found | {
        "l3MtuConfigured": has_own,
        "l2Mru": 0,
        "lanes": lanes,
        "autoNegotiate": negotiates if interface.negotiate else "off",
    }


def _mtu(interface: InterfaceState, node: Node | None) -> int:
    if interface.is_loopback:
        return _LOOPBACK_MTU
    if interface.is_routed or node is None:
        return interface.mtu_bytes
    return int(node.value("l2 mtu", "mtu") or _ETHERNET_MTU)


def last_change_s(view: View, name: str) -> float:
    """When the port last came up or went down, as a time of day; of one that never did, when the switch started."""
    at_s = view.fabric.link_changes(view.device.name, name)[1]
    return view.timestamp(view.booted_s if at_s is None else max(at_s, view.booted_s))


def proxies_arp(view: View, name: str) -> bool:
    """Does it answer ARP for others?"""
    node = _node(view, name)
    return node is not None and is_on(node, "ip proxy-arp", False)


def port_counters(view: View, name: str) -> dict[str, Any]:
    """``interfaceCounters``: links that went and came, and packets of traffic that is played; all are unicast."""
    kinds = "Octets", "UcastPkts", "MulticastPkts", "BroadcastPkts"
    errors = errors_of(view, name)
    detail = {
        "runtFrames": errors["frameTooShorts"],
        "giantFrames": errors["frameTooLongs"],
        **{kind: errors[kind] for kind in ("fcsErrors", "alignmentErrors", "symbolErrors")},
        "rxPause": 0,
    }
    return {
        **{f"{way}{kind}": view.counter(f"{way}{kind}", name) for way in ("in", "out") for kind in kinds},
        **{way: view.counter(way, name) for way in ("inDiscards", "outDiscards")},
        "linkStatusChanges": view.fabric.link_changes(view.device.name, name)[0],
        "totalInErrors": errors["inErrors"],
        "inputErrorsDetail": detail,
        "totalOutErrors": errors["outErrors"],
        "outputErrorsDetail": {**{kind: view.counter(kind, name) for kind in TRANSMIT}, "txPause": 0},
    }

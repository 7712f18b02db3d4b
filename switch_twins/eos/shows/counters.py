"""show interfaces counters ..., platform trident counters, storm-control, LACP counters.

JSON keys: tests/recorded/eos_show/port_counters.txt and storm_control.txt; queues as text: counters_text.txt there.
Without traffic that is played a counter is 0 unless a test has seeded it. A switch without virtual output queues does
not know ``counters queue drops``: its words are those that anta 1.10.0 takes for "not on this platform"
(anta/constants.py).
"""

from __future__ import annotations

from typing import Any

from ...engine import Node
from ..configuration import IncompleteCommand
from ..seedable import ERRORS, QUEUES, TRIDENT_DROPS, TRIDENT_ERRORS
from ..view import View, short_name


def ethernet_ports(view: View) -> list[str]:
    """The names of all Ethernet ports that are not dark."""
    return [each.name for each in view.state.interfaces if _is_ethernet(each.name) and not each.is_dark]


def _is_ethernet(name: str) -> bool:
    return name.startswith("Ethernet") and "." not in name


def _counted(view: View) -> list[str]:
    """Ports and groups."""
    groups = [each.name for each in view.state.interfaces if each.is_group]
    return [*ethernet_ports(view), *groups]


def rates_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces counters rates``."""
    return {
        "interfaces": {
            name: {f"{way}BpsRate": float(view.seeded(f"{way}BpsRate", name)) for way in ("in", "out")}
            for name in _counted(view)
        }
    }


def errors_of(view: View, name: str) -> dict[str, int]:
    """The error counters of a port; what is counted as a kind of error is counted as an error as well."""
    found = {kind: view.counter(kind, name) for kind in ERRORS}
    kinds = ("fcsErrors", "alignmentErrors", "symbolErrors", "frameTooShorts", "frameTooLongs")
    return {**found, "inErrors": found["inErrors"] + sum(found[kind] for kind in kinds)}


def errors_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces counters errors``."""
    return {"interfaceErrorCounters": {name: errors_of(view, name) for name in _counted(view)}}


def discards_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces counters discards``."""
    found = {name: {way: view.counter(way, name) for way in ("inDiscards", "outDiscards")} for name in _counted(view)}
    totals = {f"{way}Total": sum(each[way] for each in found.values()) for way in ("inDiscards", "outDiscards")}
    return {**totals, "interfaces": found}


def queues_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces counters queue detail``: packets that were dropped for want of room."""
    found = {}
    for name in ethernet_ports(view):
        found[name] = {
            "ucastQueues": _classes(view, name, "unicast"),
            "mcastQueues": _classes(view, name, "multicast"),
        }
    return {"egressQueueCounters": {"interfaces": found}}


def queues_text(view: View, _: dict[str, str]) -> str:
    """The same as text, with all packets, in the order of the recorded columns."""
    lines = [
        "Port    TxQ     Counter/pkts      Counter/bytes      Drop/pkts     Drop/bytes",
        "------- ---- --------------- ------------------ -------------- --------------",
    ]
    for name in ethernet_ports(view):
        for kind, way in (("UC", "unicast"), ("MC", "multicast")):
            for queue in QUEUES:
                packets, size, drops = (
                    view.counter(f"{way}.TC{queue}.{what}", name) for what in ("packets", "bytes", "drops")
                )
                mean = size // packets if packets else 0
                lines.append(
                    f"{short_name(name):<7} {kind}{queue:<2} {packets:>15} {size:>18} {drops:>14} {drops * mean:>14}"
                )
    return "\n".join(lines) + "\n"


def _classes(view: View, name: str, way: str) -> dict[str, Any]:
    drops = {f"TC{queue}": view.counter(f"{way}.TC{queue}.drops", name) for queue in QUEUES}
    return {"trafficClasses": {each: {"dropPrecedences": {"DP0": {"droppedPackets": n}}} for each, n in drops.items()}}


def virtual_queues_json(_: View, __: dict[str, str]) -> dict[str, Any]:
    """``show interfaces counters queue drops``: switches without virtual output queues know it with more words only."""
    raise IncompleteCommand("Incomplete command (at token 4: 'drops')")


def trident_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show platform trident counters``."""
    kinds = {"drop": TRIDENT_DROPS, "error": TRIDENT_ERRORS}
    return {
        "ethernet": {
            port: {
                "count": {
                    **{kind: {n: view.counter(f"trident.{n}", port) for n in names} for kind, names in kinds.items()},
                    "ok": {},
                }
            }
            for port in ethernet_ports(view)
        }
    }


def lacp_counters_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show lacp counters all-ports``."""
    groups = {}
    for each in view.state.interfaces:
        if each.is_group:
            members = view.fabric.members(view.device.name, each.name)
            groups[each.name] = {"interfaces": {m.port: _lacp(view, m.port, m.is_bundled) for m in members}}
    return {"portChannels": groups, "orphanPorts": {}}


def _lacp(view: View, port: str, is_bundled: bool) -> dict[str, Any]:
    sent = ("lacpdusRxCount", "lacpdusTxCount", "markersTxCount", "markersRxCount")
    replies = ("markerResponseTxCount", "markerResponseRxCount")
    return {
        "actorPortStatus": "bundled" if is_bundled else "standby",
        "illegalRxCount": view.counter("illegalRxCount", port),
        **dict.fromkeys((*sent, *replies), 0),
    }


def storm_control_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show storm-control``: ports that have it."""
    found = {}
    for node in view.interfaces():
        limits = [line for line in node.find("storm-control") if not line.negated]
        if limits:
            name = node.params["name"]
            kinds = {kind: _limit(view, name, kind, line) for kind, line in (_named(each) for each in limits)}
            found[name] = {"trafficTypes": kinds, "active": True, "reason": "", "errdisabled": False}
    return {"aggregateTrafficClasses": {}, "interfaces": found}


def _named(line: Node) -> tuple[str, Node]:
    return line.words.split()[1], line


def _limit(view: View, name: str, kind: str, line: Node) -> dict[str, Any]:
    is_rate = "packets" in line.params
    return {
        "level": float(line.params["packets" if is_rate else "level"]),
        "thresholdType": "packetsPerSecond" if is_rate else "percentage",
        "rate": 0,
        "drop": view.counter(f"storm.{kind}", name),
        "dormant": False,
    }

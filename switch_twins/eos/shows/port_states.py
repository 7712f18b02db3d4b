"""show interfaces description, status errdisabled, ip interface brief, LACP interfaces, optics, phy detail.

JSON keys: tests/recorded/eos_show/port_states.txt and lacp.txt.
"""

from __future__ import annotations

from typing import Any

from ...groups import Member
from ...optics import Optic, optics
from ...partners import partners
from ...seeds import ERRDISABLED
from ...state import InterfaceState
from ..view import View
from .counters import ethernet_ports
from .interfaces import bandwidth_bps, is_up, status
from .media import copper_ports, media_type

_LOOPBACK_MTU = 65535


def descriptions_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces description``."""
    found = {}
    for each in view.state.interfaces:
        up = is_up(view, each)
        found[each.name] = {
            "description": each.description,
            "interfaceStatus": "adminDown" if not each.is_admin_up else "up" if up else "down",
            "lineProtocolStatus": "up" if up else "down",
        }
    return {"interfaceDescriptions": found}


def errdisabled_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces status errdisabled``: only the ports that are."""
    shut = view.fabric.seeds.where(view.device.name, ERRDISABLED)
    described = {each.name: each.description for each in view.state.interfaces}
    return {
        "interfaceStatuses": {
            name: {"description": described.get(name, ""), "status": "errdisabled", "causes": [cause]}
            for name, cause in shut.items()
        }
    }


def ip_brief_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show ip interface brief``."""
    found = {}
    for each in view.state.interfaces:
        if not each.addresses or not each.is_routed:
            continue
        address, length = each.addresses[0].split("/")
        found[each.name] = {
            "name": each.name,
            "interfaceStatus": status(view, each),
            "lineProtocolStatus": "up" if is_up(view, each) else "down",
            "mtu": _LOOPBACK_MTU if each.is_loopback else each.mtu_bytes,
            "interfaceAddress": {"ipAddr": {"address": address, "maskLen": int(length)}},
            "ipv4Routable240": False,
        }
    return {"interfaces": found}


def lacp_interfaces_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show lacp interface detailed``: of each member, what it says and what it hears."""
    fast = {each.name: each.lacp_is_fast for each in view.state.interfaces}
    groups = {}
    for each in view.state.interfaces:
        if each.is_group:
            heard = {partner.port: partner for partner in partners(view.fabric, view.device.name, each.name)}
            members = view.fabric.members(view.device.name, each.name)
            groups[each.name] = {
                "interfaces": {
                    m.port: _lacp(m, fast[m.port], heard[m.port].is_fast if m.port in heard else None) for m in members
                }
            }
    return {"portChannels": groups, "orphanPorts": {}}


def _lacp(member: Member, is_fast: bool, partner_is_fast: bool | None) -> dict[str, Any]:
    """``partner_is_fast`` None: no partner is heard."""
    used = member.is_bundled
    return {
        "actorPortStatus": "bundled" if used else "standby",
        "actorPortState": _flags(used, is_fast),
        "partnerPortState": _flags(used, partner_is_fast is True, activity=partner_is_fast is not None),
        "details": {"actorChurnState": "noChurn", "partnerChurnState": "noChurn"},
    }


def _flags(used: bool, is_fast: bool, activity: bool = True) -> dict[str, bool]:
    in_use = dict.fromkeys(("synchronization", "collecting", "distributing"), used)
    return {"activity": activity, "timeout": is_fast, "aggregation": activity, **in_use}


# -- light ---------------------------------------------------------------------------------------------------------

_LOW_ALARM_DBM, _LOW_WARN_DBM = -13.29754146925876, -10.301183562535002
"""Of a 100GBASE-SR4 (tests/recorded/eos_show/port_states.txt): the lab does not know its optics' own."""
_CHANNELS = 4


def transceivers_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces transceiver dom thresholds``: of ports without an optic the name alone."""
    there = {each.port: each for each in optics(view.fabric, view.device.name)}
    without = copper_ports(view.device)
    states = {each.name: each for each in view.state.interfaces}
    found: dict[str, Any] = {name: {"displayName": name} for name in ethernet_ports(view) if name not in without}
    for name in found:
        if name in there:
            gbps = bandwidth_bps(view, states[name]) // 1_000_000_000
            serial = f"{view.device.serial}{name.removeprefix('Ethernet').replace('/', '')}"
            found[name] |= {"vendorSn": serial, "mediaType": media_type(view, name, gbps), **_light(there[name])}
    return {"interfaces": found}


def _light(optic: Optic) -> dict[str, Any]:
    received = {
        "unit": "dBm",
        "channels": {str(lane): float(optic.rx_dbm) for lane in range(1, _CHANNELS + 1)},
        "threshold": {
            "lowAlarm": _LOW_ALARM_DBM,
            "lowAlarmOverridden": False,
            "lowWarn": _LOW_WARN_DBM,
            "lowWarnOverridden": False,
        },
    }
    heat = {"unit": "C", "channels": {"-": float(optic.temperature_c)}}
    sent = {"unit": "dBm", "channels": {str(lane): float(optic.tx_dbm) for lane in range(1, _CHANNELS + 1)}}
    return {"parameters": {"temperature": heat, "rxPower": received, "txPower": sent}}


def phy_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces phy detail``: FEC's counters of ports that have it."""
    found = {}
    for each in view.state.interfaces:
        if each.name.startswith("Ethernet") and not each.is_dark and "." not in each.name:
            status = {"description": {}, "phyState": _changed(view, _link_word(view, each))}
            if each.fec not in (None, "none"):
                status |= _fec(view, each.name)
            found[each.name] = {"phyStatuses": [status], "interfaceState": {}, "transceiver": {}, "macFaults": {}}
    return {"interfacePhyStatuses": found}


def _link_word(view: View, port: InterfaceState) -> str:
    return "linkUp" if view.fabric.is_up(view.device.name, port.name) else "linkDown"


def _changed(view: View, value: Any) -> dict[str, Any]:  # noqa: ANN401 - a word or a number
    return {"value": value, "changes": 0, "lastChange": view.timestamp(view.booted_s)}


def _fec(view: View, name: str) -> dict[str, Any]:
    kinds = ("correctedCodewords", "uncorrectedCodewords")
    return {
        "fec": {kind: _changed(view, view.counter(kind, name)) for kind in kinds},
        "preFecBer": {"value": float(view.seeded("preFecBer", name))},
    }

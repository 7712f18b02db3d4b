"""show clock, show reload cause, show inventory, show vrf: text (tests/recorded/eos_show/system_text.txt).

The columns of ``show inventory``, the source of the clock and what a switch without a name plate says of its parts are
the lab's (M).
"""

from __future__ import annotations

import textwrap
import time

from ...optics import optics
from ...parts import FANS, SUPPLIES
from ..flags import is_on
from ..view import View, short_name
from .interfaces import bandwidth_bps
from .media import copper_ports, media_type

_VRFS = 1023
_FAN, _SUPPLY, _MADE = "FAN-7000-F", "PWR-500AC-F", "2024-01-01"


def clock_text(view: View, _: dict[str, str]) -> str:
    """``show clock``."""
    return _date(view.machine.utc_s()) + "\nTimezone: UTC\nClock source: local\n"


def _date(utc_s: float) -> str:
    return time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(utc_s))


def reload_cause_text(view: View, _: dict[str, str]) -> str:
    """``show reload cause``: nothing of a switch that runs since the lab began (M)."""
    machine = view.machine
    if not machine.reload_cause:
        return ""
    parts = {
        "Reload Cause 1": machine.reload_cause,
        "Reload Time": f"Reload occurred at {_date(machine.reloaded_at)} UTC.",
        "Recommended Action": "No action necessary.",
        "Debugging Information": "None available.",
    }
    return "\n".join(f"{title}:\n{'-' * 19}\n{text}\n" for title, text in parts.items())


def inventory_text(view: View, _: dict[str, str]) -> str:
    """``show inventory``: parts that are broken are there all the same."""
    device = view.device
    cages = [port for port in device.ports if port.startswith("Ethernet") and port not in copper_ports(device)]
    there = {each.port: number for number, each in enumerate(optics(view.fabric, device.name), start=1)}
    states = {each.name: each for each in view.state.interfaces}
    rows = []
    for port in cages:
        number = port.removeprefix("Ethernet").removesuffix("/1")
        if port in there:
            media = media_type(view, port, bandwidth_bps(view, states[port]) // 1_000_000_000)
            rows.append(f" {number:<4} {'Arista Networks':<16} {media:<16} {device.serial}{there[port]:04d} 01")
        else:
            rows.append(f" {number:<4} Not Present")
    return "\n".join(
        [
            "System information",
            f" {'Model':<24} Description",
            f" {'-' * 24} {'-' * 52}",
            f" {f'DCS-{device.model}-F':<24} {len(device.ports)}-port switch",
            " HW Version  Serial Number  Mfg Date   Epoch",
            " ----------- -------------- ---------- -----",
            f" {'11.00':<11} {device.serial:<14} {_MADE} 01.00",
            f"System has {SUPPLIES} power supply slots",
            f" Slot {'Model':<16} Serial Number",
            f" ---- {'-' * 16} {'-' * 16}",
            *(f" {n:<4} {_SUPPLY:<16} {device.serial}P{n}" for n in _there(view, "supply", SUPPLIES)),
            f"System has {FANS} fan modules",
            f" Module  Number of Fans  {'Model':<16} Serial Number",
            f" ------- --------------- {'-' * 16} {'-' * 16}",
            *(f" {n:<7} {1:<15} {_FAN:<16} N/A" for n in _there(view, "fan", FANS)),
            f"System has {len(device.ports) + 1} ports",
            f" {'Type':<16} Count",
            f" {'-' * 16} ----",
            f" {'Management':<16} 1",
            f" {'Switched':<16} {len(device.ports)}",
            f"System has {len(cages)} transceiver slots",
            f" Port {'Manufacturer':<16} {'Model':<16} {'Serial Number':<16} Rev",
            f" ---- {'-' * 16} {'-' * 16} {'-' * 16} ----",
            *rows,
            "",
        ]
    )


def _there(view: View, kind: str, slots: int) -> list[int]:
    parts, name = view.fabric.parts, view.device.name
    return [number for number in range(1, slots + 1) if parts.is_there(name, f"{kind}-{number}")]


def vrf_text(view: View, _: dict[str, str]) -> str:
    """``show vrf``: a line for each family, interfaces on as many as they need."""
    lines = [f"Maximum number of VRFs allowed: {_VRFS}"]
    lines.append(f"   {'VRF':<15} {'Protocols':<15} {'State':<13} {'Interfaces':<39}")
    lines.append(f"{'-' * 15} {'-' * 15} {'-' * 16} {'-' * 39}")
    for name in ("default", *(node.params["vrf"] for node in view.tree.find("vrf instance"))):
        ports = ", ".join(
            short_name(each.name) for each in view.state.interfaces if each.vrf == name and each.addresses
        )
        routing = view.state.is_routing if name == "default" else is_on(view.tree.root, f"ip routing vrf {name}", False)
        for family, is_routing in (("IPv4", routing), ("IPv6", False)):
            first, *more = textwrap.wrap(ports, 38) or [""]
            state = "routing" if is_routing else "no routing"
            lines.append(f"   {name:<15} {family:<15} {state:<13} {first if family == 'IPv4' else '':<39}")
            lines += [f"{'':<49}{part}" for part in (more if family == "IPv4" else ())]
    return "\n".join(lines) + "\n"

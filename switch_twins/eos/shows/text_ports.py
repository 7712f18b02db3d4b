"""show interfaces description, show ip interface brief: text (tests/recorded/eos_show/interfaces_text.txt)."""

from __future__ import annotations

from ...state import InterfaceState
from ..view import View, short_name
from .interfaces import is_up

_LOOPBACK_MTU = 65535


def description_text(view: View, _: dict[str, str]) -> str:
    """``show interfaces description``."""
    lines = [f"{'Interface':<30} {'Status':<14} {'Protocol':<18} Description"]
    for each in view.state.interfaces:
        status, protocol = _status(view, each)
        lines.append(f"{short_name(each.name):<30} {status:<14} {protocol:<18} {each.description}".rstrip())
    return "\n".join(lines) + "\n"


def _status(view: View, interface: InterfaceState) -> tuple[str, str]:
    if not interface.is_admin_up:
        return "admin down", "down"
    if is_up(view, interface):
        return "up", "up"
    is_empty = interface.name.startswith("Ethernet") and interface.name not in view.fabric.wiring.ports_of(
        view.device.name
    )
    return "down", "notpresent" if is_empty else "lowerlayerdown" if "." in interface.name else "down"


def ip_brief_text(view: View, _: dict[str, str]) -> str:
    """``show ip interface brief``: of interfaces with an address, all VRFs."""
    lines = [f"{'Interface':<22} {'IP Address':<18} {'Status':<10} {'Protocol':<16} MTU"]
    for each in view.state.interfaces:
        if each.addresses and each.is_routed:
            up = is_up(view, each)
            protocol = "up" if up else "lowerlayerdown" if each.is_admin_up else "down"
            mtu = _LOOPBACK_MTU if each.is_loopback else each.mtu_bytes
            lines.append(
                f"{each.name:<22} {each.addresses[0]:<18} {'up' if up else 'down':<10} {protocol:<16} {mtu:>5}"
            )
    return "\n".join(lines) + "\n"

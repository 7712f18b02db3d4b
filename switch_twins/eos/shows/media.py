"""What is plugged into a port, by its speed: the twin knows no media (M)."""

from __future__ import annotations

import re

from ...spec import DeviceSpec
from ..view import View

_BY_GBPS = {
    1: "1000BASE-T",
    10: "10GBASE-CR",
    25: "25GBASE-CR",
    40: "40GBASE-CR4",
    50: "50GBASE-CR2",
    100: "100GBASE-CR4",
    200: "200GBASE-CR4",
    400: "400GBASE-DR4",
    800: "800GBASE-DR8",
}


def media_type(view: View, interface: str, gbps: int) -> str:
    """The word of ``show interfaces status``."""
    if interface.startswith("Management"):
        return "10/100/1000"
    if not interface.startswith("Ethernet"):
        return "N/A"
    if interface in copper_ports(view.device):
        return _BY_GBPS[1]
    is_there = interface in view.fabric.wiring.ports_of(view.device.name)
    return _BY_GBPS.get(gbps, _BY_GBPS[400]) if is_there else "Not Present"


def copper_ports(device: DeviceSpec) -> frozenset[str]:
    """RJ45 ports, by the T in Arista's model names: the first 48 of a 7010TX-48. They have no optics."""
    found = re.match(r"(?:DCS-)?\d{4}TX?\d?-(\d+)", device.model)
    return frozenset(f"Ethernet{number}" for number in range(1, int(found[1]) + 1)) if found else frozenset()

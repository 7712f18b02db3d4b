"""What the optics in a switch's ports say of the light: there if the far end sends and the cable is whole.

The twin does not know media, so every port with a cable has an optic. Levels are the lab's (M): within what vendors
call normal for short and medium reach, and the lowest a receiver can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spec import End

if TYPE_CHECKING:
    from .fabric import FabricSim

LIT_DBM, DARK_DBM = -1.0, -30.0
BIAS_MA, VOLTAGE_V, TEMPERATURE_C = 6.5, 3.3, 35.0


@dataclass(frozen=True, slots=True)
class Optic:
    """One port's. ``bias_ma``: of the laser, 0 while it is off. A test may seed what is received, and the heat."""

    port: str
    tx_dbm: float
    rx_dbm: float
    bias_ma: float
    temperature_c: float = TEMPERATURE_C


def optics(fabric: FabricSim, device: str) -> Iterator[Optic]:
    """Of each port into which a cable is plugged, in order of the switch's interfaces."""
    plugged = fabric.wiring.ports_of(device)
    for interface in fabric.state(device).interfaces:
        if interface.name in plugged:
            far, is_whole = fabric.wiring.far(End(device, interface.name))
            is_lit = is_whole and far is not None and _sends(fabric, far)
            tx = LIT_DBM if interface.is_admin_up else DARK_DBM
            bias = BIAS_MA if interface.is_admin_up else 0.0
            low, hot = (
                fabric.counted.impairments.amount(k, device, interface.name) for k in ("low-light", "hot-optic")
            )
            received = (LIT_DBM if low is None else low) if is_lit else DARK_DBM
            rx = fabric.seeds.number(device, "rxPower", interface.name, received)
            normal = TEMPERATURE_C if hot is None else hot
            heat = fabric.seeds.number(device, "temperature", interface.name, normal)
            yield Optic(interface.name, tx, rx, bias, heat)


def _sends(fabric: FabricSim, end: End) -> bool:
    """Is the laser at this end on? A host's always is."""
    if end in fabric.wiring.hosts:
        return True
    if not fabric.knows(end.device) or fabric.is_off(end.device):
        return False
    return any(each.name == end.port and each.is_admin_up for each in fabric.state(end.device).interfaces)

"""What can be seeded in an NX-OS switch: each name is read by a show command."""

from __future__ import annotations

from collections.abc import Mapping

from ..seeds import Seedable
from .show_hardware import SENSORS
from .show_interfaces import COUNTERS

SEEDABLE: Mapping[str, Seedable] = {
    **dict.fromkeys(COUNTERS, Seedable("port")),
    **{f"temperature.{name}": Seedable("switch", "reading") for name, *_ in SENSORS},
    "cpu": Seedable("switch", "reading"),
    "serial": Seedable("switch", "word"),
    "moduleStatus": Seedable("switch", "word"),
}
"""``cpu``: load in percent; ``serial``: of another chassis, put there by hand; ``moduleStatus``: of its one module."""

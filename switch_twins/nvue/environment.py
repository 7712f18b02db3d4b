"""platform/environment: power supplies, by the lab's parts. Names and states: tests/recorded/nvue_show/supplies.txt.

The state of one that does not work has no source (M).
"""

from __future__ import annotations

from typing import Any

from ..fabric import FabricSim
from ..parts import SUPPLIES


def environment(fabric: FabricSim, device: str) -> dict[str, Any]:
    """What works of it."""
    works = {number: fabric.parts.works(device, f"supply-{number}") for number in range(1, SUPPLIES + 1)}
    return {"psu": {f"PSU{number}": {"state": "ok" if is_ok else "bad"} for number, is_ok in works.items()}}

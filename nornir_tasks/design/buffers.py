"""ECN thresholds as one ASIC holds them."""

from typing import Literal

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.device_config import Ecn


def held_ecn(wish: Ecn | Literal["auto"], capabilities: Capabilities) -> Ecn:
    """The thresholds, rounded up to the ASIC's cells. ``auto`` is the start value published for the ASIC."""
    if wish == "auto":
        return capabilities.ecn_auto
    cell = capabilities.ecn_cell_bytes
    return Ecn(_round_up(wish.min_bytes, cell), _round_up(wish.max_bytes, cell), wish.probability_percent)


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step

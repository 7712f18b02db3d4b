"""How the ports at both ends of a link run their lanes."""

from functools import cache
from typing import Literal

from nornir_tasks.design.config.interfaces import Layer1
from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.media import NRZ_LANE_GBPS


def layer1(link: Link, slot: Slot | None) -> Layer1 | None:
    """Layer 1 of one end; None on a host. Ports with equal settings share one object.

    None for twisted pair too: 1000BASE-T must negotiate (IEEE 802.3, 40.5.1), which switches do unless a line forces a
    speed, and has no error correction to choose.
    """
    if slot is None or link.is_twisted_pair:
        return None
    is_in_module = link.fec_is_in_module and slot.lanes * NRZ_LANE_GBPS == link.speed_gbps
    return _shared(link.speed_gbps, slot.lanes, "none" if is_in_module else link.fec, link.negotiate)


@cache
def _shared(speed_gbps: int, lanes: int, fec: Literal["rs", "fc", "none"], negotiate: bool) -> Layer1:
    return Layer1(speed_gbps, lanes, fec, negotiate)

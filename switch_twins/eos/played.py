"""Which counter of an EOS switch counts what of played traffic, by the names of seedable.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..counted import PortCounts, whole
from ..fabric import FabricSim
from .seedable import QUEUES

_Of = Callable[[PortCounts], float]


def _queue(number: int) -> dict[str, _Of]:
    return {
        f"ecn.{number}": lambda counts: counts.marked[number],
        f"unicast.TC{number}.packets": lambda counts: counts.queue_packets[number],
        f"unicast.TC{number}.bytes": lambda counts: counts.queue_bytes[number],
        f"unicast.TC{number}.drops": lambda counts: counts.dropped[number],
        f"rxPfc.{number}": lambda counts: counts.pfc_rx[number],
        f"txPfc.{number}": lambda counts: counts.pfc_tx[number],
        f"stuck.{number}": lambda counts: counts.watchdog[number],
        f"recovered.{number}": lambda counts: counts.recovered[number],
    }


_BY_TRAFFIC: Mapping[str, _Of] = {
    "inOctets": lambda counts: counts.bytes_in,
    "outOctets": lambda counts: counts.bytes_out,
    "inUcastPkts": lambda counts: counts.packets_in,
    "outUcastPkts": lambda counts: counts.packets_out,
    "inDiscards": lambda counts: sum(counts.input_drops),
    "outDiscards": lambda counts: sum(counts.dropped),
    **{name: of for number in QUEUES for name, of in _queue(number).items()},
}
_OVER_ALL = {"rxPfc": [f"rxPfc.{number}" for number in QUEUES], "txPfc": [f"txPfc.{number}" for number in QUEUES]}
_BY_ERRORS = {
    "fcsErrors": "crc-errors",
    "symbolErrors": "symbol-errors",
    "correctedCodewords": "fec-corrected",
    "uncorrectedCodewords": "fec-uncorrected",
}


def played(fabric: FabricSim, device: str, what: str, port: str) -> int:
    """What a counter of a port has of traffic and of impairments; 0 for one that counts neither."""
    if what in _BY_ERRORS:
        return fabric.added(_BY_ERRORS[what], device, port)
    counts = fabric.counted.shown(device, port)
    return sum(whole(_BY_TRAFFIC[name](counts)) for name in _OVER_ALL.get(what, [what]) if name in _BY_TRAFFIC)

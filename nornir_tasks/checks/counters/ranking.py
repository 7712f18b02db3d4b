"""What grew between two readings, what hurts most first: ``nornir counters``. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nornir_tasks.checks.counters.links import BRIGHT_DBM, DARK_DBM, HOT_C
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.evidence import End
from nornir_tasks.platforms.counted import GAUGES, Counter, Place

HURTS = (
    Counter.QUEUE_DROPS,
    Counter.INPUT_DROPS,
    Counter.WATCHDOG,
    Counter.XID,
    Counter.NVLINK_ERRORS,
    Counter.FEC_UNCORRECTED,
    Counter.CRC_ERRORS,
    Counter.SYMBOL_ERRORS,
    Counter.LINK_CHANGES,
    Counter.SEQUENCE_ERRORS,
    Counter.RETRANSMITS,
    Counter.OUT_OF_SEQUENCE,
    Counter.OUT_OF_BUFFER,
    Counter.CNP_IGNORED,
    Counter.PAUSE_RX_US,
    Counter.PFC_RX,
    Counter.PAUSE_TX_US,
    Counter.PFC_TX,
    Counter.RX_POWER_DBM,
    Counter.TX_POWER_DBM,
    Counter.TEMPERATURE_C,
    Counter.ECN_MARKED,
    Counter.ECN_RECEIVED,
    Counter.CNP_SENT,
    Counter.CNP_HANDLED,
    Counter.FEC_CORRECTED,
    Counter.WATERMARK_BYTES,
    Counter.QUEUE_PACKETS,
    Counter.BYTES_OUT,
    Counter.BYTES_IN,
    Counter.PACKETS_OUT,
    Counter.PACKETS_IN,
)
"""What is lost before what waits, what waits before what was marked, and that before what merely passed: chosen."""
USUAL = frozenset(HURTS[HURTS.index(Counter.FEC_CORRECTED) :])
"""Grows on every link that works: listed only for a port or host that is named."""


@dataclass(frozen=True, slots=True)
class Row:
    """One counter at one place."""

    device: str
    place: Place
    counter: Counter
    grown: float
    """Between both readings; of a gauge its value now."""
    per_s: float | None
    """None: a gauge."""
    total: float
    """As the device counts it: since it started, or was cleared."""
    lossless: bool | None
    """Is the priority or queue one that is paused, by the design? None: of no class."""
    far: str
    """``spine-1 swp1``; empty: nothing of the plan."""
    cable: str


def ranked(soak: Soak, ends: Collection[End] = (), *, everything: bool = False) -> list[Row]:
    """Rows by how much they hurt, of one counter the largest rate first, lossless classes before others.

    ``ends``: of these ports alone. ``everything``: what did not grow, and what every link counts, as well.
    """
    rows = [row for row in _rows(soak, frozenset(ends)) if everything or _is_worth(row)]
    place = {counter: number for number, counter in enumerate(HURTS)}
    return sorted(rows, key=lambda each: (not each.grown, place[each.counter], not each.lossless, -abs(each.grown)))


def _is_worth(row: Row) -> bool:
    if row.counter is Counter.TEMPERATURE_C:
        return row.grown > HOT_C
    if row.counter in GAUGES:
        return row.counter not in USUAL and not DARK_DBM <= row.grown <= BRIGHT_DBM
    return row.grown > 0 and row.counter not in USUAL


def _rows(soak: Soak, ends: frozenset[End]) -> Iterator[Row]:
    for device, rates in soak.rates.items():
        for counter, places in rates.grown.items() if rates.is_whole else ():
            for place, value in places.items():
                if ends and (device, place.port) not in ends and (device, "") not in ends:
                    continue
                far, link = soak.far(device, place.port), soak.link(device, place.port)
                yield Row(
                    device,
                    place,
                    counter,
                    value,
                    None if counter in GAUGES else value / rates.seconds,
                    rates.totals[counter][place],
                    _lossless(soak, device, place, counter),
                    f"{far.device} {far.port}" if far else "",
                    link.cable if link else "",
                )


_OF_QUEUE = frozenset({Counter.QUEUE_DROPS, Counter.QUEUE_PACKETS, Counter.ECN_MARKED, Counter.WATCHDOG})
_OF_PRIORITY = frozenset({Counter.PFC_RX, Counter.PFC_TX, Counter.PAUSE_RX_US, Counter.PAUSE_TX_US})


def _lossless(soak: Soak, device: str, place: Place, counter: Counter) -> bool | None:
    if place.index is None or counter not in _OF_QUEUE | _OF_PRIORITY:
        return None
    if device in soak.hosts:
        known = soak.classes_of_hosts.get((device, place.port))
        return known is not None and place.index in known[0]
    queues = soak.lossless_queues if counter in _OF_QUEUE else soak.lossless
    return place.index in queues(device, place.port)

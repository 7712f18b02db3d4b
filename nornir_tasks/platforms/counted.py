"""What switches and hosts count, in one neutral shape: two readings of it make rates, which the rules of a soak judge.

A counter that a system does not show is in ``not_read`` with the reason, and no rule takes its absence for zero.
"""

from array import array
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import NamedTuple


class Counter(StrEnum):
    """One thing that is counted. What is not a total since some time is in ``GAUGES``."""

    PFC_RX = "pfc-frames-received"
    """Pause frames of one priority that came in: the far end asks this one to stop."""
    PFC_TX = "pfc-frames-sent"
    PAUSE_RX_US = "pause-time-received"
    """Microseconds for which one priority of the port was stopped by the far end."""
    PAUSE_TX_US = "pause-time-sent"
    ECN_MARKED = "ecn-marked-packets"
    QUEUE_PACKETS = "queue-packets"
    """Packets that left by one queue."""
    QUEUE_DROPS = "queue-drops"
    """Packets that one queue dropped at the way out."""
    INPUT_DROPS = "input-buffer-drops"
    """Packets dropped at the way in because no buffer was free."""
    WATCHDOG = "watchdog-events"
    """How often the PFC watchdog found one queue stuck."""
    WATERMARK_BYTES = "queue-watermark"
    PACKETS_IN = "packets-in"
    PACKETS_OUT = "packets-out"
    BYTES_IN = "bytes-in"
    BYTES_OUT = "bytes-out"
    FEC_CORRECTED = "fec-corrected"
    FEC_UNCORRECTED = "fec-uncorrected"
    SYMBOL_ERRORS = "symbol-errors"
    CRC_ERRORS = "crc-errors"
    LINK_CHANGES = "link-changes"
    RX_POWER_DBM = "optic-power-received"
    TX_POWER_DBM = "optic-power-sent"
    TEMPERATURE_C = "optic-temperature"
    # Hosts alone.
    CNP_SENT = "cnp-sent"
    CNP_HANDLED = "cnp-handled"
    CNP_IGNORED = "cnp-ignored"
    ECN_RECEIVED = "ecn-marked-received"
    OUT_OF_SEQUENCE = "out-of-sequence"
    SEQUENCE_ERRORS = "packet-sequence-errors"
    RETRANSMITS = "adaptive-retransmissions"
    OUT_OF_BUFFER = "receive-out-of-buffer"
    XID = "gpu-xid-errors"
    NVLINK_ERRORS = "nvlink-errors"


GAUGES = frozenset({Counter.WATERMARK_BYTES, Counter.RX_POWER_DBM, Counter.TX_POWER_DBM, Counter.TEMPERATURE_C})
"""Values of now; all others only grow until they are cleared or the device starts again."""


class Place(NamedTuple):
    """Where something is counted."""

    port: str
    """The switch's name of the port, or the host's of its interface, RDMA device or GPU."""
    index: int | None = None  # type: ignore[assignment] # no place is searched as a tuple
    """The priority of PFC counters, a queue (traffic class), the lane of optics; None: the port."""


class Layout:
    """Places in their order. Switches that count at the same places share one: large fabrics have millions of them."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        self.places = places

    @cached_property
    def at(self) -> Mapping[Place, int]:
        """Place -> its number in the order."""
        return {place: number for number, place in enumerate(self.places)}

    @cached_property
    def of_port(self) -> Mapping[str, tuple[tuple[int | None, int], ...]]:
        """Port -> (priority, queue or lane; its number in the order) of each place there."""
        found: dict[str, list[tuple[int | None, int]]] = {}
        for number, place in enumerate(self.places):
            found.setdefault(place.port, []).append((place.index, number))
        return {port: tuple(each) for port, each in found.items()}


_layout = lru_cache(maxsize=4_000)(Layout)
"""By places. A fabric has a handful for each model of switch and counter."""


class Counts(Mapping[Place, float]):
    """What one counter has at its places: eight bytes each, and the places shared."""

    __slots__ = ("layout", "numbers")

    def __init__(self, layout: Layout, numbers: "array[int] | array[float]") -> None:
        self.layout = layout
        self.numbers = numbers

    @classmethod
    def of(cls, counted: Mapping[Place, float]) -> "Counts":
        """The same, compact; as whole numbers where all are counts of 64 bits."""
        if isinstance(counted, cls):
            return counted
        try:
            return cls(_layout(tuple(counted)), array("Q", counted.values()))
        except (TypeError, OverflowError):
            return cls(_layout(tuple(counted)), array("d", counted.values()))

    def __getitem__(self, place: Place) -> float:
        return self.numbers[self.layout.at[place]]

    def __iter__(self) -> Iterator[Place]:
        return iter(self.layout.places)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return repr(dict(self))

    def items(self) -> ItemsView[Place, float]:
        """As of a dictionary, without a look-up for each."""
        return _Items(self)

    def values(self) -> ValuesView[float]:
        """As of a dictionary, without a look-up for each."""
        return _Values(self)


class _Items(ItemsView[Place, float]):
    _mapping: Counts

    def __iter__(self) -> Iterator[tuple[Place, float]]:
        return zip(self._mapping.layout.places, self._mapping.numbers, strict=True)


class _Values(ValuesView[float]):
    _mapping: Counts

    def __iter__(self) -> Iterator[float]:
        return iter(self._mapping.numbers)


@dataclass(frozen=True, slots=True)
class Reading:
    """All counters of one device at one time."""

    device: str
    read_at_s: float
    """By the reader's monotonic clock, when the answer with the device's own clock had come."""
    clock_s: float | None
    """By the device's own clock, seconds since 1970; None where it does not say."""
    uptime_s: float | None
    """Since the device started; smaller in the later reading: it started between the two."""
    values: Mapping[Counter, Mapping[Place, float]]
    not_read: Mapping[Counter, str] = field(default_factory=dict)
    """Counters that this system does not show, each with the reason, for people."""
    problems: tuple[str, ...] = ()
    """What was asked for and not understood: each names the request, the place in the answer, expected and found."""
    sent_s: float | None = None
    """By the same clock, when the device's was asked for: it is of some moment from then on. None: not known."""
    doubtful: frozenset[Counter] = frozenset()
    """Counters that these may be of: none of them is known everywhere."""

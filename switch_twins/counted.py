"""What the ports of a lab have counted: zero until traffic is played (traffic/), or something is impaired.

Packets are fractions inside, as traffic is played as a fluid; who shows a counter shows whole ones (``whole``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .impairments import Impairments
from .spec import End

CLASSES = 8
"""Priorities of PFC, and queues of a port."""


def _each() -> list[float]:
    return [0.0] * CLASSES


@dataclass(slots=True)
class PortCounts:
    """One port, of a switch or of a host. Lists are by priority (``pfc``, ``paused``) or by queue (the others).

    paused_rx_s       seconds for which the far end had stopped this priority; ``paused_tx_s``: this end the far one
    queue_packets     that left by a queue;  dropped: at the way out;  marked: with congestion experienced (ECN)
    packets_of        packets of a priority that came in
    input_drops       packets of a priority that came in and found no buffer
    watermark_bytes   the most that was in a queue
    watchdog          how often a queue was found stuck;  recovered: how often it went on after that
    cnp_sent ...      of hosts alone: notifications of congestion sent, and those on which it slowed down, or did not
    marked_in         of hosts alone: packets received that some switch had marked
    out_of_sequence   of hosts alone: packets received after one that was lost; sequence_errors: what its sender was
                      told of that
    """

    packets_in: float = 0.0
    packets_out: float = 0.0
    bytes_in: float = 0.0
    bytes_out: float = 0.0
    pfc_rx: list[float] = field(default_factory=_each)
    pfc_tx: list[float] = field(default_factory=_each)
    paused_rx_s: list[float] = field(default_factory=_each)
    paused_tx_s: list[float] = field(default_factory=_each)
    queue_packets: list[float] = field(default_factory=_each)
    queue_bytes: list[float] = field(default_factory=_each)
    dropped: list[float] = field(default_factory=_each)
    marked: list[float] = field(default_factory=_each)
    packets_of: list[float] = field(default_factory=_each)
    input_drops: list[float] = field(default_factory=_each)
    watermark_bytes: list[float] = field(default_factory=_each)
    watchdog: list[float] = field(default_factory=_each)
    recovered: list[float] = field(default_factory=_each)
    cnp_sent: float = 0.0
    cnp_handled: float = 0.0
    cnp_ignored: float = 0.0
    marked_in: float = 0.0
    out_of_sequence: float = 0.0
    sequence_errors: float = 0.0


_NOTHING = PortCounts()


class Counted:
    """What was counted, by port; and what is impaired."""

    def __init__(self) -> None:
        self._ports: dict[End, PortCounts] = {}
        self.impairments = Impairments()

    def of(self, end: End) -> PortCounts:
        """The counters of a port, to be added to."""
        if end not in self._ports:
            self._ports[end] = PortCounts()
        return self._ports[end]

    def shown(self, device: str, port: str) -> PortCounts:
        """The counters of a port, to be read: of one that counted nothing, all are zero."""
        return self._ports.get(End(device, port), _NOTHING)

    def forget(self, device: str) -> None:
        """A switch has lost its power: it counts from zero."""
        for end in [each for each in self._ports if each.device == device]:
            self._ports[end] = PortCounts()

    def ports(self) -> Iterator[tuple[End, PortCounts]]:
        """All ports that counted something."""
        return iter(self._ports.items())


def whole(counted: float) -> int:
    """A counter as a switch shows it. The sum of many fractions may be a hair below the whole that it is."""
    return int(counted + 1e-6)

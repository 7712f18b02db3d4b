"""What a switch was told of classes, queues, pauses and marks, in neutral terms: each twin reads its own lines.

What no configuration of a site says (where a pause begins, what a lossy queue holds) is the lab's own choice (M).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ..counted import CLASSES
from ..state import SwitchState

XOFF_BYTES = 1_000_000
"""A port asks for a pause when so much of one priority that came in by it waits. Real switches take a share of what is
free in the buffer; this is above the thresholds of ECN that a sensible site has, as that share is."""
QUEUE_BYTES = 4_000_000
"""What a queue that is no lossless one can hold."""


@dataclass(frozen=True, slots=True)
class Marking:
    """ECN of a queue: none below ``least_bytes``, up to ``probability`` (0 to 1) at ``most_bytes``, all above."""

    least_bytes: float
    most_bytes: float
    probability: float = 1.0

    def share(self, waiting_bytes: float) -> float:
        """The share of packets that are marked with so much in the queue."""
        if waiting_bytes <= self.least_bytes:
            return 0.0
        if waiting_bytes >= self.most_bytes:
            return 1.0
        return self.probability * (waiting_bytes - self.least_bytes) / (self.most_bytes - self.least_bytes)


@dataclass(frozen=True, slots=True)
class QueueRules:
    """One queue. ``weight``: of what strict ones leave, None: it is strict; ``limit_bytes``: its most, if lossy."""

    weight: float | None = 1.0
    marking: Marking | None = None
    counts_marks: bool = True
    limit_bytes: float = QUEUE_BYTES


_PLAIN = QueueRules()


@dataclass(frozen=True, slots=True)
class PortRules:
    """One port.

    classes     the class of each of the 64 code points of packets that come in here; a class is a priority of PFC
    queues_of   the queue of each class
    queues      of each queue that something was said of
    pauses      classes for which it sends pauses, and obeys them
    xoff_bytes  so much of one of them may wait before a pause is sent
    watched     its watchdog is on; a queue that is stopped for ``stuck_s`` is stuck until ``free_s`` without a pause
    """

    classes: tuple[int, ...] = (0,) * 64
    queues_of: tuple[int, ...] = tuple(range(CLASSES))
    queues: Mapping[int, QueueRules] = field(default_factory=dict)
    pauses: frozenset[int] = frozenset()
    xoff_bytes: float = XOFF_BYTES
    watched: bool = False
    stuck_s: float = 0.3
    free_s: float = 0.1

    def queue(self, number: int) -> QueueRules:
        """What was said of a queue."""
        return self.queues.get(number, _PLAIN)


@dataclass(frozen=True, slots=True)
class SwitchRules:
    """A switch. ``seed``: of its hash; ``hashes_ports``: UDP's ports are hashed beside the addresses."""

    ports: Mapping[str, PortRules]
    seed: str = ""
    hashes_ports: bool = True


@runtime_checkable
class RuledTwin(Protocol):
    """A twin that tells what it was told."""

    name: str

    def state(self) -> SwitchState:
        """What its neighbours see: another object after each change of its configuration."""

    def traffic_rules(self) -> SwitchRules:
        """By its running configuration."""

"""What a model of traffic is made of: flows, the ports and queues that they go through, and what each has waiting."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..counted import PortCounts
from ..spec import End
from .flows import Flow
from .rules import PortRules, QueueRules

CNP_S = 0.05
"""One notification a flow in so much time: mlx5's min_time_between_cnps is some microseconds, slowed (M)."""


@dataclass(slots=True)
class Hop:
    """A flow at one port. ``buffer``: where what waits here came in, None at its host; ``number``: its class beyond."""

    sent: Sent
    buffer: Buffer | None
    number: int
    waiting: float = 0.0
    arriving: float = 0.0
    following: Hop | None = None
    port: Port | None = None


@dataclass(slots=True)
class Sent:
    """A flow as its host sends it. ``rate``: 0 to 1 of what it would; ``marked``: share of its packets now."""

    flow: Flow
    source: PortCounts
    sink: PortCounts | None
    bytes_per_s: float
    rate: float = 1.0
    marked: float = 0.0
    was_marked: float = 0.0
    since_cnp_s: float = CNP_S
    lost: float = 0.0
    sent_bytes: float = 0.0
    delivered_bytes: float = 0.0
    dropped_bytes: float = 0.0
    first: Hop | None = None


@dataclass(slots=True)
class Queue:
    """One queue of a port. ``is_stopped``: the far end asked for a pause; ``is_stuck``: the watchdog found that so."""

    number: int
    rules: QueueRules
    hops: list[Hop] = field(default_factory=list)
    is_stopped: bool = False
    stopped_s: float = 0.0
    free_s: float = 0.0
    is_stuck: bool = False
    waiting: float = 0.0


@dataclass(slots=True)
class Port:
    """An end of a cable that sends. ``rules``: None of a host's."""

    end: End
    far: End | None
    counts: PortCounts
    far_counts: PortCounts | None
    bytes_per_s: float
    rules: PortRules | None
    queues: dict[int, Queue] = field(default_factory=dict)


@dataclass(slots=True)
class Buffer:
    """What one priority that came in by one port has in its switch. ``sender``: the queue that a pause stops."""

    number: int
    counts: PortCounts
    rules: PortRules
    sender: Queue | None
    sender_counts: PortCounts
    obeys: bool
    pauses: bool
    headroom: float
    hops: list[Hop] = field(default_factory=list)
    is_pausing: bool = False
    since_s: float = 0.0

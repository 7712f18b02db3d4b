"""Traffic classes in the common model: what code points mean, and how each kind of port queues and pauses them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """How one class of packets is classified and queued, in this OS's own numbers."""

    priority: int
    """Switch priority (Cumulus), traffic class (EOS), qos-group (NX-OS): 0 to 7."""
    dscp: tuple[int, ...]
    """Every code point of the class. Over all classes each of the 64 code points occurs exactly once."""
    queue: int
    """Egress queue, 0 to 7."""
    lossless: bool
    """PFC pauses this priority, on ports whose profile says so."""


@dataclass(frozen=True, slots=True)
class Ecn:
    """Marking thresholds of one queue, after rounding to what the ASIC holds."""

    min_bytes: int
    max_bytes: int
    probability_percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """Scheduling of one egress queue."""

    number: int
    strict: bool
    weight_percent: int | None
    """Share of what strict queues leave over; the weights of a profile sum to 100. None when strict."""
    ecn: Ecn | None
    counts_marks: bool = False
    """It counts what it marks, where the OS has a line for that (EOS); others count without."""


@dataclass(frozen=True, slots=True)
class PortProfile:
    """What every port of one kind carries: trust DSCP, PFC on the lossless priorities, scheduling, watchdog."""

    name: str
    pfc_priorities: tuple[int, ...]
    watchdog: bool
    queues: tuple[Queue, ...]


WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS = 300, 100
"""What systems that take times are given, so that both ends of a cable count to the same: those of Cumulus Linux, which
ends after one poll without pause and has no other time for that (docs514 Quality-of-Service/_index.md: polls every
100 ms, mitigates after 3). Which figures are the right ones no source says."""


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog: a queue paused for ``detect_ms`` drops its packets until ``restore_ms`` passed without pause.

    Where an OS fixes a value (NX-OS: all but on/off; NVUE: restore) ``realise`` puts in the OS's own figure. The action
    is always drop: an error-disabled port would take the GPU's rail down.
    """

    poll_ms: int
    detect_ms: int
    restore_ms: int


@dataclass(frozen=True, slots=True)
class Qos:
    """Classes, which mean the same on all ports, and what kinds of ports treat them how."""

    classes: tuple[TrafficClass, ...]
    profiles: tuple[PortProfile, ...]
    watchdog: Watchdog | None
    lossless_mtu_bytes: int | None
    """MTU of the queues' classes where the OS has one of its own (NX-OS network-qos); else None."""
    cable_m: int | None = None
    """Length of cable that all lossless ports have buffers for (NVUE); None: the system's own, or set in bytes."""
    lossless_memory_percent: int | None = None
    """Share of the packet memory that lossless classes have, and the others the rest (NVUE); None: the system's own."""
    headroom_bytes: int | None = None
    """Headroom of each lossless priority of each port, where the OS takes bytes (EOS); None: the system's own."""

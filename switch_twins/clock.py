"""Time for twins: commit timers use a clock that is passed in, so that a test need not wait for them."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from typing import Protocol


class TimerHandle(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call; harmless after it was made."""


class Clock(Protocol):
    """The clock of a twin."""

    def now_s(self) -> float:
        """Seconds since some fixed moment; never decreases."""

    def call_later(self, delay_s: float, call: Callable[[], None]) -> TimerHandle:
        """Call once after ``delay_s`` seconds."""


class RealClock:
    """The running asyncio loop's clock. ``advance`` moves it forward in one step: timers due by then fire at once."""

    def __init__(self) -> None:
        self._ahead_s = 0.0
        self._timers: set[_RealTimer] = set()

    def now_s(self) -> float:
        """Seconds on the loop's monotonic clock, plus all advances."""
        return asyncio.get_running_loop().time() + self._ahead_s

    def call_later(self, delay_s: float, call: Callable[[], None]) -> TimerHandle:
        """Call on the loop after ``delay_s`` seconds, or when ``advance`` has moved the clock past it."""
        return _RealTimer(self, self.now_s() + delay_s, call)

    def advance(self, seconds: float) -> None:
        """Move the clock forward (control request ``advance-clock``); due timers fire in their order."""
        self._ahead_s += seconds
        for timer in sorted(self._timers, key=lambda timer: timer.due_s):
            timer.reschedule()

    def _started(self, timer: _RealTimer) -> None:
        self._timers.add(timer)

    def _ended(self, timer: _RealTimer) -> None:
        self._timers.discard(timer)


class _RealTimer:
    """A timer on the asyncio loop that adjusts when its clock is advanced."""

    def __init__(self, clock: RealClock, due_s: float, call: Callable[[], None]) -> None:
        self.due_s = due_s
        self._clock, self._call = clock, call
        self._handle: asyncio.TimerHandle | None = None
        clock._started(self)  # noqa: SLF001  (a clock and its timers are one unit)
        self.reschedule()

    def reschedule(self) -> None:
        """Wait for the remaining time until the timer is due; fire now if it is."""
        if self._handle is not None:
            self._handle.cancel()
        left_s = self.due_s - self._clock.now_s()
        self._handle = asyncio.get_running_loop().call_later(max(0.0, left_s), self._fire)

    def cancel(self) -> None:
        """Cancel the call."""
        if self._handle is not None:
            self._handle.cancel()
        self._clock._ended(self)  # noqa: SLF001

    def _fire(self) -> None:
        self._clock._ended(self)  # noqa: SLF001
        self._call()


class ManualClock:
    """A clock that only ``advance`` moves; timers fire in order of their due time."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._queue: list[tuple[float, int, _ManualTimer]] = []
        self._numbers = itertools.count()

    def now_s(self) -> float:
        """Seconds advanced so far, plus the start."""
        return self._now_s

    def call_later(self, delay_s: float, call: Callable[[], None]) -> TimerHandle:
        """Call when ``advance`` has moved the clock ``delay_s`` seconds ahead."""
        timer = _ManualTimer(call)
        heapq.heappush(self._queue, (self._now_s + delay_s, next(self._numbers), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move forward; a timer that a fired call starts, and that is due before the end, fires too."""
        end_s = self._now_s + seconds
        while self._queue and self._queue[0][0] <= end_s:
            due_s, _, timer = heapq.heappop(self._queue)
            self._now_s = max(self._now_s, due_s)
            timer.fire()
        self._now_s = end_s


class _ManualTimer:
    """A timer of ManualClock."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Cancel the call."""
        self._call = None

    def fire(self) -> None:
        """Make the call unless it was cancelled."""
        if self._call is not None:
            self._call()

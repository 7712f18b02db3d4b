"""The progress of every switch of a push, for interruptions: what is confirmed, and what is reverted when.

Also the records that a transaction writes on its way, from which a later push can continue.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.errors import Interrupted, LeftToTimerError, Problem


class Step(StrEnum):
    """A step of a transaction; reported to ``on_step`` when it is reached."""

    READ = "reading"
    STAGE = "staging"
    COMMIT = "committing"
    GATE = "checking"
    CONFIRM = "confirming"
    DONE = "done"
    AS_BEFORE = "as before"
    """It failed, and the switch is unchanged."""
    LEFT = "left to its timer"


class Record(Protocol):
    """The journal of one switch's part of one push. Each call may raise LocalError: then nothing more is done."""

    @property
    def name(self) -> str:
        """The candidate's name, on an OS whose candidates have names."""

    @property
    def dead(self) -> frozenset[str]:
        """Abandoned candidates of earlier pushes that may still be on the switch."""

    def started(self, plan: DevicePlan) -> None:
        """Called before anything is staged: records the owned sections."""

    def staged(self, token: str) -> None:
        """Called before a candidate is sent to the switch."""

    def committed(self, timer_s: int | None) -> None:
        """Called before a commit is requested, and again when its timer runs: ``timer_s`` from now on at most."""

    def dropped(self, tokens: frozenset[str] | None) -> None:
        """These candidates are no longer on the switch; None: this push's own."""


_ENDED = frozenset({Step.DONE, Step.AS_BEFORE, Step.LEFT})

Clock = Callable[[], float]


@dataclass(slots=True)
class Ledger:
    """Safe from any thread. ``timers_s``: how long each switch's commit timer runs; None: it has none.

    ``applies_s``: how long its commit lasts at most, as the timer begins at its end. Without it: no time.
    """

    timers_s: Mapping[str, int | None]
    applies_s: Mapping[str, int] = field(default_factory=dict)
    clock: Clock = time.monotonic
    _steps: dict[str, Step] = field(default_factory=dict)
    _since_s: dict[str, float] = field(default_factory=dict)
    """The latest possible start of each switch's timer."""
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def note(self, device: str, step: Step) -> None:
        """A switch has reached a step."""
        with self._changed:
            self._steps[device] = step
            if step in {Step.COMMIT, Step.GATE}:
                applies_s = self.applies_s.get(device, 0) if step is Step.COMMIT else 0
                self._since_s[device] = self.clock() + applies_s
            self._changed.notify_all()

    def stop(self) -> None:
        """From now on nothing is started, committed or confirmed, so the result of ``lines`` stays true."""
        with self._changed:
            self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Was the push interrupted?"""
        return self._stopped.is_set()

    def goes_on(self, device: str, step: Step) -> bool:
        """Record that a switch starts a step. False, without a record, if the push was interrupted.

        Atomic: otherwise a switch could be committed after it was reported as unchanged.
        """
        with self._changed:
            if self.is_stopped:
                return False
            self.note(device, step)
            return True

    def begin(self, device: str, step: Step) -> None:
        """The same for a switch without a commit so far: raises Interrupted."""
        if not self.goes_on(device, step):
            raise Interrupted(Problem(device, "interrupted; nothing was committed"))

    def left_s(self, device: str) -> int:
        """Seconds until a switch reverts an unconfirmed change, at most."""
        timer_s = self.timers_s.get(device) or 0
        return max(0, math.ceil(timer_s - (self.clock() - self._since_s.get(device, self.clock()))))

    def wait(self, within_s: float) -> bool:
        """Wait until every started switch has ended; False on timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.under_way, within_s)

    def end(self, device: str, step: Step) -> None:
        """Record the last step of a failed switch, unless it was never started."""
        with self._changed:
            if device in self._steps:
                self.note(device, step)

    @property
    def begun(self) -> int:
        """How many switches were started."""
        return len(self._steps)

    @property
    def under_way(self) -> tuple[str, ...]:
        """Switches that a thread works on."""
        with self._changed:
            return tuple(name for name, step in self._steps.items() if step not in _ENDED)

    def lines(self) -> tuple[str, ...]:
        """The result of every started switch, as text."""
        with self._changed:
            return tuple(self._lines(dict(self._steps)))

    def _lines(self, steps: Mapping[str, Step]) -> Iterator[str]:
        done = sorted(name for name, step in steps.items() if step is Step.DONE)
        before = sorted(name for name, step in steps.items() if step in {Step.READ, Step.STAGE, Step.AS_BEFORE})
        if done:
            yield f"confirmed: {', '.join(done)}"
        for name in sorted(steps):
            if text := self._unconfirmed(name, steps[name]):
                yield f"{name}: {text}"
        if before:
            yield f"nothing was committed: {', '.join(before)}"

    def _unconfirmed(self, device: str, step: Step) -> str:
        back = f"takes the change back by itself within {self.left_s(device)} s"
        if self.timers_s.get(device) is None:
            back = "has no timer and keeps the change"
        return {
            Step.COMMIT: f"a commit is on its way, its answer not known yet; if it arrives, the switch {back}",
            Step.GATE: f"committed, not confirmed; the switch {back}",
            Step.LEFT: f"committed, not confirmed; the switch {back}",
            Step.CONFIRM: (
                f"a confirmation is on its way, its answer not known yet; if it does not arrive, the switch {back}"
            ),
        }.get(step, "")


def ending(error: BaseException) -> Step:
    """The last step of a transaction that failed."""
    return Step.LEFT if isinstance(error, LeftToTimerError) else Step.AS_BEFORE

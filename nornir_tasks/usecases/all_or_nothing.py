"""``push --atomic``: where one switch fails, those that the push had changed are taken back, by rollbacks of it."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nornir_tasks.deploy.fleet import Results
from nornir_tasks.deploy.journal import JOURNAL, Journal
from nornir_tasks.deploy.plan_one_switch import CONFIRM_WITHIN_S
from nornir_tasks.deploy.problems import unconfirmed, ways_of
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.errors import ConnectError, DeviceError, GpufabricError, Interrupted, LeftToTimerError, Problem
from nornir_tasks.files.push_lock import PushLock, sole_push
from nornir_tasks.usecases.earlier import before
from nornir_tasks.usecases.how import USUAL, How
from nornir_tasks.usecases.progress import Event, On, ignore
from nornir_tasks.usecases.push import Approve, PushReport, TakenBack, push, rollback
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import Selection

PAUSE_S = 5.0
"""Between two looks at switches that do not answer, or whose timer still runs (chosen)."""
MOST_TRIES = 2
"""Rollbacks of one switch. Those that were not tried yet go first, so that a bad one stops no other."""
SPARE_S = 30.0
"""A switch that its timer has just taken back needs some time to answer (chosen)."""


@dataclass(frozen=True, slots=True)
class TakingBack(Event):
    """A push has failed, and what it changed is taken back."""

    push: int
    switches: tuple[str, ...]
    most_s: int
    """How long those that do not answer are waited for."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only grow, and a pause."""

    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def push_all_or_nothing(
    selection: Selection,
    reach: Reach,
    approve: Approve,
    on: On = ignore,
    how: How = USUAL,
    clock: Clock | None = None,
) -> PushReport:
    """Push; if a switch fails, roll back every switch that the push has changed, the last wave first.

    Every switch that answers within the time of its commit timer is as before then. The report names the others.
    Raises what ``push`` raises; Interrupted on Ctrl-C on the way back.
    """
    design = selection.design
    with sole_push(design.site.record_directory, "push") as lock:
        report = push(selection, reach, approve, on, replace(how, lock=lock))
        if not report.errors or report.number is None:
            return report
        back = _Way(selection, reach, on, lock, report.number, clock or Clock())
        return replace(report, taken_back=back.go())


@dataclass(slots=True)
class _Way:
    """The way back of one push."""

    selection: Selection
    reach: Reach
    on: On
    lock: PushLock
    push: int
    clock: Clock

    def go(self) -> TakenBack:
        """Roll back what answers, then what answers later, until all is back or the time is over."""
        names, most_s = self._standing(), self._most_s()
        if names:
            self.on(TakingBack(self.push, names, round(most_s)))
        ends_s = self.clock.now_s() + most_s
        rollbacks: list[int] = []
        why: dict[str, GpufabricError] = {}
        tries: Counter[str] = Counter()
        try:
            while standing := self._standing():
                ready = self._ready(standing, why)
                fresh = [name for name in ready if not tries[name]]
                if chosen := fresh or [name for name in ready if tries[name] < MOST_TRIES]:
                    rollbacks += self._roll_back(chosen, why, tries)
                    continue
                may_pass = [name for name in standing if tries[name] < MOST_TRIES and _may_pass(why.get(name))]
                if not may_pass or self.clock.now_s() >= ends_s:
                    break
                self.clock.sleep(PAUSE_S)
        except KeyboardInterrupt:
            raise Interrupted(self._interrupted(names)) from None
        left = self._standing()
        unknown = DeviceError(Problem("push", "it was not tried"))
        return TakenBack(
            tuple(rollbacks),
            tuple(name for name in names if name not in left),
            {name: why.get(name, unknown) for name in left},
        )

    def _standing(self) -> tuple[str, ...]:
        """The switches that run, or may run, what the push changed."""
        journal = Journal(self.selection.design.site.record_directory / JOURNAL)
        return tuple(entry.device for entry in journal.entries(self.push))

    def _ready(self, names: tuple[str, ...], why: dict[str, GpufabricError]) -> tuple[str, ...]:
        """Those among them that answer and run no timer. What became of an unconfirmed commit is noted."""
        found = self._look(names)
        why.update(found.errors)
        waiting = {name: each.waiting for name, each in found.values.items() if each.waiting is not None}
        ways = ways_of("push", self.push, None)
        why.update({name: LeftToTimerError(unconfirmed(name, each, ways)) for name, each in waiting.items()})
        standing = self._standing()
        return tuple(name for name in found.values if name not in waiting and name in standing)

    def _look(self, names: tuple[str, ...]) -> Results[PlanSummary]:
        """Those that answer, and why the others cannot be judged: one that refuses all is asked apart from them."""
        try:
            return self._surveyed(names)
        except GpufabricError as error:
            if len(names) == 1:
                return Results({}, {names[0]: error})
        found: Results[PlanSummary] = Results({}, {})
        for name in names:
            found = found.merged(self._look((name,)))
        return found

    def _surveyed(self, names: tuple[str, ...]) -> Results[PlanSummary]:
        design = self.selection.design
        journal = Journal(design.site.record_directory / JOURNAL)
        wanted, access = before(design, self.push, self.reach, self.on, names)
        with access.fleet(wanted.selection.design, wanted) as switches:
            return switches.survey(journal, journal.open_entries(), lambda _: None)

    def _roll_back(self, names: Sequence[str], why: dict[str, GpufabricError], tries: Counter[str]) -> list[int]:
        how = How(self.lock, is_backwards=True)
        try:
            done = rollback(self.selection.design, self.push, self.reach, lambda _: True, self.on, limit=names, how=how)
        except Interrupted:
            raise
        except GpufabricError as error:
            tries.update(names)
            why.update(dict.fromkeys(names, error))
            return []
        tries.update(set(names) - set(done.not_begun))
        why.update(done.errors)
        return [] if done.number is None else [done.number]

    def _most_s(self) -> float:
        """The longest that a switch may take until its own timer has taken an unconfirmed change back."""
        applies = (each.capabilities.max_apply_s for each in self.selection.design.network.devices)
        return 2 * CONFIRM_WITHIN_S + max(applies, default=0) + SPARE_S

    def _interrupted(self, names: tuple[str, ...]) -> Problem:
        left = self._standing()
        return Problem(
            "push",
            f"interrupted while push {self.push} was taken back",
            found=f"{len(names) - len(left)} of {len(names)} switches are back, not {', '.join(left)}",
            hint=ways_of("push", self.push, None).back,
        )


def _may_pass(error: GpufabricError | None) -> bool:
    return error is None or isinstance(error, (ConnectError, LeftToTimerError))

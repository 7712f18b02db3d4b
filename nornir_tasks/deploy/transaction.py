"""One switch, one transaction, the same for every OS: a push leaves a switch either as it was or as it was wanted.

read; stop if equal and saved; stage; compare the switch's own diff with the plan; commit under a timer on the switch;
open a new connection; gate; confirm; save; tidy. If a step before the confirmation fails, the timer reverts the change
without us. After a lost answer the state is read from the switch: a request that may have been carried out is neither
counted as failed nor repeated. What is confirmed stays, whatever becomes of the steps after it.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from nornir_tasks.deploy.ledger import Ledger, Record, Step
from nornir_tasks.deploy.outcome import Outcome
from nornir_tasks.deploy.plan import DevicePlan, candidate, sides
from nornir_tasks.deploy.plan_one_switch import COMPUTING, Rules, planned, timer_s
from nornir_tasks.deploy.problems import (
    PUSH,
    Ways,
    changed_since,
    disagreement,
    in_the_way,
    problems_of,
    unconfirmed,
    unguarded,
)
from nornir_tasks.deploy.removals import Sides
from nornir_tasks.deploy.signed_anew import signed_anew
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.vrfs import SessionKey, key_name
from nornir_tasks.drivers.session import Depth, Fate, Running, SwitchSession
from nornir_tasks.errors import (
    AuthError,
    CommitError,
    ConnectError,
    GpufabricError,
    LeftToTimerError,
    LocalError,
    Problem,
    RefusedError,
    StageError,
)
from nornir_tasks.platforms.config_tree import ConfigTree, difference

T = TypeVar("T")

RETRY_PAUSE_S = 1.0


class _LostError(CommitError):
    """What was confirmed does not run any more."""


Report = Callable[[str, Step], None]
Opener = Callable[[], SwitchSession]
"""Gives a fresh connection each time; the one before is closed."""


@dataclass(frozen=True, slots=True)
class _Committed:
    """What the steps after the commit need to know of a switch."""

    token: str
    up_before: frozenset[SessionKey]
    """Its BGP neighbours whose session was up, and should be again before the far end is pushed."""
    foreign_before: ConfigTree
    """The running lines that are not ours."""


@dataclass(slots=True)
class Transaction:
    """Brings one switch to its wanted configuration. A switch that already has it costs one read."""

    opener: Opener
    wanted: Wanted
    rules: Rules
    ledger: Ledger
    record: Record
    approved: PlanSummary | None = None
    """The plan that was shown; no other change is carried out. None: any change."""
    ways: Ways = PUSH
    is_open: bool = field(default=False, init=False)
    """A commit was requested, and its result is not known yet."""

    @property
    def device(self) -> str:
        """The switch's name."""
        return self.wanted.device

    def run(self) -> Outcome:
        """Carry it out. After any error the switch is as before, at the latest when its own timer expires."""
        session = self.opener()
        try:
            done = self._begin(session)
        finally:
            session.close()
        return self._finish(done) if isinstance(done, _Committed) else done

    # -- until the commit ------------------------------------------------------------------------------------------

    def _begin(self, session: SwitchSession) -> "Outcome | _Committed":
        """Everything on the first connection. The plan is freed here; later steps do not need it."""
        self.ledger.begin(self.device, Step.READ)
        running = session.read(Depth.ALL)
        with COMPUTING:
            plan = planned(running, self.wanted, self.rules)
        if plan.waiting is not None:
            raise StageError(unconfirmed(self.device, plan.waiting, self.ways))
        self._sweep(session)
        if not plan.changes:
            return self._save(session, plan)
        self._refuse_unshown(plan)
        if met := in_the_way(self.device, plan.others):
            raise RefusedError(met)
        up_before = session.established() - signed_anew(self.wanted.config, plan.changes)
        token = self._stage(session, plan)
        self._commit(session, token)
        return _Committed(token, up_before, plan.foreign_before)

    def _refuse_unshown(self, plan: DevicePlan) -> None:
        """Refuse a switch that was changed after its plan was shown: this change was not approved."""
        if self.approved is not None and not self.approved.is_of(plan):
            shown = frozenset(self.approved.changes)
            raise RefusedError(changed_since(self.device, shown, frozenset(plan.changes)))

    def _sweep(self, session: SwitchSession) -> None:
        if self.record.dead:
            session.drop(self.record.dead)
            self.record.dropped(self.record.dead)

    def _save(self, session: SwitchSession, plan: DevicePlan) -> Outcome:
        """Save a switch that already runs the wanted configuration."""
        if not plan.is_saved:
            session.save()
        return Outcome(self.device, changed=False, saved=not plan.is_saved)

    def _stage(self, session: SwitchSession, plan: DevicePlan) -> str:
        """Stage the change; returns the candidate's token if the switch's own diff equals the plan."""
        if self._timer_s is None and not self.rules.unguarded:
            raise RefusedError(unguarded(self.wanted.declared))
        self.ledger.begin(self.device, Step.STAGE)
        with COMPUTING:
            made = candidate(self.wanted, plan)
        self.record.started(plan)
        staged = session.stage(made, self.record.name, self.record.staged)
        planned = frozenset(made.changes)
        if staged.changes != planned:
            session.abort()
            self.record.dropped(None)
            raise StageError(disagreement(self.device, planned, staged.changes))
        return staged.token

    def _commit(self, session: SwitchSession, token: str) -> None:
        at_most_s = None if self._timer_s is None else self.wanted.capabilities.max_apply_s + self._timer_s
        try:
            self.record.committed(at_most_s)
            self.ledger.begin(self.device, Step.COMMIT)
        except GpufabricError:
            session.abort()
            raise
        self.is_open = True
        try:
            session.commit(self._timer_s)
        except CommitError:
            self.is_open = False
            raise
        except Exception as lost:  # noqa: BLE001 - whatever went wrong here, the commit may have got through
            self._find_out(session, token, lost)
        self.ledger.note(self.device, Step.GATE)
        with suppress(LocalError):  # it was noted before; this only says more exactly when the timer ends
            self.record.committed(self._timer_s)

    def _find_out(self, session: SwitchSession, token: str, lost: Exception) -> None:
        """The answer to a commit was lost: read the state. Returns if it took effect, else CommitError."""
        try:
            session, fate = self._fate(session, token, lost)
            if fate is Fate.STAGED:
                self._patiently(lambda: session.drop((token,)))
                fate = self._patiently(lambda: session.fate(token))
            arrived = fate in {Fate.WAITING, Fate.KEPT} or self._runs(session)
        except Exception as error:
            raise self._left(
                problems_of(self.device, lost), "it is not known whether the commit got through"
            ) from error
        if arrived:
            return
        self.is_open = False
        self._clear_away(session, token)
        hint = f"the switch says so itself; repeat it: {self._again}"
        none = Problem(self.device, "the answer to the commit was lost; nothing was committed", hint=hint)
        raise CommitError((*problems_of(self.device, lost), none)) from lost

    def _fate(self, session: SwitchSession, token: str, lost: Exception) -> tuple[SwitchSession, Fate]:
        """What became of a candidate, and the session that said so. In a first push the account may be gone by now."""
        if not isinstance(lost, AuthError):
            try:
                return session, self._patiently(lambda: session.fate(token))
            except AuthError:
                if not self.rules.first_push:
                    raise
        fresh = self._patiently(self.opener) if self.rules.first_push else session
        return fresh, self._patiently(lambda: fresh.fate(token))

    # -- after the commit ------------------------------------------------------------------------------------------

    def _finish(self, done: "_Committed") -> Outcome:
        """Confirm over a new connection, which proves that the switch is reachable; else revert the change."""
        session = self.opener()
        try:
            try:
                self._gate(session, done)
            except LeftToTimerError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever went wrong, it is taken back
                self._take_back(session, done.token, error)
            if not self.ledger.goes_on(self.device, Step.CONFIRM):
                raise self._interrupted()
            self._confirm(session, done.token)
            trouble = self._save_kept(session)
            is_tidy = self._tidy(session, done.token)
        finally:
            session.close()
        self.is_open = False
        return Outcome(self.device, True, trouble=trouble, is_unsaved=trouble is not None, has_leftover=not is_tidy)

    def _confirm(self, session: SwitchSession, token: str) -> None:
        """Stop the timer. Raises CommitError if the switch went back before, LeftToTimerError if that is not known."""
        try:
            self._patiently(lambda: session.confirm(token))
        except CommitError as refused:
            if self._was_confirmed(session, token, refused):
                return
            self.is_open = False
            self._clear_away(session, token)
            back = Problem(self.device, "the switch is as it was before", hint=f"repeat it: {self._again}")
            raise CommitError((*refused.problems, back)) from refused
        except Exception as lost:
            raise self._left(
                problems_of(self.device, lost), "it is not known whether the confirmation arrived"
            ) from lost

    def _was_confirmed(self, session: SwitchSession, token: str, refused: CommitError) -> bool:
        """Is it one that an attempt whose answer was lost had confirmed before? Then it runs, and no timer does."""
        try:
            runs = self._runs(session)
            is_timed = runs and self._timer_s and self._patiently(lambda: session.fate(token)) is Fate.WAITING
        except GpufabricError as error:
            raise self._left(refused.problems, "it is not known whether the change was kept") from error
        if is_timed:
            raise self._left(refused.problems, "the switch did not take the confirmation") from refused
        return runs

    def _save_kept(self, session: SwitchSession) -> GpufabricError | None:
        """Save what is confirmed. Raises CommitError if the switch restarted before, and lost it."""
        try:
            try:
                session.save()
            except ConnectError:  # its answer was lost, or a restart was amid
                self._patiently(lambda: self._save_what_runs(session))
        except _LostError as lost:
            self.is_open = False
            raise CommitError(lost.problems) from lost
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the change is confirmed
            what = "the change is confirmed and runs; that it was saved is not known: a reboot may lose it"
            unsaved = Problem(self.device, what, hint=f"to have it saved: {self._again}")
            return CommitError((*problems_of(self.device, error), unsaved))
        return None

    def _save_what_runs(self, session: SwitchSession) -> None:
        if self._sides(session.read(Depth.TEXT).text).changes:
            what = "the change was confirmed and is lost: the switch restarted before it was saved, and is as before"
            raise _LostError(Problem(self.device, what, hint=f"repeat it: {self._again}"))
        session.save()

    def _tidy(self, session: SwitchSession, token: str) -> bool:
        """Have no file of this push left. What stays is noted, and the next push looks for it."""
        try:
            self._patiently(lambda: session.tidy(token))
        except GpufabricError:
            return False
        with suppress(LocalError):
            self.record.dropped(None)
        return True

    def _clear_away(self, session: SwitchSession, token: str) -> None:
        """Drop what did not become a change; what cannot be is noted, and the next push looks for it."""
        with suppress(GpufabricError):
            session.drop((token,))
            self.record.dropped(None)

    def _take_back(self, session: SwitchSession, token: str, why: Exception) -> None:
        """Revert now. Raises LeftToTimerError if the switch cannot be reached: its timer reverts."""
        problems = problems_of(self.device, why)
        if self._timer_s is None:
            hint = f"{self.ways.back} --limit {self.device}"
            raise CommitError(
                (*problems, Problem(self.device, "the change stays: it has no timer", hint=hint))
            ) from why
        try:
            if isinstance(why, ConnectError):  # asked for long enough
                session.revert(token)
            else:
                self._patiently(lambda: session.revert(token))
        except Exception as error:
            raise self._left(problems, "the switch could not be told to take the change back") from error
        self.is_open = False
        self._clear_away(session, token)
        undone = Problem(self.device, "the change was taken back; the switch is as it was before")
        raise CommitError((*problems, undone)) from why

    def _left(self, problems: tuple[Problem, ...], what: str) -> LeftToTimerError:
        found = "it keeps what it runs: it has no timer"
        if self._timer_s is not None:
            found = (
                f"unless it is confirmed, it takes the change back by itself within {self.ledger.left_s(self.device)} s"
            )
        hint = f"when that time is over, repeat it: {self._again}"
        return LeftToTimerError((*problems, Problem(self.device, what, found=found, hint=hint)))

    def _leave_if_stopped(self) -> None:
        if self.ledger.is_stopped:
            raise self._interrupted()

    def _interrupted(self) -> LeftToTimerError:
        return self._left((), "interrupted before the change was confirmed")

    @property
    def _again(self) -> str:
        """The command that does this again."""
        return f"{self.ways.again} --limit {self.device}"

    # -- what runs -------------------------------------------------------------------------------------------------

    @property
    def _timer_s(self) -> int | None:
        return timer_s(self.wanted.capabilities, self.rules)

    def _patiently(self, question: Callable[[], T]) -> T:
        """A switch that restarts its API answers late: ask again for a limited time, from the first lost answer on.

        One that is lost only after a time-out of its own is asked for again, too.
        """
        deadline = None
        while True:
            try:
                return question()
            except ConnectError:
                now_s = time.monotonic()
                deadline = deadline or now_s + self.rules.reconnect_s
                if now_s > deadline or self.ledger.is_stopped:
                    raise
            time.sleep(RETRY_PAUSE_S)

    def _runs(self, session: SwitchSession) -> bool:
        """Does the switch run the wanted configuration?"""
        text = self._patiently(lambda: session.read(Depth.TEXT)).text
        with COMPUTING:
            found = self._sides(text)
            return not found.changes

    def _sides(self, running_text: str) -> Sides:
        return sides(self.wanted, self.wanted.platform.to_tree(running_text), self.rules.evidence)

    def _gate(self, session: SwitchSession, done: "_Committed") -> None:
        self._leave_if_stopped()
        self._compare(self._patiently(lambda: session.read(Depth.TEXT)), done.foreign_before)
        self._await_sessions(session, done.up_before)

    def _compare(self, running: Running, foreign_before: ConfigTree) -> None:
        """Raises CommitError if the switch does not run the wanted configuration, or if foreign lines changed."""
        with COMPUTING:
            found = self._sides(running.text)
            problems = [
                Problem(self.device, f"after the commit this is not as planned: {change}") for change in found.changes
            ]
            problems += [
                Problem(self.device, f"the commit changed a line that is not ours: {change}")
                for change in difference(foreign_before, found.foreign)
            ]
        if problems:
            raise CommitError(problems)

    def _await_sessions(self, session: SwitchSession, up_before: frozenset[SessionKey]) -> None:
        bgp = self.wanted.config.bgp
        awaited = up_before & {neighbor.key for neighbor in (bgp.neighbors if bgp else ())}
        deadline = time.monotonic() + self.rules.settle_s
        while awaited and (missing := awaited - self._patiently(session.established)):
            self._leave_if_stopped()
            if time.monotonic() > deadline:
                raise CommitError(
                    Problem(
                        where=self.device,
                        what="BGP sessions that were up before the change did not come back",
                        expected=f"{len(awaited)} sessions within {self.rules.settle_s:g} s",
                        found=f"down: {', '.join(sorted(map(key_name, missing)))}",
                        hint="look at both ends of these sessions with 'nornir validate'",
                    )
                )
            time.sleep(0.5)

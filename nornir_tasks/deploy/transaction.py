"""One switch, one transaction, the same for every OS: a push leaves a switch either as it was or as it was wanted.

read, equal and saved? stop; stage; does the switch say it will change what the plan says? commit under a timer that the
switch itself runs; connect anew; gate; confirm. Whatever fails, the timer takes the change back without us. Where an
answer was lost, the switch is asked what is so: nothing that may have been carried out is taken for failed, or done
twice.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from nornir_tasks.deploy.identity import Doubts, named_as_another
from nornir_tasks.deploy.ledger import Ledger, Record, Step
from nornir_tasks.deploy.plan import DevicePlan, device_plan, split_running
from nornir_tasks.deploy.problems import disagreement, problems_of, unconfirmed, unguarded
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.device_config import SessionKey, session_name
from nornir_tasks.drivers.session import Depth, Facts, Fate, Running, Staged, SwitchSession
from nornir_tasks.errors import (
    CommitError,
    ConnectError,
    GpufabricError,
    IdentityError,
    LeftToTimerError,
    Problem,
    RefusedError,
    StageError,
)
from nornir_tasks.platforms.config_tree import difference

T = TypeVar("T")

RETRY_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Rules:
    """How careful one push is."""

    confirm_within_s: int = 120
    settle_s: float = 30.0
    """How long BGP sessions that were up before may take to come back."""
    reconnect_s: float = 20.0
    """How long a switch that does not answer is asked again, of what changes nothing."""
    allow_management: bool = False
    unguarded: bool = False
    """Commit also where the OS has no timer that would take the change back."""
    serial: str | None = None
    """Declared serial number; None: not declared."""
    names: frozenset[str] = frozenset()
    """Of all switches of the site: without a serial number, one that bears another's name is refused."""
    doubts: Doubts = field(default_factory=Doubts, compare=False)
    """Where a switch without a declared serial number is noted."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one switch."""

    device: str
    changed: bool
    plan: DevicePlan
    saved: bool = False
    """It ran what is wanted, and a reboot would have lost it until now."""
    trouble: GpufabricError | None = None
    """The change is kept, and something that should follow it failed."""


Report = Callable[[str, Step], None]
Opener = Callable[[], SwitchSession]
"""Gives a fresh connection each time; the one before is closed."""


def identify(wanted: Wanted, facts: Facts, rules: Rules) -> None:
    """Is this the switch the intent means? Raises IdentityError naming everything that differs."""
    config = wanted.config
    problems = list(_other_switch(config.name, facts, rules))
    if not wanted.capabilities.runs(facts.release):
        problems.append(
            Problem(
                where=config.name,
                what="the switch runs another release than declared",
                expected=f"{config.os} {config.release}",
                found=f"{config.os} {facts.release}",
                hint="declare the release that runs, or say --accept-release to render for it this once",
            )
        )
    if problems:
        raise IdentityError(problems)


def _other_switch(device: str, facts: Facts, rules: Rules) -> Iterator[Problem]:
    if rules.serial is None:
        refused = list(named_as_another(device, facts, rules.names))
        yield from refused
        if not refused:
            rules.doubts.note(device, facts)
    if rules.serial is not None and rules.serial != facts.serial:
        yield Problem(
            where=device,
            what="another switch answers at this address",
            expected=f"serial number {rules.serial}",
            found=f"serial number {facts.serial} ({facts.model})",
            hint="correct address or serial number in devices.yml, or the cabling of the management network",
        )


def _facts(session: SwitchSession) -> Facts:
    facts = session.read(Depth.TEXT).facts
    assert facts is not None  # noqa: S101 - of this depth they are always asked for
    return facts


def ask(session: SwitchSession, device: str, rules: Rules) -> Facts:
    """Who answers, whatever its release. Raises IdentityError for another switch than declared."""
    facts = _facts(session)
    if problems := list(_other_switch(device, facts, rules)):
        raise IdentityError(problems)
    return facts


def look(session: SwitchSession, wanted: Wanted, rules: Rules, depth: Depth = Depth.ALL) -> tuple[Running, DevicePlan]:
    """Read one switch and plan its change; nothing is sent but the read."""
    running = session.read(depth)
    if running.facts is not None:
        identify(wanted, running.facts, rules)
    plan = device_plan(wanted, running.text, allow_management=rules.allow_management)
    if running.facts is None and plan.changes:
        identify(wanted, _facts(session), rules)
    return running, replace(plan, is_saved=running.is_saved, waiting=running.waiting)


def timer_s(wanted: Wanted, rules: Rules) -> int | None:
    """How long the switch waits for our confirmation: what its OS takes. None: it has no timer."""
    held = wanted.capabilities
    return min(max(rules.confirm_within_s, held.min_confirm_s), held.max_confirm_s) if held.has_commit_timer else None


@dataclass(slots=True)
class Transaction:
    """Brings one switch to what is wanted. A switch that already is there costs one read."""

    opener: Opener
    wanted: Wanted
    rules: Rules
    ledger: Ledger
    record: Record
    is_open: bool = field(default=False, init=False)
    """A commit was asked for, and nobody knows yet whether it stays."""

    @property
    def device(self) -> str:
        """The switch's name."""
        return self.wanted.device

    def run(self) -> Outcome:
        """Do it. Any error leaves the switch as it was, at the latest when its own timer fires."""
        session = self.opener()
        try:
            self.ledger.begin(self.device, Step.READ)
            running, plan = look(session, self.wanted, self.rules)
            if running.waiting is not None:
                raise StageError(unconfirmed(self.device, running.waiting))
            self._sweep(session)
            if plan.candidate is None:
                return self._save(session, plan)
            up_before = session.established()
            staged = self._stage(session, plan)
            self._commit(session, plan, staged)
        finally:
            session.close()
        return self._finish(plan, staged.token, up_before)

    # -- until the commit ------------------------------------------------------------------------------------------

    def _sweep(self, session: SwitchSession) -> None:
        if self.record.dead:
            session.drop(self.record.dead)
            self.record.dropped(self.record.dead)

    def _save(self, session: SwitchSession, plan: DevicePlan) -> Outcome:
        """What is wanted runs already; a reboot shall keep it."""
        if not plan.is_saved:
            session.save()
        return Outcome(self.device, changed=False, plan=plan, saved=not plan.is_saved)

    def _stage(self, session: SwitchSession, plan: DevicePlan) -> Staged:
        if self._timer_s is None and not self.rules.unguarded:
            raise RefusedError(unguarded(self.wanted))
        self.ledger.begin(self.device, Step.STAGE)
        self.record.started(plan)
        assert plan.candidate is not None  # noqa: S101 - who calls this has seen it
        staged = session.stage(plan.candidate, self.record.name, self.record.staged)
        planned = frozenset(plan.changes)
        if staged.changes != planned:
            session.abort()
            self.record.dropped(None)
            raise StageError(disagreement(self.device, planned, staged.changes))
        return staged

    def _commit(self, session: SwitchSession, plan: DevicePlan, staged: Staged) -> None:
        try:
            self.record.committed(self._timer_s)
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
            self._find_out(session, plan, staged.token, lost)
        self.ledger.note(self.device, Step.GATE)
        with suppress(RefusedError):  # it was noted before; this only says more exactly when the timer ends
            self.record.committed(self._timer_s)

    def _find_out(self, session: SwitchSession, plan: DevicePlan, token: str, lost: Exception) -> None:
        """The answer to a commit was lost: ask what is so. Returns if it got through; CommitError if it did not."""
        try:
            fate = self._patiently(lambda: session.fate(token))
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
        hint = "the switch says so itself; push again"
        none = Problem(self.device, "the answer to the commit was lost; nothing was committed", hint=hint)
        raise CommitError((*problems_of(self.device, lost), none)) from lost

    # -- after the commit ------------------------------------------------------------------------------------------

    def _finish(self, plan: DevicePlan, token: str, up_before: frozenset[SessionKey]) -> Outcome:
        """Confirm on a new connection, which proves that the change left us a way in; else take the change back."""
        session = self.opener()
        try:
            try:
                self._gate(session, plan, up_before)
            except LeftToTimerError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever went wrong, it is taken back
                self._take_back(session, token, error)
            if not self.ledger.goes_on(self.device, Step.CONFIRM):
                raise self._interrupted()
            trouble = self._keep(session, token)
        finally:
            session.close()
        self.is_open = False
        return Outcome(self.device, changed=True, plan=plan, trouble=trouble)

    def _keep(self, session: SwitchSession, token: str) -> GpufabricError | None:
        """Confirm. Where the answer is lost or says no, what runs decides; returns what failed though it is kept."""
        try:
            self._patiently(lambda: session.confirm(token))
        except CommitError as refused:
            if not self._runs_patiently(session, refused):
                self.is_open = False
                raise
        except Exception as lost:
            raise self._left(
                problems_of(self.device, lost), "it is not known whether the confirmation arrived"
            ) from lost
        else:
            self._forget()
            return None
        try:  # it runs, and its timer has ended: confirmed by an attempt whose answer was lost, or not saved
            session.save()
            session.drop((token,))
            self._forget()
        except GpufabricError as error:
            unsaved = Problem(
                self.device, "the change is kept, and not saved: a reboot would lose it", hint="push again"
            )
            return CommitError((*error.problems, unsaved))
        return None

    def _forget(self) -> None:
        """Nothing of this push is on the switch any more; that it cannot be noted costs the next push a look."""
        with suppress(RefusedError):
            self.record.dropped(None)

    def _take_back(self, session: SwitchSession, token: str, why: Exception) -> None:
        """Revert now. Raises LeftToTimerError where the switch cannot be reached for that: it does it by itself."""
        problems = problems_of(self.device, why)
        if self._timer_s is None:
            hint = f"nornir rollback --limit {self.device}"
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
        undone = Problem(self.device, "the change was taken back; the switch is as it was before")
        raise CommitError((*problems, undone)) from why

    def _left(self, problems: tuple[Problem, ...], what: str) -> LeftToTimerError:
        found = "it keeps what it runs: it has no timer"
        if self._timer_s is not None:
            found = (
                f"unless it is confirmed, it takes the change back by itself within {self.ledger.left_s(self.device)} s"
            )
        hint = f"then look with 'nornir plan --limit {self.device}' and push again"
        return LeftToTimerError((*problems, Problem(self.device, what, found=found, hint=hint)))

    def _leave_if_stopped(self) -> None:
        if self.ledger.is_stopped:
            raise self._interrupted()

    def _interrupted(self) -> LeftToTimerError:
        return self._left((), "interrupted before the change was confirmed")

    # -- what runs -------------------------------------------------------------------------------------------------

    @property
    def _timer_s(self) -> int | None:
        return timer_s(self.wanted, self.rules)

    def _patiently(self, question: Callable[[], T]) -> T:
        """A switch that restarts its API answers late: ask again for a bounded time."""
        deadline = time.monotonic() + self.rules.reconnect_s
        while True:
            try:
                return question()
            except ConnectError:
                if time.monotonic() > deadline or self.ledger.is_stopped:
                    raise
            time.sleep(RETRY_PAUSE_S)

    def _runs(self, session: SwitchSession) -> bool:
        """Does the switch run what is wanted?"""
        text = self._patiently(lambda: session.read(Depth.TEXT)).text
        owned, _ = split_running(self.wanted, self.wanted.platform.to_tree(text))
        return not any(difference(owned, self.wanted.tree))

    def _runs_patiently(self, session: SwitchSession, why: GpufabricError) -> bool:
        try:
            return self._runs(session)
        except GpufabricError as error:
            raise self._left(why.problems, "it is not known whether the change was kept") from error

    def _gate(self, session: SwitchSession, plan: DevicePlan, up_before: frozenset[SessionKey]) -> None:
        self._leave_if_stopped()
        text = self._patiently(lambda: session.read(Depth.TEXT)).text
        owned, foreign = split_running(self.wanted, self.wanted.platform.to_tree(text))
        problems = [
            Problem(self.device, f"after the commit this is not as planned: {change}")
            for change in difference(owned, self.wanted.tree)
        ]
        problems += [
            Problem(self.device, f"the commit changed a line that is not ours: {change}")
            for change in difference(plan.foreign_before, foreign)
        ]
        if problems:
            raise CommitError(problems)
        self._await_sessions(session, up_before)

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
                        found=f"down: {', '.join(sorted(map(session_name, missing)))}",
                        hint="look at both ends of these sessions with 'nornir validate'",
                    )
                )
            time.sleep(0.5)

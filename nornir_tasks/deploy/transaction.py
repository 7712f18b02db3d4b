"""One switch, one transaction, the same for every OS: a push leaves a switch either as it was or as it was wanted.

read, equal? stop; stage; does the switch say it will change what the plan says? commit under a timer that the switch
itself runs; connect anew; gate; confirm. Whatever fails, the timer takes the change back without us.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from nornir_tasks.deploy.identity import Doubts, named_as_another
from nornir_tasks.deploy.plan import DevicePlan, device_plan, split_running
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.drivers.session import Facts, Running, SwitchSession
from nornir_tasks.errors import CommitError, GpufabricError, IdentityError, LeftToTimerError, Problem, StageError
from nornir_tasks.platforms.config_tree import Change, difference
from nornir_tasks.platforms.platform import Candidate


class Step(StrEnum):
    """Where a transaction stands; reported to ``on_step`` as it is reached."""

    READ = "reading"
    STAGE = "staging"
    COMMIT = "committing"
    GATE = "checking"
    CONFIRM = "confirming"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Rules:
    """How careful one push is."""

    confirm_within_s: int = 120
    settle_s: float = 30.0
    """How long BGP sessions that were up before may take to come back."""
    allow_management: bool = False
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


Report = Callable[[str, Step], None]
Opener = Callable[[], SwitchSession]
"""Gives a fresh connection each time; the one before is closed."""
Record = Callable[[DevicePlan], None]
"""Called before anything is committed: the journal notes what the owned sections held."""


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


def ask(session: SwitchSession, device: str, rules: Rules) -> Facts:
    """Who answers, whatever its release. Raises IdentityError for another switch than declared."""
    facts = session.read().facts
    if problems := list(_other_switch(device, facts, rules)):
        raise IdentityError(problems)
    return facts


def look(session: SwitchSession, wanted: Wanted, rules: Rules) -> tuple[Running, DevicePlan]:
    """Read one switch and plan its change; nothing is sent but the read."""
    running = session.read()
    identify(wanted, running.facts, rules)
    return running, device_plan(wanted, running.text, allow_management=rules.allow_management)


@dataclass(frozen=True, slots=True)
class Transaction:
    """Brings one switch to what is wanted. A switch that already is there costs one read."""

    opener: Opener
    wanted: Wanted
    rules: Rules
    on_step: Report
    record: Record

    def run(self) -> Outcome:
        """Do it. Any error leaves the switch as it was, at the latest when its own timer fires."""
        device = self.wanted.device
        session = self.opener()
        try:
            self.on_step(device, Step.READ)
            _, plan = look(session, self.wanted, self.rules)
            if plan.candidate is None:
                self.on_step(device, Step.DONE)
                return Outcome(device, changed=False, plan=plan)
            up_before = session.established()
            self.record(plan)
            token = self._commit(session, plan, plan.candidate)
        finally:
            session.close()
        self._confirm(plan, token, up_before)
        self.on_step(device, Step.DONE)
        return Outcome(device, changed=True, plan=plan)

    def _commit(self, session: SwitchSession, plan: DevicePlan, candidate: Candidate) -> str:
        device = self.wanted.device
        self.on_step(device, Step.STAGE)
        staged = session.stage(candidate)
        planned = frozenset(plan.changes)
        if staged.changes != planned:
            session.abort()
            raise StageError(_disagreement(device, planned, staged.changes))
        self.on_step(device, Step.COMMIT)
        return session.commit(self._timer_s)

    def _confirm(self, plan: DevicePlan, token: str, up_before: frozenset[str]) -> None:
        """Confirm on a new connection, which proves that the change left us a way in; else take the change back."""
        session = self.opener()
        try:
            self.on_step(self.wanted.device, Step.GATE)
            try:
                self._gate(session, plan, up_before)
            except GpufabricError as error:
                self._take_back(session, token, error)
                undone = Problem(self.wanted.device, "the change was taken back; the switch is as it was before")
                raise CommitError((*error.problems, undone)) from error
            self.on_step(self.wanted.device, Step.CONFIRM)
            session.confirm(token)
        finally:
            session.close()

    def _take_back(self, session: SwitchSession, token: str, why: GpufabricError) -> None:
        """Revert now. Raises LeftToTimerError where the switch cannot be reached for that: it does it by itself."""
        device = self.wanted.device
        try:
            session.revert(token)
        except GpufabricError as error:
            within = f"it takes the change back by itself within {self._timer_s} s of the commit"
            hint = f"then look with 'nornir plan --limit {device}' and push again"
            left = Problem(device, "the switch could not be told to take the change back", found=within, hint=hint)
            raise LeftToTimerError((*why.problems, left)) from error

    @property
    def _timer_s(self) -> int:
        return max(self.rules.confirm_within_s, self.wanted.capabilities.min_confirm_s)

    def _gate(self, session: SwitchSession, plan: DevicePlan, up_before: frozenset[str]) -> None:
        device = self.wanted.device
        owned, foreign = split_running(self.wanted, self.wanted.platform.to_tree(session.read().text))
        problems = [
            Problem(device, f"after the commit this is not as planned: {change}")
            for change in difference(owned, self.wanted.tree)
        ]
        problems += [
            Problem(device, f"the commit changed a line that is not ours: {change}")
            for change in difference(plan.foreign_before, foreign)
        ]
        if problems:
            raise CommitError(problems)
        self._await_sessions(session, up_before)

    def _await_sessions(self, session: SwitchSession, up_before: frozenset[str]) -> None:
        bgp = self.wanted.config.bgp
        awaited = up_before & {neighbor.key for neighbor in (bgp.neighbors if bgp else ())}
        deadline = time.monotonic() + self.rules.settle_s
        while awaited and (missing := awaited - session.established()):
            if time.monotonic() > deadline:
                raise CommitError(
                    Problem(
                        where=self.wanted.device,
                        what="BGP sessions that were up before the change did not come back",
                        expected=f"{len(awaited)} sessions within {self.rules.settle_s:g} s",
                        found=f"down: {', '.join(sorted(missing))}",
                        hint="look at both ends of these sessions with 'nornir validate'",
                    )
                )
            time.sleep(0.5)


def _disagreement(device: str, planned: frozenset[Change], staged: frozenset[Change]) -> list[Problem]:
    problems = [
        Problem(where=device, what=f"planned, but the switch would not do it: {change}")
        for change in sorted(planned - staged)
    ]
    problems += [
        Problem(where=device, what=f"the switch would also do what was not planned: {change}")
        for change in sorted(staged - planned)
    ]
    hint = "nothing was committed; the switch's own syntax differs from what we render for this release"
    return [*problems, Problem(where=device, what="plan and switch disagree", hint=hint)]

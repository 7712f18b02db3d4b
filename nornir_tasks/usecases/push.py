"""Plan, push and roll back: what a push would change, the push itself, and the way back."""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from types import MappingProxyType

from nornir_tasks.deploy.fleet import Fleet, Results
from nornir_tasks.deploy.journal import JOURNAL, Entry, Journal
from nornir_tasks.deploy.outcome import Outcome
from nornir_tasks.deploy.problems import (
    PUSH,
    Ways,
    blocked,
    in_the_way,
    sprays,
    unconfirmed,
    unfinished,
    unguarded,
    ways_of,
)
from nornir_tasks.deploy.record import Stated
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.tasks import Push
from nornir_tasks.deploy.undo import Obstacles, OwnedSwitches, refuse_overtaken
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.deploy.waves import Wave, backwards, members, waves_of
from nornir_tasks.design.capacity.management_paths import ManagementPath, management_paths
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.model.claims import BASE
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.errors import GpufabricError, Interrupted, LeftToTimerError, LocalError, Problem, RefusedError
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.files.push_lock import PushLock, sole_push
from nornir_tasks.usecases.approval import require_no_approval
from nornir_tasks.usecases.earlier import before
from nornir_tasks.usecases.how import USUAL, How
from nornir_tasks.usecases.interrupted_push import PushInterrupted, settled
from nornir_tasks.usecases.progress import On, Work, following, ignore
from nornir_tasks.usecases.reach import Access, Reach, declared, require_all, together, worst
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import Selection, SiteDesign
from nornir_tasks.usecases.stating import stated_by


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What a push would change, switch by switch."""

    plans: Mapping[str, PlanSummary]
    work: tuple[str, ...]
    """The switches that a push would touch: to change or save them, or to remove leftovers of an earlier push."""
    ways: Mapping[str, ManagementPath] = dataclasses.field(default_factory=dict)
    """How the tool reaches each of them; empty where the site describes no out-of-band plane."""
    blocked: Mapping[str, Problem] = dataclasses.field(default_factory=dict)
    """The switches that would refuse their change now, and why: a colleague works on them, or their disk is full."""

    @property
    def changing(self) -> dict[str, PlanSummary]:
        """The switches that do not run what they should."""
        return {name: each for name, each in self.plans.items() if each.count}

    @property
    def unsaved(self) -> tuple[str, ...]:
        """The switches of which a reboot would bring back something earlier."""
        return tuple(name for name, each in self.plans.items() if not each.is_saved)

    @property
    def need_reload(self) -> list[str]:
        """The switches of which some line takes effect at a reload only, sorted."""
        return _need_reload(self.plans)

    @property
    def begin_to_spray(self) -> list[str]:
        """The switches that would begin to balance packet by packet, sorted."""
        return sorted(name for name, each in self.plans.items() if each.begins_to_spray)

    @property
    def unshown(self) -> dict[str, tuple[str, ...]]:
        """Switch -> places of secrets that it does not show, so that they cannot be compared."""
        return {name: each.unshown for name, each in self.plans.items() if each.unshown}

    @property
    def drained(self) -> dict[str, Drain]:
        """The switches that are drained after it; a push keeps what it finds."""
        return {name: each.drain for name, each in self.plans.items() if each.drain is not None}

    @property
    def unfinished(self) -> dict[str, Problem]:
        """The switches whose last change is not through, and why."""
        return unfinished(self.plans)

    def of(self, names: Collection[str]) -> "PlanReport":
        """The same of these switches alone."""
        plans = {name: each for name, each in self.plans.items() if name in names}
        ways = {name: each for name, each in self.ways.items() if name in names}
        stopped = {name: each for name, each in self.blocked.items() if name in names}
        return PlanReport(plans, tuple(name for name in self.work if name in names), ways, stopped)


@dataclass(frozen=True, slots=True)
class PushReport:
    """The result of every switch. A push that failed on some has a report, too: see ``require_done``."""

    plan: PlanReport
    """The plans of all selected switches, before the push."""
    outcomes: Mapping[str, Outcome]
    errors: Mapping[str, GpufabricError]
    """A switch may have both: its change is kept, but a later step failed."""
    number: int | None = None
    """The journal's; None: nothing was to be done."""
    ways: Ways = PUSH
    """The commands that carry on, and that take back what was done."""
    undone_by: int | None = None
    """Of a rollback: the one that had taken all of this push back before."""
    taken_back: "TakenBack | None" = None
    """It failed and was to be all or nothing."""

    @property
    def changed(self) -> list[str]:
        """Sorted, as all the others."""
        return sorted(name for name, each in self.outcomes.items() if each.changed)

    @property
    def saved(self) -> list[str]:
        """They ran what is wanted, and a reboot might have lost it: they were changed since they were saved last."""
        return sorted(name for name, each in self.outcomes.items() if each.saved)

    @property
    def left(self) -> list[str]:
        """Committed to and not confirmed: their timers take the change back."""
        return sorted(name for name, error in self.errors.items() if isinstance(error, LeftToTimerError))

    @property
    def not_saved(self) -> list[str]:
        """Changed and confirmed, and a reboot may lose it."""
        return sorted(name for name, each in self.outcomes.items() if each.is_unsaved)

    @property
    def leftovers(self) -> list[str]:
        """Changed, and with a file of this push that the next one removes."""
        return sorted(name for name, each in self.outcomes.items() if each.has_leftover)

    @property
    def is_through(self) -> bool:
        """Was everything done?"""
        return not self.errors and not self.not_begun

    @property
    def not_begun(self) -> list[str]:
        """An earlier wave failed, so they were left alone."""
        return sorted(set(self.plan.work) - self.outcomes.keys() - self.errors.keys())

    @property
    def need_reload(self) -> list[str]:
        """Changed, saved, and with lines that are not in effect until a reload."""
        return _need_reload({name: self.plan.plans[name] for name in self.changed})

    def require_done(self) -> None:
        """Raises with every problem of every switch if one failed."""
        if self.errors:
            raise worst(self.errors)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The way back of a push that failed on one switch and was to be all or nothing."""

    rollbacks: tuple[int, ...]
    """Their numbers in the journal."""
    back: tuple[str, ...]
    """Switches that it had changed, and that run again what they ran before; sorted."""
    left: Mapping[str, GpufabricError]
    """Switch -> why it may still run what the push changed."""


def _need_reload(plans: Mapping[str, PlanSummary]) -> list[str]:
    return sorted(name for name, each in plans.items() if each.disruption is Disruption.RELOAD)


Approve = Callable[[PlanReport], bool]
"""Asked once, before anything is changed or saved. False ends the push as declined."""


def plan(selection: Selection, reach: Reach, on: On = ignore, *, keeps_read: bool = False) -> PlanReport:
    """Read the switches and report what a push would change. Only reads are sent.

    ``keeps_read``: with what was read, for a plan that is pushed later. Raises the errors of all switches at once.
    """
    access = Access(reach, on, vault_of(selection.design, selection.planes), keeps_read=keeps_read)
    selection = selection.with_releases(access.accepted(selection))
    with access.fleet(selection.design, selection) as switches:
        found = require_all(access.read(Work.READ, len(selection), switches.plan))
    path = selection.design.site.record_directory / JOURNAL
    return _report(found, selection.design, dead=Journal(path).candidates() if path.exists() else {})


def push(selection: Selection, reach: Reach, approve: Approve, on: On = ignore, how: How = USUAL) -> PushReport:
    """Bring the switches to their wanted configurations, in waves; stop after the first wave with a failure.

    Plans all first, and refuses all if one cannot be planned, or is not as ``how.planned``. Raises Interrupted if
    ``approve`` declines, PushInterrupted on Ctrl-C during the push; failures of single switches are in the report.
    """
    if how.planned is None:
        require_no_approval(selection.design)
    access = Access(reach, on, vault_of(selection.design, selection.planes), planned=how.planned)
    selection = selection.with_releases(access.accepted(selection))
    return _Run("push", selection.design, selection, access, limit=selection.limit, how=how).run(approve)


def carry_out(
    ways: Ways, design: SiteDesign, wanted: Mapping[str, Wanted], access: Access, approve: Approve
) -> PushReport:
    """A push of these configurations under another verb's name, which the journal keeps."""
    return _Run(ways.verb, design, wanted, access, how=How(ways=ways)).run(approve)


def last_push(design: SiteDesign) -> int:
    """The number of the last push that changed anything and was not undone. Raises RefusedError if there is none."""
    path = design.site.record_directory / JOURNAL
    if path.exists() and (last := Journal(path).last_push()) is not None:
        return last
    raise RefusedError(Problem(design.site.name, "the journal has no push that could be rolled back"))


def rollback(
    design: SiteDesign,
    push: int,
    reach: Reach,
    approve: Approve,
    on: On = ignore,
    *,
    limit: Sequence[str] = (),
    how: How = USUAL,
) -> PushReport:
    """Undo a push: the same transaction, with what it added taken out and what it removed put back.

    Each switch that runs what it ran before is undone, whatever becomes of the others: a second rollback takes those.

    Raises RefusedError for a push that is not in the journal, and if a later one changed lines of the same owners.
    """
    journal = Journal(design.site.record_directory / JOURNAL)
    if by := journal.undone_by(push):
        return _taken_back(push, by)
    wanted, access = before(design, push, reach, on, limit)
    return _Run("rollback", wanted.selection.design, wanted, access, push, tuple(limit), how).run(approve)


def _taken_back(push: int, by: int) -> PushReport:
    """A rollback of a push of which nothing is left; ``by``: the rollback that had undone it."""
    return PushReport(PlanReport({}, ()), {}, {}, ways=ways_of("rollback", by, push), undone_by=by)


def _report(
    plans: Mapping[str, PlanSummary],
    design: SiteDesign,
    left_behind: Collection[str] = (),
    dead: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> PlanReport:
    """The plans of all switches. ``left_behind``: those with leftovers to remove; ``dead``: what blocks no push."""
    work = (name for name, each in plans.items() if each.count or not each.is_saved or name in left_behind)
    ways = {name: way for name, way in management_paths(design.network).items() if name in plans}
    return PlanReport(plans, tuple(work), ways, blocked(plans, dead))


@dataclass(frozen=True, slots=True)
class _Past:
    """Leftovers of earlier pushes."""

    journal: Journal
    entries: Mapping[str, Entry]
    """Device -> a push of it whose result is not known."""
    dead: Mapping[str, frozenset[str]]
    """Device -> abandoned candidates."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One push or rollback."""

    verb: str
    design: SiteDesign
    wanted: Mapping[str, Wanted]
    access: Access
    undoes: int | None = None
    """The push that a rollback undoes."""
    limit: tuple[str, ...] = ()
    """The switches that the operator has named."""
    how: How = USUAL

    def run(self, approve: Approve) -> PushReport:
        """Plan all, refuse all if one cannot be planned, ask, then push what differs, is not saved, or was left."""
        stated = stated_by(self.verb, self.access.reach, self.design.site.intent.policy.changes, self.how.planned)
        state = self.design.site.record_directory
        locked = sole_push(state, self.verb) if self.how.lock is None else nullcontext(self.how.lock)
        with locked as lock, self.access.fleet(self.design, self.wanted) as switches:
            journal = Journal(state / JOURNAL)
            obstacles = Obstacles(journal, OwnedSwitches(self.design.network))
            if self.undoes is not None:
                refuse_overtaken(obstacles, self.undoes, frozenset(self.wanted), unsettled=False)
            past = _Past(journal, journal.open_entries(), journal.candidates())
            found = self._survey(switches, past)
            if self.undoes is not None:  # by now the switches have shown what became of pushes that were cut off
                if by := journal.undone_by(self.undoes):
                    return _taken_back(self.undoes, by)
                refuse_overtaken(obstacles, self.undoes, frozenset(self.wanted))
                found = found.of({entry.device for entry in journal.entries(self.undoes)})
            met = [each for name, plan in found.plans.items() for each in in_the_way(name, (o for o, _ in plan.others))]
            if met:
                raise RefusedError(met)
            if found.blocked:
                raise RefusedError(together(found.blocked.values()))
            self._refuse_unguarded(found)
            if found.begin_to_spray and not self.access.reach.hosts_reorder:
                raise RefusedError(together(map(sprays, found.begin_to_spray)))
            # Where only what a dead push of ours left behind is cleared away, there is nothing to ask.
            if (found.changing or found.unsaved) and not approve(found):
                raise Interrupted(Problem("push", "declined; nothing was changed"))
            if self.undoes is not None:  # a switch that a later step changes is undone as soon as it is confirmed
                journal.undone(self.undoes, found.plans.keys() - set(found.work))
            number, done = self._push(found, past, lock, stated)
            self._forget_first_boots(found, done)
        return PushReport(found, done.values, done.errors, number, self._ways(number or 0, self.limit))

    def _ways(self, number: int, limit: Sequence[str] = ()) -> Ways:
        return self.how.ways or ways_of(self.verb, number, self.undoes, limit)

    def _forget_first_boots(self, found: PlanReport, done: Results[Outcome]) -> None:
        """Where accounts are as declared now, the one of the first boot is gone, and its password is of no account."""
        file = Day0File(self.design.site.state_directory)
        used = {name for name, each in file.read().items() if each.is_used}
        for name in sorted(used & found.plans.keys()):
            wanted = self.wanted[name]
            is_as_wanted = name not in found.work or (name in done.values and name not in done.errors)
            if is_as_wanted and wanted.sends(BASE) and "accounts" in wanted.claims.base:
                file.forget(name)

    def _survey(self, switches: Fleet, past: _Past) -> PlanReport:
        """Every switch's plan. RefusedError for each that will take back what it runs, or is not as it was planned."""
        found = require_all(
            self.access.read(
                Work.READ, len(self.wanted), lambda report: switches.survey(past.journal, past.entries, report)
            )
        )
        ways = self._ways(0)
        problems = [unconfirmed(name, each.waiting, ways) for name, each in found.items() if each.waiting is not None]
        problems += together(each for plan in found.values() for each in plan.since)
        if problems:
            raise RefusedError(problems)
        return _report(found, self.design, past.dead, past.dead)

    def _refuse_unguarded(self, found: PlanReport) -> None:
        """Before anything is sent: the switches that would be committed to without a timer."""
        changing = found.changing
        problems = [
            unguarded(declared(device))
            for device in self.design.network.devices
            if device.name in changing and not device.capabilities.has_commit_timer
        ]
        if problems and not self.access.reach.unguarded:
            raise RefusedError(problems)

    def _push(
        self, found: PlanReport, past: _Past, lock: PushLock, stated: Stated
    ) -> tuple[int | None, Results[Outcome]]:
        """The transactions, in waves, noted in the journal under this number."""
        names = found.work
        if not names:
            return None, Results({}, {})
        owners = self.design.owners_noted({name: found.plans[name].owners for name in names})
        of_site = self.design.site.intent.site
        number = past.journal.begin(self.verb, owners, found.changing, self.undoes, of_site, stated)
        lock.note_push(number)
        with (
            following(self.access.on, Work.PUSH, len(names)) as step,
            self.access.fleet(self.design, self.wanted) as switches,
        ):
            ledger, ways = switches.ledger(), self._ways(number)
            name, plans = self.design.site.directory.name, found.plans
            order = Push(past.journal, number, name, past.dead, past.entries, plans, ledger, ways, stated.person)
            try:
                done = switches.push(self._waves(names), order, step, self.how.judge)
            except KeyboardInterrupt:
                raise PushInterrupted(settled(ledger, len(names), self.access.on)) from None
        with suppress(LocalError):  # what became of each switch is noted, or reported as not noted, already
            past.journal.finish(number, unchanged := _unchanged(done))
            if self.undoes is not None:
                past.journal.undone(self.undoes, unchanged)
        return number, done

    def _waves(self, names: tuple[str, ...]) -> tuple[Wave, ...]:
        made = waves_of(self.design.network, names, self.design.site.intent.policy.wave_share, self.how.jobs)
        if not self.how.is_backwards:
            return made
        return backwards(made, frozenset(each.device for each in members(self.design.network) if each.away is not None))


def _unchanged(done: Results[Outcome]) -> frozenset[str]:
    """The switches that ran what they should when their turn came."""
    return frozenset(name for name, each in done.values.items() if not each.changed and name not in done.errors)

"""Nornir's task functions, one per verb that talks to switches. Results are our own frozen dataclasses."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from nornir.core.task import Result, Task

from nornir_tasks.deploy.dependence import living_without
from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.identity import Declared
from nornir_tasks.deploy.journal import Entry, Journal
from nornir_tasks.deploy.ledger import Ledger, Step, ending
from nornir_tasks.deploy.outcome import Outcome
from nornir_tasks.deploy.plan import DevicePlan, running_config, running_drain, took_effect, wanted_config
from nornir_tasks.deploy.plan_one_switch import (
    COMPUTING,
    Rules,
    ask,
    identify,
    planned,
    refuse_another_certificate,
    timer_s,
    who_answers,
)
from nornir_tasks.deploy.planned import changed_since
from nornir_tasks.deploy.problems import PUSH, Ways
from nornir_tasks.deploy.summary import PlanSummary, Read, summary
from nornir_tasks.deploy.transaction import Transaction
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.base import NO_BASE
from nornir_tasks.design.model.claims import digest
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.drivers.session import Depth, Facts, Running, SwitchSession, Waiting
from nornir_tasks.drivers.shown_certificate import shown_certificate
from nornir_tasks.errors import LocalError
from nornir_tasks.inventory.connection import CONNECTION
from nornir_tasks.platforms.config_tree import Path, in_printed_order
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.observed import Certificate, Observed

T = TypeVar("T")
_Compared = tuple[PlanSummary, DeviceConfig, DeviceConfig]


@dataclass(frozen=True, slots=True)
class Collected:
    """The state of one switch: its running configuration compared with the wanted one, and its live state."""

    plan: PlanSummary
    running: DeviceConfig
    """The owned part of its running configuration, parsed."""
    wanted: DeviceConfig
    """What that is compared with: of the chosen planes, and what they share."""
    observed: Observed
    certificate: Certificate | None = None
    """Of its API; None: its base configuration is others', or none that is trusted was shown."""
    counted: Reading | None = None
    """Its counters, read last; None: they were not wanted."""


@dataclass(frozen=True, slots=True)
class Job:
    """The job for one switch."""

    declared: Declared
    make: Callable[[], Wanted]
    """Makes the wanted configuration at each call. Callers must not keep it: there may be 1,000 switches."""
    rules: Rules
    keep: Callable[[Drain], Wanted] | None = None
    """Makes the same of a switch that is drained. None: a drain that the switch has is none of the wanted lines."""

    def wanted(self, drain: Drain | None) -> Wanted:
        """The wanted configuration of a switch with this drain."""
        return self.make() if drain is None or self.keep is None else self.keep(drain)


def ask_switch(task: Task, jobs: Mapping[str, Job]) -> Result:
    """The identity and release of one switch."""
    job = jobs[task.host.name]
    return Result(host=task.host, result=ask(_session(task), job.declared.device, job.rules))


def plan_switch(task: Task, jobs: Mapping[str, Job]) -> Result:
    """Read one switch and plan its change."""
    job, session = jobs[task.host.name], _session(task)
    running = session.read()
    return Result(host=task.host, result=_planned(job, session, running, partial(_summarised, job, running.facts)))


def _planned(job: Job, session: SwitchSession, running: Running, make: Callable[[Wanted, DevicePlan], T]) -> T:
    """Plan, and make something of the plan. Before a port without a cable changes, the switch is asked who is there.

    Wanted configuration and trees are freed before the wait for the switch.
    """
    heard = job.rules.evidence.heard
    while True:
        with COMPUTING:
            wanted = job.make()
            plan = planned(running, wanted, job.rules)
            if job.keep is not None and (drain := running_drain(wanted, plan)) is not None:
                wanted = job.keep(drain)
                plan = planned(running, wanted, job.rules)
            unused = plan.unused - heard.keys()
            if not unused:
                return make(wanted, plan)
            del wanted, plan
        heard |= dict.fromkeys(unused, "")
        heard |= {each.port: each.remote_device for each in session.observe(("lldp",)).lldp if each.port in unused}


def _summarised(job: Job, facts: Facts | None, wanted: Wanted, plan: DevicePlan) -> PlanSummary:
    refuse_another_certificate(plan, wanted, job.rules)
    made, planned = summary(plan, wanted), job.rules.planned
    if job.rules.keeps_read and facts is not None:
        made = replace(made, read=Read.of(facts, wanted.platform.to_text(plan.running)))
    return made if planned is None else replace(made, since=tuple(changed_since(planned, made, plan, wanted, facts)))


def collect_switch(
    task: Task, jobs: Mapping[str, Job], fields: Collection[str], counters: Collection[Counter] = ()
) -> Result:
    """Read one switch's configuration, these fields of its live state, and these counters."""
    job, session = jobs[task.host.name], _session(task)

    def compared(wanted: Wanted, plan: DevicePlan) -> tuple[_Compared, tuple[str, ...], tuple[str, ...]]:
        both = summary(plan, wanted), running_config(wanted, plan), wanted_config(wanted)
        return both, worth_asking(wanted.config, fields), relevant_vrfs(wanted.config)

    both, shown, vrfs = _planned(job, session, session.read(), compared)
    certificate = shown_certificate(session.endpoint) if both[-1].base != NO_BASE else None
    observed = session.observe(shown, vrfs)
    counted = session.counters(counters) if counters else None
    return Result(host=task.host, result=Collected(*both, observed, certificate, counted))


def count_switch(task: Task, jobs: Mapping[str, Job], counters: Collection[Counter]) -> Result:
    """Check who answers, and read these counters."""
    job, session = jobs[task.host.name], _session(task)
    ask(session, job.declared.device, job.rules)
    return Result(host=task.host, result=session.counters(counters))


def read_switch(task: Task, jobs: Mapping[str, Job], make: Callable[[str, Running], T]) -> Result:
    """Read one switch's configuration, check who answers, and make something of what it runs."""
    job, session = jobs[task.host.name], _session(task)
    running = session.read()
    if running.facts is not None:
        identify(job.declared, running.facts, job.rules)
    with COMPUTING:
        return Result(host=task.host, result=make(job.declared.device, running))


def relevant_vrfs(config: DeviceConfig) -> tuple[str, ...]:
    """VRFs besides the default one whose routes matter: those of planes, and the management VRF, which has none."""
    servers = (*config.base.name_servers, *config.base.time_servers, *config.base.log_servers)
    names = (*(each.name for each in config.vrfs), *(each.vrf for each in servers))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def worth_asking(config: DeviceConfig, fields: Collection[str]) -> tuple[str, ...]:
    """Those of these fields of Observed that a switch has: groups and pairs are read only where needed."""
    there = {
        "groups": any(port.lag is not None for port in config.interfaces),
        "partners": any(port.lag is not None for port in config.interfaces),
        "pair": config.pair is not None,
        "gateways": any(port.gateway is not None for port in config.interfaces),
        "carried": any(port.tagged_vlans is not None for port in config.interfaces),
        "trees": config.spanning_tree is not None,
        "tree_ports": any(port.edge for port in config.interfaces),
        "clock": bool(config.base.time_servers),
        "log_targets": bool(config.base.log_servers),
        "zero_touch": config.base != NO_BASE,
        "vrf_ports": config.base != NO_BASE,
        "accounts": bool(config.base.accounts),
        "macs": any(port.access_vlan is not None and port.lag is None for port in config.interfaces),
        "exchanged": bool(config.routing_policy.as_path_lists),  # only sessions with others judge paths
    }
    return tuple(each for each in fields if there.get(each, True))


def survey_switch(task: Task, jobs: Mapping[str, Job], journal: Journal, entries: Mapping[str, Entry]) -> Result:
    """Like ``plan_switch``, before a push: two requests, unless an earlier push of this switch did not end well.

    The switch shows how that one ended; the journal is updated.
    """
    job, session = jobs[task.host.name], _session(task)
    entry = entries.get(job.declared.device)
    running = session.read(Depth.USUAL if entry is None and job.rules.planned is None else Depth.ALL)
    if entry is not None:  # before the plan, which asks what stands
        running = _settled(job, running, journal, entry)
    kept = _planned(job, session, running, partial(_summarised, job, running.facts))
    if running.facts is None and kept.count:
        identify(job.declared, who_answers(session), job.rules)
    return Result(host=task.host, result=kept)


def _settled(job: Job, running: Running, journal: Journal, entry: Entry) -> Running:
    """The switch that was read, with the time of a commit that waits; if none does, its earlier push is settled."""
    with COMPUTING:
        wanted = job.make()
        if running.facts is not None:
            identify(wanted.declared, running.facts, job.rules)
        running = replace(running, waiting=_timed(running.waiting, journal.timer_left_s(entry)))
        _settle(journal, entry, wanted, running)
        return running


def _timed(waiting: Waiting | None, left_s: float | None) -> Waiting | None:
    """A commit that waits, with the journal's time where the switch does not say."""
    if waiting is None or waiting.left_s is not None:
        return waiting
    return replace(waiting, left_s=left_s)


def _settle(journal: Journal, entry: Entry, wanted: Wanted, running: Running) -> None:
    """Settle an earlier push. It stays open while its timer runs, and until its change is saved."""
    if running.waiting is not None:
        return
    before, after = journal.before(entry), journal.after(entry)
    if not took_effect(wanted, wanted.platform.to_tree(running.text), before, after):
        journal.end(entry.push, entry.device, "failed")
    elif running.is_saved:
        journal.end(entry.push, entry.device, "done")


@dataclass(frozen=True, slots=True)
class Push:
    """One push: its journal, its number, and the step of each of its switches."""

    journal: Journal
    number: int
    site: str
    dead: Mapping[str, frozenset[str]]
    """Device -> candidates of earlier pushes that may still be on it."""
    entries: Mapping[str, Entry]
    """Device -> an earlier push of it whose result is not known."""
    approved: Mapping[str, PlanSummary]
    """Device -> the plan that was shown: nothing else is carried out."""
    ledger: Ledger
    ways: Ways = PUSH
    person: str = ""
    """Who pushes."""


@dataclass(slots=True)
class _Notes:
    """The transaction's ``Record``, written to the journal."""

    push: Push
    wanted: Wanted
    adopted: tuple[Path, ...] = ()
    """What the operator has this push take over on the switch."""
    is_begun: bool = False

    @property
    def name(self) -> str:
        return self.push.journal.name(self.push.site, self.push.number, self.push.person)

    @property
    def dead(self) -> frozenset[str]:
        return self.push.dead.get(self.wanted.device, frozenset())

    def started(self, plan: DevicePlan) -> None:
        os = self.wanted.platform
        needs = living_without(os, (each.path for each in plan.changes if each.op == "+"), plan.foreign_before)
        before, after = os.to_text(in_printed_order(plan.owned_before)), os.to_text(plan.owned_after)
        done = Done(before, after, self.adopted, needs)
        self.push.journal.start(self.push.number, self.wanted.device, done, digest(self.wanted.claims))
        self.is_begun = True

    def staged(self, token: str) -> None:
        self.push.journal.staged(self.push.number, self.wanted.device, token)

    def committed(self, timer_s: int | None) -> None:
        self.push.journal.committed(self.push.number, self.wanted.device, timer_s or 0)

    def dropped(self, tokens: frozenset[str] | None) -> None:
        own = self.push.number if tokens is None else None
        self.push.journal.dropped(self.wanted.device, tokens or frozenset(), own)

    def ended(self, state: str) -> None:
        """The final state; for a switch that only had to save, of the push that did not."""
        entry = self.push.entries.get(self.wanted.device)
        if self.is_begun:
            self.push.journal.end(self.push.number, self.wanted.device, state)
        elif entry is not None and state == "done" and self.wanted.is_of(self.push.journal.owners(entry.push)):
            self.push.journal.end(entry.push, entry.device, state, if_open=True)


def push_switch(task: Task, jobs: Mapping[str, Job], push: Push) -> Result:
    """One transaction on one switch, recorded in the journal."""
    job = jobs[task.host.name]
    device = job.declared.device
    approved = push.approved.get(device)
    with COMPUTING:
        wanted = job.wanted(None if approved is None else approved.drain)
    notes = _Notes(push, wanted, job.rules.evidence.adopted)
    transaction = Transaction(lambda: _fresh(task), wanted, job.rules, push.ledger, notes, approved, push.ways)
    try:
        outcome = _noted(transaction.run(), notes)
    except BaseException as error:
        push.ledger.end(device, Step.LEFT if transaction.is_open else ending(error))
        if not transaction.is_open:  # else the entry stays open: the next push asks the switch
            with suppress(LocalError):
                notes.ended("failed")
        raise
    push.ledger.note(device, Step.DONE)
    return Result(host=task.host, result=outcome, changed=outcome.changed)


def _noted(outcome: Outcome, notes: _Notes) -> Outcome:
    """A failure of the journal does not change the result on the switch."""
    if outcome.trouble is not None:
        return outcome  # the entry stays open: the next push saves, and says so
    try:
        notes.ended("done")
    except LocalError as error:
        return replace(outcome, trouble=error)
    return outcome


def timers(jobs: Mapping[str, Job]) -> dict[str, int | None]:
    """Device -> how long its commit timer runs."""
    return {name: timer_s(job.declared.capabilities, job.rules) for name, job in jobs.items()}


def applies(jobs: Mapping[str, Job]) -> dict[str, int]:
    """Device -> how long its commit lasts at most."""
    return {name: job.declared.capabilities.max_apply_s for name, job in jobs.items()}


def _session(task: Task) -> SwitchSession:
    session: SwitchSession = task.host.get_connection(CONNECTION, task.nornir.config)
    return session


def _fresh(task: Task) -> SwitchSession:
    if CONNECTION in task.host.connections:
        task.host.close_connection(CONNECTION)
    return _session(task)

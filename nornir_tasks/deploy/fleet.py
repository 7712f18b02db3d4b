"""All switches of one run: Nornir with our inventory, our connection plug-in and its threaded runner."""

import logging
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from nornir.core import Nornir
from nornir.core.inventory import ConnectionOptions, Defaults, Groups, Host, Hosts, Inventory
from nornir.core.plugins.connections import ConnectionPluginRegister
from nornir.core.task import AggregatedResult, MultiResult, Result, Task
from nornir.plugins.runners import ThreadedRunner

from nornir_tasks.deploy.journal import Entry, Journal
from nornir_tasks.deploy.ledger import Ledger
from nornir_tasks.deploy.outcome import Outcome
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.tasks import (
    Collected,
    Job,
    Push,
    applies,
    ask_switch,
    collect_switch,
    count_switch,
    plan_switch,
    push_switch,
    read_switch,
    survey_switch,
    timers,
)
from nornir_tasks.deploy.waves import Wave
from nornir_tasks.drivers import load_driver
from nornir_tasks.drivers.session import Endpoint, Facts, Running
from nornir_tasks.drivers.vault import NO_SECRETS, Vault
from nornir_tasks.errors import ConnectError, GpufabricError, Problem
from nornir_tasks.inventory.connection import CONNECTION, SwitchConnection
from nornir_tasks.platforms.counted import Counter, Reading

T = TypeVar("T")

SECOND_TRIES_AT_ONCE = 4
"""Few enough that an overloaded machine between us and the switches recovers."""
SECOND_TRIES_S = 60.0
"""No second try starts later than this after the first ones, so that an unreachable site is reported soon."""

DEFAULT_WORKERS = 64
"""Threads mostly wait for switches; more than this is no faster on two cores (``make bench``)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One switch: what to do, and where it is."""

    job: Job
    endpoint: Endpoint
    vault: Vault = NO_SECRETS


@dataclass(frozen=True, slots=True)
class Results(Generic[T]):
    """Per switch a value or an error; one switch's failure never stops another's.

    Both, where a push changed the switch for good and something that should follow it failed.
    """

    values: dict[str, T]
    errors: dict[str, GpufabricError]

    def merged(self, other: "Results[T]") -> "Results[T]":
        """Both together."""
        return Results({**self.values, **other.values}, {**self.errors, **other.errors})


Judge = Callable[[Wave], dict[str, GpufabricError]]
"""Asked after each wave that went well: switch -> what has become worse there. Anything ends the push."""


class Fleet:
    """Runs one verb on many switches at once."""

    def __init__(self, targets: Mapping[str, Target], workers: int = DEFAULT_WORKERS) -> None:
        logging.getLogger("nornir").addHandler(logging.NullHandler())  # a failure is reported once, by us
        ConnectionPluginRegister.register(CONNECTION, SwitchConnection)
        for os in {target.job.declared.os for target in targets.values()}:
            load_driver(os)
        self._jobs = {name: target.job for name, target in targets.items()}
        hosts = Hosts({name: _host(name, target) for name, target in targets.items()})
        inventory = Inventory(hosts=hosts, groups=Groups(), defaults=Defaults())
        self._nornir = Nornir(inventory=inventory, runner=ThreadedRunner(num_workers=workers))
        self._is_abandoned = False

    def ask(self, report: Callable[[str], None]) -> Results[Facts]:
        """Who the switches are and which releases they run."""
        return self._read(lambda task: ask_switch(task, self._jobs), report)

    def plan(self, report: Callable[[str], None]) -> Results[PlanSummary]:
        """What a push would change."""
        return self._read(lambda task: plan_switch(task, self._jobs), report)

    def collect(
        self, fields: Collection[str], report: Callable[[str], None], counters: Collection[Counter] = ()
    ) -> Results[Collected]:
        """Configuration of every switch, these fields of its live state, and these counters."""
        return self._read(lambda task: collect_switch(task, self._jobs, fields, counters), report)

    def count(self, counters: Collection[Counter], report: Callable[[str], None]) -> Results[Reading]:
        """These counters of every switch."""
        return self._read(lambda task: count_switch(task, self._jobs, counters), report)

    def read(self, make: Callable[[str, Running], T], report: Callable[[str], None]) -> Results[T]:
        """What ``make`` makes of each switch's name and running configuration; no text is kept."""
        return self._read(lambda task: read_switch(task, self._jobs, make), report)

    def survey(
        self, journal: Journal, entries: Mapping[str, Entry], report: Callable[[str], None]
    ) -> Results[PlanSummary]:
        """The same before a push, and settle the entries of earlier pushes. The caller holds the site's lock."""
        return self._read(lambda task: survey_switch(task, self._jobs, journal, entries), report)

    def ledger(self) -> Ledger:
        """The step of each switch of a push; also says when to stop."""
        return Ledger(timers(self._jobs), applies(self._jobs))

    def push(
        self, waves: Iterable[Wave], push: Push, report: Callable[[str], None], judge: "Judge | None" = None
    ) -> Results[Outcome]:
        """Wave by wave; the first wave with a failure, or that ``judge`` refuses, is the last one.

        Interrupted (KeyboardInterrupt), nothing more is begun, committed or confirmed; ``push.ledger`` knows the rest.
        """
        done: Results[Outcome] = Results({}, {})
        try:
            for wave in waves:
                members = self._nornir.filter(
                    filter_func=lambda host, names=frozenset(wave.devices): host.name in names
                )
                visit = _one_visit(lambda task: push_switch(task, self._jobs, push))
                result: Results[Outcome] = self._run(members, visit, report)
                troubles = {name: each.trouble for name, each in result.values.items() if each.trouble is not None}
                done = done.merged(result).merged(Results({}, troubles))
                if judge is not None and not done.errors:
                    done = done.merged(Results({}, judge(wave)))
                if done.errors:
                    break
        except KeyboardInterrupt:
            push.ledger.stop()
            raise
        return done

    def close(self) -> None:
        """End every connection, unless we were interrupted: threads still use them."""
        if not self._is_abandoned:
            self._nornir.close_connections(on_failed=True)

    def _read(self, visit: Callable[[Task], Result], report: Callable[[str], None]) -> Results[T]:
        """Visit every switch; those that did not answer a second time, when the others are done, and few at once.

        A switch that answered too late because many were asked at once is slow, not away. Only reads are repeated, and
        only what may pass: never a refused login, a certificate or an identity.
        """
        first: Results[T] = self._run(self._nornir, _one_visit(visit), report)
        silent = frozenset(name for name, error in first.errors.items() if type(error) is ConnectError)
        if not silent:
            return first
        ends = time.monotonic() + SECOND_TRIES_S
        members = self._nornir.filter(filter_func=lambda host: host.name in silent)
        few = members.with_runner(ThreadedRunner(num_workers=SECOND_TRIES_AT_ONCE))
        second: Results[T] = self._run(few, _one_visit(_until(ends, visit)), lambda _: None)
        for name, error in list(second.errors.items()):
            second.errors[name] = first.errors[name] if isinstance(error, _TooLateError) else _twice(error)
        answered = {name: error for name, error in first.errors.items() if name not in second.values}
        return Results(first.values, answered).merged(second)

    def _run(self, nornir: Nornir, task: Callable[[Task], Result], report: Callable[[str], None]) -> Results[T]:
        try:
            answers = nornir.with_processors([_Follow(report)]).run(task=task, on_failed=True)
        except KeyboardInterrupt:
            self._is_abandoned = True
            raise
        results: Results[T] = Results({}, {})
        for name, answer in answers.items():
            error = answer[0].exception
            if error is None:
                results.values[name] = answer[0].result
            else:
                _forget_frames(error)
                results.errors[name] = _own(name, error)
        nornir.data.reset_failed_hosts()
        return results


class _TooLateError(ConnectError):
    """Not tried a second time: the time for second tries was over."""


def _until(ends_s: float, visit: Callable[[Task], Result]) -> Callable[[Task], Result]:
    """The visit, if it starts in time."""

    def visited(task: Task) -> Result:
        if time.monotonic() > ends_s:
            raise _TooLateError(Problem(task.host.name, "not tried a second time"))
        return visit(task)

    return visited


def _twice(error: GpufabricError) -> GpufabricError:
    """The same error, saying that it was not the first one."""
    if type(error) is not ConnectError:
        return error
    again = ConnectError(replace(each, what=f"{each.what} (tried twice)") for each in error.problems)
    again.__cause__ = error
    return again


def _one_visit(visit: Callable[[Task], Result]) -> Callable[[Task], Result]:
    """The connection ends with the visit: of 1,000 switches no more are connected than threads visit them."""

    def visited(task: Task) -> Result:
        try:
            return visit(task)
        finally:
            if CONNECTION in task.host.connections:
                task.host.close_connection(CONNECTION)

    return visited


class _Follow:
    """A Nornir processor that says which switch has answered; the other events are not for us."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def task_started(self, task: Task) -> None: ...

    def task_completed(self, task: Task, result: AggregatedResult) -> None: ...

    def task_instance_started(self, task: Task, host: Host) -> None: ...

    def task_instance_completed(self, task: Task, host: Host, result: MultiResult) -> None:
        self._report(host.name)

    def subtask_instance_started(self, task: Task, host: Host) -> None: ...

    def subtask_instance_completed(self, task: Task, host: Host, result: MultiResult) -> None: ...


def _host(name: str, target: Target) -> Host:
    os = target.job.declared.os
    options = ConnectionOptions(platform=os, extras={"endpoint": target.endpoint, "vault": target.vault})
    return Host(name=name, hostname=target.endpoint.address, platform=os, connection_options={CONNECTION: options})


def _forget_frames(error: BaseException | None) -> None:
    """An error is kept to the end, and with it all that the functions held that it came through: trees, texts."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _own(device: str, error: BaseException) -> GpufabricError:
    if isinstance(error, GpufabricError):
        return error
    wrapped = GpufabricError(
        Problem(
            device, f"unexpected {type(error).__name__}: {error}", hint="this is a fault of gpufabric; please report it"
        )
    )
    wrapped.__cause__ = error
    return wrapped

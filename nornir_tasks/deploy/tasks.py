"""Nornir's task functions, one per verb that talks to switches. Results are our own frozen dataclasses."""

from collections.abc import Mapping
from dataclasses import dataclass

from nornir.core.task import Result, Task

from nornir_tasks.checks.observed import Observed
from nornir_tasks.deploy.journal import Journal
from nornir_tasks.deploy.plan import DevicePlan, running_config
from nornir_tasks.deploy.transaction import Report, Rules, Transaction, ask, look
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.drivers.session import SwitchSession
from nornir_tasks.errors import LeftToTimerError
from nornir_tasks.inventory.connection import CONNECTION


@dataclass(frozen=True, slots=True)
class Collected:
    """One switch as it is: what it runs, compared with what is wanted, and what it says of itself."""

    plan: DevicePlan
    running: DeviceConfig
    """The owned part of what it runs, as the model sees it."""
    observed: Observed


@dataclass(frozen=True, slots=True)
class Job:
    """What to do about one switch."""

    wanted: Wanted
    rules: Rules


def ask_switch(task: Task, jobs: Mapping[str, Job]) -> Result:
    """Who one switch is, and which release it runs."""
    job = jobs[task.host.name]
    return Result(host=task.host, result=ask(_session(task), job.wanted.device, job.rules))


def plan_switch(task: Task, jobs: Mapping[str, Job]) -> Result:
    """Read one switch and plan its change; only what is shown of it is kept, for there may be 1,000 of them."""
    job = jobs[task.host.name]
    _, plan = look(_session(task), job.wanted, job.rules)
    return Result(host=task.host, result=plan.told())


def collect_switch(task: Task, jobs: Mapping[str, Job]) -> Result:
    """Read one switch's configuration and its live state."""
    job = jobs[task.host.name]
    session = _session(task)
    _, plan = look(session, job.wanted, job.rules)
    collected = Collected(plan.told(), running_config(job.wanted, plan), session.observe())
    return Result(host=task.host, result=collected)


def push_switch(task: Task, jobs: Mapping[str, Job], journal: Journal, push: int, on_step: Report) -> Result:
    """One transaction on one switch, noted in the journal."""
    job = jobs[task.host.name]
    device = job.wanted.device
    to_text = job.wanted.platform.to_text

    def record(plan: DevicePlan) -> None:
        journal.start(push, device, to_text(plan.owned_before), to_text(job.wanted.tree))

    try:
        outcome = Transaction(lambda: _fresh(task), job.wanted, job.rules, on_step, record).run()
    except LeftToTimerError:
        raise  # the entry stays as started: the next push waits until the timer has fired
    except BaseException:
        journal.end(push, device, "failed")
        raise
    journal.end(push, device, "done")
    return Result(host=task.host, result=outcome, changed=outcome.changed)


def _session(task: Task) -> SwitchSession:
    session: SwitchSession = task.host.get_connection(CONNECTION, task.nornir.config)
    return session


def _fresh(task: Task) -> SwitchSession:
    if CONNECTION in task.host.connections:
        task.host.close_connection(CONNECTION)
    return _session(task)

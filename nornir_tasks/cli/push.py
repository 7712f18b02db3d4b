"""``nornir push``: plan, ask, then one transaction per switch, wave by wave."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.cli.fleet import Choice
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.deploy.fleet import Results
    from nornir_tasks.deploy.plan import DevicePlan
    from nornir_tasks.deploy.transaction import Outcome
    from nornir_tasks.deploy.wanted import Wanted

MOST_LINES = 20
"""Of one switch's plan shown before a push; a first push would fill the screen, a repair shows whole."""

STAGING_S = 60
"""A switch is given this long to stage; its commit timer begins after that."""


def push(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    yes: options.Yes = False,
    allow_management: options.AllowManagement = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Bring the switches to what the intent asks for; nothing happens where that is so already."""
    from nornir_tasks.cli.fleet import Choice, chosen

    choice = Choice(frozenset(allow_management or ()), accept_release, workers)
    scope, wanted = chosen(site, plane, limit, choice)
    run("push", scope, wanted, choice, yes=yes, json=json)


def run(verb: str, scope: "Scope", wanted: "Mapping[str, Wanted]", choice: "Choice", *, yes: bool, json: bool) -> None:
    """Plan all, refuse all if one cannot be planned, ask, then push what differs."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.fleet import fleet, require_all, run_all
    from nornir_tasks.cli.plan import need_reload, plans_as_json, print_plans
    from nornir_tasks.files.push_lock import sole_push

    with sole_push(scope.site.state_directory, verb), fleet(scope, wanted, choice) as switches:
        _refuse_cut_off(scope, wanted)
        plans = require_all(run_all("reading", len(wanted), switches.plan))
        changing = {name: each for name, each in plans.items() if each.changes}
        if changing and not json:
            print_plans(plans, MOST_LINES)
        if changing and not yes:
            _ask(len(changing), len(plans))
        done = _push(verb, scope, wanted, plans, choice) if changing else None
    changed = sorted(name for name, each in (done.values if done else {}).items() if each.changed)
    if json:
        failed = {name: [str(p) for p in error.problems] for name, error in (done.errors if done else {}).items()}
        print_json({**plans_as_json(plans), "changed": changed, "total": len(plans), "failed": failed})
    else:
        out.print(f"{len(changed)} of {len(plans)} changed")
        _tell_reloads(need_reload({name: plans[name] for name in changed}))
    if done:
        _end(done, left=len(changing) - len(done.values) - len(done.errors))


def _tell_reloads(waiting: list[str]) -> None:
    """What a switch takes up at a reload only is configured by now, saved, and not in effect: nobody shall think so."""
    from nornir_tasks.cli.console import out

    if waiting:
        out.print(f"a reload is pending on {len(waiting)} of them: {', '.join(waiting)}")
        out.print("until each is reloaded, its lines tagged 'reload' are configured and not in effect")


def _refuse_cut_off(scope: "Scope", wanted: "Mapping[str, Wanted]") -> None:
    """A switch that was committed to by a push that died looks as wanted until its own timer takes the change back."""
    from nornir_tasks.deploy.journal import Journal
    from nornir_tasks.deploy.transaction import Rules
    from nornir_tasks.errors import Problem, RefusedError

    within_s = Rules().confirm_within_s + STAGING_S
    journal = Journal(scope.site.state_directory / "journal.sqlite")
    problems = [
        Problem(
            where=device,
            what=f"an earlier push was cut off {age_s:.0f} s ago; what it committed is not confirmed",
            expected=f"the switch has taken it back by itself {within_s} s after that push began",
            hint=f"push again in {within_s - age_s:.0f} s",
        )
        for device, age_s in journal.cut_off(within_s)
        if device in wanted
    ]
    if problems:
        raise RefusedError(problems)


def _push(
    verb: str,
    scope: "Scope",
    wanted: "Mapping[str, Wanted]",
    plans: "Mapping[str, DevicePlan]",
    choice: "Choice",
) -> "Results[Outcome]":
    """The transactions, in waves, noted in the journal."""
    from nornir_tasks.cli.console import following
    from nornir_tasks.cli.fleet import fleet
    from nornir_tasks.deploy.journal import Journal
    from nornir_tasks.deploy.transaction import Step
    from nornir_tasks.deploy.waves import members, most_only_leaves, waves

    chosen = {name: wanted[name] for name, each in plans.items() if each.changes}
    everyone = tuple(members(scope.fabric))
    most = most_only_leaves(everyone, scope.fabric.intent.policy.wave_share)
    order = waves((each for each in everyone if each.device in chosen), most)
    journal = Journal(scope.site.state_directory / "journal.sqlite")
    number = journal.begin(verb, next(iter(chosen.values())).owners)
    with following("pushing", len(chosen)) as step, fleet(scope, chosen, choice) as switches:
        return switches.push(order, journal, number, lambda name, at: step(name) if at is Step.DONE else None)


def _ask(changing: int, total: int) -> None:
    from nornir_tasks.errors import Interrupted, Problem

    if not sys.stdin.isatty():
        hint = "say --yes to push without being asked"
        raise Interrupted(Problem("push", "nobody is there to be asked", hint=hint))
    if not typer.confirm(f"Change {changing} of {total} switches?", err=True):
        raise Interrupted(Problem("push", "declined; nothing was changed"))


def _end(done: "Results[Outcome]", left: int) -> None:
    from nornir_tasks.cli.console import err
    from nornir_tasks.cli.fleet import require_all

    if left:
        err.print(f"{left} switches were not begun because an earlier wave failed", markup=False)
    require_all(done)

"""``nornir push``: plan, ask, then one transaction per switch, wave by wave."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.cli.fleet import Choice
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.deploy.fleet import Fleet, Results
    from nornir_tasks.deploy.journal import Entry, Journal
    from nornir_tasks.deploy.plan import DevicePlan
    from nornir_tasks.deploy.transaction import Outcome
    from nornir_tasks.deploy.wanted import Wanted

MOST_LINES = 20
"""Of one switch's plan shown before a push; a first push would fill the screen, a repair shows whole."""


def push(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    yes: options.Yes = False,
    allow_management: options.AllowManagement = None,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Bring the switches to what the intent asks for; nothing happens where that is so already."""
    from nornir_tasks.cli.fleet import Choice, chosen

    choice = Choice(frozenset(allow_management or ()), accept_release, workers, unguarded)
    scope, wanted = chosen(site, plane, limit, choice)
    run("push", scope, wanted, choice, yes=yes, json=json)


def run(verb: str, scope: "Scope", wanted: "Mapping[str, Wanted]", choice: "Choice", *, yes: bool, json: bool) -> None:
    """Plan all, refuse all if one cannot be planned, ask, then push what differs, is not saved, or was left behind."""
    from nornir_tasks.cli.fleet import fleet
    from nornir_tasks.deploy.journal import Journal
    from nornir_tasks.files.push_lock import sole_push

    with sole_push(scope.site.state_directory, verb), fleet(scope, wanted, choice) as switches:
        journal = Journal(scope.site.state_directory / "journal.sqlite")
        entries, dead = journal.open_entries(), journal.candidates()
        plans = _survey(switches, journal, entries, len(wanted))
        _refuse_unguarded(wanted, plans, choice)
        work = {name: plan for name, plan in plans.items() if plan.changes or not plan.is_saved or name in dead}
        if work and not json:
            _show(plans)
        if work and not yes:
            _ask(work, len(plans))
        done = _push(verb, scope, {name: wanted[name] for name in work}, choice, (journal, entries, dead))
    _report(plans, work, done, json=json)


def _survey(
    switches: "Fleet", journal: "Journal", entries: "Mapping[str, Entry]", total: int
) -> "dict[str, DevicePlan]":
    """Every switch's plan. RefusedError for each that runs what it will take back: it only looks as wanted."""
    from nornir_tasks.cli.fleet import require_all, run_all
    from nornir_tasks.deploy.problems import unconfirmed
    from nornir_tasks.errors import RefusedError

    plans = require_all(run_all("reading", total, lambda report: switches.survey(journal, entries, report)))
    problems = [unconfirmed(name, plan.waiting) for name, plan in plans.items() if plan.waiting is not None]
    if problems:
        raise RefusedError(problems)
    return plans


def _refuse_unguarded(wanted: "Mapping[str, Wanted]", plans: "Mapping[str, DevicePlan]", choice: "Choice") -> None:
    """Before anything is sent: the switches that would be committed to without a timer."""
    from nornir_tasks.deploy.problems import unguarded
    from nornir_tasks.errors import RefusedError

    problems = [
        unguarded(wanted[name])
        for name, plan in plans.items()
        if plan.changes and not wanted[name].capabilities.has_commit_timer
    ]
    if problems and not choice.unguarded:
        raise RefusedError(problems)


def _show(plans: "Mapping[str, DevicePlan]") -> None:
    from nornir_tasks.cli.plan import print_plans

    if any(plan.changes or not plan.is_saved for plan in plans.values()):
        print_plans(plans, MOST_LINES)


def _push(
    verb: str,
    scope: "Scope",
    chosen: "Mapping[str, Wanted]",
    choice: "Choice",
    past: "tuple[Journal, Mapping[str, Entry], Mapping[str, frozenset[str]]]",
) -> "Results[Outcome]":
    """The transactions, in waves, noted in the journal."""
    from nornir_tasks.cli.console import following
    from nornir_tasks.cli.fleet import fleet
    from nornir_tasks.cli.interrupt import interruptible, leave
    from nornir_tasks.deploy.fleet import Results
    from nornir_tasks.deploy.tasks import Push
    from nornir_tasks.deploy.waves import members, most_only_leaves, waves

    if not chosen:
        return Results({}, {})
    everyone = tuple(members(scope.fabric))
    most = most_only_leaves(everyone, scope.fabric.intent.policy.wave_share)
    order = waves((each for each in everyone if each.device in chosen), most)
    journal, entries, dead = past
    number = journal.begin(verb, next(iter(chosen.values())).owners)
    with following("pushing", len(chosen)) as step, fleet(scope, chosen, choice) as switches:
        push = Push(journal, number, scope.site.directory.name, dead, entries, switches.ledger())
        try:
            with interruptible():
                return switches.push(order, push, step)
        except KeyboardInterrupt:
            leave(push.ledger, len(chosen))


def _report(
    plans: "Mapping[str, DevicePlan]", work: "Mapping[str, DevicePlan]", done: "Results[Outcome]", *, json: bool
) -> None:
    """What was changed, saved and left unconfirmed; raises what went wrong on any switch."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.fleet import require_all
    from nornir_tasks.cli.plan import need_reload, plans_as_json
    from nornir_tasks.errors import LeftToTimerError

    changed = sorted(name for name, each in done.values.items() if each.changed)
    saved = sorted(name for name, each in done.values.items() if each.saved)
    left = sorted(name for name, error in done.errors.items() if isinstance(error, LeftToTimerError))
    reloads = need_reload({name: plans[name] for name in changed})
    if json:
        failed = {name: [str(p) for p in error.problems] for name, error in done.errors.items()}
        results = {"changed": changed, "saved": saved, "unconfirmed": left, "total": len(plans), "failed": failed}
        print_json({**plans_as_json(plans), **results})
    else:
        out.print(f"{len(changed)} of {len(plans)} changed")
        if saved:
            out.print(f"{len(saved)} saved that ran what is wanted and would have lost it: {', '.join(saved)}")
        if left:
            out.print(f"{len(left)} not confirmed, and left to their timers: {', '.join(left)}")
        _tell_reloads(reloads)
    if not_begun := len(work.keys() - done.values.keys() - done.errors.keys()):
        err.print(f"{not_begun} switches were not begun because an earlier wave failed", markup=False)
    require_all(done)


def _tell_reloads(waiting: list[str]) -> None:
    """What a switch takes up at a reload only is configured by now, saved, and not in effect: nobody shall think so."""
    from nornir_tasks.cli.console import out

    if waiting:
        out.print(f"a reload is pending on {len(waiting)} of them: {', '.join(waiting)}")
        out.print("until each is reloaded, its lines tagged 'reload' are configured and not in effect")


def _ask(work: "Mapping[str, DevicePlan]", total: int) -> None:
    from nornir_tasks.errors import Interrupted, Problem

    changing = sum(bool(plan.changes) for plan in work.values())
    if not changing and all(plan.is_saved for plan in work.values()):
        return  # only what a dead push of ours left behind is cleared away
    if not sys.stdin.isatty():
        hint = "say --yes to push without being asked"
        raise Interrupted(Problem("push", "nobody is there to be asked", hint=hint))
    question = f"Change {changing} of {total} switches?" if changing else f"Save what runs on {len(work)} switches?"
    try:
        agreed = typer.confirm(question, err=True)
    except (typer.Abort, KeyboardInterrupt):  # Ctrl-C, or the end of the input
        agreed = False
    if not agreed:
        raise Interrupted(Problem("push", "declined; nothing was changed"))

"""``nornir push``: plan, ask, then one transaction per switch, wave by wave."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import completed, runnable
from nornir_tasks.cli.plan_page import PAGE_LINES, PREVIEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nornir_tasks.usecases.push import Approve, PlanReport, PushReport, TakenBack


def push(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    message: options.Message = "",
    ticket: options.Ticket = "",
    yes: options.Yes = False,
    allow_management: options.AllowManagement = None,
    adopt: options.Adopt = None,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    hosts_reorder: options.HostsReorder = False,
    workers: options.Workers = 64,
    plan_file: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="Push just what this plan says, as plan --out wrote it."),
    ] = None,
    atomic: Annotated[
        bool,
        typer.Option(
            "--atomic", help="All or nothing: where a switch fails, take the change back on all that have it already."
        ),
    ] = False,
    soak: Annotated[
        str | None,
        typer.Option(
            "--soak",
            metavar="TIME",
            help="Before the first wave and after each: count so long (30s, 5m). Where drops, pauses, sessions, "
            "neighbours, ports or anything else is worse than before, stop and take the push back, as --atomic does.",
        ),
    ] = None,
    wave_check: Annotated[
        str | None,
        typer.Option(
            "--wave-check",
            metavar="COMMAND",
            help="Run this before the first wave and after each, as a playbook that validates hosts. Where it ends "
            "with another code than 0, stop and take the push back.",
        ),
    ] = None,
    allocations: Annotated[
        Path | None,
        typer.Option(
            "--allocations",
            metavar="FILE",
            help="Which job runs where (squeue --json, or kubectl get pods -A -o json): no wave has two rails, pairs "
            "or planes of one job, and leaves with jobs come last.",
        ),
    ] = None,
    node_names: Annotated[
        str | None,
        typer.Option(
            "--node-names", help="What the scheduler calls hosts: a template, as {host}.example.com, or a file."
        ),
    ] = None,
    show_all: options.AllLines = False,
    json: options.Json = False,
) -> None:
    """Configure the switches as the intent defines; switches that already are as wanted are not changed."""
    from nornir_tasks.cli.console import err, out
    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.usecases import push as usecase
    from nornir_tasks.usecases.adopting import adopted
    from nornir_tasks.usecases.all_or_nothing import push_all_or_nothing
    from nornir_tasks.usecases.how import How
    from nornir_tasks.usecases.jobs import jobs_of
    from nornir_tasks.usecases.plan_file import to_push
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select
    from nornir_tasks.usecases.soak import duration_s
    from nornir_tasks.usecases.watched_waves import Watch, command_of

    design, approve = load(site), approving(yes=yes, json=json, show_all=show_all)
    if plan_file is None:
        plan, selection = None, select(design, plane or (), limit or ())
        reach = Reach(frozenset(allow_management or ()), accept_release, adopt=adopted(adopt or ()))
    else:
        own = {"--plane": plane, "--limit": limit, "--adopt": adopt, "--allow-management": allow_management}
        if given := [name for name, value in {**own, "--accept-release": accept_release}.items() if value]:
            raise typer.BadParameter(f"the plan says so itself: leave out {', '.join(given)}", param_hint="--plan")
        plan = to_push(design, plan_file)
        selection, reach = plan.selection(design), plan.reach
    reach = replace(
        reach, unguarded=unguarded, workers=workers, hosts_reorder=hosts_reorder, message=message, ticket=ticket
    )
    seconds = None if soak is None else duration_s(soak, "--soak")
    command = command_of(wave_check, "--wave-check")
    if node_names is not None and allocations is None:
        raise typer.BadParameter("--node-names is for --allocations")
    jobs = {} if allocations is None else jobs_of(design, allocations, node_names)
    how = How(jobs=jobs, planned=None if plan is None else plan.planned)
    with interruptible() as on:
        if seconds is not None or command:
            watch = Watch(selection, reach, on, seconds, command)
            approve, how = watch.approving(approve), replace(how, judge=watch.judge)
            report = push_all_or_nothing(selection, reach, approve, on, how)
        else:
            report = (push_all_or_nothing if atomic else usecase.push)(selection, reach, approve, on, how)
    if plan is not None and (already := plan.already(report.plan)):
        (err if json else out).print(f"{len(already)} of {len(plan.report.changing)} run already what was planned")
    print_report(report, json=json)


def approving(*, yes: bool, json: bool, preview: str = PREVIEW, show_all: bool = False) -> "Approve":
    """Show the plan, and ask the operator for approval.

    ``preview``: the command that shows all lines; ``show_all``: they are shown, not a page of them alone.
    """

    def approve(found: "PlanReport") -> bool:
        from nornir_tasks.cli.plan import print_plan

        if not json:
            print_plan(found, None if show_all else PAGE_LINES, preview)
        return yes or ask(found)

    return approve


def print_report(report: "PushReport", *, json: bool) -> None:
    """Print what was changed, saved and left unconfirmed; raises the errors of all switches."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.plan import plan_as_json, print_drained

    total = len(report.plan.plans)
    if json:
        print_json("push", {**plan_as_json(report.plan), **_as_json(report), "total": total})
    elif report.undone_by is not None:
        out.print(f"it is rolled back already, by rollback {report.undone_by}: nothing of it is left")
    else:
        out.print(f"{len(report.changed)} of {total} changed")
        if saved := report.saved:
            out.print(
                f"{len(saved)} saved that ran what is wanted, changed since it was saved last: {', '.join(saved)}"
            )
        if unsaved := report.not_saved:
            out.print(f"{len(unsaved)} changed, and perhaps not saved: {', '.join(unsaved)}")
        if left := report.left:
            out.print(f"{len(left)} not confirmed, and left to their timers: {', '.join(left)}")
        if not_begun := report.not_begun:
            why = "because an earlier wave failed"
            out.print(f"{len(not_begun)} switches were not started {why}: {', '.join(not_begun)}")
        print_drained(report.plan.drained)
        _tell_reloads(report.need_reload)
    if leftovers := report.leftovers:
        err.print(f"a file of this {report.ways.verb} is left, which the next one removes: {', '.join(leftovers)}")
    for line in _taken_back(report):
        (err if json else out).print(line)
    for line in _ways(report):
        err.print(line)
    report.require_done()


def _as_json(report: "PushReport") -> dict[str, Any]:
    on, back = _way_on(report), _way_back(report)
    return {
        "number": report.number,
        "already_rolled_back_by": report.undone_by,
        "changed": report.changed,
        "saved": report.saved,
        "not_saved": report.not_saved,
        "leftovers": report.leftovers,
        "unconfirmed": report.left,
        "not_started": report.not_begun,
        "failed": {name: [str(completed(p)) for p in error.problems] for name, error in report.errors.items()},
        "way_on": on and runnable(on),
        "way_back": back and runnable(back),
        **({} if report.taken_back is None else {"taken_back": _back_as_json(report.taken_back)}),
    }


def _back_as_json(back: "TakenBack") -> dict[str, object]:
    left = {name: [str(completed(each)) for each in error.problems] for name, error in back.left.items()}
    return {"rollbacks": list(back.rollbacks), "switches": list(back.back), "left": left}


def _taken_back(report: "PushReport") -> "Iterator[str]":
    """Which switches are as before, which are not, and why."""
    back = report.taken_back
    if back is None:
        return
    by = f", by rollback {', '.join(map(str, back.rollbacks))}" if back.rollbacks else ""
    if back.back:
        yield f"push {report.number} is taken back on {len(back.back)} switches{by}: {', '.join(back.back)}"
    if not back.left:
        yield "every switch that it had changed runs what it ran before"
        return
    for error in back.left.values():
        yield from (str(completed(problem)) for problem in error.problems)
    answers = "it answers" if len(back.left) == 1 else "they answer"
    yield (
        f"push {report.number} is not taken back on {', '.join(back.left)}; when {answers}: "
        f"{runnable(report.ways.back)}"
    )


def _way_on(report: "PushReport") -> str | None:
    """The command that does the rest of what failed in part."""
    return None if report.is_through else report.ways.again


def _way_back(report: "PushReport") -> str | None:
    """The command that undoes what was done of it."""
    is_back = report.taken_back is not None and not report.taken_back.left
    return None if report.is_through or is_back or not report.changed else report.ways.back


def _ways(report: "PushReport") -> "Iterator[str]":
    """Of one that failed in part: its number, and what can be done now."""
    on, back = _way_on(report), _way_back(report)
    if on is None:
        return
    yield f"{report.ways.verb} {report.number} did not come through; to go on: {runnable(on)}"
    if back is not None:
        yield f"or back, on the {len(report.changed)} that it changed: {runnable(back)}"


def _tell_reloads(waiting: list[str]) -> None:
    """Warn of lines that are configured and saved, but only take effect at a reload."""
    from nornir_tasks.cli.console import out

    if waiting:
        out.print(f"a reload is pending on {len(waiting)} of them: {', '.join(waiting)}")
        out.print("until each is reloaded, its lines tagged 'reload' are configured and not in effect")


def ask(found: "PlanReport") -> bool:
    """Ask at the terminal whether this plan is to be carried out. Raises Interrupted where there is none."""
    from nornir_tasks.errors import Interrupted, Problem

    if not sys.stdin.isatty():
        hint = "use --yes to push without confirmation"
        raise Interrupted(Problem("push", "no terminal to ask for confirmation", hint=hint))
    changing, total = len(found.changing), len(found.plans)
    question = (
        f"Change {changing} of {total} switches?" if changing else f"Save what runs on {len(found.work)} switches?"
    )
    try:
        return typer.confirm(question, err=True)
    except (typer.Abort, KeyboardInterrupt):  # Ctrl-C, or the end of the input
        return False

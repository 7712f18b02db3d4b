"""``nornir push``: plan, ask, then one transaction per switch, wave by wave."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import completed
from nornir_tasks.cli.plan_page import PAGE_LINES, PREVIEW

if TYPE_CHECKING:
    from nornir_tasks.usecases.push import Approve, PlanReport, PushReport, TakenBack


def push(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
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
    show_all: options.AllLines = False,
    json: options.Json = False,
) -> None:
    """Configure the switches as the intent defines; switches that already are as wanted are not changed."""
    from nornir_tasks.cli.console import err, out
    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.usecases import push as usecase
    from nornir_tasks.usecases.adopting import adopted
    from nornir_tasks.usecases.all_or_nothing import push_all_or_nothing
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
    reach = replace(reach, unguarded=unguarded, workers=workers, hosts_reorder=hosts_reorder)
    how = usecase.How(planned=None if plan is None else plan.planned)
    seconds = None if soak is None else duration_s(soak, "--soak")
    command = command_of(wave_check, "--wave-check")
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
        return yes or _ask(found)

    return approve


def print_report(report: "PushReport", *, json: bool) -> None:
    """Print what was changed, saved and left unconfirmed; raises the errors of all switches."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.plan import plan_as_json

    total = len(report.plan.plans)
    if json:
        failed = {name: [str(completed(p)) for p in error.problems] for name, error in report.errors.items()}
        results: dict[str, object] = {"changed": report.changed, "saved": report.saved, "unconfirmed": report.left}
        if report.taken_back is not None:
            results["taken_back"] = _back_as_json(report.taken_back)
        print_json("push", {**plan_as_json(report.plan), **results, "total": total, "failed": failed})
    else:
        out.print(f"{len(report.changed)} of {total} changed")
        if saved := report.saved:
            out.print(f"{len(saved)} saved that ran what is wanted and would have lost it: {', '.join(saved)}")
        if left := report.left:
            out.print(f"{len(left)} not confirmed, and left to their timers: {', '.join(left)}")
        _tell_reloads(report.need_reload)
    if not_begun := report.not_begun:
        err.print(f"{len(not_begun)} switches were not started because an earlier wave failed")
    if report.taken_back is not None and report.number is not None:
        _tell_taken_back(report.taken_back, report.number, err.print if json else out.print)
    report.require_done()


def _back_as_json(back: "TakenBack") -> dict[str, object]:
    left = {name: [str(completed(each)) for each in error.problems] for name, error in back.left.items()}
    return {"rollbacks": list(back.rollbacks), "switches": list(back.back), "left": left}


def _tell_taken_back(back: "TakenBack", number: int, tell: Callable[..., None]) -> None:
    """Say which switches are as before, which are not, and the one command that ends it."""
    from nornir_tasks.usecases.all_or_nothing import way_back

    by = f", by rollback {', '.join(map(str, back.rollbacks))}" if back.rollbacks else ""
    if back.back:
        tell(f"push {number} is taken back on {len(back.back)} switches{by}: {', '.join(back.back)}")
    if not back.left:
        tell("every switch that it had changed runs what it ran before")
        return
    for error in back.left.values():
        for problem in error.problems:
            tell(str(completed(problem)))
    answers = "it answers" if len(back.left) == 1 else "they answer"
    tell(f"push {number} is not taken back on {', '.join(back.left)}; when {answers}: {way_back(number)}")


def _tell_reloads(waiting: list[str]) -> None:
    """Warn of lines that are configured and saved, but only take effect at a reload."""
    from nornir_tasks.cli.console import out

    if waiting:
        out.print(f"a reload is pending on {len(waiting)} of them: {', '.join(waiting)}")
        out.print("until each is reloaded, its lines tagged 'reload' are configured and not in effect")


def _ask(found: "PlanReport") -> bool:
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

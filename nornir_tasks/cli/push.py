"""``nornir push``: plan, ask, then one transaction per switch, wave by wave."""

import sys
from typing import TYPE_CHECKING

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import completed
from nornir_tasks.cli.plan_page import PAGE_LINES, PREVIEW

if TYPE_CHECKING:
    from nornir_tasks.usecases.push import Approve, PlanReport, PushReport


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
    show_all: options.AllLines = False,
    json: options.Json = False,
) -> None:
    """Configure the switches as the intent defines; switches that already are as wanted are not changed."""
    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.usecases import push as usecase
    from nornir_tasks.usecases.adopting import adopted
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select

    reach = Reach(
        frozenset(allow_management or ()), accept_release, unguarded, workers, hosts_reorder, adopted(adopt or ())
    )
    selection = select(load(site), plane or (), limit or ())
    with interruptible() as on:
        report = usecase.push(selection, reach, approving(yes=yes, json=json, show_all=show_all), on)
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
        failed = {name: [str(completed(p)) for p in error.problems] for name, error in report.errors.items()}
        results = {"changed": report.changed, "saved": report.saved, "unconfirmed": report.left}
        print_json("push", {**plan_as_json(report.plan), **results, "total": total, "failed": failed})
    else:
        out.print(f"{len(report.changed)} of {total} changed")
        if saved := report.saved:
            out.print(f"{len(saved)} saved that ran what is wanted and would have lost it: {', '.join(saved)}")
        if left := report.left:
            out.print(f"{len(left)} not confirmed, and left to their timers: {', '.join(left)}")
        print_drained(report.plan.drained)
        _tell_reloads(report.need_reload)
    if not_begun := report.not_begun:
        err.print(f"{len(not_begun)} switches were not started because an earlier wave failed")
    report.require_done()


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

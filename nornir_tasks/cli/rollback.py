"""``nornir rollback``: take the last push back, or another one: what it added goes, what it removed comes back."""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def rollback(
    site: options.Site = "lab",
    push: Annotated[
        int | None, typer.Option("--push", min=1, help="The number of the push to undo; default: the last one.")
    ] = None,
    limit: options.Limit = None,
    message: options.Message = "",
    ticket: options.Ticket = "",
    yes: options.Yes = False,
    allow_management: options.AllowManagement = None,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    hosts_reorder: options.HostsReorder = False,
    workers: options.Workers = 64,
    show_all: options.AllLines = False,
    json: options.Json = False,
) -> None:
    """Undo a push: what it added goes, what it removed comes back, and lines that others typed since stay."""
    from nornir_tasks.cli.console import err
    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.cli.push import approving, print_report
    from nornir_tasks.usecases import push as usecase
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load

    design = load(site)
    number = push or usecase.last_push(design)
    if push is None:
        err.print(f"rolling back push {number}, the last one of which something runs")
    reach = Reach(
        frozenset(allow_management or ()),
        accept_release,
        unguarded,
        workers,
        hosts_reorder,
        message=message,
        ticket=ticket,
    )
    preview = f"nornir rollback --push {number} --all"
    approve = approving(yes=yes, json=json, preview=preview, show_all=show_all)
    with interruptible() as on:
        report = usecase.rollback(design, number, reach, approve, on, limit=limit or ())
    print_report(report, json=json)

"""``nornir validate``: is the live network what the intent asks for?"""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def validate(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every finding that is not passed, not the causes alone.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Check configuration, ports, cabling, MTU, BGP, ECMP and QoS on the switches. Changes nothing.

    What follows from one cause is one finding; --all shows all of them.
    """
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.findings import as_json, print_report
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import validate as usecase
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select

    reach = Reach(accept_release=accept_release, workers=workers)
    selection = select(load(site), plane or (), limit or ())
    report = usecase.judge(selection, usecase.collect(selection, reach, Display()))
    if json:
        print_json(as_json(report))
    else:
        print_report(report, show_all=show_all)
    usecase.require_passed(report)

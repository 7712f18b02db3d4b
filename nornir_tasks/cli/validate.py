"""``nornir validate``: is the live network as the intent defines?"""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def validate(
    context: typer.Context,
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every finding that is not passed, not the causes alone.")
    ] = False,
    list_checks: Annotated[
        bool,
        typer.Option(
            "--list",
            is_eager=True,
            help="Print every check with what passes and what fails, and ask no switch. With --site: how much of each.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Check configuration, ports, cabling, MTU, BGP, ECMP and QoS on the switches. Changes nothing.

    Failures with one cause are one finding; --all shows all of them. With --plane only what that plane, its fabric
    and the switch own is checked.
    """
    from nornir_tasks.cli.check_list import checks_as_json, print_checks
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.findings import as_json, print_report
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import validate as usecase
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select

    if list_checks:
        counts = None
        if options.names_site(context) or plane or limit:
            options.work_on(site)
            counts = usecase.expected(select(load(site), plane or (), limit or ()))
        if json:
            print_json(checks_as_json(counts))
        else:
            print_checks(counts)
        return
    reach = Reach(accept_release=accept_release, workers=workers)
    selection = select(load(site), plane or (), limit or ())
    report = usecase.judge(selection, usecase.collect(selection, reach, Display()))
    if json:
        print_json(as_json(report))
    else:
        print_report(report, show_all=show_all)
    usecase.require_passed(report)

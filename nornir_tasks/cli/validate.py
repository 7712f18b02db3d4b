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
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="CHECK", help="Only this check, as --list names it (may be repeated)."),
    ] = None,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every finding that is not passed, not the causes alone; with --json passed ones, too."
        ),
    ] = False,
    junit: options.Junit = None,
    sarif: options.Sarif = None,
    soak: Annotated[
        str | None,
        typer.Option(
            "--soak",
            metavar="TIME",
            help="Read all counters twice, so long apart (60s, 5m), and judge drops, pauses, marks, paths, cables too.",
        ),
    ] = None,
    host_counters: options.HostCounters = None,
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
    and the switch own is checked, with --only what that check judges: its failures are causes of their own then.
    With --soak what switches count under load is judged as well: start the load first.
    """
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.documents import check_targets, keeping, write_verdicts
    from nornir_tasks.cli.findings import as_json, coverage_as_json, print_report
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import soak as counting
    from nornir_tasks.usecases import validate as usecase
    from nornir_tasks.usecases.last_seen import keep_validation
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select
    from nornir_tasks.usecases.switch_verdicts import of_checks

    if list_checks:
        _list_checks(site if options.names_site(context) or plane or limit else None, plane, limit, only, json=json)
        return
    targets = {"--junit": junit, "--sarif": sarif}
    check_targets(targets, {"--json": json, "its table": not json})
    if host_counters and soak is None:
        raise typer.BadParameter("--host-counters is for --soak")
    checks = usecase.checks_named(only or (), soaked=soak is not None)
    seconds = counting.duration_s(soak, "--soak") if soak is not None else None
    reach = Reach(accept_release=accept_release, workers=workers)
    selection = select(load(site), plane or (), limit or ())
    soaked = None
    if seconds is None:
        readings = usecase.collect(selection, reach, Display(), checks)
        report = usecase.judge(selection, readings, checks)
    else:
        before = counting.hosts_before(selection, host_counters or ())
        readings, counted = counting.collect(selection, reach, seconds, Display(), checks)
        hosts = counting.hosts_after(selection, host_counters or (), before)
        report, soaked = counting.judge(selection, readings, counting.with_hosts(counted, *hosts), checks)
    with keeping():
        keep_validation(selection, report, (each.plan for each in readings.switches.values()), checks)
    written = write_verdicts(targets, "validate", selection.design.site.name, of_checks(report))
    if json:
        more: dict[str, object] = {"only": list(checks)} if checks else {}
        if soaked is not None:
            more["soak"] = {"seconds": soaked.seconds, "coverage": coverage_as_json(soaked.coverage)}
        print_json("validate", {**as_json(report, show_all=show_all), **more})
    else:
        print_report(report, show_all=show_all, soaked=soaked)
    for line in written:
        (err if json else out).print(line)
    usecase.require_passed(report)


def _list_checks(
    site: str | None, plane: list[str] | None, limit: list[str] | None, only: list[str] | None, *, json: bool
) -> None:
    """Print what each check judges. ``site``: where they are counted; None: nowhere."""
    from nornir_tasks.cli.check_list import checks_as_json, print_checks
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.usecases.site import load, select
    from nornir_tasks.usecases.validate import expected

    if only:
        raise typer.BadParameter("--list lists every check: it goes without --only")
    counts = None
    if site is not None:
        options.work_on(site)
        counts = expected(select(load(site), plane or (), limit or ()))
    if json:
        print_json("checks", checks_as_json(counts))
    else:
        print_checks(counts)

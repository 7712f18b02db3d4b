"""``nornir validate``: is the live network what the intent asks for?"""

from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.checks.evidence import Evidence, Far
    from nornir_tasks.checks.suite import Report
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.deploy.fleet import Results
    from nornir_tasks.deploy.tasks import Collected


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
    from nornir_tasks.checks.suite import judge
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.findings import as_json, print_report
    from nornir_tasks.cli.fleet import Choice, chosen, fleet, run_all

    choice = Choice(accept_release=accept_release, workers=workers)
    scope, wanted = chosen(site, plane, limit, choice)
    with fleet(scope, wanted, choice) as switches:
        collected = run_all("reading", len(wanted), switches.collect)
    report = judge(evidence(scope, collected))
    if json:
        print_json(as_json(report))
    else:
        print_report(report, show_all=show_all)
    _end(report)


def evidence(scope: "Scope", collected: "Results[Collected]") -> "Evidence":
    """What the checks judge: the design beside what the switches run and say."""
    from nornir_tasks.checks.evidence import Evidence
    from nornir_tasks.cli.plan import unfinished

    plans = {name: seen.plan for name, seen in collected.values.items()}

    return Evidence(
        fabric=scope.fabric,
        wanted={name: each.config for name, each in scope.realised.items()},
        running={name: seen.running for name, seen in collected.values.items()},
        changes={name: seen.plan.changes for name, seen in collected.values.items()},
        observed={name: seen.observed for name, seen in collected.values.items()},
        far=far_ends(scope),
        unreachable={name: error.problems[0] for name, error in collected.errors.items()},
        unfinished={name: problem.what for name, problem in unfinished(plans).items()},
    )


def far_ends(scope: "Scope") -> "dict[tuple[str, str], Far]":
    """Both directions of every link of the cabling plan."""
    from nornir_tasks.checks.evidence import Far

    far = {}
    for link in scope.fabric.links:
        for here, there in ((link.upper, link.lower), (link.lower, link.upper)):
            far[here.device, here.port] = Far(there.device, there.port, link.cable, link.kind == "host")
    return far


def _end(report: "Report") -> None:
    from nornir_tasks.errors import Problem, UndecidedError, ValidationFailed

    if report.failed:
        causes = sum(each.lead.verdict == "fail" for each in report.causes)
        what = f"{len(report.failed)} checks failed, from {causes} cause{'s' * (causes != 1)}, {report.summary()}"
        raise ValidationFailed(Problem("validate", what))
    if report.undecided or not report.tested:
        what = f"{len(report.undecided)} checks could not tell, {report.summary()}"
        raise UndecidedError(Problem("validate", what, hint="what could not be told never counts as passed"))

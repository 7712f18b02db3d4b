"""``nornir validate``: is the live network what the intent asks for?"""

from collections import Counter
from typing import TYPE_CHECKING

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.checks.evidence import Evidence, Far
    from nornir_tasks.checks.suite import Report
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.deploy.fleet import Results
    from nornir_tasks.deploy.tasks import Collected

SHOWN_EACH = 12
"""Findings printed of one check on one switch; a switch nobody pushed to would fill the screen."""


def validate(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Check configuration, ports, cabling, MTU, BGP, ECMP and QoS on the switches. Changes nothing."""
    from nornir_tasks.checks.suite import judge
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.fleet import Choice, chosen, fleet, run_all

    choice = Choice(accept_release=accept_release, workers=workers)
    scope, wanted = chosen(site, plane, limit, choice)
    with fleet(scope, wanted, choice) as switches:
        collected = run_all("reading", len(wanted), switches.collect)
    report = judge(evidence(scope, collected))
    if json:
        print_json(_as_json(report))
    else:
        _print(report)
    _end(report)


def evidence(scope: "Scope", collected: "Results[Collected]") -> "Evidence":
    """What the checks judge: the design beside what the switches run and say."""
    from nornir_tasks.checks.evidence import Evidence

    return Evidence(
        fabric=scope.fabric,
        wanted={name: each.config for name, each in scope.realised.items()},
        running={name: seen.running for name, seen in collected.values.items()},
        changes={name: seen.plan.changes for name, seen in collected.values.items()},
        observed={name: seen.observed for name, seen in collected.values.items()},
        far=far_ends(scope),
        unreachable={name: error.problems[0] for name, error in collected.errors.items()},
    )


def far_ends(scope: "Scope") -> "dict[tuple[str, str], Far]":
    """Both directions of every link of the cabling plan."""
    from nornir_tasks.checks.evidence import Far

    far = {}
    for link in scope.fabric.links:
        for here, there in ((link.upper, link.lower), (link.lower, link.upper)):
            far[here.device, here.port] = Far(there.device, there.port, link.cable, link.kind == "host")
    return far


def _print(report: "Report") -> None:
    from rich.table import Table

    from nornir_tasks.cli.console import out

    counts = Table("check", "passed", "failed", "could not tell", box=None)
    for check in dict.fromkeys(finding.check for finding in report.findings):
        verdicts = [finding.verdict for finding in report.findings if finding.check == check]
        counts.add_row(check, *(str(sum(v == each for v in verdicts)) for each in ("pass", "fail", "could not tell")))
    out.print(counts)
    shown: Counter[tuple[str, str]] = Counter()
    for finding in (*report.failed, *report.undecided):
        shown[finding.device, finding.check] += 1
        if shown[finding.device, finding.check] > SHOWN_EACH:
            continue
        out.print(f"{finding.verdict}: {finding.check}: {finding.message}", markup=False)
        if finding.expected and finding.verdict == "fail":
            out.print(f"  expected: {finding.expected}", markup=False)
    for (device, check), count in shown.items():
        if count > SHOWN_EACH:
            out.print(f"{device}: {count - SHOWN_EACH} more of {check}; --json lists them all", markup=False)
    passed = not report.failed and not report.undecided and report.tested
    out.print(f"{'passed' if passed else 'FAILED'}, {report.summary()}")
    out.print("Not judged here: pause frames, marking and buffers in silicon; only hardware shows them.", style="dim")


def _as_json(report: "Report") -> dict[str, object]:
    return {
        "tested": report.tested,
        "of": len(report.findings),
        "failed": len(report.failed),
        "undecided": len(report.undecided),
        "findings": [
            {
                "check": finding.check,
                "device": finding.device,
                "port": finding.port,
                "verdict": finding.verdict,
                "message": finding.message,
                "expected": finding.expected,
                "found": finding.found,
            }
            for finding in report.findings
        ],
    }


def _end(report: "Report") -> None:
    from nornir_tasks.errors import Problem, UndecidedError, ValidationFailed

    if report.failed:
        raise ValidationFailed(Problem("validate", f"{len(report.failed)} checks failed, {report.summary()}"))
    if report.undecided or not report.tested:
        what = f"{len(report.undecided)} checks could not tell, {report.summary()}"
        raise UndecidedError(Problem("validate", what, hint="what could not be told never counts as passed"))

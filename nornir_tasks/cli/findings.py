"""Output of ``nornir validate``: causes with their remedies, consequences folded; complete as JSON."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nornir_tasks.cli.commands import runnable

if TYPE_CHECKING:
    from rich.table import Table

    from nornir_tasks.checks.causes.root_causes import Cause
    from nornir_tasks.checks.counters.suite import Coverage, SoakReport
    from nornir_tasks.checks.evidence import Finding
    from nornir_tasks.checks.suite import Report

SHOWN_EACH = 12
"""Causes printed per check; otherwise a site without any push would fill the screen."""
SWITCHES_NAMED = 40
"""Switches named for the causes that are not printed."""


def print_report(report: "Report", *, show_all: bool, soaked: "SoakReport | None" = None) -> None:
    """Counts by check, then each cause with its remedy; with ``show_all`` the consequences as well.

    ``soaked``: what counters said is in the report; how many were read is printed after it.
    """
    from nornir_tasks.cli.console import out

    out.print(_counts(report))
    shown: Counter[str] = Counter()
    hidden: dict[str, list[Cause]] = {}
    for cause in report.causes:
        check = cause.lead.check
        shown[check] += 1
        if shown[check] > SHOWN_EACH and not show_all:
            hidden.setdefault(check, []).append(cause)
            continue
        _print_cause(cause, show_all=show_all)
    for check, causes in hidden.items():
        names = _names(cause.lead.device for cause in causes)
        out.print(f"{len(causes)} more like these of {check} (--all shows them), on {names}")
    for finding in report.skipped[: None if show_all else SHOWN_EACH]:
        out.print(f"skipped: {finding.check}: {finding.message}")
    more = len(report.skipped) - SHOWN_EACH
    if more > 0 and not show_all:
        out.print(f"{more} more were skipped (--all shows them)")
    for warning in report.warnings:
        out.print(f"warning: {warning}")
    if soaked is not None:
        print_coverage(soaked.coverage, show_all=show_all)
    _print_end(report, None if soaked is None else soaked.seconds)


def print_coverage(coverage: "Iterable[Coverage]", *, show_all: bool) -> None:
    """``eos: 19 of 22 counters read, 3 not read on this system``, and which; with ``show_all`` each with its reason."""
    from nornir_tasks.cli.console import out

    for each in coverage:
        names = f": {', '.join(each.not_read)}" if each.not_read else ""
        out.print(f"{each}{'' if show_all else names}", soft_wrap=True)
        for counter, why in each.not_read.items() if show_all else ():
            out.print(f"  {counter}: {why}", soft_wrap=True)


def coverage_as_json(coverage: "Iterable[Coverage]") -> list[dict[str, object]]:
    """The same as data."""
    return [
        {
            "system": each.system,
            "devices": each.devices,
            "read": list(each.read),
            "of": each.of,
            "not_read": dict(each.not_read),
        }
        for each in coverage
    ]


def _print_end(report: "Report", soaked_s: float | None) -> None:
    from nornir_tasks.cli.console import out

    word = "FAILED" if report.failed else "passed"
    if not report.failed and (report.undecided or not report.tested):
        word = "COULD NOT TELL"
    count = len(report.causes)
    causes = f", {count} cause{'s' * (count != 1)}" if count else ""
    out.print(f"{word}{causes}, {report.summary()}")
    if soaked_s is None:
        out.print("Not judged: what switches count under load (pauses, marks, drops); --soak 60s does.", style="dim")
    else:
        out.print(f"Counted for {soaked_s:.0f} s: what did not happen in that time was not judged.", style="dim")


def _counts(report: "Report") -> "Table":
    """Results by check. Findings that do not count in M appear only if they failed."""
    from nornir_tasks.checks.evidence import Verdict
    from nornir_tasks.cli.tables import named_table

    rows = (each for each in report.findings if each.counted or each.verdict is not Verdict.PASS)
    verdicts = Counter((each.check, str(each.verdict)) for each in rows)
    table = named_table("check", "passed", "failed", "could not tell")
    for check in dict.fromkeys(check for check, _ in verdicts):
        table.add_row(check, *(str(verdicts[check, each]) for each in ("pass", "fail", "could not tell")))
    return table


def _print_cause(cause: "Cause", *, show_all: bool) -> None:
    from nornir_tasks.cli.console import out

    _print_finding(cause.lead)
    if cause.remedy:
        out.print(f"  hint: {runnable(cause.remedy)}")
    if not cause.follows:
        return
    counts = Counter(finding.check for finding in cause.follows)
    what = ", ".join(f"{count} {check}" for check, count in counts.items())
    rest = ":" if show_all else " (--all shows them)"
    follow = "more follows" if len(cause.follows) == 1 else "more follow"
    out.print(f"  {len(cause.follows)} {follow} from it: {what}{rest}")
    for finding in cause.follows if show_all else ():
        _print_finding(finding, "    ")


def _print_finding(finding: "Finding", indent: str = "") -> None:
    from nornir_tasks.cli.console import out

    out.print(f"{indent}{finding.verdict}: {finding.check}: {finding.message}")
    if finding.expected and finding.verdict == "fail":
        out.print(f"{indent}  expected: {finding.expected}")


def _names(devices: Iterable[str]) -> str:
    names: Sequence[str] = tuple(dict.fromkeys(devices))
    more = len(names) - SWITCHES_NAMED
    return ", ".join(names[:SWITCHES_NAMED]) + (f" and {more} more" if more > 0 else "")


def as_json(report: "Report", *, show_all: bool) -> dict[str, object]:
    """Findings that did not pass, with ``show_all`` every one. One that follows names the id of its ``cause``."""
    from nornir_tasks.checks.evidence import Verdict

    led_by = {id(finding): cause.lead.id for cause in report.causes for finding in cause.follows}
    remedies = {id(cause.lead): runnable(cause.remedy) for cause in report.causes}
    played = {id(finding) for finding in report.on_played}
    return {
        "tested": report.tested,
        "of": report.total,
        "failed": len(report.failed),
        "failed_of_total": report.failed_of_total,
        "undecided": len(report.undecided),
        "skipped": len(report.skipped),
        **({"played": report.played} if report.played else {}),
        **({"warnings": list(report.warnings)} if report.warnings else {}),
        "causes": [cause.lead.id for cause in report.causes],
        "findings": [
            {
                "id": finding.id,
                "check": finding.check,
                "device": finding.device,
                "port": finding.port,
                "verdict": finding.verdict,
                "message": finding.message,
                "expected": finding.expected,
                "found": finding.found,
                "cause": led_by.get(id(finding), ""),
                "remedy": remedies.get(id(finding), ""),
                **({"played": True} if id(finding) in played else {}),
            }
            for finding in report.findings
            if show_all or finding.verdict is not Verdict.PASS
        ],
    }

"""What ``validate`` and ``plan`` found, as the groups of ``usecases/verdict_reports.py``."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from nornir_tasks.checks import suite
from nornir_tasks.checks.counters import suite as rules
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.proofs.quotes import Quote
from nornir_tasks.usecases.push import PlanReport
from nornir_tasks.usecases.verdict_reports import Case, Group, Kind

MOST_LINES = 100
"""Changed lines of one switch that a report repeats; a first push changes thousands."""

_KINDS = {Verdict.FAIL: Kind.FAIL, Verdict.ERROR: Kind.OPEN, Verdict.SKIPPED: Kind.SKIPPED}


def of_checks(report: Report) -> Iterator[Group]:
    """One group for each check: a case for all that passed, and one for each other finding."""
    remedies = {id(each.lead): each.remedy for each in report.causes}
    follows = {id(each): cause.lead.id for cause in report.causes for each in cause.follows}
    passed = Counter(each.check for each in report.findings if each.verdict is Verdict.PASS)
    others: dict[str, list[Case]] = {}
    for each in report.findings:
        if each.verdict is not Verdict.PASS:
            after = (
                ("hint", remedies.get(id(each), "")),
                ("follows from", follows.get(id(each), "")),
            )
            others.setdefault(each.check, []).append(_case(each, after))
    for about in (*suite.ABOUT, *rules.ABOUT):
        cases = [Case(f"{passed[about.name]} passed")] if passed[about.name] else []
        if cases := [*cases, *others.get(about.name, ())]:
            yield Group(about.name, f"Passed: {about.passes}.", tuple(cases))


def _case(found: Finding, after: tuple[tuple[str, str], ...]) -> Case:
    parts = (("expected", found.expected), ("found", found.found), *after)
    text = "\n".join(f"{label}: {each}" for label, each in parts if each)
    where = Quote(found.device, None, " ".join(filter(None, (found.port, found.subject))) or "the switch")
    return Case(found.id, _KINDS[found.verdict], found.message, text, (where,))


def of_plan(found: PlanReport) -> Iterator[Group]:
    """Whether each switch runs what the intent says, what is in the way of a push, and what is not confirmed."""
    yield Group("change", "The switch runs what the intent says.", tuple(map(_change, found.plans.values())))
    in_the_way = tuple(case for each in found.plans.values() for case in _in_the_way(each))
    yield Group("in-the-way", "No object of others is where one of ours goes.", in_the_way)
    unfinished = (Case(each.where, Kind.OPEN, each.what) for each in found.unfinished.values())
    yield Group("unfinished", "What runs is confirmed and saved.", tuple(unfinished))


def _change(plan: PlanSummary) -> Case:
    if not plan.count:
        return Case(plan.device)
    what = f"{plan.count} lines would change, at worst: {plan.disruption}"
    return Case(plan.device, Kind.FAIL, what, changed_lines(plan), (Quote(plan.device, None, "the switch"),))


def changed_lines(plan: PlanSummary) -> str:
    """The first lines that would change on one switch, and how many more there are."""
    lines = [str(change) for change, _ in islice(plan.rows(), MOST_LINES)]
    more = [f"and {plan.count - MOST_LINES} more"] if plan.count > MOST_LINES else []
    return "\n".join((*lines, *more))


def _in_the_way(plan: PlanSummary) -> Iterator[Case]:
    for each, _ in plan.others:
        if each.is_in_the_way:
            what = f"would be replaced by {' / '.join(each.in_the_way_of)} ({each.reason})"
            where = (Quote(plan.device, None, " / ".join(each.path)),)
            yield Case(f"{plan.device}: {' / '.join(each.path)}", Kind.FAIL, what, "", where)

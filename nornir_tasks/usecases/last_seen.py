"""What ``validate``, ``plan`` and ``prove`` found, as far as ``nornir report`` shows it, and kept for it.

Only what was found over the whole site is kept: of some planes, switches or checks it would stand for all.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.design.model.network import Network
from nornir_tasks.files.last_runs import LastRun, keep
from nornir_tasks.usecases.proofs.proof_reports import groups
from nornir_tasks.usecases.proofs.prove import Proved
from nornir_tasks.usecases.site import Selection, SiteDesign
from nornir_tasks.usecases.switch_verdicts import changed_lines
from nornir_tasks.usecases.verdict_reports import Group, Kind

OF_LINKS = frozenset({"port", "lldp", "bgp", "mtu", "lacp"})
"""Checks that say of a port that its link is broken."""
MOST_SHOWN = 200
"""Rows of a kind that a page has; it says how many there are."""


def keep_validation(
    selection: Selection, report: Report, plans: Iterable[PlanSummary], checks: Collection[str] = ()
) -> tuple[LastRun, LastRun] | None:
    """What was read and judged, and what a push would change by that. None: not the whole site, so it is not kept."""
    if checks or selection.planes or selection.limit:
        return None
    site = selection.design.site
    return keep(site, "validate", _seen(selection.design.network, report)), keep(site, "plan", _planned(plans))


def keep_plan(selection: Selection, plans: Iterable[PlanSummary]) -> LastRun | None:
    """What a push would change. None: not the whole site, so it is not kept."""
    if selection.planes or selection.limit:
        return None
    return keep(selection.design.site, "plan", _planned(plans))


def keep_proofs(
    design: SiteDesign, proved: Proved, only: Collection[str] = (), *, running: bool = False
) -> LastRun | None:
    """What was proved of the rendered lines. None: some proofs alone, or of what runs, so it is not kept."""
    if only or running:
        return None
    found = {"proofs": [_proof(each) for each in groups(proved)], "left_out": list(proved.left_out)}
    return keep(design.site, "prove", found)


def _seen(network: Network, report: Report) -> Mapping[str, Any]:
    return {
        "verdict": _verdict(report),
        "summary": report.summary(),
        "causes": list(islice(_causes(report), MOST_SHOWN)),
        "of_causes": len(report.causes),
        "checks": list(_checks(report)),
        "states": _states(network, report),
        "broken": sorted(map(sorted, _broken(network, report))),
        "open": list(_open(report)),
    }


def _planned(plans: Iterable[PlanSummary]) -> Mapping[str, Any]:
    every = tuple(plans)
    changing = [each for each in every if each.count]
    shown = [
        {"device": each.device, "count": each.count, "disruption": str(each.disruption), "lines": changed_lines(each)}
        for each in changing[:MOST_SHOWN]
    ]
    return {"read": len(every), "changing": len(changing), "switches": shown}


def _proof(group: Group) -> Mapping[str, Any]:
    worst = (Kind.FAIL, Kind.OPEN, Kind.NOT_SHOWN)
    kinds = {each.kind for each in group.cases}
    wrong = [each for each in group.cases if each.kind in worst]
    return {
        "name": group.name,
        "about": group.about,
        "state": next((kind for kind in worst if kind in kinds), Kind.PASS),
        "wrong": [f"{each.kind}: {each.name}: {each.message}" for each in wrong[:MOST_SHOWN]],
        "of_wrong": len(wrong),
    }


def _verdict(report: Report) -> str:
    if report.failed:
        return "failed"
    return "passed" if report.tested and not report.undecided else "could not tell"


def _states(network: Network, report: Report) -> Mapping[str, str]:
    """Switch -> the worst of what was found there: a cause of failures, what could not be told, what only follows."""
    found = {each.device: "pass" for each in report.findings}
    found |= {each.device: "affected" for each in report.failed}
    found |= {each.device: "could not tell" for each in report.undecided}
    breaking = (each for each in report.causes if any(f.verdict is Verdict.FAIL for f in (each.lead, *each.follows)))
    found |= {each.lead.device: "fail" for each in breaking}
    return {each.name: found[each.name] for each in network.devices if each.name in found}


def _broken(network: Network, report: Report) -> frozenset[frozenset[str]]:
    """Pairs of devices with a link between them that failed."""
    wrong = {(each.device, each.port) for each in report.failed if each.check in OF_LINKS}
    return frozenset(
        frozenset((link.upper.device, link.lower.device))
        for link in (network.links if wrong else ())
        if (link.upper.device, link.upper.port) in wrong or (link.lower.device, link.lower.port) in wrong
    )


def _causes(report: Report) -> Iterator[Mapping[str, str]]:
    for each in report.causes:
        counts = Counter(finding.check for finding in each.follows)
        yield {
            "check": each.lead.check,
            "verdict": each.lead.verdict,
            "message": each.lead.message,
            "expected": each.lead.expected,
            "remedy": each.remedy,
            "follows": ", ".join(f"{count} {check}" for check, count in counts.items()),
        }


def _checks(report: Report) -> Iterator[tuple[str, list[int]]]:
    """(check, how many passed, failed, could not be told) of what counts, and of what failed."""
    found = [each for each in report.findings if each.counted or each.verdict is not Verdict.PASS]
    counts = Counter((each.check, each.verdict) for each in found)
    for check in dict.fromkeys(each.check for each in found):
        yield check, [counts[check, verdict] for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.ERROR)]


def _open(report: Report) -> Iterator[str]:
    """What was not tested on the switches, once for each reason."""
    skipped = report.skipped
    yield from (f"{each.check}: {each.message}" for each in skipped[:MOST_SHOWN])
    if len(skipped) > MOST_SHOWN:
        yield f"and {len(skipped) - MOST_SHOWN} more were skipped"
    for check, count in Counter(each.check for each in report.undecided).items():
        yield f"{check}: {count} could not be told"

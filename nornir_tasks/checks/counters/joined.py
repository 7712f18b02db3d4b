"""One report of checks and counters: what a check found wrong at a port explains what was counted there. Pure."""

from collections.abc import Iterator, Mapping

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.suite import Report

EXPLAINED_BY: Mapping[str, frozenset[str]] = {
    "lossless-drops": frozenset({"pfc", "trust", "dscp"}),
    "pause-storm": frozenset({"ecn"}),
    "pause-before-marks": frozenset({"ecn"}),
    "link-errors": frozenset({"port"}),
    "link-changes": frozenset({"port"}),
    "fec-trend": frozenset({"port"}),
    "optics": frozenset({"port"}),
    "even-paths": frozenset({"port", "bgp", "ecmp", "load-balancing"}),
    "host-class": frozenset({"trust", "dscp"}),
}
"""Rule -> checks whose failure at the same port, at its far end or of the whole switch makes it fail.

Only what surely does: a line that differs somewhere on a switch explains no drop at one of its ports.
"""


def joined(checked: Report, soaked: Report, evidence: Evidence) -> Report:
    """Findings of both; a cause of the counters that a failed check explains is one of its effects."""
    led = {id(each): number for number, cause in enumerate(checked.causes) for each in (cause.lead, *cause.follows)}
    failed = {
        (each.check, each.device, each.port): led[id(each)]
        for each in checked.findings
        if each.verdict is Verdict.FAIL and id(each) in led
    }
    silent = {
        each.device: led[id(each)]
        for each in checked.findings
        if each.check == "reach" and each.verdict is Verdict.ERROR and id(each) in led
    }
    more: dict[int, list[Finding]] = {}
    left: list[Cause] = []
    for cause in soaked.causes:
        number = next(_explaining(cause.lead, failed, silent, evidence), None)
        if number is None:
            left.append(cause)
        else:
            more.setdefault(number, []).extend((cause.lead, *cause.follows))
    causes = [
        Cause(each.lead, each.remedy, (*each.follows, *more.get(number, ())))
        for number, each in enumerate(checked.causes)
    ]
    return Report((*checked.findings, *soaked.findings), (*left, *causes), checked.on_played, checked.warnings)


def _explaining(
    lead: Finding, failed: Mapping[tuple[str, str, str], int], silent: Mapping[str, int], evidence: Evidence
) -> Iterator[int]:
    if lead.check == "readings" and lead.device in silent:
        yield silent[lead.device]
    far = evidence.behind(lead.device, lead.port)
    ends = [(lead.device, lead.port), (lead.device, ""), *(((far.device, far.port), (far.device, "")) if far else ())]
    for check in EXPLAINED_BY.get(lead.check, ()):
        for end in ends:
            if (check, *end) in failed:
                yield failed[check, *end]

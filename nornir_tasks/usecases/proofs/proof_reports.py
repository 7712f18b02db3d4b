"""What was proved as data for other programs: JSON, and the groups of ``usecases/verdict_reports.py``."""

from collections.abc import Iterable, Iterator
from typing import Any

from nornir_tasks.proofs.breach import Judged
from nornir_tasks.proofs.quotes import MOST_QUOTED, Finding, findings
from nornir_tasks.proofs.rules.judge import Pair
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.proofs.prove import ISOLATION, Proved
from nornir_tasks.usecases.proofs.prove_boundary import ABOUT as ABOUT_BOUNDARY
from nornir_tasks.usecases.proofs.prove_boundary import BOUNDARY
from nornir_tasks.usecases.verdict_reports import Case, Group, Kind

ABOUT = {
    ISOLATION: "Between planes passes what a flow names and nothing else.",
    BOUNDARY: ABOUT_BOUNDARY,
    "class-path": "RDMA and its congestion notifications are treated alike at both ends of every cable.",
    "pfc": "The same priorities are paused at both ends of every lossless cable; global pause is off.",
    "headroom-fits": "Every lossless port has headroom for its cable, and the buffer holds all of it.",
    "mtu": "MTU is equal at both ends, and enough for what hosts send.",
    "layer-1": "Speed, lanes, error correction and negotiation are equal at both ends.",
    "ecn-before-pfc": "Queues mark before ports pause.",
}
"""What each proof is of."""


def outcome_as_json(outcome: Outcome, found: Proved) -> dict[str, Any]:
    """Counts, reasons, and what is broken with the lines of both ends."""
    return {
        "proof": outcome.name,
        "verdict": outcome.verdict,
        "unit": outcome.unit,
        "judged": outcome.judged,
        "passed": outcome.passed,
        "failed": len(outcome.broken),
        "by_symmetry": outcome.by_symmetry,
        "could_not_tell": {**outcome.undecided, **outcome.not_shown},
        "skipped": dict(outcome.skipped),
        "notes": list(outcome.notes),
        "findings": [_finding_as_json(each) for each in findings(outcome, found.quotes)],
        "not_quoted": max(0, len(outcome.broken) - MOST_QUOTED),
    }


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    ends = [
        {"at": str(stated.at), "found": stated.found, "lines": [each._asdict() for each in lines]}
        for stated, lines in finding.ends
    ]
    return {"where": finding.where, "what": finding.what, "ends": ends, "also": list(finding.also)}


def groups(found: Proved) -> Iterator[Group]:
    """One for each proof: a case for each finding and each reason, and one for all that passed."""
    if found.isolation is not None:
        yield Group(ISOLATION, ABOUT[ISOLATION], tuple(_cases_of_pairs(found.isolation.pairs)))
    if found.boundary is not None:
        unsaid = [Case("what firewalls let pass", Kind.OPEN, each) for each in found.boundary.not_judged]
        yield Group(BOUNDARY, ABOUT[BOUNDARY], (*unsaid, *_cases_of_pairs(found.boundary.pairs)))
    for each in found.outcomes:
        yield Group(each.name, ABOUT[each.name], tuple(_cases(each, found)))


def _cases(outcome: Outcome, found: Proved) -> Iterator[Case]:
    if outcome.passed:
        yield Case(f"{outcome.passed} {outcome.unit} hold")
    for each in findings(outcome, found.quotes):
        lines = tuple(line for _, lines in each.ends for line in lines)
        yield Case(each.where, Kind.FAIL, each.what, "\n".join(in_words(each)), lines)
    for kind, reasons in ((Kind.OPEN, outcome.undecided), (Kind.NOT_SHOWN, outcome.not_shown)):
        for reason, count in reasons.items():
            yield Case(f"{count} {outcome.unit} could not be told", kind, reason)
    for reason, count in outcome.skipped.items():
        yield Case(f"{count} skipped", Kind.SKIPPED, reason)


def _cases_of_pairs(pairs: Iterable[Judged | Pair]) -> Iterator[Case]:
    for pair in pairs:
        name = f"{pair.source} to {pair.destination}"
        if pair.breaches:
            yield Case(name, Kind.FAIL, pair.breaches[0].kind, "\n".join(_lines_of(pair)))
        elif pair.undecided:
            yield Case(name, Kind.OPEN, pair.undecided[0], "\n".join(pair.undecided))
        else:
            yield Case(name)


def in_words(finding: Finding) -> Iterator[str]:
    """Each end, then its lines, then what else they break."""
    for stated, lines in finding.ends:
        yield f"{stated.at}: {stated.found}"
        yield from (f"  {each}" for each in lines)
    if finding.also:
        yield f"the same at {len(finding.also)} more: {', '.join(finding.also[:3])}" + (
            " ..." * (len(finding.also) > 3)
        )


def _lines_of(pair: Judged | Pair) -> Iterator[str]:
    for each in pair.breaches:
        yield f"{each.kind}: {each.packet}" if each.packet else each.kind
        yield from (f"  {line}" for line in each.by)

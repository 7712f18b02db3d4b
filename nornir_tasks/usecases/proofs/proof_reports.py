"""What was proved as documents for other programs: JSON, JUnit's XML and SARIF 2.1.0.

One word for one verdict: pass, fail, could not tell, skipped. JUnit has none for the third: it is an error
there, unless no line of an OS shows what is asked: that is skipped with its reason. SARIF calls it open.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote as percent_encoded
from xml.etree import ElementTree

from nornir_tasks.proofs.breach import Judged
from nornir_tasks.proofs.quotes import MOST_QUOTED, Finding, Quote, findings
from nornir_tasks.proofs.rules.judge import Pair
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.proofs.prove import ISOLATION, Proved
from nornir_tasks.usecases.proofs.prove_boundary import ABOUT as ABOUT_BOUNDARY
from nornir_tasks.usecases.proofs.prove_boundary import BOUNDARY

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
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


# -- JUnit ---------------------------------------------------------------------------------------------------------


def junit(found: Proved, site: str) -> str:
    """One suite for each proof: a case for each finding and each reason, and one for all that passed."""
    suites = ElementTree.Element("testsuites", name=f"nornir prove {site}")
    if found.isolation is not None:
        _suite(suites, ISOLATION, list(_cases_of_pairs(found.isolation.pairs)))
    if found.boundary is not None:
        unsaid = [("what firewalls let pass", "error", each, "") for each in found.boundary.not_judged]
        _suite(suites, BOUNDARY, [*unsaid, *_cases_of_pairs(found.boundary.pairs)])
    for each in found.outcomes:
        _suite(suites, each.name, list(_cases(each, found)))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


_Case = tuple[str, str, str, str]
"""Name, element (failure, error, skipped; empty: passed), message, text."""


def _cases(outcome: Outcome, found: Proved) -> Iterator[_Case]:
    if outcome.passed:
        yield f"{outcome.passed} {outcome.unit} hold", "", "", ""
    for each in findings(outcome, found.quotes):
        yield each.where, "failure", each.what, "\n".join(in_words(each))
    for reason, count in outcome.undecided.items():
        yield f"{count} {outcome.unit} could not be told", "error", reason, ""
    for reason, count in outcome.not_shown.items():
        yield f"{count} {outcome.unit} could not be told", "skipped", f"could not tell: {reason}", ""
    for reason, count in outcome.skipped.items():
        yield f"{count} skipped", "skipped", reason, ""


def _cases_of_pairs(pairs: Iterable[Judged | Pair]) -> Iterator[_Case]:
    for pair in pairs:
        name = f"{pair.source} to {pair.destination}"
        if pair.breaches:
            yield name, "failure", pair.breaches[0].kind, "\n".join(_lines_of(pair))
        elif pair.undecided:
            yield name, "error", pair.undecided[0], "\n".join(pair.undecided)
        else:
            yield name, "", "", ""


def _suite(suites: ElementTree.Element, name: str, cases: list[_Case]) -> None:
    counts = {kind: sum(each[1] == kind for each in cases) for kind in ("failure", "error", "skipped")}
    numbers = {"failures": counts["failure"], "errors": counts["error"], "skipped": counts["skipped"]}
    attributes = {key: str(value) for key, value in {"tests": len(cases), **numbers}.items()}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": name, **attributes})
    for case, kind, message, text in cases:
        element = ElementTree.SubElement(suite, "testcase", classname=f"prove.{name}", name=case)
        if kind:
            ElementTree.SubElement(element, kind, message=message).text = text


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


# -- SARIF ---------------------------------------------------------------------------------------------------------


def sarif(found: Proved, site: str) -> str:
    """A log of one run: a rule for each proof, a result for each finding and each reason."""
    results = list[dict[str, Any]]()
    for name, its in ((ISOLATION, found.isolation), (BOUNDARY, found.boundary)):
        results += _results_of_pairs(name, its.pairs) if its is not None else ()
    for reason in found.boundary.not_judged if found.boundary is not None else ():
        results.append(_result(BOUNDARY, "open", f"what firewalls let pass could not be told: {reason}"))
    results += [result for each in found.outcomes for result in _results(each, found)]
    names = list(dict.fromkeys(each["ruleId"] for each in results))
    rules = [{"id": name, "shortDescription": {"text": ABOUT[name]}} for name in names]
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "gpufabric", "rules": rules}},
                "automationDetails": {"id": f"prove/{percent_encoded(site)}"},
                "results": results,
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _results(outcome: Outcome, found: Proved) -> Iterator[dict[str, Any]]:
    for each in findings(outcome, found.quotes):
        text = f"{each.where}: {each.what}\n" + "\n".join(in_words(each))
        lines = [line for _, lines in each.ends for line in lines]
        locations = [_location(line) for line in lines]
        related = [{"id": number, **location} for number, location in enumerate(locations[1:], start=1)]
        at = {"locations": locations[:1], "relatedLocations": related} if related else {"locations": locations[:1]}
        yield _result(outcome.name, "fail", text, **at)
    if outcome.passed:
        yield _result(outcome.name, "pass", f"{outcome.passed} {outcome.unit} hold")
    for reason, count in {**outcome.undecided, **outcome.not_shown}.items():
        yield _result(outcome.name, "open", f"{count} {outcome.unit} could not be told: {reason}")
    for reason, count in outcome.skipped.items():
        yield _result(outcome.name, "notApplicable", f"{count} skipped: {reason}")


def _results_of_pairs(rule: str, pairs: Iterable[Judged | Pair]) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        name = f"{pair.source} to {pair.destination}"
        if pair.breaches:
            yield _result(rule, "fail", f"{name}\n" + "\n".join(_lines_of(pair)))
        elif pair.undecided:
            yield _result(rule, "open", f"{name}: {pair.undecided[0]}")
        else:
            yield _result(rule, "pass", name)


def _result(rule: str, kind: str, text: str, **more: object) -> dict[str, Any]:
    level = "error" if kind == "fail" else "none"
    return {"ruleId": rule, "kind": kind, "level": level, "message": {"text": text}, **more}


def _location(line: Quote) -> dict[str, Any]:
    logical = [{"fullyQualifiedName": f"{line.file}: {line.text}"}]
    if line.row is None:
        return {"logicalLocations": logical}
    region = {"startLine": line.row, "snippet": {"text": line.text}}
    artifact = {"uri": percent_encoded(line.file)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}, "logicalLocations": logical}

"""Verdicts as JUnit's XML and SARIF 2.1.0, whichever verb found them.

One word for one verdict: pass, fail, could not tell, skipped. JUnit has none for the third: it is an error
there, unless no line of an OS shows what is asked: that is skipped with its reason. SARIF calls it open.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote as percent_encoded
from xml.etree import ElementTree

from nornir_tasks.errors import printable
from nornir_tasks.proofs.quotes import Quote

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class Kind(StrEnum):
    """A verdict."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    OPEN = "could not tell"
    NOT_SHOWN = "not shown"
    """Could not be told, as no line of an OS shows it."""
    SKIPPED = "skipped"


_JUNIT = {Kind.FAIL: "failure", Kind.OPEN: "error", Kind.NOT_SHOWN: "skipped", Kind.SKIPPED: "skipped"}
_SARIF = {Kind.PASS: "pass", Kind.FAIL: "fail", Kind.SKIPPED: "notApplicable"}


@dataclass(frozen=True, slots=True)
class Case:
    """One result."""

    name: str
    kind: Kind = Kind.PASS
    message: str = ""
    text: str = ""
    """More of it, in lines."""
    lines: tuple[Quote, ...] = ()
    """Where it stands."""


@dataclass(frozen=True, slots=True)
class Group:
    """The results of one proof or check."""

    name: str
    about: str
    """What it is, in one sentence."""
    cases: tuple[Case, ...]


def junit(verb: str, site: str, groups: Iterable[Group]) -> str:
    """One suite for each group."""
    suites = ElementTree.Element("testsuites", name=f"nornir {verb} {site}")
    for group in groups:
        kinds = [_JUNIT.get(each.kind, "") for each in group.cases]
        numbers = {
            "failures": kinds.count("failure"),
            "errors": kinds.count("error"),
            "skipped": kinds.count("skipped"),
        }
        counts = {key: str(value) for key, value in {"tests": len(kinds), **numbers}.items()}
        suite = ElementTree.SubElement(suites, "testsuite", {"name": group.name, **counts})
        for case, kind in zip(group.cases, kinds, strict=True):
            name = printable(case.name)
            element = ElementTree.SubElement(suite, "testcase", classname=f"{verb}.{group.name}", name=name)
            if kind:
                why = f"could not tell: {case.message}" if case.kind is Kind.NOT_SHOWN else case.message
                ElementTree.SubElement(element, kind, message=printable(why)).text = printable(case.text)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def sarif(verb: str, site: str, groups: Iterable[Group]) -> str:
    """A log of one run: a rule for each group that has results, and these."""
    there = [each for each in groups if each.cases]
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gpufabric",
                        "rules": [{"id": each.name, "shortDescription": {"text": each.about}} for each in there],
                    }
                },
                "automationDetails": {"id": f"{verb}/{percent_encoded(site)}"},
                "results": [_result(group.name, case) for group in there for case in group.cases],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


FORMS = {"--junit": junit, "--sarif": sarif}
"""Option -> what it writes."""


def _result(rule: str, case: Case) -> dict[str, Any]:
    text = ": ".join(filter(None, (case.name, case.message))) + (f"\n{case.text}" if case.text else "")
    places: Mapping[str, Any] = {}
    if locations := [_location(line) for line in case.lines]:
        related = [{"id": number, **location} for number, location in enumerate(locations[1:], start=1)]
        places = {"locations": locations[:1], **({"relatedLocations": related} if related else {})}
    level = "error" if case.kind is Kind.FAIL else "none"
    kind = _SARIF.get(case.kind, "open")
    return {"ruleId": rule, "kind": kind, "level": level, "message": {"text": printable(text)}, **places}


def _location(line: Quote) -> dict[str, Any]:
    logical = [{"fullyQualifiedName": f"{line.file}: {line.text}"}]
    if line.row is None:
        return {"logicalLocations": logical}
    region = {"startLine": line.row, "snippet": {"text": line.text}}
    artifact = {"uri": percent_encoded(line.file)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}, "logicalLocations": logical}

"""A judge of Kubernetes manifests by recorded facts of their definitions (tests/corpus/kubernetes/schema.tsv).

It shares no code with the export. A field that is not recorded is a fault; CEL rules are evaluated by cel-python.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import celpy

TSV = Path(__file__).parent / "corpus/kubernetes/schema.tsv"
TYPES: dict[str, type] = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""Of an object: a DNS subdomain (Kubernetes documentation, Object Names and IDs)."""
LABEL = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
INT32 = 2**31
_FACT = re.compile(r"(\w+)=")
_KIND = re.compile(r"# (\S+) (\w+) \((\w+)\); (.+)")


@dataclass(frozen=True)
class Kind:
    """One kind of object."""

    api: str
    is_namespaced: bool
    rows: dict[str, "Row"] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """What one path holds."""

    type: str
    required: bool
    facts: dict[str, str]
    rules: tuple[str, ...]


@cache
def kinds() -> dict[str, Kind]:
    """All recorded kinds, by name."""
    found: dict[str, Kind] = {}
    for line in TSV.read_text(encoding="utf-8").splitlines()[1:]:
        if head := _KIND.fullmatch(line):
            found[head[2]] = Kind(head[1], head[3] == "Namespaced")
            continue
        kind, path, type_, required, facts = (*line.split("\t"), "", "", "")[:5]
        pairs = list(_pairs(facts))
        rules = tuple(value for name, value in pairs if name == "rule")
        found[kind].rows[path] = Row(type_, required == "required", dict(pairs), rules)
    return found


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    position, decoder = 0, json.JSONDecoder()
    while match := _FACT.match(text, position):
        if text[match.end()] == '"':
            value, end = decoder.raw_decode(text, match.end())
        else:
            end = text.find(" ", match.end()) % (len(text) + 1)
            value = text[match.end() : end]
        yield match[1], value
        position = end + 1


def faults(document: dict[str, Any]) -> list[str]:
    """What an API server with these definitions would refuse of an object, or drop."""
    kind = kinds().get(document.get("kind", ""))
    if kind is None:
        return [f"kind: {document.get('kind')!r} is not recorded"]
    found = [] if document.get("apiVersion") == kind.api else [f"apiVersion: {document.get('apiVersion')!r}"]
    found += _metadata(document.get("metadata"), kind)
    body = {key: value for key, value in document.items() if key not in {"apiVersion", "kind", "metadata"}}
    return [*found, *_children(body, "", kind)]


def _metadata(metadata: Any, kind: Kind) -> Iterator[str]:
    if not isinstance(metadata, dict) or not NAME.fullmatch(str(metadata.get("name"))):
        yield f"metadata: no name: {metadata}"
        return
    yield from (f"metadata.{key}: unknown" for key in metadata.keys() - {"name", "namespace", "annotations", "labels"})
    if ("namespace" in metadata) != kind.is_namespaced:
        yield f"metadata.namespace: {metadata.get('namespace')!r}, though namespaced is {kind.is_namespaced}"
    labels = metadata.get("labels", {})
    if not isinstance(labels, dict) or not all(LABEL.fullmatch(str(each)) for each in labels.values()):
        yield f"metadata.labels: {labels}"
    texts = metadata.get("annotations", {})
    if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
        yield "metadata.annotations: not texts"


def _children(value: dict[str, Any], path: str, kind: Kind) -> Iterator[str]:
    start = f"{path}." if path else ""
    for key, each in value.items():
        name = f"{start}{key}" if f"{start}{key}" in kind.rows else f"{start}*"
        if name not in kind.rows:
            yield f"{start}{key}: unknown field"
        else:
            yield from _value(each, name, kind)
    below = (row for row in kind.rows if row.startswith(start) and re.fullmatch(r"\w+", row[len(start) :]))
    yield from (f"{row}: missing" for row in below if kind.rows[row].required and row[len(start) :] not in value)


def _value(value: Any, path: str, kind: Kind) -> Iterator[str]:
    row = kind.rows[path]
    if not isinstance(value, TYPES[row.type]) or (isinstance(value, bool) and row.type != "boolean"):
        yield f"{path}: {value!r} is no {row.type}"
        return
    yield from _facts(value, path, row.facts)
    below: list[str] = []
    if isinstance(value, dict):
        below = list(_children(value, path, kind))
    elif isinstance(value, list):
        below = [fault for each in value for fault in _value(each, f"{path}[]", kind)]
    yield from below
    if not below:  # a rule is evaluated on values of the right types alone
        yield from (f"{path}: breaks {rule}" for rule in row.rules if not _holds(rule, value))


def _facts(value: Any, path: str, facts: dict[str, str]) -> Iterator[str]:
    if "enum" in facts and str(value) not in facts["enum"].split("|"):
        yield f"{path}: {value!r} is none of {facts['enum']}"
    if "pattern" in facts and not re.search(facts["pattern"], value):
        yield f"{path}: {value!r} does not match {facts['pattern']}"
    size = value if isinstance(value, int) else len(value)
    bounds = {"minimum": 1, "minLength": 1, "maximum": -1, "maxLength": -1, "maxItems": -1}
    for bound, sign in bounds.items():
        if bound in facts and sign * size < sign * int(facts[bound]):
            yield f"{path}: {value!r} is beyond {bound} {facts[bound]}"
    if facts.get("format") == "int32" and not -INT32 <= value < INT32:
        yield f"{path}: {value!r} is no int32"
    if ".nodeSelector." in path and path.endswith("*") and not LABEL.fullmatch(value):
        yield f"{path}: {value!r} is no value of a label"


@cache
def _program(rule: str) -> celpy.Runner:
    environment = celpy.Environment()
    return environment.program(environment.compile(rule))


def _holds(rule: str, value: Any) -> bool:
    return bool(_program(rule).evaluate({"self": celpy.json_to_cel(value)}))

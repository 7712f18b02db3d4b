"""A judge of containerlab topologies by the facts of its published schema (tests/corpus/containerlab/schema.tsv).

It shares no code with the export. A key that the schema does not list is a fault, whether it forbids others or not.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TSV = Path(__file__).parents[2] / "corpus/containerlab/schema.tsv"
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_FACT = re.compile(r"(\$?\w+)=")


def _facts(text: str) -> dict[str, Any]:
    """``pattern="..." minItems=1``: each value is JSON."""
    found, decoder, position = {}, json.JSONDecoder(), 0
    while (match := _FACT.search(text, position)) is not None:
        value, position = decoder.raw_decode(text, match.end())
        found[match[1]] = value
    return found


def _rows() -> dict[str, tuple[str, dict[str, Any]]]:
    rows = {}
    for line in TSV.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            continue
        path, kind, facts = (*line.split("\t"), "", "")[:3]
        rows[path] = (kind, _facts(facts))
    return rows


ROWS = _rows()


def faults(value: Any, path: str = "") -> Iterator[str]:
    """What of a topology the schema does not allow."""
    if path and path not in ROWS:
        yield f"{path}: not in the schema"
        return
    kind, facts = ROWS.get(path, ("object", {}))
    yield from _of(value, path, {"type": kind, **facts})


def _of(value: Any, path: str, facts: dict[str, Any]) -> Iterator[str]:
    for word in ("anyOf", "oneOf"):
        if word in facts and not any(not list(_of(value, path, each)) for each in facts[word]):
            yield f"{path}: {value!r} is none of {facts[word]}"
    if any("$ref" in each for word in ("anyOf", "oneOf") for each in facts.get(word, ())):
        return  # the one that fits has judged it
    if "$ref" in facts:
        yield from faults(value, "#" + facts["$ref"].rpartition("/")[2])
        return
    kind = facts.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield f"{path}: {value!r} is no {kind}"
        return
    yield from _of_scalar(value, path, facts)
    if isinstance(value, dict):
        yield from _of_object(value, path, facts)
    if isinstance(value, list):
        for each in value:
            yield from faults(each, f"{path}[]") if f"{path}[]" in ROWS else ()


def _of_scalar(value: Any, path: str, facts: dict[str, Any]) -> Iterator[str]:
    if "enum" in facts and value not in facts["enum"]:
        yield f"{path}: {value!r} is none of {facts['enum']}"
    if "pattern" in facts and isinstance(value, str) and not re.search(_python(facts["pattern"]), value):
        yield f"{path}: {value!r} does not match {facts['pattern']}"
    size = value if isinstance(value, int | float) else len(value) if isinstance(value, list) else None
    least, most = facts.get("minimum", facts.get("minItems")), facts.get("maximum", facts.get("maxItems"))
    if size is not None and ((least is not None and size < least) or (most is not None and size > most)):
        yield f"{path}: {value!r} is not within {least} and {most}"
    if facts.get("uniqueItems") and len({json.dumps(each) for each in value}) < len(value):
        yield f"{path}: not each once: {value!r}"


def _of_object(value: dict[str, Any], path: str, facts: dict[str, Any]) -> Iterator[str]:
    yield from (f"{path}: {name} is missing" for name in facts.get("required", ()) if name not in value)
    start = f"{path}." if path else ""
    patterns = [row for row in ROWS if row.startswith(f"{start}/") and row.endswith("/")]
    for key, each in value.items():
        if f"{start}{key}" in ROWS:
            yield from faults(each, f"{start}{key}")
            continue
        found = next((row for row in patterns if re.search(row.removeprefix(start)[1:-1], str(key))), None)
        if found is None:
            yield f"{path}: {key} is no key here"
        else:
            yield from faults(each, found)


def _python(pattern: str) -> str:
    """The pattern in Python's spelling: it has no classes of Unicode properties."""
    return pattern.replace(r"\p{N}\p{L}", r"\w")

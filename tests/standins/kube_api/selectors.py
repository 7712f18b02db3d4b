"""Label and field selectors of lists and watches."""

from __future__ import annotations

import re
from typing import Any

Object = dict[str, Any]
_SET = re.compile(r"(\S+)\s+(in|notin)\s+\(([^)]*)\)")


def matches(each: Object, labels: str, fields: str) -> bool:
    """Is it among those asked for?"""
    own = each["metadata"].get("labels") or {}
    parts = re.findall(r"[^,(]+(?:\([^)]*\))?", labels)
    return all(_label(own, part.strip()) for part in parts) and all(
        _field(each, part) for part in fields.split(",") if part
    )


def _label(own: dict[str, str], part: str) -> bool:
    if found := _SET.fullmatch(part):
        values = {value.strip() for value in found[3].split(",")}
        return (own.get(found[1]) in values) == (found[2] == "in")
    if "!=" in part:
        key, value = part.split("!=")
        return own.get(key) != value
    if "=" in part:
        key, value = re.split("==?", part, maxsplit=1)
        return own.get(key) == value
    return part[1:] not in own if part.startswith("!") else part in own


def _field(each: Object, part: str) -> bool:
    negated = "!=" in part
    path, value = re.split("!=|==?", part, maxsplit=1)
    found: Any = each
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return (str(found if found is not None else "") == value) != negated

"""Exported manifests with one value changed or left out, texts of JSON included."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]
Place = tuple[Any, ...]
MOST_ITEMS = 2
"""Of a list, those that are changed: the others are alike."""


def mutants(manifests: list[Object]) -> Iterator[tuple[str, str, list[Object]]]:
    """Kind and path without numbers, what was done, and all objects with that done to the first of each kind."""
    first = {each["kind"]: number for number, each in reversed(list(enumerate(manifests)))}
    for kind, number in first.items():
        for path, what, changed in _of_one(manifests[number]):
            yield f"{kind} {path}", what, [*manifests[:number], changed, *manifests[number + 1 :]]


def _of_one(each: Object) -> Iterator[tuple[str, str, Object]]:
    for place in _places(each):
        if place[0] in {"apiVersion", "kind"}:
            continue
        value = _get(each, place)
        name = ".".join("[]" if isinstance(key, int) else "(json)" if key is JSON else str(key) for key in place)
        for other in _others(value):
            yield name, f"{str(value)[:30]} -> {str(other)[:30]}", _edited(each, place, other)
        if not isinstance(place[-1], int) and place[-1] is not JSON:
            yield name, "left out", _edited(each, place, MISSING)


JSON, MISSING = object(), object()


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str) and _parsed(value) is None:
        yield str(int(value) + 1) if value.isdigit() else f"x{value[1:]}" if value else "x"


def _parsed(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(f"[{value}]")
        except ValueError:
            return None
    return None


def _places(value: Any, above: Place = ()) -> Iterator[Place]:
    if above:
        yield above
    parsed = _parsed(value)
    if parsed is not None:
        yield from (each for each in _places(parsed, (*above, JSON)) if each[-1] is not JSON)
        return
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list | tuple):
        inside = list(enumerate(value))[:MOST_ITEMS]
    for key, each in inside:
        yield from _places(each, (*above, key))


def _get(value: Any, place: Place) -> Any:
    for key in place:
        value = _parsed(value) if key is JSON else value[key]
    return value


def _edited(each: Object, place: Place, other: Any) -> Object:
    changed = copy.deepcopy(each)
    if JSON in place:
        at = place.index(JSON)
        inside = _get(changed, place[: at + 1])
        _put(inside, place[at + 1 :], other)
        other, place = ",\n".join(json.dumps(one) for one in inside), place[:at]
    _put(changed, place, other)
    return changed


def _put(value: Any, place: Place, other: Any) -> None:
    for key in place[:-1]:
        value = value[key]
    if other is MISSING:
        del value[place[-1]]
    else:
        value[place[-1]] = other

"""Who manages which field: server-side apply, and what other writes own.

Lists are atomic here: a field that is a list has one manager. (Real servers merge some lists by their keys.)
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[str, ...]
Object = dict[str, Any]
UNMANAGED = {"apiVersion", "kind", "status"}
UNMANAGED_METADATA = {"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"}


class ConflictError(Exception):
    """Fields that another manager has with another value."""

    def __init__(self, found: list[tuple[str, str, Path]]) -> None:
        super().__init__("")
        self.found = found
        """Manager, API version, path."""


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of all values that are no objects, or empty ones."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            if len(path) == 0 and key in UNMANAGED:
                continue
            if path == ("metadata",) and key in UNMANAGED_METADATA:
                continue
            yield from leaves(each, (*path, key))
    elif path and path != ("metadata",):
        yield path


def at(value: Any, path: Path) -> Any:
    """The value there, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _notation(paths: Iterator[Path] | set[Path]) -> Object:
    made: Object = {}
    for path in sorted(paths):
        below = made
        for key in path:
            below = below.setdefault(f"f:{key}", {})
    return made


def _paths(notation: Object, path: Path = ()) -> Iterator[Path]:
    for key, each in notation.items():
        below = (*path, key[2:])
        if each:
            yield from _paths(each, below)
        else:
            yield below


def _entry(live: Object, manager: str, operation: str, paths: set[Path], now: str) -> Object:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": live["apiVersion"],
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": _notation(paths),
    }


def applied(live: Object | None, wanted: Object, manager: str, *, force: bool, now: str) -> Object:
    """The object after a server-side apply. Raises ConflictError."""
    made = copy.deepcopy(live) if live is not None else {key: wanted[key] for key in ("apiVersion", "kind")}
    metadata = made.setdefault("metadata", {})
    entries = metadata.get("managedFields", [])
    mine = {path for each in entries if _is(each, manager, "Apply") for path in _paths(each["fieldsV1"])}
    others = [each for each in entries if not _is(each, manager, "Apply")]
    paths = set(leaves(wanted))
    found = [
        (each["manager"], each["apiVersion"], path)
        for each in others
        for path in sorted(paths & set(_paths(each["fieldsV1"])))
        if at(live or {}, path) != at(wanted, path)
    ]
    if found and not force:
        raise ConflictError(found)
    owned_elsewhere = {path for each in others for path in _paths(each["fieldsV1"])}
    for path in mine - paths:
        if not any(other[: len(path)] == path for other in owned_elsewhere):
            _remove(made, path)
    for path in paths:
        _set(made, path, copy.deepcopy(at(wanted, path)))
    for key in ("name", "namespace"):
        if key in wanted["metadata"]:
            metadata[key] = wanted["metadata"][key]
    taken = {path for _, _, path in found}
    kept = [_without(each, taken) for each in others]
    old = next((each for each in entries if _is(each, manager, "Apply")), None)
    same = old is not None and mine == paths
    entry = old if same else _entry(made, manager, "Apply", paths, now)
    metadata["managedFields"] = [*(each for each in kept if each["fieldsV1"]), entry]
    return made


def written(live: Object | None, new: Object, manager: str, now: str) -> Object:
    """The object after any other write: what the write changed is its manager's."""
    entries = (live or {}).get("metadata", {}).get("managedFields", [])
    before, after = set(leaves(live or {})), set(leaves(new))
    changed = {path for path in after if path not in before or at(live, path) != at(new, path)}
    gone = before - after
    mine = {path for each in entries if _is(each, manager, "Update") for path in _paths(each["fieldsV1"])}
    kept = [_without(each, changed | gone) for each in entries if not _is(each, manager, "Update")]
    old = next((each for each in entries if _is(each, manager, "Update")), None)
    owned = (mine - gone) | changed
    entry = old if old is not None and owned == mine else _entry(new, manager, "Update", owned, now)
    new["metadata"]["managedFields"] = [*(each for each in kept if each["fieldsV1"]), *([entry] if owned else [])]
    return new


def _is(entry: Object, manager: str, operation: str) -> bool:
    return (entry["manager"], entry["operation"]) == (manager, operation)


def _without(entry: Object, paths: set[Path]) -> Object:
    before = set(_paths(entry["fieldsV1"]))
    return entry if not before & paths else {**entry, "fieldsV1": _notation(before - paths)}


def _set(value: Object, path: Path, new: Any) -> None:
    for key in path[:-1]:
        if not isinstance(value.get(key), dict):
            value[key] = {}
        value = value[key]
    if new != {} or not isinstance(value.get(path[-1]), dict):  # of an empty object only that it is there counts
        value[path[-1]] = new


def _remove(value: Object, path: Path) -> None:
    above = at(value, path[:-1])
    if isinstance(above, dict):
        above.pop(path[-1], None)
        if not above and len(path) > 1:
            _remove(value, path[:-1])

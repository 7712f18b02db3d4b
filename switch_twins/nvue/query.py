"""Query parameters of a GET: include, omit, filter, filled, expand, view.

Cumulus Linux docs, NVUE-API.md, "Retrieve View Types" and "Use Filters in a Query".
"""

from __future__ import annotations

from collections.abc import Iterable

from .tree import Tree, get_or

VIEWS: dict[tuple[str, ...], tuple[str, ...]] = {
    # `nv show interface --view <TAB>` and `nv show vrf default router rib ipv4 route --view <TAB>` of the docs; those
    # this twin answers differ from the full answer only by what they leave out, so that it answers them in full
    ("interface",): (
        "brief",
        "counters",
        "description",
        "detail",
        "down",
        "lldp",
        "lldp-detail",
        "mac",
        "physical",
        "pluggables",
        "qos-profile",
        "small",
        "status",
        "up",
        "vrf",
    ),
    ("route",): ("brief", "detail"),
    ("neighbor",): ("brief", "detail"),
}


class QueryError(Exception):
    """A parameter that the server refuses (400)."""


def check_view(path: tuple[str, ...], view: str | None, has_selection: bool) -> None:
    """Raises QueryError for a view that is not defined here, or one together with include or omit."""
    if view is None:
        return
    if has_selection:
        raise QueryError("view cannot be used together with include or omit.")
    known = VIEWS.get(path[-1:], ())
    if view not in known:
        raise QueryError(f"View {view!r} is not defined for this endpoint. Defined views: {', '.join(known)}")


def select(tree: Tree, include: Iterable[str], omit: Iterable[str]) -> Tree:
    """Only what ``include`` names (everything if it names nothing), without what ``omit`` names."""
    wanted, unwanted = _patterns(include), _patterns(omit)
    if wanted:
        tree = _keep(tree, wanted)
    for pattern in unwanted:
        tree = _drop(tree, pattern)
    return tree


def matching(tree: Tree, condition: str | None) -> Tree:
    """Entries of a collection that match a filter ``a=b&c=d|e=f``; ``link.mtu`` may be written ``mtu``."""
    if not condition:
        return tree
    return {
        name: entry
        for name, entry in tree.items()
        if all(any(_holds(entry, term) for term in group.split("|")) for group in condition.split("&"))
    }


def _holds(entry: object, term: str) -> bool:
    key, _, value = term.partition("=")
    found = get_or(entry, None, *key.split("."))
    found = get_or(entry, None, "link", key) if found is None else found
    if found is None:
        found = get_or(entry, None, "route-entry", "1", key)
    return str(found) == value


def _patterns(pointers: Iterable[str]) -> list[tuple[str, ...]]:
    return [tuple(pointer.strip("/").split("/")) for text in pointers for pointer in _split(text) if pointer.strip("/")]


def _split(text: str) -> list[str]:
    """Comma-separated pointers; prefixes in them keep their slash because it is written ``~1`` in a pointer."""
    return text.split(",")


def _part(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _keep(tree: object, patterns: list[tuple[str, ...]]) -> Tree:
    if not isinstance(tree, dict):
        return {}
    kept: Tree = {}
    for key, value in tree.items():
        deeper = [pattern[1:] for pattern in patterns if pattern[0] in ("*", key) or _part(pattern[0]) == key]
        if any(not rest for rest in deeper):
            kept[key] = value
        elif deeper:
            inner = _keep(value, deeper)
            if inner:
                kept[key] = inner
    return kept


def _drop(tree: object, pattern: tuple[str, ...]) -> Tree:
    if not isinstance(tree, dict):
        return {}
    hit, rest = pattern[0], pattern[1:]
    left: Tree = {}
    for key, value in tree.items():
        if hit not in ("*", key) and _part(hit) != key:
            left[key] = value
        elif rest:
            left[key] = _drop(value, rest) if isinstance(value, dict) else value
    return left

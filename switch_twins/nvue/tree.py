"""Operations on configuration trees as NVUE does them: nested dicts whose keys are strings, changed only by copies."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

Tree = dict[str, Any]
Path = tuple[str, ...]


_CHOICES = (frozenset({"up", "down"}), frozenset({"permit", "deny"}), frozenset({"1x", "2x", "4x", "8x", "disabled"}))
"""Words of which an object has one: setting another replaces it (`nv set ... link state down` after `up`)."""


def merge(tree: Tree, patch: Tree) -> None:
    """Merge a patch into a tree in place: objects are merged, null removes, anything else replaces."""
    for choice in _CHOICES:
        if any(patch.get(word) is not None for word in choice):
            for word in choice - patch.keys():
                tree.pop(word, None)
    for key, value in patch.items():
        if value is None:
            tree.pop(key, None)
        elif isinstance(value, dict):
            if not isinstance(tree.get(key), dict):
                tree[key] = {}
            merge(tree[key], value)
        else:
            tree[key] = copy.deepcopy(value)


def wrap(path: Path, value: object) -> Tree:
    """The subtree of the root with ``value`` at ``path`` (path not empty, or value an object)."""
    for key in reversed(path):
        value = {key: value}
    assert isinstance(value, dict)  # noqa: S101  (callers hand an object or a path)
    return value


def get(tree: object, path: Path) -> Any:  # noqa: ANN401  (JSON)
    """The value at a path. Raises KeyError if there is none."""
    for key in path:
        if not isinstance(tree, dict):
            raise KeyError(key)
        tree = tree[key]
    return tree


def get_or(tree: object, default: object, *path: str) -> Any:  # noqa: ANN401  (JSON)
    """The value at a path, or a default."""
    try:
        return get(tree, path)
    except KeyError:
        return default


def remove(tree: Tree, path: Path, is_entry: Callable[[Path], bool]) -> None:
    """Remove what is at a path, in place; the root's path empties it.

    Parents that become empty are removed too, up to the entry of a collection, such as a server in a list of servers:
    that is configured by its key alone. Raises KeyError if there is nothing.
    """
    if not path:
        tree.clear()
        return
    holders = [tree]
    for key in path[:-1]:
        holders.append(get(holders[-1], (key,)))
    del holders[-1][path[-1]]
    for depth in range(len(path) - 1, 0, -1):
        holder, key = holders[depth - 1], path[depth - 1]
        if holder[key] or is_entry(path[:depth]):
            break
        del holder[key]


def changes(old: Tree, new: Tree) -> Tree:
    """The patch that turns ``old`` into ``new``: new values, and null at the highest key that only ``old`` has."""
    patch: Tree = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if key not in old:
            patch[key] = copy.deepcopy(value)
        elif isinstance(value, dict) and isinstance(before, dict):
            inner = changes(before, value)
            if inner:
                patch[key] = inner
        elif value != before or type(value) is not type(before):
            patch[key] = copy.deepcopy(value)
    return dict(sorted(patch.items()))


def leaves(tree: object, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every (path, value) whose value is not an object, or is an empty one."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    elif path:
        yield path, tree


def ordered(tree: object) -> Any:  # noqa: ANN401  (JSON)
    """The same with the keys of every object in NVUE's order: by text, numbers in it by value."""
    if isinstance(tree, dict):
        return {key: ordered(tree[key]) for key in sorted(tree, key=natural)}
    return tree


@functools.lru_cache(maxsize=100_000)
def natural(key: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key: swp2 before swp10. Cached: a few words are sorted again and again."""
    parts = (part for part in re.split(r"(\d+)", key) if part)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def compress(tree: Tree) -> Tree:
    """Join entries of ``interface`` with equal content under one key (swp1-2,32), as NVUE shows ranges.

    Cumulus Linux 5.16 docs, NVUE-API.md ("the range configurations show in unexpanded format"). What NVUE joins
    beyond equal entries is not published.
    """
    if not isinstance(tree.get("interface"), dict):
        return tree
    groups: list[tuple[object, list[str]]] = []
    for name, content in tree["interface"].items():
        same = next((names for known, names in groups if known == content and _stem(names[0]) == _stem(name)), None)
        if same is not None:
            same.append(name)
        else:
            groups.append((content, [name]))
    return {**tree, "interface": {range_text(names): content for content, names in groups}}


def _stem(name: str) -> str:
    return re.sub(r"\d+$", "", name)


def range_text(names: list[str]) -> str:
    """``["swp1", "swp2", "swp32"]`` as ``swp1-2,32``; a single name unchanged."""
    if len(names) == 1 or not all(re.search(r"\d$", name) for name in names):
        return ",".join(names)
    stem = _stem(names[0])
    numbers = sorted(int(name[len(stem) :]) for name in names)
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return stem + ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)

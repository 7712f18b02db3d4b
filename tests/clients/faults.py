"""Faults of the lab that clients must name: cables, power, and what somebody typed on a switch of Cumulus Linux."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from at_terminal import Operator

Fault = Callable[[Operator], AbstractContextManager[None]]


def cut(cable: str) -> Fault:
    """A cable without light."""
    return _verb("cut", cable)


def killed(switch: str) -> Fault:
    """A switch without power."""
    return _verb("kill", switch)


def swapped(one: str, other: str) -> Fault:
    """Two cables whose far ends are exchanged."""
    return _verb("swap", one, other)


def _verb(*words: str) -> Fault:
    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        lab.run("lab", *words)
        try:
            yield
        finally:
            lab.run("lab", "mend")

    return fault


def set_on_nvue(switch: str, patch: dict[str, Any]) -> Fault:
    """Somebody sets values and applies them; afterwards each is what it was, or gone."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        hand = lab.hands()[switch]
        before = applied(lab, switch)
        hand.nvue(patch)
        try:
            yield
        finally:
            gone, old = _undo(patch, before, ())
            for path in gone:
                hand.nvue(delete="/".join(each.replace("/", "%2F") for each in path))
            if old:
                hand.nvue(old)

    return fault


def deleted_on_nvue(switch: str, *path: str) -> Fault:
    """Somebody deletes what is at a path and applies that; afterwards it is there again."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        hand = lab.hands()[switch]
        old: Any = applied(lab, switch)
        for key in path:
            old = old[key]
        hand.nvue(delete="/".join(each.replace("/", "%2F") for each in path))
        try:
            yield
        finally:
            for key in reversed(path):
                old = {key: old}
            hand.nvue(old)

    return fault


def applied(lab: Operator, switch: str) -> dict[str, Any]:
    """The configuration that is set on a switch of Cumulus Linux."""
    tree: dict[str, Any] = lab.hands()[switch].applied()
    return tree


def _undo(patch: dict[str, Any], before: dict[str, Any], path: tuple[str, ...]) -> tuple[list[tuple[str, ...]], Any]:
    """The paths to delete, and the values to set again."""
    gone: list[tuple[str, ...]] = []
    old: dict[str, Any] = {}
    for key, value in patch.items():
        if key not in before:
            gone.append((*path, key))
        elif isinstance(value, dict):
            below, values = _undo(value, before[key], (*path, key))
            gone += below
            if values:
                old[key] = values
        else:
            old[key] = before[key]
    return gone, old

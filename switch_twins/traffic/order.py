"""Whose turn it is: the order of ports in a step, and the shares of a port's queues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..counted import CLASSES
from ..spec import End
from .paths import Path
from .pieces import Port

TINY = 1e-6
"""Bytes: less than that is what is left of adding fractions."""


def shares(port: Port, there: Mapping[int, float], room: float) -> dict[int, float]:
    """How much each queue may send: strict ones first, the highest before all; the others by weight."""
    budget = dict.fromkeys(there, 0.0)
    open_ = {number for number in there if not (port.queues[number].is_stopped or port.queues[number].is_stuck)}
    if sum(there[number] for number in open_) <= room:
        return {number: there[number] if number in open_ else 0.0 for number in there}
    for number in sorted(open_, reverse=True):
        if port.queues[number].rules.weight is None:
            budget[number] = min(there[number], room)
            room -= budget[number]
    wanting = {number for number in open_ if port.queues[number].rules.weight is not None}
    for _ in range(CLASSES):
        weights = {number: port.queues[number].rules.weight or TINY for number in wanting}
        full = {n for n in wanting if there[n] <= room * weights[n] / sum(weights.values())}
        for number in full or wanting:
            budget[number] = there[number] if full else room * weights[number] / sum(weights.values())
        if not full:
            break
        room -= sum(there[number] for number in full)
        wanting -= full
    return budget


def ordered(ports: Mapping[End, Port], paths: Iterable[Path]) -> list[Port]:
    """Each port after all from which flows come to it; those in a circle come last, in any order."""
    after: dict[End, set[End]] = {end: set() for end in ports}
    for path in paths:
        for first, second in zip(path.ports, path.ports[1:], strict=False):
            after[first].add(second)
    open_ = dict.fromkeys(ports, 0)
    for followers in after.values():
        for end in followers:
            open_[end] += 1
    ready = [end for end, count in open_.items() if not count]
    order: list[End] = []
    while ready:
        end = ready.pop()
        order.append(end)
        for follower in after[end]:
            open_[follower] -= 1
            if not open_[follower]:
                ready.append(follower)
    done = set(order)
    return [ports[end] for end in [*order, *(end for end in ports if end not in done)]]

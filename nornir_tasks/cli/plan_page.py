"""The changes of a plan on a page: switches that change alike share their lines, and the most disruptive come first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from nornir_tasks.cli.commands import runnable

if TYPE_CHECKING:
    from nornir_tasks.deploy.summary import PlanSummary
    from nornir_tasks.design.model.capabilities import Disruption
    from nornir_tasks.platforms.config_tree import Change

PAGE_LINES = 60
"""A terminal that is maximised on a common screen; all that is more stands behind ``--all``."""
LEAST_LINES = 6
"""So many lines a group of switches gets at least, its heading among them; what does not get them is summed up."""
KINDS_OF_REST = 5
"""Lines that the rest takes at most: one for each degree of disruption."""
MOST_NAMED = 3
"""So many names stand for a longer list."""

PREVIEW = "nornir plan --all"
"""Shows every line of a plan."""

Line = tuple[str, str, str]
"""A styled part, its style, and what follows it."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Switches whose lines change in the same way."""

    plans: "tuple[PlanSummary, ...]"

    @property
    def first(self) -> "PlanSummary":
        """The one whose lines stand for all."""
        return self.plans[0]

    @property
    def length(self) -> int:
        """Lines on the screen, the heading among them."""
        return 1 + self.first.count


def alike(plans: "Sequence[PlanSummary]") -> list[Alike]:
    """The plans in groups of equal changes, in the order of the first of each."""
    found: dict[bytes, list[PlanSummary]] = {}
    for each in plans:
        found.setdefault(each.packed, []).append(each)
    return [Alike(tuple(same)) for same in found.values()]


def page(plans: "Sequence[PlanSummary]", most_lines: int | None, preview: str) -> Iterator[Line]:
    """At most so many lines of these changes; None: all. ``preview``: the command that shows the rest."""
    groups = alike(plans)
    if most_lines is None or sum(each.length for each in groups) <= most_lines:
        for each in groups:
            yield from _whole(each)
        return
    groups.sort(key=lambda each: -each.first.disruption.severity)
    room = most_lines - KINDS_OF_REST
    shown = groups[: room // LEAST_LINES]
    for each in shown:
        yield from _shortened(each, room // len(shown) - 2, preview)
    yield from _summed_up(groups[len(shown) :], preview)


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _whole(group: Alike) -> Iterator[Line]:
    yield _heading(group)
    yield from map(_line, group.first.rows())


def _shortened(group: Alike, most_lines: int, preview: str) -> Iterator[Line]:
    """The most disruptive lines, if not all fit."""
    yield _heading(group)
    rows = list(group.first.rows())
    left = len(rows) - most_lines
    if left > 0:
        rows.sort(key=lambda row: -row[1].severity)
    yield from map(_line, islice(rows, max(most_lines, 0)))
    if left > 0:
        yield f"  and {left} more lines, all shown by: {_all_of(group.first.device, preview)}", "", ""


def _summed_up(groups: list[Alike], preview: str) -> Iterator[Line]:
    """What has no room, a line for each degree of disruption."""
    same: dict[str, list[PlanSummary]] = {}
    for group in groups:
        same.setdefault(group.first.disruption, []).extend(group.plans)
    for disruption, plans in same.items():
        counts = sorted({each.count for each in plans})
        lines = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
        names = named([each.device for each in plans])
        rest = f"  {lines} lines each, at worst: {disruption}; of one shown by: {_all_of(plans[0].device, preview)}"
        yield f"and {len(plans)} more: {names}", "bold", rest


def _all_of(device: str, preview: str) -> str:
    return runnable(f"{preview} --limit {device}")


def _heading(group: Alike) -> Line:
    first, count = group.first, len(group.plans)
    names = named([each.device for each in group.plans])
    each = f" on each of {count} switches" if count > 1 else ""
    return names, "bold", f"  {first.count} lines{each}, at worst: {first.disruption}"


def _line(row: "tuple[Change, Disruption]") -> Line:
    change, disruption = row
    tag = "" if disruption.severity == 0 else f"   <- {disruption}"
    return f"  {change}", "green" if change.op == "+" else "red", tag

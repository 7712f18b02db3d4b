"""A plan that was made before, of which a push carries out just what it says. Pure.

A switch on which nothing is left to do is as planned already. One that a push would touch must run, line by line, what
it ran when it was planned, and the same change must come of it: else it is refused.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import starmap

from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.summary import PlanSummary, Read
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.drivers.session import Facts
from nornir_tasks.errors import Problem
from nornir_tasks.intent.core.secret_name import for_others, without_names
from nornir_tasks.platforms.config_tree import Change, difference

MOST_LINES = 20
"""Lines of one switch that a message names."""
_AGAIN = "make the plan again (nornir plan --out FILE) and have it approved again"


@dataclass(frozen=True, slots=True)
class PlannedSwitch:
    """What a plan says of one switch."""

    summary: PlanSummary

    @property
    def read(self) -> Read:
        """What it comes from."""
        assert self.summary.read is not None  # noqa: S101 - a plan without it is not written
        return self.summary.read


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that a push carries out."""

    hash: str
    """SHA-256 of the plan."""
    approved_by: tuple[str, ...]
    switches: Mapping[str, PlannedSwitch]


def changed_since(
    planned: PlannedSwitch, made: PlanSummary, plan: DevicePlan, wanted: Wanted, facts: Facts | None
) -> Iterator[Problem]:
    """Why a push must not do to this switch what was planned: another one answers, or it would not be the same."""
    earlier = planned.read.facts
    if facts is not None and facts.serial != earlier.serial:
        yield Problem(
            made.device,
            "another switch answers than the one that was planned",
            expected=f"serial number {earlier.serial} ({earlier.model})",
            found=f"serial number {facts.serial} ({facts.model})",
            hint=_AGAIN,
        )
    elif made.count:
        yield from _other_lines(planned, made, plan, wanted)


def _other_lines(planned: PlannedSwitch, made: PlanSummary, plan: DevicePlan, wanted: Wanted) -> Iterator[Problem]:
    os = wanted.platform
    then = planned.read.text
    now = for_others(os.to_text(plan.running))
    if typed := tuple(difference(os.to_tree(then), os.to_tree(now))):
        is_secret = os.to_tree(without_names(then)) == os.to_tree(without_names(now))
        what = "a secret has another value than when the plan was made, on the switch or here"
        if not is_secret:
            what = "this switch was changed since the plan was made"
        yield Problem(made.device, what, found=_lines(map(str, typed)), hint=_AGAIN)
        return
    changes = tuple(_both(planned.summary, made, lambda each: starmap(_named, each.rows())))
    if changes:
        what = "a push would now do something else than planned, though this switch runs what it ran"
        hint = f"plan where pushes are made from: the journal there shows which lines are ours; {_AGAIN}"
        yield Problem(made.device, what, found=_lines(changes), hint=hint)
    others = tuple(_both(planned.summary, made, lambda each: (_stays(others) for others, _ in each.others)))
    if others and not changes:
        what = "other lines of others stand beside the change than planned"
        yield Problem(made.device, what, found=_lines(others), hint=_AGAIN)


def _both(one: PlanSummary, other: PlanSummary, rows: Callable[[PlanSummary], Iterable[str]]) -> Iterator[str]:
    """What only one of two plans has."""
    then, now = dict.fromkeys(rows(one)), dict.fromkeys(rows(other))
    yield from (f"planned, and not to be done any more: {each}" for each in then if each not in now)
    yield from (f"to be done, and not planned: {each}" for each in now if each not in then)


def _named(change: Change, disruption: Disruption) -> str:
    tag = "" if disruption.severity == 0 else f" ({disruption})"
    return for_others(str(change)) + tag


def _stays(each: Others) -> str:
    line = for_others(" / ".join(each.path))
    return f"{line}, replaced by {' / '.join(each.in_the_way_of)}" if each.is_in_the_way else line


def _lines(rows: Iterable[str]) -> str:
    every = tuple(rows)
    more = f"; and {len(every) - MOST_LINES} more" if len(every) > MOST_LINES else ""
    return "; ".join(every[:MOST_LINES]) + more

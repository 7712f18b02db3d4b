"""Problems of a switch during a push, as text: its state, a difference from the plan, a lost answer."""

import math
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.identity import Declared
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.drivers.company import in_company
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.errors import GpufabricError, Problem
from nornir_tasks.intent.core.secret_name import without_names
from nornir_tasks.platforms.config_tree import Change

MOST_LINES = 4
"""Lines that a message quotes."""
MOST_NAMES = 8
"""Switches that it names."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The commands that carry on and that take back, as hints name them: after a rollback other ones than a push's."""

    again: str
    """Does what failed once more, where it is not done."""
    back: str
    """Undoes what was done."""
    verb: str = "push"


PUSH = Ways("nornir push", "nornir rollback")


def unguarded(declared: Declared) -> Problem:
    """Why a switch without a commit timer is refused."""
    return Problem(
        where=declared.device,
        what=f"{declared.os} {declared.release} has no commit timer: a change that cuts us off would stay",
        hint="if an operator is at its console, use --unguarded",
    )


def sprays(device: str) -> Problem:
    """Why a push that has a switch balance packet by packet is refused until the operator says that hosts are ready."""
    return Problem(
        where=device,
        what="the change has it balance packet by packet: a NIC that does not reorder drops to a fraction of its speed",
        expected="hosts first: ansible-playbook site.yml has told their NICs (roce_qos_reorder_rails), and jobs were "
        "started again, as a connection keeps what it was made with",
        hint="when host_validate has passed on all hosts of the plane, use --hosts-reorder",
    )


def not_kept(device: str, push: int, lines: Sequence[str], free: Sequence[str]) -> Problem:
    """Why a push that removed secrets of others is not rolled back here, and what to do instead.

    ``lines``: those that had them; ``free``: the push's switches that had none and can be rolled back.
    """
    more = f"; and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
    hint = (
        f"put the intent back as it was before push {push} and run: nornir push --limit {device}, which undoes all but "
        "these lines; then set them by hand, or name them in the intent with a secret, where base manages them"
    )
    if free:
        names = ",".join(free) if len(free) <= MOST_NAMES else "all but those named here"
        hint += f"; the push's other switches go back with: nornir rollback --push {push} --limit {names}"
    return Problem(
        where=device,
        what=f"push {push} removed passwords, hashes or keys that no secret of the site has: they were not kept, so "
        "the switch cannot be brought back as a whole",
        expected="secrets that are known by name",
        found="; ".join(map(without_names, lines[:MOST_LINES])) + more,
        hint=hint,
    )


def ways_of(verb: str, number: int, undoes: int | None, limit: Sequence[str] = ()) -> Ways:
    """Those of a push or rollback. ``limit``: what it was limited to, unless each hint names a switch of its own."""
    limited = f" --limit {shlex.quote(','.join(limit))}" if limit else ""
    if undoes is None:
        return Ways(f"nornir push{limited}", f"nornir rollback --push {number}", verb)
    return Ways(f"nornir rollback --push {undoes}{limited}", f"nornir push{limited}", verb)


AGAIN = {"push": "push", "rollback": "roll back"}
"""A verb in a sentence."""


def unconfirmed(device: str, waiting: Waiting, ways: Ways = PUSH) -> Problem:
    """A switch runs an unconfirmed commit, which it will revert."""
    left_s = None if waiting.left_s is None else max(1, math.ceil(waiting.left_s))
    within = "by itself when its timer fires" if left_s is None else f"by itself within {left_s} s"
    given = "" if waiting.timer_s is None else f", its timer of {waiting.timer_s} s runs from the end of the commit"
    again = "again when it has" if left_s is None else f"again in {left_s} s"
    return Problem(
        where=device,
        what=f"a commit is not confirmed ({waiting.token}): the switch takes it back {within}{given}",
        expected="no commit under way",
        hint=f"if none is under way, a push or rollback was cut off: {AGAIN.get(ways.verb, ways.verb)} {again}",
    )


def in_the_way(device: str, others: Iterable[Others]) -> list[Problem]:
    """Why a switch is not pushed where lines that are not shown to be ours would be replaced: one for each object."""
    objects: dict[str, list[Others]] = {}
    for each in others:
        if each.is_in_the_way:
            objects.setdefault(" / ".join(each.adopt), []).append(each)
    return [_in_the_way(device, name, found) for name, found in objects.items()]


def _in_the_way(device: str, name: str, found: list[Others]) -> Problem:
    more = f"; and {len(found) - MOST_LINES} more" if len(found) > MOST_LINES else ""
    return Problem(
        where=device,
        what=f"lines that are not shown to be ours are in the way: {name}",
        expected="; ".join(dict.fromkeys(" / ".join(each.in_the_way_of) for each in found[:MOST_LINES])),
        found="; ".join(f"{' / '.join(each.path)} ({each.reason})" for each in found[:MOST_LINES]) + more,
        hint=f"have the push take it over: --adopt {quoted(device, name)}; or move these lines, or change the intent",
    )


def quoted(device: str, name: str) -> str:
    """What follows ``--adopt``, as a shell takes it."""
    return shlex.quote(f"{device}:{name}")


def unsaved(device: str) -> Problem:
    """The running configuration is not saved."""
    what = "what it runs was not saved since its last change: a reboot brings back what was saved before"
    return Problem(device, what, hint="a push saves it")


def unfinished(plans: Mapping[str, PlanSummary]) -> dict[str, Problem]:
    """The switches with an unfinished change: a commit that waits for its timer, or an unsaved configuration."""
    found = {name: unconfirmed(name, each.waiting) for name, each in plans.items() if each.waiting is not None}
    return {name: unsaved(name) for name, each in plans.items() if not (each.is_saved or each.count)} | found


def blocked(plans: Mapping[str, PlanSummary], dead: Mapping[str, Collection[str]]) -> dict[str, Problem]:
    """The switches that would refuse their candidate, and why. ``dead``: leftovers of ours that a push clears away."""
    found = {name: no_room(name, each.lacks_bytes) for name, each in plans.items() if each.lacks_bytes}
    for name, plan in plans.items():
        if company := [each for each in plan.company if each.token not in dead.get(name, ())]:
            found[name] = in_company(name, company)
    return found


def no_room(device: str, lacks_bytes: int) -> Problem:
    """The switch's disk does not take the files of a push."""
    return Problem(
        where=device,
        what="its disk is too full for the files of a push: the candidate, and a copy of what runs",
        found=f"{lacks_bytes:,} bytes too few are free",
        hint="on the switch: dir bootflash:, then delete what is not needed",
    )


def problems_of(device: str, error: Exception) -> tuple[Problem, ...]:
    """The problems of an error; of a foreign one, its text."""
    if isinstance(error, GpufabricError):
        return error.problems
    hint = "this is a fault of gpufabric; please report it"
    return (Problem(device, f"unexpected {type(error).__name__}: {error}", hint=hint),)


def disagreement(device: str, planned: frozenset[Change], staged: frozenset[Change]) -> list[Problem]:
    """Where the plan and the switch's own view of the candidate differ."""
    problems = [
        Problem(where=device, what=f"planned, but the switch would not do it: {change}")
        for change in sorted(planned - staged)
    ]
    problems += [
        Problem(where=device, what=f"the switch would also do what was not planned: {change}")
        for change in sorted(staged - planned)
    ]
    hint = "nothing was committed; the switch's own syntax differs from what we render for this release"
    return [*problems, Problem(where=device, what="plan and switch disagree", hint=hint)]


def changed_since(device: str, shown: frozenset[Change], planned: frozenset[Change]) -> list[Problem]:
    """Where what a push would do now differs from what it has shown."""
    problems = [Problem(device, f"shown, and not to be done any more: {change}") for change in sorted(shown - planned)]
    problems += [Problem(device, f"to be done, and not shown: {change}") for change in sorted(planned - shown)]
    hint = "nothing was committed; see who else works on this switch, then push again"
    return [*problems, Problem(device, "another session changed the switch after its plan was shown", hint=hint)]

"""What is wrong with a switch amid a push, in words: its state, its disagreement with the plan, an answer lost."""

from collections.abc import Mapping

from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.errors import GpufabricError, Problem
from nornir_tasks.platforms.config_tree import Change


def unguarded(wanted: Wanted) -> Problem:
    """Why a switch without a commit timer is refused."""
    return Problem(
        where=wanted.device,
        what=f"{wanted.config.os} {wanted.config.release} has no commit timer: a change that cuts us off would stay",
        hint="if somebody stands at its console, say --unguarded",
    )


def unconfirmed(device: str, waiting: Waiting) -> Problem:
    """That a switch runs what it will take back, unless somebody confirms it."""
    left_s = None if waiting.left_s is None else max(1, round(waiting.left_s))
    within = "by itself when its timer fires" if left_s is None else f"by itself within {left_s} s"
    again = "again when it has" if left_s is None else f"again in {left_s} s"
    return Problem(
        where=device,
        what=f"a commit is not confirmed ({waiting.token}): the switch takes it back {within}",
        expected="no commit under way",
        hint=f"if no push is under way, one was cut off: push {again}",
    )


def unsaved(device: str) -> Problem:
    """That a reboot would bring back an earlier configuration."""
    what = "what it runs was not saved since its last change: a reboot brings back what was saved before"
    return Problem(device, what, hint="a push saves it")


def unfinished(plans: Mapping[str, DevicePlan]) -> dict[str, Problem]:
    """The switches whose change is not through: a commit that waits for its timer, or what is wanted runs unsaved."""
    found = {name: unconfirmed(name, each.waiting) for name, each in plans.items() if each.waiting is not None}
    return {name: unsaved(name) for name, each in plans.items() if not (each.is_saved or each.changes)} | found


def problems_of(device: str, error: Exception) -> tuple[Problem, ...]:
    """What went wrong, in our words where there are any."""
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

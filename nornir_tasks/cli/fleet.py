"""From a scope to switches that can be talked to; shared by the verbs that do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from nornir_tasks.cli.console import following, print_error
from nornir_tasks.cli.doubts import doubts_of, tell_doubts
from nornir_tasks.cli.scope import Scope, load
from nornir_tasks.deploy.fleet import DEFAULT_WORKERS, Fleet, Results, T, Target
from nornir_tasks.deploy.tasks import Job
from nornir_tasks.deploy.transaction import Rules
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import DeviceError, GpufabricError, LabError, Problem
from nornir_tasks.inventory.endpoints import endpoints

MOST_NAMED = 8
"""Switches named where many have the same problem."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the operator allowed."""

    allow_management: frozenset[str] = frozenset()
    accept_release: bool = False
    workers: int = DEFAULT_WORKERS
    unguarded: bool = False


def chosen(
    site: str, planes: Sequence[str] | None, limit: Sequence[str] | None, choice: Choice
) -> tuple[Scope, dict[str, Wanted]]:
    """A site and what its chosen switches shall hold; for the releases that run, if the operator accepts them."""
    scope = load(site)
    wanted = scope.wanted(planes, limit)
    if choice.accept_release:
        with fleet(scope, wanted, choice) as switches:
            answers = require_all(run_all("asking", len(wanted), switches.ask))
        scope = scope.with_releases({name: facts.release for name, facts in answers.items()})
        wanted = scope.wanted(planes, limit)
    return scope, wanted


@contextmanager
def fleet(scope: Scope, wanted: Mapping[str, Wanted], choice: Choice) -> Iterator[Fleet]:
    """The chosen switches, connected on first use and closed at the end."""
    _check_lab(scope)
    known = endpoints(scope.site, {name: each.config.os for name, each in wanted.items()})
    names = frozenset(device.name for device in scope.fabric.devices)
    doubts = doubts_of(scope)
    targets = {
        name: Target(
            Job(
                each,
                Rules(
                    allow_management=name in choice.allow_management,
                    unguarded=choice.unguarded,
                    serial=known[name].serial,
                    names=names,
                    doubts=doubts,
                ),
            ),
            known[name].endpoint,
        )
        for name, each in wanted.items()
    }
    made = Fleet(targets, choice.workers)
    try:
        yield made
    finally:
        made.close()


def _check_lab(scope: Scope) -> None:
    """A lab that has ended is said once, and not by each switch that does not answer any more."""
    if scope.site.intent.management.source != "lab":
        return
    from nornir_tasks.lab.manager import Lab

    lab, name = Lab(scope.site.state_directory), scope.site.name
    if lab.directory.exists() and not lab.is_up():
        what = "the lab of this site has ended: its process is gone, and with it what was pushed to its switches"
        raise LabError(Problem(name, what, hint=f"nornir lab up --site {name}, then nornir push --site {name}"))


def run_all(what: str, total: int, verb: Callable[[Callable[[str], None]], Results[T]]) -> Results[T]:
    """Run a verb on every switch with a progress display; then say which are known by address alone."""
    with following(what, total) as step:
        results = verb(step)
    tell_doubts(total)
    return results


def require_all(results: Results[T]) -> dict[str, T]:
    """The values; raises with every problem of every switch if one failed."""
    if results.errors:
        raise _worst(results.errors)
    return results.values


def together(problems: Iterable[Problem]) -> list[Problem]:
    """What is the same for several switches is said once, with their names."""
    same: dict[Problem, list[Problem]] = {}
    for problem in problems:
        same.setdefault(replace(problem, where=""), []).append(problem)
    return [replace(found[0], where=_names([each.where for each in found])) for found in same.values()]


def _names(places: list[str]) -> str:
    more = len(places) - MOST_NAMED
    return ", ".join(places[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def report_errors(errors: Mapping[str, GpufabricError]) -> None:
    """Print every switch's problems."""
    for error in errors.values():
        print_error(error)


def _worst(errors: Mapping[str, GpufabricError]) -> GpufabricError:
    problems = together(problem for error in errors.values() for problem in error.problems)
    kinds = {_public(type(error)) for error in errors.values()}
    kind = kinds.pop() if len(kinds) == 1 else DeviceError
    return kind(problems)


def _public(kind: type[GpufabricError]) -> type[GpufabricError]:
    """The class of errors.py that a driver's own class stands for."""
    return next(each for each in kind.__mro__ if each.__module__ == GpufabricError.__module__)

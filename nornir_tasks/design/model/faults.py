"""What a pure step raises beside our own errors is a fault of ours: a problem with the step's name, to be reported.

A pure step takes an intent, or what follows from it, to the next one: it has a result, or refuses with a place. The
error has exit code 1, as a traceback would have; so the one who runs us sees no traceback, and we learn where it was.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from traceback import walk_tb
from typing import ParamSpec, TypeVar

from nornir_tasks.errors import GpufabricError, Problem
from nornir_tasks.intent.core.findings import as_shown

Inputs = ParamSpec("Inputs")
Result = TypeVar("Result")

_OURS = "nornir_tasks."
_PURE = ("intent", "design", "platforms", "checks", "day0", "proofs", "render")
"""Packages without a network, a file or a process: what fails in them does so for its input alone."""
_ON_THE_WAY = frozenset(f"{_OURS}design.{name}" for name in ("model.faults", "demand.collect_errors", "pipeline"))
"""Modules that only call one step after the other."""
_MOST_PLACES = 3
"""Places of the code that the message has: where it failed, and who called."""


def guarded(step: Callable[Inputs, Result]) -> Callable[Inputs, Result]:
    """The same step, which raises GpufabricErrors alone; what the machine is to blame for passes as it is."""

    @wraps(step)
    def inner(*args: Inputs.args, **kwargs: Inputs.kwargs) -> Result:
        try:
            return step(*args, **kwargs)
        except (GpufabricError, OSError, MemoryError):
            raise
        except Exception as error:
            raise GpufabricError(_problem(error, list(_places(error)))) from error

    return inner


def fault(error: Exception) -> Problem | None:
    """The problem of a pure step that failed; None for an error from anywhere else."""
    places = list(_places(error))
    at = places[-1][0].removeprefix(_OURS).partition(".")[0] if places else ""
    return _problem(error, places) if at in _PURE else None


def _places(error: Exception) -> Iterator[tuple[str, str, int]]:
    """(module, function, line) of our own code on the way to the error, the last one closest to it."""
    for frame, line in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(_OURS):
            yield module, frame.f_code.co_name, line


def _problem(error: Exception, places: list[tuple[str, str, int]]) -> Problem:
    pure = [each for each in places if each[0].removeprefix(_OURS).partition(".")[0] in _PURE]
    steps = [each for each in pure if each[0] not in _ON_THE_WAY and not each[1].startswith("<")]
    module, function, _ = (steps or pure[-1:] or places[-1:])[0]
    text = f": {as_shown(str(error))}" if str(error) else ""
    return Problem(
        "gpufabric",
        f"step {function} ({_file(module)}) failed: a fault of gpufabric, whatever the files say",
        "a result, or a refusal that says what stands where",
        f"{type(error).__name__}{text}; at {_way(places)}",
        "please report it with these lines and the site's fabric.yml",
    )


def _way(places: list[tuple[str, str, int]]) -> str:
    return ", from ".join(f"{_file(module)}:{line}" for module, _, line in reversed(places[-_MOST_PLACES:]))


def _file(module: str) -> str:
    return module.removeprefix(_OURS).replace(".", "/") + ".py"

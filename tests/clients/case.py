"""One test of a client: what it is run with, and the fault that makes it say otherwise."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest
from at_terminal import Operator

SETTLES_WITHIN_S = 90.0


@dataclass(frozen=True)
class Case:
    """``run`` asks through the client and raises AssertionError with what it says where that is not the intent's."""

    run: Callable[[Operator], None]
    fault: Callable[[Operator], AbstractContextManager[None]]
    """Puts one fault into the lab, from outside the client, and takes it back when it ends."""
    message: str
    """A regular expression: of what ``run`` raises while the fault is there."""


def prove(case: Case, lab: Operator) -> None:
    """The client agrees with the lab, names the fault while it is there, and agrees again when it is gone."""
    case.run(lab)
    with case.fault(lab):
        _until(lambda: _names_the_fault(case, lab))
    _until(lambda: case.run(lab))


def _names_the_fault(case: Case, lab: Operator) -> None:
    with pytest.raises(AssertionError) as refused:
        case.run(lab)
    message = str(refused.value)
    assert re.search(case.message, message), f"no {case.message!r} in: {message}"


def _until(passes: Callable[[], None]) -> None:
    """Sessions and timers of the lab take their time; what does not settle is raised."""
    end = time.monotonic() + SETTLES_WITHIN_S
    while True:
        try:
            return passes()
        except (AssertionError, pytest.fail.Exception):
            if time.monotonic() > end:
                raise
            time.sleep(0.3)

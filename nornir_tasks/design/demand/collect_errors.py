"""Collect all errors of a design: every independent step is tried before the design is refused."""

from collections.abc import Callable
from typing import TypeVar

from nornir_tasks.errors import DesignError, GpufabricError, IntentError, Problem
from nornir_tasks.intent.core.unknown import UnknownValueError

Result = TypeVar("Result")


class Gathering:
    """Tries steps and collects their errors."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._kind: type[GpufabricError] = DesignError

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """The step's result; None if it fails, or needs a value of the intent that is unknown."""
        try:
            return step()
        except (IntentError, DesignError) as error:
            self.problems += error.problems
            if isinstance(error, IntentError):
                self._kind = IntentError
        except UnknownValueError:
            pass
        return None

    def refuse(self) -> None:
        """Raise the collected errors, if any: as IntentError if a step raised one, else DesignError."""
        if self.problems:
            raise self._kind(dict.fromkeys(self.problems))

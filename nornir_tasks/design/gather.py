"""All that stands against a design at once: steps that do not need one another are all tried before it is refused."""

from collections.abc import Callable
from typing import TypeVar

from nornir_tasks.errors import DesignError, GpufabricError, IntentError, Problem
from nornir_tasks.intent.unknown import UnknownValueError

Result = TypeVar("Result")


class Gathering:
    """Tries steps and keeps what they refuse."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._kind: type[GpufabricError] = DesignError

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """What the step gives; None where it refuses, or needs a value that the intent does not tell."""
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
        """Raise what was kept, if anything: IntentError if a step did, else DesignError."""
        if self.problems:
            raise self._kind(dict.fromkeys(self.problems))

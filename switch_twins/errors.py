"""The errors of a lab that cannot start, serve or answer, reported completely: every problem, its place and the remedy.

The reason why a command line was refused is separate, in the switch's own wording: ``engine/errors.py``.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    where     a file, a device, or a part of the lab such as ``cable``
    what      what is wrong with it
    expected  what would have been right, found: what was there instead, hint: what to do about it; "" is left out
    """

    where: str
    what: str
    expected: str = ""
    found: str = ""
    hint: str = ""

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}"]
        lines += [f"  {label}: {text}" for label, text in self._more() if text]
        return "\n".join(lines)

    def _more(self) -> tuple[tuple[str, str], ...]:
        return ("expected", self.expected), ("found", self.found), ("hint", self.hint)


class TwinError(Exception):
    """The lab cannot start, serve or answer. Contains all problems found, never only the first."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

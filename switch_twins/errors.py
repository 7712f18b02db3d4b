"""What keeps a lab from starting, serving or answering, said whole: every problem, where it stands and what to do.

Why a command line was refused is another matter, which the switch's own words answer: ``engine/errors.py``.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

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
    """The lab cannot start, serve or answer. Carries all problems found, never only the first."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

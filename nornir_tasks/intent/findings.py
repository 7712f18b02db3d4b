"""How the intent says that something is wrong: a path into the file and what is the matter with it.

Where in the file that path stands is the file reader's knowledge; it hands in :class:`Marks`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic_core import PydanticCustomError

from nornir_tasks.errors import Problem

Path = tuple[str | int, ...]
"""Keys and list positions from the top of a file down to a value."""

FINDINGS = "findings"
"""Type of the pydantic error that carries a tuple of Finding in its context."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at a path below the object that was judged."""

    path: Path
    what: str
    expected: str = ""
    found: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """Where each value of a file stands. Without a file (tests, another program) only the path is known."""

    file: str = ""
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """The line of the value at this path, or of the closest thing above it that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def problems(self, findings: Iterable[Finding], above: Path = ()) -> list[Problem]:
        """All findings with their places, each once, in the order of the file."""
        placed = sorted(dict.fromkeys(findings), key=lambda finding: self.line((*above, *finding.path)))
        return [self.problem(finding, above) for finding in placed]

    def problem(self, finding: Finding, above: Path = ()) -> Problem:
        """The finding with its place: ``file:line`` and the dotted path."""
        path = (*above, *finding.path)
        name = dotted(path)
        where = f"{self.file}:{self.line(path)}" if self.file else "intent"
        what = f"{name}: {finding.what}" if name else finding.what
        return Problem(where, what, finding.expected, finding.found, finding.hint)


def dotted(path: Path) -> str:
    """``("leaf", "overrides", 0, "rails")`` -> ``leaf.overrides[0].rails``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def refuse(findings: Iterable[Finding]) -> None:
    """Raise all findings as one pydantic error, if there are any."""
    found = tuple(findings)
    if found:
        raise PydanticCustomError(FINDINGS, "{count} findings", {"count": len(found), FINDINGS: found})


def wrong(what: str, expected: str, value: object, hint: str = "") -> PydanticCustomError:
    """The error of one value, for validators of single fields."""
    finding = Finding((), what, expected, str(value), hint)
    return PydanticCustomError(FINDINGS, "{what}", {"what": what, FINDINGS: (finding,)})

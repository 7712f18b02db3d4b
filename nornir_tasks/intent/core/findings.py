"""How the intent says that something is wrong: a path into the file and what is the matter with it.

Where in the file that path stands is the file reader's knowledge; it hands in :class:`Marks`.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import PydanticCustomError

from nornir_tasks.errors import Problem, printable

Path = tuple[str | int, ...]
"""Keys and list positions from the top of a file down to a value."""

MOST_SHOWN = 76
"""Characters of a value that a message shows: with its label they fill one line of a terminal."""

MOST_OF_A_SENTENCE = 240
"""Characters of what is said of a value; longer is only what carries a value along."""

MOST_OF_A_KEY = 40
"""Characters of a key that a message shows."""

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
    also: Path = ()
    """The other place that has part in it, from the top of the file; empty: there is none."""


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

    def where(self, path: Path) -> str:
        """A place that a message points at beside its own: the dotted path and, of a file, its line."""
        return f"{dotted(path)} in line {self.line(path)}" if self.file else dotted(path)

    def problems(self, findings: Iterable[Finding], above: Path = ()) -> list[Problem]:
        """All findings with their places, each once, in the order of the file."""
        placed = sorted(dict.fromkeys(findings), key=lambda finding: self.line((*above, *finding.path)))
        return [self.problem(finding, above) for finding in placed]

    def problem(self, finding: Finding, above: Path = ()) -> Problem:
        """The finding with its place: ``file:line`` and the dotted path."""
        path = (*above, *finding.path)
        name = dotted(path)
        where = f"{self.file}:{self.line(path)}" if self.file else "intent"
        what = as_shown(finding.what, MOST_OF_A_SENTENCE)
        found = as_shown(finding.found, MOST_OF_A_SENTENCE)
        if finding.also:
            found = "; ".join(filter(None, (found, f"see {self.where(finding.also)}")))
        return Problem(where, f"{name}: {what}" if name else what, finding.expected, found, finding.hint)


def dotted(path: Path) -> str:
    """``("leaf", "overrides", 0, "rails")`` -> ``leaf.overrides[0].rails``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{as_shown(part, MOST_OF_A_KEY)}"
    return text.removeprefix(".")


def as_shown(value: object, most: int = MOST_SHOWN) -> str:
    """A value as a message shows it: in the words of YAML, on one line, at most about so many characters."""
    text = _written(value, most)
    text = printable(text).replace("\n", "\\n").replace("\t", "\\t")
    if len(text) <= most:
        return text
    length = f"{len(value):,} characters" if isinstance(value, str) else "shortened"
    return f"{text[: most // 2]}... ({length})"


def _written(value: object, most: int) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_written(each, most) for each in value[: most // 2])}]"
    for kind, words in _WORDS.items():
        if isinstance(value, kind):
            return words(value)
    return str(value) if type(value).__module__ in _PLAIN_MODULES else f"a {type(value).__name__.lower()}"


_PLAIN_MODULES = ("ipaddress", "nornir_tasks.intent.core.fields")
"""Of types that write themselves as the file does: prefixes, splits, ranges."""

_WORDS: dict[Any, Callable[[Any], str]] = {
    str: lambda text: text[:1000],
    type(None): lambda _: "nothing",
    bool: lambda answer: "true" if answer else "false",
    # Python itself refuses to write a number of more than 4,300 digits.
    int: lambda number: str(number) if number.bit_length() < 200 else f"a number of {number.bit_length()} bits",
    float: lambda number: repr(number) if math.isfinite(number) else f".{number}".replace(".-", "-."),
    Mapping: lambda keys: "1 key" if len(keys) == 1 else f"{len(keys)} keys",
}
"""Kind of value -> how YAML, or a person, would write it."""


def refuse(findings: Iterable[Finding]) -> None:
    """Raise all findings as one pydantic error, if there are any."""
    found = tuple(findings)
    if found:
        raise PydanticCustomError(FINDINGS, "{count} findings", {"count": len(found), FINDINGS: found})


def wrong(what: str, expected: str, value: object, hint: str = "") -> PydanticCustomError:
    """The error of one value, for validators of single fields."""
    finding = Finding((), what, expected, as_shown(value), hint)
    return PydanticCustomError(FINDINGS, "{what}", {"what": what, FINDINGS: (finding,)})

"""Why a command line was refused, in neutral terms; a dialect translates it into its operating system's wording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Refusal = Literal["invalid", "range", "incomplete", "unavailable", "reference", "conflict", "from_memory"]


class GrammarError(Exception):
    """A grammar file is wrong; the message starts with ``file:line``."""


@dataclass(slots=True)
class LineError(Exception):
    """One refused command line.

    kind         what is wrong: ``invalid`` (no such word here), ``range`` (a number out of range), ``incomplete``
                 (words are missing), ``unavailable`` (the hardware has no such command), ``reference`` (names an
                 object that is not there), ``conflict`` (contradicts other configuration), ``from_memory`` (rule
                 not allowed by name)
    line         the line as it was typed
    token_index  index of the offending word (len(words) if words are missing)
    column       its character position in the line, for operating systems that draw a marker under it
    token        the offending word, "" if words are missing
    message      the operating system's own text where the grammar gives one (attribute ``error``), else ""
    expected     what would have been accepted, for a ``range`` error "low-high"
    """

    kind: Refusal
    line: str
    token_index: int = 0
    column: int = 0
    token: str = ""
    message: str = ""
    expected: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.line!r} at word {self.token_index} ({self.token!r}) {self.message}".rstrip()

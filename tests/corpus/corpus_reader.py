"""Reads tests/corpus/<os>/accept.txt and reject.txt: configuration lines we did not invent, with mode and source.

Headers (``# section:``, ``# mode:``, ``# source:``, ``# error:``, ``# asic:``, ``# release:``) hold for the lines
below them until the next header of the same kind. ``any`` as asic or release means no restriction. Any other line
that starts with ``#`` is a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent
HEADER = re.compile(r"#\s*(section|mode|source|error|asic|release):\s*(.*)")


@dataclass(frozen=True, slots=True)
class CorpusLine:
    """One line of a corpus with the headers in force; ``mode`` is the chain of mode lines from global mode down."""

    text: str
    section: str
    mode: tuple[str, ...]
    source: str
    error: str
    asic: str
    release: str
    where: str


def read_corpus(path: Path) -> list[CorpusLine]:
    """All lines of one corpus file. Raises ValueError at a line that lacks a section or source."""
    headers = dict.fromkeys(("section", "mode", "source", "error", "asic", "release"), "")
    lines = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = raw.rstrip()
        found = HEADER.match(text)
        if found:
            headers[found[1]] = "" if found[2].strip() == "any" else found[2].strip()
        elif text and not text.startswith("#"):
            where = f"{path.parent.name}/{path.name}:{number}"
            missing = [name for name in ("section", "source") if not headers[name]]
            if missing:
                raise ValueError(f"{where}: no {', '.join(missing)} header above this line")
            mode_text = "" if headers["mode"] == "global" else headers["mode"]
            mode = tuple(part.strip() for part in mode_text.split(";") if part.strip())
            rest = {name: headers[name] for name in ("section", "source", "error", "asic", "release")}
            lines.append(CorpusLine(text=text, mode=mode, where=where, **rest))
    return lines

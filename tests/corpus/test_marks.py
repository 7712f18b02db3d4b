"""What the notes on an OS know from memory, SOURCES.yml does not call verified, nor the other way round.

A mark in NOTES.md is about the lines of its clause: ``[M]`` that the line is known from memory, ``[M order]`` that only
this of it is. A clause ends at a mark, a full stop, a semicolon or a new row of a list or table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml
from corpus_reader import CORPUS

from tests.corpus.shapes import patterns

SYSTEMS = sorted(path.parent.name for path in CORPUS.glob("*/NOTES.md"))
_CLAUSES = re.compile(
    r"(?P<text>(?:`[^`\n]+`|[^`\[;.|]|\.(?=\S)|\n(?!\n|- |#))*?)(?P<end>\[(?:V-lab|V|M)\b[^\]]*\]|[\[;.|]|\n|$)"
)
_VERIFIED = {"V", "V-lab"}


def marked(notes: str) -> Iterator[tuple[str, str]]:
    """(line, mark without what it says) for each line in code quotes of a clause that ends with a mark."""
    for found in _CLAUSES.finditer(notes):
        mark = re.fullmatch(r"\[(V-lab|V|M)( [^\]]*)?\]", found["end"])
        if mark and not (mark[1] == "M" and mark[2]):
            yield from ((line, mark[1]) for line in re.findall(r"`([^`\n]+)`", found["text"]))


def contradictions(notes: str, sources: list[dict[str, str]]) -> list[str]:
    """Lines that are from memory in one place and verified in the other."""
    shapes = [(pattern, each) for each in sources for pattern in patterns(each["shape"])]
    return [
        f"{line}: {mark} in the notes, {each['confidence']} in SOURCES.yml"
        for line, mark in marked(notes)
        for pattern, each in shapes
        if pattern.fullmatch(line) and (mark == "M") != (each["confidence"] == "M")
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_notes_and_sources_do_not_contradict_one_another(system: str) -> None:
    sources = yaml.safe_load((CORPUS.parents[1] / "templates" / system / "SOURCES.yml").read_text())
    assert contradictions((CORPUS / system / "NOTES.md").read_text(), sources) == []


@pytest.mark.parametrize(
    ("note", "confidence", "count"),
    [
        ("- `fec rs-fec` is taken as RS-544 [M].", "V", 1),
        ("- `fec off` first; `fec rs-fec`, from practice [M]", "V-lab", 1),
        ("| `fec rs-fec` | shown [M] |", "V", 0),
        ("- `fec rs-fec` is printed last [M order].", "V", 0),
        ("- `fec rs-fec` is known. The rest is not [M].", "V", 0),
        ("- `fec rs-fec` [V IG], hidden [M].", "V", 0),
        ("- `fec rs-fec` [V IG].", "M", 1),
        ("- `fec rs-fec` [M].", "M", 0),
    ],
)
def test_a_mark_that_contradicts_is_found(note: str, confidence: str, count: int) -> None:
    assert len(contradictions(note, [{"shape": "fec <word>", "confidence": confidence}])) == count

"""Pages of the repository as readers see them: which there are, their sentences, their links and anchors."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1\s*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_END = re.compile(r"(?<=[.!?])[)*\"]*\s+(?=[A-Z0-9(*`\"X])")


@cache
def tracked(pattern: str) -> tuple[Path, ...]:
    """All files of a pattern that git has or would take; no links."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    files = (ROOT / name for name in listed if name)
    return tuple(sorted(path for path in files if path.is_file() and not path.is_symlink()))


def pages() -> tuple[Path, ...]:
    """All .md files that git has or would take."""
    return tracked("*.md")


def without_code(text: str) -> str:
    """The text without its blocks of code and comments."""
    return _INDENTED.sub("", _COMMENT.sub("", _FENCE.sub("", text)))


def links(text: str) -> Iterator[str]:
    """The targets of all links outside of code."""
    for _, target in _LINK.findall(_CODE.sub("", without_code(text))):
        yield target


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and Python-Markdown make them."""
    found: set[str] = set()
    for line in without_code(text).splitlines():
        if match := re.match(r"#{1,6}\s+(.*)", line):
            words = re.sub(r"[^\w\s-]", "", _LINK.sub(r"\1", match[1]).replace("`", "")).strip().lower()
            found.add(re.sub(r"\s", "-", words))
            found.add(re.sub(r"[-\s]+", "-", words))
    return found


def _paragraphs(text: str) -> Iterator[str]:
    gathered: list[str] = []
    for line in (*without_code(text).splitlines(), ""):
        row = line.strip()
        if not row or row.startswith(("#", "|")) or _ITEM.match(line):
            yield " ".join(gathered)
            gathered = []
        if row.startswith("|"):
            yield from (cell.strip() for cell in row.strip("|").split("|"))
        elif row and not row.startswith("#"):
            gathered.append(_ITEM.sub("", row))


def sentences(text: str) -> Iterator[str]:
    """All sentences of four words or more; a piece of code counts as one word, a cell of a table as a paragraph."""
    for paragraph in _paragraphs(text):
        plain = _LINK.sub(r"\1", _CODE.sub("X", paragraph))
        for sentence in _END.split(plain):
            if len(sentence.split()) >= 4:
                yield sentence

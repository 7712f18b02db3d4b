"""YAML with the line of every value; ambiguous input is refused and reported as a problem of the file.

Lists become tuples: what is read is never changed. A value without quotes is a number, a truth value, nothing, or text,
as YAML 1.1 and 1.2 agree; where they do not (``010``), it is refused. Dates and numbers of base 60 are text, as in 1.2:
``3:1`` is a ratio and ``10:42:11:00:00:12`` a MAC address.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.resources import shown
from nornir_tasks.files.yaml_tree import MOST_BYTES, Mistake, Node, read_tree, read_trees
from nornir_tasks.intent.core.findings import Finding, Marks, as_shown
from nornir_tasks.intent.core.findings import Path as Place
from nornir_tasks.intent.core.secret_name import NAME, Secret

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **{form: word in ("yes", "true", "on") for word in ("yes", "no", "true", "false", "on", "off")
       for form in (word, word.title(), word.upper())},
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)")
_DECIMAL = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_NUMBER = 40
"""Characters; longer text is not taken as a number."""

_A_NAME = "a name of small letters, digits, - and _, as !secret switch_password"

UNREADABLE = object()
"""Placeholder for a value that could not be read, which is reported already."""


@dataclass(frozen=True, slots=True)
class Marked:
    """One file's data and where each of its values stands."""

    data: Any
    marks: Marks
    findings: tuple[Finding, ...]
    """Duplicate keys, values that cannot be read; the data is usable all the same."""
    texts: dict[Place, str]
    """Values without quotes as they stand in the file: ``5.10`` is read as 5.1."""
    end: Problem | None = None
    """The place where reading stopped before the end of the file; the rest is unknown."""


@dataclass(frozen=True, slots=True)
class MarkedDocuments:
    """The documents of one file, each with the places of its values."""

    documents: tuple[Marked, ...]
    end: Problem | None
    """As of Marked."""


@dataclass
class _Reader:
    lines: dict[Place, int] = field(default_factory=dict)
    texts: dict[Place, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def value(self, node: Node, path: Place, line: int) -> Any:  # noqa: ANN401 - whatever the file says
        self.lines[path] = line
        if node.tag is not None and not (node.tag == "!secret" and node.kind == "scalar"):
            hint = "a value that begins with ! is written in quotes" if node.kind == "scalar" else ""
            tag = as_shown(node.tag.replace("tag:yaml.org,2002:", "!!"))
            return self.refuse(path, "a tag that means nothing here", "none, or !secret NAME", tag, hint)
        if node.kind == "map":
            return dict(self.pairs(node, path))
        if node.kind == "list":
            return tuple(self.value(item, (*path, place), item.line) for place, item in enumerate(node.items))
        return self.scalar(node, path)

    def refuse(self, path: Place, what: str, expected: str, found: str, hint: str = "") -> object:
        if path[-1:] == ("password",):
            # Nothing of it is repeated: it may be the password itself, typed by mistake.
            what, expected, found, hint = "not the name of a secret", _A_NAME, "", ""
        self.findings.append(Finding(path, what, expected, found, hint))
        return UNREADABLE

    def pairs(self, node: Node, path: Place) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.pairs():
            key, line = key_node.text, key_node.line
            if key_node.kind != "scalar" or key_node.tag is not None or not key:
                self.lines.setdefault(path, line)
                self.findings.append(Finding(path, f"not a key (line {line})", "text, as in key: value"))
            elif key in seen:
                self.lines[*path, key] = line
                self.refuse((*path, key), "duplicate key", "each key once", f"also in line {seen[key]}")
            else:
                seen[key] = line
                yield key, self.value(value_node, (*path, key), line)

    def scalar(self, node: Node, path: Place) -> Any:  # noqa: ANN401
        if node.tag == "!secret":
            if not NAME.fullmatch(node.text):
                return self.refuse(path, "not the name of a secret", _A_NAME, "")
            return Secret(node.text)
        if not node.is_plain:
            return node.text
        self.texts[path] = node.text
        if node.text in _WORDS:
            return _WORDS[node.text]
        return self.number(node.text, path)

    def number(self, text: str, path: Place) -> Any:  # noqa: ANN401
        if _NOT_FINITE.fullmatch(text):
            return float(text.replace(".", ""))
        is_integer = _INTEGER.fullmatch(text) is not None
        if not is_integer and not _DECIMAL.fullmatch(text):
            return text
        if len(text) > _LONGEST_NUMBER:
            return self.refuse(path, "too long for a number", "a number, or text in quotes", as_shown(text))
        digits = text.replace("_", "")
        if not is_integer:
            return float(digits)
        if _LEADING_ZERO.fullmatch(text) and digits.lstrip("+-0"):
            return self.leading_zero(digits, path)
        return int(digits, 0 if digits.lstrip("+-")[1:2] in ("x", "b") else 10)

    def leading_zero(self, digits: str, path: Place) -> object:
        decimal = int(digits)
        old = "text" if set(digits) & set("89") else int(digits, 8)
        expected = f'no leading zero, or "{digits}" in quotes if it is text'
        hint = f"YAML 1.1 reads {old}, YAML 1.2 reads {decimal}"
        return self.refuse(path, "a number that begins with 0", expected, digits, hint)


class _LenientReader(_Reader):
    """Of files that are others': what may be a number or text is text, and no message repeats it."""

    def number(self, text: str, path: Place) -> Any:  # noqa: ANN401
        is_unclear = len(text) > _LONGEST_NUMBER or (_LEADING_ZERO.fullmatch(text) and text.lstrip("+-0_"))
        return text if is_unclear else super().number(text, path)


def read_marked_documents(text: str, name: str, *, most_nodes: int, most_depth: int) -> MarkedDocuments:
    """All documents of a YAML or JSON text that others wrote. ``name``: how messages call it."""
    trees = read_trees(text, most_nodes, most_depth)
    documents = []
    for root in trees.roots:
        reader = _LenientReader()
        data = reader.value(root, (), root.line)
        documents.append(Marked(data, Marks(name, reader.lines), tuple(reader.findings), reader.texts))
    return MarkedDocuments(tuple(documents), None if trees.mistake is None else _problem(name, trees.mistake))


def read_marked(file: Path) -> Marked:
    """Read one YAML file as far as it can be read. Raises IntentError when it is not there, or not UTF-8 text."""
    name = shown(file)
    return marked_text(_text(file, name), name)


def marked_text(text: str, name: str) -> Marked:
    """The same of a text that is in no file yet. ``name``: how messages call it."""
    tree = read_tree(text)
    reader = _Reader()
    data = reader.value(tree.root, (), tree.root.line) if tree.root is not None else None
    end = None if tree.mistake is None else _problem(name, tree.mistake)
    return Marked(data, Marks(name, reader.lines), tuple(reader.findings), reader.texts, end)


def _text(file: Path, name: str) -> str:
    try:
        with file.open("rb") as stream:
            return text_of(stream, name, MOST_BYTES)
    except OSError as error:
        raise IntentError(Problem(name, f"cannot be read: {error.strerror}")) from error


def text_of(stream: IO[bytes], name: str, most_bytes: int) -> str:
    """All of a stream as text. Raises IntentError where it is too long, or not UTF-8."""
    content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise IntentError(Problem(name, "larger than any file of ours", f"at most {most_bytes >> 20} MiB"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        hint = "this looks like UTF-16: save it as UTF-8" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        found = f"the byte 0x{content[error.start]:02x}"
        raise IntentError(Problem(f"{name}:{line}", "not UTF-8 text", "UTF-8", found, hint)) from error


def _problem(name: str, mistake: Mistake) -> Problem:
    where = f"{name}:{mistake.line}" if mistake.line else name
    return Problem(where, mistake.what, mistake.expected, mistake.found, mistake.hint)

"""Messages, docstrings and comments are in plain English, as pages are: subjects are named, sentences are short."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT, tracked
from test_words import HIDDEN

MOST_WORDS = 25
"""Words of a sentence in a message."""
FOLDERS = ("nornir_tasks", "plugins", "roles", "switch_twins", "templates", "napalm_nvue", "playbooks", "catalogue")
_PART = re.compile(r"(?<=[.!?])\s+|\s*\n\s*|: |; | - ")
"""Where a sentence of a message ends, or the part before a colon or semicolon."""
_PLAIN = re.compile(r"\(?[a-z'-]+[,.)]*")
_JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of each string; what an f-string fills in is one word. Names of one word are no messages."""
    inner = {id(part) for each in ast.walk(tree) if isinstance(each, ast.JoinedStr) for part in each.values}
    for each in ast.walk(tree):
        text = ""
        if isinstance(each, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "X" for one in each.values)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in inner:
            text = each.value
        if re.search(r"\s", text.strip()):
            yield getattr(each, "lineno", 0), text


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def docstrings(tree: ast.AST) -> set[tuple[int, str]]:
    """Strings that stand as statements: they tell developers, and are judged by their words alone."""
    alone = (
        each.value for each in ast.walk(tree) if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    )
    return {(each.lineno, each.value) for each in alone if isinstance(each.value, str)}


def long_parts(text: str) -> Iterator[str]:
    """Sentences of too many words; SQL, patterns and lists of names are no sentences."""
    for part in _PART.split(text):
        words = part.split()
        plain = [each for each in words if _PLAIN.fullmatch(each)]
        if len(words) > MOST_WORDS and 2 * len(plain) > len(words) and not part.startswith("SELECT"):
            yield part


def wrong_in_python(source: str) -> Iterator[str]:
    """What of a module's texts is not plain: ``12: 'shall': name the subject``."""
    tree = ast.parse(source)
    found = set(strings(tree))
    for line, text in sorted(found | set(comments(source))):
        yield from (f"{line}: {word!r}: name the subject" for word in HIDDEN.findall(text))
    for line, text in sorted(found - docstrings(tree)):
        yield from (f"{line}: {len(part.split())} words: {part}" for part in long_parts(text))


def wrong_in(path: Path) -> Iterator[str]:
    """Of a file that is no module all words count, of a template those of its comments.

    Not what a role's template writes to a host: another word there would have each host reload a service once.
    """
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from wrong_in_python(source)
    elif path.suffix in {".j2", ".yml", ".yaml", ".toml"}:
        texts = _JINJA_COMMENT.findall(source) if path.suffix == ".j2" and "roles" in path.parts else [source]
        yield from (f"{word!r}: name the subject" for text in texts for word in HIDDEN.findall(text))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_message_is_hard_to_read(folder: str) -> None:
    files = tracked(f"{folder}/*")
    assert files
    found = [f"{path.relative_to(ROOT)}:{each}" for path in files for each in wrong_in(path)]
    assert not found, "\n".join(found)


def test_hidden_subjects_and_long_sentences_of_code_are_named() -> None:
    long = " ".join(["word"] * 26)
    source = f'"""Doc: {long}."""\nX = "nobody"\nY = f"{{X}}: whoever " f"asks"\nZ = "{long}"  # anew\n'
    assert [each.partition(": ")[2][:10] for each in wrong_in_python(source)] == [
        "'whoever':",
        "'anew': na",
        "26 words: ",
    ]
    assert list(wrong_in_python('X = f"{1}: short; " "and plain"\n')) == []

"""Commands of a documentation page, run as a reader types them, and compared with what the page shows of their output.

A fenced block of language ``console`` holds them: a line after ``$ `` is a command, and ends with ``# exit N`` where it
ends with another code than 0. Each line below it is a line of its output, but for spaces; ``...`` stands for anything.
How many things ``tested N of N`` counts is not compared, as each new check counts more.
What is to happen between them stands in comments that readers do not see: ``<!-- $ COMMAND -->``, and
``<!-- by hand SWITCH: LINE | LINE -->`` for lines that a person types on a switch of the lab.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.preloaded_client import nornir

_PART = re.compile(
    r"^```console\n(?P<block>.*?)^```$|^<!-- (?:\$ (?P<hidden>.*?)|by hand (?P<by_hand>.*?)) -->$",
    re.MULTILINE | re.DOTALL,
)
_EXIT = re.compile(r"\s+# exit (\d+)$")

ByHand = Callable[[str, list[str]], None]
"""Types lines on a switch, by its name."""


@dataclass(frozen=True)
class Command:
    """One command of a page, and what the page shows of it."""

    line: int
    text: str
    code: int = 0
    shown: tuple[str, ...] = ()
    switch: str = ""
    """Where it is typed by hand, ``text`` being lines apart by |; else it is a command line."""

    def missing(self, output: str) -> list[str]:
        """Shown lines that the output does not have."""
        found = [" ".join(row.split()) for row in output.splitlines()]
        return [row for row in self.shown if not any(_pattern(row).fullmatch(each) for each in found)]


def _pattern(shown: str) -> re.Pattern[str]:
    text = ".*".join(re.escape(part) for part in " ".join(shown.split()).split("..."))
    return re.compile(re.sub(r"tested\\ (\d+)\\ of\\ \1\b", r"tested\\ (\\d+)\\ of\\ \\1", text))


def commands(page: Path) -> Iterator[Command]:
    """All commands of the page, in order."""
    text = page.read_text(encoding="utf-8")
    for part in _PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["hidden"]:
            yield Command(line, part["hidden"])
        elif part["by_hand"]:
            switch, _, lines = part["by_hand"].partition(": ")
            yield Command(line, lines, switch=switch)
        else:
            yield from _shown(list(enumerate(part["block"].splitlines(), line + 1)))


def _shown(rows: list[tuple[int, str]]) -> Iterator[Command]:
    starts = [index for index, (_, row) in enumerate(rows) if row.startswith("$ ")]
    for begin, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        line, typed = rows[begin]
        code = _EXIT.search(typed)
        shown = tuple(row for _, row in rows[begin + 1 : end] if row.strip())
        yield Command(line, _EXIT.sub("", typed[2:]), int(code[1]) if code else 0, shown)


def run_page(page: Path, where: Path, environ: Mapping[str, str], by_hand: ByHand | None = None) -> list[str]:
    """Run all commands of the page in a folder, to the first that goes otherwise; what it did otherwise."""
    for command in commands(page):
        if command.switch:
            assert by_hand, f"{page.name}:{command.line}: no lab to type on"
            by_hand(command.switch, [each.strip() for each in command.text.split("|")])
            continue
        code, output = run(command.text, where, environ)
        problems = [f"shown and not printed: {row}" for row in command.missing(output)]
        if code != command.code:
            problems.append(f"exit {code}, {command.code} shown")
        if problems:
            return [f"{page.name}:{command.line}: {command.text}", *problems, output[-3000:]]
    return []


def run(text: str, where: Path, environ: Mapping[str, str]) -> tuple[int, str]:
    """Exit code and output of one command line; ``nornir`` without the time that its imports take."""
    words = shlex.split(text)
    whole = {**os.environ, "COLUMNS": "200", **environ}
    if words[0] == "nornir":
        done = nornir(*words[1:], environ=whole, cwd=where)
    else:
        command = ["bash", "-euo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=where, env=whole, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr

"""Whatever a file holds, there is an answer soon, in words, with the documented exit code.

A case that fails names its seed: ``mutant(content, seed)`` makes that file again.
"""

import random
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nornir_tasks.design.pipeline import mistakes
from nornir_tasks.errors import GpufabricError, IntentError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.unit.files.yaml_mutants import DEVICES, INTENTS, laughs, mutant

MOST_CPU_S = 60.0
"""A hundred times what the longest takes on a slow machine: one that never ends is found, no machine is measured."""
LONGEST_FOUND = 300
LONGEST_LINE = 700
"""Lists of what would do are long: every model of a system, every key."""

FACTS = {name: each.facts for name, each in platforms().items()}

PYTHON = re.compile(
    r"\(\d+,\)|\('|\{'|\['|\[None|Node\(|\bNone\b|<class|object at 0x|Traceback|datetime|Path\(|\b[Tt]uple\b|pydantic"
    r"|Value error|Input should|Exceeds the limit|Decimal|Undefined|Error\b|: (str|dict|int)$|NoneType|lambda|UNKNOWN"
)


def problems_of(folder: Path) -> tuple[Problem, ...]:
    """What is told of the site: by the loaders, or by the design of what they took."""
    try:
        loaded = load_site(folder)
    except GpufabricError as error:
        assert isinstance(error, IntentError)
        assert error.exit_code == 3
        assert error.problems
        return error.problems
    return mistakes(loaded.intent, load_catalogue(), FACTS)


def unfit(problem: Problem) -> Iterator[str]:
    """What is wrong with a message, if anything."""
    text = str(problem)
    lines = text.split("\n")
    if len(lines) != 1 + sum(bool(each) for each in (problem.expected, problem.found, problem.hint)):
        yield "a value breaks the line"
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") for char in text.replace("\n", "")):
        yield "a character that a terminal obeys"
    if max(map(len, lines)) > LONGEST_LINE or len(problem.found) > LONGEST_FOUND:
        yield "longer than a person reads"
    if found := PYTHON.search(text):
        yield f"Python: {found[0]}"


def run(folder: Path, seeds: range) -> tuple[int, float]:
    """(messages told, longest answer in seconds of CPU) of so many broken sites."""
    reported, longest = 0, 0.0
    for seed in seeds:
        is_device_list = seed % 4 == 3
        intent = INTENTS[seed % len(INTENTS)]
        (folder / "fabric.yml").write_bytes(intent if is_device_list else mutant(intent, seed))
        (folder / "devices.yml").write_bytes(mutant(DEVICES, seed) if is_device_list else DEVICES)
        began = time.process_time()
        problems = problems_of(folder)
        spent_s = time.process_time() - began
        reported += len(problems)
        longest = max(longest, spent_s)
        assert spent_s < MOST_CPU_S, f"seed {seed}: no answer for {spent_s:.1f} s"
        for problem in problems:
            assert not list(unfit(problem)), f"seed {seed}: {list(unfit(problem))}: {str(problem)[:2000]}"
    return reported, longest


def test_500_broken_sites_are_answered_in_words_and_in_time(tmp_path: Path, figure: Callable[[str], None]) -> None:
    reported, longest = run(tmp_path, range(500))
    assert reported > 500
    figure(f"500 broken sites: {reported} messages, the longest answer took {longest:.2f} s of CPU")


@pytest.mark.long
def test_10000_broken_sites_are_answered_in_words_and_in_time(tmp_path: Path, figure: Callable[[str], None]) -> None:
    reported, longest = run(tmp_path, range(500, 10_500))
    figure(f"10,000 broken sites: {reported} messages, the longest answer took {longest:.2f} s of CPU")


@pytest.mark.parametrize("name", ["fabric.yml", "devices.yml"])
def test_aliases_of_aliases_are_refused_before_they_are_written_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "fabric.yml").write_bytes(INTENTS[0])
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10)]
    (tmp_path / name).write_text("\n".join(lines))
    began = time.process_time()
    problems = problems_of(tmp_path)
    assert time.process_time() - began < MOST_CPU_S
    assert any("more than a file may hold" in problem.what and problem.where.endswith(":6") for problem in problems)


def test_laughs_are_what_they_say() -> None:
    assert len(laughs(random.Random(1))) < 5000

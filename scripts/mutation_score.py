"""Of the mutants that unit, error and property tests catch: how many does `make test-fast` catch?

python scripts/mutation_score.py [--count 60] [--seed 1] [--minutes 0]

Each mutant is one change of one expression in the code that decides most: rules of the intent, ownership, candidates,
plans. It is tried in a clone of the last commit, with the tests closest to it first. Whether `scripts/changed_tests.py`
selects the file of the test that caught it is counted too. Ends with 1 where `make test-fast` catches less than 80 %.
"""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from changed_tests import ALL, Tree, git

ROOT = Path(__file__).parents[1]
CODE = {
    "nornir_tasks/intent/rules/*.py": ("tests/errors/test_errors.py", "tests/unit/intent"),
    "nornir_tasks/platforms/**/ownership.py": ("tests/unit/platforms",),
    "nornir_tasks/platforms/*/candidate.py": ("tests/unit/platforms",),
    "nornir_tasks/deploy/plan*.py": ("tests/unit/deploy",),
}
"""Files, and the tests closest to them, which are tried first."""
TIERS = ("tests/unit", "tests/errors/test_errors.py", "tests/property")
LEAST_PERCENT = 80
_OTHER = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


class Mutant(NamedTuple):
    """One change of a file."""

    file: str
    line: int
    before: str
    after: str
    text: str
    """The whole file with it."""


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """All changes of one file that are tried; texts of messages and docstrings are left as they are."""
    tree = ast.parse(text)
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row.encode()))
    raw = text.encode()
    for node in ast.walk(tree):
        for part, after in _changes(node, text):
            begin = starts[part.lineno - 1] + part.col_offset
            end = starts[(part.end_lineno or part.lineno) - 1] + (part.end_col_offset or 0)
            made = (raw[:begin] + after.encode() + raw[end:]).decode()
            try:
                ast.parse(made)
            except SyntaxError:
                continue
            yield Mutant(file, part.lineno, raw[begin:end].decode(), after, made)


def _changes(node: ast.AST, text: str) -> Iterator[tuple[ast.expr, str]]:
    """Expressions below a node, and what stands in their place."""

    def source(part: ast.expr) -> str:
        return ast.get_source_segment(text, part) or ""

    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OTHER:
        yield node, f"({source(node.left)} {_OTHER[type(node.ops[0])]} {source(node.comparators[0])})"
    elif isinstance(node, ast.BoolOp):
        yield node, f"({(' or ' if isinstance(node.op, ast.And) else ' and ').join(map(source, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, source(node.operand)
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield node.test, f"(not ({source(node.test)}))"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield node, str(node.value + 1)
    elif (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rule" and len(node.args) > 1
    ):
        yield node.args[1], '"nobody"'
    elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield node, f"({', '.join(map(source, node.elts[1:]))},)"


def sample(count: int, seed: int) -> list[Mutant]:
    """As many of each kind of file, drawn by the seed."""
    drawn: list[list[Mutant]] = []
    for pattern in CODE:
        files = sorted(ROOT.glob(pattern))
        every = [m for file in files for m in mutants(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))]
        drawn.append(random.Random(seed).sample(every, min(len(every), -(-count // len(CODE)))))  # noqa: S311
    return [each for group in zip(*drawn, strict=False) for each in group][:count]


def failed_test(clone: Path, tests: Sequence[str], *options: str) -> str:
    """The first test that fails; empty: none."""
    words = (sys.executable, "-m", "pytest", "-q", "-x", "-m", "not long", "-p", "no:randomly", *options, *tests)
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    done = subprocess.run(words, cwd=clone, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return found[1] if found else "" if done.returncode in (0, 5) else "it does not start"


def slow() -> list[str]:
    """The files that `make test-fast` leaves out."""
    rows = (ROOT / "tests/slow_files.tsv").read_text(encoding="utf-8").splitlines()
    return [file for _, file in (row.split("\t") for row in rows) if file.startswith(TIERS)]


class Score(NamedTuple):
    """What became of one mutant."""

    mutant: Mutant
    by: str
    """test-fast, slow tests, or missed."""
    test: str
    is_selected: bool
    """Does changed_tests.py select the file of this test?"""

    def __str__(self) -> str:
        change = f"{self.mutant.before} -> {self.mutant.after}".replace("\n", " ")[:120]
        left_out = "" if self.is_selected else ", NOT SELECTED"
        return f"{self.mutant.file}:{self.mutant.line}: {change}: {self.by} {self.test}{left_out}"


def tried(mutant: Mutant, clone: Path, tree: Tree) -> Score:
    """One mutant in the clone, which is as before afterwards."""
    file = clone / mutant.file
    before = file.read_text(encoding="utf-8")
    file.write_text(mutant.text, encoding="utf-8")
    by, test = "test-fast", failed_test(clone, _near(mutant.file), "--fast") or failed_test(clone, TIERS, "--fast")
    if not test:
        by, test = "slow tests", failed_test(clone, slow())
    file.write_text(before, encoding="utf-8")
    selected = tree.tests([mutant.file])
    is_selected = not test or selected == (ALL,) or test.split("::")[0] in selected
    return Score(mutant, by if test else "missed", test, is_selected)


def main() -> int:
    """Try mutants, print each, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="begin no other mutant after these; 0: try all")
    options = parser.parse_args()
    begun, scores = time.monotonic(), list[Score]()
    files = git("ls-files")
    python = [each for each in files if each.endswith(".py")]
    tree = Tree(files, {each: (ROOT / each).read_text(encoding="utf-8") for each in python})
    with tempfile.TemporaryDirectory() as folder:
        git("clone", "-q", "--shared", str(ROOT), folder)
        for mutant in sample(options.count, options.seed):
            if options.minutes and time.monotonic() - begun > options.minutes * 60:
                break
            scores.append(tried(mutant, Path(folder), tree))
            say(str(scores[-1]))
    fast, caught = (sum(each.by in by for each in scores) for by in (("test-fast",), ("test-fast", "slow tests")))
    percent = 100 * fast // max(1, caught)
    say(f"{len(scores)} mutants, {caught} caught, {fast} of these by test-fast ({percent} %)")
    say(f"{sum(not each.is_selected for each in scores)} by a file that changed_tests.py does not select")
    return 1 if percent < LEAST_PERCENT else 0


def say(line: str) -> None:
    """Print one line at once: a run takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _near(file: str) -> tuple[str, ...]:
    return next(
        tests for pattern, tests in CODE.items() if file in {str(each.relative_to(ROOT)) for each in ROOT.glob(pattern)}
    )


if __name__ == "__main__":
    sys.exit(main())

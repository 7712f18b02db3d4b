"""Of planted mistakes: which does `make test-fast` catch? Does `make test-changed` select the tests that catch them?

python scripts/mutation_score.py [--code 60] [--data 40] [--seed 1] [--minutes 0]
python scripts/mutation_score.py --rest fast    # then slow, other: what is open by then, all of it at once

Code is what decides most: rules of the intent, ownership, candidates, plans. Data is templates, the catalogue, roles:
as many are drawn as are needed for so many that tests catch. Each mistake is tried in a clone of the last commit, with
the nearest tests alone; what these miss stays open for --rest. Results go to tests/mutants.tsv at once; what is there
is not tried again. Ends with 1 where `make test-fast` catches less than 80 % of the code's mistakes that unit, error
and property tests catch, or less than 95 % are selected.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import md5
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple

from changed_tests import Tree, git
from planted import Mutant, mutants

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "tests/mutants.tsv"
UNIT = "tests/unit/"
CODE = {
    "nornir_tasks/intent/rules/*.py": ("tests/errors/test_errors.py", "tests/unit/intent/"),
    "nornir_tasks/platforms/**/ownership.py": ("tests/unit/platforms/",),
    "nornir_tasks/platforms/*/candidate.py": ("tests/unit/platforms/",),
    "nornir_tasks/deploy/plan*.py": ("tests/unit/deploy/",),
}
"""Files, and the tests closest to them, which are tried first."""
DATA = {
    "templates/{eos,nvue,nxos}/*.j2": ("tests/unit/files/test_templates.py", "tests/unit/platforms/"),
    "catalogue/*/*.yml": ("tests/unit/files/", "tests/unit/design/"),
    "roles/*/{tasks,defaults,handlers,templates}/*": ("tests/unit/roles/", "tests/unit/playbooks/"),
}
KINDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {"code": CODE, "data": DATA}
TIERS = ("tests/unit/", "tests/errors/test_errors.py", "tests/property/")
NEAREST = 14
"""So many files are tried with each mutant alone."""
LEAST_FAST_PERCENT = 80
LEAST_SELECTED_PERCENT = 95
TIMEOUT_S = 900
_GO_ON = "--continue-on-collection-errors"
FAST, SLOW, OTHER, OPEN, MISSED = "test-fast", "slow tests", "other tests", "open", "missed"
OF_TIER = {"fast": FAST, "slow": SLOW, "other": OTHER}


class Score(NamedTuple):
    """What became of one mutant, as a row of the table."""

    kind: str
    file: str
    line: int
    before: str
    after: str
    by: str
    """test-fast, slow tests (of unit, error and property tests), other tests (of `make test`), open, or missed."""
    test: str
    """The first test that failed."""
    selected: str
    """Does changed_tests.py select its file? yes or no."""
    why: str = ""
    """Of a mutant that is missed: what makes it none, or that nothing tests it."""


def paths(pattern: str) -> list[str]:
    """The files of a pattern with alternatives in braces."""
    braces = re.search(r"{(.+?)}", pattern)
    words = [pattern.replace(braces[0], each) for each in braces[1].split(",")] if braces else [pattern]
    found = {str(each.relative_to(ROOT)) for word in words for each in ROOT.glob(word) if each.is_file()}
    return sorted(each for each in found if each.endswith((".py", ".j2", ".yml")))


def drawn(patterns: Iterable[str], seed: int) -> Iterator[Mutant]:
    """All mutants of these files in the seed's order, one of each pattern by turns; a change of one moves no other."""

    def order(each: Mutant) -> bytes:
        return md5(f"{seed} {each.file} {each.before} {each.after}".encode(), usedforsecurity=False).digest()

    groups = []
    for pattern in patterns:
        every = [each for file in paths(pattern) for each in mutants(file, (ROOT / file).read_text(encoding="utf-8"))]
        groups.append(sorted(every, key=order))
    return (each for each in chain(*zip_longest(*groups)) if each is not None)


def failed_tests(clone: Path, tests: Sequence[str], *options: str) -> list[str]:
    """The tests that fail, in the order of their files; with ``-x`` the first one."""
    words = (sys.executable, "-m", "pytest", "-q", "-m", "not long", "-p", "no:randomly", "-p", "named_order", _GO_ON)
    environment = {**os.environ, "PYTHONPATH": f"{clone}:{ROOT / 'scripts'}"}
    with subprocess.Popen(  # noqa: S603
        (*words, *options, *tests), cwd=clone, env=environment, text=True, stdout=-1, stderr=-3, start_new_session=True
    ) as running:
        try:
            output, _ = running.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            return [f"{tests[0]}::it does not end"]
    found = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return found or ([] if running.returncode in (0, 5) else [f"{tests[0]}::it does not start"])


def slow() -> set[str]:
    """The files that `make test-fast` leaves out: it names that of errors."""
    rows = (ROOT / "tests/slow_files.tsv").read_text(encoding="utf-8").splitlines()
    return {row.split("\t")[1] for row in rows} - set(TIERS)


class Scorer:
    """A clone of the last commit, and what each of its files is tested by."""

    def __init__(self, clone: Path) -> None:
        files = git("ls-files")
        python = [each for each in files if each.endswith(".py")]
        self.clone = clone
        self.tree = Tree(files, {each: (ROOT / each).read_text(encoding="utf-8") for each in python})
        self.slow = slow()
        self.tests = [each for each in files if re.search(r"^tests/.*/test_\w+\.py$", each)]
        self.unit = [each for each in self.tests if each.startswith(TIERS)]

    def fast(self, file: str) -> list[str]:
        """The fast tests that a file's change selects: of its kind first, then of its name, then by imports."""
        hints = next(hints for pattern, hints in {**CODE, **DATA}.items() if file in paths(pattern))
        words = set(re.split(r"[/.]", file)) - {"main", "yml", "j2", "py"}

        def distance(each: str) -> tuple[bool, int]:
            return (not each.startswith(hints), -len(words & set(re.split(r"[/._]|test_", each))))

        return sorted(
            (each for each in self.tree.nearest(file) if each in self.unit and each not in self.slow), key=distance
        )

    def tried(self, kind: str, mutant: Mutant) -> Score:
        """One mutant in the clone, which is as before afterwards."""
        found = self.caught(mutant, self.fast(mutant.file)[:NEAREST])
        return scored(kind, mutant, FAST if found else OPEN, found, "yes" if found else "")

    def caught(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """The first of these tests that fails for it."""
        self.plant(mutant.file, mutant.text)
        found = failed_tests(self.clone, tests, "-x", "--fast")
        self.plant(mutant.file)
        return found[0] if found else ""

    def caught_together(self, planted: Sequence[Mutant], tests: Sequence[str]) -> dict[Mutant, str]:
        """Mutant -> a test that fails for it alone: all are planted at once, then each is tried with what fails."""
        for file in {each.file for each in planted}:
            self.plant(file, together((each for each in planted if each.file == file), self.text(file)))
        failed = dict.fromkeys(each.partition("::")[0] for each in failed_tests(self.clone, tests, "--fast"))
        for each in planted:
            self.plant(each.file)
        say(f"{len(planted)} at once: {len(failed)} of {len(tests)} files fail: {' '.join(failed)}")
        found = dict[Mutant, str]()
        for each in planted if failed else ():
            if test := self.caught(each, [one for one in self.tree.nearest(each.file) if one in failed]):
                found[each] = test
            say(f"{each.file}:{each.line}: {test}")
        return found

    def rest(self, tier: str) -> list[str]:
        """Test files of a tier that are left when the nearest ones have missed a mutant."""
        if tier == "other":
            return [each for each in self.tests if each.startswith("tests/lab/")]
        return [each for each in self.unit if (each in self.slow) == (tier == "slow")]

    def plant(self, file: str, text: str = "") -> None:
        """Write a file of the clone; no text: as it was."""
        (self.clone / file).write_text(text or self.text(file), encoding="utf-8")

    def text(self, file: str) -> str:
        """As it is without a mutant."""
        return (ROOT / file).read_text(encoding="utf-8")


def together(planted: Iterable[Mutant], text: str) -> str:
    """A file with several mutants; of those that change the same lines the first alone."""
    rows, free = text.splitlines(), len(text)
    edits = {edit(each, rows): None for each in planted}
    for first, end, new in sorted(edits, reverse=True):
        if end <= free:
            rows[first:end], free = new, first
    return "".join(f"{row}\n" for row in rows)


def edit(mutant: Mutant, rows: Sequence[str]) -> tuple[int, int, tuple[str, ...]]:
    """Which rows of its file a mutant changes, and what into."""
    made = mutant.text.splitlines()
    least = min(len(rows), len(made))
    first = next((n for n in range(least) if rows[n] != made[n]), least)
    last = next((n for n in range(least - first) if rows[-1 - n] != made[-1 - n]), least - first)
    return first, len(rows) - last, tuple(made[first : len(made) - last])


def scored(kind: str, mutant: Mutant, by: str, test: str, selected: str) -> Score:
    """A row; texts of several lines in one."""
    before, after = (re.sub(r"\s+", " ", each)[:160] for each in (mutant.before, mutant.after))
    return Score(kind, mutant.file, mutant.line, before, after, by, test, selected)


def results() -> list[Score]:
    """What was scored so far."""
    rows = RESULTS.read_text(encoding="utf-8").splitlines()[1:] if RESULTS.exists() else []
    fields = [row.split("\t") for row in rows]
    return [Score(each[0], each[1], int(each[2]), *each[3:]) for each in fields]


def keep(scores: Iterable[Score]) -> None:
    """Write the table."""
    rows = ["\t".join(Score._fields), *("\t".join(map(str, each)) for each in scores)]
    RESULTS.write_text("".join(f"{each}\n" for each in rows), encoding="utf-8")


def main() -> int:
    """Try mutants, print each, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--code", type=int, default=60)
    parser.add_argument("--data", type=int, default=40, help="so many that are caught")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="begin no other mutant after these; 0: try all")
    parser.add_argument("--rest", choices=OF_TIER, help="run these tests with all that is open")
    options = parser.parse_args()
    begun, scores = time.monotonic(), results()
    with tempfile.TemporaryDirectory() as folder:
        git("clone", "-q", "--shared", str(ROOT), folder)
        scorer = Scorer(Path(folder))
        if options.rest:
            keep(rest(scorer, scores, options.rest, options.seed))
            return summary(results())
        for kind, count in (("code", options.code), ("data", options.data)):
            for mutant in drawn(KINDS[kind], options.seed):
                of_kind = [each for each in scores if each.kind == kind]
                if sum(kind == "code" or each.by not in (OPEN, MISSED) for each in of_kind) >= count:
                    break
                if options.minutes and time.monotonic() - begun > options.minutes * 60:
                    break
                new = scored(kind, mutant, "", "", "")
                if any(each[:5] == new[:5] for each in scores):
                    continue
                scores.append(scorer.tried(kind, mutant))
                keep(scores)
                say(f"{time.monotonic() - begun:.0f} s: {scores[-1]}")
    return summary(scores)


def rest(scorer: Scorer, scores: list[Score], tier: str, seed: int) -> list[Score]:
    """The table with what this tier's tests catch of what is open."""
    left = {each[:5]: each for each in scores if each.by in (OPEN, MISSED)}
    known = [(kind, each) for kind in KINDS for each in drawn(KINDS[kind], seed)]
    waiting = [(left[key], each) for kind, each in known if (key := scored(kind, each, "", "", "")[:5]) in left]
    found = scorer.caught_together([each for _, each in waiting], scorer.rest(tier))
    for row, each in waiting:
        test = found.get(each, "")
        selected = test.partition("::")[0] in scorer.tree.nearest(each.file)
        by, chosen = (OF_TIER[tier], "yes" if selected else "no") if test else (MISSED, "")
        scores = [one._replace(by=by, test=test, selected=chosen) if one == row else one for one in scores]
    return scores


def summary(scores: Sequence[Score]) -> int:
    """Print the figures."""
    code = [each for each in scores if each.kind == "code"]
    fast, caught = (sum(each.by in by for each in code) for by in ((FAST,), (FAST, SLOW)))
    percent = 100 * fast // max(1, caught)
    say(f"{len(code)} mutants of code, {caught} caught, {fast} of these by test-fast ({percent} %)")
    every = [each for each in scores if each.by in (FAST, SLOW, OTHER)]
    selected = 100 * sum(each.selected == "yes" for each in every) // max(1, len(every))
    say(f"of {len(every)} that are caught test-changed selects the test of {selected} %")
    return 1 if percent < LEAST_FAST_PERCENT or selected < LEAST_SELECTED_PERCENT else 0


def say(line: str) -> None:
    """Print one line at once: a run takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

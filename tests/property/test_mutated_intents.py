"""An intent is designed or refused with a place, in a moment, whatever stands in it: no mistake ends in a traceback."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pytest

from nornir_tasks.errors import DesignError, GpufabricError, IntentError, Problem
from nornir_tasks.usecases.site import load, select
from tests.mutated_intents import mutated_intent

IN_EACH_RUN = range(500)
IN_LONG_RUNS = range(10_000, 20_000)
MOST_S = 60
"""Of processor time, a hundred times what the longest takes: one that never ends is found, no machine is measured."""

_PLACE = re.compile(r"(^|/)fabric\.yml:\d+$")


def outcome(site: Path) -> tuple[str, list[str]]:
    """What becomes of a site: a word, and what is wrong with that."""
    try:
        designed = load(site)
        select(designed)
        for _ in designed.realised():
            pass
    except (IntentError, DesignError) as refusal:
        return "refused", [text for each in refusal.problems for text in amiss(each)]
    except GpufabricError as fault:
        return "failed", [str(fault)]
    return "designed", []


def amiss(problem: Problem) -> Iterator[str]:
    """What a refusal lacks."""
    if not _PLACE.search(problem.where):
        yield f"without a place: {problem}"
    if not (problem.expected or problem.found or problem.hint):
        yield f"without what is expected or found: {problem}"


def judged(numbers: range, site: Path) -> tuple[Counter[str], list[str], float]:
    """How often each outcome came, all that is wrong, and the longest time that one took, in seconds."""
    counts, wrong, longest_s = Counter[str](), list[str](), 0.0
    for number in numbers:
        (site / "fabric.yml").write_text(mutated_intent(number), encoding="utf-8")
        began_s = process_time()
        word, found = outcome(site)
        took_s = process_time() - began_s
        found += [f"took {took_s:.1f} s"] if took_s > MOST_S else []
        counts[word] += 1
        wrong += [f"mutated_intent({number}): {each}" for each in found]
        longest_s = max(longest_s, took_s)
    return counts, wrong, longest_s


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(IN_EACH_RUN, id=f"{len(IN_EACH_RUN)}"),
        pytest.param(IN_LONG_RUNS, id=f"{len(IN_LONG_RUNS)}", marks=pytest.mark.long),
    ],
)
def test_every_mutated_intent_is_designed_or_refused_with_a_place_in_a_moment(
    numbers: range, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    began_s = process_time()
    counts, wrong, longest_s = judged(numbers, tmp_path)
    words = ", ".join(f"{count:,} {word}" for word, count in sorted(counts.items()))
    took = f"the longest took {longest_s:.1f} s, all {process_time() - began_s:.0f} s"
    figure(f"{len(numbers):,} mutated intents: {words}; {took}")
    assert not wrong, "\n".join(wrong[:20])
    assert counts["designed"] > len(numbers) / 20  # else the mutants are too wild to reach the design

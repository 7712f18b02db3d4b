"""Pages are in plain English: short sentences, and words that name their subject."""

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT, pages, sentences, without_code

MEDIAN_BELOW, NINE_IN_TEN = 18, 35
"""Words of a sentence."""
HIDDEN = re.compile(r"(?<!-)\b(nobody|somebody|anybody|shall|anew|whoever)\b(?!-)", re.IGNORECASE)
"""Words behind which a subject hides; name it: the operator, the push, another team. Parts of names are none."""
MADE = "Made by "
LATER = {
    "docs/benchmarks.md": "its text stands in tests/bench",
}
"""Pages whose words are judged later, with the reason; pages that are made take their words from code."""


def judged() -> Iterator[Path]:
    """Pages at the root and below docs/ that people write."""
    for page in pages():
        name = str(page.relative_to(ROOT))
        if (name.startswith("docs/") or "/" not in name) and name not in LATER and not made(page):
            yield page


def made(page: Path) -> bool:
    """Whether a script writes the page, which it says in its first paragraph."""
    return MADE in page.read_text(encoding="utf-8")[:500] and "--write" in page.read_text(encoding="utf-8")[:500]


def wrong(text: str) -> list[str]:
    """What of a text is not plain."""
    lengths = sorted(len(each.split()) for each in sentences(text))
    found = [f"{word!r}: name the subject" for word in HIDDEN.findall(without_code(text))]
    if lengths and statistics.median(lengths) >= MEDIAN_BELOW:
        found.append(f"the median sentence has {statistics.median(lengths)} words, under {MEDIAN_BELOW} are allowed")
    if lengths and (length := lengths[int(len(lengths) * 0.9)]) > NINE_IN_TEN:
        found.append(f"one sentence in ten has {length} words or more, nine in ten may have {NINE_IN_TEN}")
    return found


@pytest.mark.parametrize("page", list(judged()), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_hard_to_read(page: Path) -> None:
    assert not wrong(page.read_text(encoding="utf-8"))


def test_all_pages_together_are_hard_to_read() -> None:
    lengths = sorted(
        len(each.split())
        for page in pages()
        if (page.parent == ROOT or page.is_relative_to(ROOT / "docs"))
        for each in sentences(page.read_text(encoding="utf-8"))
    )
    assert statistics.median(lengths) < MEDIAN_BELOW
    assert lengths[int(len(lengths) * 0.9)] <= NINE_IN_TEN


def test_a_page_of_the_root_that_grows_is_too_large() -> None:
    sizes = {name: (ROOT / name).stat().st_size for name in ("ARCHITECTURE.md", "CHANGELOG.md")}
    assert sizes["ARCHITECTURE.md"] <= 25_000
    assert sizes["CHANGELOG.md"] <= 14_000


def test_an_exception_is_a_page_that_is_there_and_needs_it() -> None:
    plain = [name for name in LATER if not wrong((ROOT / name).read_text(encoding="utf-8"))]
    assert not plain, f"{plain} can leave LATER"


def test_long_sentences_and_hidden_subjects_are_named() -> None:
    long, short = " ".join(["word"] * 40) + ".", "The push names the switch."
    assert len(wrong(f"Nobody reads {long}")) == 3
    assert wrong(f"{short} {short}\n\n- {short}\n\n```\nwhoever shall {long}\n```\n\n    anew {long}\n") == []
    assert [len(each.split()) for each in sentences("| a cell of words | `x y z` is one word |")] == [4, 4]

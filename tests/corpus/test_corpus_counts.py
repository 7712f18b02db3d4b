"""The corpora are large enough, and each line says where it is from. The counts are printed at the end of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_reader import CORPUS, CorpusLine, read_corpus

SECTIONS = ("interfaces", "lldp", "qos", "bgp", "routing_policy", "static_routes", "bfd", "hashing", "services")
SYSTEMS = sorted(path.parent.name for path in CORPUS.glob("*/reject.txt"))


def distinct(path: Path) -> list[CorpusLine]:
    """The lines of a corpus without those that say the same for the same mode, hardware and release."""
    return list({(line.mode, line.text, line.asic, line.release): line for line in read_corpus(path)}.values())


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_rendered_section_has_at_least_five_accepted_lines(system: str, figure: Callable[[str], None]) -> None:
    counts = Counter(line.section for line in distinct(CORPUS / system / "accept.txt"))
    figure(f"{system} accept: {sum(counts.values())} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert {name: counts[name] for name in SECTIONS if counts[name] < 5} == {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_refused_line_says_why_and_the_main_reasons_are_there(system: str, figure: Callable[[str], None]) -> None:
    lines = distinct(CORPUS / system / "reject.txt")
    counts = Counter(line.error for line in lines)
    figure(f"{system} reject: {len(lines)} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert [line.where for line in lines if not line.error] == []
    assert {"wrong-mode", "unknown-keyword", "out-of-range", "unknown-reference"} <= set(counts)

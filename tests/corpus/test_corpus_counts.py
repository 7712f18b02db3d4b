"""The corpora are large enough, and each line says where it is from. The counts are printed (pytest -s, or -rP)."""

from __future__ import annotations

from collections import Counter

import pytest
from corpus_reader import CORPUS, read_corpus

SECTIONS = ("interfaces", "lldp", "qos", "bgp", "routing_policy", "static_routes", "bfd", "hashing", "services")
REJECTIONS = {"wrong-mode", "unknown-keyword", "out-of-range", "unknown-reference", "wrong-asic", "incomplete"}
SYSTEMS = sorted(path.parent.name for path in CORPUS.glob("*/reject.txt"))


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_rendered_section_has_at_least_five_accepted_lines(system: str) -> None:
    counts = Counter(line.section for line in read_corpus(CORPUS / system / "accept.txt"))
    print(f"\n{system} accept: {sum(counts.values())} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert {name: counts[name] for name in SECTIONS if counts[name] < 5} == {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_rejects_have_known_reasons(system: str) -> None:
    counts = Counter(line.error for line in read_corpus(CORPUS / system / "reject.txt"))
    print(f"\n{system} reject: {sum(counts.values())} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert set(counts) <= REJECTIONS
    assert {"wrong-mode", "unknown-keyword", "out-of-range", "unknown-reference"} <= set(counts)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", ["accept.txt", "reject.txt"])
def test_no_line_stands_twice_in_one_corpus(system: str, name: str) -> None:
    seen = Counter((line.mode, line.text, line.asic, line.release) for line in read_corpus(CORPUS / system / name))
    assert [key for key, times in seen.items() if times > 1] == []

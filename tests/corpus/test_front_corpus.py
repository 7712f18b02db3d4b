"""The front fabric's corpora say where each line is from, and no section of theirs is thin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from corpus_reader import CORPUS, CorpusLine, read_corpus
from test_corpus_counts import distinct

SYSTEMS = ("eos", "nxos", "nvue")
SECTIONS = {
    "lag",
    "pairs",
    "ports",
    "gateways",
    "dhcp_relay",
    "ipv6",
    "acls",
    "storm_control",
    "spanning_tree",
    "static_routes",
    "mtu",
    "hashing",
    "vrf",
}
DEPENDS_ON_OTHERS = {"conflict", "feature-off"}
"""Errors of lines that a switch takes once the rest of its configuration is another."""


def identity(line: CorpusLine) -> tuple[tuple[str, ...], str, str, str]:
    """What makes a line another line: its mode, its words, and the hardware and release it is for."""
    return line.mode, line.text, line.asic, line.release


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_section_of_a_front_fabric_has_accepted_lines(system: str, figure: Callable[[str], None]) -> None:
    counts = Counter(line.section for line in distinct(CORPUS / system / "front_accept.txt"))
    figure(f"{system} front: {sum(counts.values())} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert set(counts) <= SECTIONS
    moved = Counter(line.section for line in distinct(CORPUS / system / "accept.txt"))
    assert {name: counts[name] for name in SECTIONS if counts[name] + moved[name] < 5} == {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_refused_line_of_a_front_fabric_says_why(system: str, figure: Callable[[str], None]) -> None:
    lines = distinct(CORPUS / system / "front_reject.txt")
    counts = Counter(line.error for line in lines)
    figure(f"{system} front reject: {len(lines)} lines: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    assert {line.section for line in lines} <= SECTIONS
    assert [line.where for line in lines if not line.error] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_front_line_stands_in_one_corpus_only(system: str) -> None:
    """A line that our parser and templates know moves to accept.txt; it is not copied there."""
    known = {identity(line) for line in read_corpus(CORPUS / system / "accept.txt")}
    front = read_corpus(CORPUS / system / "front_accept.txt")
    assert [line.where for line in front if identity(line) in known] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_line_of_a_front_fabric_is_both_accepted_and_refused(system: str) -> None:
    accepted = {identity(line) for line in read_corpus(CORPUS / system / "front_accept.txt")}
    refused = [
        line for line in read_corpus(CORPUS / system / "front_reject.txt") if line.error not in DEPENDS_ON_OTHERS
    ]
    assert [line.where for line in refused if identity(line) in accepted] == []

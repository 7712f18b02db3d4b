"""The EOS twin's grammar against lines we did not invent: every accepted line in, every refused line out."""

from __future__ import annotations

import re

import pytest
from corpus_reader import CORPUS, CorpusLine, read_corpus

from switch_twins.engine import EOS, ConfigSession, Context, LineError, Tree
from switch_twins.eos.grammar import eos_grammar

ACCEPTED = read_corpus(CORPUS / "eos" / "accept.txt")
REFUSED = read_corpus(CORPUS / "eos" / "reject.txt")


def enter_mode(line: CorpusLine) -> ConfigSession:
    context = Context(release=line.release or "4.33.1F", asic=line.asic or "tomahawk4")
    session = ConfigSession(Tree(eos_grammar(), EOS), context)
    for mode in line.mode:
        session.feed(mode)
    return session


@pytest.mark.parametrize("line", ACCEPTED, ids=lambda line: line.where)
def test_a_line_that_eos_accepts_is_accepted_in_its_mode(line: CorpusLine) -> None:
    session = enter_mode(line)
    depth = len(session.path)
    for vrf in re.findall(r"\bvrf (\S+)", line.text):
        vrfs = ConfigSession(session.tree, session.context)
        vrfs.feed(f"vrf instance {vrf}")
    for part in line.text.replace("\\n", "\n").split("\n"):
        session.feed(part)
    assert len(session.path) >= depth, "the line was taken by a mode further out"


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line.where)
def test_a_line_that_eos_refuses_is_refused_with_eos_words(line: CorpusLine) -> None:
    session = enter_mode(line)
    before = session.tree.text(all_lines=True)
    with pytest.raises(LineError) as refusal:
        session.feed(line.text)
    words = EOS.error_text(refusal.value)
    start = {"incomplete": "Incomplete command", "wrong-asic": "Unavailable command", "unknown-reference": "VRF"}
    assert words.startswith(start.get(line.error, ("Invalid input (at token", "Incomplete command")))
    assert session.tree.text(all_lines=True) == before


def test_every_rule_names_its_source_and_none_is_known_from_memory_alone() -> None:
    assert [rule.where for rule in eos_grammar().rules() if not rule.source or rule.confidence == "M"] == []

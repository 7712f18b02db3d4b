"""NVUE lines of pairs, bonds, VLANs and gateways that nothing renders yet, judged against NVIDIA's published schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from switch_twins.nvue.nvset import CommandError, to_patch
from switch_twins.nvue.schema import schema_for
from tests.lab.nvue_client import Entry, corpus
from tests.nvue_schema import ROOTS, mistakes

RELEASES = tuple(ROOTS)
ACCEPT, REJECT = tuple(corpus("front_accept.txt")), tuple(corpus("front_reject.txt"))
BY_THE_SCHEMA = {"unknown-keyword", "out-of-range", "wrong-type"}
BY_THE_SWITCH = {"wrong-release", "wrong-mode", "unknown-reference"}
NAMES_THE_TWIN_REFUSES = {"nv set interface uplink link mtu 1500"}
"""Printed by the vendor; the twin knows the names in the schema's pattern of a base interface only."""


def body_of(entry: Entry, release: str) -> Any:
    """What a PATCH at the root carries. Raises CommandError at a word this release does not know."""
    return to_patch(schema_for(release), entry.text) if entry.form == "nv-set" else json.loads(entry.text)


def refusals(entry: Entry, release: str) -> set[str]:
    """The kinds of mistakes the release's schema finds in an entry."""
    try:
        return {mistake.kind for mistake in schema_for(release).mistakes(body_of(entry, release))}
    except CommandError:
        return {"unknown-keyword"}


def named(entries: tuple[Entry, ...], release: str, at: str = "patch") -> list[Entry]:
    return [entry for entry in entries if release in entry.releases and entry.at == at]


@pytest.mark.parametrize("release", RELEASES)
def test_an_accepted_entry_fits_the_schema_of_each_release_it_names(release: str) -> None:
    entries = named(ACCEPT, release)
    wrong = {entry.number: mistakes(body_of(entry, release), ROOTS[release]) for entry in entries}
    assert {number: found for number, found in wrong.items() if found} == {}
    assert {entry.text for entry in entries if refusals(entry, release)} == NAMES_THE_TWIN_REFUSES & {
        entry.text for entry in entries
    }


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_that_is_not_named_does_not_know_the_entry(release: str) -> None:
    others = [entry for entry in ACCEPT if release not in entry.releases]
    assert [(entry.number, entry.text) for entry in others if not refusals(entry, release)] == []


@pytest.mark.parametrize("release", RELEASES)
def test_an_entry_refused_when_it_is_patched_is_refused_by_the_schema(release: str) -> None:
    found = {entry: refusals(entry, release) for entry in named(REJECT, release)}
    assert [entry.number for entry, kinds in found.items() if not kinds] == []
    assert [e.number for e, kinds in found.items() if e.error not in kinds and e.error != "wrong-release"] == []


@pytest.mark.parametrize("release", RELEASES)
def test_an_entry_refused_when_it_is_applied_passes_the_schema(release: str) -> None:
    schema, entries = schema_for(release), named(REJECT, release, at="apply")
    assert [entry.number for entry in entries if refusals(entry, release)] == []
    before = {line for entry in entries for line in entry.before}
    assert [line for line in before if list(schema.mistakes(to_patch(schema, line)))] == []


def test_every_entry_says_where_it_is_from_and_stands_once(figure: Callable[[str], None]) -> None:
    everything = (*ACCEPT, *REJECT)
    assert [e.number for e in everything if len(e.source) < 20 or not ("[V" in e.source or "[M" in e.source)] == []
    assert set().union(*(e.releases for e in everything)) <= set(RELEASES)
    assert {e.emitted for e in ACCEPT} == {"no", "likely"}
    assert {e.error for e in REJECT} <= BY_THE_SCHEMA | BY_THE_SWITCH
    elsewhere = {e.text for e in corpus("accept.txt")}
    assert [e.number for e in ACCEPT if e.text in elsewhere] == []
    assert [key for key, count in Counter((e.text, e.releases) for e in ACCEPT).items() if count > 1] == []
    accepted, refused = Counter(e.section for e in ACCEPT), Counter(e.section for e in REJECT)
    rows = (f"{name} {accepted[name]}/{refused[name]}" for name in sorted(accepted))
    figure(f"nvue front: {len(ACCEPT)} accepted, {len(REJECT)} refused: " + ", ".join(rows))

"""The record of a push: person, reason, ticket, version, times and lines, and that a site can require a reason."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from nornir_tasks import __version__

EOS = "leaf-g1-r0"


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab of a site that requires a reason, pushed to once."""
    with lab_of_its_own(tmp_path_factory.mktemp("history"), small_site) as made:
        intent = made.site / "fabric.yml"
        intent.write_text(intent.read_text().replace("policy:\n", "policy:\n  changes: {message: required}\n", 1))
        before = made.running()
        refused = made.run("push", "--yes", code=7)
        assert "push --message: this site wants a message with each change" in refused
        assert made.running() == before
        assert made.json("history")["records"] == []
        made.run("push", "--yes", "--message", "first rails", "--ticket", "CHG-1")
        yield made


def journal(operator: Operator) -> Path:
    (path,) = operator.state.glob("*/lab-records/journal.sqlite")
    return path


def test_a_push_and_its_rollback_are_recorded_with_person_reason_version_times_and_lines(operator: Operator) -> None:
    operator.hands()[EOS].configure("interface Ethernet1/1", "description by hand")
    number = operator.json("push", "--yes", "--message", "[red]:100: labels", "--limit", EOS)["number"]
    refused = operator.run("rollback", "--push", str(number), "--yes", code=7)
    assert "hint: add --message TEXT" in refused
    back = operator.json("rollback", "--push", str(number), "--yes", "-m", "wrong labels", "--ticket", "CHG-2")[
        "number"
    ]

    last, pushed, *_, first = operator.json("history")["records"]
    assert (last["number"], last["undoes"], last["message"], last["ticket"]) == (back, number, "wrong labels", "CHG-2")
    assert (pushed["message"], pushed["ticket"], pushed["state"]) == ("[red]:100: labels", None, "rolled back")
    assert (first["ticket"], first["tool_version"], first["changed"]) == ("CHG-1", __version__, 4)
    assert all(first[key] for key in ("person", "known_by", "host"))
    assert first["seconds"] >= 0
    assert sorted(first["switch_seconds"]) == sorted(first["planned"])

    (one,) = operator.json("history", str(number), "--diff")["records"]
    assert (one["added"], one["removed"]) == ({EOS: 1}, {EOS: 1})
    assert len(one["diff"][EOS]) == 2
    assert "- interface Ethernet1/1 / description by hand" in one["diff"][EOS]
    text = operator.run("history", str(number), "--diff")
    assert "reason: [red]:100: labels" in text
    assert "- interface Ethernet1/1 / description by hand" in text
    assert f"{EOS}: undone, 1 lines added, 1 removed" in text
    table = operator.run("history")
    assert "CHG-2 wrong labels" in table
    assert "no push or rollback of this number" in operator.run("history", "99", code=7)
    assert "NUMBER --diff" in operator.run("history", "--diff", code=2)
    operator.run("push", "--yes", "-m", "labels again")


def test_what_an_earlier_version_noted_is_listed_without_what_it_did_not(operator: Operator) -> None:
    path = journal(operator)
    kept = path.read_bytes()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM stated")
        db.execute("DELETE FROM begun")
    try:
        records = operator.json("history")["records"]
        assert records
        assert all((each["person"], each["message"], each["switch_seconds"]) == (None, None, {}) for each in records)
        assert "person: not noted" in operator.run("history", "1")
    finally:
        path.write_bytes(kept)


def test_a_switch_that_was_pushed_to_shows_whose_push_that_was(operator: Operator) -> None:
    hand = operator.hands()[EOS]
    hand.configure("interface Ethernet1/1", "description by hand")
    number = operator.json("push", "--yes", "-m", "labels", "--limit", EOS)["number"]
    person = operator.json("history", str(number))["records"][0]["person"]
    shown = str(hand.eapi("show configuration sessions")[0]["output"])
    assert re.search(rf"gpufabric-lab-[0-9a-f]{{8}}-{number}-{re.sub(r'[^A-Za-z0-9]', '_', person)}\s+completed", shown)

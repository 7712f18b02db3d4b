"""The journal remembers what a switch held, even when the push died."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import Journal
from nornir_tasks.errors import LocalError

SWITCH = frozenset({"switch"})
LEAVES = ("leaf-1", "leaf-2", "leaf-3")


def test_a_push_that_died_half_way_can_be_seen_and_undone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = journal.begin("push", frozenset({"switch", "compute"}), LEAVES)
    journal.start(push, "leaf-1", Done("before 1", "after 1"))
    journal.end(push, "leaf-1", "done")
    journal.start(push, "leaf-2", Done("before 2", "after 2"))  # and then the tool was killed
    again = Journal(tmp_path / "journal.sqlite")
    assert again.last_push() == push
    assert again.owners(push) == {"switch", "compute"}
    assert [(e.device, e.state, again.before(e), again.after(e)) for e in again.entries(push)] == [
        ("leaf-1", "done", "before 1", "after 1"),
    ]
    (listed,) = again.history()
    assert (listed.states, listed.planned) == ({"leaf-1": "done", "leaf-2": "started"}, set(LEAVES))
    assert not listed.is_ended


def begun(journal: Journal, *devices: str, verb: str = "push", undoes: int | None = None) -> int:
    """A push, or a rollback, that is about to change these switches."""
    push = journal.begin(verb, SWITCH, devices, undoes)
    for device in devices:
        journal.start(push, device, Done(f"before {push}", f"after {push}"))
    return push


def pushed(journal: Journal, *devices: str) -> int:
    push = begun(journal, *devices)
    for device in devices:
        journal.end(push, device, "done")
    journal.finish(push)
    return push


def states(journal: Journal, push: int) -> dict[str, str]:
    (listed,) = (each for each in journal.history() if each.noted.number == push)
    return dict(listed.states)


def test_a_rollback_and_an_empty_push_are_not_what_a_rollback_undoes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first = pushed(journal, "leaf-1")
    pushed(journal)  # changed nothing
    undo = begun(journal, "leaf-1", verb="rollback", undoes=99)
    journal.end(undo, "leaf-1", "done")
    assert journal.last_push() == first


def test_a_push_that_failed_is_not_what_a_rollback_undoes_and_stays_failed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first, second = pushed(journal, "leaf-1"), begun(journal, "leaf-1", "leaf-2")
    for device in ("leaf-1", "leaf-2"):
        journal.end(second, device, "failed")
    assert journal.last_push() == first
    assert [each.number for each in journal.pushes()] == [first]
    assert (journal.entries(second), journal.is_without_effect(second)) == ((), True)
    journal.undone(second, LEAVES)
    assert states(journal, second) == {"leaf-1": "failed", "leaf-2": "failed"}


def test_a_switch_that_nothing_was_committed_to_is_not_what_a_rollback_undoes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = begun(journal, "leaf-1")
    assert (journal.last_push(), journal.entries(push), journal.is_without_effect(push)) == (None, (), True)
    journal.committed(push, "leaf-1", 120)
    assert (journal.last_push(), journal.is_without_effect(push)) == (push, False)


def test_each_switch_that_a_rollback_brought_back_is_undone_at_once_and_the_others_stay(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = pushed(journal, *LEAVES)
    undo = begun(journal, *LEAVES, verb="rollback", undoes=push)
    journal.end(undo, "leaf-1", "done")
    journal.end(undo, "leaf-2", "failed")  # and then the tool was killed
    assert states(journal, push) == {"leaf-1": "undone", "leaf-2": "done", "leaf-3": "done"}
    assert [each.device for each in journal.entries(push)] == ["leaf-2", "leaf-3"]
    journal.end(undo, "leaf-3", "done", if_open=True)  # what the next push found out
    assert states(journal, push)["leaf-3"] == "undone"


def test_what_a_push_found_as_wanted_on_its_way_is_not_missing_from_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = journal.begin("push", SWITCH, LEAVES)
    journal.start(push, "leaf-1", Done("before", "after"))
    journal.end(push, "leaf-1", "done")
    journal.finish(push, needless={"leaf-2", "leaf-3"})
    (listed,) = journal.history()
    assert (listed.planned, listed.is_ended) == ({"leaf-1"}, True)


@pytest.mark.parametrize("spoil", ["folder", "damaged"])
def test_a_journal_that_cannot_be_read_is_a_fault_of_this_machine(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "journal.sqlite"
    path.mkdir() if spoil == "folder" else path.write_bytes(b"no database" * 1000)
    with pytest.raises(LocalError, match=r"journal\.sqlite: the journal cannot be read or written") as caught:
        Journal(path)
    assert caught.value.exit_code == 11


def test_nobody_but_its_owner_may_read_the_journal(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.sqlite")
    assert (tmp_path / "journal.sqlite").stat().st_mode & 0o077 == 0


def test_rolling_back_twice_goes_back_two_pushes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first, second = pushed(journal, "leaf-1"), pushed(journal, "leaf-1")
    assert journal.last_push() == second
    journal.undone(second, ["leaf-1"])
    assert journal.last_push() == first
    assert journal.entries(second) == ()


def test_a_commit_nobody_knows_the_end_of_is_open_until_somebody_says(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = begun(journal, *LEAVES)
    journal.committed(push, "leaf-1", 120)
    journal.end(push, "leaf-2", "failed")
    assert {name: entry.state for name, entry in journal.open_entries().items()} == {
        "leaf-1": "committed",
        "leaf-3": "started",
    }
    journal.end(push, "leaf-1", "done")
    assert journal.open_entries().keys() == {"leaf-3"}


def test_a_timer_runs_on_though_this_machines_date_is_changed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = begun(journal, "leaf-1")
    entry = journal.open_entries()["leaf-1"]
    assert journal.timer_left_s(entry) is None
    journal.committed(push, "leaf-1", 120)
    stepped = Journal(tmp_path / "journal.sqlite", clock=lambda: datetime(2001, 1, 1, tzinfo=UTC))
    left_s = stepped.timer_left_s(entry)
    assert left_s is not None
    assert 100 < left_s <= 120


def test_candidates_of_two_journals_of_one_site_are_told_apart_by_their_names(tmp_path: Path) -> None:
    here, there = Journal(tmp_path / "a.sqlite"), Journal(tmp_path / "b.sqlite")
    assert here.name("lab", 1) != there.name("lab", 1)
    assert here.name("lab", 1) == Journal(tmp_path / "a.sqlite").name("lab", 1)
    assert here.name("my site/ü", 7).startswith("gpufabric-my_site__-")
    assert here.name("lab", 7, "anna@dc1") == f"{here.name('lab', 7)}-anna_dc1"
    assert here.name("lab", 1, "7") != here.name("lab", 17)


def test_a_candidate_is_remembered_until_it_was_dropped(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.staged(1, "leaf-1", "newer than 41")
    journal.staged(1, "leaf-1", "42")
    journal.staged(2, "leaf-1", "43")
    journal.staged(2, "leaf-2", "17")
    journal.dropped("leaf-1", frozenset(), push=1)
    assert journal.candidates() == {"leaf-1": {"43"}, "leaf-2": {"17"}}
    journal.dropped("leaf-2", frozenset({"17"}))
    assert journal.candidates() == {"leaf-1": {"43"}}


def test_a_journal_of_an_earlier_version_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE push (id INTEGER PRIMARY KEY, started TEXT, verb TEXT, owners TEXT)")
        db.execute("CREATE TABLE device (push, device, state, before, after, at, PRIMARY KEY (push, device))")
        db.execute("INSERT INTO push VALUES (1, '2026-01-01', 'push', '[]')")
        db.execute("INSERT INTO device VALUES (1, 'leaf-1', 'started', 'b', 'a', '2026-01-01')")
    journal = Journal(path)
    (entry,) = journal.open_entries().values()
    assert (journal.before(entry), journal.timer_left_s(entry)) == ("b", None)
    (listed,) = journal.history()
    assert (listed.planned, listed.is_ended) == ({"leaf-1"}, True), "counted by what is noted"


def test_who_may_only_read_a_journal_can_list_it_and_not_write_it() -> None:
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        journal = Journal(folder / "journal.sqlite")
        number = pushed(journal, "leaf-1")
        folder.chmod(0o555)
        (folder / "journal.sqlite").chmod(0o444)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            again = Journal(folder / "journal.sqlite")
            assert [each.noted.number for each in again.history()] == [number]
            if is_root:  # its owner may give itself the right back
                with pytest.raises(LocalError, match="cannot be read or written"):
                    again.begin("push", SWITCH, LEAVES)
        finally:
            if is_root:
                os.seteuid(0)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)

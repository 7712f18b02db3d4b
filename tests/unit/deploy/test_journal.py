"""The journal remembers what a switch held, even when the push died."""

from pathlib import Path

from nornir_tasks.deploy.journal import Journal


def test_a_push_that_died_half_way_can_be_seen_and_undone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push = journal.begin("push", frozenset({"switch", "compute"}))
    journal.start(push, "leaf-1", "before 1", "after 1")
    journal.end(push, "leaf-1", "done")
    journal.start(push, "leaf-2", "before 2", "after 2")  # and then the tool was killed
    again = Journal(tmp_path / "journal.sqlite")
    assert again.last_push() == push
    assert again.owners(push) == {"switch", "compute"}
    assert [(e.device, e.state, e.before) for e in again.entries(push)] == [
        ("leaf-1", "done", "before 1"),
        ("leaf-2", "started", "before 2"),
    ]


def test_a_rollback_and_an_empty_push_are_not_what_a_rollback_undoes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first = journal.begin("push", frozenset({"switch"}))
    journal.start(first, "leaf-1", "a", "b")
    journal.begin("push", frozenset({"switch"}))  # changed nothing
    undo = journal.begin("rollback", frozenset({"switch"}))
    journal.start(undo, "leaf-1", "b", "a")
    assert journal.last_push() == first


def test_nobody_but_its_owner_may_read_the_journal(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.sqlite")
    assert (tmp_path / "journal.sqlite").stat().st_mode & 0o077 == 0


def test_rolling_back_twice_goes_back_two_pushes(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first, second = (journal.begin("push", frozenset({"switch"})) for _ in range(2))
    for push in (first, second):
        journal.start(push, "leaf-1", f"before {push}", f"after {push}")
        journal.end(push, "leaf-1", "done")
    assert journal.last_push() == second
    journal.end(second, "leaf-1", "undone")
    assert journal.last_push() == first
    assert journal.entries(second) == ()

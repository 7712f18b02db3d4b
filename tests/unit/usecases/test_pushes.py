"""The list of pushes says what became of each, from the journal and the lock alone."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from nornir_tasks.cli.pushes import answer
from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import Journal
from nornir_tasks.files.push_lock import sole_push
from nornir_tasks.usecases.pushes import PastPush, State, journal_file, pushes
from nornir_tasks.usecases.site import SiteDesign, load

PLANNED = ("leaf-g1-r0", "leaf-g1-r1", "spine-1")
OWNERS = frozenset({"switch", "compute"})


@pytest.fixture(scope="module")
def lab() -> SiteDesign:
    return load("lab-rails")


@pytest.fixture
def design(lab: SiteDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SiteDesign:
    """The lab, of which nothing is noted yet."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path))
    return lab


Note = Callable[..., int]


@pytest.fixture
def note(design: SiteDesign) -> Note:
    """Notes a push with these ends of its switches; ``is_ended`` False: its process was killed."""

    def noted(states: Mapping[str, str], *, is_ended: bool = True, planned: tuple[str, ...] = PLANNED) -> int:
        journal = Journal(journal_file(design))
        push = journal.begin("push", OWNERS, planned)
        for device, state in states.items():
            journal.start(push, device, Done("", ""))
            if state == "committed":
                journal.committed(push, device, 120)
            elif state == "undone":
                journal.end(push, device, "done")
                journal.undone(push, [device])
            else:
                journal.end(push, device, state)
        if is_ended:
            journal.finish(push)
        return push

    return noted


def all_of(state: str) -> dict[str, str]:
    return dict.fromkeys(PLANNED, state)


def only(design: SiteDesign) -> PastPush:
    (push,) = pushes(design)
    return push


@pytest.mark.parametrize(
    ("states", "is_ended", "state", "changed", "can"),
    [
        (all_of("done"), True, State.CONFIRMED, 3, True),
        (all_of("done"), False, State.CONFIRMED, 3, True),
        ({"leaf-g1-r0": "done"}, False, State.INTERRUPTED, 1, True),
        ({"leaf-g1-r0": "done"}, True, State.PARTLY, 1, True),
        ({}, False, State.INTERRUPTED, 0, False),
        ({}, True, State.FAILED, 0, False),
        ({"leaf-g1-r0": "started"}, False, State.INTERRUPTED, 0, False),
        ({"leaf-g1-r0": "done", "spine-1": "committed"}, False, State.INTERRUPTED, 1, True),
        ({"leaf-g1-r0": "failed"}, True, State.FAILED, 0, False),
        ({"leaf-g1-r0": "done", "spine-1": "failed"}, True, State.PARTLY, 1, True),
        ({"leaf-g1-r0": "undone", "spine-1": "done"}, True, State.PARTLY_UNDONE, 2, True),
        ({"leaf-g1-r0": "undone", "spine-1": "started"}, False, State.UNDONE, 1, False),
        ({"leaf-g1-r0": "undone", "spine-1": "failed"}, True, State.UNDONE, 1, False),
    ],
)
def test_a_push_is_counted_by_what_it_planned(
    design: SiteDesign, note: Note, states: Mapping[str, str], is_ended: bool, state: State, changed: int, can: bool
) -> None:
    note(states, is_ended=is_ended)
    push = only(design)
    assert (push.state, push.changed, push.planned) == (state, changed, PLANNED)
    assert push.can_be_rolled_back is can


def test_a_push_that_had_nothing_to_change_changed_nothing_whether_it_ended_or_not(
    design: SiteDesign, note: Note
) -> None:
    note({}, planned=())
    note({}, planned=(), is_ended=False)
    assert [each.state for each in pushes(design)] == [State.NOTHING] * 2


def test_a_push_that_runs_now_is_under_way_and_those_before_it_are_not(design: SiteDesign, note: Note) -> None:
    note({"leaf-g1-r0": "done"}, is_ended=False)
    with sole_push(design.site.record_directory, "push") as lock:
        lock.note_push(note({"leaf-g1-r0": "done"}, is_ended=False))
        second, first = pushes(design)
        assert (second.state, first.state) == (State.UNDER_WAY, State.INTERRUPTED)
        assert not second.can_be_rolled_back
        assert answer(second, {}) == "not before it has ended"
    assert [each.state for each in pushes(design)] == [State.INTERRUPTED] * 2


def test_a_push_of_which_nobody_knows_the_end_is_not_promised_to_be_rolled_back(design: SiteDesign, note: Note) -> None:
    note({"leaf-g1-r0": "committed"}, is_ended=False)
    assert answer(only(design), {}) == "if it was not taken back"


def test_to_look_at_a_site_that_nothing_was_pushed_to_makes_no_journal(design: SiteDesign) -> None:
    assert pushes(design) == ()
    assert not journal_file(design).exists()

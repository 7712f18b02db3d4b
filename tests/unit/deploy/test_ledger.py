"""Whoever interrupts a push is told what is confirmed, what is not, and when that goes back."""

import threading

import pytest

from nornir_tasks.deploy.ledger import Ledger, Step, ending
from nornir_tasks.deploy.problems import unconfirmed
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.errors import CommitError, Interrupted, LeftToTimerError, Problem


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def at(*steps: tuple[str, Step], timer_s: int | None = 120) -> tuple[Ledger, Hand]:
    clock = Hand()
    ledger = Ledger({name: timer_s for name, _ in steps}, clock=clock)
    for name, step in steps:
        ledger.note(name, step)
    return ledger, clock


def test_every_switch_is_named_with_what_will_become_of_it() -> None:
    ledger, clock = at(
        ("done", Step.DONE),
        ("gate", Step.GATE),
        ("commit", Step.COMMIT),
        ("stage", Step.STAGE),
        ("bad", Step.AS_BEFORE),
    )
    clock.now_s += 23.5
    assert ledger.lines() == (
        "confirmed: done",
        "commit: a commit is on its way, its answer not known yet; if it arrives, the switch takes the change back by"
        " itself within 97 s",
        "gate: committed, not confirmed; the switch takes the change back by itself within 97 s",
        "nothing was committed: bad, stage",
    )


def test_the_timer_counts_from_the_answer_to_the_commit_and_not_from_the_question() -> None:
    ledger, clock = at(("leaf", Step.COMMIT))
    clock.now_s += 40
    ledger.note("leaf", Step.GATE)
    clock.now_s += 10
    assert ledger.left_s("leaf") == 110
    clock.now_s += 500
    assert ledger.left_s("leaf") == 0


def test_as_long_as_a_commit_is_not_answered_its_timer_may_begin_as_late_as_the_commit_may_end() -> None:
    """An operator who comes back when told to must not find the commit waiting."""
    clock = Hand()
    ledger = Ledger({"leaf": 120, "other": 120}, {"leaf": 180}, clock)
    for name in ("leaf", "other"):
        ledger.note(name, Step.COMMIT)
    clock.now_s += 20
    assert (ledger.left_s("leaf"), ledger.left_s("other")) == (280, 100)
    ledger.end("leaf", Step.LEFT)
    assert ledger.left_s("leaf") == 280, "the answer was lost: it is not known when the timer began"
    ledger.note("other", Step.GATE)
    assert ledger.left_s("other") == 120


@pytest.mark.parametrize(("left_s", "named_s"), [(7.49, 8), (7.0, 7), (0.2, 1), (0.0, 1)])
def test_who_pushes_again_when_told_to_comes_after_the_timer(left_s: float, named_s: int) -> None:
    assert f"push again in {named_s} s" in unconfirmed("leaf", Waiting("7", left_s)).hint


def test_a_switch_without_a_timer_is_not_said_to_go_back() -> None:
    ledger, _ = at(("leaf", Step.GATE), timer_s=None)
    assert ledger.lines() == ("leaf: committed, not confirmed; the switch has no timer and keeps the change",)


def test_once_stopped_nothing_is_begun() -> None:
    ledger, _ = at()
    ledger.begin("leaf", Step.READ)
    ledger.stop()
    with pytest.raises(Interrupted, match="nothing was committed"):
        ledger.begin("other", Step.READ)
    ledger.end("other", Step.AS_BEFORE)
    assert (ledger.begun, ledger.lines()) == (1, ("nothing was committed: leaf",))


def test_of_a_switch_said_to_be_as_it_was_nothing_is_committed_a_moment_later() -> None:
    """Every switch is between its last look and its commit when the push is interrupted; half of them are quicker."""
    names = [f"leaf-{number}" for number in range(32)]
    ledger, _ = at(*((name, Step.STAGE) for name in names))
    all_there = threading.Barrier(len(names) + 1)

    def commit(name: str) -> None:
        all_there.wait()
        if ledger.goes_on(name, Step.COMMIT):
            ledger.note(name, Step.GATE)
        else:
            ledger.note(name, Step.AS_BEFORE)

    threads = [threading.Thread(target=commit, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    all_there.wait()
    ledger.stop()
    (*_, first) = ledger.lines() or ("",)
    for thread in threads:
        thread.join()
    (*_, last) = ledger.lines() or ("",)
    reasons = [line.partition(": ")[2] for line in (first, last) if line.startswith("nothing was committed: ")]
    assert len(set(reasons)) <= 1, "what was said first is what is so"


@pytest.mark.parametrize(("step", "word"), [(Step.COMMIT, "a commit"), (Step.CONFIRM, "a confirmation")])
def test_an_answer_that_is_under_way_is_said_not_to_be_known_yet(step: Step, word: str) -> None:
    ledger, _ = at(("leaf", step))
    ledger.stop()
    (line,) = ledger.lines()
    assert line.startswith(f"leaf: {word} is on its way, its answer not known yet")


@pytest.mark.parametrize(("before", "step"), [(Step.STAGE, Step.COMMIT), (Step.GATE, Step.CONFIRM)])
def test_a_stopped_switch_stands_where_it_stood(before: Step, step: Step) -> None:
    ledger, _ = at(("leaf", before))
    ledger.stop()
    reasons = ledger.lines()
    assert not ledger.goes_on("leaf", step)
    assert ledger.lines() == reasons


def test_waiting_ends_with_the_last_switch_and_not_before() -> None:
    ledger, _ = at(("a", Step.GATE), ("b", Step.DONE))
    assert not ledger.wait(0.01)
    threading.Timer(0.05, lambda: ledger.note("a", Step.LEFT)).start()
    assert ledger.wait(10)


def test_a_change_left_to_its_timer_is_not_counted_as_undone() -> None:
    assert ending(LeftToTimerError(Problem("leaf", "lost"))) is Step.LEFT
    assert ending(CommitError(Problem("leaf", "refused"))) is Step.AS_BEFORE

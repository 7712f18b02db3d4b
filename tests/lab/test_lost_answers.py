"""An answer lost amid a push, a push that died amid it, and Ctrl-C: what is said of the switch is what is so."""

import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from at_terminal import Operator, at_its_question, lab_of_its_own, small_site
from cutting import Cutter, cutting
from one_push import Noted, transaction

from nornir_tasks.deploy.journal import Journal
from nornir_tasks.deploy.ledger import Ledger, Step
from nornir_tasks.deploy.plan_one_switch import Rules, timer_s
from nornir_tasks.deploy.transaction import Transaction
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import MARK, SwitchSession
from nornir_tasks.errors import CommitError, Interrupted, LeftToTimerError, RefusedError
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.reach import evidence_of
from nornir_tasks.usecases.site import load, select

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
BY_SYSTEM = pytest.mark.parametrize("system", sorted(DEVICES))
LONGER_THAN_ANY_TIMER_S = 4000


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to; each test spoils one switch, and leaves it pushed."""
    with lab_of_its_own(tmp_path_factory.mktemp("lost"), small_site) as made:
        made.run("push", "--yes")
        yield made


def spoil(operator: Operator, system: str) -> str:
    """Somebody changes a description in an owned section of the system's switch, and saves."""
    hand = operator.hands()[DEVICES[system]]
    if hand.os == "nvue":
        hand.nvue({"interface": {"swp1": {"description": f"by hand {time.monotonic()}"}}})
    else:
        hand.configure("interface Ethernet1/1", f"description by hand {time.monotonic()}")
        if hand.os == "eos":
            hand.eapi("write memory")
        else:
            hand.nxapi("copy running-config startup-config")
    return hand.running()


class LosesAt(Ledger):
    """Has an answer lost when a step is reached, and again."""

    def lose(self, cutter: Cutter, step: Step, how: str = "lose_next") -> None:
        self.cutter, self.step, self.how = cutter, step, how

    def note(self, device: str, step: Step) -> None:
        super().note(device, step)
        if step is self.step:
            setattr(self.cutter, self.how, True)


@pytest.fixture
def losing(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, Step, str], tuple[Transaction, SwitchSession, Noted]]]:
    """A transaction whose answer to what a step asks is lost, and a session that nobody disturbs."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(operator.state))
    opened, cutters = [], []

    def made(system: str, step: Step, how: str = "lose_next") -> tuple[Transaction, SwitchSession, Noted]:
        device = DEVICES[system]
        design = load(operator.site)
        wanted = select(design)[device]
        there = endpoints(design.site, {device: system})[device].endpoint
        path = cutting(there.address, there.api_port)
        cutter = path.__enter__()
        cutters.append(path)
        rules = Rules(reconnect_s=2.0, evidence=evidence_of(design)(device))
        ledger = LosesAt({device: timer_s(wanted.capabilities, rules)})
        ledger.lose(cutter, step, how)
        aside = open_session(system, there)
        opened.append(aside)
        noted = Noted(name=f"{MARK}test-{time.monotonic_ns()}")
        through = replace(there, api_port=cutter.port, timeout_s=5.0)
        return transaction(lambda: open_session(system, through), wanted, rules, noted, ledger), aside, noted

    yield made
    for each in opened:
        each.close()
    for path in cutters:
        path.__exit__(None, None, None)


def ours_on(operator: Operator, system: str) -> list[str]:
    """What a switch still has of our pushes, as its own shows name it."""
    hand = operator.hands()[DEVICES[system]]
    if system == "nvue":
        with requests.Session() as client:
            client.trust_env, client.auth, client.verify = False, hand.auth, hand.ca
            revisions = client.get(f"{hand.url}/nvue_v1/revision", timeout=20).json()
        return [name for name, each in revisions.items() if each["state"] in {"pending", "confirm"}]
    text = str(
        hand.eapi("show configuration sessions")[0]["output"] if system == "eos" else hand.nxapi("dir bootflash:")[0]
    )
    return [line for line in text.splitlines() if MARK in line and "completed" not in line]


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_commit_whose_answer_was_lost_is_found_done_and_confirmed(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    before = spoil(operator, system)
    run, aside, _ = losing(system, Step.COMMIT)
    if system == "nxos":  # the first thing it asks for is a copy of what runs
        with pytest.raises(CommitError, match="nothing was committed"):
            run.run()
        assert operator.hands()[DEVICES[system]].running() == before
        assert not run.is_open
        run, aside, _ = losing(system, Step.GATE)
    outcome = run.run()
    assert outcome.changed
    assert outcome.trouble is None
    operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    running = aside.read()
    assert (running.waiting, running.is_saved) == (None, True)
    assert not transaction(lambda: aside, run.wanted).run().changed
    assert ours_on(operator, system) == []


@BY_SYSTEM
def test_a_confirmation_whose_answer_was_lost_is_not_denied(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    spoil(operator, system)
    run, aside, noted = losing(system, Step.CONFIRM)
    assert run.run().changed
    operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    running = aside.read()
    assert (running.waiting, running.is_saved) == (None, True)
    assert noted.calls[-1] == ("dropped", None)
    assert ours_on(operator, system) == []


MOST_ANSWERS = 8
"""More than any system gives from its confirmation on."""


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_whichever_answer_is_lost_from_the_confirmation_on_the_change_is_confirmed_saved_and_said_to_be(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    for passing in range(MOST_ANSWERS):
        spoil(operator, system)
        run, aside, noted = losing(system, Step.CONFIRM)
        assert isinstance(run.ledger, LosesAt)
        run.ledger.cutter.passing = passing
        outcome = run.run()
        assert (outcome.changed, outcome.trouble, outcome.has_leftover) == (True, None, False), passing
        operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
        running = aside.read()
        assert (running.waiting, running.is_saved) == (None, True), passing
        assert not transaction(lambda aside=aside: aside, run.wanted).run().changed
        assert ours_on(operator, system) == []
        assert noted.calls[-1] == ("dropped", None)
        if not run.ledger.cutter.lost:  # no answer was left to lose
            assert passing >= 2
            return
    raise AssertionError(f"{system} gives more than {MOST_ANSWERS} answers")


@BY_SYSTEM
def test_a_confirmation_whose_answer_takes_longer_than_all_patience_is_asked_for_again(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    """The one request waits for its own time-out, 5 s here; the patience with a silent switch, 2 s, begins after it."""
    spoil(operator, system)
    run, aside, _ = losing(system, Step.CONFIRM)
    assert isinstance(run.ledger, LosesAt)
    run.ledger.cutter.is_silent = True
    outcome = run.run()
    assert (outcome.changed, outcome.trouble, run.ledger.cutter.lost) == (True, None, 1)
    operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    assert (aside.read().waiting, aside.read().is_saved) == (None, True)


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_of_a_switch_that_is_lost_from_an_answer_on_no_more_is_said_than_it_answered(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    """Before its OK to the confirmation that is not known; after it the change stays, and what is open is named."""
    fates = set()
    for passing in range(MOST_ANSWERS):
        spoil(operator, system)
        run, aside, noted = losing(system, Step.CONFIRM, "lose_all")
        assert isinstance(run.ledger, LosesAt)
        run.ledger.cutter.passing = passing
        try:
            outcome = run.run()
        except LeftToTimerError as left:
            assert "it is not known whether the confirmation arrived" in str(left)
            assert f"repeat it: nornir push --limit {DEVICES[system]}" in str(left)
            fates.add("unknown")
        else:
            assert outcome.changed
            assert outcome.is_unsaved is (outcome.trouble is not None)
            assert outcome.trouble is None or "the change is confirmed and runs" in str(outcome.trouble)
            running = aside.read()
            assert running.waiting is None, "an OK was received: no timer runs"
            assert running.is_saved or outcome.is_unsaved
            fates.add("unsaved" if outcome.is_unsaved else "leftover" if outcome.has_leftover else "done")
        tokens = frozenset(str(what) for call, what in noted.calls if call == "staged")
        operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
        aside.drop(tokens)
        operator.run("push", "--yes", "--limit", DEVICES[system])
        if not run.ledger.cutter.lost:
            break
    assert fates >= ({"unknown", "done"} if system == "nvue" else {"unknown", "unsaved", "done"})


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_switch_lost_after_its_commit_is_left_to_its_timer_by_name_and_seconds(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    before = spoil(operator, system)
    run, aside, noted = losing(system, Step.GATE, "lose_all")
    with pytest.raises(LeftToTimerError) as left:
        run.run()
    assert run.is_open
    device = DEVICES[system]
    assert all(problem.where == device for problem in left.value.problems)
    (seconds,) = re.findall(r"takes the change back by itself within (\d+) s", str(left.value))
    assert 90 <= int(seconds) <= 120
    waiting = aside.read().waiting
    assert waiting is not None
    assert waiting.left_s is None or 90 <= waiting.left_s <= 160
    output = operator.run("plan", "--limit", device)
    assert re.search(rf"{device}: a commit is not confirmed \(.+\): the switch takes it back by itself", output)
    failed = operator.run("validate", "--limit", device, code=8)
    assert f"{device}: a commit is not confirmed" in failed
    assert f"{device}: a commit is not confirmed" in operator.run("push", "--yes", "--limit", device, code=7)
    operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    assert operator.hands()[device].running() == before
    tokens = frozenset(str(what) for call, what in noted.calls if call == "staged")
    aside.drop(tokens)
    assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", device)


def journal_path(operator: Operator) -> Path:
    (path,) = operator.state.glob("*/lab-records/journal.sqlite")
    return path


@BY_SYSTEM
def test_a_push_that_died_between_staging_and_commit_leaves_nothing_that_the_next_does_not_clear_away(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    spoil(operator, system)
    run, aside, _ = losing(system, Step.DONE)
    journal = Journal(journal_path(operator))
    device = DEVICES[system]

    class Dead(Noted):
        def staged(self, token: str) -> None:
            journal.staged(10_000, device, token)

        def committed(self, timer_s: int | None) -> None:
            raise KeyboardInterrupt  # nothing of the transaction is run any more

    run.record = Dead(name=journal.name("lab", 10_000))
    run.opener = lambda: _unclosed(aside)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert journal.candidates()[device]
    assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", device)
    assert journal.candidates() == {}
    assert ours_on(operator, system) == []


def _unclosed(session: SwitchSession) -> SwitchSession:
    """As a process leaves it that was killed: nobody closes it."""
    session.close = lambda: None  # type: ignore[method-assign]
    return session


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_what_runs_and_was_not_saved_is_saved_by_the_next_push_and_said_until_then(
    operator: Operator, system: str
) -> None:
    device = DEVICES[system]
    operator.run("push", "--yes", "--limit", device)  # whatever another test left there
    hand = operator.hands()[device]
    time.sleep(1.1)  # NX-OS dates its changes by the second
    hand.configure("interface loopback7" if system == "nxos" else "interface Loopback7", "description theirs")
    assert "0 of 1 changed" not in operator.run("plan", "--limit", device)
    assert f"{device}: what it runs was not saved" in operator.run("plan", "--limit", device)
    assert f"{device}: what it runs was not saved" in operator.run("validate", "--limit", device, code=8)
    output = operator.run("push", "--yes", "--limit", device)
    assert "0 of 1 changed" in output
    assert f"1 saved that ran what is wanted, changed since it was saved last: {device}" in output
    assert "saved" not in operator.run("push", "--yes", "--limit", device)
    operator.run("validate", "--limit", device)


def push_by_name(operator: Operator, device: str) -> subprocess.Popen[str]:
    return operator.begin("push", "--yes", "--limit", device)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_amid_a_push_says_what_is_committed_and_when_it_goes_back(
    operator: Operator, number: signal.Signals
) -> None:
    device = DEVICES["eos"]
    before = spoil(operator, "eos")
    started = operator.control.ask("running-config", device=device)
    push = push_by_name(operator, device)
    deadline = time.monotonic() + 60
    while operator.control.ask("running-config", device=device) == started and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(push.pid, number)
    begin = time.monotonic()
    stdout, stderr = push.communicate(timeout=90)
    assert push.returncode == 130, stdout + stderr
    assert time.monotonic() - begin < 60, "it waits for no timer of a switch"
    assert "interrupted" in stderr
    if "confirmed: " not in stderr:
        assert re.search(rf"{device}: .* takes the change back by itself within 1\d\d s", stderr), stderr
        assert f"{device}: a commit is not confirmed" in operator.run("push", "--yes", "--limit", device, code=7)
        operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
        assert operator.hands()[device].running() == before
    operator.run("push", "--yes", "--limit", device)
    assert "0 of 1 changed" in operator.run("push", "--yes", "--limit", device)


@BY_SYSTEM
def test_a_push_that_is_interrupted_just_before_a_commit_leaves_the_switch_as_it_was(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    """Of this switch it was said that nothing was committed; so nothing is."""
    before = spoil(operator, system)
    run, _, noted = losing(system, Step.DONE)
    output: list[tuple[str, ...]] = []

    class Slow(Noted):
        def committed(self, timer_s: int | None) -> None:
            super().committed(timer_s)
            run.ledger.stop()
            output.append(run.ledger.lines())

    run.record = Slow(name=noted.name)
    with pytest.raises(Interrupted, match="nothing was committed"):
        run.run()
    device = DEVICES[system]
    assert output == [(f"nothing was committed: {device}",)]
    assert not run.is_open
    assert operator.hands()[device].running() == before
    assert ours_on(operator, system) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["end of input", "ctrl-c"])
def test_who_walks_away_from_the_question_has_declined(operator: Operator, how: str) -> None:
    before = spoil(operator, "eos")
    with at_its_question(operator, "push", "--limit", DEVICES["eos"]) as (push, keyboard):
        if how == "ctrl-c":
            push.send_signal(signal.SIGINT)
        else:
            os.write(keyboard, b"\x04")
        _, rest = push.communicate(timeout=90)
    assert push.returncode == 130
    assert b"declined; nothing was changed" in rest
    assert operator.hands()[DEVICES["eos"]].running() == before
    operator.run("push", "--yes", "--limit", DEVICES["eos"])


def test_a_journal_that_fills_the_disk_at_the_end_does_not_deny_the_change(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last word cannot be written: the change is counted, the journal's error is said, the next push settles it."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(operator.state))
    device = DEVICES["eos"]
    spoil(operator, "eos")
    path = journal_path(operator)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "CREATE TRIGGER full BEFORE UPDATE OF state ON device WHEN NEW.state = 'done'"
            " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    try:
        output = operator.run("push", "--yes", "--limit", device, code=11)
    finally:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DROP TRIGGER full")
    assert "1 of 1 changed" in output
    assert "database or disk is full" in output
    assert "0 of 1 changed" in operator.run("push", "--yes", "--limit", device)
    with closing(sqlite3.connect(path)) as db:
        (last,) = db.execute(
            "SELECT state FROM device WHERE device = ? ORDER BY push DESC LIMIT 1", (device,)
        ).fetchone()
    assert last == "done"
    assert path.parent == operator.records


@BY_SYSTEM
def test_a_switch_without_a_commit_timer_is_refused_unless_that_is_meant(
    operator: Operator, losing: Callable[..., tuple[Transaction, SwitchSession, Noted]], system: str
) -> None:
    before = spoil(operator, system)
    run, aside, _ = losing(system, Step.DONE)
    timerless = replace(run.wanted, capabilities=replace(run.wanted.capabilities, has_commit_timer=False))
    with pytest.raises(RefusedError, match="has no commit timer"):
        transaction(lambda: aside, timerless, run.rules).run()
    assert operator.hands()[DEVICES[system]].running() == before
    assert transaction(lambda: aside, timerless, replace(run.rules, unguarded=True)).run().changed
    running = aside.read()
    assert (running.waiting, running.is_saved) == (None, True)
    assert ours_on(operator, system) == []

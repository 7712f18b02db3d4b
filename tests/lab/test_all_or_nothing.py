"""``push --atomic``: a push that fails on one switch leaves every switch as it was, or names it and the way out."""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from json import loads
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site
from test_faults import LONGER_THAN_ANY_TIMER_S, journal_states, spoil, wait_for_commit

from nornir_tasks.cli.push import print_report
from nornir_tasks.errors import ConnectError, Problem, RefusedError
from nornir_tasks.usecases.all_or_nothing import Clock, push_all_or_nothing
from nornir_tasks.usecases.how import How
from nornir_tasks.usecases.progress import Event, Through, Work
from nornir_tasks.usecases.push import PushReport, TakenBack
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import load, select
from nornir_tasks.usecases.watched_waves import Watch
from tests.published import published

ALL = ("leaf-g1-r0", "spine-1", "spine-2", "leaf-g1-r1")
"""In the order of the waves."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("atomic"), small_site) as made:
        file = made.lab / "devices.yml"
        file.write_text("timeout_s: 5\n" + file.read_text())
        yield made


@pytest.fixture
def operator(lab: Operator, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """The lab, whole and pushed to, whatever the test before left."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(lab.state))
    lab.run("lab", "mend")
    lab.run("push", "--yes")
    return lab


@dataclass
class Time:
    """The client's time, which passes only where it waits; the switches' passes with it."""

    operator: Operator
    waits: Callable[[], None] = lambda: None
    now_s: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits()
        self.slept.append(seconds)
        self.now_s += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now_s, self.sleep)


def pushed(
    operator: Operator, after: Callable[[str], None], time: Time | None = None, reach: Reach | None = None
) -> PushReport:
    """An atomic push; ``after`` is called with the name of each switch that is through, and with ``plan`` before."""

    def on(event: Event) -> None:
        if isinstance(event, Through) and event.work is Work.PUSH:
            after(event.name)

    def approve(_: object) -> bool:
        after("plan")
        return True

    selection = select(load(operator.site))
    return push_all_or_nothing(selection, reach or Reach(), approve, on, clock=time.clock if time else None)


def changed_by_hand(operator: Operator, device: str) -> None:
    """A colleague types another description at the switch's first port."""
    hand = operator.hands()[device]
    if hand.os == "nvue":
        hand.nvue({"interface": {"swp1": {"description": "after the plan"}}})
    else:
        port = re.search(r"^interface (Ethernet\S+)", hand.running(), re.MULTILINE)
        assert port is not None
        hand.configure(f"interface {port[1]}", "description after the plan")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bad", ALL)
def test_the_switches_before_one_that_fails_run_byte_for_byte_what_they_ran(operator: Operator, bad: str) -> None:
    before = spoil(operator, *ALL)
    report = pushed(operator, lambda name: changed_by_hand(operator, bad) if name == "plan" else None)
    assert list(report.errors) == [bad]
    assert report.taken_back is not None
    assert set(report.taken_back.back) == {*ALL[: ALL.index(bad)]}
    assert report.taken_back.left == {}
    after = operator.running()
    assert {name for name in ALL if after[name] != before[name]} == {bad}
    assert "4 of 4 changed" in operator.run("push", "--yes")
    assert "0 of 4 changed" in operator.run("push", "--yes", "--atomic")


def test_the_last_wave_is_taken_back_first(operator: Operator) -> None:
    spoil(operator, *ALL)
    seen: list[str] = []

    def after(name: str) -> None:
        seen.append(name)
        if name == "plan":
            changed_by_hand(operator, ALL[-1])

    pushed(operator, after)
    assert seen == ["plan", *ALL, *reversed(ALL[:-1])]
    assert {state for _, state in journal_states(operator)} == {"done"}


def test_a_switch_that_lost_its_power_after_its_change_is_named_and_one_command_ends_it(operator: Operator) -> None:
    before = spoil(operator, *ALL)
    dead, bad = "leaf-g1-r0", "leaf-g1-r1"

    def after(name: str) -> None:
        if name == "spine-2":
            operator.run("lab", "kill", dead)
            changed_by_hand(operator, bad)

    time = Time(operator)
    report = pushed(operator, after, time, Reach(accept_release=True))  # by which each look asks releases first
    assert report.taken_back is not None
    assert report.taken_back.back == ("spine-1", "spine-2")
    assert list(report.taken_back.left) == [dead]
    assert isinstance(report.taken_back.left[dead], ConnectError)
    assert sum(time.slept) >= 240, "as long as a commit timer may run"
    operator.run("lab", "mend")
    assert f"rollback --push {report.number}" not in operator.run("pushes")
    operator.run("rollback", "--push", str(report.number), "--yes")
    changed = {name for name, text in operator.running().items() if text != before[name]}
    assert changed == {bad}


@pytest.mark.long
def test_a_switch_whose_timer_runs_is_waited_for_and_then_as_before(operator: Operator) -> None:
    """It hangs right after its commit: it takes the change back by itself, and answers again after a while."""
    before = spoil(operator, *ALL)
    bad = "leaf-g1-r1"
    running = operator.control.ask("running-config", device=bad)

    def hang() -> None:
        wait_for_commit(operator, bad, running)
        operator.control.ask("freeze", device=bad)

    thread = threading.Thread(target=hang)

    def wake() -> None:
        operator.run("lab", "mend")
        operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)

    report = pushed(
        operator,
        lambda name: thread.start() if name == "spine-2" and not thread.ident else None,
        Time(operator, wake),
    )
    thread.join()
    assert bad in report.errors
    assert report.taken_back is not None and report.taken_back.left == {}
    assert {name: text for name, text in operator.running().items() if name in before} == before


def test_output_and_document_say_which_switches_are_back_and_which_command_ends_it(
    operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(operator, *ALL)
    report = pushed(operator, lambda name: changed_by_hand(operator, ALL[-1]) if name == "plan" else None)
    assert report.number is not None
    for json in (False, True):
        with pytest.raises(RefusedError):
            print_report(report, json=json)
        shown = capsys.readouterr()
        if not json:
            assert f"push {report.number} is taken back on 3 switches, by rollback {report.number + 1}: " in shown.out
            assert "every switch that it had changed runs what it ran before" in shown.out
        else:
            document = published(loads(shown.out))
            assert document["taken_back"] == {
                "rollbacks": [report.number + 1],
                "switches": sorted(ALL[:-1]),
                "left": {},
            }
    dead = replace(
        report, taken_back=TakenBack((), ("spine-1",), {"spine-2": ConnectError(Problem("spine-2", "away"))})
    )
    with pytest.raises(RefusedError):
        print_report(dead, json=False)
    assert f"when it answers: nornir rollback --push {report.number}" in capsys.readouterr().out


def watched(
    operator: Operator, after: Callable[[str], None], seconds: float | None = 5.0, command: tuple[str, ...] = ()
) -> PushReport:
    """A push that is watched between its waves; ``after``: as in ``pushed``."""
    selection = select(load(operator.site))

    def on(event: Event) -> None:
        if isinstance(event, Through) and event.work is Work.PUSH:
            after(event.name)

    minutes = count()
    watch = Watch(selection, Reach(), on, seconds, command, Clock(lambda: 60.0 * next(minutes)))
    return push_all_or_nothing(selection, Reach(), watch.approving(lambda _: True), on, How(judge=watch.judge))


def impair(operator: Operator, *words: str) -> Callable[[str], None]:
    """What goes wrong once the canary is through."""
    done: list[str] = []

    def after(name: str) -> None:
        if name == ALL[0] and not done:
            done.append(operator.run("lab", *words))

    return after


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [("impair", "pause-storm", "gpu-1:rail0"), ("cut", "leaf-g1-r0-u1")],
    ids=lambda words: words[1],
)
def test_a_canary_after_which_something_is_worse_stops_the_push_and_is_taken_back(
    operator: Operator, words: tuple[str, ...]
) -> None:
    operator.run("lab", "play", "all-to-all")
    before = spoil(operator, *ALL)
    report = watched(operator, impair(operator, *words))
    assert list(report.errors) == [ALL[0]]
    assert "worse than before the push, after wave 'canary'" in str(report.errors[ALL[0]])
    assert report.not_begun == sorted(ALL[1:])
    assert report.taken_back is not None and report.taken_back.back == (ALL[0],)
    assert operator.running() == before


@pytest.mark.long
def test_what_was_wrong_before_the_push_does_not_stop_it(operator: Operator) -> None:
    operator.run("lab", "play", "all-to-all")
    operator.run("lab", "impair", "pause-storm", "gpu-1:rail0")
    spoil(operator, *ALL)
    report = watched(operator, lambda _: None)
    assert report.errors == {}
    assert report.changed == sorted(ALL)


def test_a_check_of_the_operator_that_fails_after_the_canary_takes_it_back(operator: Operator, tmp_path: Path) -> None:
    before = spoil(operator, *ALL)
    sign = tmp_path / "worse"
    report = watched(operator, lambda _: sign.touch(), None, ("test", "!", "-e", str(sign)))
    assert "the check failed after wave 'canary'" in str(report.errors[ALL[0]])
    assert report.taken_back is not None and report.taken_back.back == (ALL[0],)
    assert operator.running() == before
    with pytest.raises(RefusedError, match="the check failed before anything was changed"):
        watched(operator, lambda _: None, None, ("false",))
    assert operator.running() == before
    assert "exit code 0" in operator.run("push", "--yes", "--wave-check", "false", code=7)
    assert "No closing quotation" in operator.run("push", "--yes", "--wave-check", "'a", code=3)
    assert "cannot be run" in operator.run("push", "--yes", "--wave-check", "no-such-program -x", code=7)
    assert "4 of 4 changed" in operator.run("push", "--yes", "--wave-check", "true")

"""A push of three switches is killed before, between or in them: all verbs say what is so, and the next push heals."""

import json
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest
from interposer import Moment, Place, Way
from small_lab import LONGER_THAN_ANY_TIMER_S, Ended, TrialLab, trial_lab
from trial import COMMITS

from tests.preloaded import Client

FIRST, SECOND, LAST = "leaf-g1-r0", "spine-2", "leaf-g1-r1"
"""In the order of their waves."""
NOTHING_LEFT = "nothing of it can be rolled back"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialLab]:
    with trial_lab(tmp_path_factory.mktemp("killed")) as made:
        yield made


@pytest.fixture
def lab(shared: TrialLab) -> TrialLab:
    """All switches as wanted but three, which somebody changed by hand; no push is noted."""
    for device in (FIRST, SECOND, LAST):
        shared.restore(device)
    for device in (FIRST, SECOND, LAST):
        shared.spoil(device, 0)
    return shared


@dataclass
class Killing:
    """Kills a client at a switch's first request after the push has begun, or when the switch has committed."""

    lab: TrialLab
    at_commit: bool
    earlier: int
    """How many pushes the journal had."""
    client: Client | None = None
    is_started: threading.Event = field(default_factory=threading.Event)
    is_done: bool = False

    def __call__(self, place: Place, moment: Moment) -> Way:
        """The interposer's hook."""
        self.is_started.wait(10)
        if self.is_done or not self._is_here(place, moment):
            return Way.PASS
        self.is_done = True
        assert self.client is not None
        os.kill(self.client.pid, signal.SIGKILL)
        return Way.END

    def _is_here(self, place: Place, moment: Moment) -> bool:
        if self.at_commit:
            return moment is Moment.CARRIED_OUT and any(word in place.what for word in COMMITS)
        return moment is Moment.ARRIVED and noted(self.lab) > self.earlier


def noted(lab: TrialLab) -> int:
    """How many pushes and rollbacks the journal has."""
    path = lab.records / "journal.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT COUNT(*) FROM push").fetchone()[0])


def killed(lab: TrialLab, device: str, *words: str, at_commit: bool = False) -> None:
    """Run a verb that is killed at this switch."""
    interposer = lab.interposers[device]
    interposer.hook = killing = Killing(lab, at_commit, noted(lab))
    killing.client = lab.begin(*words)
    killing.is_started.set()
    output = lab.end(killing.client, *words)
    interposer.calm()
    assert output.code == -signal.SIGKILL, output


def printed(lab: TrialLab, *words: str, code: int = 0) -> str:
    output: Ended = lab.run(*words)
    assert output.code == code, output
    return output.text


def listed(lab: TrialLab) -> dict[int, tuple[str, str, bool]]:
    """Number -> how many switches it changed, its state, whether it can be rolled back."""
    pushes: list[dict[str, Any]] = json.loads(lab.run("pushes", "--json").out)["pushes"]
    return {
        each["number"]: (f"{each['changed']} of {len(each['planned'])}", each["state"], each["can_be_rolled_back"])
        for each in pushes
    }


def is_wanted(lab: TrialLab) -> list[bool]:
    return [lab.truth(device).running == lab.wanted[device] for device in (FIRST, SECOND, LAST)]


def test_a_push_killed_before_its_first_switch_changed_nothing_and_is_not_rolled_back(lab: TrialLab) -> None:
    killed(lab, FIRST, "push", "--yes")
    assert is_wanted(lab) == [False, False, False]
    assert listed(lab) == {1: ("0 of 3", "interrupted", False)}
    assert "3 of 4 switches would change" in printed(lab, "plan")
    assert "no push that could be rolled back" in printed(lab, "rollback", "--yes", code=7)
    assert "3 of 4 changed" in printed(lab, "push", "--yes")
    assert is_wanted(lab) == [True, True, True]
    assert listed(lab) == {2: ("3 of 3", "confirmed", True), 1: ("0 of 3", "interrupted", False)}


def test_a_push_killed_between_two_switches_is_interrupted_and_rolled_back_where_it_was(lab: TrialLab) -> None:
    killed(lab, SECOND, "push", "--yes")
    assert is_wanted(lab) == [True, False, False]
    assert listed(lab) == {1: ("1 of 3", "interrupted", True)}
    assert "1 of 3   interrupted  yes" in printed(lab, "pushes")
    assert "2 of 4 switches would change" in printed(lab, "plan")
    assert "1 of 1 changed" in printed(lab, "rollback", "--yes")
    assert is_wanted(lab) == [False, False, False]
    assert listed(lab)[1] == ("1 of 3", "rolled back", False)
    assert "3 of 4 changed" in printed(lab, "push", "--yes")
    assert is_wanted(lab) == [True, True, True]


def test_a_push_killed_in_its_last_switch_waits_for_its_timer_and_keeps_what_was_confirmed(lab: TrialLab) -> None:
    killed(lab, LAST, "push", "--yes", at_commit=True)
    assert listed(lab) == {1: ("2 of 3", "interrupted", True)}
    for verb in ("push", "rollback"):
        assert f"{LAST}: a commit is not confirmed" in printed(lab, verb, "--yes", code=7)
    lab.pass_time(LONGER_THAN_ANY_TIMER_S)
    assert is_wanted(lab) == [True, True, False]
    assert "1 of 4 switches would change" in printed(lab, "plan")
    assert "1 of 4 changed" in printed(lab, "push", "--yes")
    assert is_wanted(lab) == [True, True, True]
    assert listed(lab) == {2: ("1 of 1", "confirmed", True), 1: ("2 of 3", "partly confirmed", True)}
    assert "2 of 2 changed" in printed(lab, "rollback", "--push", "1", "--yes")
    assert is_wanted(lab) == [False, False, True], "what failed on the last one is not undone there"
    assert listed(lab)[1] == ("2 of 3", "rolled back", False)


def test_a_push_that_its_only_switch_took_back_is_refused_to_be_rolled_back_and_stays_failed(lab: TrialLab) -> None:
    killed(lab, FIRST, "push", "--yes", "--limit", FIRST, at_commit=True)
    assert "if it was not taken back" in printed(lab, "pushes")
    lab.pass_time(LONGER_THAN_ANY_TIMER_S)
    assert NOTHING_LEFT in printed(lab, "rollback", "--yes", code=7)
    assert listed(lab) == {1: ("0 of 1", "failed", False)}
    assert "no push that could be rolled back" in printed(lab, "rollback", "--yes", code=7)
    assert NOTHING_LEFT in printed(lab, "rollback", "--push", "1", "--yes", code=7)
    assert listed(lab) == {1: ("0 of 1", "failed", False)}
    assert "3 of 4 changed" in printed(lab, "push", "--yes")


def test_a_rollback_killed_between_two_switches_leaves_the_others_to_a_second_one(lab: TrialLab) -> None:
    printed(lab, "push", "--yes")
    killed(lab, SECOND, "rollback", "--yes")
    assert is_wanted(lab) == [False, True, True]
    assert listed(lab) == {2: ("1 of 3", "interrupted", False), 1: ("3 of 3", "partly rolled back", True)}
    assert "partly rolled back, 1 of 3" in printed(lab, "pushes")
    assert "2 of 2 changed" in printed(lab, "rollback", "--yes")
    assert is_wanted(lab) == [False, False, False]
    assert listed(lab)[1] == ("3 of 3", "rolled back", False)
    assert "3 of 4 changed" in printed(lab, "push", "--yes")


def test_a_rollback_that_fails_on_one_switch_undoes_the_ones_before_it_and_leaves_the_others(lab: TrialLab) -> None:
    printed(lab, "push", "--yes")
    interposer, earlier = lab.interposers[SECOND], noted(lab)

    def away_from_its_turn_on(_: Place, __: Moment) -> Way:
        interposer.is_out |= noted(lab) > earlier
        return Way.PASS

    interposer.hook = away_from_its_turn_on
    assert "1 of 3 changed" in printed(lab, "rollback", "--yes", code=6)
    interposer.calm()
    assert is_wanted(lab) == [False, True, True]
    assert listed(lab) == {2: ("1 of 3", "partly confirmed", False), 1: ("3 of 3", "partly rolled back", True)}
    assert "2 of 2 changed" in printed(lab, "rollback", "--yes")
    assert is_wanted(lab) == [False, False, False]
    assert listed(lab)[1] == ("3 of 3", "rolled back", False)

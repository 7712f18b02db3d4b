"""Traffic is had off a switch and back on it: the state is the switch's own, and no push from anywhere ends it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

UNTIL = "2099-01-31T08:00Z"


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A small site that runs what its intent wants."""
    with lab_of_its_own(tmp_path_factory.mktemp("drain"), small_site) as made:
        assert "4 of 4 changed" in made.run("push", "--yes")
        yield made


@contextmanager
def another_checkout(operator: Operator) -> Iterator[Operator]:
    """As from another checkout: the same switches, and a journal in which nothing of them is noted."""
    (journal,) = operator.state.rglob("journal.sqlite")
    aside = journal.with_suffix(".aside")
    journal.rename(aside)
    try:
        yield operator
    finally:
        journal.unlink(missing_ok=True)
        aside.rename(journal)


def assert_kept(operator: Operator, switch: str, drain: dict[str, str]) -> None:
    """Plan and push show the drain, and leave it."""
    before = operator.running()
    assert operator.json("plan")["drained"] == {switch: drain}
    printed = operator.run("push", "--yes")
    assert "0 of 4 changed" in printed
    assert f"{switch} is drained by {drain['person']} until {UNTIL}: fan 2 is broken, and stays so" in printed
    assert operator.running() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("switch", ["leaf-g1-r0", "leaf-g1-r1", "spine-2"])
def test_a_drain_is_kept_by_every_push_until_it_is_ended_and_leaves_nothing(
    operator: Operator, switch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = operator.running()
    done = operator.json("drain", switch, "--reason", "fan 2 is broken", "--until", UNTIL, "--yes")
    drain = done["drain"]
    assert (done["changed"], done["before"], drain["reason"]) == (True, None, "fan 2 is broken")
    assert drain["until"] == "2099-01-31T08:00:00+00:00"
    assert done["traffic"]["gone"] and done["traffic"]["ports"] > 1
    drained = operator.running()
    assert [name for name, text in drained.items() if text != before[name]] == [switch]

    assert_kept(operator, switch, drain)
    with another_checkout(operator) as other:
        assert_kept(other, switch, drain)
    report = operator.json("validate")
    assert report["failed"] == report["undecided"] == 0, report["findings"]
    assert f"{switch} is drained by {drain['person']} until {UNTIL}: fan 2 is broken" in report["warnings"]

    again = operator.json("drain", switch, "--reason", "fan 2 is broken", "--until", UNTIL, "--yes")
    assert (again["changed"], again["before"]) == (False, drain)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITLAB_USER_LOGIN", "mallory")
    refused = operator.run("undrain", switch, "--yes", code=7)
    assert "another person drained this switch" in refused and "nornir undrain --site" in refused
    assert f"{switch} --take-over" in refused
    refused = operator.run("drain", switch, "--reason", "mine", "--yes", code=7)
    assert f"drained by {drain['person']} until {UNTIL}: fan 2 is broken" in refused
    assert operator.running() == drained
    monkeypatch.undo()

    with another_checkout(operator) as other:
        assert other.json("undrain", switch, "--yes")["changed"] is True
    assert operator.running() == before
    assert operator.json("undrain", switch, "--yes")["changed"] is False
    assert "0 of 4 changed" in operator.run("push", "--yes")
    verbs = [each["verb"] for each in operator.json("pushes")["pushes"]]
    assert verbs[0] == "drain", "the undrain is in the other checkout's journal"


def test_what_is_left_is_shown_first_and_less_than_declared_is_refused(operator: Operator) -> None:
    before = operator.running()
    first = operator.run("drain", "spine-1", "--reason", "a new one comes", "--yes")
    assert "2 switches below have fewer paths: leaf-g1-r0 keeps 1 of 2 uplinks, 1 are declared" in first
    drained = operator.running()
    refused = operator.run("drain", "spine-2", "--reason", "a new one comes", "--yes", code=7)
    assert "less than is declared" in refused and "spine-1: drained by" in refused
    assert "--accept-less-than-declared" in refused
    assert operator.running() == drained, "nothing is touched"
    operator.run("undrain", "spine-1", "--yes")
    assert operator.running() == before


@pytest.mark.parametrize(
    ("words", "code", "parts"),
    [
        (("spine-1", "--reason", "x", "--until", "2001-01-01"), 3, ("--until: this time is past",)),
        (("spine-1", "--reason", "x", "--until", "tomorrow"), 3, ("--until: no time", "2030-01-31T08:00Z")),
        (("spine-1", "--reason", 'say "no"'), 3, ("--reason: no switch keeps this text",)),
        (("spine-1", "--reason", "x" * 90), 3, ("--reason: longer than a switch's description", "90 characters")),
        (("spine-9", "--reason", "x"), 3, ("drain: no such switch", "did you mean spine-")),
    ],
)
def test_a_drain_that_cannot_be_is_refused_and_nothing_is_touched(
    operator: Operator, words: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    before = operator.running()
    printed = operator.run("drain", *words, "--yes", code=code)
    assert all(part in printed for part in parts), printed
    assert operator.running() == before


def test_a_switch_that_differs_from_the_intent_is_not_drained_before_that_is_brought(operator: Operator) -> None:
    hand = operator.hands()["leaf-g1-r0"]
    hand.configure("interface Ethernet1/1", "description typed by somebody")
    try:
        refused = operator.run("drain", "leaf-g1-r0", "--reason", "x", "--yes", code=7)
        assert "runs something else than the intent wants" in refused
        assert "nornir push" in refused and "--with-other-changes" in refused
    finally:
        operator.run("push", "--yes")


def test_a_drain_made_by_hand_is_kept_and_said_and_ended_by_name(operator: Operator) -> None:
    before = operator.running()
    hand = operator.hands()["leaf-g1-r0"]
    own = json.dumps(before["leaf-g1-r0"]).split("router bgp ")[1].split("\\n")[0]
    for name in ("COMPUTE-IN", "COMPUTE-OUT"):
        hand.configure(f"route-map {name} permit 10", f"set as-path prepend {own} {own} {own}", "set community GSHUT")
    assert operator.json("plan")["drained"] == {"leaf-g1-r0": {"person": "", "until": None, "reason": ""}}
    printed = operator.run("push", "--yes")
    assert "leaf-g1-r0 is drained by hand, without a name or a reason, and stays so" in printed
    assert "another person drained" in operator.run("undrain", "leaf-g1-r0", "--yes", code=7)
    operator.run("undrain", "leaf-g1-r0", "--take-over", "--yes")
    assert operator.running() == before


def test_a_push_beside_jobs_is_refused_for_hosts_that_there_are_not(operator: Operator, tmp_path: Path) -> None:
    file = tmp_path / "jobs.json"
    job = {"job_id": 7, "job_state": ["RUNNING"], "nodes": "gpu-[1-2]"}
    file.write_text(json.dumps({"jobs": [job]}))
    assert "0 of 4 changed" in operator.run("push", "--allocations", str(file), "--yes")
    file.write_text(json.dumps({"jobs": [{**job, "nodes": "gpu-[1-2],old-1"}]}))
    refused = operator.run("push", "--allocations", str(file), "--yes", code=3)
    assert "jobs run on what is no host of this site" in refused and "old-1" in refused

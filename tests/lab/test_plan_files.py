"""A plan that others approve and that is pushed later, by the verbs: just that is pushed, or nothing is touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site
from planned_site import DEVICES, PEOPLE, have_approved, make_keys

from nornir_tasks.files.plan_document import unpacked
from tests.published import published

BY_SYSTEM = pytest.mark.parametrize("system", sorted(DEVICES))
THEIRS = {
    "eos": ("interface Ethernet60/1", "description theirs"),
    "nxos": ("interface Ethernet1/20", "description theirs"),
    "nvue": {"interface": {"swp60": {"description": "theirs", "type": "swp"}}},
}
"""Of others, at a port that nothing of ours is cabled to."""


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Iterator[Operator]:
    """A lab whose site has pushes approved by two; nothing is pushed to it at the end of each test."""
    with lab_of_its_own(tmp_path_factory.mktemp("plans"), small_site) as made:
        have_approved(made.site, keys)
        yield made


def approved(operator: Operator, keys: Path, file: Path, *words: str) -> Path:
    operator.run("plan", "--out", str(file), *words)
    for name in PEOPLE:
        operator.run("approve", str(file), "--key", str(keys / name), "--yes")
    return file


def test_what_two_approved_is_pushed_and_a_second_time_nothing_is_left_to_do(
    operator: Operator, keys: Path, tmp_path: Path
) -> None:
    file = tmp_path / "plan.json"
    assert "nothing is pushed but a plan that was signed" in operator.run("push", "--yes", code=7)
    planned = operator.run("plan", "--out", str(file))
    assert f"to be approved with: nornir approve --site {operator.site} {file}" in planned
    assert "0 of 2 have signed: no one yet" in operator.run("approve", str(file), "--check", code=7)
    assert "this plan is not approved" in operator.run("push", "--plan", str(file), "--yes", code=7)
    first = operator.run("approve", str(file), "--key", str(keys / "alice"), "--yes")
    assert "1 of 2 have signed: alice" in first
    again = operator.run("approve", str(file), "--key", str(keys / "alice"), "--yes")
    assert "1 of 2 have signed: alice" in again, "the same person counts once"
    assert "this plan was signed by a key that may not approve" in operator.run(
        "approve", str(file), "--key", str(keys / "eve"), "--yes", code=7
    )
    shown = operator.json("approve", str(file), "--key", str(keys / "bob"), "--yes")
    assert (shown["signed_by"], shown["missing"], shown["changing"]) == (["alice", "bob"], 0, 4)
    assert "approved; to push it: nornir push" in operator.run("approve", str(file), "--check")
    assert operator.running() == operator.day0, "until now nothing was touched"

    assert "4 of 4 changed" in operator.run("push", "--plan", str(file), "--yes")
    pushed, noted = operator.running(), operator.json("pushes")["pushes"]
    (record, *_), document = operator.json("history")["records"], json.loads(file.read_text())
    assert (record["plan"], record["approved_by"]) == (document["hash"], ["alice", "bob"])
    assert f"plan: {document['hash']}, signed by alice, bob" in operator.run("history", str(record["number"]))
    second = operator.run("push", "--plan", str(file), "--yes")
    assert "4 of 4 run already what was planned" in second
    assert "0 of 4 changed" in second
    assert operator.running() == pushed
    assert operator.json("pushes")["pushes"] == noted, "a push of nothing is none"
    assert "4 of 4 changed" in operator.run("rollback", "--yes"), "a way back needs no approval"
    assert operator.running() == operator.day0


def test_a_plan_of_some_switches_and_planes_is_pushed_to_these_alone(
    operator: Operator, keys: Path, tmp_path: Path
) -> None:
    file = approved(operator, keys, tmp_path / "plan.json", "--plane", "compute", "--limit", "spine-*")
    for words in (("--limit", "spine-1"), ("--plane", "compute"), ("--accept-release",)):
        assert "the plan says so itself" in " ".join(operator.run("push", "--plan", str(file), *words, code=2).split())
    way = f"nornir push --site {operator.site} --plan {file}"
    assert way in operator.run("approve", str(file), "--check"), "without words that the plan has"
    assert "2 of 2 changed" in operator.run("push", "--plan", str(file), "--yes")
    assert {name for name, text in operator.running().items() if text != operator.day0[name]} == {"spine-1", "spine-2"}
    operator.run("rollback", "--yes")


@BY_SYSTEM
def test_a_switch_that_another_team_changed_since_stops_the_push_of_all(
    system: str, operator: Operator, keys: Path, tmp_path: Path
) -> None:
    file, device = approved(operator, keys, tmp_path / "plan.json"), DEVICES[system]
    hand = operator.hands()[device]
    hand.nvue(THEIRS[system]) if system == "nvue" else hand.configure(*THEIRS[system])
    try:
        before = operator.running()
        (problem,) = operator.json("push", "--plan", str(file), "--yes", code=7)["error"]["problems"]
        assert (problem["where"], problem["code"]) == (device, "changed-since-planned")
        assert "theirs" in problem["found"]
        assert operator.running() == before
    finally:
        if system == "nvue":
            hand.nvue(delete="interface/swp60")
        else:
            hand.configure(THEIRS[system][0], "no description")
    assert "4 of 4 changed" in operator.run("push", "--plan", str(file), "--yes"), "it is again as it was planned"
    operator.run("rollback", "--yes")


def test_a_push_that_was_half_done_goes_on_by_the_same_plan(operator: Operator, keys: Path, tmp_path: Path) -> None:
    """Two switches run what was planned, whoever pushed them; the others are pushed, and lines of others stay."""
    file = approved(operator, keys, tmp_path / "plan.json")
    half = approved(operator, keys, tmp_path / "half.json", "--limit", "spine-*")
    operator.run("push", "--plan", str(half), "--yes")
    found = operator.run("push", "--plan", str(file), "--yes")
    assert "2 of 4 run already what was planned" in found
    assert "2 of 4 changed" in found
    operator.run("rollback", "--yes")
    operator.run("rollback", "--yes")
    assert operator.running() == operator.day0


def test_a_plan_that_would_be_refused_is_not_written(operator: Operator, tmp_path: Path) -> None:
    file, hand = tmp_path / "plan.json", operator.hands()["leaf-g1-r0"]
    hand.eapi("configure session colleague", "interface Ethernet9/1", "description x", "commit timer 00:10:00")
    try:
        assert "a commit is not confirmed" in operator.run("plan", "--out", str(file), code=7)
        assert not file.exists()
    finally:
        hand.eapi("configure session colleague abort")


def test_the_file_is_as_published_and_says_what_was_read(operator: Operator, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    operator.run("plan", "--out", str(file))
    document = published(json.loads(file.read_text()))
    assert document["schema"] == "gpufabric/plan-file"
    assert "theirs" not in unpacked(document["switches"]["leaf-g1-r0"]["read"])
    rows = json.loads(unpacked(document["switches"]["leaf-g1-r0"]["changes"]))
    assert len(rows) == document["switches"]["leaf-g1-r0"]["changing"]
    printed = operator.json("plan")["devices"]
    assert rows == printed["leaf-g1-r0"]["changes"]
    names = {"--out -", "--out /dev/stdout"}
    assert all("name a file" in operator.run("plan", *words.split(), code=2) for words in names)

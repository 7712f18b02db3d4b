"""The site that commands take when none is named: all planes pushed at once, nothing to do again, all of it valid."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from at_terminal import ROOT, Operator

pytestmark = pytest.mark.xdist_group("default-lab")

PLANES = ("compute", "storage", "business", "oob", "boundary")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The built-in lab, where nothing but the state has a place of its own."""
    operator = Operator(ROOT / "inventory/lab", tmp_path_factory.mktemp("default-lab") / "state")
    operator.start()
    try:
        assert "24 of 24 changed" in operator.run("push", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def test_a_second_push_of_all_planes_or_of_one_changes_nothing(pushed: Operator) -> None:
    assert "0 of 24 changed" in pushed.run("push", "--yes")
    for plane in PLANES:
        assert "0 of " in pushed.run("push", "--plane", plane, "--yes")


@pytest.mark.parametrize("words", [(), *(("--plane", plane) for plane in PLANES)])
def test_all_that_is_to_be_judged_is_judged_and_right(
    pushed: Operator, words: tuple[str, ...], figure: Callable[[str], None]
) -> None:
    report = pushed.json("validate", *words)
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert report["of"] > 0
    figure(f"{' '.join(words) or 'all planes'}: tested {report['tested']} of {report['of']}")


def test_a_push_of_edge_routers_is_listed_as_of_the_boundary_and_rolled_back(pushed: Operator) -> None:
    assert pushed.json("pushes")["pushes"][0]["planes"] == sorted(PLANES)
    hand = pushed.hands()["edge-1"]
    hand.nvue({"router": {"policy": {"prefix-list": {"EDGE-BY-HAND": {"type": "ipv4"}}}}})
    adopting = (
        "push",
        "--plane",
        "boundary",
        "--yes",
        "--adopt",
        "edge-1:router / policy / prefix-list / EDGE-BY-HAND",
    )
    assert "0 of 2 changed" in pushed.run(*adopting[:-2]), "a name like ours shows nothing"
    assert "1 of 2 changed" in pushed.run(*adopting)
    last = pushed.json("pushes")["pushes"][0]
    assert (last["planes"], list(last["switches"])) == (["boundary"], ["edge-1"])
    pushed.run("rollback", "--push", str(last["number"]), "--yes")
    assert "EDGE-BY-HAND" in hand.running()
    assert "1 of 2 changed" in pushed.run(*adopting)
    assert "0 of 24 changed" in pushed.run("push", "--yes")


def timers(operator: Operator) -> dict[str, float]:
    """Switch -> the timer of its last commit, in the order of their first."""
    (file,) = operator.state.rglob("journal.sqlite")
    with closing(sqlite3.connect(file)) as journal:
        return dict(journal.execute("SELECT device, timer_s FROM commit_timer ORDER BY rowid"))


def test_switches_that_others_are_reached_over_go_first_with_twice_the_time_the_tools_own_last(
    pushed: Operator,
) -> None:
    found = timers(pushed)
    tree = [name for name in found if name.startswith("oob-")]
    assert [*found][: len(tree)] == tree == ["oob-leaf-g2", "oob-spine-1", "oob-spine-2", "oob-leaf-g1"]
    assert {found[name] for name in tree} == {2 * each for each in {found[name] for name in found if name not in tree}}


def test_two_management_cables_that_are_exchanged_are_named_with_what_to_swap(pushed: Operator) -> None:
    swap = ("lab", "swap", "oob-leaf-g1-h12", "oob-leaf-g2-h12")
    pushed.run(*swap)
    try:
        shown = pushed.run("validate", code=8)
        assert "swap the ends of oob-leaf-g1-h12 and oob-leaf-g2-h12" in shown
        assert "FAILED, 1 cause" in shown
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


def at_devices(operator: Operator) -> list[dict[str, Any]]:
    """What is found of the devices on the out-of-band plane, by their MAC addresses."""
    report = operator.json("validate", "--plane", "oob")
    return [each for each in report["findings"] if each["check"] == "macs"]


def test_exchanged_cables_of_a_bmc_and_of_power_distribution_are_one_cause_that_names_both(pushed: Operator) -> None:
    assert {each["verdict"] for each in at_devices(pushed)} == {"pass"}
    assert len(at_devices(pushed)) == 12  # eight BMCs, two PDUs, two bastions
    pushed.run("lab", "swap", "gpu-bmc-3:bmc", "pdu-1:mgmt")
    try:
        report = pushed.json("validate", "--plane", "oob", code=8)
    finally:
        pushed.run("lab", "mend")
    wrong = [each for each in report["findings"] if each["verdict"] == "fail"]
    assert {each["check"] for each in wrong} == {"macs"}
    assert sorted(each["device"] for each in wrong) == ["oob-leaf-g1", "oob-leaf-g2"]
    assert all("gpu-bmc-3" in each["message"] and "pdu-1" in each["message"] for each in wrong)
    assert len(report["causes"]) == 1
    assert {each["verdict"] for each in at_devices(pushed)} == {"pass"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", ["oob-leaf-g2", "oob-spine-1", "front-leaf-g1-a", "leaf-g1-r0"])
def test_a_switch_without_power_is_one_cause_with_its_management_port_and_its_pair(
    pushed: Operator, device: str
) -> None:
    """Of the out-of-band tree as well: the lab's own way to its switches is around that, so the others still answer."""
    pushed.run("lab", "kill", device)
    try:
        report = pushed.json("validate", code=8)
        assert report["causes"] == [f"reach {device}"]
        assert "FAILED, 1 cause" in pushed.run("validate", code=8)
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("end", "cable"),
    [("leaf-g1-r0:Management1", "oob-leaf-g1-h12"), ("gpu-bmc-3:bmc", ""), ("storage-1:data0", "front-leaf-g2-a-h1")],
)
def test_a_cut_cable_of_management_or_of_a_bond_is_one_cause_that_names_it(
    pushed: Operator, end: str, cable: str
) -> None:
    (made,) = pushed.json("lab", "cut", end)["broken"]
    assert made["names"] == [cable or made["names"][0]]
    try:
        report = pushed.json("validate", code=8)
        (lead,) = [each for each in report["findings"] if each["id"] in report["causes"]]
        assert lead["check"] == "port"
        assert f"look at cable {made['names'][0]}: " in lead["remedy"]
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0

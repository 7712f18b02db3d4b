"""Hosts that speak LLDP, as a lab's do by default, their cables swapped: `validate` names the cables.

The hosts themselves show nothing of it. Hosts that do not speak fail nothing.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import ROOT, Operator, small_site

pytestmark = pytest.mark.xdist_group("host-cables")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    where = tmp_path_factory.mktemp("host-cables")
    shutil.copytree(ROOT / "inventory/lab-breakout", where / "lab-breakout")
    operator = Operator(where / "lab-breakout", where / "state")
    operator.run("lab", "up")
    try:
        operator.run("push", "--plane", "compute", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def host_cables(operator: Operator) -> dict[str, list[dict[str, Any]]]:
    """Leaf -> its cables to hosts, in order of ports."""
    spec = json.loads((operator.lab / "spec.json").read_text())
    found: dict[str, list[dict[str, Any]]] = {}
    for each in spec["hosts"]:
        found.setdefault(each["switch"][0], []).append(each)
    return found


def test_hosts_that_speak_and_are_cabled_as_planned_pass_and_nothing_is_skipped(pushed: Operator) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["skipped"]) == (0, 0)
    assert report["tested"] == report["of"]


def test_two_legs_of_one_split_cage_that_are_swapped_between_hosts_are_named(pushed: Operator) -> None:
    """Both hosts' links are up, and all of their settings are as wanted."""
    one, other = next(iter(host_cables(pushed).values()))[:2]
    swap = ("lab", "swap", one["cable"], other["cable"])
    pushed.run(*swap)
    try:
        report = pushed.run("validate", "--all", code=8)
        here = f"{one['switch'][0]} {one['switch'][1]} (leg 1 of cage 1): cable "
        assert here in report
        assert f"leads to {other['name']} {other['port']}, not to {one['name']} {one['port']}; " in report
        assert "that port belongs to leg 2 of this cable: swap leg 1 and leg 2" in report
        assert "FAILED, 1 cause" in report
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


def test_two_swapped_cables_of_hosts_are_both_named(pushed: Operator) -> None:
    """From one leaf to another, so that both links are up and lead to the wrong rail."""
    one, other = (cables[0] for cables in list(host_cables(pushed).values())[:2])
    pushed.run("lab", "swap", one["cable"], other["cable"])
    try:
        report = pushed.json("validate", code=8)
        failed = [each for each in report["findings"] if each["check"] == "lldp" and each["verdict"] == "fail"]
        assert {each["device"] for each in failed} == {one["switch"][0], other["switch"][0]}
        assert "swap the ends of leaf-g1-r0-p1 and leaf-g1-r1-p1" in failed[0]["message"]
        assert "swap the ends of leaf-g1-r1-p1 and leaf-g1-r0-p1" in failed[1]["message"]
        assert len(report["causes"]) == 1
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


def test_swapped_cables_of_hosts_that_do_not_speak_fail_nothing_and_are_said_not_to_be_judged(tmp_path: Path) -> None:
    silent = small_site(tmp_path)
    silent.run("lab", "up", "--no-host-lldp")
    try:
        silent.run("push", "--plane", "compute", "--yes")
        one, other = next(iter(host_cables(silent).values()))[:2]
        silent.run("lab", "swap", one["cable"], other["cable"])
        report = silent.json("validate")
        assert report["failed"] == 0
        assert report["skipped"] == 1
        assert "8 ports to hosts on 2 switches hear no neighbour" in silent.run("validate", "--all")
    finally:
        silent.run("lab", "down")


def test_a_breakout_cable_of_the_cabling_plan_is_cut_and_mended_with_all_its_legs(pushed: Operator) -> None:
    cut = pushed.json("lab", "cut", "leaf-g1-r0-p1")
    assert [each["names"] for each in cut["broken"]] == [["leaf-g1-r0-h1"], ["leaf-g1-r0-h2"]]
    assert pushed.json("lab", "cut", "leaf-g1-r0-p1")["changed"] is False
    report = pushed.json("validate", code=8)
    assert [each.split()[:2] for each in report["causes"]] == [["port", "leaf-g1-r0"]] * 2
    refused = pushed.run("lab", "swap", "leaf-g1-r0-p1", "leaf-g1-r1-h1", code=10)
    assert "leaf-g1-r0-p1: this cable has several legs" in refused
    assert len(pushed.json("lab", "mend", "leaf-g1-r0-p1")["mended"]) == 2
    assert pushed.json("validate")["failed"] == 0

"""What stands in a push's way is found before its first wave; of one that fails in part, what is left, and the ways."""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import Operator, at_its_question, lab_of_its_own, small_site
from one_push import Noted, transaction

from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import MARK
from nornir_tasks.errors import CommitError
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.reach import evidence_of
from nornir_tasks.usecases.site import load, select

ALL = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
EOS, NXOS = "leaf-g1-r0", "leaf-g1-r1"


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to; each test spoils what it needs, and leaves it pushed."""
    with lab_of_its_own(tmp_path_factory.mktemp("says"), small_site) as made:
        made.run("push", "--yes")
        yield made


def spoil(operator: Operator, *devices: str) -> dict[str, str]:
    """Somebody changes a description of ours on each; returns what runs now."""
    for device in devices:
        hand = operator.hands()[device]
        if hand.os == "nvue":
            hand.nvue({"interface": {"swp1": {"description": "by hand"}}})
        else:
            hand.configure("interface Ethernet1/1", "description by hand")
            hand.eapi("write memory") if hand.os == "eos" else hand.nxapi("copy running-config startup-config")
    return operator.running()


def test_a_colleagues_open_session_stops_the_push_before_any_wave_and_plan_says_so(
    operator: Operator,
) -> None:
    before = spoil(operator, *ALL)
    hand = operator.hands()[EOS]
    hand.eapi("configure session change-4711", "interface Loopback77", "description x", "exit")
    try:
        assert "configuration session 'change-4711'" in operator.run("plan")
        blocked = operator.json("plan")["blocked"]
        assert list(blocked) == [EOS]
        assert "configure session change-4711 abort" in blocked[EOS]
        refused = operator.run("push", "--yes", code=7)
        assert "configuration session 'change-4711'" in refused
        assert operator.running() == before
        assert "3 of 3 changed" in operator.run("push", "--yes", "--limit", "spine-*", "--limit", NXOS)
    finally:
        hand.eapi("configure session change-4711 abort")
    assert "blocked" not in operator.run("plan")
    assert "1 of 4 changed" in operator.run("push", "--yes")


def test_a_disk_too_full_for_the_candidate_stops_the_push_before_its_first_wave(operator: Operator) -> None:
    before = spoil(operator, *ALL)
    folder = operator.lab / "bootflash" / NXOS
    full, free = folder / "core.old", int(re.findall(r"(\d+) bytes free", str(bootflash(operator)))[0])
    with full.open("wb") as file:
        file.truncate(free - 5000)
    try:
        refused = operator.run("push", "--yes", code=7)
        assert f"{NXOS}: its disk is too full for the files of a push" in refused
        assert operator.running() == before
        assert "too full" in operator.run("plan")
    finally:
        full.unlink()
    assert "4 of 4 changed" in operator.run("push", "--yes")


def bootflash(operator: Operator) -> str:
    return str(operator.hands()[NXOS].nxapi("dir bootflash:")[0])


def test_a_push_that_fails_in_its_second_wave_names_its_number_what_is_left_and_both_ways(operator: Operator) -> None:
    spoil(operator, *ALL)
    with at_its_question(operator, "push", "--json") as (push, keyboard):
        operator.hands()["spine-1"].nvue({"interface": {"swp2": {"description": "a colleague, meanwhile"}}})
        before = operator.running()
        os.write(keyboard, b"y\n")
        stdout, stderr = (each.decode() for each in push.communicate(timeout=200))
    assert push.returncode == 7, stdout + stderr
    document = json.loads(stdout)
    assert (document["changed"], document["not_started"]) == ([EOS], [NXOS, "spine-2"])
    assert list(document["failed"]) == ["spine-1"]
    number = document["number"]
    assert document["way_on"] == f"nornir push --site {operator.site}"
    assert document["way_back"] == f"nornir rollback --site {operator.site} --push {number}"
    assert f"push {number} did not come through; to go on: {document['way_on']}\n" in stderr
    assert f"or back, on the 1 that it changed: {document['way_back']}\n" in stderr
    running = operator.running()
    assert [name for name in ALL if running[name] != before[name]] == [EOS]

    back = operator.json("rollback", "--push", str(number), "--yes")
    assert (back["changed"], back["way_on"], back["way_back"]) == ([EOS], None, None)
    assert operator.running()[EOS] == before[EOS]
    again = operator.json("rollback", "--push", str(number), "--yes")
    assert (again["already_rolled_back_by"], again["changed"]) == (back["number"], [])
    whole = operator.json("push", "--yes")
    assert (whole["changed"], whole["not_started"], whole["way_on"]) == (list(ALL), [], None)


def test_after_a_rollback_whose_end_is_not_known_nobody_is_told_to_push_and_its_repetition_says_that_it_arrived(
    operator: Operator, tmp_path: Path
) -> None:
    spoil(operator, EOS)
    number = operator.json("push", "--yes", "--limit", EOS)["number"]
    started = operator.control.ask("running-config", device=EOS)
    back = operator.begin("rollback", "--push", str(number), "--yes")
    deadline = time.monotonic() + 120
    while operator.control.ask("running-config", device=EOS) == started and time.monotonic() < deadline:
        time.sleep(0.003)
    operator.control.ask("freeze", device=EOS)
    time.sleep(0.1)
    back.kill()
    back.communicate(timeout=20)
    operator.control.ask("thaw", device=EOS)
    repeated = operator.begin("rollback", "--push", str(number), "--yes")
    _, stderr = repeated.communicate(timeout=120)
    if repeated.returncode == 7:  # else the kill came too late: it had arrived
        assert "roll back again in " in stderr
        assert "push again" not in stderr
        operator.control.ask("advance-clock", seconds=4000)
        operator.run("rollback", "--push", str(number), "--yes")
    assert "is rolled back already" in operator.run("rollback", "--push", str(number), "--yes")
    operator.run("push", "--yes")


@pytest.mark.parametrize(("system", "device"), [("eos", EOS), ("nxos", NXOS)])
def test_a_restart_between_confirm_and_save_is_called_that_and_the_change_lost(
    operator: Operator, monkeypatch: pytest.MonkeyPatch, system: str, device: str
) -> None:
    """Nobody is sent to look for a slow gate, and what a saved old configuration runs is not called changed."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(operator.state))
    before = spoil(operator, device)[device]
    design = load(operator.site)
    there = endpoints(design.site, {device: system})[device].endpoint

    def opened():  # type: ignore[no-untyped-def]
        session = open_session(system, there)
        save = session.save

        def late() -> None:
            operator.control.ask("switch-off", device=device)
            operator.control.ask("switch-on", device=device)
            session.save = save  # type: ignore[method-assign]
            save()

        session.save = late  # type: ignore[method-assign]
        return session

    rules = Rules(reconnect_s=20.0, evidence=evidence_of(design)(device))
    noted = Noted(name=f"{MARK}test-{time.monotonic_ns()}")
    run = transaction(opened, select(design)[device], rules, noted)
    with pytest.raises(CommitError, match="the switch restarted before it was saved, and is as before") as lost:
        run.run()
    assert "health gate" not in str(lost.value)
    assert not run.is_open
    assert operator.running()[device] == before
    assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", device)


def test_a_step_of_the_switchs_clock_does_not_hide_a_commit_that_waits(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the clock had stepped an hour on after the commit: the file's date is an hour old."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(operator.state))
    before = spoil(operator, NXOS)[NXOS]
    started = operator.control.ask("running-config", device=NXOS)
    push = operator.begin("push", "--yes", "--limit", NXOS)
    deadline = time.monotonic() + 120
    while operator.control.ask("running-config", device=NXOS) == started and time.monotonic() < deadline:
        time.sleep(0.003)
    push.kill()
    push.communicate(timeout=20)
    (copy,) = (operator.lab / "bootflash" / NXOS).glob("*-before-*.cfg")
    stepped = copy.stat().st_mtime - 3600
    os.utime(copy, (stepped, stepped))
    assert f"{NXOS}: a commit is not confirmed" in operator.run("plan", "--limit", NXOS)
    assert "a commit is not confirmed" in operator.run("push", "--yes", "--limit", NXOS, code=7)
    operator.control.ask("advance-clock", seconds=4000)
    assert operator.running()[NXOS] == before
    assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", NXOS)

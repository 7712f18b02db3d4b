"""What goes wrong in the middle of a push: each switch ends as it was or as it was wanted, and the next push works."""

import json
import os
import re
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from nornir_tasks.deploy.journal import Journal
from nornir_tasks.deploy.ledger import Ledger, Step
from nornir_tasks.deploy.tasks import Push
from nornir_tasks.deploy.waves import Wave
from nornir_tasks.drivers import load_driver, open_session
from nornir_tasks.errors import ConnectError, LeftToTimerError
from nornir_tasks.files.push_lock import sole_push
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.progress import ignore
from nornir_tasks.usecases.reach import Access, Reach
from nornir_tasks.usecases.site import load, select

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
BY_SYSTEM = pytest.mark.parametrize("system", sorted(DEVICES))
LONGER_THAN_ANY_TIMER_S = 4000


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to; each test spoils what it needs, and leaves it pushed."""
    with lab_of_its_own(tmp_path_factory.mktemp("faults"), small_site) as made:
        made.run("push", "--yes")
        yield made


def spoil(operator: Operator, *devices: str) -> dict[str, str]:
    """Somebody changes a description in an owned section of each switch; returns what runs now."""
    for device in devices:
        hand = operator.hands()[device]
        if hand.os == "nvue":
            hand.nvue({"interface": {"swp1": {"description": "by hand"}}})
        else:
            hand.configure("interface Ethernet1/1", "description by hand")
    return {device: hand.running() for device, hand in operator.hands().items()}


def journal(operator: Operator) -> Path:
    (path,) = operator.state.glob("*/lab-records/journal.sqlite")
    return path


def journal_states(operator: Operator) -> list[tuple[str, str]]:
    """(device, state) of the last push's entries."""
    query = "SELECT device, state FROM device WHERE push = (SELECT MAX(push) FROM device) ORDER BY at, device"
    with closing(sqlite3.connect(journal(operator))) as db:
        return list(db.execute(query))


def all_timers_fire(operator: Operator) -> None:
    """Time passes for the switches: their timers fire. Nothing else counts: the next push asks them."""
    operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)


def wait_for_commit(operator: Operator, device: str, before: str) -> None:
    """Return as soon as the switch runs something else than ``before``, as its lab says: no connection is made."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if operator.control.ask("running-config", device=device) != before:
            return
        time.sleep(0.003)
    raise AssertionError(f"{device} was never committed to")


def kill_after_commit(operator: Operator, device: str, *words: str) -> None:
    """Start a push and end it without mercy as soon as this switch was committed to."""
    before = operator.control.ask("running-config", device=device)
    push = operator.begin("push", "--yes", *words)
    wait_for_commit(operator, device, before)
    os.kill(push.pid, signal.SIGKILL)
    push.communicate(timeout=20)


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_push_killed_after_its_commit_is_taken_back_by_the_switch_and_the_next_one_works(
    operator: Operator, system: str
) -> None:
    device = DEVICES[system]
    for _ in range(5):  # on busy cores the kill may come after all is done
        before = spoil(operator, device)
        kill_after_commit(operator, device, "--limit", device)
        if journal_states(operator) != [(device, "done")]:
            break
    assert operator.hands()[device].running() != before[device]
    assert journal_states(operator) == [(device, "committed")]

    output = operator.run("push", "--yes", "--limit", device, code=7)
    assert f"{device}: a commit is not confirmed" in output
    (named_s,) = re.findall(r"push again in (\d+) s", output)
    assert 100 <= int(named_s) <= 300, "the timer's 120 s, and the longest apply where the switch does not say"
    assert "0 of 1 changed" in operator.run("push", "--yes", "--limit", "spine-1")

    all_timers_fire(operator)
    assert operator.hands()[device].running() == before[device]
    assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", device)
    assert journal_states(operator) == [(device, "done")]
    assert "0 of 1 changed" in operator.run("push", "--yes", "--limit", device)


def test_a_push_killed_in_its_second_wave_leaves_later_waves_alone(operator: Operator) -> None:
    before = spoil(operator, "leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
    kill_after_commit(operator, "spine-1")
    assert journal_states(operator) == [("leaf-g1-r0", "done"), ("spine-1", "committed")]
    for later in ("spine-2", "leaf-g1-r1"):
        assert operator.hands()[later].running() == before[later]
    all_timers_fire(operator)
    assert operator.hands()["spine-1"].running() == before["spine-1"]
    assert "3 of 4 changed" in operator.run("push", "--yes")
    assert operator.json("validate")["failed"] == 0


def test_switches_that_die_between_commit_and_confirm_are_named_with_what_will_become_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab's own process is killed when all three systems were committed to, as in a power cut."""
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    with lab_of_its_own(tmp_path, small_site) as operator:
        pid, all_committed = int((operator.lab / "pid").read_text()), Barrier(len(DEVICES), timeout=60)

        class Fatal(Ledger):
            def note(self, device: str, step: Step) -> None:
                super().note(device, step)
                if step is Step.GATE and all_committed.wait() == 0:
                    os.kill(pid, signal.SIGKILL)
                if step is Step.GATE:
                    all_committed.wait()

        design = load(operator.site)
        wanted = dict(select(design, limit=list(DEVICES.values())))
        noted = Journal(operator.records / "journal.sqlite")
        with Access(Reach(), ignore).fleet(design, wanted) as switches:
            number = noted.begin("push", frozenset({"compute", "switch"}), DEVICES.values())
            push = Push(noted, number, "lab", {}, {}, {}, Fatal(switches.ledger().timers_s))
            results = switches.push([Wave("all", tuple(DEVICES.values()))], push, lambda _: None)
        assert results.values == {}
        for device, error in results.errors.items():
            assert isinstance(error, LeftToTimerError), error
            assert all(problem.where == device for problem in error.problems)
            (seconds,) = re.findall(r"takes the change back by itself within (\d+) s", str(error))
            assert 60 <= int(seconds) <= 120
        assert [state for _, state in journal_states(operator)] == ["committed"] * 3

        operator.start()
        assert "4 of 4 changed" in operator.run("push", "--yes")


def test_two_pushes_at_once_on_one_machine_do_not_mix(operator: Operator) -> None:
    for _ in range(5):
        spoil(operator, "leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
        both = [operator.begin("push", "--yes") for _ in range(2)]
        output = {push.pid: "".join(push.communicate(timeout=120)) for push in both}
        first, second = sorted(both, key=lambda push: push.returncode)
        if second.returncode:  # on a busy machine the second may begin when the first has ended
            break
    assert (first.returncode, second.returncode) == (0, 7), output
    assert "4 of 4 changed" in output[first.pid]
    assert "another push of this site is under way" in output[second.pid]
    assert f"process {first.pid}" in output[second.pid]
    assert operator.json("validate")["failed"] == 0
    assert "0 of 4 changed" in operator.run("push", "--yes")


def test_no_rollback_begins_while_a_push_is_under_way(operator: Operator) -> None:
    with sole_push(operator.records, "push"):
        assert "another push of this site is under way" in operator.run("rollback", "--yes", code=7)
        assert "0 of 4 switches would change" in operator.run("plan")  # looking is free


def test_two_pushes_at_once_from_two_machines_leave_nothing_half_done(operator: Operator, tmp_path: Path) -> None:
    """The second has a state folder of its own, so nothing but the switches themselves keeps the two apart."""
    spoil(operator, "leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
    elsewhere = tmp_path / operator.lab.parent.name
    elsewhere.mkdir()
    for name in ("lab", "lab-process.lock"):
        (elsewhere / name).symlink_to(operator.lab.with_name(name))
    both = [operator.begin("push", "--yes"), operator.begin("push", "--yes", state=tmp_path)]
    for push in both:
        stdout, stderr = push.communicate(timeout=200)
        assert push.returncode in (0, 6, 7), stdout + stderr  # 7: the other's commit waits for its confirmation
        assert "Traceback" not in stderr
        assert "fault of gpufabric" not in stderr
        assert push.returncode == 0 or "error: " in stderr
    all_timers_fire(operator)
    operator.run("push", "--yes")
    assert operator.json("validate")["failed"] == 0
    assert "0 of 4 changed" in operator.run("push", "--yes")


@contextmanager
def passing_on(address: str, port: int, pause_s: float | None) -> Iterator[int]:
    """A port beside the switch's that passes all on, each answer ``pause_s`` late; None: it never answers."""
    listener = socket.create_server((address, 0))
    ended = threading.Event()
    sockets = [listener]

    def pump(source: socket.socket, target: socket.socket, late_s: float) -> None:
        try:
            while not ended.is_set() and (data := source.recv(65536)):
                time.sleep(late_s)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return  # one side hung up

    def accept() -> None:
        while not ended.is_set():
            try:
                near, _ = listener.accept()
            except OSError:
                return
            sockets.append(near)
            if pause_s is None:
                continue
            far = socket.create_connection((address, port), timeout=30)
            sockets.append(far)
            for source, target, late_s in ((near, far, 0.0), (far, near, pause_s)):
                threading.Thread(target=pump, args=(source, target, late_s), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        ended.set()
        for each in sockets:
            each.close()


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_switch_that_answers_slowly_is_pushed_to_all_the_same(operator: Operator, system: str) -> None:
    device = DEVICES[system]
    spoil(operator, device)
    devices = operator.lab / "devices.yml"
    listed = devices.read_text()
    known = json.loads((operator.lab / "spec.json").read_text())["devices"]
    (there,) = [each for each in known if each["name"] == device]
    with passing_on(there["address"], there["api_port"], 0.15) as port:
        head, _, tail = listed.partition(f"  {device}:\n")
        devices.write_text(head + f"  {device}:\n" + tail.replace(str(there["api_port"]), str(port), 1))
        try:
            assert "1 of 1 changed" in operator.run("push", "--yes", "--limit", device)
        finally:
            devices.write_text(listed)
    assert "0 of 1 changed" in operator.run("push", "--yes", "--limit", device)


@BY_SYSTEM
def test_a_switch_that_takes_the_connection_and_says_nothing_is_given_up(
    operator: Operator, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(operator.state))
    device = DEVICES[system]
    endpoint = endpoints(load(operator.site).site, {device: system})[device].endpoint
    load_driver(system)
    begin = time.monotonic()
    with passing_on(endpoint.address, endpoint.api_port, None) as port:
        session = open_session(system, replace(endpoint, api_port=port, timeout_s=1.5))
        with pytest.raises(ConnectError, match=device):
            session.read()
        session.close()
    assert time.monotonic() - begin < 10


def test_a_journal_that_cannot_be_written_stops_the_push_before_anything_is_sent(operator: Operator) -> None:
    before = spoil(operator, "leaf-g1-r0")
    path, aside = journal(operator), operator.lab.parent / "aside"
    path.rename(aside)
    path.mkdir()
    try:
        output = operator.run("push", "--yes", code=11)
    finally:
        path.rmdir()
        aside.rename(path)
    assert f"{path}: the journal cannot be read or written" in output
    assert operator.hands()["leaf-g1-r0"].running() == before["leaf-g1-r0"]
    assert "1 of 4 changed" in operator.run("push", "--yes")

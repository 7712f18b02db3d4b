"""``lab up`` and ``down`` as commands of their own: side by side, killed, on full and read-only disks."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import lab_up
import pytest

from nornir_tasks.errors import LabError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.lab.manager import Lab
from nornir_tasks.lab.network import free_network, networks
from nornir_tasks.lab.plan import differences, specification
from nornir_tasks.lab.process import start_time

TIMEOUT_S = 120
NORNIR = Path(sys.executable).parent / "nornir"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """A site's state folder; what still runs of its lab at the end is ended."""
    yield from _state(tmp_path / "state")


def _state(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    try:
        yield folder
    finally:
        Lab(folder).down()


def start(state: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, lab_up.__file__, str(state), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def open_files(process: subprocess.Popen[str]) -> Iterator[Path]:
    return Path(f"/proc/{process.pid}/fd").iterdir()


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, stderr
    answer: dict[str, Any] = json.loads(stdout)
    return answer


def addresses(state: Path) -> list[tuple[str, int]]:
    listed = load_devices(state / "lab/devices.yml").devices.values()
    return [(each.address, each.api_port or 0) for each in listed]


def answers(address: tuple[str, int]) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(address) == 0


def processes_of(state: Path) -> list[int]:
    """Every process that plays this lab's switches, found without what the lab notes of itself."""
    wanted, found = str(state / "lab/spec.json").encode(), []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            words = (each / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in words and start_time(int(each.name)) is not None:
            found.append(int(each.name))
    return found


# -- two at once ---------------------------------------------------------------------------------------------------


def test_two_ups_at_once_end_with_one_lab_that_both_call_theirs(state: Path) -> None:
    for _ in range(3):
        pair = [end(each) for each in [start(state), start(state)]]
        assert sorted(each["is_new"] for each in pair) == [False, True]
        assert processes_of(state) == [pair[0]["pid"]] == [pair[1]["pid"]]
        assert all(answers(each) for each in addresses(state))
        where = addresses(state)
        assert end(start(state, "down"))["was_there"]
        assert processes_of(state) == [] and not any(answers(each) for each in where)


def test_the_second_of_two_says_who_it_waits_for(state: Path) -> None:
    """The first is stopped in the middle, so the second meets it however quick or slow this machine is."""
    first = start(state)
    deadline = time.monotonic() + TIMEOUT_S
    while not (state / "lab/spec.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    second = start(state)
    while not any(each.exists() and each.samefile(state / "lab.lock") for each in open_files(second)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)  # it has opened the lock; now it tries it
    first.send_signal(signal.SIGCONT)
    met = end(second)
    assert end(first)["is_new"] and not met["is_new"]
    (output,) = met["messages"]
    assert output.startswith(f"another command works on this lab (process {first.pid}, since ")


def test_up_and_down_at_once_leave_a_lab_or_none_but_nothing_in_between(state: Path) -> None:
    for _ in range(2):
        up, down = start(state), start(state, "down")
        end(up)
        end(down)
        lab = Lab(state)
        assert lab.state() in ("up", "down")
        assert len(processes_of(state)) == (lab.state() == "up")
        assert end(start(state))["pid"] == lab.process.pid() and lab.state() == "up"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("after_s", [0.2, 0.5, 0.8, 1.2, 1.8])
def test_up_killed_at_any_moment_leaves_nothing_that_the_next_up_stumbles_over(state: Path, after_s: float) -> None:
    first = start(state)
    time.sleep(after_s)
    first.kill()
    first.communicate()
    second = end(start(state))
    assert processes_of(state) == [second["pid"]] and second["lost"] == ""
    assert all(answers(each) for each in addresses(state))
    where = addresses(state)
    end(start(state, "down"))
    assert processes_of(state) == [] and not any(answers(each) for each in where)


def test_down_killed_at_once_is_finished_by_the_next_up(state: Path) -> None:
    before = end(start(state))["pid"]
    down = start(state, "down")
    deadline = time.monotonic() + TIMEOUT_S
    while (state / "lab/ready.json").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    down.kill()
    down.communicate()
    after = end(start(state))["pid"]
    assert after != before and processes_of(state) == [after]


# -- a lab that ended by itself ------------------------------------------------------------------------------------


def test_lab_that_was_killed_is_called_crashed_and_the_next_up_says_what_is_lost(state: Path) -> None:
    lab = Lab(state)
    assert lab.state() == "down"
    lab.up(lab_up.PLAN)
    assert lab.state() == "up"
    pid = lab.process.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    _wait_until_gone(lab)
    assert lab.state() == "crashed" and not lab.is_up()
    with pytest.raises(LabError, match=r"the lab is not up: it was killed, or crashed; what was pushed .* is lost"):
        lab.ask("status")
    assert lab.up(lab_up.PLAN).lost == "it was killed, or crashed"
    assert lab.up(lab_up.PLAN).lost == ""


def test_lab_that_somebody_else_ended_says_how(state: Path) -> None:
    lab = Lab(state)
    lab.up(lab_up.PLAN)
    pid = lab.process.pid()
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    _wait_until_gone(lab)
    assert lab.state() == "crashed"
    assert lab.up(lab_up.PLAN).lost == "it was ended by SIGTERM"


def test_another_process_with_the_same_id_is_not_taken_for_the_lab(state: Path) -> None:
    lab = Lab(state)
    lab.up(lab_up.PLAN)
    record = json.loads((state / "lab/process.json").read_text())
    assert lab.process.pid() == record["pid"]
    (state / "lab/process.json").write_text(json.dumps({**record, "pid": os.getpid()}))
    assert lab.process.pid() is None, "our own id, but started at another time"
    (state / "lab/process.json").write_text(json.dumps(record))


def _wait_until_gone(lab: Lab) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while lab.process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.02)


# -- networks ------------------------------------------------------------------------------------------------------


def test_two_labs_whose_folders_hash_to_one_network_stand_in_two(tmp_path: Path) -> None:
    """The folders' names are searched for until the second one's hash is the first one's."""
    first, second = tmp_path / "first", _same_hash(tmp_path, tmp_path / "first")
    assert next(networks(first / "lab")) == next(networks(second / "lab"))
    for one in _state(first):
        for other in _state(second):
            Lab(one).up(lab_up.PLAN)
            Lab(other).up(lab_up.PLAN)
            (here,), (there,) = addresses(one), addresses(other)
            assert here != there and answers(here) and answers(there)
            written = json.loads((other / "lab/spec.json").read_text())
            assert there[0].startswith(f"{written['network']}.")
            assert not Lab(other).up(lab_up.PLAN).is_new, "another network is no other design"


def test_no_network_left_is_an_error_that_says_what_to_end(tmp_path: Path) -> None:
    devices = specification(lab_up.PLAN, tmp_path, "127.0", 0.0)["devices"]
    with pytest.raises(LabError, match="no loopback network is free") as refused:
        free_network(tmp_path, devices, "", list(networks(tmp_path)))
    assert "nornir lab down" in str(refused.value) and "8443" in str(refused.value)


def _same_hash(tmp_path: Path, other: Path) -> Path:
    def digest(folder: Path) -> int:
        return hashlib.sha256(str((folder / "lab").resolve()).encode()).digest()[0] % 128

    return next(found for n in range(100_000) if digest(found := tmp_path / f"second-{n}") == digest(other))


# -- what differs --------------------------------------------------------------------------------------------------


def test_running_lab_that_is_not_the_wanted_one_says_in_what(state: Path) -> None:
    lab = Lab(state)
    lab.up(lab_up.PLAN)
    with pytest.raises(LabError, match="it runs with --rtt-ms 0, not 50") as refused:
        lab.up(lab_up.PLAN, 50)
    assert "design" not in str(refused.value)
    second = replace(lab_up.PLAN.devices[0], name="leaf-2")
    with pytest.raises(LabError, match="1 switch is new: leaf-2; 1 NIC is gone: gpu-1:rail1"):
        lab.up(replace(lab_up.PLAN, devices=(*lab_up.PLAN.devices, second), hosts=lab_up.PLAN.hosts[:1]))
    assert lab.state() == "up"


def test_differences_name_few_and_count_all(tmp_path: Path) -> None:
    one = specification(lab_up.PLAN, tmp_path, "127.64", 0.0)
    cables = [{"id": f"c{number}", "a": ["x", "1"], "b": ["y", str(number)]} for number in range(5)]
    assert differences(one, one) == []
    assert differences(one, {**one, "cables": cables}) == ["5 cables are new: c0, c1, c2, ..."]
    moved = {**one, "cables": [{**cables[0], "b": ["z", "9"]}, *cables[1:]]}
    assert differences({**one, "cables": cables}, moved) == ["1 cable is another now: c0"]


# -- disks ---------------------------------------------------------------------------------------------------------


def on_disk(folder: Path, options: str, before: str = "true") -> subprocess.CompletedProcess[str]:
    """``nornir lab up`` with its state on a disk of its own, in a mount namespace that ends with it."""
    script = (
        f"mount -t tmpfs -o {options} tmpfs {folder} && {before} && "
        f"{{ GPUFABRIC_STATE={folder} {NORNIR} lab up; code=$?; find {folder} -type f -size +0; exit $code; }}"
    )
    command = ["unshare", "--mount", "sh", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.mark.sampled(1)
@pytest.mark.needs("root")
@pytest.mark.parametrize("size", ["16k", "128k"])
def test_up_on_a_full_disk_says_which_file_and_what_to_do_and_leaves_nothing(tmp_path: Path, size: str) -> None:
    done = on_disk(tmp_path, f"size={size}")
    assert done.returncode == LabError.exit_code, done.stderr
    assert "cannot be written: No space left on device" in done.stderr or "no space" in done.stderr.lower()
    assert str(tmp_path) in done.stderr and "free space there" in done.stderr
    assert "Traceback" not in done.stderr
    left = {Path(line).name for line in done.stdout.splitlines()}
    assert left <= {"lab.lock", "log"}


@pytest.mark.needs("root")
def test_up_in_a_read_only_folder_says_so_and_what_to_do(tmp_path: Path) -> None:
    site = f"GPUFABRIC_STATE={tmp_path} {NORNIR} lab status >/dev/null"  # makes the site's folder
    done = on_disk(tmp_path, "size=1m", f"{site} && mount -o remount,ro {tmp_path}")
    assert done.returncode == LabError.exit_code, done.stderr
    assert "cannot be written: Read-only file system" in done.stderr and "GPUFABRIC_STATE" in done.stderr
    assert "Traceback" not in done.stderr

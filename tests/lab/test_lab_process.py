"""The lab process starts, answers, and is gone when it should be; nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from described_lab import LabDescription, RunningLab, start_process, starter, wait_ready

from switch_twins.client import ControlClient, TwinError
from switch_twins.process import CANNOT_START
from switch_twins.server import read_password
from switch_twins.spec_reader import SpecError, load_spec

Start = Callable[[LabDescription], RunningLab]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_process_cleanly_and_takes_its_files_along(
    lab_description: LabDescription, start_lab: Start, number: signal.Signals
) -> None:
    lab = start_lab(lab_description)
    socket_path = Path(lab.ready["control"])
    assert lab.ready["pid"] == lab.process.pid and stat.S_IMODE(socket_path.stat().st_mode) == 0o600
    lab.process.send_signal(number)
    assert lab.process.wait(15) == 0
    assert not socket_path.exists() and not (lab_description.directory / "ready.json").exists()
    assert (lab_description.directory / "twins.log").read_text() == "", "a clean end says nothing"


def test_lifetime_ends_a_forgotten_process(lab_description: LabDescription) -> None:
    lab_description.write()
    process = start_process(lab_description, "--max-seconds", "1")
    try:
        wait_ready(lab_description, process)
        assert process.wait(20) == 0
    finally:
        process.kill()
    assert not is_alive(process.pid)


def test_failing_test_leaves_no_process_behind(lab_description: LabDescription) -> None:
    generator = starter()  # the fixture's own generator, driven by hand to end it with an error
    lab = next(generator)(lab_description)
    with pytest.raises(AssertionError):
        generator.throw(AssertionError("a test failed"))
    assert lab.process.poll() is not None


def test_second_start_after_a_kill_works_in_the_same_directory(
    lab_description: LabDescription, start_lab: Start
) -> None:
    first = start_lab(lab_description)
    first.process.kill()
    first.process.wait(15)
    assert Path(first.ready["control"]).exists(), "a killed process cannot clean up; the next one must cope"
    second = start_lab(lab_description)
    assert second.control.ask("status")["pid"] == second.process.pid


def test_socket_is_found_though_the_lab_directory_has_a_long_name(tmp_path: Path, start_lab: Start) -> None:
    description = LabDescription(tmp_path / ("long-" * 20) / "lab")
    lab = start_lab(description)
    assert lab.control.ask("status")["site"] == "test"
    short_directory = Path(lab.ready["control"]).parent
    lab.stop()
    assert not short_directory.exists()


def test_control_answers_and_refuses_without_dying(lab_description: LabDescription, start_lab: Start) -> None:
    control = start_lab(lab_description).control
    assert set(control.ask("cpu")) == {"user_s", "system_s"}
    for request, arguments, message in (
        ("nonsense", {}, "not a request"),
        ("swap-cables", {"cables": ["c1"]}, "not a request"),
        ("cut-cable", {"cable": "c9"}, "there is no cable 'c9'"),
        ("rib", {"device": "x"}, "no such device"),
    ):
        with pytest.raises(TwinError, match=message):
            control.ask(request, **arguments)
    before_s = control.ask("status")["uptime_s"]
    control.ask("advance-clock", seconds=3600)
    assert control.ask("status")["uptime_s"] - before_s >= 3600


def test_asking_a_lab_that_is_not_up_is_an_error_at_once(tmp_path: Path) -> None:
    started_s = time.monotonic()
    with pytest.raises(TwinError, match="the lab does not answer"):
        ControlClient(tmp_path / "control.sock").ask("status")
    assert time.monotonic() - started_s < 5


def test_unstartable_lab_says_why_and_exits_with_the_code_it_documents(lab_description: LabDescription) -> None:
    lab_description.add_device("leaf", "eos", os="junos")
    lab_description.write()
    process = start_process(lab_description)
    assert process.wait(30) == CANNOT_START == 10
    log = (lab_description.directory / "twins.log").read_text()
    assert "leaf: there is no twin of this OS\n  expected: eos, nvue, nxos\n  found: junos" in log
    assert "Traceback" not in log
    assert not (lab_description.directory / "ready.json").exists()


def test_specification_mistakes_are_all_reported_at_once(lab_description: LabDescription) -> None:
    leaf = lab_description.add_device("leaf", "eos")
    lab_description.add_device("twin", "eos", address=leaf["address"])
    lab_description.add_device("outside", "eos", address="192.0.2.1")
    lab_description.add_cable(("leaf", "Ethernet1/1"), ("spine", "swp1"))
    lab_description.add_cable(("leaf", "Ethernet1/1"), ("leaf", "Ethernet99/1"))
    with pytest.raises(SpecError) as error:
        load_spec(lab_description.write())
    text = str(error.value)
    for mistake in (
        "spine:swp1: there is no such device",
        "leaf:Ethernet99/1: the device has no such port",
        "leaf:Ethernet1/1: cabled twice",
        ":8443: used by two devices",
        "192.0.2.1 is not a loopback address",
    ):
        assert mistake in text


def test_mistakes_about_hosts_and_their_bonds_are_all_reported_at_once(lab_description: LabDescription) -> None:
    lab_description.add_device("leaf", "eos")
    bond = {"host": "gpu-0", "name": "front", "mtu_bytes": 9000}
    wrong = [{"tag": 4095}, {"tag": 7, "addresses": ["10.0.0.300/24"]}, {"tag": 7}]
    lab_description.bonds += [{**bond, "lacp": "on", "rate": "quick", "vlans": wrong}, bond]
    port = {"name": "gpu-0", "port": "front0", "switch": ["leaf", "Ethernet1/1"], "mtu_bytes": 9000}
    lab_description.hosts.append({**port, "bond": "frnt", "mac": "0C-42"})
    with pytest.raises(SpecError) as error:
        load_spec(lab_description.write())
    text = str(error.value)
    for mistake in (
        "gpu-0:front: lacp is one of active, passive, off, not 'on'",
        "gpu-0:front: rate is one of fast, slow, not 'quick'",
        "gpu-0:front: VLAN tag 4095 is not from 1 to 4094",
        "gpu-0:front: '10.0.0.300/24' is no address with length",
        "gpu-0:front: VLAN tag 7 listed twice",
        "gpu-0:front: bond listed twice",
        "gpu-0:front0: the host has no bond 'frnt'",
        "gpu-0:front0: '0C-42' is no MAC address",
    ):
        assert mistake in text
    lab_description.hosts[0] = {**port, "bonds": "front"}
    with pytest.raises(SpecError, match="wrong shape"):
        load_spec(lab_description.write())


def test_specification_survives_the_way_through_json(lab_description: LabDescription) -> None:
    lab_description.add_device("leaf", "eos", allow_from_memory=["a rule"])
    lab_description.hosts.append(
        {"name": "gpu-0", "port": "rail0", "switch": ["leaf", "Ethernet1/1"], "mtu_bytes": 9000}
    )
    spec = load_spec(lab_description.write())
    assert spec.device("leaf").allow_from_memory == ("a rule",) and spec.hosts[0].switch.port == "Ethernet1/1"
    assert replace(spec) == spec


def test_missing_key_and_broken_json_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    for content, message in (("{", "cannot be read"), (json.dumps({"site": "x"}), "key 'dir' is missing")):
        path.write_text(content)
        with pytest.raises(SpecError, match=message) as error:
            load_spec(path)
        assert str(path) in str(error.value)


def test_password_file_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("secret\n")
    path.chmod(0o644)
    with pytest.raises(TwinError, match="may be read by others"):
        read_password(path)
    path.chmod(0o600)
    assert read_password(path) == "secret"
    path.write_text("\n")
    with pytest.raises(TwinError, match="empty"):
        read_password(path)

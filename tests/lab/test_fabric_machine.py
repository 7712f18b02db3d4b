"""A routed lab in one QEMU machine: the verbs of an operator work on it unchanged, and nothing of it is left.

The site has four switches, so that an emulated machine comes up within minutes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator, small_site
from routed_lab import RoutedLab, needs_root, on_this_machine, until

from nornir_tasks.usecases.site import load

pytestmark = [needs_root, pytest.mark.long]
UP = ("lab", "up", "--routed", "--machine", "--plane", "compute")
CONVERGED_S = 240.0
"""In an emulated machine on busy cores."""
CABLE = "leaf-g1-r0-u1"
VERB_S = 1800.0
DELAY_MS = 40.0
TIMES: list[str] = []


def small_machine(where: Path) -> Operator:
    made = small_site(where)
    made.timeout_s = VERB_S
    return made


def left_of(operator: Operator) -> list[str]:
    """What of the site's lab is there: processes that name a file of it, its folder, and what namespaces have."""
    found = on_this_machine(operator)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            found += [words] if f"{operator.state}/" in words else []
    found += [str(each) for each in operator.state.glob("*/lab")]
    return sorted(found)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = small_machine(tmp_path_factory.mktemp("machine"))
    began_s = time.monotonic()
    try:
        operator.run(*UP)
        up_s = time.monotonic() - began_s
        operator.run("push", "--plane", "compute", "--yes")
        made = RoutedLab(operator)
        until(made.assert_both_tiers_agree, CONVERGED_S)
        TIMES.append(f"up after {up_s:.0f} s, pushed and converged after {time.monotonic() - began_s:.0f} s")
        yield made
    finally:
        operator.run("lab", "down")
    assert left_of(operator) == []


@pytest.fixture(autouse=True)
def _whole(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "lab" in request.fixturenames:
        made: RoutedLab = request.getfixturevalue("lab")
        made.operator.run("lab", "mend")
        until(made.assert_both_tiers_agree, CONVERGED_S)


def machine_of(operator: Operator) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((operator.lab / "ready.json").read_text())["machine"]
    return found


def test_status_says_where_the_fabric_runs(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    machine = lab.operator.json("lab", "status")["machine"]
    kib = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{machine['pid']}/status").read_text())
    assert kib is not None
    memory = f"{int(kib[1]) // 1024} MiB of QEMU, {machine['memory_mib']} MiB of the machine"
    figure(f"machine with {len(lab.switches)} switches ({machine['accelerator']}): {', '.join(TIMES)}; {memory}")
    assert machine["pid"] == machine_of(lab.operator)["pid"] and Path(f"/proc/{machine['pid']}").exists()
    assert "the fabric runs in one machine" in lab.operator.run("lab", "status")


def test_up_and_push_a_second_time_change_nothing(lab: RoutedLab) -> None:
    kernel = {name: lab.kernel(name) for name in lab.switches}
    assert "4 switches were up already" in lab.operator.run(*UP)
    assert "0 of 4 changed" in lab.operator.run("push", "--plane", "compute", "--yes")
    assert {name: lab.kernel(name) for name in lab.switches} == kernel
    assert "it runs in a machine of its own" in lab.operator.run("lab", "up", "--routed", "--plane", "compute", code=10)


def test_validate_finds_everything_as_designed(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    output = lab.operator.run("validate", "--plane", "compute")
    tested = re.search(r"passed, tested (\d+) of (\d+)", output)
    assert tested and tested[1] == tested[2], output
    figure(f"machine: {tested[0]}")


def test_every_kernel_has_the_next_hops_of_the_design(lab: RoutedLab) -> None:
    assert lab.assert_next_hops_of_the_design(load(lab.operator.site).network, "compute") == 2 * 3


def test_probes_cross_every_spine_and_a_dead_one_is_named(lab: RoutedLab) -> None:
    found = lab.operator.json("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", "4")
    assert found["lost"] == 0 and {name for name, packets in found["crossed"].items() if packets > 400} == {
        "spine-1",
        "spine-2",
    }
    lab.operator.run("lab", "kill", "spine-1")
    until(lambda: len(set().union(*lab.kernel("leaf-g1-r0").values())) == 1, CONVERGED_S)
    report = lab.operator.json("validate", "--plane", "compute", code=8)
    first = next(each for each in report["findings"] if each["id"] == report["causes"][0])
    assert (first["check"], first["device"]) == ("reach", "spine-1")


def test_bfd_takes_a_switch_that_hangs_out_of_the_next_hops(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    began_s = time.monotonic()
    lab.operator.run("lab", "freeze", "spine-1")
    until(lambda: len(set().union(*lab.kernel("leaf-g1-r0").values())) == 1, CONVERGED_S)
    figure(f"machine: the next hops of a switch that hangs are gone within {time.monotonic() - began_s:.0f} s")
    (reason,) = (each["reason"] for each in lab.ask("sessions", device="leaf-g1-r0") if each["peer"] == "spine-1")
    assert "BFD" in reason
    lab.operator.run("lab", "mend", "spine-1")


def round_trip_ms(lab: RoutedLab) -> float:
    """The shortest of some, over one of rail 0's cables to its leaf."""
    shown = lab.inside("gpu-1", "ping", "-n", "-q", "-c", "10", "-i", "0.2", "-W", "5", "10.168.0.0")
    return float(shown.rpartition("= ")[2].split("/")[0])


def test_a_cable_holds_packets_back_for_as_long_as_it_is_told(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    host_cable = lab.operator.json("lab", "delay", "gpu-1:rail0", f"{DELAY_MS:g}")
    assert host_cable["changed"] and host_cable["broken"][0]["delay_ms"] == DELAY_MS
    assert "holding back every packet for 40 ms already" in lab.operator.run("lab", "delay", "gpu-1:rail0", "40ms")
    slow_ms = round_trip_ms(lab)
    assert slow_ms >= 2 * DELAY_MS
    assert "holds back every packet 40 ms each way" in lab.operator.run("lab", "status")
    lab.operator.run("lab", "delay", "gpu-1:rail0", "5")
    assert 10 <= round_trip_ms(lab) < 2 * DELAY_MS
    assert "from 0.1 to 10000" in lab.operator.run("lab", "delay", CABLE, "soon", code=10)
    assert lab.operator.json("lab", "mend", "gpu-1:rail0")["mended"]
    assert round_trip_ms(lab) < 10
    figure(f"machine: {DELAY_MS:g} ms on a host's cable make a round trip of at least {slow_ms:.0f} ms")


def test_a_cable_that_is_swapped_stays_slow(lab: RoutedLab) -> None:
    lab.operator.run("lab", "delay", CABLE, "30")
    lab.operator.run("lab", "swap", CABLE, "leaf-g1-r1-u1")
    shown = [lab.inside("spine-1", "tc", "qdisc", "show", "dev", port) for port in ("swp1", "swp2")]
    assert sum("netem" in each and "delay 30ms" in each for each in shown) == 1
    lab.operator.run("lab", "mend")
    assert not any("netem" in lab.inside("spine-1", "tc", "qdisc", "show", "dev", port) for port in ("swp1", "swp2"))


def test_keys_of_the_lab_can_be_read_by_its_owner_alone(lab: RoutedLab) -> None:
    assert stat.S_IMODE(lab.operator.lab.stat().st_mode) == 0o700
    for file in lab.operator.lab.rglob("*"):
        if file.name in ("id", "host_key") or file.parent.name == ".secrets":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert not list(lab.operator.lab.rglob("*.key")), "the switches' keys stay in the machine's memory"
    password = (lab.operator.lab / ".secrets/switch_password").read_text()
    listed = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert password not in listed


def test_hosts_as_machines_are_refused_by_name(lab: RoutedLab) -> None:
    refused = lab.operator.run(*UP, "--hosts", "1", code=10)
    assert "--hosts: hosts cannot be machines where the switches run in one" in refused


def test_down_ends_all_of_a_lab(tmp_path: Path, figure: Callable[[str], None]) -> None:
    operator = small_machine(tmp_path)
    try:
        operator.run(*UP)
    finally:
        began_s = time.monotonic()
        assert "the lab is down" in operator.run("lab", "down")
        figure(f"machine with 4 switches: down after {time.monotonic() - began_s:.1f} s")
    assert left_of(operator) == []
    assert "no lab was up" in operator.run("lab", "down")


@pytest.mark.parametrize("victim", ["QEMU", "the lab's process"])
def test_a_machine_that_is_killed_leaves_nothing_that_down_does_not_remove(victim: str, tmp_path: Path) -> None:
    operator = small_machine(tmp_path)
    try:
        operator.run(*UP)
        machine, process = machine_of(operator)["pid"], int((operator.lab / "pid").read_text())
        os.kill(machine if victim == "QEMU" else process, signal.SIGKILL)
        until(lambda: not Path(f"/proc/{machine}").exists(), 20.0)
        until(lambda: operator.json("lab", "status")["state"] == "crashed", 20.0)
        why = operator.json("lab", "status")["why"]
        assert ("QEMU ended: it was killed by SIGKILL" if victim == "QEMU" else "it was killed, or crashed") in why
        assert "the lab is down" in operator.run("lab", "down")
    finally:
        operator.run("lab", "down")
    assert left_of(operator) == []


def test_a_lab_that_is_ended_while_its_machine_boots_leaves_nothing(tmp_path: Path) -> None:
    operator = small_machine(tmp_path)
    starting = operator.begin(*UP)
    try:
        until(lambda: list(operator.state.glob("*/lab/fabric-machine/serial.log")), 60.0)
        os.kill(int((operator.lab / "pid").read_text()), signal.SIGKILL)
        _, stderr = starting.communicate(timeout=60)
        assert starting.returncode == 10 and "the lab did not start" in stderr, stderr
    finally:
        starting.kill()
        starting.communicate()
        operator.run("lab", "down")
    assert left_of(operator) == []

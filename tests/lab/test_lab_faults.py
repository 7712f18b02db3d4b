"""The lab broken on purpose: each fault is named by `validate`, is there once however often it is made, and goes."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from at_terminal import ROOT, Operator, small_site

from nornir_tasks.files.devices_file import DeviceList

pytestmark = pytest.mark.xdist_group("lab-faults")

BY_SYSTEM = pytest.mark.parametrize("device", ["leaf-g1-r0", "leaf-g1-r1", "spine-2"])
"""One of EOS, NX-OS and Cumulus Linux."""
FABRIC, OTHER = "leaf-g1-r0-u1", "leaf-g1-r1-u1"
HOST = "leaf-g1-r0-h1"
GOLDEN = ROOT / "tests/errors/faults_of_what_the_lab_has_not/expected.txt"
ANSWERED_S = 10
"""As the device list says here; without it 30 s."""
GIVEN_UP_S = 2 * ANSWERED_S
"""Two tries: the time within which a switch that takes connections and answers nothing is given up."""
LONGER_THAN_ANY_TIMER_S = 4000


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to, whose hosts speak LLDP; each test leaves it whole."""
    made = small_site(tmp_path_factory.mktemp("lab-faults"))
    made.run("lab", "up", "--host-lldp")
    try:
        made.run("push", "--yes")
        yield made
    finally:
        made.run("lab", "down")


@pytest.fixture(autouse=True)
def whole(lab: Operator) -> Iterator[None]:
    yield
    lab.run("lab", "mend")


def first_finding(operator: Operator, code: int = 8) -> dict[str, Any]:
    """The finding that `validate` prints first."""
    report = operator.json("validate", code=code)
    (found,) = [each for each in report["findings"] if each["id"] == report["causes"][0]]
    return {**found, "causes": len(report["causes"])}


def spoil(operator: Operator, device: str, *, save: bool = False) -> str:
    """Somebody changes a description; returns what runs now. Cumulus Linux saves it by itself."""
    hand = operator.hands()[device]
    before = hand.running()
    match hand.os:
        case "eos":
            hand.configure("interface Ethernet1/1", "description by hand")
            hand.eapi("write memory" if save else "show version")
        case "nxos":
            hand.configure("interface Ethernet1/1", "description by hand")
            hand.nxapi("copy running-config startup-config" if save else "show clock")
        case _:
            hand.nvue({"interface": {"swp1": {"description": "by hand"}}})
    assert hand.running() != before
    return hand.running()


# -- cables --------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("cable", "name"),
    [
        (FABRIC, FABRIC),
        ("spine-1:swp1", FABRIC),
        ("leaf-g1-r0:Ethernet63/1", FABRIC),
        (HOST, HOST),
        ("gpu-1:rail0", HOST),
    ],
)
def test_a_cut_cable_has_no_carrier_and_is_named_first(lab: Operator, cable: str, name: str) -> None:
    assert f"cable {name} is cut: " in lab.run("lab", "cut", cable)
    found = first_finding(lab)
    assert (found["check"], found["causes"]) == ("port", 1)
    assert f"look at cable {name}: " in found["remedy"]
    assert f"nothing changed: cable {name} is cut already" in lab.run("lab", "cut", cable)
    assert f"no more: cable {name} is cut" in lab.run("lab", "mend", cable)
    assert f"nothing changed: nothing of {name} is broken" in lab.run("lab", "mend", cable)
    assert lab.json("validate")["failed"] == 0


def test_the_far_end_is_checked_where_it_is_said(lab: Operator) -> None:
    assert f"cable {FABRIC} is cut" in lab.run("lab", "cut", "spine-1:swp1", "leaf-g1-r0:Ethernet63/1")
    refused = lab.run("lab", "cut", "spine-1:swp1", "spine-1:swp2", code=10)
    assert "spine-1:swp2: is not the other end of spine-1:swp1" in refused
    assert "expected: spine-1:swp1 to leaf-g1-r0:Ethernet63/1" in refused


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("one", "other"), [(FABRIC, OTHER), (HOST, "leaf-g1-r0-h2"), (HOST, "leaf-g1-r1-h2")])
def test_swapped_cables_are_named_first_both_of_them(lab: Operator, one: str, other: str) -> None:
    swapped = f"the far ends of cables {one} and {other} are swapped"
    assert swapped in lab.run("lab", "swap", one, other)
    found = first_finding(lab)
    assert (found["check"], found["causes"]) == ("lldp", 1)
    assert f"swap the ends of {one} and {other}" in found["message"]
    assert f"nothing changed: {swapped} already" in lab.run("lab", "swap", one, other)
    assert f"{one}: this cable is swapped with {other}" in lab.run("lab", "swap", one, "leaf-g1-r0-h4", code=10)
    assert f"no more: {swapped}" in lab.run("lab", "mend", other)
    assert lab.json("validate")["failed"] == 0


def test_three_cables_that_the_lab_was_told_to_mix_up_are_all_mended(lab: Operator) -> None:
    lab.control.ask("swap-cables", cables=[FABRIC, OTHER])
    lab.control.ask("swap-cables", cables=[OTHER, "leaf-g1-r0-u2"])
    lab.run("lab", "mend", OTHER)
    assert OTHER not in str(lab.json("lab", "status")["faults"])
    lab.run("lab", "mend")
    assert lab.json("validate")["failed"] == 0


# -- switches ------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_killed_switch_is_named_once_and_boots_with_what_it_had_saved(lab: Operator, device: str) -> None:
    before = lab.hands()[device].running()
    spoilt = spoil(lab, device)
    assert f"switch {device} has no power" in lab.run("lab", "kill", device)
    assert f"nothing changed: switch {device} has no power already" in lab.run("lab", "kill", device)
    found = first_finding(lab)
    assert (found["check"], found["device"], found["causes"]) == ("reach", device, 1)
    assert "refused" in found["message"]
    assert len(lab.run("validate", code=8).splitlines()) < 40
    assert f"{device}: this switch has no power" in lab.run("lab", "freeze", device, code=10)
    assert f"no more: switch {device} has no power" in lab.run("lab", "revive", device)
    assert f"nothing changed: switch {device} has power" in lab.run("lab", "revive", device)
    assert lab.hands()[device].running() == (spoilt if device == "spine-2" else before)
    assert f"{int(device == 'spine-2')} of 4 changed" in lab.run("push", "--yes")
    assert lab.json("validate")["failed"] == 0


def test_switches_that_hang_are_given_up_in_time_and_nobody_else_is_blamed(lab: Operator) -> None:
    """One of each system at once, as each takes its time."""
    assert DeviceList.model_fields["timeout_s"].default == 30
    file = lab.lab / "devices.yml"
    listed = file.read_text()
    hanging = ["leaf-g1-r0", "leaf-g1-r1", "spine-2"]
    for device in hanging:
        assert f"switch {device} hangs" in lab.run("lab", "freeze", device)
        assert f"nothing changed: switch {device} hangs already" in lab.run("lab", "freeze", device)
    file.write_text(f"timeout_s: {ANSWERED_S}\n{listed}")
    began_s = time.monotonic()
    report = lab.json("validate", code=8)
    file.write_text(listed)
    assert GIVEN_UP_S <= time.monotonic() - began_s < GIVEN_UP_S + 60
    assert report["causes"] == [f"reach {device}" for device in hanging]
    led = {each["id"]: each for each in report["findings"]}
    assert {led[each]["verdict"] for each in report["causes"]} == {"could not tell"}
    assert not [each for each in report["findings"] if each["check"] == "port" and each["verdict"] == "fail"]
    assert "leaf-g1-r1: this switch has power; it hangs" in lab.run("lab", "revive", "leaf-g1-r1", code=10)
    assert "no more: switch spine-2 hangs" in lab.run("lab", "mend", "spine-2")
    lab.run("lab", "mend")
    assert lab.json("validate")["failed"] == 0


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_hang_that_ends_in_time_is_only_waited_for(lab: Operator, device: str) -> None:
    lab.run("lab", "freeze", device)
    waiting = lab.begin("validate", "--limit", device)
    time.sleep(4)
    assert waiting.poll() is None
    lab.run("lab", "mend", device)
    stdout, stderr = waiting.communicate(timeout=90)
    assert waiting.returncode == 0, stdout + stderr


def test_power_off_and_on_ends_a_hang(lab: Operator) -> None:
    lab.run("lab", "freeze", "leaf-g1-r1")
    lab.run("lab", "kill", "leaf-g1-r1")
    assert [each["fault"] for each in lab.json("lab", "status")["faults"]] == ["killed"]
    lab.run("lab", "revive", "leaf-g1-r1")
    assert lab.json("validate")["failed"] == 0


# -- what is in force ----------------------------------------------------------------------------------------------


def test_status_and_up_list_what_is_broken_and_leave_it(lab: Operator) -> None:
    made = lab.json("lab", "cut", FABRIC)
    assert (made["changed"], made["broken"][0]["names"], made["mended"]) == (True, [FABRIC], [])
    assert lab.json("lab", "cut", FABRIC)["changed"] is False
    lab.run("lab", "swap", HOST, "leaf-g1-r0-h2")
    lab.run("lab", "kill", "spine-2")
    faults = lab.json("lab", "status")["faults"]
    assert [(each["fault"], each["names"]) for each in faults] == [
        ("killed", ["spine-2"]),
        ("swapped", [HOST, "leaf-g1-r0-h2"]),
        ("cut", [FABRIC]),
    ]
    for output in (lab.run("lab", "status"), lab.run("lab", "up", "--host-lldp")):
        assert "broken on purpose (3; nornir lab mend --site " in output
        assert f"cable {FABRIC} is cut: spine-1 swp1 to leaf-g1-r0 Ethernet63/1" in output
    assert lab.json("lab", "up", "--host-lldp")["faults"] == faults
    mended = lab.json("lab", "mend")
    assert (len(mended["mended"]), mended["faults"]) == (3, [])
    assert "nothing changed: nothing in this lab is broken" in lab.run("lab", "mend")
    assert "broken" not in lab.run("lab", "status") + lab.run("lab", "up", "--host-lldp")


REFUSED = (
    ("cut", "leaf-g1-r0-u"),
    ("cut", "spine-1:swp99"),
    ("cut", "spine-3:swp1"),
    ("cut", "spine-1:swp1", "spine-1:swp2"),
    ("cut", "cable of nobody"),
    ("swap", FABRIC, "spine-1:swp1"),
    ("kill", "spine"),
    ("freeze", "gpu-1"),
    ("mend", "leaf-g1-r7"),
    ("loss", FABRIC, "5"),
    ("delay", FABRIC, "5"),
)


def test_what_is_not_there_or_cannot_be_is_said_with_what_there_is(
    lab: Operator, request: pytest.FixtureRequest
) -> None:
    text = ""
    for words in REFUSED:
        refused = lab.run("lab", *words, code=10).replace(f" --site {lab.site}", "")
        text += f"$ nornir lab {' '.join(words)}\n{refused}\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    assert lab.json("lab", "status")["faults"] == []


def both(lab: Operator, *commands: tuple[str, ...]) -> list[str]:
    """Their outputs, run at once; each must end well."""
    begun = [lab.begin("lab", *words) for words in commands]
    outputs = []
    for each in begun:
        stdout, stderr = each.communicate(timeout=60)
        assert each.returncode == 0, stdout + stderr
        outputs.append(stdout)
    return outputs


def test_two_commands_at_once_do_not_mix(lab: Operator) -> None:
    same = both(lab, ("cut", FABRIC), ("cut", FABRIC))
    assert sorted(output.startswith("nothing changed") for output in same) == [False, True]
    same = both(lab, ("kill", "spine-2"), ("kill", "spine-2"), ("swap", HOST, "leaf-g1-r0-h2"))
    assert [output.startswith("nothing changed") for output in same].count(True) == 1
    both(lab, ("mend",), ("mend",))
    assert lab.json("lab", "status")["faults"] == []
    assert lab.json("validate")["failed"] == 0


# -- in the middle of a push ---------------------------------------------------------------------------------------


def push_until_committed(lab: Operator, device: str) -> subprocess.Popen[str]:
    """A push that has committed to this switch, and waits for it or works on."""
    before = lab.control.ask("running-config", device=device)
    push = lab.begin("push", "--yes", "--limit", device)
    deadline = time.monotonic() + 120
    while lab.control.ask("running-config", device=device) == before:
        assert time.monotonic() < deadline, f"{device} was never committed to"
        time.sleep(0.003)
    return push


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_switch_that_loses_its_power_under_a_push_is_pushed_to_again_once_it_is_back(
    lab: Operator, device: str
) -> None:
    spoil(lab, device, save=True)
    push = push_until_committed(lab, device)
    lab.run("lab", "kill", device)
    stdout, stderr = push.communicate(timeout=200)
    assert "Traceback" not in stderr
    assert "fault of gpufabric" not in stderr
    assert push.returncode in (0, 6), stdout + stderr  # 0: it was confirmed and saved before its power went
    assert push.returncode == 0 or device in stderr
    lab.run("lab", "revive", device)
    lab.run("push", "--yes", "--limit", device)
    assert "0 of 4 changed" in lab.run("push", "--yes")
    assert lab.json("validate")["failed"] == 0


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_power_off_and_on_takes_back_a_commit_that_nobody_has_confirmed(lab: Operator, device: str) -> None:
    before = spoil(lab, device, save=True)
    push = push_until_committed(lab, device)
    os.kill(push.pid, signal.SIGKILL)
    push.communicate(timeout=20)
    lab.run("lab", "kill", device)
    lab.run("lab", "revive", device)
    assert lab.hands()[device].running() == before, "what was saved last"
    assert "1 of 1 changed" in lab.run("push", "--yes", "--limit", device), "nothing waits for its confirmation"
    pushed = lab.hands()[device].running()
    lab.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    assert lab.hands()[device].running() == pushed, "the timer has gone with the power"


def test_a_lab_with_a_switch_that_hangs_under_a_request_goes_down_at_once(lab: Operator) -> None:
    lab.run("lab", "freeze", "leaf-g1-r1")
    waiting = lab.begin("plan", "--limit", "leaf-g1-r1")
    time.sleep(2)
    began_s = time.monotonic()
    lab.run("lab", "down")
    assert time.monotonic() - began_s < 45, "less than what the request would wait"
    waiting.communicate(timeout=100)
    assert "the lab is not up" in lab.run("lab", "mend", code=10)
    lab.run("lab", "up", "--host-lldp")
    lab.run("push", "--yes")
    assert lab.json("lab", "status")["faults"] == []

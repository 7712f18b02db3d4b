"""Servers for time and log, provisioning, management VRF in a lab: valid after a push, each fault by hand a cause."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from adopting import adopt_words
from at_terminal import Operator, lab_of_its_own, small_site

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
OF_BASE = {"ntp", "syslog", "ztp", "management", "certificate"}


def based(where: Path) -> Operator:
    made = small_site(where)
    file = made.site / "fabric.yml"
    base = {"base": {"ntp": ["192.0.2.120", "192.0.2.121"], "syslog": ["192.0.2.51"]}}
    file.write_text(f"{file.read_text()}\n{yaml.safe_dump(base)}")
    return made


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("based"), based) as made:
        assert "4 of 4 changed" in made.run("push", "--yes", *adopt_words(made, all_of_it=True))
        yield made


def test_of_what_was_pushed_the_switches_say_that_it_works(pushed: Operator) -> None:
    report = pushed.json("validate", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    found = {(each["check"], each["device"]): each["found"] for each in report["findings"] if each["check"] in OF_BASE}
    assert {check for check, _ in found} == OF_BASE
    assert found["ntp", SWITCHES["eos"]] == "clock follows 192.0.2.120"
    assert found["syslog", SWITCHES["nxos"]] == "log goes to 192.0.2.51 in VRF management"
    assert found["management", SWITCHES["nvue"]] == "eth0 in VRF mgmt"
    assert ("syslog", SWITCHES["nvue"]) not in found
    assert found["certificate", SWITCHES["eos"]].startswith(f"certificate of {SWITCHES['eos']}, 127.")
    only = pushed.json("validate", "--plane", "base", "--all")
    assert {each["check"] for each in only["findings"]} == {"reach", "config", "power", *OF_BASE}


def other_server(operator: Operator, device: str) -> None:
    hand = operator.hands()[device]
    if hand.os == "eos":
        gone = [f"no ntp server vrf MGMT {each}" for each in ("192.0.2.120", "192.0.2.121")]
        hand.configure(*gone, "ntp server vrf MGMT 198.51.100.1")
    elif hand.os == "nxos":
        gone = [f"no ntp server {each} use-vrf management" for each in ("192.0.2.120", "192.0.2.121")]
        hand.configure(*gone, "ntp server 198.51.100.1 use-vrf management")
    else:
        hand.nvue(delete="system/ntp/server")
        hand.nvue({"system": {"ntp": {"server": {"198.51.100.1": {}}}}})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", SWITCHES)
def test_another_server_by_hand_is_one_cause_that_a_push_repairs_and_goes_when_it_is_adopted(
    pushed: Operator, system: str
) -> None:
    device = SWITCHES[system]
    other_server(pushed, device)
    try:
        report = pushed.json("validate", code=8)
        by_id = {each["id"]: each for each in report["findings"]}
        (lead,) = report["causes"]
        assert (by_id[lead]["check"], by_id[lead]["device"]) == ("config", device)
        (ntp,) = [each for each in report["findings"] if each["check"] == "ntp" and each["verdict"] == "fail"]
        assert (ntp["cause"], ntp["found"]) == (lead, "clock follows 198.51.100.1")
    finally:
        assert "1 of 4 changed" in pushed.run("push", "--yes")
        named = pushed.json("plan")["devices"][device]["others"]
        assert any("198.51.100.1" in " / ".join(each["path"]) for each in named)
        assert "1 of 4 changed" in pushed.run("push", "--yes", *adopt_words(pushed, all_of_it=True))
    assert pushed.json("validate")["failed"] == 0


def test_a_switch_that_would_provision_itself_at_its_next_boot_is_told(pushed: Operator) -> None:
    device = SWITCHES["nxos"]
    hand = pushed.hands()[device]
    hand.configure("boot poap enable")
    hand.nxapi("copy running-config startup-config")
    try:
        report = pushed.json("validate", code=8)
        (lead,) = report["causes"]
        (found,) = [each for each in report["findings"] if each["verdict"] == "fail"]
        assert (found["id"], found["found"]) == (lead, "provisioning at boot is enabled")
    finally:
        hand.configure("no boot poap enable")
        hand.nxapi("copy running-config startup-config")
    assert pushed.json("validate")["failed"] == 0


def test_a_port_of_a_plane_in_the_management_vrf_is_a_cause(pushed: Operator) -> None:
    device = SWITCHES["eos"]
    hand = pushed.hands()[device]
    hand.configure("interface Ethernet64/1", "no switchport", "vrf MGMT", "ip address 198.51.100.99/31")
    try:
        report = pushed.json("validate", code=8)
        failed = {each["check"]: each["found"] for each in report["findings"] if each["verdict"] == "fail"}
        assert failed.get("management", "").startswith("Ethernet64/1")
    finally:
        pushed.run("push", "--yes")

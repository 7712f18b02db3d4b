"""Plain NAPALM on Cumulus Linux: found by name, used without the rest of gpufabric, and true to NAPALM's own models."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import napalm
import pytest
from described_lab import LabDescription, RunningLab
from napalm.base import models
from napalm.base.exceptions import CommitError, ConnectAuthError, ConnectionException, MergeConfigException
from napalm.base.exceptions import ReplaceConfigException as ReplaceError
from napalm.base.test import helpers
from napalm.base.test.getters import BaseTestGetters

DEVICES = ("cl-514", "cl-516")


@pytest.fixture(scope="module")
def lab(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("napalm") / "lab")
    description.add_device("cl-514", "nvue", release="5.14.0", asn=65001)
    description.add_device("cl-516", "nvue", release="5.16.1", asn=65002)
    description.add_cable(("cl-514", "swp1"), ("cl-516", "swp1"))
    running = start_module_lab(description)
    for name in DEVICES:
        with driver(running, name) as opened:
            opened.load_merge_candidate(config="interface: {swp1: {link: {state: {up: {}}}}}")
            opened.commit_config()
    return running


def driver(lab: RunningLab, device: str, password: str | None = None, **optional: Any) -> Any:
    found = next(each for each in lab.description.devices if each["name"] == device)
    return napalm.get_network_driver("nvue")(
        found["address"],
        lab.description.username,
        password or lab.description.password,
        timeout=10,
        optional_args={"port": found["api_port"], "ca_file": lab.ca, **optional},
    )


@pytest.fixture(params=DEVICES)
def device(lab: RunningLab, request: pytest.FixtureRequest) -> Iterator[Any]:
    with driver(lab, request.param) as opened:
        yield opened


def test_every_public_method_has_napalms_signature() -> None:
    BaseTestGetters.test_method_signatures(SimpleNamespace(driver=napalm.get_network_driver("nvue")))


def test_napalm_finds_the_driver_by_name_in_a_process_that_knows_nothing_else_of_ours() -> None:
    code = (
        "import sys, napalm; d = napalm.get_network_driver('nvue'); print(d.__name__);"
        "print(*sorted(m for m in sys.modules if m.startswith(('nornir_tasks.deploy','nornir_tasks.cli','nornir.'))))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert answer.stdout.split("\n")[:2] == ["NvueDriver", ""]


def test_the_getters_hold_to_napalms_models(lab: RunningLab, device: Any) -> None:
    assert helpers.test_model(models.FactsDict, device.get_facts())
    interfaces = device.get_interfaces()
    assert {"swp1", "swp64", "eth0"} <= set(interfaces)
    assert all(helpers.test_model(models.InterfaceDict, each) for each in interfaces.values())
    addresses = device.get_interfaces_ip()
    for families in addresses.values():
        for family in families.values():
            assert all(helpers.test_model(models.InterfacesIPDictEntry, each) for each in family.values())
    assert addresses["eth0"]["ipv4"][device.hostname] == {"prefix_length": 24}
    heard = device.get_lldp_neighbors()
    assert all(helpers.test_model(models.LLDPNeighborDict, each) for each in heard["swp1"])
    sessions = device.get_bgp_neighbors()
    assert all(set(each) == set(models.BGPStateNeighborsPerVRFDict.__annotations__) for each in sessions.values())
    assert all(isinstance(each["router_id"], str) for each in sessions.values())
    peers = [peer for each in sessions.values() for peer in each["peers"].values()]
    assert peers
    flat = {
        name: kind for name, kind in models.BGPStateNeighborDict.__annotations__.items() if name != "address_family"
    }
    for peer in peers:
        assert set(peer) == {*flat, "address_family"}
        assert all(isinstance(peer[name], kind) for name, kind in flat.items())
    for peer in peers:
        assert all(
            helpers.test_model(models.BGPStateAddressFamilyDict, each) for each in peer["address_family"].values()
        )
    assert helpers.test_model(models.ConfigDict, device.get_config())
    assert device.is_alive() == {"is_alive": True}


def test_the_facts_are_the_switchs_own(lab: RunningLab, device: Any) -> None:
    facts = device.get_facts()
    number = DEVICES.index(facts["hostname"])
    assert facts["serial_number"] == f"LAB{number:04d}"
    assert (facts["vendor"], facts["model"], facts["os_version"]) == ("NVIDIA", "SN5600", ("5.14.0", "5.16.1")[number])
    assert device.get_lldp_neighbors()["swp1"] == [{"hostname": DEVICES[1 - number], "port": "swp1"}]


@pytest.mark.parametrize(
    "text",
    [
        "interface:\n  swp1:\n    link:\n      mtu: 4000\n",
        '{"interface": {"swp1": {"link": {"mtu": 4000}}}}',
        "- header:\n    model: SN5600\n- set:\n    interface: {swp1: {link: {mtu: 4000}}}\n",
    ],
)
def test_a_candidate_is_compared_discarded_committed_and_rolled_back(device: Any, text: str) -> None:
    before = device.get_config()["running"]
    device.load_merge_candidate(config=text)
    assert "+ interface / swp1 / link / mtu: 4000" in device.compare_config().splitlines()
    assert "mtu: 4000" in device.get_config(retrieve="candidate")["candidate"]
    device.discard_config()
    assert device.compare_config() == ""
    assert device.get_config()["running"] == before

    device.load_merge_candidate(config=text)
    device.commit_config()
    after = device.get_config()
    assert "mtu: 4000" in after["running"]
    assert after["startup"] == after["running"]
    device.rollback()
    assert device.get_config()["running"] == before
    with pytest.raises(CommitError, match="nothing to roll back"):
        device.rollback()


def test_a_guarded_commit_is_kept_when_confirmed(device: Any) -> None:
    device.load_merge_candidate(config="interface: {swp1: {description: kept}}")
    device.commit_config(revert_in=60)
    assert device.has_pending_commit()
    with pytest.raises(CommitError, match="already waits"):
        device.commit_config()
    device.confirm_commit()
    assert not device.has_pending_commit()
    assert device.get_interfaces()["swp1"]["description"] == "kept"
    device.rollback()
    with pytest.raises(CommitError, match="no commit waits"):
        device.confirm_commit()


def test_a_guarded_commit_goes_back_by_itself_or_when_told(device: Any) -> None:
    before = device.get_config()["running"]
    device.load_merge_candidate(config="interface: {swp1: {description: for a moment}}")
    device.commit_config(revert_in=60)
    device.rollback()
    assert device.get_config()["running"] == before
    device.load_merge_candidate(config="interface: {swp1: {description: for a second}}")
    device.commit_config(revert_in=1)
    deadline = time.monotonic() + 10
    while device.has_pending_commit() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert device.get_config()["running"] == before


def test_commands_are_taken_where_the_release_takes_them(lab: RunningLab) -> None:
    commands = "nv set interface swp1 link mtu 4000\nnv set interface swp1 description by-command\n"
    with driver(lab, "cl-516") as newer:
        newer.load_merge_candidate(config=commands)
        assert "+ interface / swp1 / link / mtu: 4000" in newer.compare_config()
        newer.discard_config()
    with driver(lab, "cl-514") as older:
        with pytest.raises(MergeConfigException, match="415"):
            older.load_merge_candidate(config=commands)
        assert older.compare_config() == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interface: {swp1: {link: {mtu: 99999}}}", "mtu.*maximum of 9216"),
        ("interface: {swp1: {made-up: 1}}", "made-up"),
        ("interface:\n  swp1:\n", "/interface/swp1 is null"),
        ("- set: {interface: {swp1: {}}}\n- unset: {interface: {swp2: {}}}", "unset"),
        ("just words", "must be a mapping"),
        ("a: [1", "neither YAML"),
    ],
)
def test_what_cannot_be_merged_is_refused_with_its_place_and_leaves_no_candidate(
    device: Any, text: str, words: str
) -> None:
    with pytest.raises(MergeConfigException, match=words):
        device.load_merge_candidate(config=text)
    assert device.compare_config() == ""


def test_replace_is_not_offered_and_says_why(device: Any) -> None:
    with pytest.raises(ReplaceError, match="without the management port or the accounts"):
        device.load_replace_candidate(config="interface: {}")


def test_sanitized_configuration_shows_no_secret(device: Any) -> None:
    text = device.get_config(retrieve="running", sanitized=True)["running"]
    assert "$nvsec$" not in text
    assert "$6$" not in text
    assert "<removed>" in text


def test_a_file_is_read_like_text(device: Any, tmp_path: Path) -> None:
    path = tmp_path / "candidate.yaml"
    path.write_text("interface: {swp1: {description: from a file}}")
    device.load_merge_candidate(filename=str(path))
    assert '+ interface / swp1 / description: "from a file"' in device.compare_config()
    device.discard_config()


def test_errors_of_the_connection_are_napalms(lab: RunningLab) -> None:
    with pytest.raises(ConnectAuthError):
        driver(lab, "cl-514", password="wrong").open()
    with pytest.raises(ConnectionException, match="not one we trust"):
        driver(lab, "cl-514", ca_file=None).open()
    with pytest.raises(ConnectionException, match="nothing useful answers"):
        driver(lab, "cl-514", port=1).open()
    with pytest.raises(ValueError, match="fingerprint"):
        driver(lab, "cl-514", ssl_verify=False)
    gone = driver(lab, "cl-514", port=1)
    assert gone.is_alive() == {"is_alive": False}

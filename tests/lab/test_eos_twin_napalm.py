"""Stock NAPALM's eos driver against EOS twins over TLS."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from described_lab import LabDescription, RunningLab
from napalm.base.exceptions import CommitError, MergeConfigException, ReplaceConfigException, SessionLockedException
from napalm.eos import EOSDriver
from ntc_templates.parse import parse_output

LEAF, SPINE, ALONE = "leaf-1", "spine-1", "leaf-2"
LINK = "Ethernet33/1"


def router(name: str, host: int, asn: int, peer_asn: int) -> str:
    """One end of a routed link with one BGP session."""
    return f"""
interface {LINK}
   description to the other end of {name}
   mtu 9214
   no switchport
   ip address 10.0.0.{host}/31
interface Loopback0
   ip address 10.255.0.{host}/32
ip routing
router bgp {asn}
   neighbor 10.0.0.{1 - host} remote-as {peer_asn}
   neighbor 10.0.0.{1 - host} description peer of {name}
   address-family ipv4
      network 10.255.0.{host}/32
"""


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("eos") / "lab")
    description.add_device(LEAF, "eos")
    description.add_device(SPINE, "eos")
    description.add_device(ALONE, "eos")
    description.add_device("default-cert", "eos", certificate="default")
    description.add_cable((LEAF, LINK), (SPINE, LINK))
    return start_module_lab(description)


def driver(lab: RunningLab, name: str, **changes: Any) -> EOSDriver:
    where = lab.ready["devices"][name]
    login = {"username": lab.description.username, "password": lab.description.password, **changes}
    context = login.pop("context", None) or ssl.create_default_context(cafile=lab.ca)
    options = {"port": where["api_port"], "context": context}
    return EOSDriver(where["address"], login["username"], login["password"], timeout=20, optional_args=options)


@pytest.fixture
def leaf(lab: RunningLab) -> Iterator[EOSDriver]:
    """A switch as day 0 left it, put back afterwards."""
    device = driver(lab, ALONE)
    device.open()
    device.device.run_commands(["configure checkpoint save before"])
    yield device
    device.device.run_commands(["configure replace checkpoint:before", "write memory"])
    device.close()


def running(device: EOSDriver) -> str:
    return str(device.get_config(retrieve="running")["running"])


# -- getting in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("username", "password"), [("gpufabric", "wrong"), ("nobody", None)])
def test_a_wrong_password_or_an_unknown_user_is_refused(lab: RunningLab, username: str, password: str | None) -> None:
    where, secret = lab.url(ALONE) + "/command-api", password or lab.description.password
    answer = requests.post(where, json={}, auth=(username, secret), verify=lab.ca, timeout=10)
    assert answer.status_code == 401
    with pytest.raises(Exception, match=r"unable to connect|Bad username|401|Extra data"):
        driver(lab, ALONE, username=username, password=secret).open()


@pytest.mark.parametrize("name", [ALONE, "default-cert"])
def test_a_certificate_nobody_vouches_for_is_refused(lab: RunningLab, name: str) -> None:
    context = None if name == "default-cert" else ssl.create_default_context()
    with pytest.raises(Exception, match="connect"):
        driver(lab, name, context=context).open()


def test_one_connection_carries_many_requests(lab: RunningLab) -> None:
    before = lab.control.ask("requests")[ALONE]
    call = {"jsonrpc": "2.0", "method": "runCmds", "id": "1", "params": {"version": 1, "cmds": ["show version"]}}
    with requests.Session() as session:
        session.auth = (lab.description.username, lab.description.password)
        for _ in range(3):
            answer = session.post(lab.url(ALONE) + "/command-api", json=call, verify=lab.ca, timeout=10)
            assert answer.json()["result"][0]["version"] == "4.33.1F"
    after = lab.control.ask("requests")[ALONE]
    assert after["connections"] - before["connections"] == 1
    assert after["requests"] - before["requests"] == 3


# -- changing ------------------------------------------------------------------------------------------------------


def test_merge_compare_commit_and_rollback(leaf: EOSDriver) -> None:
    before = running(leaf)
    leaf.load_merge_candidate(config="interface Ethernet1/1\n   mtu 9214\n   no switchport\n!\n")
    diff = leaf.compare_config()
    assert [line for line in diff.splitlines() if line[0] in "+-"] == ["+   mtu 9214", "+   no switchport"]
    leaf.commit_config()
    assert "   mtu 9214\n   no switchport\n" in running(leaf)
    leaf.rollback()
    assert running(leaf) == before


def test_discard_leaves_nothing(leaf: EOSDriver) -> None:
    before = running(leaf)
    leaf.load_merge_candidate(config="hostname never\n")
    leaf.discard_config()
    assert running(leaf) == before
    assert leaf.compare_config() == ""


def test_replace_with_the_same_text_changes_nothing_and_with_another_exactly_that(leaf: EOSDriver) -> None:
    before = running(leaf)
    leaf.load_replace_candidate(config=before)
    assert leaf.compare_config() == ""
    leaf.discard_config()
    leaf.load_replace_candidate(config=before.replace("vlan 3999\n   name LEGACY-CAMERAS\n!\n", ""))
    changed = [line for line in leaf.compare_config().splitlines() if line[0] in "+-"]
    assert changed == ["-vlan 3999", "-   name LEGACY-CAMERAS", "-!"]
    leaf.commit_config()
    assert "vlan 3999" not in running(leaf)


def test_a_refused_line_is_reported_with_eos_words_and_the_session_is_gone(leaf: EOSDriver) -> None:
    with pytest.raises(MergeConfigException, match=r"invalid command .*Invalid input \(at token 1: '99999'\)"):
        leaf.load_merge_candidate(config="interface Ethernet1/1\n   mtu 99999\n")
    with pytest.raises(ReplaceConfigException, match="Unavailable command"):
        leaf.load_replace_candidate(config="interface Ethernet1/1\n   tx-queue 3\n")
    sessions = leaf.device.run_commands(["show configuration sessions"])[0]["sessions"]
    assert [name for name, each in sessions.items() if each["state"] == "pending"] == []


def test_commit_with_a_timer_waits_for_its_confirmation(leaf: EOSDriver, lab: RunningLab) -> None:
    leaf.load_merge_candidate(config="hostname changed\n")
    leaf.commit_config(revert_in=300)
    assert leaf.has_pending_commit()
    leaf.confirm_commit()
    assert not leaf.has_pending_commit()
    lab.control.ask("advance-clock", seconds=600)
    assert leaf.get_facts()["hostname"] == "changed"


def test_an_unconfirmed_commit_goes_back_after_a_real_wait(leaf: EOSDriver) -> None:
    leaf.load_merge_candidate(config="hostname changed\n")
    leaf.commit_config(revert_in=2)
    assert leaf.get_facts()["hostname"] == "changed"
    end_s = time.monotonic() + 15
    while leaf.get_facts()["hostname"] == "changed" and time.monotonic() < end_s:
        time.sleep(0.2)
    assert leaf.get_facts()["hostname"] == ALONE
    with pytest.raises(CommitError):
        leaf.confirm_commit()
    leaf.config_session = None


def test_a_switch_that_locked_us_out_comes_back_by_itself(leaf: EOSDriver, lab: RunningLab) -> None:
    leaf.load_merge_candidate(config="interface Management1\n   shutdown\n")
    leaf.commit_config(revert_in=120)
    with pytest.raises(Exception, match="connect"):
        leaf.get_facts()
    lab.control.ask("advance-clock", seconds=121)
    assert leaf.get_facts()["hostname"] == ALONE
    leaf.config_session = None


def test_rollback_of_a_commit_that_waits(leaf: EOSDriver) -> None:
    before = running(leaf)
    leaf.load_merge_candidate(config="hostname changed\n")
    leaf.commit_config(revert_in=300)
    leaf.rollback()
    assert running(leaf) == before


def test_somebody_elses_open_session_locks(leaf: EOSDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf.device.run_commands(["configure session theirs", "hostname theirs", "end"])
    monkeypatch.setattr(leaf, "_obtain_lock", lambda wait_time=None: leaf._lock())
    with pytest.raises(SessionLockedException):
        leaf.load_merge_candidate(config="hostname ours\n")
    leaf.config_session = None
    leaf.device.run_commands(["configure session theirs abort"])


# -- reading -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fabric(lab: RunningLab) -> Iterator[tuple[EOSDriver, EOSDriver]]:
    """Both switches configured and in session."""
    devices = driver(lab, LEAF), driver(lab, SPINE)
    texts = router(LEAF, 0, 4200000000, 4200000001), router(SPINE, 1, 4200000001, 4200000000)
    for device, text in zip(devices, texts, strict=True):
        device.open()
        device.device.run_commands(["configure checkpoint save bare"])
        device.load_merge_candidate(config=text)
        device.commit_config()
    yield devices
    for device in devices:
        device.device.run_commands(["configure replace checkpoint:bare", "write memory"])
        device.close()


def test_getters_tell_what_the_fabric_is(fabric: tuple[EOSDriver, EOSDriver]) -> None:
    leaf, spine = fabric
    facts = leaf.get_facts()
    assert (facts["hostname"], facts["fqdn"], facts["serial_number"]) == (LEAF, f"{LEAF}.example.net", "LAB0000")
    assert facts["model"] == "DCS-7060DX5-64S-F"
    port = leaf.get_interfaces()[LINK]
    assert (port["is_up"], port["is_enabled"], port["mtu"], port["speed"]) == (True, True, 9214, 400000.0)
    assert leaf.get_interfaces()["Ethernet1/1"]["is_up"] is False
    assert leaf.get_lldp_neighbors() == {LINK: [{"hostname": SPINE, "port": LINK}]}
    assert leaf.get_lldp_neighbors_detail()[LINK][0]["remote_system_name"] == SPINE
    peer = leaf.get_bgp_neighbors()["global"]["peers"]["10.0.0.1"]
    assert (peer["is_up"], peer["is_enabled"], peer["remote_as"]) == (True, True, 4200000001)
    assert peer["address_family"]["ipv4"]["accepted_prefixes"] == 1
    assert leaf.get_bgp_neighbors()["LEGACY"]["peers"]["198.51.100.129"]["is_up"] is False
    assert leaf.get_interfaces_ip()[LINK]["ipv4"] == {"10.0.0.0": {"prefix_length": 31}}
    assert set(leaf.get_users()) == {"admin", "gpufabric"}
    assert leaf.get_network_instances()["MGMT"]["interfaces"]["interface"] == {"Management1": {}}
    assert spine.get_interfaces_counters()[LINK]["rx_errors"] == 0


def test_a_session_is_down_when_the_two_ends_disagree(fabric: tuple[EOSDriver, EOSDriver]) -> None:
    leaf, spine = fabric
    spine.load_merge_candidate(config="router bgp 4200000001\n neighbor 10.0.0.0 remote-as 65000\n")
    spine.commit_config()
    assert leaf.get_bgp_neighbors()["global"]["peers"]["10.0.0.1"]["is_up"] is False
    spine.rollback()
    assert leaf.get_bgp_neighbors()["global"]["peers"]["10.0.0.1"]["is_up"] is True


def test_text_output_reads_with_ntc_templates(fabric: tuple[EOSDriver, EOSDriver]) -> None:
    commands = [
        "show version",
        "show hostname",
        "show interfaces",
        "show interfaces status",
        "show lldp neighbors",
        "show ip bgp summary",
        "show ip route",
    ]
    answers = fabric[0].cli(commands)
    read = {
        command: parse_output(platform="arista_eos", command=command, data=answers[command]) for command in commands
    }
    assert read["show version"][0]["image"] == "4.33.1F"
    assert read["show hostname"][0]["hostname"] == LEAF
    assert {row["interface"]: row["mtu"] for row in read["show interfaces"]}[LINK] == "9214"
    assert {row["port"]: row["status"] for row in read["show interfaces status"]}["Et33/1"] == "connected"
    assert read["show lldp neighbors"][0]["neighbor_name"] == SPINE
    (session,) = read["show ip bgp summary"]
    assert (session["bgp_neigh"], session["neigh_as"], session["state_pfxacc"]) == ("10.0.0.1", "4200000001", "1")
    routes = {f"{row['network']}/{row['prefix_length']}": row for row in read["show ip route"]}
    assert routes["10.255.0.1/32"]["next_hop"] == ["10.0.0.1"]
    assert routes["10.0.0.0/31"]["interface"] == [LINK]


def test_configuration_is_read_whole_with_defaults_and_without_secrets(fabric: tuple[EOSDriver, EOSDriver]) -> None:
    leaf, _ = fabric
    assert leaf.get_config()["startup"].splitlines()[4:] == leaf.get_config()["running"].splitlines()[4:]
    everything = leaf.get_config(retrieve="running", full=True)["running"]
    assert "   bgp bestpath as-path multipath-relax\n" in everything
    assert "$6$" not in leaf.get_config(retrieve="running", sanitized=True)["running"]

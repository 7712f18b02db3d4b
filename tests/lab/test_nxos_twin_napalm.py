"""Stock NAPALM drivers, nxos (NX-API) and nxos_ssh, against the NX-OS twin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from described_lab import LabDescription, RunningLab
from napalm import get_network_driver
from napalm.base.exceptions import ConnectionException, MergeConfigException, ReplaceConfigException
from netmiko.exceptions import NetmikoAuthenticationException

LINK = """
feature lldp
interface Ethernet1/1
  no switchport
  mtu 9216
  ip address {address}/31
  no shutdown
router bgp {asn}
  router-id 10.255.0.{number}
  address-family ipv4 unicast
    maximum-paths 4
  neighbor {peer}
    remote-as {peer_asn}
    description other leaf
    address-family ipv4 unicast
"""


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    """Two leaves with one cable between their first ports."""
    description = LabDescription(tmp_path_factory.mktemp("nxos") / "lab")
    for name in ("leaf-a", "leaf-b"):
        description.add_device(name, "nxos", asic="cloudscale-gx2")
    description.add_cable(("leaf-a", "Ethernet1/1"), ("leaf-b", "Ethernet1/1"))
    return start_module_lab(description)


def facts_of(lab: RunningLab, name: str) -> dict[str, Any]:
    return next(device for device in lab.description.devices if device["name"] == name)


def over_api(lab: RunningLab, name: str = "leaf-a", **changes: Any) -> Any:
    """The stock nxos driver, verifying the switch's certificate."""
    found = facts_of(lab, name)
    login = {"username": lab.description.username, "password": lab.description.password, "ssl_verify": lab.ca} | changes
    options = {"port": found["api_port"], "ssl_verify": login.pop("ssl_verify")}
    return get_network_driver("nxos")(found["address"], **login, timeout=20, optional_args=options)


def over_ssh(lab: RunningLab, name: str = "leaf-a", known_hosts: str | None = None, **changes: Any) -> Any:
    """The stock nxos_ssh driver with strict host keys."""
    found = facts_of(lab, name)
    login = {"username": lab.description.username, "password": lab.description.password} | changes
    options = ssh_options(lab, name, known_hosts)
    return get_network_driver("nxos_ssh")(found["address"], **login, timeout=20, optional_args=options)


def ssh_options(lab: RunningLab, name: str, known_hosts: str | None = None) -> dict[str, Any]:
    return {
        "port": facts_of(lab, name)["ssh_port"],
        "ssh_strict": True,
        "system_host_keys": False,
        "alt_host_keys": True,
        "alt_key_file": known_hosts or lab.known_hosts,
    }


def with_scp(lab: RunningLab, device: Any, name: str = "leaf-a") -> Any:
    """Open the SSH connection that the nxos driver sends files over, on the lab's port instead of 22."""
    device._netmiko_open("cisco_nxos", netmiko_optional_args=ssh_options(lab, name))
    return device


@pytest.fixture
def api(lab: RunningLab) -> Iterator[Any]:
    device = over_api(lab)
    device.open()
    yield device
    device.close()


@pytest.fixture
def ssh(lab: RunningLab) -> Iterator[Any]:
    device = over_ssh(lab)
    device.open()
    yield device
    device.close()


@pytest.fixture(scope="module")
def linked(lab: RunningLab) -> RunningLab:
    """The lab after both leaves got their end of the link."""
    ends = (("leaf-a", 0, 1), ("leaf-b", 1, 0))
    for number, (name, mine, its) in enumerate(ends, start=1):
        device = over_api(lab, name)
        device.open()
        device.load_merge_candidate(
            config=LINK.format(
                address=f"10.160.0.{mine}",
                peer=f"10.160.0.{its}",
                asn=facts_of(lab, name)["asn"],
                peer_asn=facts_of(lab, ends[2 - number][0])["asn"],
                number=number,
            )
        )
        device.commit_config()
        device.close()
    return lab


# -- what the switch says of itself ---------------------------------------------------------------------------------


def test_facts_over_nxapi(lab: RunningLab, api: Any) -> None:
    facts = api.get_facts()
    assert facts["hostname"] == "leaf-a"
    assert facts["fqdn"] == "leaf-a.cluster.example"
    assert facts["serial_number"] == facts_of(lab, "leaf-a")["serial"]
    assert facts["os_version"] == "10.4(3)"
    assert "C9332D-GX2B" in facts["model"]
    assert {"Ethernet1/1", "Ethernet1/32", "mgmt0"} <= set(facts["interface_list"])


def test_facts_over_ssh(lab: RunningLab, ssh: Any) -> None:
    facts = ssh.get_facts()
    assert facts["serial_number"] == facts_of(lab, "leaf-a")["serial"]
    assert facts["os_version"] == "10.4(3)"
    assert facts["hostname"] == "leaf-a"
    assert "Ethernet1/32" in facts["interface_list"]


@pytest.mark.parametrize("over", [over_api, over_ssh])
def test_interfaces_follow_the_configuration_and_the_cable(linked: RunningLab, over: Callable[..., Any]) -> None:
    device = over(linked)
    device.open()
    interfaces = device.get_interfaces()
    device.close()
    assert interfaces["Ethernet1/1"]["is_up"] and interfaces["Ethernet1/1"]["is_enabled"]
    assert interfaces["Ethernet1/1"]["mtu"] == 9216
    assert not interfaces["Ethernet1/2"]["is_up"]
    assert interfaces["Ethernet1/2"]["mtu"] == 1500
    assert interfaces["mgmt0" if over is over_api else "Management0"]["is_up"]  # nxos_ssh renames it


@pytest.mark.parametrize("over", [over_api, over_ssh])
def test_lldp_names_the_other_end_of_the_cable(linked: RunningLab, over: Callable[..., Any]) -> None:
    device = over(linked)
    device.open()
    assert device.get_lldp_neighbors() == {"Ethernet1/1": [{"hostname": "leaf-b", "port": "Ethernet1/1"}]}
    device.close()


@pytest.mark.parametrize("over", [over_api, over_ssh])
def test_bgp_session_of_matching_ends_is_up_and_the_brownfield_one_is_not(
    linked: RunningLab, over: Callable[..., Any]
) -> None:
    device = over(linked)
    device.open()
    found = device.get_bgp_neighbors()
    device.close()
    assert found["global"]["peers"]["10.160.0.1"]["is_up"]
    assert found["global"]["peers"]["10.160.0.1"]["remote_as"] == facts_of(linked, "leaf-b")["asn"]
    assert found["global"]["router_id"] == "10.255.0.1"
    assert not found["LEGACY"]["peers"]["172.30.255.9"]["is_up"]


# -- changing the configuration -------------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [over_api, over_ssh])
def test_merge_is_shown_committed_and_rolled_back(lab: RunningLab, over: Callable[..., Any]) -> None:
    device = over(lab)
    device.open()
    before = device.get_config(retrieve="running")["running"]
    device.load_merge_candidate(config="interface Ethernet1/9\n  description merged by a test\n")
    assert "description merged by a test" in device.compare_config()
    device.commit_config()
    after = device.get_config(retrieve="all")
    assert "description merged by a test" in after["running"]
    assert "description merged by a test" in after["startup"]
    device.rollback()
    assert body(device.get_config(retrieve="running")["running"]) == body(before)
    device.close()


def body(running: str) -> str:
    """A running configuration without the lines that name a time."""
    return running[running.index("version ") :]


def test_merge_of_a_refused_line_leaves_nothing_behind(api: Any) -> None:
    before = api.get_config(retrieve="running")["running"]
    api.load_merge_candidate(config="interface Ethernet1/10\n  description half done\n  mtu 99999\n")
    with pytest.raises(MergeConfigException, match="Invalid number"):
        api.commit_config()
    assert body(api.get_config(retrieve="running")["running"]) == body(before)


@pytest.mark.parametrize("over", [over_api, over_ssh])
def test_checkpoint_file_over_scp_replaces_and_rolls_back(lab: RunningLab, over: Callable[..., Any]) -> None:
    device = over(lab)
    device.open()
    if over is over_api:
        with_scp(lab, device)
    before = device.get_config(retrieve="running")["running"]
    checkpoint = device._get_checkpoint_file()
    device.load_replace_candidate(config=checkpoint)
    assert device.compare_config() == ""
    device.load_replace_candidate(
        config=checkpoint.replace(
            "interface Ethernet1/11\n", "interface Ethernet1/11\n  description replaced by a test\n"
        )
    )
    difference = device.compare_config()
    assert "interface Ethernet1/11\n  description replaced by a test" in difference
    device.commit_config()
    assert "description replaced by a test" in device.get_config(retrieve="running")["running"]
    device.rollback()
    assert body(device.get_config(retrieve="running")["running"]) == body(before)
    device.close()


def test_discarded_candidate_leaves_no_file(lab: RunningLab, api: Any) -> None:
    with_scp(lab, api)
    api.load_replace_candidate(config=api._get_checkpoint_file())
    assert api._check_file_exists("candidate_config.txt")
    api.discard_config()
    with pytest.raises(Exception, match="No such file"):
        api._check_file_exists("candidate_config.txt")


def test_config_holds_the_login_as_a_hash_only(lab: RunningLab, api: Any) -> None:
    running = api.get_config(retrieve="running")["running"]
    assert f"username {lab.description.username} password 5 $5$" in running
    assert lab.description.password not in running


# -- who is let in --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"username": "nobody"}], ids=["password", "user"])
def test_wrong_login_is_refused(lab: RunningLab, changes: dict[str, str]) -> None:
    with pytest.raises(ConnectionException):
        over_api(lab, **changes).open()
    with pytest.raises((ConnectionException, NetmikoAuthenticationException)):
        over_ssh(lab, **changes).open()


def test_certificate_of_another_ca_is_refused(lab: RunningLab) -> None:
    with pytest.raises(ConnectionException):
        over_api(lab, ssl_verify=True).open()


def test_host_key_that_is_not_in_known_hosts_is_refused(lab: RunningLab, tmp_path: Path) -> None:
    own, other = (Path(lab.known_hosts).read_text(encoding="utf-8").splitlines()[n] for n in (0, 1))
    forged = tmp_path / "known_hosts"
    forged.write_text(f"{own.split()[0]} {' '.join(other.split()[1:])}\n", encoding="utf-8")
    device = over_ssh(lab, known_hosts=str(forged))
    with pytest.raises(ConnectionException):
        device.open()


def test_scp_needs_its_feature(lab: RunningLab) -> None:
    device = over_api(lab, "leaf-b")
    device.open()
    with_scp(lab, device, "leaf-b")
    checkpoint = device._get_checkpoint_file()
    device.device.config("no feature scp-server")
    try:
        with pytest.raises(ReplaceConfigException, match="scp-server"):
            device.load_replace_candidate(config=checkpoint)
    finally:
        device.device.config("feature scp-server")
    device.load_replace_candidate(config=checkpoint)
    device.close()


def lets_in(lab: RunningLab, **how: Any) -> bool:
    """Does a login over SSH succeed? ``how``: password, or keys (asyncssh)."""

    async def login() -> None:
        found = facts_of(lab, "leaf-b")
        options: dict[str, Any] = {"known_hosts": lab.known_hosts, "username": lab.description.username, "config": []}
        async with asyncssh.connect(found["address"], found["ssh_port"], **(options | how), agent_path=None):
            pass

    try:
        asyncio.run(login())
    except (asyncssh.Error, OSError):
        return False
    return True


def test_ssh_lets_in_whom_the_list_of_the_management_port_permits(lab: RunningLab) -> None:
    password = {"password": lab.description.password, "client_keys": None}
    assert lets_in(lab, **password)
    with over_api(lab, "leaf-b") as device:
        device.device.config_list(["ip access-list CLOSED", "10 permit tcp any any eq 443", "20 deny ip any any"])
        device.device.config_list(["interface mgmt0", "ip access-group CLOSED in"])
        try:
            assert not lets_in(lab, **password)
            device.device.config_list(["ip access-list CLOSED", "15 permit tcp 127.0.0.0/8 any eq 22"])
            assert lets_in(lab, **password)
        finally:
            device.device.config_list(["interface mgmt0", "no ip access-group CLOSED in", "no ip access-list CLOSED"])


def test_ssh_takes_a_public_key_of_the_account_and_no_other(lab: RunningLab) -> None:
    own, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    with over_api(lab, "leaf-b") as device:
        line = f"username {lab.description.username} sshkey {own.export_public_key().decode().strip()}"
        device.device.config_list([line])
        try:
            assert lets_in(lab, client_keys=[own], password=None)
            assert not lets_in(lab, client_keys=[other], password=None)
        finally:
            device.device.config_list([f"no {line}"])

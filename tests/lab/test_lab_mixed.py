"""One lab with a switch of each OS, driven by clients we did not write: stock NAPALM and requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import napalm
import pytest
import requests
from described_lab import LabDescription, RunningLab
from napalm.base.base import NetworkDriver

EOS_LINES = """
ip routing
interface Loopback0
   ip address 10.255.0.1/32
interface Ethernet33/1
   no shutdown
   mtu 9214
   no switchport
   ip address 10.160.0.1/31
router bgp {asn}
   router-id 10.255.0.1
   maximum-paths 4 ecmp 4
   neighbor 10.160.0.0 remote-as {spine_asn}
   address-family ipv4
      neighbor 10.160.0.0 activate
      network 10.255.0.1/32
"""
NXOS_LINES = """
feature bgp
feature lldp
interface loopback0
  ip address 10.255.0.2/32
interface Ethernet1/31
  no switchport
  mtu 9216
  ip address 10.160.0.3/31
  no shutdown
router bgp {asn}
  router-id 10.255.0.2
  address-family ipv4 unicast
    network 10.255.0.2/32
    maximum-paths 4
  neighbor 10.160.0.2
    remote-as {spine_asn}
    address-family ipv4 unicast
"""


def nvue_patch(spine_asn: int, eos_asn: int, nxos_asn: int) -> dict[str, Any]:
    """The spine's side of both links."""
    neighbors = {
        "10.160.0.1": {"type": "numbered", "remote-as": eos_asn},
        "10.160.0.3": {"type": "numbered", "remote-as": nxos_asn},
    }
    bgp = {
        "enable": "on",
        "autonomous-system": spine_asn,
        "router-id": "10.255.0.0",
        "neighbor": neighbors,
        "address-family": {"ipv4-unicast": {"enable": "on", "network": {"10.255.0.0/32": {}}}},
    }
    ports = {
        name: {"type": "swp", "link": {"mtu": 9214, "state": {"up": {}}}, "ip": {"address": {address: {}}}}
        for name, address in (("swp1", "10.160.0.0/31"), ("swp2", "10.160.0.2/31"))
    }
    loopback = {"lo": {"type": "loopback", "ip": {"address": {"10.255.0.0/32": {}}}}}
    return {
        "interface": {**ports, **loopback},
        "router": {"bgp": {"enable": "on", "autonomous-system": spine_asn, "router-id": "10.255.0.0"}},
        "vrf": {"default": {"router": {"bgp": bgp}}},
    }


class Mixed:
    """The lab and its three clients."""

    def __init__(self, lab: RunningLab) -> None:
        self.lab = lab
        self.asn = {device["name"]: device["asn"] for device in lab.description.devices}

    def napalm(self, name: str, **changes: Any) -> NetworkDriver:
        """Stock NAPALM's driver for a device, verifying the lab's CA."""
        device = self.lab.ready["devices"][name]
        options: dict[str, Any] = {"port": device["api_port"]}
        if device["os"] == "eos":
            options |= {"transport": "https", "enforce_verification": True}
        else:
            options |= {"ssl_verify": self.lab.ca}
        login = {"username": self.lab.description.username, "password": self.lab.description.password, **changes}
        driver = napalm.get_network_driver(device["os"])
        return driver(device["address"], login["username"], login["password"], optional_args=options)

    def rest(self, method: str, path: str, **arguments: Any) -> Any:
        """One NVUE request; the answer must be a success."""
        login = (self.lab.description.username, self.lab.description.password)
        url = f"{self.lab.url('spine')}/nvue_v1/{path}"
        answer = requests.request(method, url, auth=login, verify=self.lab.ca, timeout=30, **arguments)
        assert answer.ok, answer.text
        return answer.json() if answer.content else None

    def apply(self, patch: dict[str, Any]) -> None:
        """Patch a new revision and apply it."""
        (revision,) = self.rest("POST", "revision")
        self.rest("PATCH", "", params={"rev": revision}, json=patch)
        self.rest("PATCH", f"revision/{revision}", json={"state": "apply", "auto-prompt": {"ays": "ays_yes"}})
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            state = self.rest("GET", f"revision/{revision}")["state"]
            if state.startswith("applied"):
                return
            time.sleep(0.05)
        raise AssertionError(f"revision {revision} is {state}")

    def states(self, device: str) -> dict[str, str]:
        """Reason (or "established") of each BGP session in the default VRF."""
        sessions = self.lab.control.ask("sessions", device=device)
        return {s["neighbor"]: s["reason"] or s["state"] for s in sessions if s["vrf"] == "default"}


@pytest.fixture(scope="module")
def mixed(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> Iterator[Mixed]:
    description = LabDescription(tmp_path_factory.mktemp("mixed") / "lab")
    description.add_device("spine", "nvue")
    description.add_device("leaf-e", "eos")
    description.add_device("leaf-n", "nxos")
    description.add_cable(("leaf-e", "Ethernet33/1"), ("spine", "swp1"))
    description.add_cable(("leaf-n", "Ethernet1/31"), ("spine", "swp2"))
    environment = pytest.MonkeyPatch()
    lab = start_module_lab(description)
    environment.setenv("SSL_CERT_FILE", lab.ca)  # what OpenSSL, and so pyeapi, trusts by default
    found = Mixed(lab)
    configure(found)
    yield found
    environment.undo()


def configure(mixed: Mixed) -> None:
    """Push each switch's side of the links through its own client."""
    spine_asn = mixed.asn["spine"]
    for name, lines in (("leaf-e", EOS_LINES), ("leaf-n", NXOS_LINES)):
        with mixed.napalm(name) as driver:
            driver.load_merge_candidate(config=lines.format(asn=mixed.asn[name], spine_asn=spine_asn))
            assert driver.compare_config() != ""
            driver.commit_config()
    mixed.apply(nvue_patch(spine_asn, mixed.asn["leaf-e"], mixed.asn["leaf-n"]))


def test_sessions_between_three_systems_come_up_and_routes_cross_the_spine(mixed: Mixed) -> None:
    assert mixed.states("spine") == {"10.160.0.1": "established", "10.160.0.3": "established"}
    route = mixed.lab.control.ask("rib", device="leaf-e")["10.255.0.2/32"]
    assert route["next_hops"] == [["10.160.0.0", "Ethernet33/1"]]
    assert route["as_path"] == [mixed.asn["spine"], mixed.asn["leaf-n"]]


@pytest.mark.parametrize(
    ("name", "peer", "model"), [("leaf-e", "10.160.0.0", "7060DX5"), ("leaf-n", "10.160.0.2", "C9332D")]
)
def test_stock_napalm_reads_what_the_fabric_says(mixed: Mixed, name: str, peer: str, model: str) -> None:
    with mixed.napalm(name) as driver:
        facts = driver.get_facts()
        assert model in facts["model"] and facts["serial_number"].startswith("LAB")
        neighbors = driver.get_bgp_neighbors()["global"]["peers"]
        assert neighbors[peer]["is_up"] and neighbors[peer]["remote_as"] == mixed.asn["spine"]
        (heard,) = driver.get_lldp_neighbors().values()
        assert heard[0]["port"] in ("swp1", "swp2")
        assert driver.get_interfaces()["Ethernet33/1" if name == "leaf-e" else "Ethernet1/31"]["is_up"]


@pytest.mark.parametrize("name", ["leaf-e", "leaf-n"])
def test_wrong_password_and_unknown_user_are_refused(mixed: Mixed, name: str) -> None:
    for changes in ({"password": "wrong"}, {"username": "nobody"}):
        driver = mixed.napalm(name, **changes)
        with pytest.raises(Exception, match=r"(?i)auth|connect"):
            driver.open()


def test_client_that_does_not_know_the_labs_ca_refuses_all_three(mixed: Mixed) -> None:
    for name in ("spine", "leaf-e", "leaf-n"):
        with pytest.raises(requests.exceptions.SSLError):
            verified_by_others(mixed.lab.url(name))


def verified_by_others(url: str) -> None:
    """A request that trusts certifi's authorities only."""
    session = requests.Session()
    session.trust_env = False
    session.get(url, timeout=10)


def test_cut_cable_and_wrong_asn_show_on_both_systems(mixed: Mixed) -> None:
    mixed.lab.control.ask("cut-cable", cable="c1")
    assert mixed.states("leaf-e") == {"10.160.0.0": "Ethernet33/1 is down"}
    with mixed.napalm("leaf-e") as driver:
        assert not driver.get_bgp_neighbors()["global"]["peers"]["10.160.0.0"]["is_up"]
        assert not driver.get_interfaces()["Ethernet33/1"]["is_up"]
    mixed.lab.control.ask("mend-cable", cable="c1")
    wrong = {"vrf": {"default": {"router": {"bgp": {"neighbor": {"10.160.0.3": {"remote-as": 64999}}}}}}}
    mixed.apply(wrong)
    assert mixed.states("leaf-n") == {"10.160.0.2": f"bad peer AS: expected 64999, found {mixed.asn['leaf-n']}"}
    with mixed.napalm("leaf-n") as driver:
        assert not driver.get_bgp_neighbors()["global"]["peers"]["10.160.0.2"]["is_up"]
    mixed.apply(nvue_patch(mixed.asn["spine"], mixed.asn["leaf-e"], mixed.asn["leaf-n"]))
    assert set(mixed.states("spine").values()) == {"established"}


def test_requests_are_counted_per_device(mixed: Mixed) -> None:
    mixed.lab.control.ask("requests", reset=True)
    with mixed.napalm("leaf-e") as driver:
        driver.get_facts()
    counted = mixed.lab.control.ask("requests")
    assert counted["leaf-e"]["requests"] >= 2 and counted["leaf-n"] == {"connections": 0, "requests": 0}

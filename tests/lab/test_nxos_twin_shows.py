"""What the NX-OS twin shows, read by ntc-templates (not ours), and NX-API's protocol over a connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests
from described_lab import LabDescription, RunningLab
from ntc_templates.parse import parse_output
from test_nxos_twin_replace import ROCE


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    """Two leaves on one cable, both ends configured alike but for addresses, with LLDP, BFD and BGP."""
    description = LabDescription(tmp_path_factory.mktemp("nxos") / "lab")
    for name in ("leaf-a", "leaf-b"):
        description.add_device(name, "nxos", asic="cloudscale-gx2")
    description.add_cable(("leaf-a", "Ethernet1/1"), ("leaf-b", "Ethernet1/1"))
    lab = start_module_lab(description)
    asns = [device["asn"] for device in description.devices]
    for number, name in enumerate(("leaf-a", "leaf-b")):
        client = Client(lab, name)
        for line in END.format(own=number, peer=1 - number, asn=asns[number], peer_asn=asns[1 - number]).splitlines():
            client.pending.append(line)
        client.send()
    return lab


END = """feature lldp
feature bfd
interface loopback0
  ip address 10.255.0.{own}/32
interface Ethernet1/1
  description to the other
  no switchport
  mtu 9216
  ip address 10.160.0.{own}/31
  no shutdown
ip route 10.168.{own}.0/24 Null0
ip prefix-list OWN seq 5 permit 10.168.{own}.0/24
route-map OUT permit 10
  match ip address prefix-list OWN
router bgp {asn}
  router-id 10.255.0.{own}
  address-family ipv4 unicast
    network 10.168.{own}.0/24
    network 10.255.0.{own}/32
  template peer OTHERS
    bfd
    ttl-security hops 1
    timers 3 9
    address-family ipv4 unicast
      route-map OUT out
      maximum-prefix 10 restart 5
  neighbor 10.160.0.{peer}
    inherit peer OTHERS
    remote-as {peer_asn}
    address-family ipv4 unicast"""


class Client:
    """NX-API by hand, on one connection."""

    def __init__(self, lab: RunningLab, name: str) -> None:
        self.device = next(each for each in lab.description.devices if each["name"] == name)
        self.url = f"https://{self.device['address']}:{self.device['api_port']}/ins"
        self.http = requests.Session()
        self.http.trust_env = False  # else REQUESTS_CA_BUNDLE would stand over verify
        self.http.auth = (lab.description.username, lab.description.password)
        self.http.verify = lab.ca
        self.pending: list[str] = []

    def post(self, *commands: str, method: str = "cli") -> Any:
        calls = [
            {"jsonrpc": "2.0", "method": method, "params": {"cmd": command, "version": 1}, "id": number}
            for number, command in enumerate(commands, start=1)
        ]
        return self.http.post(self.url, json=calls, timeout=10).json()

    def send(self) -> None:
        answers = self.post(*self.pending)
        assert not [answer for answer in answers if "error" in answer], answers[-1]
        self.pending = []

    def body(self, command: str) -> Any:
        answer = self.post(command)
        assert "result" in answer, answer
        return answer["result"]["body"]

    def text(self, command: str) -> str:
        return str(self.post(command, method="cli_ascii")["result"]["msg"])


@pytest.fixture
def client(lab: RunningLab) -> Client:
    return Client(lab, "leaf-a")


# -- read by others' parsers ------------------------------------------------------------------------------------------


def parsed(client: Client, command: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parse_output("cisco_nxos", command, client.text(command))
    return found


def test_version_and_inventory(client: Client) -> None:
    (version,) = parsed(client, "show version")
    assert version["os"] == "10.4(3)"
    assert version["serial"] == client.device["serial"]
    assert version["hostname"] == "leaf-a"
    inventory = parsed(client, "show inventory")
    assert inventory[0]["name"] == "Chassis"
    assert inventory[0]["pid"] == "N9K-C9332D-GX2B"
    assert inventory[0]["sn"] == client.device["serial"]


def test_interfaces(client: Client) -> None:
    found = {row["interface"]: row for row in parsed(client, "show interface")}
    assert found["Ethernet1/1"]["link_status"] == "up"
    assert found["Ethernet1/1"]["mtu"] == "9216"
    assert found["Ethernet1/1"]["description"] == "to the other"
    assert found["Ethernet1/2"]["link_status"] != "up"
    status = {row["port"]: row for row in parsed(client, "show interface status")}
    assert status["Eth1/1"]["status"] == "connected"
    assert status["Eth1/2"]["status"] == "xcvrAbsen"


def test_lldp(client: Client) -> None:
    (short,) = parsed(client, "show lldp neighbors")
    assert (short["local_interface"], short["neighbor_interface"]) == ("Eth1/1", "Ethernet1/1")
    (detail,) = parsed(client, "show lldp neighbors detail")
    assert (detail["neighbor_name"], detail["neighbor_interface"]) == ("leaf-b", "Ethernet1/1")


def test_bgp_bfd_and_routes(lab: RunningLab, client: Client) -> None:
    default = next(row for row in parsed(client, "show ip bgp summary") if row["bgp_neigh"] == "10.160.0.1")
    assert default["state_pfxrcd"] == "1"
    assert default["neigh_as"] == str(Client(lab, "leaf-b").device["asn"])
    (bfd,) = parsed(client, "show bfd neighbors")
    assert (bfd["neighbor_address"], bfd["state"], bfd["interface"]) == ("10.160.0.1", "Up", "Eth1/1")
    routes = {f"{row['network']}/{row['prefix_length']}": row for row in parsed(client, "show ip route")}
    assert routes["10.168.1.0/24"]["nexthop_ip"] == "10.160.0.1"
    assert routes["10.168.1.0/24"]["protocol"].startswith("bgp")
    assert "10.255.0.1/32" not in routes, "the other end's route-map lets its host block through, not its loopback"


def test_routes_of_all_vrfs_stand_in_a_row_for_each_vrf(client: Client) -> None:
    contexts = {row["vrf-name-out"]: row for row in client.body("show ip route vrf all")["TABLE_vrf"]["ROW_vrf"]}
    assert {"default", "management"} <= set(contexts)
    alone = client.body("show ip route")["TABLE_vrf"]["ROW_vrf"]
    assert without_ages(contexts["default"]["TABLE_addrf"]) == without_ages(alone["TABLE_addrf"])


def without_ages(value: Any) -> Any:
    """The same without how long each route is there."""
    if isinstance(value, dict):
        return {key: without_ages(below) for key, below in value.items() if key != "uptime"}
    return [without_ages(each) for each in value] if isinstance(value, list) else value


# -- NX-API's protocol ------------------------------------------------------------------------------------------------


def test_one_row_is_an_object_and_several_are_a_list(client: Client) -> None:
    several = client.body("show interface")["TABLE_interface"]["ROW_interface"]
    assert isinstance(several, list)
    one = client.body("show interface Ethernet1/1")["TABLE_interface"]["ROW_interface"]
    assert isinstance(one, dict)
    assert one["state"] == "up"


def test_one_command_is_answered_with_an_object_and_several_with_a_list(client: Client) -> None:
    assert isinstance(client.post("show hostname"), dict)
    assert [answer["id"] for answer in client.post("show hostname", "show clock")] == [1, 2]


def test_refused_command_answers_with_the_switchs_words_and_ends_nothing_else(client: Client) -> None:
    answers = client.post("show no such thing", "show hostname")
    assert "Invalid command" in answers[0]["error"]["data"]["msg"]
    assert answers[1]["result"]["body"]["hostname"].startswith("leaf-a")


def test_refused_configuration_line_ends_the_request(client: Client) -> None:
    answers = client.post("interface Ethernet1/20", "mtu 99999", "description must not be there")
    assert len(answers) == 2
    assert "Invalid number, range is (576:9216)" in answers[1]["error"]["data"]["msg"]
    assert "must not be there" not in client.text("show running-config")


def test_show_without_structured_form_is_refused_as_data(client: Client) -> None:
    assert "structured output unsupported" in client.post("show running-config")["error"]["data"]["msg"]


def test_many_requests_use_one_connection(lab: RunningLab) -> None:
    lab.control.ask("requests", reset=True)
    client = Client(lab, "leaf-b")
    for _ in range(5):
        client.body("show hostname")
    assert lab.control.ask("requests")["leaf-b"] == {"connections": 1, "requests": 5}


def test_request_without_login_is_refused(client: Client) -> None:
    client.http.auth = None
    assert client.http.post(client.url, json=[], timeout=10).status_code == 401


# -- what the switch says of its own QoS ------------------------------------------------------------------------------


def test_qos_is_read_back_from_what_was_configured(client: Client) -> None:
    client.pending = [line for line in ROCE.strip().splitlines() if not line.startswith("router bgp")]
    client.pending = client.pending[: client.pending.index("interface Ethernet1/1")]
    client.pending += [
        "interface Ethernet1/7",
        "priority-flow-control mode on",
        "priority-flow-control watch-dog-interval on",
        "service-policy type qos input QOS_CLASSIFICATION",
    ]
    client.send()
    network = client.body("show policy-map system type network-qos")["TABLE_xpmap"]["ROW_xpmap"]
    lossless = network["TABLE_xcmap"]["ROW_xcmap"][0]
    assert lossless["xcmap-name"] == "c-8q-nq3"
    assert {row.get("pfc-cos-list") for row in lossless["TABLE_xaction"]["ROW_xaction"]} == {None, "3"}
    ports = client.body("show interface priority-flow-control")
    rows = ports["TABLE_module"]["ROW_module"]["TABLE_pfc_interface"]["ROW_pfc_interface"]
    assert {row["if_name_str"]: row["oper"] for row in rows}["Ethernet1/7"] == "On (8)"
    assert {row["if_name_str"]: row["oper"] for row in rows}["Ethernet1/8"] == "Off"
    watchdog = client.body("show queuing pfc-queue")
    assert watchdog["glb-wd-status"] == "Enabled"
    queuing = client.body("show policy-map system type queuing output")["TABLE_pmap"]["ROW_pmap"]
    marked = next(row for row in queuing["TABLE_cmap"]["ROW_cmap"] if row["cmap-name"] == "c-out-8q-q3")
    assert "950" in str(marked) and "3000" in str(marked)
    classes = client.body("show class-map type qos")["TABLE_cmap"]["ROW_cmap"]
    assert {row["cmap-name-out"]: row["TABLE_match"]["ROW_match"]["dscp-list"] for row in classes} == {
        "CNP": "48",
        "ROCEv2": "24-31",
    }
    assert "Service-policy (qos) input:   QOS_CLASSIFICATION" in client.text("show policy-map interface Ethernet1/7")

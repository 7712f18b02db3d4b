"""Two Cumulus Linux switches of two releases with an interface neighbour each, as NVIDIA's pages configure it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import napalm
import pytest
from described_lab import LabDescription, RunningLab
from nvue_client import Nvue

SPELLING = {
    "spine-0": {"switch": {"enable": "on"}, "on": "on", "off": "off", "ipv6": "ip", "address": "ip"},
    "spine-1": {"switch": {"state": "enabled"}, "on": "enabled", "off": "disabled", "ipv6": "ipv6", "address": "ipv4"},
}


@pytest.fixture
def lab(start_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: Any) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("unnumbered") / "lab")
    description.add_device("spine-0", "nvue", release="5.14.0")
    description.add_device("spine-1", "nvue", release="5.16.0")
    description.add_cable(("spine-0", "swp1"), ("spine-1", "swp1"))
    running = start_lab(description)
    for number, name in enumerate(SPELLING):
        client(running, name).push(basic(name, number))
    return running


def client(lab: RunningLab, name: str) -> Nvue:
    return Nvue(lab.url(name), lab.ca, (lab.description.username, lab.description.password))


def basic(name: str, number: int) -> dict[str, Any]:
    """Cumulus Linux 5.14, Basic-BGP-Configuration.md, BGP Unnumbered: no address and no word on advertisements."""
    words = SPELLING[name]
    neighbor = {"swp1": {"remote-as": 65000 + 1 - number}}
    family = {"ipv4-unicast": {"network": {f"10.255.0.{number}/32": {}}}}
    return {
        "interface": {"lo": {words["address"]: {"address": {f"10.255.0.{number}/32": {}}}}, "swp1": {}},
        "router": {"bgp": {**words["switch"], "autonomous-system": 65000 + number, "router-id": f"10.255.0.{number}"}},
        "vrf": {"default": {"router": {"bgp": {**words["switch"], "neighbor": neighbor, "address-family": family}}}},
    }


def session(nvue: Nvue) -> Any:
    (found,) = nvue.get("vrf/default/router/bgp/neighbor", rev="operational").items()
    return found


def advertisement(lab: RunningLab, name: str) -> Any:
    port = client(lab, name).get("interface/swp1", rev="operational")
    return port[SPELLING[name]["ipv6"]]["neighbor-discovery"]["router-advertisement"]


def advertise(name: str, **settings: Any) -> dict[str, Any]:
    return {"interface": {"swp1": {SPELLING[name]["ipv6"]: {"neighbor-discovery": {"router-advertisement": settings}}}}}


def test_an_interface_neighbour_goes_by_its_port_and_its_routes_have_a_link_local_next_hop(
    lab: RunningLab,
) -> None:
    for number, name in enumerate(SPELLING):
        nvue, words = client(lab, name), SPELLING[name]
        key, seen = session(nvue)
        assert (key, seen["state"], seen["type"]) == ("swp1", "established", "unnumbered")
        assert seen["remote-as"] == 65000 + 1 - number
        configured = nvue.config(path="vrf/default/router/bgp/neighbor")
        assert configured["swp1"]["type"] == "unnumbered", "NVUE adds the type by itself"
        route = nvue.get(f"vrf/default/router/rib/ipv4/route/10.255.0.{1 - number}%2F32", rev="operational")
        (hop,) = route["route-entry"]["1"]["via"].items()
        assert hop[0].startswith("fe80::4638:39ff:fe")
        assert hop[1]["interface"] == "swp1"
        assert advertisement(lab, name) == {**words["switch"], "interval": 10000}


def test_a_port_that_does_not_advertise_itself_has_no_session(lab: RunningLab) -> None:
    for name, words in SPELLING.items():
        nvue, (switch,) = client(lab, name), words["switch"]
        nvue.push(advertise(name, **{switch: words["off"]}))
        assert {session(client(lab, each))[1]["state"] for each in SPELLING} <= {"idle", "active"}
        assert advertisement(lab, name)[switch] == words["off"]
        nvue.push(advertise(name, **{switch: words["on"], "interval": 5000}))
        assert {session(client(lab, each))[1]["state"] for each in SPELLING} == {"established"}
        assert advertisement(lab, name) == {switch: words["on"], "interval": 5000}


def test_no_session_comes_up_with_a_neighbour_of_another_asn(lab: RunningLab) -> None:
    wrong = {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {"remote-as": 65009}}}}}}}
    client(lab, "spine-0").push(wrong)
    assert {session(client(lab, each))[1]["state"] for each in SPELLING} == {"idle"}


def test_napalms_getter_names_the_session_by_its_port(lab: RunningLab) -> None:
    for number, name in enumerate(SPELLING):
        found = next(each for each in lab.description.devices if each["name"] == name)
        options = {"port": found["api_port"], "ca_file": lab.ca}
        login = (lab.description.username, lab.description.password)
        with napalm.get_network_driver("nvue")(found["address"], *login, timeout=10, optional_args=options) as device:
            peers = device.get_bgp_neighbors()["global"]["peers"]
            ports = device.get_interfaces_ip()
        assert list(peers) == ["swp1"]
        assert peers["swp1"]["is_up"]
        assert (peers["swp1"]["remote_as"], peers["swp1"]["local_as"]) == (65000 + 1 - number, 65000 + number)
        assert "ipv4" not in ports.get("swp1", {})

"""What the NVUE twin sees of its neighbours and of its own silicon, from configuration that was really pushed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from described_lab import LabDescription, RunningLab
from nvue_client import Nvue

from switch_twins.clock import ManualClock
from switch_twins.fabric import FabricSim, NextHop, Route
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.operational import Operational
from switch_twins.nvue.tree import get
from switch_twins.spec_reader import load_spec
from switch_twins.state import SwitchState

SPELLING = {
    "spine-0": {"switch": {"enable": "on"}, "on": "on", "address": ("ip", "address")},
    "spine-1": {"switch": {"state": "enabled"}, "on": "enabled", "address": ("ipv4", "address")},
}


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: Any) -> RunningLab:
    """Two switches of two releases with two parallel links, pushed once."""
    description = LabDescription(tmp_path_factory.mktemp("operational") / "lab")
    description.add_device("spine-0", "nvue", release="5.14.0")
    description.add_device("spine-1", "nvue", release="5.16.0")
    description.add_cable(("spine-0", "swp1"), ("spine-1", "swp1"))
    description.add_cable(("spine-0", "swp2"), ("spine-1", "swp2"))
    running = start_module_lab(description)
    for number, name in enumerate(SPELLING):
        client(running, name).push(fabric(name, number))
    return running


def client(lab: RunningLab, name: str) -> Nvue:
    return Nvue(lab.url(name), lab.ca, (lab.description.username, lab.description.password))


def fabric(name: str, number: int, **peer: Any) -> dict[str, Any]:
    """One end: loopback, two /31 links, eBGP with policy, a discard route announced, RoCE with overrides."""
    words, other = SPELLING[name], 1 - number
    switch = words["switch"]
    family, key = words["address"]

    def interface(address: str, **more: Any) -> dict[str, Any]:
        return {family: {key: {address: {}}}, **more}

    neighbor = {
        "remote-as": 65000 + other,
        "ttl-security": {**switch, "hops": 1},
        "address-family": {"ipv4-unicast": {"policy": {"outbound": {"route-map": "RM-OUT"}}}},
        **peer,
    }
    return {
        "interface": {
            "lo": interface(f"10.255.0.{number}/32"),
            "swp1": interface(f"10.0.0.{number}/31", description=f"to spine-{other}"),
            "swp2": interface(f"10.0.1.{number}/31"),
        },
        "qos": {
            "roce": {**switch, "mode": "lossless"},
            "mapping": {"default-global": {"dscp": {str(n): {"switch-priority": 0} for n in (24, 25, 27)}}},
            "congestion-control": {"default-global": {"traffic-class": {"3": {"min-threshold": 200000}}}},
        },
        "router": {
            "bgp": {**switch, "autonomous-system": 65000 + number, "router-id": f"10.255.0.{number}"},
            "policy": {
                "prefix-list": {
                    "OWN": {
                        "rule": {
                            "10": {"action": "permit", "match": {f"10.255.0.{number}/32": {}}},
                            "20": {"action": "permit", "match": {f"10.{168 + number}.0.0/16": {}}},
                        }
                    }
                },
                "route-map": {
                    "RM-OUT": {
                        "rule": {"10": {"action": {"permit": {}}, "match": {"type": "ipv4", "ip-prefix-list": "OWN"}}}
                    }
                },
            },
        },
        "vrf": {
            "default": {
                "router": {
                    "bgp": {
                        **switch,
                        "neighbor": {f"10.0.0.{other}": neighbor, f"10.0.1.{other}": neighbor},
                        "address-family": {
                            "ipv4-unicast": {"network": {f"10.255.0.{number}/32": {}, f"10.{168 + number}.0.0/16": {}}}
                        },
                        "path-selection": {"multipath": {"aspath-ignore": words["on"]}},
                    },
                    "static": {f"10.{168 + number}.0.0/16": {"via": {"blackhole": {}}}},
                }
            }
        },
    }


@pytest.fixture
def pushed(lab: RunningLab) -> Iterator[RunningLab]:
    """The pushed lab; whatever a test changes, the revision it found is applied again afterwards."""
    found = {name: client(lab, name).config() for name in SPELLING}
    yield lab
    for name, tree in found.items():
        nvue = client(lab, name)
        if nvue.config() != tree:
            back = next(r for r in sorted(nvue.get("revision"), key=int) if nvue.config(r) == tree)
            assert nvue.apply(back) == "applied_and_saved"
        assert nvue.config() == tree


@pytest.mark.parametrize("name", list(SPELLING))
def test_release_serial_number_and_hostname_come_in_one_small_read(lab: RunningLab, name: str) -> None:
    nvue = client(lab, name)
    found = nvue.get(include="/system/version/product-release,/system/hostname,/platform/serial-number")
    release = {"spine-0": "5.14.0", "spine-1": "5.16.0"}[name]
    assert found["system"] == {"hostname": name, "version": {"product-release": release}}
    assert found["platform"]["serial-number"].startswith("LAB")
    assert nvue.get("system")["build"] == f"Cumulus Linux {release}"


@pytest.mark.parametrize("name", list(SPELLING))
def test_sessions_routes_and_neighbours_follow_the_pushed_configuration(pushed: RunningLab, name: str) -> None:
    nvue, number = client(pushed, name), list(SPELLING).index(name)
    other = 1 - number
    neighbors = nvue.get("vrf/default/router/bgp/neighbor", rev="operational")
    assert set(neighbors) == {f"10.0.0.{other}", f"10.0.1.{other}"}
    for neighbor in neighbors.values():
        assert neighbor["state"] == "established" and neighbor["remote-as"] == 65000 + other
        assert neighbor["address-family"]["ipv4-unicast"]["rx-prefix"] == 2
    routes = nvue.get("vrf/default/router/rib/ipv4/route")
    learnt = routes[f"10.{168 + other}.0.0/16"]["route-entry"]["1"]
    assert learnt["protocol"] == "bgp" and learnt["distance"] == 20
    assert "via" not in learnt, "the list names the group only"
    groups = nvue.get("router/nexthop/rib")
    members = [groups[member]["via"] for member in groups[str(learnt["nexthop-group-id"])]["depends"]]
    assert {each["interface"] for via in members for each in via.values()} == {"swp1", "swp2"}
    single = nvue.get(f"vrf/default/router/rib/ipv4/route/10.{168 + other}.0.0%2F16")
    assert len(single["route-entry"]["1"]["via"]) == 2
    assert routes[f"10.{168 + number}.0.0/16"]["route-entry"]["1"]["protocol"] == "static"
    assert routes["10.0.0.0/31"]["route-entry"]["1"]["protocol"] == "connected"
    interface = nvue.get("interface/swp1")
    assert interface["link"]["oper-status"] == "up" and interface["link"]["mtu"] == 9216
    (heard,) = interface["lldp"]["neighbor"].values()
    assert heard["chassis"]["system-name"] == f"spine-{other}" and heard["port"]["name"] == "swp1"
    assert nvue.get("interface/swp3")["link"]["admin-status"] == "down", "nobody configured it"
    corporate = nvue.get("vrf/CORP/router/bgp/neighbor/203.0.113.1")
    assert corporate["state"] != "established"


def test_a_wrong_asn_one_sided_gtsm_or_a_shut_port_ends_the_session(pushed: RunningLab) -> None:
    first, second = (client(pushed, name) for name in SPELLING)
    path = ["vrf", "default", "router", "bgp", "neighbor", "10.0.0.1"]

    def change(nvue: Nvue, value: dict[str, Any], keys: list[str]) -> None:
        body: Any = value
        for key in reversed(keys):
            body = {key: body}
        nvue.push(body)

    def states() -> list[str]:
        found = first.get("vrf/default/router/bgp/neighbor")
        return [found["10.0.0.1"]["state"] == "established", found["10.0.1.1"]["state"] == "established"]

    assert states() == [True, True]
    change(first, {"remote-as": 65009}, path)
    assert states() == [False, True]
    change(first, {"remote-as": 65001, "ttl-security": None}, path)
    assert states() == [False, True], "GTSM on one side alone"
    change(first, {"ttl-security": {"enable": "on", "hops": 1}}, path)
    assert states() == [True, True]
    change(second, {"state": {"down": {}}}, ["interface", "swp1", "link"])
    assert states() == [False, True]
    assert first.get("interface/swp1")["link"]["oper-status"] == "down"


def test_a_peer_group_gives_no_gtsm_as_frr_never_gets_it(pushed: RunningLab) -> None:
    first = client(pushed, "spine-0")
    group = {"remote-as": 65001, "ttl-security": {"enable": "on", "hops": 1}}
    neighbor = {"remote-as": None, "ttl-security": None, "peer-group": "FABRIC"}
    bgp = {"peer-group": {"FABRIC": group}, "neighbor": {"10.0.0.1": neighbor}}
    first.push({"vrf": {"default": {"router": {"bgp": bgp}}}})
    assert first.get("vrf/default/router/bgp/neighbor/10.0.0.1")["state"] != "established"


@pytest.mark.parametrize("name", list(SPELLING))
def test_the_effective_qos_is_the_profile_with_the_overrides(pushed: RunningLab, name: str) -> None:
    nvue = client(pushed, name)
    roce = nvue.get("qos/roce")
    assert roce["mode"] == "lossless" and roce["trust"]["trust-mode"] == "pcp,dscp"
    assert roce["pfc"] == {"pfc-priority": "3", "rx-enabled": "enabled", "tx-enabled": "enabled", "cable-length": 100}
    assert roce["congestion-control"]["enabled-tc"] == "0,3"
    assert roce["congestion-control"]["min-threshold"] == 200000
    assert roce["prio-map"]["3"]["dscp"] == "26,28,29,30,31"
    mapping = nvue.get("qos/mapping/default-global/dscp")
    assert len(mapping) == 64 and mapping["24"] == {"switch-priority": 0} and mapping["48"] == {"switch-priority": 6}
    assert nvue.get("qos/egress-queue-mapping/default-global/switch-priority/6") == {"traffic-class": 6}
    port = nvue.get("interface/swp1/qos")
    assert port["pfc"]["switch-priority"] == {"3": {}}
    assert port["egress-scheduler"]["traffic-class"]["6"]["mode"] == "strict"
    assert port["pfc-watchdog"] == {"state": "disabled"}
    nvue.push({"interface": {"swp1": {"qos": {"pfc-watchdog": {"state": "enable"}}}}})
    watchdog = nvue.get("interface/swp1/qos/pfc-watchdog")
    assert watchdog["state"] == "enabled" and watchdog["status"]["3"] == {"status": "OK", "deadlock-count": 0}


def test_swapped_cables_show_in_lldp_and_end_the_sessions(pushed: RunningLab) -> None:
    nvue = client(pushed, "spine-0")
    pushed.control.ask("swap-cables", cables=["c1", "c2"])
    (heard,) = nvue.get("interface/swp1/lldp/neighbor").values()
    assert heard["port"]["name"] == "swp2"
    found = nvue.get("vrf/default/router/bgp/neighbor")
    assert not any(neighbor["state"] == "established" for neighbor in found.values())
    pushed.control.ask("swap-cables", cables=["c1", "c2"])


class Converging(FabricSim):
    """One whose routes take another way each time that they are read, as packets' real routes may."""

    readings = 0

    def rib(self, device: str, vrf: str = "default") -> dict[str, Route]:
        self.readings += 1
        hops = (NextHop("10.0.0.1", "swp1"), NextHop(f"10.0.1.{self.readings}", "swp2"))
        return {"10.1.0.0/16": Route("10.1.0.0/16", "bgp", hops)}


def test_what_is_said_of_next_hops_fits_the_routes_while_they_change(tmp_path: Path) -> None:
    description = LabDescription(tmp_path / "lab")
    description.add_device("leaf-1", "nvue")
    (device,) = load_spec(description.write()).devices
    fabric = Converging((), (), ManualClock())
    operational = Operational(device, fabric, dialect_for(device.release))

    def shown(*path: str) -> Any:
        return get(operational.build(path, {}, SwitchState("leaf-1", "nvue"), 0.0), path)

    table = ("vrf", "default", "router", "rib", "ipv4", "route")
    for _ in range(2):
        assert list(shown(*table)) == ["10.1.0.0/16"]
        (entry,) = shown(*table, "10.1.0.0/16", "route-entry").values()
        assert len(entry["via"]) == 2
        groups = shown("router", "nexthop", "rib")
        assert all(member in groups for group in groups.values() for member in group.get("depends", ()))
    before = fabric.readings
    assert shown("vrf", "default", "router").keys() == {"rib"}
    assert fabric.readings - before == 2, "one for each VRF"
    shown("vrf", "mgmt")
    with pytest.raises(KeyError):
        shown("vrf", "default", "router", "bgp")
    assert fabric.readings - before == 4, "none where no route is asked for"

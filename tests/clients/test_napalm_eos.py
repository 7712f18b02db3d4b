"""Stock NAPALM's getters over eAPI: each says what the intent says, names one fault, and agrees again."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from case import Case, prove
from eos_intent import FRONT, OOB, RAIL, Intent, by_hand, control, cut, intent, same, value
from listed import cases
from napalm.eos import EOSDriver

Run = Callable[[EOSDriver, Intent], None]


@contextmanager
def driver(lab: Operator, name: str) -> Iterator[EOSDriver]:
    """The driver as anybody opens it, with the lab's CA."""
    spec = json.loads((lab.lab / "spec.json").read_text())
    where = next(each for each in spec["devices"] if each["name"] == name)
    options = {"port": where["api_port"], "context": ssl.create_default_context(cafile=spec["ca"])}
    password = Path(spec["password_file"]).read_text().strip()
    with EOSDriver(where["address"], spec["username"], password, timeout=20, optional_args=options) as opened:
        yield opened


def case(name: str, run: Run, fault: Any, message: str) -> Case:
    """``run`` on one switch."""

    def ask(lab: Operator) -> None:
        with driver(lab, name) as opened:
            run(opened, intent(lab))

    return Case(ask, fault, message)


def peers(site: Intent, name: str) -> dict[str, str]:
    """Address of each BGP neighbour -> the switch that it is."""
    return {far["address"]: far["device"] for _, far, _ in site.links(name, "fabric")}


# -- one function for each getter ----------------------------------------------------------------------------------


def arp_table(switch: EOSDriver, site: Intent) -> None:
    found = {row["ip"]: (row["interface"], len(row["mac"])) for row in switch.get_arp_table()}
    hosts = site.links(OOB, "host")
    expected = {far["address"]: (f"Vlan40, {near['port']}", 17) for near, far, _ in hosts if far["address"] in found}
    assert len(expected) >= 9, f"{len(expected)} hosts"
    same(found, expected | {far["address"]: (near["port"], 17) for near, far, _ in site.links(OOB, "fabric")})


def bgp_config(switch: EOSDriver, site: Intent) -> None:
    (group,) = (name for name in switch.get_bgp_config() if name == "COMPUTE-SPINES")
    shown = switch.get_bgp_config()[group]
    found = {peer: (each["remote_as"], each["description"]) for peer, each in shown["neighbors"].items()}
    same(found, {peer: (site.asn(name), name) for peer, name in peers(site, RAIL).items()})
    same((shown["import_policy"], shown["export_policy"]), ("COMPUTE-IN", "COMPUTE-OUT"))


def bgp_neighbors(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_bgp_neighbors()["global"]
    same(shown["router_id"], site.device(RAIL)["loopback"])
    found = {peer: (each["is_up"], each["remote_as"], each["remote_id"]) for peer, each in shown["peers"].items()}
    expected = {p: (True, site.asn(name), site.device(name)["loopback"]) for p, name in peers(site, RAIL).items()}
    same(found, expected)
    learned = site.design["routes"][RAIL]["learned"]
    for each in shown["peers"].values():
        assert each["address_family"]["ipv4"]["accepted_prefixes"] >= learned // 2, each


def bgp_neighbors_detail(switch: EOSDriver, site: Intent) -> None:
    rows = [row for group in switch.get_bgp_neighbors_detail()["default"].values() for row in group]
    keys = ("connection_state", "remote_as", "local_as", "import_policy", "export_policy", "holdtime", "keepalive")
    (process,) = site.blocks(RAIL, "router bgp ").values()
    hold = int(value(process, r"neighbor \S+ timers \d+ (\d+)"))
    keepalive = int(value(process, r"neighbor \S+ timers (\d+) \d+"))
    same(
        {row["remote_address"]: tuple(row[key] for key in keys) for row in rows},
        {
            peer: ("Established", site.asn(far), site.asn(RAIL), "COMPUTE-IN", "COMPUTE-OUT", hold, keepalive)
            for peer, far in peers(site, RAIL).items()
        },
    )


def config(switch: EOSDriver, site: Intent) -> None:
    running = switch.get_config(retrieve="running")["running"].splitlines()
    wanted = [line for line in site.texts[RAIL].splitlines() if line.startswith(("   description", "   neighbor"))]
    missing = [line for line in wanted if line not in running]
    assert not missing, f"not there: {missing}"


def environment(switch: EOSDriver, _: Intent) -> None:
    found = switch.get_environment()
    same({name: each["status"] for name, each in found["fans"].items()}, {str(n): True for n in range(1, 5)}, "fans")
    same({name: each["status"] for name, each in found["power"].items()}, {"1": True, "2": True}, "power")
    assert not any(each["is_alert"] for each in found["temperature"].values())
    assert found["cpu"][0]["%usage"] < 50
    assert 0 < found["memory"]["used_ram"] < found["memory"]["available_ram"]


def facts(switch: EOSDriver, site: Intent) -> None:
    found, device = switch.get_facts(), site.device(RAIL)
    same((found["hostname"], found["vendor"]), (RAIL, "Arista"))
    assert device["model"] in found["model"], found["model"]
    assert found["os_version"].startswith(device["release"]), found["os_version"]
    assert set(site.ports(RAIL)) <= set(found["interface_list"])
    assert 0 <= found["uptime"] < 86400


def interfaces(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_interfaces()
    keys = ("description", "is_enabled", "is_up", "mtu")
    found = {port: tuple(shown[port][key] for key in keys) for port in site.used(FRONT)}
    expected = {}
    for port, lines in site.used(FRONT).items():
        mtu = "65535" if port.startswith("Loopback") else value(lines, r"mtu (\d+)", str(shown[port]["mtu"]))
        expected[port] = (value(lines, r"description (.+)"), True, True, int(mtu))
    same(found, expected)
    assert shown["Ethernet53/1"]["speed"] == 100_000.0
    assert shown["Ethernet1"]["speed"] == 25_000.0


def interfaces_counters(switch: EOSDriver, site: Intent) -> None:
    found = switch.get_interfaces_counters()
    without = set(site.used(RAIL)) - set(found)
    assert not without, f"not counted: {without}"
    counted = {port: each for port, each in found.items() if any(count > 0 for count in each.values())}
    assert not counted, counted


def interfaces_ip(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_interfaces_ip()
    found = {port: {f"{ip}/{each['prefix_length']}" for ip, each in shown[port]["ipv4"].items()} for port in shown}
    expected = {
        port: {line.removeprefix("ip address ") for line in lines if line.startswith("ip address ")}
        for port, lines in site.ports(FRONT).items()
    }
    found.pop("Management1")
    same(found, {port: addresses for port, addresses in expected.items() if addresses})


def lldp_neighbors(switch: EOSDriver, site: Intent) -> None:
    shown = {port: rows for port, rows in switch.get_lldp_neighbors().items() if port != "Management1"}
    links = site.links(FRONT, "fabric", "peer")
    same(shown, {near["port"]: [{"hostname": far["device"], "port": far["port"]}] for near, far, _ in links})


def lldp_neighbors_detail(switch: EOSDriver, site: Intent) -> None:
    keys = ("remote_system_name", "remote_port", "remote_port_description")
    shown = switch.get_lldp_neighbors_detail()
    found = {port: tuple(rows[0][key] for key in keys) for port, rows in shown.items() if port != "Management1"}
    expected = {
        near["port"]: (far["device"], far["port"], f"{FRONT} {near['port']}" + (" peer" if "peer" in cable else ""))
        for near, far, cable in site.links(FRONT, "fabric", "peer")
    }
    same(found, expected)


def mac_address_table(switch: EOSDriver, site: Intent) -> None:
    found = {row["interface"]: (row["vlan"], row["static"]) for row in switch.get_mac_address_table()}
    switches = {each["name"] for each in site.design["devices"]}
    hosts = [near["port"] for near, far, _ in site.links(OOB, "host") if far["device"] not in switches]
    same(found, dict.fromkeys(hosts, (40, False)))


def network_instances(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_network_instances()
    found = {name: set(each["interfaces"]["interface"]) for name, each in shown.items()}
    routed = {port for port, lines in site.used(FRONT).items() if any(line.startswith("ip address") for line in lines)}
    same(found, {"default": routed, "MGMT": {"Management1"}, "LEGACY": set()})


def ntp_servers(switch: EOSDriver, _: Intent) -> None:
    """Base is nobody's here: what was there before the first push still is."""
    shown = switch.get_ntp_servers()
    found = {name: (each["network_instance"], each["prefer"], each["iburst"]) for name, each in shown.items()}
    found.pop("Management1")  # of `ntp local-interface`, which the driver takes for a server
    same(found, {"192.0.2.1": ("MGMT", True, True)})


def ntp_stats(switch: EOSDriver, _: Intent) -> None:
    same({row["remote"]: row["synchronized"] for row in switch.get_ntp_stats()}, {"192.0.2.1": True})


def optics(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_optics()
    ports = {near["port"] for near, _, _ in site.links(RAIL, "fabric", "host")}
    same(set(shown), ports)
    channels = {port: each["physical_channels"]["channel"][0]["state"] for port, each in shown.items()}
    dark = [port for port, state in channels.items() if state["input_power"]["instant"] < -15]
    assert not dark, f"no light at {dark}"


def route_to(switch: EOSDriver, site: Intent) -> None:
    far = "leaf-g1-r1"
    block = "10.169.0.0/24"
    same(site.device(far)["host_blocks"]["compute"], block)
    rows = switch.get_route_to(block)[block]
    found = {row["next_hop"]: (row["outgoing_interface"], row["protocol_attributes"]["as_path"]) for row in rows}
    expected = {
        there["address"]: (near["port"], f"{site.asn(there['device'])} {site.asn(far)}")
        for near, there, _ in site.links(RAIL, "fabric")
    }
    same(found, expected)
    assert sum(row["current_active"] for row in rows) == 1


def snmp_information(switch: EOSDriver, _: Intent) -> None:
    found = switch.get_snmp_information()
    same((found["contact"], found["location"], found["community"]), ("noc", "", {}))


def users(switch: EOSDriver, _: Intent) -> None:
    shown = switch.get_users()
    same(
        {name: (each["level"], each["role"]) for name, each in shown.items()},
        dict.fromkeys(("admin", "gpufabric"), (15, "network-admin")),
    )


def vlans(switch: EOSDriver, site: Intent) -> None:
    shown = switch.get_vlans()
    groups = {
        p: value(lines, r"switchport trunk allowed vlan (\S+)").split(",") for p, lines in site.used(FRONT).items()
    }
    expected = {
        number: (value(lines, r"name (.+)"), {p for p, carried in groups.items() if number in carried} | {"Cpu"})
        for number, lines in site.blocks(FRONT, "vlan ").items()
    }
    same(
        {number: (shown[number]["name"], set(shown[number]["interfaces"])) for number in expected if number in shown},
        expected,
    )


_WRONG_AS = "router bgp 4200000000; neighbor 10.160.0.0 remote-as {}"
_UPLINK, _SPINE = "leaf-g1-r0-u1", "10.160.0.0"
_NTP = "ntp server vrf MGMT 192.0.2.1 prefer iburst"
_ROGUE = "username intruder privilege 15 role network-admin nopassword"
CASES = {
    "get_arp_table": case(OOB, arp_table, cut("oob-leaf-g1-u1"), r"10\.182\.0\.0: None"),
    "get_bgp_config": case(
        RAIL, bgp_config, by_hand(RAIL, _WRONG_AS.format(64999), _WRONG_AS.format(4200099998)), "64999"
    ),
    "get_bgp_neighbors": case(
        RAIL, bgp_neighbors, by_hand(RAIL, _WRONG_AS.format(64999), _WRONG_AS.format(4200099998)), rf"{_SPINE}: \(False"
    ),
    "get_bgp_neighbors_detail": case(
        RAIL,
        bgp_neighbors_detail,
        by_hand(
            RAIL,
            f"router bgp 4200000000; neighbor {_SPINE} shutdown",
            f"router bgp 4200000000; no neighbor {_SPINE} shutdown",
        ),
        rf"{_SPINE}: \('Idle'",
    ),
    "get_config": case(
        RAIL,
        config,
        by_hand(RAIL, "interface Loopback0; description by hand", "interface Loopback0; description router-id"),
        "not there: .*description router-id",
    ),
    "get_environment": case(
        RAIL, environment, control("fail-part", "repair-part", device=RAIL, part="supply-2"), "power 2: False"
    ),
    "get_facts": case(RAIL, facts, by_hand(RAIL, "hostname nobody", f"hostname {RAIL}"), "nobody"),
    "get_interfaces": case(
        FRONT,
        interfaces,
        by_hand(FRONT, "interface Ethernet53/1; shutdown", "interface Ethernet53/1; no shutdown"),
        r"Ethernet53/1: \('front-spine-1 swp1', False, False",
    ),
    "get_interfaces_counters": case(
        RAIL,
        interfaces_counters,
        by_hand(
            RAIL,
            "no interface Loopback0",
            "interface Loopback0; description router-id; ip address 10.255.0.1/32",
        ),
        "not counted: .'Loopback0'",
    ),
    "get_interfaces_ip": case(
        FRONT,
        interfaces_ip,
        by_hand(
            FRONT, "interface Loopback0; ip address 10.254.9.9/32", "interface Loopback0; ip address 10.254.0.1/32"
        ),
        r"Loopback0: \{'10\.254\.9\.9/32'\}",
    ),
    "get_lldp_neighbors": case(FRONT, lldp_neighbors, cut("front-leaf-g1-a-p1"), "Ethernet55/1: None"),
    "get_lldp_neighbors_detail": case(
        FRONT, lldp_neighbors_detail, by_hand(FRONT, "no lldp run", "lldp run"), "Ethernet53/1: None"
    ),
    "get_mac_address_table": case(OOB, mac_address_table, cut("oob-leaf-g1-h1"), "Ethernet1: None"),
    "get_network_instances": case(
        FRONT, network_instances, by_hand(FRONT, "vrf instance BY-HAND", "no vrf instance BY-HAND"), "BY-HAND: set"
    ),
    "get_ntp_servers": case(RAIL, ntp_servers, by_hand(RAIL, f"no {_NTP}", _NTP), r"192\.0\.2\.1: None"),
    "get_ntp_stats": case(
        RAIL,
        ntp_stats,
        by_hand(RAIL, "ntp server vrf LEGACY 192.0.2.7", "no ntp server vrf LEGACY 192.0.2.7"),
        "192.0.2.7: False",
    ),
    "get_optics": case(RAIL, optics, cut(_UPLINK), "no light at .*Ethernet63/1"),
    "get_route_to": case(RAIL, route_to, cut(_UPLINK), rf"{_SPINE}: None"),
    "get_snmp_information": case(
        RAIL, snmp_information, by_hand(RAIL, "snmp-server location nowhere", "no snmp-server location"), "nowhere"
    ),
    "get_users": case(RAIL, users, by_hand(RAIL, _ROGUE, "no username intruder"), "intruder"),
    "get_vlans": case(FRONT, vlans, by_hand(FRONT, "vlan 200; name WRONG", "vlan 200; name STORAGE-HOSTS"), "WRONG"),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("getter", cases("napalm.eos", CASES))
def test_a_getter_says_what_the_intent_says_and_names_a_fault(getter: Case, pushed_lab: Operator) -> None:
    prove(getter, pushed_lab)

"""What EOS prints over SSH, read by ntc-templates: the rows are what the intent says, and name a fault."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from at_terminal import Operator
from case import Case, prove
from eos_intent import FRONT, OOB, RAIL, Fault, Intent, by_hand, control, cut, intent, logged_in, same, value
from listed import cases
from ntc_templates.parse import parse_output
from scrapli.exceptions import ScrapliException

Rows = list[dict[str, Any]]
BLOCK, SPINE = "10.169.0.0/24", "10.160.0.0"
"""The hosts behind the next rail's leaf, and a neighbour."""


def case(device: str, command: str, judge: Callable[[Rows, Intent], None], fault: Fault, message: str) -> Case:
    """``judge`` the rows of a command on one switch."""

    def ask(lab: Operator) -> None:
        try:
            with logged_in(lab, device) as session:
                answer = session.send_command(command)
        except ScrapliException as error:
            raise AssertionError(f"{device} does not answer: {error}") from error
        assert not answer.failed, answer.result
        lines = answer.raw_result.decode().splitlines()[
            :-1
        ]  # the prompt is the last; `result` has no blanks at line ends
        judge(parse_output(platform="arista_eos", command=command, data="\n".join(lines)), intent(lab))

    return Case(ask, fault, message)


def short(port: str) -> str:
    """Et1/1 for Ethernet1/1."""
    return re.sub(r"^(\D\D)\D*(?=\d)", r"\1", port)


def clock(rows: Rows, _: Intent) -> None:
    (row,) = rows
    text = f"{row['day']} {row['month']} {row['year']} {row['time']}"
    shown = dt.datetime.strptime(text, "%d %b %Y %H:%M:%S").replace(tzinfo=dt.UTC)
    assert row["timezone"] == "UTC"
    ahead_s = (shown - dt.datetime.now(dt.UTC)).total_seconds()
    assert -60 < ahead_s < 3600, f"it is {text} there, which is not the lab's clock: tests move it forward by minutes"


def hostname(rows: Rows, _: Intent) -> None:
    same(rows[0]["hostname"], RAIL)
    assert rows[0]["fqdn"].startswith(f"{RAIL}."), rows


def interfaces(rows: Rows, site: Intent) -> None:
    found = {row["interface"]: (row["link_status"], row["description"], row["ip_address"], row["mtu"]) for row in rows}
    expected = {
        port: ("up", value(lines, r"description (.+)"), value(lines, r"ip address (\S+)"), value(lines, r"mtu (\d+)"))
        for port, lines in site.used(FRONT).items()
        if port.startswith(("Ethernet53", "Ethernet54", "Vlan"))
    }
    same({port: found[port] for port in expected}, expected)


def descriptions(rows: Rows, site: Intent) -> None:
    found = {row["port"]: (row["status"], row["description"]) for row in rows}
    expected = {
        short(port): ("admin down", "") if "shutdown" in lines else ("up", value(lines, r"description (.+)"))
        for port, lines in site.ports(FRONT).items()
    }
    same({port: found.get(port) for port in expected}, expected)


def status(rows: Rows, site: Intent) -> None:
    found = {row["port"]: (row["status"], row["vlan_id"]) for row in rows}
    expected = {}
    for port, lines in site.used(FRONT).items():
        if port.startswith(("Ethernet53", "Ethernet54")):
            expected[short(port)] = ("connected", "routed")
        if port.startswith("Port-Channel"):
            expected[short(port)] = ("connected", "trunk" if "switchport mode trunk" in lines else "1")
    same({port: found.get(port) for port in expected}, expected)


def inventory(rows: Rows, site: Intent) -> None:
    assert site.device(RAIL)["model"] in rows[0]["pid"], rows[0]
    kinds = [row["pid"].partition("-")[0] for row in rows]
    same((kinds.count("PWR"), kinds.count("FAN")), (2, 4), "supplies and fans:")
    cages = {
        near["port"].removeprefix("Ethernet").removesuffix("/1") for near, _, _ in site.links(RAIL, "fabric", "host")
    }
    same({row["port"] for row in rows if row["descr"] == "Arista Networks"}, cages, "optics:")


def access_lists(rows: Rows, site: Intent) -> None:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(f"{row['sn']} {row['action']} {row['protocol']}")
    expected = {
        name: [" ".join(line.split()[:3]) for line in lines if line[:1].isdigit()]
        for name, lines in site.blocks(FRONT, "ip access-list ").items()
    }
    same({name: found.get(name) for name in expected}, expected)


def arp(rows: Rows, site: Intent) -> None:
    found = {row["ip_address"]: row["interface"] for row in rows}
    hosts = {far["address"]: f"Vlan40, {near['port']}" for near, far, _ in site.links(OOB, "host")}
    peers = {far["address"]: near["port"] for near, far, _ in site.links(OOB, "fabric")}
    same(found, {ip: port for ip, port in hosts.items() if ip in found} | peers)
    assert len(found) >= 11, found


def bgp(rows: Rows, site: Intent) -> None:
    found = {row["next_hop"]: row["as_path"].split() for row in rows if row["network"] == BLOCK}
    far = str(site.asn("leaf-g1-r1"))
    same(found, {there["address"]: [str(site.asn(there["device"])), far] for _, there, _ in site.links(RAIL, "fabric")})
    same((rows[0]["local_as"], rows[0]["router_id"]), (str(site.asn(RAIL)), site.device(RAIL)["loopback"]))


def bgp_summary(rows: Rows, site: Intent) -> None:
    found = {row["bgp_neigh"]: (row["neigh_as"], row["state"]) for row in rows}
    same(found, {far["address"]: (str(site.asn(far["device"])), "Estab") for _, far, _ in site.links(RAIL, "fabric")})


def ip_brief(rows: Rows, site: Intent) -> None:
    found = {row["interface"]: (row["ip_address"], row["status"]) for row in rows if row["interface"] != "Management1"}
    lines = {port: value(block, r"ip address (\S+)") for port, block in site.used(FRONT).items()}
    same(found, {port: (address, "up") for port, address in lines.items() if address})


def routes(rows: Rows, site: Intent) -> None:
    (row,) = (each for each in rows if f"{each['network']}/{each['prefix_length']}" == BLOCK)
    same(row["protocol"], "B E")
    found = dict(zip(row["next_hop"], row["interface"], strict=True))
    same(found, {far["address"]: near["port"] for near, far, _ in site.links(RAIL, "fabric")})


def lldp(rows: Rows, site: Intent) -> None:
    found = {row["local_interface"]: (row["neighbor_name"], row["neighbor_interface"]) for row in rows}
    found.pop("Ma1", None)
    links = site.links(FRONT, "fabric", "peer")
    same(found, {short(near["port"]): (far["device"], far["port"]) for near, far, _ in links})


def lldp_detail(rows: Rows, site: Intent) -> None:
    found = {row["local_interface"]: (row["neighbor_name"], row["neighbor_interface"]) for row in rows}
    found.pop("Management1", None)
    links = site.links(FRONT, "fabric", "peer")
    same(found, {near["port"]: (far["device"], far["port"]) for near, far, _ in links})


def mac_table(rows: Rows, site: Intent) -> None:
    found = {row["destination_port"][0]: (row["vlan_id"], row["type"]) for row in rows}
    switches = {each["name"] for each in site.design["devices"]}
    hosts = [near["port"] for near, far, _ in site.links(OOB, "host") if far["device"] not in switches]
    same(found, {short(port): ("40", "DYNAMIC") for port in hosts})


def mlag(rows: Rows, site: Intent) -> None:
    (lines,) = site.blocks(FRONT, "mlag configuration").values()
    (row,) = rows
    forms = {
        "domain": r"domain-id (\S+)",
        "interface": r"local-interface (\S+)",
        "peer_addr": r"peer-address (\d\S+)",
        "peer_link": r"peer-link (\S+)",
    }
    same(row, {key: value(lines, form) for key, form in forms.items()} | {"state": "Active"})


def port_channels(rows: Rows, site: Intent) -> None:
    found = {
        row["bundle_name"]: (
            row["bundle_status"],
            dict(zip(row["member_interface"], row["member_interface_status"], strict=True)),
        )
        for row in rows
    }
    members: dict[str, dict[str, str]] = {}
    for port, lines in site.used(FRONT).items():
        group = value(lines, r"channel-group (\d+) mode active")
        if group:
            members.setdefault(f"Po{group}", {})[short(port)] = "PG+"
    same(found, {group: ("U", ports) for group, ports in members.items()})


def reload_cause(rows: Rows, _: Intent) -> None:
    causes = [row["reload_cause"] for row in rows]
    assert set(causes) <= {"The system rebooted due to a Power Loss"}, causes


def version(rows: Rows, site: Intent) -> None:
    (row,), device = rows, site.device(RAIL)
    same(row["image"], device["release"])
    assert device["model"] in row["model"], row


def vlans(rows: Rows, site: Intent) -> None:
    found = {row["vlan_id"]: (row["vlan_name"], row["status"], set(row["interfaces"])) for row in rows}
    groups = {
        p: value(lines, r"switchport trunk allowed vlan (\S+)").split(",") for p, lines in site.used(FRONT).items()
    }
    expected = {
        number: (value(lines, r"name (.+)"), "active", {short(p) for p in groups if number in groups[p]} | {"Cpu"})
        for number, lines in site.blocks(FRONT, "vlan ").items()
    }
    same({number: found.get(number) for number in expected}, expected)


def vrfs(rows: Rows, site: Intent) -> None:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["vrf"], set()).update(row["interfaces"])
    routed = {short(p) for p, lines in site.used(FRONT).items() if value(lines, r"ip address (\S+)")}
    same(found, {"default": routed, "MGMT": {"Ma1"}, "LEGACY": set()})


# -- faults --------------------------------------------------------------------------------------------------------


def typed(device: str, command: str, undo: Callable[[Operator], None]) -> Fault:
    """A command that is no configuration."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        lab.hands()[device].eapi(command)
        try:
            yield
        finally:
            undo(lab)

    return fault


def set_clock(lab: Operator) -> None:
    lab.hands()[RAIL].eapi(time.strftime("clock set %H:%M:%S %m/%d/%Y", time.gmtime()))


def pull_the_plug(lab: Operator) -> None:
    lab.control.ask("switch-off", device=SPARE)
    lab.control.ask("switch-on", device=SPARE)


RENAMED = by_hand(RAIL, "hostname nobody", f"hostname {RAIL}")
SPARE = "leaf-g1-r6"
"""A switch that no other test of a client reloads, in a lab that they share."""
UPLINK = "leaf-g1-r0-u1"
CASES = {
    "show clock": (RAIL, clock, typed(RAIL, "clock set 00:00:00 01/01/2020", set_clock), "1 Jan 2020"),
    "show hostname": (RAIL, hostname, RENAMED, "nobody"),
    "show interfaces": (
        FRONT,
        interfaces,
        by_hand(FRONT, "interface Ethernet53/1; mtu 1500", "interface Ethernet53/1; mtu 9214"),
        "Ethernet53/1: .*'1500'",
    ),
    "show interfaces description": (
        FRONT,
        descriptions,
        by_hand(FRONT, "interface Loopback0; description by hand", "interface Loopback0; description router-id"),
        "Lo0: .*by hand",
    ),
    "show interfaces status": (
        FRONT,
        status,
        by_hand(FRONT, "interface Ethernet53/1; shutdown", "interface Ethernet53/1; no shutdown"),
        "Et53/1: .*'disabled'",
    ),
    "show inventory": (
        RAIL,
        inventory,
        control("fail-part", "repair-part", device=RAIL, part="supply-2", pulled="yes"),
        r"supplies and fans: \(1, 4\)",
    ),
    "show ip access-lists": (
        FRONT,
        access_lists,
        by_hand(
            FRONT,
            "ip access-list STORAGE-V200-IN; 25 permit tcp any any eq ssh",
            "ip access-list STORAGE-V200-IN; no 25",
        ),
        "STORAGE-V200-IN: .*'25 permit tcp'",
    ),
    "show ip arp": (OOB, arp, cut("oob-leaf-g1-u1"), r"10\.182\.0\.0: None"),
    "show ip bgp": (RAIL, bgp, cut(UPLINK), rf"{SPINE}: None"),
    "show ip bgp summary": (
        RAIL,
        bgp_summary,
        by_hand(
            RAIL,
            f"router bgp 4200000000; neighbor {SPINE} shutdown",
            f"router bgp 4200000000; no neighbor {SPINE} shutdown",
        ),
        rf"{SPINE}: .*Idle\(Admin\)",
    ),
    "show ip interface brief": (
        FRONT,
        ip_brief,
        by_hand(
            FRONT, "interface Loopback0; ip address 10.254.9.9/32", "interface Loopback0; ip address 10.254.0.1/32"
        ),
        r"Loopback0: \('10\.254\.9\.9/32'",
    ),
    "show ip route": (RAIL, routes, cut(UPLINK), rf"{SPINE}: None"),
    "show lldp neighbors": (FRONT, lldp, cut("front-leaf-g1-a-p1"), "Et55/1: None"),
    "show lldp neighbors detail": (FRONT, lldp_detail, by_hand(FRONT, "no lldp run", "lldp run"), "Ethernet53/1: None"),
    "show mac address-table": (OOB, mac_table, cut("oob-leaf-g1-h1"), "Et1: None"),
    "show mlag": (
        FRONT,
        mlag,
        by_hand(FRONT, "mlag configuration; domain-id wrong", "mlag configuration; domain-id front-leaf-g1"),
        "domain: 'wrong'",
    ),
    "show port-channel summary": (FRONT, port_channels, cut("front-leaf-g1-a-h1"), r"Po1: \('D', \{'Et1': 'D'\}\)"),
    "show reload cause": (SPARE, reload_cause, typed(SPARE, "reload", pull_the_plug), "requested by the user"),
    "show version": (RAIL, version, control("switch-off", "switch-on", device=RAIL), f"{RAIL} does not answer"),
    "show vlan": (
        FRONT,
        vlans,
        by_hand(FRONT, "vlan 200; state suspend", "vlan 200; state active"),
        "200: .*'suspended'",
    ),
    "show vrf": (FRONT, vrfs, by_hand(FRONT, "vrf instance BY-HAND", "no vrf instance BY-HAND"), "BY-HAND: set"),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "command",
    cases("ntc_templates.arista_eos", {name: case(row[0], name, *row[1:]) for name, row in CASES.items()}),
)
def test_the_text_of_a_command_is_read_as_the_intent_has_it_and_names_a_fault(
    command: Case, pushed_lab: Operator
) -> None:
    prove(command, pushed_lab)

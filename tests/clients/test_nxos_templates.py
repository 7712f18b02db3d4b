"""What NX-OS switches of the lab print over SSH, read by ntc-templates: the rows are what the intent says."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from at_terminal import Operator
from case import Case, prove
from eos_intent import Fault, Intent, by_hand, cut, intent, same
from listed import cases
from napalm_nxos import neighbours
from nxos_intent import (
    FRONT,
    OOB,
    RAIL,
    REMOTE,
    addresses,
    before,
    descriptions,
    fabric_links,
    hosts_macs,
    seeded,
    switch,
    wired,
)
from ssh_nxos import PROMPT, kept

pytestmark = pytest.mark.xdist_group("clients")
Rows = list[dict[str, Any]]
Right = Callable[[Operator, Intent, Rows], None]
UPLINK, PORT = "Eth1/31", "interface Ethernet1/31"


def short(name: str) -> str:
    """As tables print an interface."""
    for long, own in (("Ethernet", "Eth"), ("port-channel", "Po"), ("loopback", "Lo")):
        name = name.replace(long, own)
    return name


def by(rows: Rows, key: str, *values: str) -> dict[str, Any]:
    """Rows by one column: the value of another, or of several."""
    return {row[key]: row[values[0]] if len(values) == 1 else tuple(row[each] for each in values) for row in rows}


# -- one function for each command -----------------------------------------------------------------------------------


def access_lists(lab: Operator, site: Intent, rows: Rows) -> None:
    others = before(lab, FRONT, r"^ip access-list (\S+)")
    found = {f"{row['name']} {row['sn']}": row["action"] for row in rows if row["name"] not in others}
    lists = site.blocks(FRONT, "ip access-list ")
    wanted = [(name, line.split()) for name, lines in lists.items() for line in lines if line[0].isdigit()]
    same(found, {f"{name} {words[0]}": words[1] for name, words in wanted})


def bfd_neighbors(_: Operator, site: Intent, rows: Rows) -> None:
    wanted = {far["address"]: ("Up", short(near["port"])) for near, far, _ in fabric_links(site, RAIL)}
    same(by(rows, "neighbor_address", "state", "interface"), wanted)


def clock(_: Operator, __: Intent, rows: Rows) -> None:
    (row,) = rows
    same(row["timezone"], "UTC")
    moment = f"{row['year']} {row['month']} {row['day']} {row['time']} +0000"
    shown = datetime.strptime(moment, "%Y %b %d %H:%M:%S.%f %z")
    ahead_s = (shown - datetime.now(UTC)).total_seconds()
    assert -60 < ahead_s < 3600, f"{shown}: not the lab's clock, which tests move forward by minutes"


def feature(lab: Operator, site: Intent, rows: Rows) -> None:
    names = {*before(lab, RAIL, r"^feature (\S+)"), *re.findall(r"^feature (\S+)", site.texts[RAIL], re.M)}
    on = {row["name"] for row in rows if row["state"] == "enabled"}
    same(sorted(on), sorted({*(name.replace("tacacs+", "tacacs") for name in names), "sshServer"}))


def hostname(lab: Operator, _: Intent, rows: Rows) -> None:
    (domain,) = before(lab, RAIL, r"^ip domain-name (\S+)")
    same([row["hostname"] for row in rows], [f"{RAIL}.{domain}"])


def hsrp_all(_: Operator, site: Intent, rows: Rows) -> None:
    ((address, priority),) = re.findall(r"hsrp 200\n.*?priority (\d+)\n *ip (\S+)", site.texts[FRONT], re.S)
    (row,) = rows
    found = (row["interface"], row["hsrp_router_state"], row["priority"], row["primary_ipv4_address"])
    same(found, ("Vlan200", "Active", address, priority))


def interface(_: Operator, site: Intent, rows: Rows) -> None:
    found = by(rows, "interface", "link_status", "admin_state", "description", "mtu")
    wanted = {
        near["port"]: ("up", "up", descriptions(site, RAIL)[near["port"]], str(link["mtu_bytes"]))
        for near, _, link in wired(site, RAIL)
        if near["port"] != "mgmt0"
    }
    same({port: found[port] for port in wanted}, wanted)


def interface_brief(_: Operator, site: Intent, rows: Rows) -> None:
    up = {row["interface"] for row in rows if row["status"] == "up"}
    same(sorted(up), sorted({*(short(port) for port, lines in site.used(FRONT).items() if lines), "mgmt0"}))


def interface_description(_: Operator, site: Intent, rows: Rows) -> None:
    found = by(rows, "port", "description")
    wanted = {short(port): text for port, text in descriptions(site, RAIL).items()}
    same({port: found[port] for port in wanted}, wanted)


def interface_status(_: Operator, site: Intent, rows: Rows) -> None:
    found = {row["port"]: (row["status"], row["speed"]) for row in rows if row["port"].startswith("Eth")}
    wanted = {
        short(near["port"]): ("connected", f"{link['speed_gbps']}G")
        for near, _, link in wired(site, RAIL)
        if near["port"] != "mgmt0"
    }
    wanted |= {short(p): ("disabled", "auto") for p, lines in site.ports(RAIL).items() if "shutdown" in lines}
    same(found, wanted)


def interface_switchport(_: Operator, site: Intent, rows: Rows) -> None:
    shown = {row["interface"]: row for row in rows if row["switchport"] == "Enabled"}
    wanted = {}
    for port, lines in site.ports(FRONT).items():
        vlans = [line.split()[-1] for line in lines if re.match(r"switchport (access vlan|trunk allowed)", line)]
        if vlans:
            is_trunk = "switchport mode trunk" in lines
            wanted[port] = ("trunk", "1", *vlans) if is_trunk else ("access", *vlans, "1-4094")
    found = {port: (row["mode"], row["access_vlan"], row["trunking_vlans"]) for port, row in shown.items()}
    same({port: each for port, each in found.items() if each[1:] != ("1", "1-4094")}, wanted)


def inventory(lab: Operator, site: Intent, rows: Rows) -> None:
    wanted = (site.device(RAIL)["model"], switch(lab, RAIL)["serial"])
    same(by(rows, "name", "pid", "sn")["Chassis"], wanted)


def ip_arp(lab: Operator, _: Intent, rows: Rows) -> None:
    found = {row["ip_address"]: (row["mac_address"].replace(".", ""), row["interface"]) for row in rows}
    wanted = {ip: (mac.replace(":", ""), "Vlan40") for ip, mac in hosts_macs(lab, OOB).values()}
    same({ip: found.get(ip) for ip in wanted}, wanted)


def ip_bgp(_: Operator, site: Intent, rows: Rows) -> None:
    remote = sorted(row["next_hop"] for row in rows if row["network"] == REMOTE)
    same(remote, sorted(far["address"] for _, far, _ in fabric_links(site, RAIL)))
    own = {row["network"] for row in rows if row["route_source"] == "l"}
    same(sorted(own), sorted(re.findall(r"^ +network (\S+)", site.texts[RAIL], re.M)))


def ip_bgp_neighbors(_: Operator, site: Intent, rows: Rows) -> None:
    found = by(rows, "neighbor", "bgp_state", "remote_asn", "peer_group", "inbound_routemap", "outbound_routemap")
    policy = ("COMPUTE-SPINES", "COMPUTE-IN", "COMPUTE-OUT")
    links = fabric_links(site, RAIL)
    same(found, {far["address"]: ("Established", str(site.asn(far["device"])), *policy) for _, far, _ in links})


def ip_bgp_summary(_: Operator, site: Intent, rows: Rows) -> None:
    learned = site.design["routes"][RAIL]["learned"]
    counts = by(rows, "bgp_neigh", "state_pfxrcd")
    found = {ip: count.isdigit() and int(count) >= learned for ip, count in counts.items()}
    same(found, {far["address"]: True for _, far, _ in fabric_links(site, RAIL)}, f"{counts}")
    same({(row["router_id"], row["local_as"]) for row in rows}, {(site.device(RAIL)["loopback"], str(site.asn(RAIL)))})


def ip_interface_brief(_: Operator, site: Intent, rows: Rows) -> None:
    wanted = {short(port): (address.partition("/")[0], "link-up") for port, address in addresses(site, RAIL).items()}
    same(by(rows, "interface", "ip_address", "link"), wanted)


def ip_route(lab: Operator, site: Intent, rows: Rows) -> None:
    remote, length = REMOTE.split("/")
    hops = sorted(row["nexthop_ip"] for row in rows if (row["network"], row["prefix_length"]) == (remote, length))
    same(hops, sorted(far["address"] for _, far, _ in fabric_links(site, RAIL)))
    static = {f"{row['network']}/{row['prefix_length']}" for row in rows if row["protocol"] == "static"}
    rendered = re.findall(r"^ip route (\S+)", site.texts[RAIL], re.M)
    assert set(rendered) <= static <= {*rendered, *before(lab, RAIL, r"^ip route (\S+)")}, f"static: {static}"


def lldp_neighbors(lab: Operator, _: Intent, rows: Rows) -> None:
    found = by(rows, "local_interface", "neighbor_name", "neighbor_interface")
    same(found, {short(port): (far["device"], far["port"]) for port, far in neighbours(lab).items()})


def mac_address_table(lab: Operator, _: Intent, rows: Rows) -> None:
    found = {row["mac_address"].replace(".", ""): (row["vlan_id"], row["ports"]) for row in rows}
    same(found, {mac.replace(":", ""): ("40", short(port)) for port, (_, mac) in hosts_macs(lab, OOB).items()})


def module(_: Operator, site: Intent, rows: Rows) -> None:
    same([(row["model"], row["status"]) for row in rows], [(site.device(RAIL)["model"], "active *")])


def port_channel_summary(_: Operator, site: Intent, rows: Rows) -> None:
    wanted: dict[str, list[tuple[str, str]]] = {}
    for port, lines in site.ports(FRONT).items():
        for line in lines:
            if number := re.fullmatch(r"channel-group (\d+) mode active", line):
                wanted.setdefault(f"Po{number[1]}", []).append((short(port), "P"))
    found = {
        row["bundle_name"]: list(zip(row["member_interface"], row["member_interface_status"], strict=True))
        for row in rows
    }
    same(found, wanted)


def route_map(_: Operator, site: Intent, rows: Rows) -> None:
    found = {f"{row['name']} {row['action']} {row['seq']}": row["match_clauses"] for row in rows}
    wanted = {
        name: [line.replace("match ip address prefix-list ", "ip address prefix-lists: ") for line in lines]
        for name, lines in site.blocks(RAIL, "route-map ").items()
    }
    same(found, wanted)


def spanning_tree_root(_: Operator, site: Intent, rows: Rows) -> None:
    """The intent makes both of a pair roots alike, so which it is follows from addresses; its priority does not."""
    (priority,) = re.findall(r"^spanning-tree vlan 1-3967 priority (\d+)", site.texts[FRONT], re.M)
    found = by(rows, "vlan_id", "priority")
    same(found["VLAN0200"], str(int(priority) + 200))
    assert rows[0]["hello_time"] == "2"


def version(lab: Operator, site: Intent, rows: Rows) -> None:
    (row,) = rows
    wanted = (RAIL, site.device(RAIL)["release"], switch(lab, RAIL)["serial"])
    same((row["hostname"], row["os"], row["serial"]), wanted)


def vlan(_: Operator, site: Intent, rows: Rows) -> None:
    names = dict(re.findall(r"^vlan (\d+)\n  name (\S+)", site.texts[FRONT], re.M))
    others = {"1": "default", "310": "OLD-STORAGE"}  # the switch's own, and another team's
    same(by(rows, "vlan_id", "vlan_name"), {**others, **names})
    carrying = sorted(short(port) for port in site.ports(FRONT) if port.startswith("port-channel"))
    same(sorted(next(row["interfaces"] for row in rows if row["vlan_id"] == "200")), carrying)


def vpc(_: Operator, site: Intent, rows: Rows) -> None:
    wanted = {short(port): "up" for port in site.ports(FRONT) if port.startswith("port-channel")}
    same(by(rows, "port", "status"), wanted)


def vrf(lab: Operator, _: Intent, rows: Rows) -> None:
    names = {"default", "management", *before(lab, RAIL, r"^vrf context (\S+)")}
    same(by(rows, "name", "state"), dict.fromkeys(names, "Up"))


# -- and what makes each say otherwise -------------------------------------------------------------------------------

_CLOSE, _OPEN = "shutdown", "no shutdown"
_PEER = "router bgp 4200000001; neighbor 10.161.0.0"
PEER_DOWN = by_hand(RAIL, f"{_PEER}; shutdown", f"{_PEER}; no shutdown")
DARK, BMC = cut("leaf-g1-r1-u1"), cut("oob-leaf-g2-h4")
RENAMED = by_hand(RAIL, "hostname somebody", f"hostname {RAIL}")
COMMANDS: dict[str, tuple[str, Right, Fault, str]] = {
    "show access-lists": (
        FRONT,
        access_lists,
        by_hand(
            FRONT,
            "ip access-list STORAGE-V200-OUT; 25 permit icmp any any",
            "ip access-list STORAGE-V200-OUT; no 25 permit icmp any any",
        ),
        "STORAGE-V200-OUT 25",
    ),
    "show bfd neighbors": (RAIL, bfd_neighbors, DARK, r"10\.161\.0\.0"),
    "show clock": (RAIL, clock, by_hand(RAIL, "clock timezone CET 1 0", "no clock timezone"), "CET"),
    "show feature": (RAIL, feature, by_hand(RAIL, "feature dhcp", "no feature dhcp"), "dhcp"),
    "show hostname": (RAIL, hostname, RENAMED, "somebody"),
    "show hsrp all": (
        FRONT,
        hsrp_all,
        by_hand(FRONT, "interface Vlan200; hsrp 200; priority 90", "interface Vlan200; hsrp 200; priority 110"),
        "Standby.*90",
    ),
    "show interface": (RAIL, interface, by_hand(RAIL, f"{PORT}; mtu 1500", f"{PORT}; mtu 9216"), "1/31.*1500"),
    "show interface brief": (
        FRONT,
        interface_brief,
        by_hand(FRONT, f"interface Ethernet1/52; {_CLOSE}", f"interface Ethernet1/52; {_OPEN}"),
        "Eth1/51', 'Eth1/53'",
    ),
    "show interface description": (
        RAIL,
        interface_description,
        by_hand(RAIL, f"{PORT}; description by hand", f"{PORT}; description spine-1 swp2"),
        f"{UPLINK}: 'by hand'",
    ),
    "show interface status": (
        RAIL,
        interface_status,
        by_hand(RAIL, f"interface Ethernet1/4; {_CLOSE}", f"interface Ethernet1/4; {_OPEN}"),
        "Eth1/4: .'disabled'",
    ),
    "show interface switchport": (
        FRONT,
        interface_switchport,
        by_hand(
            FRONT,
            "interface Ethernet1/47; switchport access vlan 200",
            "interface Ethernet1/47; no switchport access vlan 200",
        ),
        "Ethernet1/47",
    ),
    "show inventory": (RAIL, inventory, seeded(RAIL, "serial", "FOC00000009"), "FOC00000009"),
    "show ip arp": (OOB, ip_arp, BMC, r"10\.183\.0\.69: None"),
    "show ip bgp": (RAIL, ip_bgp, DARK, r"\['10\.161\.0\.2'\]"),
    "show ip bgp neighbors": (RAIL, ip_bgp_neighbors, PEER_DOWN, r"10\.161\.0\.0: \('Idle"),
    "show ip bgp summary": (RAIL, ip_bgp_summary, PEER_DOWN, r"10\.161\.0\.0: False"),
    "show ip interface brief": (
        RAIL,
        ip_interface_brief,
        by_hand(RAIL, "interface loopback9; ip address 192.0.2.9/32", "no interface loopback9"),
        "Lo9",
    ),
    "show ip route": (
        RAIL,
        ip_route,
        by_hand(RAIL, "ip route 192.0.2.0/24 Null0", "no ip route 192.0.2.0/24 Null0"),
        r"static: .*192\.0\.2\.0/24",
    ),
    "show lldp neighbors": (RAIL, lldp_neighbors, DARK, UPLINK),
    "show lldp neighbors detail": (
        RAIL,
        lldp_neighbors,
        by_hand(RAIL, f"{PORT}; no lldp receive", f"{PORT}; lldp receive"),
        UPLINK,
    ),
    "show mac address-table": (OOB, mac_address_table, BMC, "02a5af15802b"),
    "show module": (RAIL, module, seeded(RAIL, "moduleStatus", "powered-dn"), "powered-dn"),
    "show port-channel summary": (FRONT, port_channel_summary, cut("front-leaf-g2-a-p1"), "Po1000.*'Eth1/53', 'D'"),
    "show route-map": (RAIL, route_map, by_hand(RAIL, "route-map WRONG permit 10", "no route-map WRONG"), "WRONG"),
    "show spanning-tree root": (
        FRONT,
        spanning_tree_root,
        by_hand(FRONT, "spanning-tree vlan 1-3967 priority 0", "spanning-tree vlan 1-3967 priority 4096"),
        "200",
    ),
    "show version": (RAIL, version, RENAMED, "somebody"),
    "show vlan": (FRONT, vlan, by_hand(FRONT, "vlan 666; name WRONG", "no vlan 666"), "WRONG"),
    "show vpc": (FRONT, vpc, cut("front-leaf-g2-a-h1"), "Po1: 'down'"),
    "show vrf": (RAIL, vrf, by_hand(RAIL, "vrf context WRONG", "no vrf context WRONG"), "WRONG"),
}


def case(command: str) -> Case:
    name, right, fault, message = COMMANDS[command]

    def run(lab: Operator) -> None:
        rows = kept(lab, name).send_command(command, expect_string=PROMPT, use_textfsm=True)
        assert isinstance(rows, list), f"no template reads {rows!r}"
        right(lab, intent(lab), rows)

    return Case(run, fault, message)


@pytest.mark.parametrize("command", cases("ntc_templates.cisco_nxos", {each: case(each) for each in COMMANDS}))
def test_rows_are_what_the_intent_says_and_name_a_fault(command: Case, pushed_lab: Operator) -> None:
    prove(command, pushed_lab)

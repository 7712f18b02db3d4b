"""What NAPALM's getters of NX-OS say, compared with the intent: stock `nxos` over NX-API, stock `nxos_ssh` over SSH."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from at_terminal import Operator
from case import Case
from eos_intent import by_hand, control, cut, intent, same
from napalm import get_network_driver
from netmiko.exceptions import ReadTimeout
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

UPLINK = "Ethernet1/31"
MISREAD = 3
"""Times that a busy machine may be late with a prompt."""
SEVERAL_PROMPTS = re.compile(r"(\S+#)[\s\\nr]+\1")
"""As the pattern that Netmiko says it waited for: ``'leaf\\#\\ leaf\\#'``."""
OPEN: dict[tuple[str, str, str], Any] = {}
"""Connections of this run, by site, driver and switch."""


def opened(lab: Operator, driver: str, name: str) -> Any:
    """A connection as a client opens it: TLS verified against the lab's CA, host keys against its known_hosts."""
    found = switch(lab, name)
    options = {"port": found["api_port"], "ssl_verify": found["ca"]}
    if driver == "nxos_ssh":
        options = {"port": found["ssh_port"], "ssh_strict": True, "system_host_keys": False, "alt_host_keys": True}
        options["alt_key_file"] = str(lab.lab / "known_hosts")
    made = get_network_driver(driver)(
        found["address"], found["username"], found["password"], timeout=20, optional_args=options
    )
    made.open()
    return made


def connection(lab: Operator, driver: str, name: str) -> Any:
    """One that stays open for the tests that follow."""
    key = (str(lab.lab), driver, name)
    if key not in OPEN:
        OPEN[key] = opened(lab, driver, name)
    return OPEN[key]


_NAMES = {"Management": "mgmt", "Port-channel": "port-channel", "Loopback": "loopback", "Eth1/": "Ethernet1/"}


def canonical(name: str) -> str:
    """An interface name as both drivers could print it."""
    for other, own in _NAMES.items():
        if name.startswith(other):
            return own + name.removeprefix(other)
    return name


# -- what is right -------------------------------------------------------------------------------------------------


def arp_table(lab: Operator, driver: str) -> None:
    """Hosts by their own addresses; neighbours by what they say of themselves."""
    site = intent(lab)
    found = {row["ip"]: (row["interface"], row["mac"].lower()) for row in connection(lab, driver, OOB).get_arp_table()}
    wanted = {ip: ("Vlan40", mac) for ip, mac in hosts_macs(lab, OOB).values()}
    for near, far, _ in fabric_links(site, OOB):
        shown = lab.hands()[far["device"]].shown(f"interface/{far['port']}")
        wanted[far["address"]] = (near["port"], shown["link"]["mac-address"])
    same({ip: found.get(ip) for ip in wanted}, wanted)


def bgp_neighbors(lab: Operator, driver: str) -> None:
    site = intent(lab)
    shown = connection(lab, driver, RAIL).get_bgp_neighbors()["global"]
    same(shown["router_id"], site.device(RAIL)["loopback"])
    found = {
        ip: (each["is_up"], each["is_enabled"], each["local_as"], each["remote_as"])
        for ip, each in shown["peers"].items()
    }
    own = site.asn(RAIL)
    same(found, {far["address"]: (True, True, own, site.asn(far["device"])) for _, far, _ in fabric_links(site, RAIL)})
    learned = site.design["routes"][RAIL]["learned"]
    counts = [each["address_family"]["ipv4"]["received_prefixes"] for each in shown["peers"].values()]
    assert all(count >= learned for count in counts), f"{counts} of {learned} prefixes"


def config(lab: Operator, driver: str) -> None:
    site = intent(lab)
    shown = connection(lab, driver, RAIL).get_config()
    policy = ("ip prefix-list COMPUTE", "route-map COMPUTE", "router bgp")
    wanted = {line for line in site.texts[RAIL].splitlines() if line.startswith(policy)}
    for kind in ("running", "startup"):
        same(sorted(line for line in shown[kind].splitlines() if line.startswith(policy)), sorted(wanted), kind)


def environment(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_environment()
    fans = {name: each["status"] for name, each in shown["fans"].items()}
    same(fans, {f"Fan{n}(sys_fan{n})": True for n in range(1, 5)} if driver == "nxos" else {"invalid": True})
    assert all(each["status"] for each in shown["power"].values()), shown["power"]
    hot = {name: each for name, each in shown["temperature"].items() if each["is_alert"] or each["is_critical"]}
    assert len(shown["temperature"]) >= 4 and not hot, f"too hot: {hot}"
    assert all(0 <= each["%usage"] < 100 for each in shown["cpu"].values())
    assert 0 < shown["memory"]["used_ram"] < shown["memory"]["available_ram"]


def facts(lab: Operator, driver: str) -> None:
    """Opened anew, as the prompt has the name in it."""
    device, own = opened(lab, driver, RAIL), switch(lab, RAIL)
    try:
        shown = device.get_facts()
    finally:
        device.close()
    site = intent(lab)
    wanted = {"hostname": RAIL, "vendor": "Cisco", "os_version": site.device(RAIL)["release"]}
    wanted["serial_number"] = own["serial"]
    same({key: shown[key] for key in wanted}, wanted)
    assert site.device(RAIL)["model"].removeprefix("N9K-") in shown["model"], shown["model"]
    assert shown["fqdn"].startswith(f"{RAIL}."), shown["fqdn"]
    named = {canonical(name) for name in shown["interface_list"]}
    assert {*site.ports(RAIL), "mgmt0"} <= named, sorted({*site.ports(RAIL)} - named)


def interfaces(lab: Operator, driver: str) -> None:
    site = intent(lab)
    shown = {canonical(name): each for name, each in connection(lab, driver, RAIL).get_interfaces().items()}
    keys = ("is_up", "is_enabled", "description", "mtu", "speed")
    wanted = {
        near["port"]: (
            True,
            True,
            descriptions(site, RAIL)[near["port"]],
            link["mtu_bytes"],
            link["speed_gbps"] * 1000.0,
        )
        for near, _, link in wired(site, RAIL)
        if near["port"] != "mgmt0"
    }
    same({port: tuple(shown[port][key] for key in keys) for port in wanted}, wanted)
    others = {name for name, each in shown.items() if each["is_up"] and name not in wanted}
    same(others, {"mgmt0", "loopback0"})


def counters(lab: Operator, driver: str) -> None:
    """Of every port there is; nothing was counted."""
    shown = connection(lab, driver, RAIL).get_interfaces_counters()
    ports = {port for port in intent(lab).ports(RAIL) if port.startswith(("Ethernet", "port-channel"))}
    same(sorted(shown), sorted({*ports, "mgmt0"}))
    same({port: {key: n for key, n in each.items() if n} for port, each in shown.items()}, {port: {} for port in shown})


def interfaces_ip(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_interfaces_ip()
    found = {
        name: [f"{ip}/{each['prefix_length']}" for ip, each in families["ipv4"].items()]
        for name, families in shown.items()
        if name != "mgmt0" and families.get("ipv4")
    }
    same(found, {port: [address] for port, address in addresses(intent(lab), RAIL).items()})


def neighbours(lab: Operator) -> dict[str, dict[str, Any]]:
    """Near port -> the far end, of what sends LLDP: switches."""
    site = intent(lab)
    known = {each["name"] for each in site.design["devices"]}
    return {near["port"]: far for near, far, _ in wired(site, RAIL) if far["device"] in known}


def lldp_neighbors(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_lldp_neighbors()
    found = {canonical(port): [(each["hostname"], each["port"]) for each in rows] for port, rows in shown.items()}
    same(found, {port: [(far["device"], far["port"])] for port, far in neighbours(lab).items()})


def lldp_neighbors_detail(lab: Operator, driver: str) -> None:
    """What a far end says of its port is what the intent calls it: this end of the cable."""
    shown = connection(lab, driver, RAIL).get_lldp_neighbors_detail()
    found = {
        canonical(port): [(each["remote_system_name"], each["remote_port"], each["remote_port_description"])]
        for port, (each,) in shown.items()
        if canonical(port) != "mgmt0"
    }
    wanted = {
        port: [(far["device"], far["port"], f"{RAIL} {port}")]
        for port, far in neighbours(lab).items()
        if port != "mgmt0"
    }
    same(found, wanted)


def mac_address_table(lab: Operator, driver: str) -> None:
    rows = connection(lab, driver, OOB).get_mac_address_table()
    found = {row["mac"].lower(): (canonical(row["interface"]), row["vlan"], row["static"]) for row in rows}
    same(found, {mac: (port, 40, False) for port, (_, mac) in hosts_macs(lab, OOB).items()})


def network_instances(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_network_instances()
    found = {name: sorted(each["interfaces"]["interface"]) for name, each in shown.items()}
    wanted: dict[str, list[str]] = {name: [] for name in before(lab, RAIL, r"^vrf context (\S+)")}
    same(found, {**wanted, "default": sorted(addresses(intent(lab), RAIL)), "management": ["mgmt0"]})


def ntp_peers(lab: Operator, driver: str) -> None:
    """None; over SSH the driver names servers as well (NAPALM 5.2.0, _get_ntp_entity)."""
    servers = before(lab, RAIL, r"^ntp server (\S+)") if driver == "nxos_ssh" else []
    same(connection(lab, driver, RAIL).get_ntp_peers(), {server: {} for server in servers})


def ntp_servers(lab: Operator, driver: str) -> None:
    servers = before(lab, RAIL, r"^ntp server (\S+)")
    same(connection(lab, driver, RAIL).get_ntp_servers(), {server: {} for server in servers})


def ntp_stats(lab: Operator, driver: str) -> None:
    rows = connection(lab, driver, RAIL).get_ntp_stats()
    found = {row["remote"]: (row["synchronized"], row["reachability"]) for row in rows}
    same(found, {ip: (bool(rest), 377) for ip, rest in before(lab, RAIL, r"^ntp server (\S+)( prefer)?")})


def optics(lab: Operator, driver: str) -> None:
    """A transceiver in each port with a cable, all with light."""
    site = intent(lab)
    shown = connection(lab, driver, RAIL).get_optics()
    dark = {}
    for port, each in shown.items():
        (channel,) = each["physical_channels"]["channel"]
        if channel["state"]["input_power"]["instant"] < -14.0:
            dark[port] = channel["state"]["input_power"]["instant"]
    same(sorted(shown), sorted(near["port"] for near, _, _ in wired(site, RAIL) if near["port"] != "mgmt0"))
    assert not dark, f"no light: {dark}"


def route_to(lab: Operator, driver: str) -> None:
    site = intent(lab)
    (rows,) = connection(lab, driver, RAIL).get_route_to(REMOTE).values()
    found = {row["next_hop"]: (row["outgoing_interface"], row["protocol"], row["current_active"]) for row in rows}
    same(found, {far["address"]: (near["port"], "bgp", True) for near, far, _ in fabric_links(site, RAIL)})
    best = rows[0]["protocol_attributes"]
    far = next(far for _, far, _ in fabric_links(site, RAIL) if far["address"] == best["remote_address"])
    owner = next(each for each in site.design["devices"] if REMOTE in each["host_blocks"].values())
    same(best["as_path"], f"{site.asn(far['device'])} {owner['asn']}")
    same((best["local_as"], best["remote_as"]), (site.asn(RAIL), site.asn(far["device"])))


def snmp_information(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_snmp_information()
    wanted = {what: before(lab, RAIL, rf"^snmp-server {what} (.+)$")[0] for what in ("contact", "location")}
    same({**shown}, {**wanted, "community": {}, "chassis_id": ""})


def users(lab: Operator, driver: str) -> None:
    shown = connection(lab, driver, RAIL).get_users()
    wanted = dict.fromkeys(before(lab, RAIL, r"^username (\S+) .*role network-admin"), 15)
    same({name: each["level"] for name, each in shown.items()}, wanted)
    assert all(each["password"].startswith("$5$") for each in shown.values())


def vlans(lab: Operator, driver: str) -> None:
    site = intent(lab)
    shown = connection(lab, driver, FRONT).get_vlans()
    groups = sorted(port for port, lines in site.ports(FRONT).items() if port.startswith("port-channel") and lines)
    found = {
        int(number): (each["name"], sorted(map(canonical, filter(None, each["interfaces"]))))
        for number, each in shown.items()
    }
    same({200: found.get(200)}, {200: ("STORAGE-HOSTS", groups)})
    same(found.keys(), {1, 200, 310, 3967})  # 310 is another team's; over 3967 both members route to one another


# -- what makes them say otherwise -----------------------------------------------------------------------------------

_PORT = f"interface {UPLINK}"
FAULTS: dict[str, tuple[Any, str]] = {
    "get_arp_table": (cut("oob-leaf-g2-h4"), r"10\.183\.0\.69"),
    "get_bgp_neighbors": (
        by_hand(
            RAIL,
            "router bgp 4200000001; neighbor 10.161.0.0; shutdown",
            "router bgp 4200000001; neighbor 10.161.0.0; no shutdown",
        ),
        r"10\.161\.0\.0: \(False, False",
    ),
    "get_config": (
        by_hand(
            RAIL,
            "ip prefix-list COMPUTE-OWN seq 30 permit 192.0.2.0/24",
            "no ip prefix-list COMPUTE-OWN seq 30 permit 192.0.2.0/24",
        ),
        "seq 30 permit 192",
    ),
    "get_facts": (by_hand(RAIL, "hostname somebody", f"hostname {RAIL}"), "somebody"),
    "get_interfaces": (by_hand(RAIL, f"{_PORT}; mtu 1500", f"{_PORT}; mtu 9216"), UPLINK + ".*1500"),
    "get_interfaces_counters": (
        by_hand(RAIL, "interface port-channel99", "no interface port-channel99"),
        "port-channel99",
    ),
    "get_interfaces_ip": (
        by_hand(RAIL, "interface loopback9; ip address 192.0.2.9/32", "no interface loopback9"),
        r"loopback9: \['192\.0\.2\.9/32'\]",
    ),
    "get_lldp_neighbors": (cut("leaf-g1-r1-u1"), UPLINK),
    "get_lldp_neighbors_detail": (by_hand(RAIL, f"{_PORT}; no lldp receive", f"{_PORT}; lldp receive"), UPLINK),
    "get_mac_address_table": (cut("oob-leaf-g2-h4"), "02:a5:af:15:80:2b"),
    "get_network_instances": (by_hand(RAIL, "vrf context WRONG", "no vrf context WRONG"), "WRONG"),
    "get_ntp_peers": (
        by_hand(RAIL, "ntp peer 192.0.2.7 use-vrf management", "no ntp peer 192.0.2.7 use-vrf management"),
        r"192\.0\.2\.7",
    ),
    "get_ntp_servers": (
        by_hand(RAIL, "ntp server 192.0.2.8 use-vrf management", "no ntp server 192.0.2.8 use-vrf management"),
        r"192\.0\.2\.8",
    ),
    "get_ntp_stats": (
        by_hand(RAIL, "ntp server 192.0.2.8 use-vrf management", "no ntp server 192.0.2.8 use-vrf management"),
        r"192\.0\.2\.8",
    ),
    "get_optics": (cut("leaf-g1-r1-u1"), f"no light: .*{UPLINK}"),
    "get_route_to": (cut("leaf-g1-r1-u1"), r"10\.161\.0\.0"),
    "get_snmp_information": (
        by_hand(RAIL, "snmp-server location Elsewhere", "snmp-server location Hall 3"),
        "location: 'Elsewhere'",
    ),
    "get_users": (
        by_hand(RAIL, "username guest password 0 Guest-2345 role network-operator", "no username guest"),
        "guest: 5",
    ),
    "get_vlans": (by_hand(FRONT, "vlan 666; name WRONG", "no vlan 666"), "666"),
}
FAULTS_OF: dict[str, dict[str, tuple[Any, str]]] = {
    "nxos": {"get_environment": (control("fail-part", "repair-part", device=RAIL, part="fan-2"), "Fan2.*False")},
    "nxos_ssh": {"get_environment": (seeded(RAIL, "temperature.Intake", 75), "too hot.*Intake.*75")},
}
RUNS = {
    "get_arp_table": arp_table,
    "get_bgp_neighbors": bgp_neighbors,
    "get_config": config,
    "get_environment": environment,
    "get_facts": facts,
    "get_interfaces": interfaces,
    "get_interfaces_counters": counters,
    "get_interfaces_ip": interfaces_ip,
    "get_lldp_neighbors": lldp_neighbors,
    "get_lldp_neighbors_detail": lldp_neighbors_detail,
    "get_mac_address_table": mac_address_table,
    "get_network_instances": network_instances,
    "get_ntp_peers": ntp_peers,
    "get_ntp_servers": ntp_servers,
    "get_ntp_stats": ntp_stats,
    "get_optics": optics,
    "get_route_to": route_to,
    "get_snmp_information": snmp_information,
    "get_users": users,
    "get_vlans": vlans,
}


def case(driver: str, getter: str) -> Case:
    """One getter over one transport."""
    fault, message = FAULTS_OF[driver].get(getter) or FAULTS[getter]
    return Case(lambda lab: answered(lambda: RUNS[getter](lab, driver), driver), fault, message)


def answered(run: Callable[[], None], driver: str) -> None:
    """Ask, and ask anew on another connection where Netmiko took several prompts for one.

    Where a prompt does not come within 0.25 s, it asks for another one, then takes both for the prompt and waits for
    that in vain. A switch that does not answer is asked no more often than this, and fails.
    """
    for _ in range(MISREAD):
        try:
            return run()
        except ReadTimeout as error:
            if not SEVERAL_PROMPTS.search(str(error)):
                raise
            for key in [each for each in OPEN if each[1] == driver]:
                OPEN.pop(key).close()
    return run()

"""Modules of Ansible's cisco.nxos on a switch of the lab: facts, gathered, merged.

What is read is the intent's before anything is changed by hand, names that change, and is the intent's again. What is
merged changes the switch, then nothing; once it was taken back by hand, the module would change it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_nxos import Results, play, returned
from at_terminal import Operator
from eos_intent import by_hand, cut, intent, same
from listed import FROZEN, cases
from nxos_intent import FRONT, addresses, before, descriptions, fabric_links, seeded, switch, wired

pytestmark = pytest.mark.xdist_group("clients")
RESOURCES = FROZEN["cisco.nxos"]["gathered"]
_NAMES = [name.removeprefix("nxos_") for name in RESOURCES]
_UPLINK, _OTHER = "Ethernet1/51", "Ethernet1/52"


# -- reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    """``right`` raises AssertionError where what a task returned is not the intent's; ``message``: after the fault."""

    right: Callable[[Operator, dict[str, Any]], None]
    message: str


def default(lab: Operator, facts: dict[str, Any]) -> None:
    own = switch(lab, FRONT)
    wanted = {"hostname": FRONT, "serialnum": own["serial"], "license_hostid": own["serial"], "api": "nxapi"}
    wanted |= {"version": intent(lab).device(FRONT)["release"], "platform": intent(lab).device(FRONT)["model"]}
    same({key: facts[f"ansible_net_{key}"] for key in wanted}, wanted)


def hardware(_: Operator, facts: dict[str, Any]) -> None:
    assert facts["ansible_net_filesystems"] == ["bootflash:"]
    assert 0 < facts["ansible_net_memfree_mb"] < facts["ansible_net_memtotal_mb"]
    load = facts["ansible_net_cpu_utilization"]["core"]
    assert all(value < 50 for value in load.values()), f"busy: {load}"


def interfaces(lab: Operator, facts: dict[str, Any]) -> None:
    """Speeds, addresses and neighbours of the uplinks."""
    shown, site = facts["ansible_net_interfaces"], intent(lab)
    links = [(near, far, link) for near, far, link in wired(site, FRONT) if link["kind"] == "fabric"]
    found = {
        near["port"]: (shown[near["port"]]["state"], shown[near["port"]]["mtu"], shown[near["port"]]["ipv4"]["address"])
        for near, _, _ in links
    }
    same(found, {near["port"]: ("up", str(link["mtu_bytes"]), near["address"]) for near, _, link in links})
    neighbours = facts["ansible_net_neighbors"]
    known = {near["port"]: neighbours.get(near["port"]) for near, _, _ in links}
    same(
        known,
        {
            near["port"]: [{"host": far["device"], "sysname": far["device"], "port": far["port"]}]
            for near, far, _ in links
        },
    )
    own = {address.partition("/")[0] for address in addresses(site, FRONT).values()}
    assert own <= set(facts["ansible_net_all_ipv4_addresses"])


def features(lab: Operator, facts: dict[str, Any]) -> None:
    rendered = re.findall(r"^feature (\S+)", intent(lab).texts[FRONT], re.M)
    same(sorted(facts["ansible_net_features_enabled"]), sorted({*rendered, *before(lab, FRONT, r"^feature (\S+)")}))


def config(lab: Operator, facts: dict[str, Any]) -> None:
    wanted = re.findall(r"^ +description .+", intent(lab).texts[FRONT], re.M)
    extra = set(re.findall(r"^ +description .+", facts["ansible_net_config"], re.M))
    own = {*wanted, *before(lab, FRONT, r"^ +description .+")}
    assert set(wanted) <= extra <= own, f"not the intent's: {sorted(extra ^ set(wanted))}"


def network_resources(lab: Operator, facts: dict[str, Any]) -> None:
    for name in _NAMES:
        GATHERED[f"nxos_{name}"].right(lab, {"gathered": facts["ansible_network_resources"][name]})


FACTS: dict[str, Read] = {
    "default": Read(default, "hostname: 'somebody'"),
    "hardware": Read(hardware, "busy.*93"),
    "interfaces": Read(interfaces, f"{_UPLINK}: .'down'"),
    "features": Read(features, "'udld'|dhcp"),
    "config": Read(config, "by hand"),
    "network_resources": Read(network_resources, "192.0.2.0/24|log_neighbor"),
}


PEER, OTHER = "front-leaf-g2-b", "169.254.0.2"
"""The other member of the pair, and its address on the peer link."""


def bgp_global(lab: Operator, found: dict[str, Any]) -> None:
    site, shown = intent(lab), found["gathered"]
    peers = {each["neighbor_address"]: int(each["remote_as"]) for each in shown["neighbors"]}
    same(
        peers,
        {far["address"]: site.asn(far["device"]) for _, far, _ in fabric_links(site, FRONT)} | {OTHER: site.asn(PEER)},
    )
    keys = ("as_number", "router_id", "log_neighbor_changes", "reconnect_interval")
    wanted = (str(site.asn(FRONT)), site.device(FRONT)["loopback"], True, 10)
    same({key: shown.get(key) for key in keys}, dict(zip(keys, wanted, strict=True)))


def bgp_address_family(lab: Operator, found: dict[str, Any]) -> None:
    (family,) = found["gathered"]["address_family"]
    networks = re.findall(r"^ +network (\S+)", intent(lab).texts[FRONT], re.M)
    paths = re.findall(r"^ +maximum-paths (\d+)", intent(lab).texts[FRONT], re.M)
    same([each["prefix"] for each in family["networks"]], networks)
    same([str(family["maximum_paths"]["parallel_paths"])], paths)


def bgp_neighbor_address_family(lab: Operator, found: dict[str, Any]) -> None:
    shown = {each["neighbor_address"]: each["address_family"] for each in found["gathered"]["neighbors"]}
    family = [{"afi": "ipv4", "safi": "unicast"}]
    same(shown, {far["address"]: family for _, far, _ in fabric_links(intent(lab), FRONT)} | {OTHER: family})


def resource_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown = {each["name"]: each for each in found["gathered"]}
    wanted = descriptions(intent(lab), FRONT)
    same({port: shown[port].get("description") for port in wanted}, wanted)
    closed = {port for port, lines in intent(lab).ports(FRONT).items() if "shutdown" in lines}
    assert {port for port in closed if shown[port].get("enabled") is not False} == set()


def l2_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    access, trunks = {}, {}
    for port, lines in intent(lab).ports(FRONT).items():
        for line in lines:
            if number := re.fullmatch(r"switchport access vlan (\d+)", line):
                access[port] = int(number[1])
            if allowed := re.fullmatch(r"switchport trunk allowed vlan (\S+)", line):
                trunks[port] = allowed[1]
    shown = [each for each in found["gathered"] if len(each) > 1]
    same({each["name"]: each["access"]["vlan"] for each in shown if "access" in each}, access)
    same({each["name"]: each["trunk"]["allowed_vlans"] for each in shown if "trunk" in each}, trunks)


def l3_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown = {each["name"]: each["ipv4"][0]["address"] for each in found["gathered"] if "ipv4" in each}
    shown.pop("mgmt0")
    same(shown, addresses(intent(lab), FRONT))


def lag_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    wanted: dict[str, list[str]] = {}
    for port, lines in intent(lab).ports(FRONT).items():
        for line in lines:
            if number := re.fullmatch(r"channel-group (\d+) mode active", line):
                wanted.setdefault(f"port-channel{number[1]}", []).append(port)
    shown = {e["name"]: [member["member"] for member in e["members"]] for e in found["gathered"] if e.get("members")}
    same(shown, wanted)


def vlans(lab: Operator, found: dict[str, Any]) -> None:
    names = re.findall(r"^vlan (\d+)\n  name (\S+)", intent(lab).texts[FRONT], re.M)
    shown = {each["vlan_id"]: each["name"] for each in found["gathered"]}
    others = {1: "default", 310: "OLD-STORAGE"}  # the switch's own, and another team's
    same(shown, {**others, **{int(number): name for number, name in names}})


def acls(lab: Operator, found: dict[str, Any]) -> None:
    (shown,) = (each["acls"] for each in found["gathered"] if each["afi"] == "ipv4")
    rendered = intent(lab).blocks(FRONT, "ip access-list ")
    wanted = {name: [int(line.split()[0]) for line in lines if line[0].isdigit()] for name, lines in rendered.items()}
    sequences = {each["name"]: [ace["sequence"] for ace in each.get("aces", ())] for each in shown}
    others = before(lab, FRONT, r"^ip access-list (\S+)")
    same({name: rows for name, rows in sequences.items() if name not in others}, wanted)


def acl_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown = {
        (each["name"], acl["direction"]): acl["name"]
        for each in found["gathered"]
        for group in each.get("access_groups", ())
        for acl in group["acls"]
    }
    lines = [(port, line.split()) for port, own in intent(lab).ports(FRONT).items() for line in own]
    same(shown, {(port, words[3]): words[2] for port, words in lines if words[:2] == ["ip", "access-group"]})


GATHERED: dict[str, Read] = {
    "nxos_bgp_global": Read(bgp_global, "log_neighbor_changes: None, not True"),
    "nxos_bgp_address_family": Read(bgp_address_family, "192.0.2.0/24"),
    "nxos_bgp_neighbor_address_family": Read(bgp_neighbor_address_family, "allowas_in"),
    "nxos_interfaces": Read(resource_interfaces, f"{_OTHER}: 'by hand'"),
    "nxos_l2_interfaces": Read(l2_interfaces, "Ethernet1/47: 200"),
    "nxos_l3_interfaces": Read(l3_interfaces, "loopback9: '192.0.2.9/32'"),
    "nxos_lag_interfaces": Read(lag_interfaces, "port-channel77: .'Ethernet1/48'"),
    "nxos_vlans": Read(vlans, "666: 'WRONG'"),
    "nxos_acls": Read(acls, "WRONG: .10"),
    "nxos_acl_interfaces": Read(acl_interfaces, "loopback9.*LEGACY-STORAGE"),
}
_BGP = "router bgp 4200200002"
_PEER = f"{_BGP}; neighbor 10.180.0.18; address-family ipv4 unicast"
FAULTS = (
    by_hand(FRONT, "hostname somebody", f"hostname {FRONT}"),
    seeded(FRONT, "cpu", 93),
    cut("front-leaf-g2-a-u1"),
    by_hand(FRONT, "feature dhcp", "no feature dhcp"),
    by_hand(FRONT, f"{_BGP}; no log-neighbor-changes", f"{_BGP}; log-neighbor-changes"),
    by_hand(
        FRONT,
        f"{_BGP}; address-family ipv4 unicast; network 192.0.2.0/24",
        f"{_BGP}; address-family ipv4 unicast; no network 192.0.2.0/24",
    ),
    by_hand(FRONT, f"{_PEER}; allowas-in 3", f"{_PEER}; no allowas-in 3"),
    by_hand(
        FRONT,
        f"interface {_OTHER}; description by hand",
        f"interface {_OTHER}; description front-spine-2 swp3",
    ),
    by_hand(
        FRONT,
        "interface Ethernet1/47; switchport access vlan 200",
        "interface Ethernet1/47; no switchport access vlan 200",
    ),
    by_hand(
        FRONT,
        "interface loopback9; ip address 192.0.2.9/32; ip access-group LEGACY-STORAGE in",
        "no interface loopback9",
    ),
    by_hand(
        FRONT,
        "interface Ethernet1/48; channel-group 77 mode active",
        "interface Ethernet1/48; no channel-group; no interface port-channel77",
    ),
    by_hand(FRONT, "vlan 666; name WRONG", "no vlan 666"),
    by_hand(FRONT, "ip access-list WRONG; 10 permit ip any any", "no ip access-list WRONG"),
)
_MODULE = "cisco.nxos.nxos_facts"
READING = {
    **{f"facts {subset}": {_MODULE: {"gather_subset": [subset]}} for subset in FACTS if subset != "network_resources"},
    "facts network_resources": {_MODULE: {"gather_subset": ["min"], "gather_network_resources": _NAMES}},
    **{f"gathered {name}": {f"cisco.nxos.{name}": {"state": "gathered"}} for name in RESOURCES},
}


@pytest.fixture(scope="module")
def read(pushed_lab: Operator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Results, Results, Results]]:
    """What all modules read before, during and after the faults, which are there at the same time."""
    where, was = tmp_path_factory.mktemp("read"), pushed_lab.hands()[FRONT].running()
    first = play(pushed_lab, FRONT, READING, where / "1")
    with ExitStack() as faults:
        for fault in FAULTS:
            faults.enter_context(fault(pushed_lab))
        second = play(pushed_lab, FRONT, READING, where / "2")
    yield first, second, play(pushed_lab, FRONT, READING, where / "3")
    assert pushed_lab.hands()[FRONT].running() == was


def agrees(lab: Operator, read: tuple[Results, Results, Results], task: str, wanted: Read, key: str) -> None:
    first, second, third = ({**returned(each, task), **returned(each, task).get(key, {})} for each in read)
    wanted.right(lab, first)
    with pytest.raises(AssertionError, match=wanted.message):
        wanted.right(lab, second)
    wanted.right(lab, third)


_Three = tuple[Results, Results, Results]


@pytest.mark.parametrize("subset", cases("cisco.nxos", {name: name for name in FACTS}, "facts"))
def test_facts_are_the_intents_and_name_what_was_changed(subset: str, pushed_lab: Operator, read: _Three) -> None:
    agrees(pushed_lab, read, f"facts {subset}", FACTS[subset], "ansible_facts")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", cases("cisco.nxos", {name: name for name in GATHERED}, "gathered"))
def test_what_is_gathered_is_the_intents_and_names_what_was_changed(
    module: str, pushed_lab: Operator, read: _Three
) -> None:
    agrees(pushed_lab, read, f"gathered {module}", GATHERED[module], "")

"""Modules of Ansible's arista.eos read switches of the lab: facts, gathered.

What is read is the intent's before anything is changed by hand, names that change, and is the intent's again. All
changes are there at once, so that each start of Ansible serves all modules of a switch; each must name its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_eos import eos_play
from ansible_nxos import Results, returned
from at_terminal import Operator
from eos_intent import FRONT, RAIL, by_hand, cut, intent, same, value
from listed import FROZEN, cases

pytestmark = pytest.mark.xdist_group("clients")
RESOURCES = FROZEN["arista.eos"]["gathered"]
_NAMES = [name.removeprefix("eos_") for name in RESOURCES if name != "eos_bgp_global"]
"""Without BGP, which ends with an error at ``update wait-install`` (not_yet.yml)."""
_UPLINK, _OTHER, _CABLE = "Ethernet63/1", "Ethernet64/1", "leaf-g1-r0-u1"
_THEIRS = "198.51.100.129"
"""A neighbor of somebody else's VRF, in every EOS configuration before the first push."""


@dataclass(frozen=True)
class Read:
    """``right`` raises AssertionError where what a task returned is not the intent's; ``message``: after the fault."""

    right: Callable[[Operator, Any], None]
    message: str
    switch: str = RAIL


def _before(lab: Operator, switch: str, pattern: str) -> list[str]:
    """Of the lines that were there before anything was pushed, what a pattern finds."""
    return re.findall(pattern, lab.day0[switch], re.M)


def _addresses(lab: Operator, switch: str) -> dict[str, str]:
    ports = {port: value(lines, r"ip address (\S+)") for port, lines in intent(lab).ports(switch).items()}
    return {port: address for port, address in ports.items() if address}


def _descriptions(lab: Operator, switch: str) -> dict[str, str]:
    ports = {port: value(lines, r"description (.+)") for port, lines in intent(lab).ports(switch).items()}
    return {port: text for port, text in ports.items() if text}


# -- facts ---------------------------------------------------------------------------------------------------------


def default(lab: Operator, facts: dict[str, Any]) -> None:
    device = intent(lab).device(RAIL)
    found = {key: facts[f"ansible_net_{key}"] for key in ("hostname", "version", "api", "system")}
    same(found, {"hostname": RAIL, "version": device["release"], "api": "eapi", "system": "eos"})
    assert device["model"] in facts["ansible_net_model"]


def hardware(_: Operator, facts: dict[str, Any]) -> None:
    assert 0 < facts["ansible_net_memfree_mb"] < facts["ansible_net_memtotal_mb"]
    assert facts["ansible_net_filesystems"], "no file system"


def interfaces(lab: Operator, facts: dict[str, Any]) -> None:
    """State and address of the uplinks, and who is heard there."""
    shown, links = facts["ansible_net_interfaces"], intent(lab).links(RAIL, "fabric")
    found = {
        near["port"]: (shown[near["port"]]["operstatus"], shown[near["port"]]["ipv4"].get("address"))
        for near, _, _ in links
    }
    same(found, {near["port"]: ("connected", near["address"]) for near, _, _ in links})
    heard = {near["port"]: facts["ansible_net_neighbors"].get(near["port"]) for near, _, _ in links}
    same(heard, {near["port"]: [{"host": far["device"], "port": far["port"]}] for near, far, _ in links})


def config(lab: Operator, facts: dict[str, Any]) -> None:
    found = set(re.findall(r"^ +description (.+)", facts["ansible_net_config"], re.M))
    own = set(_descriptions(lab, RAIL).values())
    missing, strange = own - found, found - own - set(_before(lab, RAIL, r"^ +description (.+)"))
    assert not missing and not strange, f"missing {sorted(missing)}, strange {sorted(strange)}"


def network_resources(lab: Operator, facts: dict[str, Any]) -> None:
    """The resources that are read from this switch below, by the facts module."""
    shown = facts["ansible_network_resources"]
    assert sorted(shown) == sorted(_NAMES)
    for name in _NAMES:
        wanted = GATHERED[f"eos_{name}"]
        if wanted.switch == RAIL:
            wanted.right(lab, {"gathered": shown[name]})


FACTS: dict[str, Read] = {
    "default": Read(default, "hostname: 'nobody'"),
    "hardware": Read(hardware, "no file system"),
    "interfaces": Read(interfaces, f"{_UPLINK}: .'notconnect'"),
    "config": Read(config, "strange .'by hand'"),
    "network_resources": Read(network_resources, "192.0.2.0/24"),
}

# -- gathered ------------------------------------------------------------------------------------------------------


def bgp_global(lab: Operator, found: dict[str, Any]) -> None:
    """A peer group is read as a neighbor of its name; another's VRF is in ``vrfs``."""
    site, shown = intent(lab), found["gathered"]
    own = {each["neighbor_address"]: each for each in shown["neighbor"] if each["neighbor_address"][0].isdigit()}
    peers = {far["address"]: str(site.asn(far["device"])) for _, far, _ in site.links(RAIL, "fabric")}
    same({address: each.get("remote_as") for address, each in own.items()}, peers)
    same(shown["as_number"], str(site.asn(RAIL)))
    same(shown["router_id"], site.device(RAIL)["loopback"])
    theirs = [each["neighbor_address"] for vrf in shown["vrfs"] for each in vrf["neighbor"]]
    same(theirs, _before(lab, RAIL, rf"neighbor ({re.escape(_THEIRS)}) remote-as"))


def bgp_address_family(lab: Operator, found: dict[str, Any]) -> None:
    (family,) = found["gathered"]["address_family"]
    networks = re.findall(r"^ +network (\S+)", intent(lab).texts[RAIL], re.M)
    same(sorted(each["address"] for each in family["network"]), sorted(networks))


def resource_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown, wanted = {each["name"]: each for each in found["gathered"]}, _descriptions(lab, RAIL)
    same({port: shown[port].get("description") for port in wanted}, wanted)


def l2_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown: dict[str, str] = {}
    for each in found["gathered"]:
        if "access" in each:
            shown[each["name"]] = f"access {each['access']['vlan']}"
        if "trunk" in each:
            shown[each["name"]] = ",".join(each["trunk"]["trunk_allowed_vlans"])
    rendered = {
        port: value(lines, r"switchport trunk allowed vlan (\S+)") for port, lines in intent(lab).ports(FRONT).items()
    }
    same(shown, {port: allowed for port, allowed in rendered.items() if allowed})


def l3_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown = {each["name"]: each["ipv4"][0]["address"] for each in found["gathered"] if "ipv4" in each}
    shown.pop("Management1")
    same(shown, _addresses(lab, RAIL))


def lag_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    wanted: dict[str, list[str]] = {}
    for port, lines in intent(lab).ports(FRONT).items():
        if number := value(lines, r"channel-group (\d+) mode active"):
            wanted.setdefault(f"Port-Channel{number}", []).append(port)
    same({each["name"]: [member["member"] for member in each["members"]] for each in found["gathered"]}, wanted)


def vlans(lab: Operator, found: dict[str, Any]) -> None:
    names = re.findall(r"^vlan (\d+)\n\s+name (\S+)", intent(lab).texts[FRONT] + "\n" + lab.day0[FRONT], re.M)
    same({str(each["vlan_id"]): each["name"] for each in found["gathered"]}, dict(names))


def acls(lab: Operator, found: dict[str, Any]) -> None:
    """On this switch lists are the administrator's alone."""
    shown = {each["name"]: len(each["aces"]) for family in found["gathered"] for each in family["acls"]}
    blocks = re.findall(r"^ip access-list (?!standard)(\S+)\n((?:\s+.+\n)*)", lab.day0[RAIL], re.M)
    same(shown, {name: len(re.findall(r"^\s+\d+ (?:permit|deny)", lines, re.M)) for name, lines in blocks})


def acl_interfaces(lab: Operator, found: dict[str, Any]) -> None:
    shown = {
        (each["name"], acl["name"])
        for each in found["gathered"]
        for group in each.get("access_groups", ())
        for acl in group["acls"]
    }
    lines = [(port, line.split()) for port, own in intent(lab).ports(FRONT).items() for line in own]
    wanted = {(port, words[2]) for port, words in lines if words[:2] == ["ip", "access-group"]}
    assert shown == wanted, f"{shown ^ wanted}"


GATHERED: dict[str, Read] = {
    "eos_bgp_global": Read(bgp_global, "192.0.2.77: '65077'"),
    "eos_bgp_address_family": Read(bgp_address_family, "192.0.2.0/24"),
    "eos_interfaces": Read(resource_interfaces, f"{_OTHER}: 'by hand'"),
    "eos_l2_interfaces": Read(l2_interfaces, "Ethernet11: 'access 200'", FRONT),
    "eos_l3_interfaces": Read(l3_interfaces, "Loopback9: '192.0.2.9/32'"),
    "eos_lag_interfaces": Read(lag_interfaces, "Port-Channel77: .'Ethernet12'", FRONT),
    "eos_vlans": Read(vlans, "666: 'WRONG'", FRONT),
    "eos_acls": Read(acls, "WRONG: 1"),
    "eos_acl_interfaces": Read(acl_interfaces, "LEGACY-EDGE", FRONT),
}


def _faults(lab: Operator) -> Iterator[Any]:
    bgp = f"router bgp {intent(lab).asn(RAIL)}"
    family = f"{bgp}; address-family ipv4"
    yield by_hand(RAIL, "hostname nobody", f"hostname {RAIL}")
    yield cut(_CABLE)
    yield by_hand(RAIL, f"{bgp}; neighbor 192.0.2.77 remote-as 65077", f"{bgp}; no neighbor 192.0.2.77")
    yield by_hand(RAIL, f"{family}; network 192.0.2.0/24", f"{family}; no network 192.0.2.0/24")
    described = _descriptions(lab, RAIL)[_OTHER]
    yield by_hand(RAIL, f"interface {_OTHER}; description by hand", f"interface {_OTHER}; description {described}")
    yield by_hand(RAIL, "interface Loopback9; ip address 192.0.2.9/32", "no interface Loopback9")
    yield by_hand(RAIL, "ip access-list WRONG; 10 permit ip any any", "no ip access-list WRONG")
    port = "interface Ethernet11"
    yield by_hand(FRONT, f"{port}; switchport access vlan 200", f"{port}; no switchport access vlan")
    port = "interface Ethernet12"
    undo = f"{port}; no channel-group; no interface Port-Channel77"
    yield by_hand(FRONT, f"{port}; channel-group 77 mode active", undo)
    yield by_hand(FRONT, "vlan 666; name WRONG", "no vlan 666")
    port = "interface Ethernet13"
    yield by_hand(FRONT, f"{port}; ip access-group LEGACY-EDGE in", f"{port}; no ip access-group LEGACY-EDGE in")


def _tasks(switch: str) -> dict[str, dict[str, Any]]:
    module = "arista.eos.eos_facts"
    tasks: dict[str, dict[str, Any]] = {}
    if switch == RAIL:
        tasks = {f"facts {name}": {module: {"gather_subset": [name]}} for name in FACTS if name != "network_resources"}
        named = {"gather_subset": ["min"], "gather_network_resources": _NAMES}
        tasks["facts network_resources"] = {module: named}
    own = [name for name, each in GATHERED.items() if each.switch == switch]
    return tasks | {f"gathered {name}": {f"arista.eos.{name}": {"state": "gathered"}} for name in own}


_Three = tuple[Results, Results, Results]


@pytest.fixture(scope="module")
def read(pushed_lab: Operator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Three]:
    """What all modules read before, during and after the faults."""
    where, hands = tmp_path_factory.mktemp("read"), pushed_lab.hands()
    was = {switch: hands[switch].running() for switch in (RAIL, FRONT)}

    def play(number: str) -> Results:
        plays = (eos_play(pushed_lab, switch, _tasks(switch), where / number / switch) for switch in (RAIL, FRONT))
        return {task: result for results in plays for task, result in results.items()}

    first = play("1")
    with ExitStack() as faults:
        for fault in _faults(pushed_lab):
            faults.enter_context(fault(pushed_lab))
        second = play("2")
    yield first, second, play("3")
    assert {switch: hands[switch].running() for switch in (RAIL, FRONT)} == was


def agrees(lab: Operator, read: _Three, task: str, wanted: Read, key: str) -> None:
    first, second, third = ({**returned(each, task), **returned(each, task).get(key, {})} for each in read)
    wanted.right(lab, first)
    with pytest.raises(AssertionError, match=wanted.message):
        wanted.right(lab, second)
    wanted.right(lab, third)


@pytest.mark.parametrize("subset", cases("arista.eos", {name: name for name in FACTS}, "facts"))
def test_facts_are_the_intents_and_name_what_was_changed(subset: str, pushed_lab: Operator, read: _Three) -> None:
    agrees(pushed_lab, read, f"facts {subset}", FACTS[subset], "ansible_facts")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("module", cases("arista.eos", {name: name for name in GATHERED}, "gathered"))
def test_what_is_gathered_is_the_intents_and_names_what_was_changed(
    module: str, pushed_lab: Operator, read: _Three
) -> None:
    agrees(pushed_lab, read, f"gathered {module}", GATHERED[module], "")

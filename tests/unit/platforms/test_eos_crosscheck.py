"""Parsers we did not write read our EOS text to the same values: the resource modules of arista.eos.

Not covered: QoS, BFD and hashing, for which it has no parser; it knows no speed with lanes either. pyavd's templates
(``test_eos_pyavd.py``) print these. Whole switches of sites: ``test_resource_modules.py``.
"""

import importlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import to_tree
from tests.unit.platforms.eos_examples import bundled_leaf, examples, rendered

CONFIGS = pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
FACTS = "ansible_collections.arista.eos.plugins.module_utils.network.eos.facts"


def facts_of(resource: str, config: DeviceConfig, start: str) -> Any:
    """What arista.eos's parser makes of one section of our text, as a switch would print it."""
    module = importlib.import_module(f"{FACTS}.{resource}.{resource}")
    parser = next(getattr(module, name) for name in dir(module) if name.endswith("Facts"))
    fake = SimpleNamespace(params={}, _connection=None, no_log_values=set(), check_mode=False)
    tree = canonical(to_tree(rendered(config)))
    for text in [text for text in tree.children if not text.startswith(start)]:
        del tree.children[text]
    text = "\n".join(tree.lines("   ")) + "\n"
    found = parser(fake).populate_facts(None, {"ansible_network_resources": {}}, text)
    return found["ansible_network_resources"][resource]


@CONFIGS
def test_arista_eos_reads_the_bgp_process_its_groups_and_neighbours(config: DeviceConfig) -> None:
    bgp = config.bgp
    assert bgp is not None
    # it refuses its own reading of "update wait-install" (tests/clients/not_yet.yml)
    heard = replace(bgp, wait_for_install=False, wait_for_convergence=False)
    found = facts_of("bgp_global", replace(config, bgp=heard), "router bgp ")
    assert (int(found["as_number"]), found["router_id"]) == (bgp.asn, bgp.router_id)
    assert found["maximum_paths"] == {
        "max_equal_cost_paths": bgp.maximum_paths,
        "max_installed_ecmp_paths": bgp.maximum_paths,
    }
    peers = {each["neighbor_address"]: each for each in found["neighbor"]}
    for group in bgp.peer_groups:
        seen = peers.pop(group.name)
        assert seen["timers"]["keepalive"] == group.keepalive_s
        assert seen["out_delay"] == group.advertisement_interval_s
        assert seen["ttl"] == 1
        assert (seen.get("bfd") == "enable") is group.bfd
        assert seen["maximum_received_routes"] == {"count": group.max_prefixes}
        assert seen["send_community"] == {"set": True}
        restart_s = group.prefix_restart_min and group.prefix_restart_min * 60
        assert seen.get("idle_restart_timer") == restart_s
    assert {(address, int(each["remote_as"]), each["peer_group"]) for address, each in peers.items()} == {
        (each.address, each.remote_as, each.peer_group) for each in bgp.neighbors
    }


@CONFIGS
def test_arista_eos_reads_ports_addresses_prefix_lists_and_discard_routes(config: DeviceConfig) -> None:
    ports = {each["name"]: each for each in facts_of("interfaces", config, "interface ")}
    layer3 = {each["name"]: each.get("ipv4") for each in facts_of("l3_interfaces", config, "interface ")}
    addresses = {name: entries[0]["address"] for name, entries in layer3.items() if entries}
    for port in config.interfaces:
        seen = ports[port.name]
        assert (seen.get("description"), seen["enabled"]) == (port.description, port.enabled)
        assert seen.get("mtu") == port.mtu_bytes
        assert addresses.get(port.name) == port.address
        assert (seen.get("mode") == "layer3") is (port.mtu_bytes is not None and not port.name.startswith("Vlan"))
    layer2 = {each["name"]: each.get("access") for each in facts_of("l2_interfaces", config, "interface ")}
    for port in config.interfaces:
        assert (layer2.get(port.name) or {}).get("vlan") == port.access_vlan
    assert {each["vlan_id"]: each["name"] for each in facts_of("vlans", config, "vlan ") or ()} == {
        each.number: each.name for each in config.vlans
    }
    (family,) = facts_of("prefix_lists", config, "ip prefix-list ")
    assert {
        (each["name"], entry["sequence"], entry["action"], entry["address"])
        for each in family["prefix_lists"]
        for entry in each["entries"]
    } == {
        (each.name, rule.sequence, "permit" if rule.permit else "deny", rule.prefix)
        for each in config.routing_policy.prefix_lists
        for rule in each.rules
        if rule.ge is None or rule.le is None  # it reads no entry with both bounds; pyavd's comparison has those
    }
    if config.static_routes:
        ((routes,),) = (each["address_families"] for each in facts_of("static_routes", config, "ip route "))
        assert [(each["dest"], each["next_hops"][0]["interface"]) for each in routes["routes"]] == [
            (each.prefix, "Null0") for each in config.static_routes
        ]


def test_arista_eos_reads_the_members_of_groups() -> None:
    """Not how often they ask: it looks for ``lacp rate``, the word up to 4.19."""
    config = bundled_leaf()
    found = {each["name"]: each["members"] for each in facts_of("lag_interfaces", config, "interface ")}
    wanted: dict[str, list[dict[str, str]]] = {port.name: [] for port in config.interfaces if port.lag is not None}
    for port in config.interfaces:
        if port.member is not None:
            wanted[port.member.group].append({"member": port.name, "mode": "active"})
    assert found == wanted


@CONFIGS
def test_arista_eos_reads_what_is_announced(config: DeviceConfig) -> None:
    bgp = config.bgp
    assert bgp is not None
    found = facts_of("bgp_address_family", config, "router bgp ")
    (family,) = found["address_family"]
    assert family["afi"] == "ipv4"
    assert {each["address"] for each in family["network"]} == set(bgp.networks)
    assert {each["peer"] for each in family["neighbor"] if each["activate"]} == {each.name for each in bgp.peer_groups}

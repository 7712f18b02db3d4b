"""Parsers we did not write read our NX-OS text to the same values: the resource modules of cisco.nxos.

Not covered, because cisco.nxos has no parser for them: the QoS objects, hashing, BFD intervals, breakouts, FEC,
negotiation.
"""

import importlib
import itertools
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.model.device_config import SECTIONS, DeviceConfig
from nornir_tasks.platforms.nxos.access_lists import WORDS
from tests.corpus.shapes import patterns
from tests.unit.design import edge_systems
from tests.unit.design.wanted_of import wanted_of
from tests.unit.platforms.nxos_examples import ROOT, bundled_leaf, leaf, rendered, spine, split_leaf
from tests.unit.platforms.nxos_resources import MESSAGES

FACTS_OF = "ansible_collections.cisco.nxos.plugins.module_utils.network.nxos.facts"
CONFIGS = pytest.mark.parametrize("config", [leaf(), spine(), split_leaf()], ids=["leaf", "spine", "split leaf"])


def facts_of(resource: str, text: str) -> Any:
    module = importlib.import_module(f"{FACTS_OF}.{resource}.{resource}")
    parser = getattr(module, f"{resource.capitalize()}Facts")
    fake = SimpleNamespace(params={}, _connection=None, no_log_values=set(), check_mode=False)
    found = parser(fake).populate_facts(None, {"ansible_network_resources": {}}, text)
    return found["ansible_network_resources"][resource]


def part(config: DeviceConfig, begin: str, end: str | None = None) -> str:
    text = rendered(config)
    start = text.index(begin)
    return text[start : text.index(end, start) if end else None]


@CONFIGS
def test_the_bgp_process_and_its_neighbours(config: DeviceConfig) -> None:
    bgp = config.bgp
    assert bgp is not None
    found = facts_of("bgp_global", part(config, "router bgp"))
    assert int(found["as_number"]) == bgp.asn
    assert found["router_id"] == bgp.router_id
    assert found["bestpath"]["as_path"]["multipath_relax"] is bgp.multipath_relax
    assert found["log_neighbor_changes"] is bgp.log_neighbor_changes
    assert found["reconnect_interval"] == bgp.peer_groups[0].connect_retry_s
    assert found.get("graceful_restart") == (
        {"set": False, "helper": True} if bgp.graceful_restart_helper_only else None
    )
    assert [
        (each["neighbor_address"], int(each["remote_as"]), each["inherit"]["peer"], each["description"])
        for each in found["neighbors"]
    ] == [(each.address, each.remote_as, each.peer_group, each.description) for each in bgp.neighbors]


@CONFIGS
def test_the_routes_of_the_process(config: DeviceConfig) -> None:
    bgp = config.bgp
    assert bgp is not None
    (family,) = facts_of("bgp_address_family", part(config, "router bgp"))["address_family"]
    assert (family["afi"], family["safi"]) == ("ipv4", "unicast")
    assert [each["prefix"] for each in family["networks"]] == list(bgp.networks)
    assert family["maximum_paths"]["parallel_paths"] == bgp.maximum_paths


@CONFIGS
def test_the_peer_templates(config: DeviceConfig) -> None:
    bgp = config.bgp
    assert bgp is not None
    text = f"router bgp {bgp.asn}\n" + part(config, "  template peer", "  neighbor")
    (found,) = facts_of("bgp_templates", text)["neighbor"]
    (group,) = bgp.peer_groups
    (family,) = found["address_family"]
    assert found["name"] == group.name
    assert found["timers"] == {"keepalive": group.keepalive_s, "holdtime": group.hold_s}
    assert found.get("bfd", {"set": False})["set"] is group.bfd
    assert found["ttl_security"] == {"hops": 1}
    assert family["maximum_prefix"] == {
        "max_prefix_limit": group.max_prefixes,
        "restart_interval": group.prefix_restart_min,
    }
    assert family["send_community"] == "standard"
    assert family["route_map"].get("inbound") == group.route_map_in
    assert family["route_map"].get("outbound") == group.route_map_out


def test_a_spine_filters_each_leaf_apart() -> None:
    config = spine()
    assert config.bgp is not None
    found = facts_of("bgp_neighbor_address_family", part(config, "router bgp"))
    assert {
        each["neighbor_address"]: each["address_family"][0]["route_map"]["inbound"] for each in found["neighbors"]
    } == {each.address: each.route_map_in for each in config.bgp.neighbors}


@CONFIGS
def test_the_interfaces(config: DeviceConfig) -> None:
    text = part(config, "interface Ethernet", "router bgp")
    links = {each["name"]: each for each in facts_of("interfaces", text)}
    addresses = {each["name"]: each for each in facts_of("l3_interfaces", text)}
    for port in config.interfaces:
        assert links[port.name].get("description") == port.description
        if port.address is None:
            assert not port.enabled
            assert links[port.name]["enabled"] is False
            continue
        assert addresses[port.name]["ipv4"] == [{"address": port.address}]
        speed = links[port.name].get("speed")
        assert (speed and int(speed)) == (port.layer1 and port.layer1.speed_gbps * 1000)
        if port.mtu_bytes is not None:
            assert links[port.name]["mode"] == "layer3"
            assert int(links[port.name]["mtu"]) == port.mtu_bytes
            assert links[port.name]["enabled"] is port.enabled
            assert links[port.name]["service_policy"]["type_options"]["qos"]["input"] == port.qos_profile
            assert addresses[port.name].get("redirects", True) is (config.bfd is None)


def test_the_groups_of_links_and_their_members() -> None:
    config = bundled_leaf()
    text = part(config, "interface port-channel", "router bgp")
    groups = {each["name"]: each.get("members") or [] for each in facts_of("lag_interfaces", text)}
    wanted: dict[str, list[dict[str, str]]] = {port.name: [] for port in config.interfaces if port.lag is not None}
    for port in config.interfaces:
        if port.member is not None:
            wanted[port.member.group].append({"member": port.name, "mode": "active"})
    assert groups == wanted
    rates = {each["name"]: each for each in facts_of("lacp_interfaces", text)}
    for port in config.interfaces:
        if port.member is not None:
            assert rates[port.name].get("rate") == {"fast": "fast", "slow": "normal"}[port.member.lacp_rate or ""]
        if port.lag is not None:
            assert rates[port.name]["links"]["min"] == port.lag.min_links
            assert rates[port.name].get("suspend_individual", True) is not port.lag.individual


@CONFIGS
def test_prefix_lists_and_route_maps(config: DeviceConfig) -> None:
    lists = "\n".join(line for line in rendered(config).splitlines() if line.startswith("ip prefix-list"))
    (family,) = facts_of("prefix_lists", lists)
    assert {each["name"]: each["entries"] for each in family["prefix_lists"]} == {
        each.name: [
            {
                "sequence": rule.sequence,
                "action": "permit",
                "prefix": rule.prefix,
                **({"le": rule.le} if rule.le else {}),
            }
            for rule in each.rules
        ]
        for each in config.routing_policy.prefix_lists
    }
    for found in facts_of("route_maps", part(config, "route-map", "interface Ethernet")):
        (route_map,) = (each for each in config.routing_policy.route_maps if each.name == found["route_map"])
        for entry, rule in zip(found["entries"], route_map.rules, strict=True):
            assert entry["sequence"] == rule.sequence
            assert entry["match"]["ip"]["address"]["prefix_lists"] == [rule.match_prefix_list]
            done = entry.get("set", {})
            prepend = done.get("as_path", {}).get("prepend", {}).get("as_number", [])
            assert tuple(int(asn) for asn in prepend) == rule.prepend
            assert tuple(done.get("community", {}).get("number", [])) == rule.communities


def test_the_discard_route() -> None:
    text = "\n".join(line for line in rendered(leaf()).splitlines() if line.startswith("ip route"))
    (found,) = facts_of("static_routes", text)
    (route,) = found["address_families"][0]["routes"]
    assert (route["dest"], route["next_hops"]) == ("10.168.0.0/24", [{"interface": "Null0"}])


def test_each_icmpv6_message_that_we_have_a_word_of_is_read_as_this_message() -> None:
    types = MESSAGES["ipv6"]
    assert sorted(types) == sorted(WORDS.icmp_types["ipv6"].values())
    rules = tuple(AclRule(10 * n, True, protocol=58, icmp_type=each) for n, each in enumerate(types, 1))
    text = rendered(replace(leaf(), access_lists=(AccessList("STORAGE-IN-V6", "ipv6", rules),)))
    block = re.search(r"^ipv6 access-list .*\n(?: .*\n)*", text, re.MULTILINE)
    assert block is not None
    (family,) = facts_of("acls", block[0])
    (found,) = family["acls"]
    assert [each["protocol_options"] for each in found["aces"]] == [{"icmpv6": {word: True}} for word in types.values()]


def test_every_line_that_we_print_has_a_source() -> None:
    entries = yaml.safe_load((ROOT / "templates" / "nxos" / "SOURCES.yml").read_text())
    known = [pattern for entry in entries for pattern in patterns(entry["shape"])]
    texts = [rendered(config) for config in (leaf(), spine(), split_leaf(), bundled_leaf())]
    for signed, drained in itertools.product((False, True), repeat=2):
        texts += [wanted_of(each).text for each in edge_systems.edges("nxos", signed=signed, drained=drained)]
    lines = {line.strip() for text in texts for line in text.splitlines() if line.strip()}
    assert [line for line in sorted(lines) if not any(pattern.fullmatch(line) for pattern in known)] == []


def test_every_source_names_a_section_and_no_shape_is_from_memory() -> None:
    entries = yaml.safe_load((ROOT / "templates" / "nxos" / "SOURCES.yml").read_text())
    assert {entry["section"] for entry in entries} == set(SECTIONS)
    assert {entry["confidence"] for entry in entries} <= {"V", "V-lab"}

"""Code we did not write reads and writes the same EOS: pyavd's templates, and the resource modules of arista.eos.

Not covered: lines pyavd cannot print (``ONLY_OURS`` below), and QoS, BFD and hashing in arista.eos, which has no parser
for them; it knows no speed with lanes either. Route maps are compared with pyavd only: arista.eos parses them inside a
running Ansible module.
"""

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pyavd import get_device_config, validate_structured_config

from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.config.interfaces import Interface, Layer1
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import PortProfile
from nornir_tasks.design.config.routing_policy import RouteMapRule
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import community_word, to_tree
from tests.unit.platforms.eos_examples import bundled_leaf, examples, rendered
from tests.unit.platforms.eos_examples import facts_of as record_of

CONFIGS = pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
FACTS = "ansible_collections.arista.eos.plugins.module_utils.network.eos.facts"

ONLY_OURS = (
    "ip load-sharing ",
    " out-delay ",
    " idle-restart-timer ",
    "hardware access-list resource sharing ",
    "port-channel load-balance trident fields ",
)
"""Line shapes that pyavd 6.4.0 has no input for; each has another source in templates/eos/SOURCES.yml."""


def avd_inputs(config: DeviceConfig) -> dict[str, Any]:
    """The same configuration as pyavd wants to be told of it."""
    assert config.qos is not None
    assert config.bgp is not None
    bgp = config.bgp
    inputs: dict[str, Any] = {
        "hostname": config.name,
        "service_routing_protocols_model": "multi-agent",
        "ip_routing": True,
        "qos": {
            "map": {
                "dscp": [
                    f"{' '.join(map(str, each.dscp))} to traffic-class {each.priority}" for each in config.qos.classes
                ],
                "traffic_class": [f"{each.priority} to tx-queue {each.queue}" for each in config.qos.classes],
            }
        },
        "priority_flow_control": {"watchdog": {"action": "drop"}},
        "qos_profiles": [avd_profile(config, each) for each in config.qos.profiles],
        "ethernet_interfaces": [
            {
                "name": port.name,
                "description": port.description,
                "shutdown": not port.enabled,
                "mtu": port.mtu_bytes,
                **avd_switchport(port),
                "ip_address": port.address,
                "service_profile": port.qos_profile,
                **avd_acls(port),
                **avd_layer1(port.layer1),
                **avd_member(port),
            }
            for port in config.interfaces
            if port.name.startswith("Ethernet")
        ],
        "port_channel_interfaces": [
            {
                "name": port.name,
                "description": port.description,
                "shutdown": not port.enabled,
                "mtu": port.mtu_bytes,
                **avd_switchport(port),
                "ip_address": port.address,
                **avd_lag(port.lag),
                **avd_over_both(config, port),
            }
            for port in config.interfaces
            if port.lag is not None
        ],
        "vlans": [{"id": each.number, "name": each.name, **avd_peer_vlan(config, each)} for each in config.vlans],
        "vlan_interfaces": [
            {
                "name": port.name,
                "description": port.description,
                "shutdown": not port.enabled,
                "mtu": port.mtu_bytes,
                "ip_address": port.address,
                **({"no_autostate": True} if config.pair and port.name == f"Vlan{config.pair.vlan}" else {}),
            }
            for port in config.interfaces
            if port.name.startswith("Vlan")
        ],
        **avd_pair(config.pair),
        "loopback_interfaces": [
            {
                "name": port.name,
                "description": port.description,
                "shutdown": not port.enabled,
                "ip_address": port.address,
            }
            for port in config.interfaces
            if port.name.startswith("Loopback")
        ],
        "prefix_lists": [
            {
                "name": each.name,
                "sequence_numbers": [
                    {
                        "sequence": rule.sequence,
                        "action": ("permit " if rule.permit else "deny ")
                        + rule.prefix
                        + (f" ge {rule.ge}" if rule.ge else "")
                        + (f" le {rule.le}" if rule.le else ""),
                    }
                    for rule in each.rules
                ],
            }
            for each in config.routing_policy.prefix_lists
        ],
        "route_maps": [
            {"name": each.name, "sequence_numbers": [avd_rule(rule) for rule in each.rules]}
            for each in config.routing_policy.route_maps
        ],
        "static_routes": [
            {"vrf": "default", "prefix": each.prefix, "interface": "Null0"} for each in config.static_routes
        ],
        "router_bgp": {
            "as": str(bgp.asn),
            "router_id": bgp.router_id,
            "bgp": {"default": {"ipv4_unicast": False}},
            "maximum_paths": {"paths": bgp.maximum_paths, "ecmp": bgp.maximum_paths},
            "peer_groups": [
                {
                    "name": each.name,
                    "bfd": each.bfd,
                    "ttl_maximum_hops": 1,
                    "timers": f"{each.keepalive_s} {each.hold_s}",
                    "send_community": "all",
                    "maximum_routes": each.max_prefixes,
                    **({"route_map_in": each.route_map_in} if each.route_map_in else {}),
                    **({"route_map_out": each.route_map_out} if each.route_map_out else {}),
                }
                for each in bgp.peer_groups
            ],
            "neighbors": [
                {
                    "ip_address": each.address,
                    "peer_group": each.peer_group,
                    "remote_as": str(each.remote_as),
                    "description": each.description,
                    **({"route_map_in": each.route_map_in} if each.route_map_in else {}),
                }
                for each in bgp.neighbors
            ],
            "address_family_ipv4": {
                "peer_groups": [{"name": each.name, "activate": True} for each in bgp.peer_groups],
                "networks": [{"prefix": prefix} for prefix in bgp.networks],
            },
        },
    }
    if watchdog := config.qos.watchdog:
        inputs["priority_flow_control"]["watchdog"] |= {
            "timeout": str(watchdog.detect_ms / 1000),
            "recovery_time": str(watchdog.restore_ms / 1000),
            "polling_interval": str(watchdog.poll_ms / 1000),
        }
    inputs |= avd_lists(config)
    if paths := config.load_balancing:
        dynamic = {"enabled": True, "flow_set_size": paths.flow_set_size}
        inputs["ip_hardware"] = {"fib": {"load_balance_distribution": {"dynamic": dynamic}}}
    if bfd := config.bfd:
        inputs["router_bfd"] = {"interval": bfd.interval_ms, "min_rx": bfd.min_rx_ms, "multiplier": bfd.multiplier}
    if tree := config.spanning_tree:
        instances = [{"id": "0", "priority": tree.priority}]
        inputs["spanning_tree"] = inputs.get("spanning_tree", {}) | {"mode": "mstp", "mst_instances": instances}
    return inputs


def avd_acls(port: Interface) -> dict[str, str]:
    prefix = {"ipv4": "", "ipv6": "ipv6_"}
    return {f"{prefix[each.family]}access_group_{each.direction}": each.name for each in port.acls}


def avd_lists(config: DeviceConfig) -> dict[str, Any]:
    """Access lists, and what stands beside them."""
    if not config.access_lists:
        return {}
    counted = [
        each.removeprefix("acl-counters-").removesuffix("-out") for each in config.services if "counters" in each
    ]
    features = [{"name": "acl", "direction": "out", "address_type": family} for family in counted]
    found: dict[str, Any] = {"hardware_counters": {"features": features}}
    found["hardware"] = {"access_list": {"update_default_result_permit": True}}
    for acl in config.access_lists:
        key = "ip_access_lists" if acl.family == "ipv4" else "ipv6_access_lists"
        entries = [avd_acl_rule(acl, rule) for rule in acl.rules]
        found.setdefault(key, []).append({"name": acl.name, "counters_per_entry": True, "entries": entries})
    return found


def avd_acl_rule(acl: AccessList, rule: AclRule) -> dict[str, Any]:
    whole = "ip" if acl.family == "ipv4" else "ipv6"
    made: dict[str, Any] = {
        "sequence": rule.sequence,
        "action": "permit" if rule.permit else "deny",
        "protocol": {None: whole, 6: "tcp", 17: "udp", 1: "icmp", 58: "icmpv6"}.get(rule.protocol, str(rule.protocol)),
        "source": rule.source or "any",
        "destination": rule.destination or "any",
    }
    for side, ports in (("source", rule.source_ports), ("destination", rule.destination_ports)):
        if ports is not None:
            made[f"{side}_ports_match"] = "eq" if ports[0] == ports[1] else "range"
            made[f"{side}_ports"] = [str(each) for each in dict.fromkeys(ports)]
    if rule.established:
        made["tcp_flags"] = ["established"]
    return made if rule.icmp_type is None else made | {"icmp_type": str(rule.icmp_type)}


def avd_switchport(port: Interface) -> dict[str, Any]:
    edge = {"spanning_tree_portfast": "edge", "spanning_tree_bpduguard": "enabled"} if port.edge else {}
    if port.tagged_vlans is not None:
        allowed = ",".join(map(str, port.tagged_vlans))
        return {"switchport": {"enabled": True, "mode": "trunk", "trunk": {"allowed_vlan": allowed}}, **edge}
    if port.access_vlan is None:
        return {"switchport": {"enabled": False}} if port.mtu_bytes else {}
    return {"switchport": {"enabled": True, "mode": "access", "access_vlan": port.access_vlan}, **edge}


def avd_member(port: Interface) -> dict[str, Any]:
    if port.member is None:
        return {}
    number = int(port.member.group.removeprefix("Port-Channel"))
    rate = "fast" if port.member.lacp_rate == "fast" else "normal"
    return {"channel_group": {"id": number, "mode": "active"}, "lacp_timer": {"mode": rate}}


def avd_lag(lag: Lag | None) -> dict[str, Any]:
    if lag is None:
        return {}
    alone = {"lacp_fallback_mode": "individual", "lacp_fallback_timeout": lag.individual_after_s}
    return {**({"min_links": lag.min_links} if lag.min_links else {}), **(alone if lag.individual else {})}


def avd_over_both(config: DeviceConfig, port: Interface) -> dict[str, Any]:
    """Of the peer link, and of a group over both switches."""
    if config.pair is not None and port.name == config.pair.peer_link:
        shared = avd_switchport(port)["switchport"]
        return {"switchport": {**shared, "trunk": {**shared["trunk"], "groups": ["MLAG"]}}}
    return {"mlag": port.lag.pair_id} if port.lag and port.lag.pair_id else {}


def avd_peer_vlan(config: DeviceConfig, vlan: Vlan) -> dict[str, Any]:
    return {"trunk_groups": ["MLAG"]} if config.pair and config.pair.vlan == vlan.number else {}


def avd_pair(pair: PairSettings | None) -> dict[str, Any]:
    if pair is None:
        return {}
    heartbeat = {"peer_ip": pair.keepalive_address, **({"vrf": pair.keepalive_vrf} if pair.keepalive_vrf else {})}
    return {
        "spanning_tree": {"no_spanning_tree_vlan": str(pair.vlan)},
        "mlag_configuration": {
            "domain_id": pair.name,
            "local_interface": f"Vlan{pair.vlan}",
            "peer_address": pair.peer_address,
            "peer_address_heartbeat": heartbeat,
            "peer_link": pair.peer_link,
            "dual_primary_detection_delay": pair.detection_delay_s,
            "reload_delay_mlag": str(pair.reload_delay_s),
            "reload_delay_non_mlag": str(pair.routed_reload_delay_s),
        },
    }


def avd_layer1(layer1: Layer1 | None) -> dict[str, Any]:
    """pyavd's schema knows 82 words of speed and refuses any other."""
    if layer1 is None:
        return {}
    lanes = "" if layer1.speed_gbps == 25 else f"-{layer1.lanes}"
    kinds = {"rs": {"reed_solomon": True}, "fc": {"fire_code": True}, "none": {"enabled": False}}
    return {
        "speed": f"{'auto ' if layer1.negotiate else ''}{layer1.speed_gbps}g{lanes}",
        "error_correction_encoding": kinds[layer1.fec],
    }


def avd_rule(rule: RouteMapRule) -> dict[str, Any]:
    settings = [f"as-path prepend {' '.join(map(str, rule.prepend))}"] if rule.prepend else []
    settings += [f"community {' '.join(map(community_word, rule.communities))}"] if rule.communities else []
    matches = [f"ip address prefix-list {rule.match_prefix_list}"] if rule.match_prefix_list else []
    return {
        "sequence": rule.sequence,
        "type": "permit" if rule.permit else "deny",
        **({"match": matches} if matches else {}),
        **({"set": settings} if settings else {}),
    }


def avd_profile(config: DeviceConfig, profile: PortProfile) -> dict[str, Any]:
    assert config.qos is not None
    kind = "tx_queues" if config.asic.startswith("jericho") else "uc_tx_queues"
    paused = {each.queue for each in config.qos.classes if each.lossless}
    queues = []
    for queue in profile.queues:
        made: dict[str, Any] = {"id": queue.number, "priority": "priority strict" if queue.strict else "no priority"}
        if queue.weight_percent:
            made["bandwidth_percent"] = queue.weight_percent
        if record_of(config).has_guaranteed_bandwidth and profile.watchdog and queue.number in paused:
            made["bandwidth_guaranteed_percent"] = 5
        if queue.ecn:
            threshold = {
                "units": "bytes",
                "min": queue.ecn.min_bytes,
                "max": queue.ecn.max_bytes,
                "max_probability": queue.ecn.probability_percent,
            }
            made["random_detect"] = {"ecn": {"threshold": threshold | ({} if kind == "tx_queues" else {"weight": 0})}}
        queues.append(made)
    return {
        "name": profile.name,
        "trust": "dscp",
        "priority_flow_control": {
            "enabled": True,
            "priorities": [{"priority": each, "no_drop": True} for each in profile.pfc_priorities],
            **({"watchdog": {"enabled": True}} if profile.watchdog else {}),
        },
        kind: queues,
    }


@CONFIGS
def test_pyavd_prints_the_same_lines_in_the_same_places(config: DeviceConfig, figure: Callable[[str], None]) -> None:
    valid = validate_structured_config(avd_inputs(config))
    assert not valid.validation_result.violations, valid.validation_result.violations
    theirs = canonical(to_tree(get_device_config(valid.validated_data or avd_inputs(config)))).paths()
    ours = canonical(to_tree(rendered(config))).paths()
    missing = sorted(path for path in ours - theirs if not is_only_ours(path))
    assert missing == []
    assert sorted(theirs - ours) == [(f"hostname {config.name}",)]
    figure(f"{config.name}: {len(ours & theirs)} lines the same, {len(ours - theirs)} that pyavd has no input for")
    assert len(ours & theirs) > 100


def is_only_ours(path: Path) -> bool:
    return any(shape in path[-1] for shape in ONLY_OURS)


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
    found = facts_of("bgp_global", config, "router bgp ")
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

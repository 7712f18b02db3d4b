"""A DeviceConfig as pyavd wants to be told of it: its own inputs, from which it prints EOS by templates of its own."""

from typing import Any

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.config.accounts import Account
from nornir_tasks.design.config.base import Base
from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor, PeerGroup
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import PortProfile, Qos
from nornir_tasks.design.config.snmp import Snmp
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from tests.unit.platforms.avd_policy import policy_inputs
from tests.unit.platforms.avd_ports import Inputs, ports
from tests.unit.platforms.avd_reach import reach_inputs
from tests.unit.platforms.eos_resources import MESSAGES


def avd_inputs(config: DeviceConfig, known: Capabilities) -> Inputs:
    """The same configuration as pyavd wants to be told of it."""
    inputs: Inputs = {
        "hostname": config.name,
        "service_routing_protocols_model": "multi-agent" if "multi-agent" in config.services else None,
        "ip_routing": "ip-routing" in config.services or None,
        "ipv6_unicast_routing": "ipv6-routing" in config.services or None,
        **ports(config),
        **_vlans(config),
        **_pair(config.pair),
        **_lists(config),
        **_routes(config),
        "vrfs": [{"name": each.name, "ip_routing": True, "ipv6_routing": each.ipv6 or None} for each in config.vrfs],
        **policy_inputs(config.routing_policy),
    }
    if config.qos is not None:
        inputs |= _qos(config.qos, "tx_queues" if config.asic.startswith("jericho") else "uc_tx_queues", known)
    if config.bgp is not None:
        inputs["router_bgp"] = _bgp(config.bgp)
    if config.lldp is not None:
        inputs["lldp"] = {"run": config.lldp.enabled}
    if paths := config.load_balancing:
        dynamic = {"enabled": True, "flow_set_size": paths.flow_set_size}
        inputs["ip_hardware"] = {"fib": {"load_balance_distribution": {"dynamic": dynamic}}}
    if bfd := config.bfd:
        inputs["router_bfd"] = {"interval": bfd.interval_ms, "min_rx": bfd.min_rx_ms, "multiplier": bfd.multiplier}
    if "guard-recovery" in config.services:
        inputs["errdisable"] = {"recovery": {"causes": [{"name": "bpduguard"}]}}
    if tree := config.spanning_tree:
        instances = [{"id": "0", "priority": tree.priority}]
        inputs["spanning_tree"] = inputs.get("spanning_tree", {}) | {"mode": "mstp", "mst_instances": instances}
    if port := config.base.management:
        inputs["vrfs"].append({"name": port.vrf, "ip_routing": False})
        inputs["static_routes"].append({"vrf": port.vrf, "prefix": "0.0.0.0/0", "next_hop": port.gateway})
        own = {"name": "Management1", "vrf": port.vrf, "ip_address": port.address}
        inputs["management_interfaces"] = [own]
    return inputs | _base(config.base)


def _base(base: Base) -> Inputs:
    """pyavd reaches all time servers in one VRF."""
    found: Inputs = {}
    if base.name_servers:
        (vrf,) = {each.vrf for each in base.name_servers}
        servers = [{"ip_address": each.address} for each in base.name_servers]
        found["ip_name_server"] = {"vrfs": [{"name": vrf or "default", "servers": servers}]}
    if base.banner:
        found["banners"] = {"login": f"{base.banner}\nEOF\n"}
    if base.timezone:
        found["clock"] = {"timezone": base.timezone}
    if base.domain:
        found["dns_domain"] = base.domain
    if base.time_servers:
        (vrf,) = {each.vrf for each in base.time_servers}
        found["ntp"] = {"vrf": vrf or "default", "servers": [{"name": each.address} for each in base.time_servers]}
    vrfs = dict.fromkeys(each.vrf for each in base.log_servers)
    hosts = {vrf: [{"name": each.address} for each in base.log_servers if each.vrf == vrf] for vrf in vrfs}
    if hosts:
        found["logging"] = {"vrfs": [{"name": vrf or "default", "hosts": each} for vrf, each in hosts.items()]}
    if base.accounts:
        found["local_users"] = [_account(each) for each in base.accounts]
    if base.snmp:
        found["snmp_server"] = _snmp(base.snmp)
    if base.radius:
        found |= _radius(base.radius)
    if base.tacacs:
        found |= _tacacs(base.tacacs)
    return found | reach_inputs(base)


def _snmp(snmp: Snmp) -> Inputs:
    group = {"version": "v3", "group": "GPUFABRIC"}
    users = [
        {
            "name": each.name,
            **group,
            "localized": snmp.engine,
            "auth": each.auth,
            "auth_passphrase": each.auth_key,
            "priv": "aes",
            "priv_passphrase": each.privacy_key,
        }
        for each in snmp.users
    ]
    to = {"users": [{"username": snmp.target_user, "authentication_level": "priv"}], "version": "3"}
    vrfs = [{"name": "default", "enable": False}, {"name": snmp.vrf, "enable": True}] if snmp.vrf else []
    vrf = {"vrf": snmp.vrf} if snmp.vrf else {}
    texts = {"contact": snmp.contact, "location": snmp.location}
    return {
        "engine_ids": {"local": snmp.engine},
        **{name: text for name, text in texts.items() if text},
        "views": [{"name": "GPUFABRIC", "mib_family_name": "iso", "included": True}],
        "groups": [{"name": "GPUFABRIC", "version": "v3", "authentication": "priv", "read": "GPUFABRIC"}],
        "users": users,
        "hosts": [{"host": each, **vrf, **to} for each in snmp.targets],
        "vrfs": vrfs,
    }


def _radius(radius: Radius) -> Inputs:
    timeout = {"timeout": radius.timeout_s} if radius.timeout_s else {}
    hosts = [{"host": each, **timeout, "key": radius.key, "key_type": "7"} for each in radius.servers]
    vrf = {"vrf": radius.vrf} if radius.vrf else {}
    servers = [{"server": each, **vrf} for each in radius.servers]
    methods = "group GPUFABRIC-RADIUS local"
    settings = {"vrfs": [{"name": radius.vrf, "servers": hosts}]} if radius.vrf else {"servers": hosts}
    return {
        "radius_server": settings,
        "aaa_server_groups": [{"name": "GPUFABRIC-RADIUS", "type": "radius", "servers": servers}],
        "aaa_authentication": {"login": {"default": methods}},
        "aaa_authorization": {"exec": {"default": methods}},
    }


def _tacacs(tacacs: Tacacs) -> Inputs:
    vrf = {"vrf": tacacs.vrf} if tacacs.vrf else {}
    hosts = [{"host": each, **vrf, "key": tacacs.key, "key_type": "7"} for each in tacacs.servers]
    servers = [{"server": each, **vrf} for each in tacacs.servers]
    methods = "group GPUFABRIC local"
    return {
        "tacacs_servers": {"hosts": hosts},
        "aaa_server_groups": [{"name": "GPUFABRIC", "type": "tacacs+", "servers": servers}],
        "aaa_authentication": {"login": {"default": methods}},
        "aaa_authorization": {"exec": {"default": methods}},
    }


def _account(account: Account) -> Inputs:
    privilege = {"admin": 15, "operator": 1}[account.role]
    role = f"network-{account.role}"
    return {"name": account.name, "privilege": privilege, "role": role, "sha512_password": account.hash}


def _vlans(config: DeviceConfig) -> Inputs:
    own = config.pair.vlan if config.pair else None
    groups: dict[bool, Inputs] = {True: {"trunk_groups": ["MLAG"]}, False: {}}
    return {"vlans": [{"id": each.number, "name": each.name, **groups[each.number == own]} for each in config.vlans]}


def _pair(pair: PairSettings | None) -> Inputs:
    if pair is None:
        return {}
    return {
        "spanning_tree": {"no_spanning_tree_vlan": str(pair.vlan)},
        "mlag_configuration": {
            "domain_id": pair.name,
            "local_interface": f"Vlan{pair.vlan}",
            "peer_address": pair.peer_address,
            "peer_address_heartbeat": {"peer_ip": pair.keepalive_address, "vrf": pair.keepalive_vrf},
            "peer_link": pair.peer_link,
            "dual_primary_detection_delay": pair.detection_delay_s,
            "reload_delay_mlag": str(pair.reload_delay_s),
            "reload_delay_non_mlag": str(pair.routed_reload_delay_s),
        },
    }


def _lists(config: DeviceConfig) -> Inputs:
    """Access lists, and what stands beside them."""
    families = ("ipv4", "ipv6")
    counted = [each for each in families if f"acl-counters-{each}-out" in config.services]
    features = [{"name": "acl", "direction": "out", "address_type": family} for family in counted]
    found: Inputs = {"hardware_counters": {"features": features}} if features else {}
    if "acl-update-permits" in config.services:
        found["hardware"] = {"access_list": {"update_default_result_permit": True}}
    for acl in config.every_list:
        key = "ip_access_lists" if acl.family == "ipv4" else "ipv6_access_lists"
        entries = [_acl_rule(acl, rule) for rule in acl.rules]
        found.setdefault(key, []).append({"name": acl.name, "counters_per_entry": acl.counted, "entries": entries})
    return found


def _acl_rule(acl: AccessList, rule: AclRule) -> Inputs:
    whole = "ip" if acl.family == "ipv4" else "ipv6"
    icmp = {1: "icmp"} if acl.family == "ipv4" else {58: "icmpv6"}
    made: Inputs = {
        "sequence": rule.sequence,
        "action": "permit" if rule.permit else "deny",
        "protocol": ({None: whole, 6: "tcp", 17: "udp"} | icmp).get(rule.protocol, str(rule.protocol)),
        "source": rule.source or "any",
        "destination": rule.destination or "any",
    }
    for side, between in (("source", rule.source_ports), ("destination", rule.destination_ports)):
        if between is not None:
            made[f"{side}_ports_match"] = "eq" if between[0] == between[1] else "range"
            made[f"{side}_ports"] = [str(each) for each in dict.fromkeys(between)]
    if rule.established:
        made["tcp_flags"] = ["established"]
    if rule.icmp_type is None:
        return made
    words = MESSAGES if acl.family == "ipv6" else {}
    return made | {"icmp_type": words.get(rule.icmp_type, str(rule.icmp_type)).replace("_", "-")}


def _routes(config: DeviceConfig) -> Inputs:
    found: Inputs = {"static_routes": [], "ipv6_static_routes": []}
    for route in config.static_routes:
        found["ipv6_static_routes" if route.is_ipv6 else "static_routes"] += _hops(route)
    return found


def _hops(route: StaticRoute) -> list[Inputs]:
    behind = {"interface": route.interface} if route.interface else {}
    kind: Inputs = {"tag": route.tag, "distance": route.distance}
    ends: list[Inputs] = [{"next_hop": each, **behind} for each in route.next_hops] or [{"interface": "Null0"}]
    return [{"vrf": route.vrf or "default", "prefix": route.prefix, **kind, **end} for end in ends]


def _bgp(bgp: Bgp) -> Inputs:
    return {
        "as": str(bgp.asn),
        "router_id": bgp.router_id,
        "bgp": {"default": {"ipv4_unicast": False}},
        "updates": _updates(bgp),
        "maximum_paths": {"paths": bgp.maximum_paths, "ecmp": bgp.maximum_paths},
        "graceful_restart": {"enabled": not bgp.graceful_restart_helper_only},
        "peer_groups": [_group(each) for each in bgp.peer_groups],
        "neighbors": _neighbors(bgp, None),
        "aggregate_addresses": [{"prefix": each, "summary_only": True} for each in bgp.aggregates],
        "address_family_ipv4": _unicast(bgp, "ipv4"),
        **({"address_family_ipv6": _unicast(bgp, "ipv6")} if bgp.has_ipv6 else {}),
        "vrfs": [_vrf(bgp, each) for each in bgp.vrfs],
    }


def _updates(of: Bgp | BgpVrf) -> Inputs:
    return {"wait_for_convergence": of.wait_for_convergence, "wait_install": of.wait_for_install}


def _unicast(bgp: Bgp, family: str) -> Inputs:
    return {
        "peer_groups": [{"name": each.name, "activate": True} for each in bgp.peer_groups if each.family == family],
        "networks": [{"prefix": each} for each in bgp.networks if (":" in each) == (family == "ipv6")],
    }


def _group(group: PeerGroup) -> Inputs:
    return {
        "name": group.name,
        "next_hop_self": group.next_hop_self or None,
        "bfd": group.bfd or None,
        "ttl_maximum_hops": 1 if group.ttl_security else None,
        "timers": f"{group.keepalive_s} {group.hold_s}",
        "send_community": "all" if group.send_community else None,
        "maximum_routes": group.max_prefixes,
        "route_map_in": group.route_map_in,
        "route_map_out": group.route_map_out,
        "password": group.password,
    }


def _neighbors(bgp: Bgp, vrf: str | None) -> list[Inputs]:
    return [_neighbor(each) for each in bgp.neighbors if each.vrf == vrf]


def _neighbor(neighbor: Neighbor) -> Inputs:
    return {
        "ip_address": neighbor.address,
        "peer_group": neighbor.peer_group,
        "remote_as": str(neighbor.remote_as),
        "description": neighbor.description or None,
        "route_map_in": neighbor.route_map_in,
    }


def _vrf(bgp: Bgp, vrf: BgpVrf) -> Inputs:
    active = [{"ip_address": each.address, "activate": True} for each in bgp.neighbors if each.vrf == vrf.name]
    return {
        "name": vrf.name,
        "router_id": vrf.router_id,
        "updates": _updates(vrf),
        "maximum_paths": {"paths": vrf.maximum_paths, "ecmp": vrf.maximum_paths},
        "neighbors": _neighbors(bgp, vrf.name),
        "address_family_ipv4": {"neighbors": active, "networks": [{"prefix": each} for each in vrf.networks]},
    }


def _qos(qos: Qos, kind: str, known: Capabilities) -> Inputs:
    watchdog: dict[str, Any] = {"action": "drop"}
    if qos.watchdog is not None:
        watchdog |= {
            "timeout": str(qos.watchdog.detect_ms / 1000),
            "recovery_time": str(qos.watchdog.restore_ms / 1000),
            "polling_interval": str(qos.watchdog.poll_ms / 1000),
        }
    points = [f"{' '.join(map(str, each.dscp))} to traffic-class {each.priority}" for each in qos.classes]
    queues = [f"{each.priority} to tx-queue {each.queue}" for each in qos.classes]
    return {
        "qos": {"map": {"dscp": points, "traffic_class": queues}},
        "priority_flow_control": {"watchdog": watchdog} if known.max_lossless_classes else None,
        "qos_profiles": [_profile(qos, each, kind, known) for each in qos.profiles],
    }


def _profile(qos: Qos, profile: PortProfile, kind: str, known: Capabilities) -> Inputs:
    paused = {each.queue for each in qos.classes if each.lossless}
    queues = []
    for queue in profile.queues:
        made: Inputs = {"id": queue.number, "priority": "priority strict" if queue.strict else "no priority"}
        if queue.weight_percent:
            made["bandwidth_percent"] = queue.weight_percent
        if known.has_guaranteed_bandwidth and profile.watchdog and queue.number in paused:
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
    priorities = [{"priority": each, "no_drop": True} for each in profile.pfc_priorities]
    pauses: Inputs = {"enabled": True, "priorities": priorities} if priorities else {}
    if profile.watchdog:
        pauses["watchdog"] = {"enabled": True}
    return {"name": profile.name, "trust": "dscp", "priority_flow_control": pauses or None, kind: queues}

"""What the resource modules of cisco.nxos should read of a switch, in the form of their facts."""

from collections.abc import Callable
from typing import Any

from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.routing_policy import PrefixRule
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.device_config import DeviceConfig
from tests.unit.platforms.eos_resources import ICMP, PROTOCOLS, lag_interfaces, ranges, route_maps_by

Facts = Any
DEFAULT_MTU_BYTES, DEFAULT_PRIORITY = 1500, 100
"""Of ports and of HSRP: NX-OS prints neither."""
MESSAGES = {
    "ipv4": ICMP,
    "ipv6": {1: "unreachable", 2: "packet_too_big", 3: "time_exceeded", 128: "echo_request", 129: "echo_reply"}
    | {133: "router_solicitation", 134: "router_advertisement", 135: "nd_ns", 136: "nd_na"},
}
"""Types of ICMP (of ICMPv6: RFC 4443, RFC 4861) by the options of nxos_acls in cisco.nxos 11.1.0."""


def acls(config: DeviceConfig) -> Facts:
    found = []
    for family in ("ipv4", "ipv6"):
        lists = [each for each in config.every_list if each.family == family]
        if lists:
            found.append({"afi": family, "acls": [_acl(each) for each in lists]})
    return found


def _acl(acl: AccessList) -> Facts:
    return {"name": acl.name, "aces": [_ace(acl, rule) for rule in acl.rules]}


def _ace(acl: AccessList, rule: AclRule) -> Facts:
    made = {
        "sequence": rule.sequence,
        "grant": "permit" if rule.permit else "deny",
        "protocol": PROTOCOLS[acl.family][rule.protocol],
        "source": _end(rule.source, rule.source_ports),
        "destination": _end(rule.destination, rule.destination_ports),
    }
    if rule.established:
        made["protocol_options"] = {"tcp": {"established": True}}
    if rule.icmp_type is not None:
        made["protocol_options"] = {PROTOCOLS[acl.family][rule.protocol]: {MESSAGES[acl.family][rule.icmp_type]: True}}
    return made


def _end(prefix: str | None, ports: tuple[int, int] | None) -> Facts:
    made: Facts = {"any": True} if prefix is None else {"prefix": prefix}
    if prefix is not None and prefix.endswith(("/32", "/128")):
        made = {"host": prefix.partition("/")[0]}
    if ports is not None:
        first, last = map(str, ports)
        made["port_protocol"] = {"eq": first} if first == last else {"range": {"start": first, "end": last}}
    return made


def acl_interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        is_switched = port.access_vlan is not None or port.tagged_vlans is not None
        kind = {"port": True} if is_switched else {}
        groups = [
            {"afi": family, "acls": [{"name": each.name, "direction": each.direction, **kind} for each in bound]}
            for family in ("ipv4", "ipv6")
            if (bound := [each for each in port.acls if each.family == family])
        ]
        found.append({"name": port.name, **({"access_groups": groups} if groups else {})})
    return found


def l2_interfaces(config: DeviceConfig) -> Facts:
    return [{"name": port.name, **_switchport(port)} for port in config.interfaces]


def _switchport(port: Interface) -> Facts:
    if port.tagged_vlans is not None:
        native = {} if port.native_vlan is None else {"native_vlan": port.native_vlan}
        carried = sorted({*port.tagged_vlans, *native.values()})
        return {"mode": "trunk", "trunk": {**native, "allowed_vlans": ranges(carried) or "none"}}
    return {} if port.access_vlan is None else {"access": {"vlan": port.access_vlan}}


def l3_interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        made: Facts = {"name": port.name}
        if port.address is not None:
            made["ipv4"] = [{"address": port.address}]
        if port.ipv6_address is not None:
            made["ipv6"] = [{"address": port.ipv6_address}]
        is_routed = port.mtu_bytes and port.access_vlan is None and port.tagged_vlans is None and port.member is None
        if config.bfd is not None and is_routed and not port.name.startswith("Vlan"):
            made["redirects"] = False
        if port.tag is not None:
            made["dot1q"] = port.tag
        for server in port.dhcp_servers:
            relay = made.setdefault("dhcp", {}).setdefault(
                "ipv6" if ":" in server else "ipv4", {"relay": {"address": []}}
            )
            relay["relay"]["address"].append({"relay_ip": server})
        found.append(made)
    return found


def lacp_interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        made: Facts = {"name": port.name}
        if port.member is not None and port.member.lacp_rate == "fast":
            made["rate"] = "fast"
        if port.lag is not None and port.lag.individual:
            made["suspend_individual"] = False
        if port.lag is not None and port.lag.min_links not in {None, 1}:
            made["links"] = {"min": port.lag.min_links}
        found.append(made)
    return [each for each in found if len(each) > 1]


def static_routes(config: DeviceConfig) -> Facts:
    found = []
    for vrf in (None, *(each.name for each in config.vrfs)):
        families = []
        for afi in ("ipv4", "ipv6"):
            routes = [each for each in config.static_routes if each.vrf == vrf and each.is_ipv6 == (afi == "ipv6")]
            if routes:
                families.append({"afi": afi, "routes": [_route(each) for each in routes]})
        if families:
            found.append({"address_families": families, **({} if vrf is None else {"vrf": vrf})})
    return found


def _route(route: StaticRoute) -> Facts:
    tag = {} if route.tag is None else {"tag": route.tag}
    hops = [{"forward_router_address": hop, **tag} for hop in route.next_hops] or [{"interface": "Null0", **tag}]
    return {"dest": route.prefix, "next_hops": hops}


def vrf_global(config: DeviceConfig) -> Facts:
    """VRFs with their routes of IPv4 and name servers. The management VRF is said where a section of base is in it."""
    found, servers = [], config.base.name_servers
    names = [vrf.name for vrf in config.vrfs]
    for name in [*names, "management"] if servers and "management" not in names else names:
        routes = [each for each in config.static_routes if each.vrf == name and not each.is_ipv6]
        made = [_vrf_route(each, hop) for each in routes for hop in each.next_hops or ("Null0",)]
        inside: Facts = {"route": made} if made else {}
        if addresses := [each.address for each in servers if each.vrf == name]:
            inside["name_server"] = {"address_list": addresses}
        found.append({"name": name, **({"ip": inside} if inside else {})})
    return {"vrfs": found} if found else []


def _vrf_route(route: StaticRoute, hop: str) -> Facts:
    tags = {} if route.tag is None else {"tags": {"tag_value": route.tag}}
    return {"source": route.prefix, "destination": hop, **tags}


def vrf_interfaces(config: DeviceConfig) -> Facts:
    return [{"name": port.name, **({"vrf_name": port.vrf} if port.vrf else {})} for port in config.interfaces]


def hsrp_interfaces(config: DeviceConfig) -> Facts:
    """It takes the IPv6 group of a number for more addresses of the IPv4 one."""
    found = []
    for port in config.interfaces:
        made: Facts = {"name": port.name}
        if port.gateway is not None:
            addresses = [each for each in (port.gateway.address, port.gateway.ipv6_address) if each]
            group: Facts = {
                "group_no": port.gateway.group,
                "ip": [{"virtual_ip": each} for each in addresses],
            }
            if port.gateway.priority != DEFAULT_PRIORITY:
                group["priority"] = {"level": port.gateway.priority}
            made |= {"standby": {"version": 2}, "standby_options": [group]}
        found.append(made)
    return found


def interfaces(config: DeviceConfig) -> Facts:
    return [_interface(config, port) for port in config.interfaces]


def _interface(config: DeviceConfig, port: Interface) -> Facts:
    made: Facts = {"name": port.name}
    if port.description:
        made["description"] = port.description
    is_switched = port.access_vlan is not None or port.tagged_vlans is not None
    is_member_of_peer_link = config.pair and port.member and port.member.group == config.pair.peer_link
    is_peer_link = config.pair and (port.name == config.pair.peer_link or is_member_of_peer_link)
    if port.mtu_bytes not in {None, DEFAULT_MTU_BYTES} and not is_peer_link:
        made["mtu"] = str(port.mtu_bytes)
    if port.layer1 is not None:
        made["speed"] = str(port.layer1.speed_gbps * 1000)
    is_routed = port.mtu_bytes is not None and not is_switched
    if is_routed and port.tag is None and not port.name.startswith("Vlan"):
        made["mode"] = "layer3"
    if not port.enabled or is_routed:
        made["enabled"] = port.enabled
    if port.qos_profile is not None and port.member is None:
        made["service_policy"] = {"type_options": {"qos": {"input": port.qos_profile}, **_own_queues(config, port)}}
    return made


def _own_queues(config: DeviceConfig, port: Interface) -> Facts:
    """A port whose queues are not the switch's, as it marks at another speed, has a policy of its own."""
    assert config.qos is not None
    queues = {each.name: each.queues for each in config.qos.profiles}
    is_own = queues[str(port.qos_profile)] != queues["GPUFABRIC-CLASSIFY"]
    return {"queuing": {"output": f"{port.qos_profile}-OUT"}} if is_own else {}


def prefix_lists(config: DeviceConfig) -> Facts:
    lists = [
        {"name": each.name, "entries": [_entry(rule) for rule in each.rules]}
        for each in config.routing_policy.prefix_lists
    ]
    return [{"afi": "ipv4", "prefix_lists": lists}] if lists else []


def _entry(rule: PrefixRule) -> Facts:
    made: Facts = {"sequence": rule.sequence, "action": "permit" if rule.permit else "deny", "prefix": rule.prefix}
    return made | {word: bound for word, bound in (("ge", rule.ge), ("le", rule.le)) if bound is not None}


def route_maps(config: DeviceConfig) -> Facts:
    made = route_maps_by(config, lambda name: {"prefix_lists": [name]})
    for facts, each in zip(made, config.routing_policy.route_maps, strict=True):
        for entry, rule in zip(facts["entries"], each.rules, strict=True):
            if rule.prepend:
                entry["set"] = {"as_path": {"prepend": {"as_number": [*map(str, rule.prepend)]}}}
    return made


def hostname(config: DeviceConfig) -> Facts:
    return {"hostname": config.base.hostname} if config.base.hostname else []


def ntp_global(config: DeviceConfig) -> Facts:
    made = [{"server": each.address, "vrf": each.vrf or "default"} for each in config.base.time_servers]
    return {"servers": made} if made else []


def logging_global(config: DeviceConfig) -> Facts:
    made = [
        {"host": each.address, "severity": "notification", "use_vrf": each.vrf or "default"}
        for each in config.base.log_servers
    ]
    return {"hosts": made} if made else []


def snmp_server(config: DeviceConfig) -> Facts:
    found = config.base.snmp
    if found is None:
        return []
    users = [
        {
            "user": each.name,
            "group": "network-operator",
            "authentication": {
                "algorithm": {"sha": "sha", "sha256": "sha-256"}[each.auth],
                "password": each.auth_key,
                {"v1": "localized_key", "v2": "localizedv2_key"}[each.form]: True,
                "priv": {"privacy_password": each.privacy_key, "aes_128": True},
            },
        }
        for each in found.users
    ]
    hosts: list[dict[str, object]] = []
    for address in found.targets:
        hosts.append({"host": address, "traps": True, "version": "3", "priv": found.target_user})
        hosts += [{"host": address, "use_vrf": found.vrf}] if found.vrf else []
    texts = {"contact": found.contact, "location": found.location}
    made = {name: text for name, text in texts.items() if text}
    return made | {"users": {"auth": users}} | ({"hosts": hosts} if hosts else {})


EXPECTED: dict[str, Callable[[DeviceConfig], Facts]] = {
    each.__name__: each
    for each in (
        acls,
        acl_interfaces,
        l2_interfaces,
        l3_interfaces,
        lag_interfaces,
        lacp_interfaces,
        static_routes,
        vrf_global,
        vrf_interfaces,
        hsrp_interfaces,
        interfaces,
        hostname,
        logging_global,
        ntp_global,
        snmp_server,
        prefix_lists,
        route_maps,
    )
}

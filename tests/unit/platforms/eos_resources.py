"""What the resource modules of arista.eos should read of a switch, in the form of their facts."""

import re
from collections.abc import Callable
from typing import Any

from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.routing_policy import PrefixRule, RouteMapRule
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.device_config import DeviceConfig

Facts = Any
PROTOCOLS = {
    "ipv4": {None: "ip", 1: "icmp", 6: "tcp", 17: "udp"},
    "ipv6": {None: "ipv6", 6: "tcp", 17: "udp", 58: "icmpv6"},
}
ICMP = {0: "echo_reply", 3: "unreachable", 8: "echo", 11: "time_exceeded"}
"""ICMP types of IPv4 that lists of ours name (design/config/access_lists.py: MUST_PASS)."""
MESSAGES = {1: "unreachable", 2: "packet_too_big", 3: "time_exceeded", 4: "parameter_problem"} | {
    128: "echo_request",
    129: "echo_reply",
    133: "router_solicitation",
    134: "router_advertisement",
    135: "neighbor_solicitation",
    136: "neighbor_advertisement",
    137: "redirect_message",
}
"""Types of ICMPv6, with all their codes."""


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
        made["protocol_options"] = {"tcp": {"flags": {"established": True}}}
    if rule.icmp_type is not None:
        word, known = ("icmpv6", MESSAGES) if acl.family == "ipv6" else ("icmp", ICMP)
        made["protocol_options"] = {word: {known[rule.icmp_type]: True}}
    return made


def _end(prefix: str | None, ports: tuple[int, int] | None) -> Facts:
    made: Facts = {"any": True} if prefix is None else {"subnet_address": prefix}
    if ports is not None:
        word = f"eq {ports[0]}" if ports[0] == ports[1] else f"range {ports[0]} {ports[1]}"
        operator, _, value = word.partition(" ")
        made["port_protocol"] = {operator: value}
    return made


def acl_interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        groups = [
            {"afi": family, "acls": [{"name": each.name, "direction": each.direction} for each in bound]}
            for family in ("ipv4", "ipv6")
            if (bound := [each for each in port.acls if each.family == family])
        ]
        found.append({"name": port.name, **({"access_groups": groups} if groups else {})})
    return found


def vlans(config: DeviceConfig) -> Facts:
    return [{"vlan_id": each.number, "name": each.name, "state": "active"} for each in config.vlans]


def vrf_global(config: DeviceConfig) -> Facts:
    return [{"name": each.name} for each in config.vrfs]


def l2_interfaces(config: DeviceConfig) -> Facts:
    return [{"name": port.name, **_switchport(port)} for port in config.interfaces]


def _switchport(port: Interface) -> Facts:
    if port.tagged_vlans is not None:
        native = {} if port.native_vlan is None else {"native_vlan": port.native_vlan}
        carried = {*port.tagged_vlans, *native.values()}
        words = "none" if not carried else ranges(sorted(carried))
        return {"mode": "trunk", "trunk": {**native, "trunk_allowed_vlans": words.split(",")}}
    return {} if port.access_vlan is None else {"access": {"vlan": port.access_vlan}}


def ranges(numbers: list[int]) -> str:
    """``200,300-302``"""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(f"{each[0]}-{each[-1]}" if len(each) > 1 else str(each[0]) for each in parts)


def l3_interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        four = {"ipv4": [{"address": port.address}]} if port.address else {}
        six = {"ipv6": [{"address": port.ipv6_address}]} if port.ipv6_address else {}
        found.append({"name": port.name, **four, **six})
    return found


def lag_interfaces(config: DeviceConfig) -> Facts:
    members: dict[str, list[Facts]] = {port.name: [] for port in config.interfaces if port.lag is not None}
    for port in config.interfaces:
        if port.member is not None:
            members[port.member.group].append({"member": port.name, "mode": "active"})
    return [{"name": name, "members": each} for name, each in members.items()]


def lacp_interfaces(config: DeviceConfig) -> Facts:
    """``normal`` is the default, which EOS does not print; of a group with a fallback it reads the name alone."""
    members = [port for port in config.interfaces if port.member is not None]
    fast = [{"name": port.name, "timer": "fast"} for port in members if port.member and port.member.lacp_rate == "fast"]
    return [*fast, *({"name": port.name} for port in config.interfaces if port.lag is not None and port.lag.individual)]


_OUTSIDE_OF_VRFS = re.compile(r"[\d./:]+")
"""Prefixes that it reads in the default VRF: none with a hexadecimal letter (static_routes.py of its facts)."""


def static_routes(config: DeviceConfig) -> Facts:
    found = []
    for vrf in (None, *(each.name for each in config.vrfs)):
        families = []
        for afi in ("ipv4", "ipv6"):
            routes = [each for each in config.static_routes if each.vrf == vrf and each.is_ipv6 == (afi == "ipv6")]
            if made := [_route(each) for each in routes if vrf is not None or _OUTSIDE_OF_VRFS.fullmatch(each.prefix)]:
                families.append({"afi": afi, "routes": made})
        if families:
            found.append({"address_families": families, **({} if vrf is None else {"vrf": vrf})})
    return found


def _route(route: StaticRoute) -> Facts:
    tag = {} if route.tag is None else {"tag": route.tag}
    if route.distance is not None:
        tag["admin_distance"] = route.distance
    return {"dest": route.prefix, "next_hops": [{"interface": hop, **tag} for hop in route.next_hops or ("Null0",)]}


def interfaces(config: DeviceConfig) -> Facts:
    found = []
    for port in config.interfaces:
        made = {"name": port.name, "enabled": port.enabled}
        if port.description:
            made["description"] = port.description
        if port.mtu_bytes is not None and config.model != "7010TX-48":  # which has no line of it
            made["mtu"] = port.mtu_bytes
        is_routed = port.mtu_bytes and port.tag is None and not port.name.startswith("Vlan")
        if is_routed and port.access_vlan is None and port.tagged_vlans is None:
            made["mode"] = "layer3"
        found.append(made)
    return found


def prefix_lists(config: DeviceConfig) -> Facts:
    lists = [
        {"name": each.name, "entries": [_entry(rule) for rule in each.rules]}
        for each in config.routing_policy.prefix_lists
    ]
    return [{"afi": "ipv4", "prefix_lists": lists}] if lists else []


def _entry(rule: PrefixRule) -> Facts:
    made: Facts = {"sequence": rule.sequence, "action": "permit" if rule.permit else "deny", "address": rule.prefix}
    assert rule.ge is None or rule.le is None, "it reads no entry with both bounds"
    for operator, bound in (("ge", rule.ge), ("le", rule.le)):
        if bound is not None:
            made["match"] = {"operator": operator, "masklen": bound}
    return made


def route_maps(config: DeviceConfig) -> Facts:
    return route_maps_by(config, lambda name: {"prefix_list": name})


def route_maps_by(config: DeviceConfig, match: Callable[[str], Facts]) -> Facts:
    """Route maps; ``match``: how the collection puts the name of a prefix list."""
    return [
        {"route_map": each.name, "entries": [_map_entry(rule, match) for rule in each.rules]}
        for each in config.routing_policy.route_maps
    ]


def _map_entry(rule: RouteMapRule, match: Callable[[str], Facts]) -> Facts:
    made: Facts = {"sequence": rule.sequence, "action": "permit" if rule.permit else "deny"}
    if rule.match_prefix_list is not None:
        made["match"] = {"ip": {"address": match(rule.match_prefix_list)}}
    if rule.prepend:  # the collection makes Python's text of a tuple of several numbers
        made["set"] = {"as_path": {"prepend": {"as_number": str(rule.prepend)}}}
    return made


def hostname(config: DeviceConfig) -> Facts:
    return {"hostname": config.base.hostname} if config.base.hostname else []


def ntp_global(config: DeviceConfig) -> Facts:
    servers = config.base.time_servers
    made = [{"server": each.address, **({"vrf": each.vrf} if each.vrf else {})} for each in servers]
    return {"servers": made} if made else []


EXPECTED: dict[str, Callable[[DeviceConfig], Facts]] = {
    each.__name__: each
    for each in (
        acls,
        acl_interfaces,
        vlans,
        vrf_global,
        l2_interfaces,
        l3_interfaces,
        lag_interfaces,
        lacp_interfaces,
        static_routes,
        interfaces,
        hostname,
        ntp_global,
        prefix_lists,
        route_maps,
    )
}

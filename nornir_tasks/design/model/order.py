"""The one order of everything in a DeviceConfig, so that equal configurations are equal objects.

``realise`` and every ``platforms/<os>/parse`` end with :func:`in_order`; nothing else sorts.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from ipaddress import ip_address, ip_network

from nornir_tasks.design.config.base import Base, Server
from nornir_tasks.design.config.bgp import Bgp, Neighbor
from nornir_tasks.design.config.load_balancing import LoadBalancing
from nornir_tasks.design.config.qos import Qos
from nornir_tasks.design.config.routing_policy import RouteMapRule, RoutingPolicy
from nornir_tasks.design.config.snmp import Snmp
from nornir_tasks.design.model.device_config import DeviceConfig


def in_order(config: DeviceConfig, sort_key: Callable[[str], tuple[int, ...]]) -> DeviceConfig:
    """The same configuration with each tuple sorted by its key. ``sort_key`` is the OS's order of interface names."""
    return replace(
        config,
        services=tuple(sorted(config.services)),
        load_balancing=config.load_balancing and _load_balancing(config.load_balancing, sort_key),
        qos=config.qos and _qos(config.qos),
        breakouts=tuple(sorted(config.breakouts, key=lambda each: each.port)),
        vlans=tuple(sorted(config.vlans, key=lambda each: each.number)),
        vrfs=tuple(sorted(config.vrfs, key=lambda each: each.name)),
        access_lists=tuple(
            replace(each, rules=tuple(sorted(each.rules, key=lambda rule: rule.sequence)))
            for each in sorted(config.access_lists, key=lambda each: (each.name, each.family))
        ),
        interfaces=tuple(sorted(config.interfaces, key=lambda port: (sort_key(port.name), port.name))),
        routing_policy=_routing_policy(config.routing_policy),
        static_routes=tuple(
            replace(each, next_hops=tuple(sorted(each.next_hops, key=ip_address))) if each.next_hops else each
            for each in sorted(config.static_routes, key=lambda route: (route.vrf or "", prefix_key(route.prefix)))
        ),
        bgp=config.bgp and _bgp(config.bgp, sort_key),
        base=_base(config.base),
    )


def _base(base: Base) -> Base:
    return replace(
        base,
        name_servers=_servers(base.name_servers),
        time_servers=_servers(base.time_servers),
        log_servers=_servers(base.log_servers),
        snmp=base.snmp and _snmp(base.snmp),
        accounts=tuple(sorted(base.accounts, key=lambda each: each.name)),
        radius=base.radius and replace(base.radius, servers=tuple(sorted(base.radius.servers, key=_by_address))),
        tacacs=base.tacacs and replace(base.tacacs, servers=tuple(sorted(base.tacacs.servers, key=_by_address))),
    )


def _snmp(snmp: Snmp) -> Snmp:
    users = tuple(sorted(snmp.users, key=lambda each: each.name))
    return replace(snmp, users=users, targets=tuple(sorted(snmp.targets, key=_by_address)))


def _by_address(address: str) -> tuple[int, int, str]:
    """Addresses in numeric order, IPv4 first; then what is none: a switch may know servers by name."""
    try:
        found = ip_address(address)
    except ValueError:
        return 7, 0, address
    return found.version, int(found), ""


def _servers(servers: Iterable[Server]) -> tuple[Server, ...]:
    def key(server: Server) -> tuple[str, tuple[int, int, str]]:
        return server.vrf or "", _by_address(server.address)

    return tuple(sorted(servers, key=key))


def _load_balancing(unordered: LoadBalancing, sort_key: Callable[[str], tuple[int, ...]]) -> LoadBalancing:
    return (
        unordered if unordered.ports is None else replace(unordered, ports=tuple(sorted(unordered.ports, key=sort_key)))
    )


def prefix_key(prefix: str) -> tuple[int, int, int]:
    """IPv4 prefixes in numeric order, shorter ones first; then those of IPv6."""
    network = ip_network(prefix, strict=False)
    return network.version, int(network.network_address), network.prefixlen


def prefixes_in_order(prefixes: Iterable[str]) -> tuple[str, ...]:
    """Prefixes in the order of ``prefix_key``."""
    return tuple(sorted(prefixes, key=prefix_key))


def _qos(qos: Qos) -> Qos:
    classes = sorted(qos.classes, key=lambda each: each.priority)
    profiles = sorted(qos.profiles, key=lambda each: each.name)
    return replace(
        qos,
        classes=tuple(replace(each, dscp=tuple(sorted(each.dscp))) for each in classes),
        profiles=tuple(
            replace(
                each,
                pfc_priorities=tuple(sorted(each.pfc_priorities)),
                queues=tuple(sorted(each.queues, key=lambda queue: queue.number)),
            )
            for each in profiles
        ),
    )


def _routing_policy(policy: RoutingPolicy) -> RoutingPolicy:
    lists = sorted(policy.prefix_lists, key=lambda each: each.name)
    paths = sorted(policy.as_path_lists, key=lambda each: each.name)
    maps = sorted(policy.route_maps, key=lambda each: each.name)
    return RoutingPolicy(
        tuple(replace(each, rules=tuple(sorted(each.rules, key=lambda rule: rule.sequence))) for each in lists),
        tuple(replace(each, rules=_map_rules(each.rules)) for each in maps),
        tuple(replace(each, rules=tuple(sorted(each.rules, key=lambda rule: rule.sequence))) for each in paths),
    )


def _map_rules(rules: Iterable[RouteMapRule]) -> tuple[RouteMapRule, ...]:
    def key(community: str) -> tuple[int, ...]:
        return tuple(map(int, community.split(":")))

    ordered = sorted(rules, key=lambda rule: rule.sequence)
    return tuple(replace(each, communities=tuple(sorted(each.communities, key=key))) for each in ordered)


def _bgp(bgp: Bgp, sort_key: Callable[[str], tuple[int, ...]]) -> Bgp:
    def place(neighbor: Neighbor) -> tuple[str, int, tuple[int | str, ...]]:
        """By VRF, the default one first; within it by address; neighbours without an address last, by port."""
        vrf = neighbor.vrf or ""
        if neighbor.interface is not None:
            return vrf, 1, sort_key(neighbor.interface)
        return vrf, 0, _by_address(neighbor.peer)

    return replace(
        bgp,
        networks=prefixes_in_order(bgp.networks),
        aggregates=prefixes_in_order(bgp.aggregates),
        validators=tuple(sorted(bgp.validators, key=lambda each: _by_address(each.address))),
        peer_groups=tuple(sorted(bgp.peer_groups, key=lambda each: each.name)),
        neighbors=tuple(sorted(bgp.neighbors, key=place)),
        vrfs=tuple(
            replace(each, networks=prefixes_in_order(each.networks))
            for each in sorted(bgp.vrfs, key=lambda each: each.name)
        ),
    )


_DIGITS = re.compile(r"(\d+)")


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Sort key: the numbers within a name by value, the rest as text."""
    parts = _DIGITS.split(name)
    numbers = (*parts[1::2], "-1")
    return tuple((text, int(number)) for text, number in zip(parts[::2], numbers, strict=True))

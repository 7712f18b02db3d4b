"""A switch's access lists as chains of rules, so that one walk judges them and rulesets of hosts."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_interface, ip_network
from typing import Any

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclRule, Direction, Family
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.proofs.rules.packets import ACK, RST
from nornir_tasks.proofs.rules.ruleset import Chain, Key, Rule, Ruleset

TABLE = "acl"
HOOKS: Mapping[Direction, str] = {"in": "prerouting", "out": "forward"}
_WORDS: Mapping[Family, str] = {"ipv4": "ip", "ipv6": "ip6"}
_ACCEPT: Mapping[str, Any] = {"accept": None}
_DROP: Mapping[str, Any] = {"drop": None}


def ruleset_of(config: DeviceConfig, *, denies_rest: bool) -> Ruleset:
    """The lists that its ports use. ``denies_rest``: is what no rule of a list matches refused?

    A name that no list has filters nothing, which is the worst of what systems make of it.
    """
    chains = {key: Chain(key, tuple(_rules(key, each, denies_rest))) for key, each in _lists(config)}
    hooks: dict[str, list[Chain]] = {}
    for family in _WORDS:
        for direction, hook in HOOKS.items():
            key = _WORDS[family], TABLE, direction
            uses = tuple(_uses(key, config.interfaces, (family, direction), chains))
            if uses:
                chain = Chain(key, uses, "filter", hook)
                chains[key] = chain
                hooks.setdefault(hook, []).append(chain)
    return Ruleset(chains, {}, hooks={hook: tuple(its) for hook, its in hooks.items()})


def _lists(config: DeviceConfig) -> Iterator[tuple[Key, AccessList]]:
    for each in config.access_lists:
        yield (_WORDS[each.family], TABLE, each.name), each


def _rules(key: Key, found: AccessList, denies_rest: bool) -> Iterator[Rule]:
    for each in found.rules:
        yield Rule(key, each.sequence, (*_matches(each, found.family), _ACCEPT if each.permit else _DROP))
    if denies_rest:
        yield Rule(key, 0, (_DROP,), "the end of the list")


def _uses(
    key: Key, interfaces: Sequence[Interface], where: tuple[Family, Direction], chains: Mapping[Key, Chain]
) -> Iterator[Rule]:
    side = "iifname" if where[1] == "in" else "oifname"
    for place, port in enumerate(interfaces, start=1):
        for each in port.acls:
            if (each.family, each.direction) == where and (key[0], TABLE, each.name) in chains:
                yield Rule(key, place, (_match({"meta": {"key": side}}, port.name), {"goto": {"target": each.name}}))


def _match(left: Mapping[str, Any], right: object, op: str = "==") -> Mapping[str, Any]:
    return {"match": {"op": op, "left": left, "right": right}}


def _field(protocol: str, name: str) -> Mapping[str, Any]:
    return {"payload": {"protocol": protocol, "field": name}}


def _matches(rule: AclRule, family: Family) -> Iterator[Mapping[str, Any]]:
    if rule.protocol is not None:
        yield _match({"meta": {"key": "l4proto"}}, rule.protocol)
    for name, prefix in (("saddr", rule.source), ("daddr", rule.destination)):
        if prefix is not None:
            address, _, length = prefix.partition("/")
            yield _match(_field(_WORDS[family], name), {"prefix": {"addr": address, "len": int(length)}})
    transport = {TCP: "tcp", UDP: "udp"}.get(rule.protocol or 0, "th")
    for name, ports in (("sport", rule.source_ports), ("dport", rule.destination_ports)):
        if ports is not None:
            yield _match(_field(transport, name), {"range": list(ports)})
    if rule.established:
        yield _match({"&": [_field("tcp", "flags"), ACK | RST]}, 0, "!=")
    if rule.icmp_type is not None:
        yield _match(_field("icmp" if ICMP[family] == 1 else "icmpv6", "type"), rule.icmp_type)


def routes_of(config: DeviceConfig) -> dict[Family, list[dict[str, Any]]]:
    """Of its default VRF, as ``ip -j route`` prints them: its own addresses, its links, static routes."""
    found: dict[Family, list[dict[str, Any]]] = {"ipv4": [], "ipv6": []}
    for port in config.interfaces:
        if port.vrf is None:
            for each in _of_port(port):
                found["ipv6" if ":" in each["dst"] else "ipv4"].append(each)
    for route in config.static_routes:
        if route.vrf is None:
            found["ipv6" if route.is_ipv6 else "ipv4"] += _of_static(route)
    return found


def _of_port(port: Interface) -> Iterator[dict[str, Any]]:
    for address in filter(None, (port.address, port.ipv6_address)):
        own = ip_interface(address)
        yield {"dst": str(own.network), "dev": port.name}
        yield {"type": "local", "dst": str(own.ip), "dev": port.name, "table": "local"}
    if port.gateway is not None:
        for shared in filter(None, (port.gateway.address, port.gateway.ipv6_address)):
            yield {"type": "local", "dst": shared, "dev": port.name, "table": "local"}


def _of_static(route: StaticRoute) -> Iterator[dict[str, Any]]:
    dst = str(ip_network(route.prefix))
    if not route.next_hops:
        yield {"type": "blackhole", "dst": dst}
    for hop in route.next_hops:
        yield {"dst": dst, "gateway": hop, "dev": route.interface or ""}

"""Access lists of an NVUE configuration as rules of nftables: which ports use which, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

from ..routed.configured_lists import NO_COUNTERPART, ConfiguredLists
from ..routed.form import Unplayed
from ..routed.lists import AccessList, Bound, Direction, Family, UnknownRule
from .tree import Tree, get_or

_FAMILIES: dict[str, Family] = {"ipv4": "ip", "ipv6": "ip6"}
_WORDS: dict[Family, str] = {"ip": "icmp", "ip6": "icmpv6"}
_PROTOCOLS = {"ospf": "ospfigp"}
_ACTIONS = {"permit": "accept", "deny": "drop"}
_MESSAGES = {"dest-unreachable": "destination-unreachable"}
_ANY = "ANY"


def lists(tree: Tree) -> ConfiguredLists:
    """Those that ports use. What no rule matches passes (Access-Control-List-Configuration.md)."""
    there = {name: acl for name, acl in get_or(tree, {}, "acl").items() if acl.get("type") in _FAMILIES}
    families = {name: _FAMILIES[acl["type"]] for name, acl in there.items()}
    bound = tuple(each for each in _bound(tree, families))
    read, unreadable = [], list[Unplayed]()
    for name in dict.fromkeys(each.name for each in bound):
        rules = list[str]()
        for number, rule in sorted(get_or(there[name], {}, "rule").items(), key=lambda item: int(item[0])):
            try:
                rules.append(_rule(rule, families[name]))
            except UnknownRule as error:
                unreadable.append(Unplayed(f"rule {number}", f"{NO_COUNTERPART} ({error})", f"acl {name}"))
        read.append(AccessList(name, tuple(rules), families[name], denies_rest=False))
    return ConfiguredLists(tuple(read), bound, tuple(unreadable))


def _bound(tree: Tree, families: dict[str, Family]) -> Iterator[Bound]:
    words: dict[str, Direction] = {"inbound": "in", "outbound": "out"}
    for port, settings in get_or(tree, {}, "interface").items():
        for name, use in settings.get("acl", {}).items():
            for word, direction in words.items():
                # of the control plane alone: no list of a port
                if name in families and use.get(word) == {}:
                    yield Bound(port, direction, name, families[name], _vlan(port, settings))


def _vlan(port: str, settings: Tree) -> int | None:
    """The VLAN whose bridged frames meet the list as well, of an interface of a VLAN.

    "all IP packets in a bridge are matched, not just routed packets" (Netfilter-ACLs.md, Match SVI and Bridged
    Interfaces in Rules). The page speaks of iptables' rules; NVUE makes such of its lists.
    """
    if settings.get("type") != "svi":
        return None
    return int(settings.get("vlan", port.removeprefix("vlan")))


def _rule(rule: Tree, family: Family) -> str:
    action = _ACTIONS.get(next(iter(rule.get("action", {})), ""))
    match = dict(get_or(rule, {}, "match", "ip"))
    if action is None or set(rule) - {"action", "match", "remark"} or set(rule.get("match", {})) - {"ip"}:
        raise UnknownRule(", ".join(rule.get("action", {})) or "no action")
    found = list(_matches(match, family))
    if match:
        raise UnknownRule(", ".join(match))
    return " ".join([*found, "counter", action])


def _matches(match: Tree, family: Family) -> Iterator[str]:
    """What a packet must be; what is left of the match has no counterpart."""
    protocol = match.pop("protocol", None)
    if protocol is not None:
        yield f"meta l4proto {_PROTOCOLS.get(protocol, protocol)}"
    for key, side in (("source-ip", "saddr"), ("dest-ip", "daddr")):
        address = match.pop(key, _ANY)
        if address != _ANY:
            yield f"{family} {side} {address}"
    icmp = _WORDS[family]
    if (kind := match.pop(f"{icmp}-type", None)) is not None:
        yield f"{icmp} type {_MESSAGES.get(kind, kind)}"
    if protocol in ("tcp", "udp"):
        yield from _ports(dict(match.pop(protocol, {})), protocol)


def _ports(ports: Tree, protocol: str) -> Iterator[str]:
    for key, side in (("source-port", "sport"), ("dest-port", "dport")):
        named = [each.replace(":", "-") for each in ports.pop(key, {}) if each != _ANY]
        if named:
            yield f"{protocol} {side} {{ {', '.join(named)} }}"
    if ports.pop("state", None) == "established":
        yield "tcp flags & (ack | rst) != 0"
    if ports:
        raise UnknownRule(", ".join(ports))

"""Access lists in NVUE data: read as numbers, and put into the one spelling that trees are compared in.

NVUE has no implicit deny and ignores a rule without a match (FRONT_NOTES.md of the corpus), so every rule of ours says
``ANY`` where it takes every address. ``ANY`` as a port is a word that NVUE adds.
"""

import copy
import json
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from nornir_tasks.design.config.access_lists import (
    ICMP,
    TCP,
    UDP,
    AccessList,
    AclBinding,
    AclRule,
    Direction,
    Family,
    PortRange,
)
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.nvue.reading import Data, drop_if_empty, entries, look, take, take_empty

PROTOCOLS = {"icmp": 1, "igmp": 2, "tcp": TCP, "udp": UDP, "icmpv6": 58, "ospf": 89, "pim": 103, "vrrp": 112}
"""nvueschema 0.1.0: the words of ``acl.<name>.rule.<number>.match.ip.protocol``, which takes numbers as well."""
PROTOCOL_WORDS = {number: word for word, number in PROTOCOLS.items()}
_ICMP_KEYS: Mapping[Family, str] = {"ipv4": "icmp-type", "ipv6": "icmpv6-type"}
_TYPES = {
    "icmp-type": {"echo-reply": 0, "dest-unreachable": 3, "echo-request": 8, "time-exceeded": 11},
    "icmpv6-type": {
        "router-solicitation": 133,
        "router-advertisement": 134,
        "neighbor-solicitation": 135,
        "neighbor-advertisement": 136,
    },
}
"""nvueschema 0.1.0, likewise; numbers of RFC 792 and RFC 4861."""
_ANY = "ANY"
_SIDES = ("source-port", "dest-port")
_LAST_PORT = 65535


def protocol_word(number: int) -> str | int:
    """A protocol as NVUE prints it: by its word, if it has one."""
    return PROTOCOL_WORDS.get(number, number)


def in_one_spelling(lists: ConfigTree) -> None:
    """Change the tree of ``acl`` so that rules that match the same packets are the same lines."""
    for acl in lists.children.values():
        for rule in (acl.get("rule") or ConfigTree()).children.values():
            match = rule.get("match", "ip")
            if match is not None:
                match.children = {each.text: each for each in map(_respelled, match.children.values())}
                for protocol in ("tcp", "udp"):
                    _drop_any(match, protocol)


def _respelled(line: ConfigTree) -> ConfigTree:
    text = _one_spelling(line.text)
    return line if text == line.text else ConfigTree(text, line.line)


@lru_cache(maxsize=8192)
def _one_spelling(line: str) -> str:
    """Of a leaf. A switch's lists are read several times per push, and many switches have the same."""
    key, colon, text = line.partition(": ")
    if not colon:
        return line
    value = json.loads(text)
    if key == "protocol":
        value = PROTOCOL_WORDS.get(value, value)
    elif key in _TYPES:
        value = _TYPES[key].get(value, value)
    elif key in {"source-ip", "dest-ip"} and value != _ANY:
        value = _masked(value)
    return f"{key}: {json.dumps(value)}"


def _masked(value: object) -> object:
    try:
        return str(ip_network(str(value), strict=False))
    except ValueError:
        return value


def _drop_any(match: ConfigTree, protocol: str) -> None:
    ports = match.children.get(protocol)
    if ports is None:
        return
    for side in _SIDES:
        if side in ports.children and list(ports.children[side].children) == [_ANY]:
            del ports.children[side]
    if not ports.children:
        del match.children[protocol]


def without_any(diff: dict[str, Any]) -> dict[str, Any]:
    """A diff of the switch with ``null`` in place of ports that are ``ANY``, which lines do not have."""
    found: dict[str, Any] = copy.deepcopy({"acl": diff["acl"]}) if diff.get("acl") else {}
    for acl in _objects(found.get("acl")):
        for rule in _objects(acl.get("rule")):
            match = (rule.get("match") or {}).get("ip") or {}
            for protocol in ("tcp", "udp"):
                ports = match.get(protocol) or {}
                ports.update({side: None for side in _SIDES if _is_any(ports.get(side))})
                if ports == dict.fromkeys(_SIDES):  # of a rule whose other port stays, the diff has one alone
                    match[protocol] = None
    return {**diff, **found}


def _is_any(port: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(port, dict) and [key for key, value in port.items() if value is not None] == [_ANY]


def _objects(data: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    return [each for each in data.values() if isinstance(each, dict)] if isinstance(data, dict) else []


def parse_lists(data: Data) -> tuple[AccessList, ...]:
    """The access lists; whatever of a list the model does not hold stays in the data."""
    found = []
    for name, acl in entries(data, "acl"):
        family: Family | None = {"ipv4": "ipv4", "ipv6": "ipv6"}.get(str(acl.get("type")))  # type: ignore[assignment]
        if family is None:
            continue
        rules = []
        for number, rule in entries(acl, "rule"):
            if number.isdecimal() and (read := _rule(int(number), rule, family)) is not None:
                take(acl, "rule", number)
                rules.append(read)
        take(acl, "type")
        drop_if_empty(data, "acl", name)
        found.append(AccessList(name, family, tuple(rules)))
    return tuple(found)


def families(data: Data) -> dict[str, Family]:
    """Name of each access list -> its family."""
    kinds: dict[str, Family] = {"ipv4": "ipv4", "ipv6": "ipv6"}
    return {name: kinds[str(acl["type"])] for name, acl in entries(data, "acl") if str(acl.get("type")) in kinds}


def bindings(port: Data, known: Mapping[str, Family]) -> tuple[AclBinding, ...]:
    """The lists that filter a port; one that is bound to the control plane, or unknown, stays in the data."""
    found = []
    directions: dict[str, Direction] = {"inbound": "in", "outbound": "out"}
    for name, _ in entries(port, "acl"):
        for word, direction in directions.items():
            if name in known and take_empty(port, "acl", name, word):
                found.append(AclBinding(known[name], direction, name))
    return tuple(sorted(found))


def _rule(sequence: int, rule: Data, family: Family) -> AclRule | None:
    """The rule, if the model holds all of it."""
    permit = {"permit": True, "deny": False}.get(next(iter(action), "") if (action := rule.get("action")) else "")
    match = look(rule, "match", "ip")
    is_plain = rule.keys() == {"action", "match"} and rule["match"].keys() == {"ip"} and len(rule["action"]) == 1
    if permit is None or not is_plain or not isinstance(match, dict) or next(iter(rule["action"].values())) != {}:
        return None
    try:
        return _matching(AclRule(sequence, permit), dict(match), family)
    except (ValueError, KeyError, TypeError):
        return None


def _matching(rule: AclRule, match: Data, family: Family) -> AclRule:
    """Raises ValueError, KeyError or TypeError for anything that the model does not hold."""
    word = match.pop("protocol", None)
    protocol = PROTOCOLS[word] if isinstance(word, str) else word
    icmp_type = match.pop(_ICMP_KEYS[family], None)
    ports: Data = {}
    if protocol in {TCP, UDP}:
        ports = dict(match.pop(PROTOCOL_WORDS[protocol], {}))
    state = ports.pop("state", None)
    made = AclRule(
        rule.sequence,
        rule.permit,
        protocol,
        _prefix(match.pop("source-ip", _ANY), family),
        _prefix(match.pop("dest-ip", _ANY), family),
        _ports(ports.pop("source-port", None)),
        _ports(ports.pop("dest-port", None)),
        established=state == "established",
        icmp_type=icmp_type,
    )
    is_right = (icmp_type is None or (isinstance(icmp_type, int) and protocol == ICMP[family])) and (
        state is None or (made.established and protocol == TCP)
    )
    if match or ports or not is_right:
        raise ValueError(match)
    return made


def _prefix(value: str, family: Family) -> str | None:
    if value == _ANY:
        return None
    return str(IPv4Network(value) if family == "ipv4" else IPv6Network(value))


def _ports(keys: Data | None) -> PortRange | None:
    if keys is None:
        return None
    (key,) = keys
    first, _, last = key.partition(":")
    if keys[key] != {} or not 0 <= int(first) <= int(last or first) <= _LAST_PORT:
        raise ValueError(key)
    return int(first), int(last or first)

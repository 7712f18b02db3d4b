"""What an NX-OS configuration says of switched ports, gateways and access lists beyond SwitchState."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine import Node, Tree
from ..routed.configured_lists import ConfiguredLists, configured_lists
from ..routed.form import Gateway
from ..routed.lists import Family
from .extract_hsrp import hsrp_groups
from .ports import interfaces

SWITCHED = re.compile(
    r"(ip port|ipv6 port|mac port|ip) access-group|switchport (mode (dot1q|fex|private)|vlan|private)"
)
"""Lines of a switched port that decide where its frames go, and have no counterpart."""
_HSRP_1, _HSRP_2, _HSRP_6 = 0x00000C07AC00, 0x00000C9FF000, 0x000573A00000
"""MAC addresses of the groups number 0 (Cisco Nexus 9000 Unicast Routing Configuration Guide, Configuring HSRP); of
IPv6: freeRtr's router, and genieparser's recorded ``show standby`` (group 10: 0005.73a0.000a)."""
_PORT_NAMES = {
    "bgp": 179,
    "bootpc": 68,
    "bootps": 67,
    "domain": 53,
    "ftp": 21,
    "ftp-data": 20,
    "isakmp": 500,
    "ntp": 123,
    "pop3": 110,
    "rip": 520,
    "smtp": 25,
    "snmp": 161,
    "snmptrap": 162,
    "sunrpc": 111,
    "syslog": 514,
    "tacacs": 49,
    "telnet": 23,
    "tftp": 69,
    "www": 80,
}
"""IANA's numbers of names that the switch takes; a list with another name is not read."""


def is_translated(line: Node) -> bool:
    """Is this line of a routed interface one of those that are read here?"""
    if line.words.startswith("hsrp "):
        return True
    return line.words.startswith("ipv6 address ") and "address" in line.params


def addresses_v6(tree: Tree) -> dict[str, tuple[str, ...]]:
    """IPv6 addresses with length, by interface."""
    found = {node.params["name"]: tuple(_v6(node)) for node in interfaces(tree)}
    return {name: addresses for name, addresses in found.items() if addresses}


def _v6(node: Node) -> Iterator[str]:
    for line in node.find("ipv6 address"):
        if not line.negated and "address" in line.params:
            yield line.params["address"]


def gateways(tree: Tree) -> Iterator[Gateway]:
    """Groups of HSRP: of a pair both members forward what is sent to the group's MAC address."""
    for node in interfaces(tree):
        name = node.params["name"]
        for group in hsrp_groups(node):
            if group.address:
                first = _HSRP_1 if group.version == 1 else _HSRP_2
                yield Gateway(name, _mac(first + group.number), (group.address,))
        for six in node.find("hsrp"):
            addresses = tuple(
                line.params["address"] for line in six.find("ip") if ":" in line.params.get("address", "")
            )
            if addresses:
                yield Gateway(name, _mac(_HSRP_6 + int(six.params["group"])), addresses)


def _mac(number: int) -> str:
    digits = f"{number:012x}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def lists(tree: Tree) -> ConfiguredLists:
    """Lists of both families that interfaces use."""
    found = []
    families: tuple[tuple[str, Family, str], ...] = (
        ("ip access-list", "ip", "ip access-group"),
        ("ipv6 access-list", "ip6", "ipv6 traffic-filter"),
    )
    for words, family, used_by in families:
        there = {node.params["name"]: node for node in tree.find(words)}
        found.append(configured_lists(interfaces(tree), there, _PORT_NAMES, family, used_by))
    four, six = found
    return ConfiguredLists(four.lists + six.lists, four.bound + six.bound, four.unreadable + six.unreadable)

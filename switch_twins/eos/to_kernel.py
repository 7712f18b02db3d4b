"""What an EOS configuration says of switched ports, gateways and access lists beyond SwitchState."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine import Node, Tree
from ..routed.configured_lists import ConfiguredLists, configured_lists
from ..routed.form import Gateway
from .acl import PORT_NAMES
from .control_plane import applied

SWITCHED = re.compile(
    r"(ip|ipv6|mac) access-group|switchport (mode (dot1q-tunnel|trunk phone)|vlan|private-vlan|pvlan|port-security)"
    r"|switchport (backup|trunk private-vlan)"
)
"""Lines of a switched port that decide where its frames go, and have no counterpart."""
_ROUTED_HERE = re.compile(r"ip virtual-router address|ipv6 virtual-router address|ipv6 address [^v]")


def is_translated(line: str) -> bool:
    """Is this line of a routed interface one of those that are read here?"""
    return _ROUTED_HERE.match(line) is not None


def addresses_v6(tree: Tree) -> dict[str, tuple[str, ...]]:
    """IPv6 addresses with length, by interface."""
    found = {node.params["name"]: tuple(_v6(node)) for node in tree.find("interface") if "name" in node.params}
    return {name: addresses for name, addresses in found.items() if addresses}


def _v6(node: Node) -> Iterator[str]:
    for line in node.find("ipv6 address"):
        if not line.negated and is_translated(line.words) and "address" in line.params:
            yield line.params["address"]


def gateways(tree: Tree) -> Iterator[Gateway]:
    """Of ``ip virtual-router address``; without ``ip virtual-router mac-address`` no switch answers (um-eos, VARP)."""
    line = tree.first("ip virtual-router mac-address")
    if line is None:
        return
    for node in tree.find("interface"):
        lines = [*node.find("ip virtual-router address"), *node.find("ipv6 virtual-router address")]
        addresses = tuple(each.params["address"] for each in lines if not each.negated)
        if addresses:
            yield Gateway(node.params["name"], _mac(line.params["mac"]), addresses)


def _mac(text: str) -> str:
    digits = re.sub(r"[^0-9a-f]", "", text.lower())
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def lists(tree: Tree) -> ConfiguredLists:
    """Lists of both families that interfaces use, or the control plane in the default VRF."""
    interfaces = [node for node in tree.find("interface") if "name" in node.params]
    four = {node.params["acl"]: node for node in tree.find("ip access-list") if "standard" not in node.words.split()}
    six = {node.params["acl"]: node for node in tree.find("ipv6 access-list")}
    own4, own6 = (applied(tree, family, None) for family in ("ip", "ipv6"))
    v4 = configured_lists(interfaces, four, PORT_NAMES, control=own4)
    v6 = configured_lists(interfaces, six, PORT_NAMES, "ip6", "ipv6 access-group", own6)
    return ConfiguredLists(v4.lists + v6.lists, v4.bound + v6.bound, v4.unreadable + v6.unreadable)

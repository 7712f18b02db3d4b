"""HSRP of an NX-OS interface: its IPv4 groups.

Defaults are those of cisco-network-node-utils, interface_hsrp_group.yaml.
"""

from __future__ import annotations

from ..engine import Node
from ..state import HsrpGroup

_PRIORITY = 100
_VERSION = 1


def hsrp_groups(interface: Node) -> tuple[HsrpGroup, ...]:
    """In the order of the configuration; groups of IPv6 are not simulated."""
    version = int(interface.value("hsrp version", "version") or _VERSION)
    return tuple(_group(node, version) for node in interface.find("hsrp") if _is_ipv4(node))


def _is_ipv4(node: Node) -> bool:
    return "group" in node.params and not node.words.endswith(" ipv6")


def _group(node: Node, version: int) -> HsrpGroup:
    return HsrpGroup(
        number=int(node.params["group"]),
        address=next((line.params["address"] for line in node.find("ip") if "address" in line.params), ""),
        priority=int(node.value("priority", "priority") or _PRIORITY),
        preempt=node.first("preempt") is not None,
        version=version,
    )

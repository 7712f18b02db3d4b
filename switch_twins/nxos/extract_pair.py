"""The pair (vPC) of an NX-OS configuration.

Both members need the domain, a keepalive's destination and a peer link; a peer has the same domain (Cisco Nexus 9000
Interfaces Configuration Guide 10.6(x), vPCs). They talk on the peer link without an address. What is compared: rows of
``show vpc consistency-parameters global`` (tests/recorded/nxos_show/vpc_consistency_text.txt), and of each vPC what
must be identical by that guide; types, actions and sources: tests/corpus/pairs/consistency.tsv.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..engine import Node, Tree
from ..state import Compared, InterfaceState, PairState
from .words import numbers, ranges

_ROLE_PRIORITY = 32667
_MANAGEMENT = "management"
"""The VRF of keepalives without one of their own."""
_MODES = {"rapid-pvst": "Rapid-PVST", "mst": "MST"}


def pair_state(tree: Tree, ports: Iterable[InterfaceState]) -> PairState | None:
    """The pair; None without a domain, or while it lacks something."""
    node = tree.first("vpc domain")
    keepalive = node.first("peer-keepalive destination") if node is not None else None
    link = _peer_link(tree)
    if node is None or keepalive is None or link is None:
        return None
    return PairState(
        domain=node.params["number"],
        peer_link=link.params["name"],
        keepalive=keepalive.params["to"],
        keepalive_vrf=keepalive.params.get("vrf", _MANAGEMENT),
        priority=int(node.value("role priority", "priority") or _ROLE_PRIORITY),
        shuts_apart="groups",
        bridge=_bridge(int(node.params["number"])) if node.first("peer-switch") is not None else "",
        compared=(*_compared(tree, link), *(row for port in ports if port.over_both for row in _of_vpc(port))),
    )


def _bridge(domain: int) -> str:
    """With peer-switch both have one address (tests/corpus/nxos/NOTES.md); domains beyond a byte as counted on (M)."""
    return f"{(0x0023_04EE_BE00 + domain):012x}"


def _peer_link(tree: Tree) -> Node | None:
    return next((node for node in tree.find("interface") if node.first("vpc peer-link") is not None), None)


def _compared(tree: Tree, link: Node) -> tuple[Compared, ...]:
    mode = tree.first("spanning-tree mode")
    word = mode.words.split()[-1] if mode is not None else "rapid-pvst"
    svis = (node for node in tree.find("interface") if node.params.get("name", "").startswith("Vlan"))
    routed = [int(node.params["name"][len("Vlan") :]) for node in svis if tree.effective(node, "no shutdown")]
    line = link.first("switchport trunk allowed vlan")
    listed = line.params.get("vlans", "") if line is not None else "1-4094"
    return (
        Compared("STP Mode", _MODES.get(word, word), "1", action="secondary"),
        Compared("Interface-vlan admin up", ranges(sorted(routed)), "2"),
        Compared("Allowed VLANs", ranges(numbers(listed, 1, 4094) or []), "-", action="vlans"),
    )


def _of_vpc(port: InterfaceState) -> Iterator[Compared]:
    name, number = port.name, port.over_both
    mode = "routed" if port.is_routed else "trunk" if port.access_vlan is None else "access"
    yield Compared("Port Mode", mode, "1", name, number, "secondary")
    yield Compared("Native Vlan", str(port.native_vlan or 1), "1", name, number, "secondary")
    yield Compared("MTU", str(port.mtu_bytes), "1", name, number, "secondary")
    yield Compared("Allowed VLANs", ranges(sorted(port.vlans)), "-", name, number, "vlans")

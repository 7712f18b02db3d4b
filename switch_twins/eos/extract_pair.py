"""The pair (MLAG) of an EOS configuration.

Both members need domain, local interface, peer address and peer link; a peer has the same domain (um-eos, Multi-Chassis
Link Aggregation). What is compared: the parameters that ``show mlag config-sanity`` is known to show (tests of
VerifyMlagConfigSanity, aristanetworks/anta at 68667e0). Apart from a peer whose heartbeat is heard, the secondary
disables all ports where dual-primary detection is configured (aristaeos.blogspot.com, 2018/04, MLAG Dual-Primary
Detection); that those of the peer link stay is remembered (M).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..engine import Node, Tree
from ..state import Compared, PairState

_PRIORITY = 32767
"""Of every switch that has no line of its own (suzieq's recorded ``show mlag detail``)."""


def pair_state(tree: Tree) -> PairState | None:
    """The pair; None without ``mlag configuration``, or while it lacks something."""
    node = tree.first("mlag configuration")
    if node is None:
        return None
    address = next((line.params["address"] for line in node.find("peer-address") if "address" in line.params), None)
    domain, local = node.value("domain-id", "domain"), node.value("local-interface", "interface")
    link = node.value("peer-link", "interface")
    if not (address and domain and local and link):
        return None
    heartbeat = node.first("peer-address heartbeat")
    vlan = local.removeprefix("Vlan")
    return PairState(
        domain=domain,
        peer_link=link,
        talks_on=local,
        vlan=int(vlan) if vlan.isdecimal() else None,
        peer_address=address,
        keepalive=heartbeat.params["heartbeat"] if heartbeat is not None else "",
        keepalive_vrf=heartbeat.params.get("vrf", "default") if heartbeat is not None else "default",
        priority=int(node.value("primary-priority", "priority") or _PRIORITY),
        compared=(_detection_delay(node), *_native_vlans(tree)),
        shuts_apart="all" if node.first("dual-primary detection delay") is not None else "",
    )


def _detection_delay(node: Node) -> Compared:
    return Compared("dual-primary-detection-delay", node.value("dual-primary detection delay", "seconds") or "0")


def _native_vlans(tree: Tree) -> Iterator[Compared]:
    """Of each group over both switches."""
    for node in tree.find("interface"):
        number = node.value("mlag", "mlag")
        if number is not None:
            native = node.value("switchport trunk native vlan", "vlan") or "1"
            yield Compared(f"trunk-native-vlan mlag{number}", native, interface=node.params["name"])

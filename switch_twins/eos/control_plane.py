"""The lists of ``system control-plane`` in a VRF: those of the default one as rules about packets."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from ..control_lists import TCP, UDP, ControlLists, Entry, Ports
from ..engine import Node, Tree
from .acl import PORT_NAMES

_PROTOCOLS = {"ip": None, "ipv6": None, "icmp": 1, "igmp": 2, "tcp": TCP, "udp": UDP, "icmpv6": 58, "ospf": 89} | {
    "vrrp": 112,
    "pim": 103,
    "ahp": 51,
}
_DEFAULT = "default"


def applied(tree: Tree, family: str, vrf: str | None) -> str | None:
    """The name of the list of a family (``ip``, ``ipv6``) in a VRF; None: the OS' own.

    ``vrf default`` is the same as none.
    """
    control = tree.first("system control-plane")
    lines = control.find(f"{family} access-group") if control is not None else ()
    here = [each.params["acl"] for each in lines if (each.params.get("vrf") or _DEFAULT) == (vrf or _DEFAULT)]
    return here[-1] if here else None


def control_lists(tree: Tree) -> ControlLists:
    """Those of the default VRF. A list that does not exist lets in everything."""
    return ControlLists(*(_rules(tree, family) for family in ("ip", "ipv6")))


def _rules(tree: Tree, family: str) -> tuple[Entry, ...] | None:
    name = applied(tree, family, None)
    node = tree.first(f"{family} access-list {name}") if name is not None else None
    return None if node is None else tuple(_entries(node))


def _entries(node: Node) -> Iterator[Entry]:
    for line in node.ordered():
        number, _, words = line.words.partition(" ")
        if number.isdigit() and words.split()[0] in ("permit", "deny"):
            yield _entry(words.split())


def _entry(words: list[str]) -> Entry:
    """Of a rule as EOS prints it; what it says of TTL and logging is left out."""
    permit, protocol, left = words[0] == "permit", words[1], words[2:]
    sides = []
    for _ in ("source", "destination"):
        word = left.pop(0)
        text = left.pop(0) if word == "host" else word
        sides.append((None if word == "any" else ip_network(text, strict=False), _ports(left)))
    (source, source_ports), (destination, ports) = sides
    number = _PROTOCOLS.get(protocol, int(protocol) if protocol.isdigit() else -1)
    return Entry(permit, number, source, destination, source_ports, ports, "established" in left)


def _ports(left: list[str]) -> Ports:
    """The ports that follow, taken from the words."""
    word = left[0] if left else ""
    if word not in ("eq", "range", "gt", "lt", "neq"):
        return ()
    left.pop(0)
    found = []
    while left and (left[0].isdigit() or left[0] in PORT_NAMES):
        name = left.pop(0)
        found.append(PORT_NAMES.get(name, int(name) if name.isdigit() else -1))
    first = found[0]
    ranges: dict[str, Ports] = {
        "eq": tuple((each, each) for each in found),
        "range": ((first, found[-1]),),
        "gt": ((first + 1, 65535),),
        "lt": ((0, first - 1),),
        "neq": ((0, first - 1), (first + 1, 65535)),
    }
    return ranges[word]

"""Spanning trees in NX-OS' show output. Pure.

Text of ``show spanning-tree`` (tests/recorded/nxos_show/spanning_tree_text.txt): its data has a source for one VLAN
alone. Which words it has for edge ports and for those that BPDUs shut has none, so neither is read.
"""

import re
from collections.abc import Iterator

from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.observed import TreePort, TreeState

_TREE = re.compile(r"^(?=(?:VLAN|MST)\d{4}\s*$)", re.MULTILINE)
_BRIDGE = re.compile(r"^  (Root|Bridge) ID +Priority +(\d+)[^\n]*\n +Address +(\S+)", re.MULTILINE)
_PORT = re.compile(r"^((?:Po|Eth)\d\S*) +\w+ ([A-Z]+)\*? +\d+ +\d+\.\d+ ", re.MULTILINE)
_FORWARDING = "FWD"
_STEP = 4096
"""IEEE 802.1Q: priorities are multiples of it; the rest of the number is the VLAN's or the instance's."""


def trees(text: str) -> Iterator[TreeState]:
    """Each tree that names both its root and this bridge."""
    for block in _blocks(text):
        bridges = {found[1]: found for found in _BRIDGE.finditer(block)}
        if bridges.keys() == {"Root", "Bridge"}:
            root, own = bridges["Root"], bridges["Bridge"]
            priority = int(root[2]) // _STEP * _STEP
            yield TreeState(block.split(maxsplit=1)[0], _mac(root[3]), priority, _mac(own[3]))


def tree_ports(text: str) -> Iterator[TreePort]:
    """The ports of all trees."""
    found: dict[str, TreePort] = {}
    for each in (row for block in _blocks(text) for row in _PORT.finditer(block)):
        port = re.sub(r"^Po(?=\d)", LAG, re.sub(r"^Eth(?=\d)", "Ethernet", each[1]))
        if port not in found or each[2] != _FORWARDING:
            found[port] = TreePort(port, each[2], each[2] == _FORWARDING, None, None)
    return iter(found.values())


def _blocks(text: str) -> list[str]:
    return _TREE.split(text)[1:]


def _mac(dotted: str) -> str:
    """``0200.5e00.0011`` -> ``02:00:5e:00:00:11``."""
    digits = dotted.replace(".", "").lower()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))

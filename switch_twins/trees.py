"""Spanning trees, judged from what both switches of a pair were given: which bridge is the root of each.

Layer 2 ends at a pair, so a tree has two bridges at most: those of a pair that is up and whose peer link carries the
tree's VLAN at both ends. The root is the one of smaller priority, then of the lower MAC address (IEEE 802.1Q, 13.26).
Two that are one bridge to others (NX-OS peer-switch), with one priority, are both the root.

Left out: time, path costs, hosts that send BPDUs, and with these every port that would have to block.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .state import SwitchState, TreeLines

if TYPE_CHECKING:
    from .fabric import FabricSim


@dataclass(frozen=True, slots=True)
class Bridge:
    """One switch in a tree. ``serial``: what its MAC address is made of, six hexadecimal digits.

    ``shared``: the whole address, twelve digits, of both switches of a pair that are one bridge; "": its own.
    """

    device: str
    priority: int
    shared: str = ""

    @property
    def serial(self) -> str:
        """The lower half of its MAC address."""
        return hashlib.sha256(f"bridge {self.device}".encode()).hexdigest()[:6]

    @property
    def rank(self) -> tuple[int, str]:
        """The smallest is the root."""
        return self.priority, self.shared or self.serial


@dataclass(frozen=True, slots=True)
class Tree:
    """How a switch sees one of its trees. ``peer``: the other bridge, None if it hears none."""

    lines: TreeLines
    own: Bridge
    peer: Bridge | None

    @property
    def root(self) -> Bridge:
        """The bridge that all go by."""
        return self.own if self.peer is None or self.own.rank < self.peer.rank else self.peer


def trees(fabric: FabricSim, device: str) -> tuple[Tree, ...]:
    """Every tree of a switch, in order of its configuration."""
    near, pairing = fabric.state(device), fabric.pair(device)
    far = pairing.peer if pairing is not None and pairing.is_peer_up else None
    return tuple(_tree(near, far, each) for each in near.trees)


def _tree(near: SwitchState, far: SwitchState | None, lines: TreeLines) -> Tree:
    there = next((each for each in far.trees if each.name == lines.name), None) if far is not None else None
    heard = far is not None and there is not None and _carries(near, lines.vlan) and _carries(far, lines.vlan)
    if not heard or far is None or there is None:
        return Tree(lines, Bridge(near.name, lines.priority), None)
    if (shared := _shared(near, far)) and there.priority == lines.priority:
        bridge = Bridge(near.name, lines.priority, shared)
        return Tree(lines, bridge, bridge)
    return Tree(lines, Bridge(near.name, lines.priority), Bridge(far.name, there.priority))


def _shared(near: SwitchState, far: SwitchState) -> str:
    """The address of both, where both say that they are one bridge; else each goes by its own."""
    found = {each.pair.bridge if each.pair is not None else "" for each in (near, far)}
    return found.pop() if len(found) == 1 else ""


def _carries(state: SwitchState, vlan: int | None) -> bool:
    link = state.pair.peer_link if state.pair is not None else ""
    return vlan is None or any(each.name == link and vlan in each.vlans for each in state.interfaces)

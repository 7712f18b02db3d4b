"""Spanning tree (IEEE 802.1Q) of a whole switch in the common model; a port's part in it is the port's (``edge``)."""

from dataclasses import dataclass
from typing import Literal

StpMode = Literal["rstp", "rapid-pvst", "mst"]
"""One tree for all VLANs, one for each VLAN, or instances that VLANs are mapped to: with us instance 0 alone."""

BRIDGE_PRIORITIES = range(4096, 61441, 4096)
"""IEEE 802.1Q: the upper four of sixteen bits; NVUE takes no 0 (nvueschema 0.1.0, stp.priority)."""


@dataclass(frozen=True, slots=True)
class SpanningTree:
    """The bridge that this switch is. Both switches of a pair have the same, so that either is the root."""

    mode: StpMode
    """The OS's own (``Capabilities.stp_mode``): layer 2 ends at a pair, whose switches are alike."""
    priority: int
    """Bridge priority of each tree, 4096 to 61440 in steps of 4096; the smallest becomes the root."""

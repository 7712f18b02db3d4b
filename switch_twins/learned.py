"""Addresses that a switch has learned: of what is cabled to its switched ports and was given one in the specification.

A host of which no address is said sends nothing, so nothing is learned at its port. Of ports in a group nothing is
learned here either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spec import End

if TYPE_CHECKING:
    from .fabric import FabricSim


@dataclass(frozen=True, slots=True)
class Learned:
    """One address, with colons, in the untagged VLAN of its port."""

    port: str
    vlan: int
    mac: str


def learned(fabric: FabricSim, device: str) -> Iterator[Learned]:
    """What one switch has learned, in order of its interfaces."""
    for each in fabric.state(device).interfaces:
        if each.access_vlan is None or each.is_group or each.group or not fabric.is_up(device, each.name):
            continue
        far, _ = fabric.wiring.far(End(device, each.name))
        host = fabric.wiring.hosts.get(far) if far is not None else None
        if host is not None and host.end is not None and host.end.mac:
            yield Learned(each.name, each.access_vlan, host.end.mac)

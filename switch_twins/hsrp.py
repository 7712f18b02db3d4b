"""Redundant gateways of which one switch answers (HSRP), judged from what both switches of a pair were given.

Of the members of a group that hear one another the one with the greater priority is active, of equal ones that with the
higher address of its own (RFC 2281, section 5.1; Cisco Nexus 9000 Unicast Routing Configuration Guide, Configuring
HSRP). Two switches hear one another in a VLAN where their pair is up and the peer link carries it at both ends; groups
of another number or version are not theirs.

Left out: time, and with it preemption: nothing has a past, so the greater priority is active whether or not it would
take over from another one.
Hosts pass no hellos on, and only a pair has a VLAN in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Literal

from .state import HsrpGroup, InterfaceState, SwitchState

if TYPE_CHECKING:
    from .fabric import FabricSim

Role = Literal["active", "standby", "initial"]


@dataclass(frozen=True, slots=True)
class HsrpMember:
    """One switch in a group: its own address, "" if it has none, and its priority."""

    address: str
    priority: int

    @property
    def rank(self) -> tuple[int, IPv4Address]:
        """The greatest is active."""
        return self.priority, IPv4Address(self.address)


@dataclass(frozen=True, slots=True)
class HsrpStanding:
    """How a switch sees one of its groups. ``other``: the member that it hears, None if it hears none."""

    interface: str
    group: HsrpGroup
    role: Role
    own: HsrpMember
    other: HsrpMember | None


def standings(fabric: FabricSim, device: str) -> tuple[HsrpStanding, ...]:
    """Every group of a switch, in order of its interfaces."""
    near = fabric.state(device)
    return tuple(_standing(fabric, near, each, group) for each in near.interfaces for group in each.hsrp)


def _standing(fabric: FabricSim, near: SwitchState, interface: InterfaceState, group: HsrpGroup) -> HsrpStanding:
    own = _member(interface, group)
    if not _speaks(fabric, near, interface, group):
        return HsrpStanding(interface.name, group, "initial", own, None)
    other = _heard(fabric, near, interface, group)
    role: Role = "active" if other is None or own.rank > other.rank else "standby"
    return HsrpStanding(interface.name, group, role, own, other)


def _member(interface: InterfaceState, group: HsrpGroup) -> HsrpMember:
    return HsrpMember(next(iter(interface.addresses), "").partition("/")[0], group.priority)


def _speaks(fabric: FabricSim, state: SwitchState, interface: InterfaceState, group: HsrpGroup) -> bool:
    return bool(group.address and interface.addresses) and fabric.is_up(state.name, interface.name)


def _heard(fabric: FabricSim, near: SwitchState, interface: InterfaceState, group: HsrpGroup) -> HsrpMember | None:
    """The same group on the same VLAN of the other switch of the pair, if its hellos arrive."""
    pairing, vlan = fabric.pair(near.name), interface.svi_vlan
    far = pairing.peer if pairing is not None and pairing.is_peer_up else None
    if far is None or vlan is None or not (_carries(near, vlan) and _carries(far, vlan)):
        return None
    for theirs in far.interfaces:
        for each in theirs.hsrp if theirs.svi_vlan == vlan else ():
            is_same = (each.number, each.version) == (group.number, group.version)
            if is_same and _speaks(fabric, far, theirs, each):
                return _member(theirs, each)
    return None


def _carries(state: SwitchState, vlan: int) -> bool:
    link = state.pair.peer_link if state.pair is not None else ""
    return any(each.name == link and vlan in each.vlans for each in state.interfaces)

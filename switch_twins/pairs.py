"""Pairs of switches (MLAG, vPC), judged from what both members were given.

The other member is the switch at the far ends of the peer link's cables. It is a peer while the peer link is up at both
ends and each is what the other was told: the same domain where the OS insists on it, the addresses they talk by, the
VLAN they talk in on the peer link. Its keepalive is heard while each has a route to the address it was given, that
address is the other's, and up. Both are worked out on demand; a switch in no pair costs nothing. What they do
about values that they have otherwise: consistency.py, by groups.py.

A secondary that does not hear its peer over the peer link, and hears its keepalive, shuts what its system shuts then
(``shut_apart``), and has it shut until they talk again, whatever becomes of the keepalive by that.

Left out: time (reload and detection delays, how long silence lasts), and with it whether a pair was up before, so one
whose peer is gone is taken to have been.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from .consistency import Difference, conflicts
from .spec import End
from .state import InterfaceState, PairState, SwitchState

if TYPE_CHECKING:
    from .solution import Route
    from .wiring import Wiring

Role = Literal["primary", "secondary", ""]

PEER_LINK_DOWN = "the peer link is down"
OTHER_DOMAIN = "the other switch is in another domain"


class Fabric(Protocol):
    """What a pair is judged by."""

    @property
    def wiring(self) -> Wiring:
        """Its cables."""

    def state(self, device: str) -> SwitchState:
        """The meaning of a switch's configuration."""

    def knows(self, device: str) -> bool:
        """Is this a switch of the lab?"""

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up."""

    def rib(self, device: str, vrf: str) -> Mapping[str, Route]:
        """A switch's table of routes."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How a member sees its pair.

    peer         the switch at the far end of the peer link's cables; None: none of the lab's
    reason       why it is no peer, "" while it is one
    role         of this member by priority; "" while the other one was never known
    is_alone     the peer is neither heard over the peer link nor by its keepalive
    differences  empty while there is no peer to compare with
    """

    config: PairState
    peer: SwitchState | None
    is_peer_link_up: bool
    reason: str
    is_keepalive_alive: bool
    role: Role
    is_alone: bool
    differences: tuple[Difference, ...] = ()

    @property
    def is_peer_up(self) -> bool:
        """Do both talk over the peer link?"""
        return not self.reason


def judge(fabric: Fabric, device: str) -> Pairing | None:
    """The pair as this switch sees it; None if it is in none."""
    near = fabric.state(device)
    if near.pair is None:
        return None
    far = _far(fabric, near, near.pair)
    reason = _why_apart(fabric, near, near.pair, far)
    hears = far is not None and _reaches(fabric, near, far) and _reaches(fabric, far, near)
    return Pairing(
        config=near.pair,
        peer=far,
        is_peer_link_up=fabric.is_up(device, near.pair.peer_link),
        reason=reason,
        is_keepalive_alive=hears,
        role=_role(near, near.pair, far) if reason != OTHER_DOMAIN else "",
        is_alone=bool(reason) and not hears,
        differences=tuple(conflicts(near.pair, far.pair)) if not reason and far is not None and far.pair else (),
    )


def shut_apart(fabric: Fabric, devices: Iterable[str]) -> dict[str, frozenset[str]]:
    """Of these switches' pairs, each secondary that is apart from a peer that is alive -> the ports that it shuts.

    ``fabric``: as it is simulated. In a lab that sends packets a kernel's bonds come up later than they may.
    """
    found = {}
    for device in devices:
        one = fabric.state(device)
        other = _far(fabric, one, one.pair) if one.pair is not None else None
        if one.pair is None or other is None or other.pair is None:
            continue
        is_second = _role(one, one.pair, other) == "secondary"
        near, pair, far = (one, one.pair, other) if is_second else (other, other.pair, one)
        is_apart = pair.shuts_apart and _why_apart(fabric, near, pair, far) not in ("", OTHER_DOMAIN)
        if is_apart and _reaches(fabric, near, far) and _reaches(fabric, far, near):
            found[near.name] = _shut(near, pair)
    return found


def _shut(near: SwitchState, pair: PairState) -> frozenset[str]:
    """Groups over both with their members; or all ports, but for those of the peer link and for management."""
    groups = {each.name for each in near.interfaces if each.over_both}
    if pair.shuts_apart == "groups":
        return frozenset(each.name for each in near.interfaces if groups & {each.name, each.group})
    ports = (each for each in near.interfaces if each.is_group or each.name.startswith("Ethernet"))
    return frozenset(each.name for each in ports if pair.peer_link not in (each.name, each.group))


def _far(fabric: Fabric, near: SwitchState, pair: PairState) -> SwitchState | None:
    """The switch at the far end of the first cable of the peer link, be it up or down."""
    for port in near.interfaces:
        if port.group == pair.peer_link:
            end, _ = fabric.wiring.far(End(near.name, port.name))
            if end is not None and end not in fabric.wiring.hosts and fabric.knows(end.device):
                return fabric.state(end.device)
    return None


def _why_apart(fabric: Fabric, near: SwitchState, mine: PairState, far: SwitchState | None) -> str:
    if far is None or far.pair is None or far.os != near.os:
        return PEER_LINK_DOWN if not fabric.is_up(near.name, mine.peer_link) else "the other switch is in no pair"
    its = far.pair
    if not (fabric.is_up(near.name, mine.peer_link) and fabric.is_up(far.name, its.peer_link)):
        return PEER_LINK_DOWN
    if mine.needs_same_domain and mine.domain != its.domain:
        return OTHER_DOMAIN
    for one, other in ((near, far), (far, near)):
        silent = _why_silent(fabric, one, other)
        if silent:
            return silent
    return ""


def _why_silent(fabric: Fabric, one: SwitchState, other: SwitchState) -> str:
    """Why nothing that one member says over the peer link arrives at the other."""
    one_pair, other_pair = one.pair, other.pair
    if one_pair is None or other_pair is None or not one_pair.talks_on:
        return ""
    if not fabric.is_up(one.name, one_pair.talks_on):
        return f"{one_pair.talks_on} is down"
    if one_pair.vlan is not None and one_pair.vlan not in _carried(one, one_pair.peer_link):
        return f"the peer link does not carry VLAN {one_pair.vlan}"
    if one_pair.vlan != other_pair.vlan:
        return "both talk in different VLANs"
    if one_pair.peer_address and one_pair.peer_address not in _addresses(other, other_pair.talks_on):
        return f"the other switch has not {one_pair.peer_address}"
    return ""


def _carried(state: SwitchState, name: str) -> frozenset[int]:
    return next((each.vlans for each in state.interfaces if each.name == name), frozenset())


def _addresses(state: SwitchState, name: str) -> tuple[str, ...]:
    found = next((each.addresses for each in state.interfaces if each.name == name), ())
    return tuple(_plain(each) for each in found)


def _plain(address: str) -> str:
    return address.partition("/")[0]


def _reaches(fabric: Fabric, one: SwitchState, other: SwitchState) -> bool:
    """Do the keepalives of one member arrive at the other?"""
    if one.pair is None or not one.pair.keepalive:
        return False
    address, vrf = one.pair.keepalive, one.pair.keepalive_vrf
    owners = (each for each in other.interfaces if _owns(each, address, vrf))
    if not any(fabric.is_up(other.name, each.name) for each in owners):
        return False
    return _has_route(fabric.rib(one.name, vrf), address)


def _owns(interface: InterfaceState, address: str, vrf: str) -> bool:
    return interface.vrf == vrf and address in map(_plain, interface.addresses)


def _has_route(rib: Mapping[str, object], address: str) -> bool:
    """Whether a table of routes has one to this address, of whatever length."""
    return any(str(ipaddress.ip_network(f"{address}/{length}", strict=False)) in rib for length in range(32, -1, -1))


def _role(near: SwitchState, mine: PairState, far: SwitchState | None) -> Role:
    """By priority; of equal ones, switches go by their MAC addresses, which follow the names here."""
    if far is None or far.pair is None:
        return "primary"
    is_first = (mine.priority, near.name) <= (far.pair.priority, far.name)
    return "primary" if is_first else "secondary"

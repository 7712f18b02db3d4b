"""Who answers a ping: packets are followed route by route, there and back, over the tables and links as they are.

Of equal next hops the first is taken, for equal cost says that all lead there. Left out: access lists, ICMP's rates,
what a host has beyond its addresses (it knows the way back to a sender), VRFs at far ends other than the port's.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .solution import Route
from .spec import End
from .state import InterfaceState

if TYPE_CHECKING:
    from .fabric import FabricSim

_MOST_HOPS = 64
_NO_ROUTE, _NOT_OURS = "ping: connect: Network is unreachable", "ping: bind: Cannot assign requested address"


@dataclass(frozen=True, slots=True)
class Ping:
    """What is asked. ``source``: an address, an interface or ""; ``keeps_whole``: it must not be fragmented."""

    device: str
    vrf: str
    destination: str
    source: str = ""
    size_bytes: int = 100
    keeps_whole: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What came of it. ``mistake``: nothing was sent; ``mtu_bytes``: of the own port, where it was too small."""

    answers: bool = False
    source: str = ""
    mistake: str = ""
    mtu_bytes: int = 0


def ping(fabric: FabricSim, request: Ping) -> Found:
    """Follow a ping and its answer."""
    route = _route(fabric, request.device, request.vrf, request.destination)
    is_own = _owns(fabric, request.device, request.vrf, request.destination)
    if route is None and not is_own:
        return Found(mistake=_NO_ROUTE)
    egress = _interface(fabric, request.device, route.next_hops[0].interface) if route is not None else None
    source = _source(fabric, request, egress)
    if not source:
        return Found(mistake=_NOT_OURS)
    if not is_own and request.keeps_whole and egress is not None and request.size_bytes > egress.mtu_bytes:
        return Found(source=source, mtu_bytes=egress.mtu_bytes)
    there = _walk(fabric, request.device, request.vrf, request.destination, request)
    if there is None:
        return Found(source=source)
    device, vrf = there
    is_back = device == "" or _walk(fabric, device, vrf, source, request) == (request.device, request.vrf)
    return Found(answers=is_back, source=source)


def _source(fabric: FabricSim, request: Ping, egress: InterfaceState | None) -> str:
    if request.source[:1].isdigit():
        return request.source if _owns(fabric, request.device, request.vrf, request.source) else ""
    chosen = _interface(fabric, request.device, request.source) if request.source else egress
    if request.source and chosen is None:
        return ""
    addresses = chosen.addresses if chosen is not None else ()
    return addresses[0].partition("/")[0] if addresses else request.destination


def _walk(fabric: FabricSim, device: str, vrf: str, address: str, request: Ping) -> tuple[str, str] | None:
    """Where a packet ends: (switch, VRF), ("", "") at a host, None where it is lost."""
    for _ in range(_MOST_HOPS):
        if _owns(fabric, device, vrf, address):
            return device, vrf
        route = _route(fabric, device, vrf, address)
        if route is None or not route.next_hops[0].interface:
            return None
        hop = route.next_hops[0]
        egress = _interface(fabric, device, hop.interface)
        if egress is None or request.size_bytes > egress.mtu_bytes:
            return None
        target = hop.address or address
        if any(target in addresses for addresses in _hosts_at(fabric, device, egress)):
            return "", ""
        following = _switch_at(fabric, device, egress, target)
        if following is None:
            return None
        device, vrf = following
    return None


def _switch_at(fabric: FabricSim, device: str, egress: InterfaceState, address: str) -> tuple[str, str] | None:
    """The switch behind an interface that has this address there, with the VRF that it is in."""
    for port in ports_of(fabric, device, egress):
        end, _ = fabric.wiring.far(End(device, port))
        if end is None or not fabric.knows(end.device):
            continue
        for each in fabric.state(end.device).interfaces:
            if address in map(_plain, each.addresses) and fabric.is_up(end.device, each.name):
                return end.device, each.vrf
    return None


def _hosts_at(fabric: FabricSim, device: str, egress: InterfaceState) -> Iterator[set[str]]:
    """The addresses of each host behind an interface, on ports that are up."""
    for port in ports_of(fabric, device, egress):
        end, _ = fabric.wiring.far(End(device, port))
        host = fabric.wiring.hosts.get(end) if end is not None else None
        if host is None or host.end is None:
            continue
        bond = host.end.bond
        bonded = [address for vlan in bond.vlans for address in vlan.addresses] if bond is not None else []
        yield {_plain(address) for address in (*host.end.addresses, *bonded)}


def ports_of(fabric: FabricSim, device: str, egress: InterfaceState) -> list[str]:
    """The ports that are up by which an interface's packets leave: its own, or all that carry its VLAN."""
    if egress.svi_vlan is None:
        return [egress.on_port] if fabric.is_up(device, egress.on_port) else []
    carrying = [each for each in fabric.state(device).interfaces if egress.svi_vlan in each.vlans]
    groups = {each.name for each in carrying if each.is_group}
    own = [each.name for each in carrying if not each.is_group and fabric.is_up(device, each.name)]
    bundled = [each.port for group in groups for each in fabric.members(device, group) if each.is_bundled]
    return [*own, *bundled]


def _interface(fabric: FabricSim, device: str, name: str) -> InterfaceState | None:
    return next((each for each in fabric.state(device).interfaces if each.name.lower() == name.lower()), None)


def _owns(fabric: FabricSim, device: str, vrf: str, address: str) -> bool:
    own = (each for each in fabric.state(device).interfaces if each.vrf == vrf and each.addresses)
    return any(address in map(_plain, each.addresses) and _is_up(fabric, device, each) for each in own)


def _is_up(fabric: FabricSim, device: str, interface: InterfaceState) -> bool:
    return interface.is_loopback or fabric.is_up(device, interface.name)


def _route(fabric: FabricSim, device: str, vrf: str, address: str) -> Route | None:
    return longest_match(fabric.rib(device, vrf), address)


def longest_match(table: Mapping[str, Route], address: str) -> Route | None:
    """The most specific route to an address."""
    for length in range(32, -1, -1):
        found = table.get(str(ipaddress.ip_network(f"{address}/{length}", strict=False)))
        if found is not None:
            return found
    return None


def _plain(address: str) -> str:
    return address.partition("/")[0]

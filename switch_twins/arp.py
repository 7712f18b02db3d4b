"""Whom a switch has resolved: ARP's table, of those that it has exchanged packets with.

These are the far ends of BGP sessions that are up, and hosts that were given addresses, whose frames arrive at a
switched port (learned.py) in the VLAN of an interface with an address of their network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .learned import learned
from .policy import address_number, network_of, prefix_text
from .spec import End

if TYPE_CHECKING:
    from .fabric import FabricSim


@dataclass(frozen=True, slots=True)
class Resolved:
    """One entry. ``interface``: it has an address of the network; ``port``: where the MAC was learned, if another."""

    address: str
    mac: str
    interface: str
    vrf: str
    port: str = ""


def resolved(fabric: FabricSim, device: str) -> list[Resolved]:
    """ARP's table of one switch, all VRFs, in order of the addresses."""
    return sorted({*_peers(fabric, device), *_hosts(fabric, device)}, key=lambda each: address_number(each.address))


def _peers(fabric: FabricSim, device: str) -> Iterator[Resolved]:
    for session in fabric.sessions(device):
        if session.state != "established" or session.peer_key is None or ":" in session.peer_address:
            continue
        far = fabric.session(session.peer_key)
        if session.interface and far is not None and far.interface:
            mac = fabric.mac(far.device, far.interface)
            yield Resolved(session.peer_address, mac, session.interface, session.vrf)


def _hosts(fabric: FabricSim, device: str) -> Iterator[Resolved]:
    routed = {
        (each.svi_vlan, network_of(address)): each
        for each in fabric.state(device).interfaces
        if each.svi_vlan is not None and fabric.is_up(device, each.name)
        for address in each.addresses
    }
    for each in learned(fabric, device):
        far, _ = fabric.wiring.far(End(device, each.port))
        host = fabric.wiring.hosts.get(far) if far is not None else None
        for address in host.end.addresses if host is not None and host.end is not None else ():
            if ":" in address:
                continue
            svi = routed.get((each.vlan, network_of(prefix_text(address))))
            if svi is not None:
                yield Resolved(address.partition("/")[0], each.mac, svi.name, svi.vrf, each.port)

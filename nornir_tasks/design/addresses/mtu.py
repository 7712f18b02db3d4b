"""The MTU of every port, decided here alone, with the reason where it differs from the intended one.

A circuit gets the MTU that the intent sets for switch ports, but no more than every switch at its ends supports: both
ends are equal. A port that is switched into a VLAN may need another MTU, where its system cannot set it per port. A
host has its plane's MTU, which every switch on the way carries (``refusal``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.links import Circuit, Endpoint, Link
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.settings import Terms

Limit = Literal["own", "far", "jumbo", "unchecked"]
"""The limit of a port's MTU. own: its system's maximum; far: the far end's maximum; jumbo: switched ports of its system
have either the switch's jumbo MTU or the default one; unchecked: its system does not check switched frames."""


@dataclass(frozen=True, slots=True)
class PortMtu:
    """The IP MTU of one switch's end of a circuit, in bytes."""

    intended_bytes: int
    """The MTU in the intent; of a switched port, the circuit's."""
    configured_bytes: int | None
    """None: there is nothing to configure."""
    limit: Limit | None = None
    """Why the configured MTU differs from the intended one; None where it does not."""
    far: Endpoint | None = None
    """The end with the lower maximum, if ``limit`` is ``far``."""


def agreed_bytes(intended_bytes: int, *ends: Capabilities) -> int:
    """The MTU of a circuit between these switches."""
    return min(intended_bytes, *(end.max_mtu_bytes for end in ends))


def of_ports(network: Network, device: Device) -> Mapping[str, PortMtu]:
    """Port -> its MTU, of all ports and subinterfaces of a switch in use. Of several circuits the largest counts."""
    intended_bytes, own = network.fabric_of(device).mtu_bytes, device.capabilities
    found: dict[str, PortMtu] = {}
    for circuit in network.circuits_of(device.name):
        mtu = _of_end(network, circuit, device, intended_bytes)
        for port in {circuit.link.end(device.name).port, circuit.interface(device.name)}:
            if port not in found or (mtu.configured_bytes or 0) > (found[port].configured_bytes or 0):
                found[port] = mtu
    for plane in network.planes_on(device.fabric):
        if (
            plane.host_vlan is not None
            and not plane.is_bonded
            and network.host_block(device.name, plane.name) is not None
        ):
            found[f"{own.svi_prefix}{plane.host_vlan}"] = _of_svi(intended_bytes, own)
        for segment in network.segments_at(device.name, plane.name):
            found[f"{own.svi_prefix}{segment.vlan}"] = _of_svi(intended_bytes, own)
    return found


def _of_svi(intended_bytes: int, own: Capabilities) -> PortMtu:
    return _routed(intended_bytes, agreed_bytes(intended_bytes, own), own.max_mtu_bytes)


def of_link(network: Network, link: Link) -> int:
    """The MTU that a port needs for all circuits on its link; a subinterface and a VLAN may have less."""
    return max(each.use.mtu_bytes for each in network.circuits_on(link))


def of_group(intended_bytes: int, own: Capabilities, *, is_switched: bool) -> PortMtu:
    """The MTU of a link aggregation group's interface."""
    agreed = agreed_bytes(intended_bytes, own)
    if is_switched:
        return _switched(agreed, own.max_mtu_bytes, own.access_mtu)
    return _routed(intended_bytes, agreed, own.max_mtu_bytes)


def takers(network: Network, circuit: Circuit) -> tuple[tuple[str, int], ...]:
    """(system, its maximum) of each kind of switch at the ends of a circuit."""
    names = (circuit.link.upper.device, circuit.link.lower.device)
    switches = (network.device(name) for name in names if name in network)
    return tuple(sorted({(each.os, each.capabilities.max_mtu_bytes) for each in switches}))


def of_lossless_classes(own: Capabilities) -> int | None:
    """The MTU of the lossless classes, on a system with an MTU per class: no port may have a larger one."""
    return own.max_mtu_bytes if own.has_class_mtu else None


def refusal(what: str, most_bytes: int | None, terms: Terms) -> Iterator[Finding]:
    """Refuse something on the hosts' path with a smaller MTU than theirs: ``what`` names it; None: no limit."""
    if most_bytes is not None and terms.host_mtu_bytes > most_bytes:
        yield Finding(terms.host_mtu_at, what, f"at most {most_bytes}", str(terms.host_mtu_bytes))


def _of_end(network: Network, circuit: Circuit, device: Device, intended_bytes: int) -> PortMtu:
    agreed, own = circuit.use.mtu_bytes, device.capabilities
    if circuit.use.segment is not None:
        return _switched(agreed, own.max_mtu_bytes, own.access_mtu)
    if agreed in (intended_bytes, own.max_mtu_bytes):
        return _routed(intended_bytes, agreed, own.max_mtu_bytes)
    far = circuit.link.far(device.name)
    if far.device in network and network.device(far.device).capabilities.max_mtu_bytes == agreed:
        return PortMtu(intended_bytes, agreed, "far", far)
    return PortMtu(agreed, agreed)  # the circuit's owner intends a smaller one


@cache
def _routed(intended_bytes: int, agreed: int, own_bytes: int) -> PortMtu:
    return PortMtu(intended_bytes, agreed, "own" if agreed != intended_bytes and agreed == own_bytes else None)


@cache
def _switched(agreed: int, own_bytes: int, kind: Literal["any", "jumbo", "none"]) -> PortMtu:
    if kind == "jumbo":
        return PortMtu(agreed, own_bytes, "jumbo")
    if kind == "none":
        return PortMtu(agreed, None, "unchecked")
    return PortMtu(agreed, agreed)

"""Redundant gateways of SVIs: an address that hosts use as their router, and that both switches of a pair answer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialPort
from nornir_tasks.errors import Problem

_MAX_PRIORITY = 255
"""Of HSRP: terraform-provider-nxos, hsrp.yaml."""


def within(gateway: Gateway | None, known: Capabilities) -> Gateway | None:
    """The gateway without what the OS has no line for."""
    if gateway is None:
        return None
    gateway = replace(gateway, ipv6_address=_as_printed(gateway.ipv6_address), mac_address=_lower(gateway.mac_address))
    limited = gateway if known.gateway_mac != "none" else replace(gateway, mac_address=None)
    if not known.has_gateway_roles:
        return replace(limited, group=None, priority=None, preempt=False)
    return limited if limited.priority is not None else replace(limited, priority=known.default_gateway_priority)


def _as_printed(address: str | None) -> str | None:
    """As switches print it (RFC 5952); what is no address stays, and ``problems`` has it."""
    try:
        return None if address is None else str(ip_address(address))
    except ValueError:
        return address


def _lower(mac: str | None) -> str | None:
    return None if mac is None else mac.lower()


def problems(device: str, ports: Mapping[str, PartialPort], known: Capabilities) -> Iterator[Problem]:
    """All problems with the wanted gateways of one switch."""
    wanted = {name: (port, port.gateway) for name, port in ports.items() if port.gateway is not None}
    for name, (port, gateway) in wanted.items():
        where = f"{device} {name}"
        if not known.has_gateways:
            yield Problem(where, f"no redundant gateway can be configured: {known.gateway_gap}", "one of its own")
        elif not name.startswith(known.svi_prefix):
            yield Problem(where, "a redundant gateway is an SVI's", f"{known.svi_prefix}<number>", name)
        else:
            yield from _of_svi(where, port, gateway, known)
    macs = sorted({str(gateway.mac_address) for _, gateway in wanted.values()})
    if known.gateway_mac == "switch" and len(macs) > 1:
        what = "the gateways of a switch have one MAC address here"
        yield Problem(device, what, "the same for all", ", ".join(macs))


def _of_svi(where: str, port: PartialPort, gateway: Gateway, known: Capabilities) -> Iterator[Problem]:
    pairs = ((gateway.address, port.address), (gateway.ipv6_address, port.ipv6_address))
    if not any(virtual for virtual, _ in pairs):
        yield Problem(where, "a redundant gateway without an address")
    for virtual, own in pairs:
        if virtual is not None and not _is_beside(virtual, own):
            hint = "each switch of a pair has an address of its own, and both the gateway's"
            yield Problem(where, "the gateway is no other address of the SVI's subnet", str(own), virtual, hint)
    if known.gateway_mac != "none" and gateway.mac_address is None:
        yield Problem(where, "a redundant gateway without a MAC address", "00:00:5e:00:01:ff")
    if known.has_gateway_roles and (gateway.group is None or not 0 <= gateway.group <= known.max_gateway_group):
        yield Problem(where, "no such group", f"0 to {known.max_gateway_group}", str(gateway.group))
    if known.has_gateway_roles and not 0 <= (gateway.priority or 0) <= _MAX_PRIORITY:
        yield Problem(where, "no such priority", f"0 to {_MAX_PRIORITY}", str(gateway.priority))


def _is_beside(virtual: str, own: str | None) -> bool:
    try:
        there: IPv4Interface | IPv6Interface | None = None if own is None else ip_interface(own)
        return there is not None and ip_address(virtual) in there.network and ip_address(virtual) != there.ip
    except ValueError:
        return False

"""DHCP relays of NVUE data: each SVI has a group of servers of its own, called like it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface

from nornir_tasks.design.config.bgp import Bgp
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.realise.relay_rules import in_order
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take, take_empty

_RELAY = ("service", "dhcp-relay")


def uplinks(interfaces: Iterable[Interface], bgp: Bgp | None, vrf: str | None) -> list[str]:
    """The routed ports to neighbours in a VRF: servers are behind them, and answers come in there.

    Source: docs514 Layer-1-and-Switch-Ports/DHCP/DHCP-Relays.md, Basic Configuration.
    """
    sessions = [each for each in bgp.neighbors if each.vrf == vrf] if bgp is not None else []
    unnumbered = {each.interface for each in sessions if each.interface is not None}
    addresses = {ip_address(each.peer) for each in sessions if each.interface is None}
    return [port.name for port in interfaces if port.name in unnumbered or _is_towards(port, vrf, addresses)]


def _is_towards(port: Interface, vrf: str | None, addresses: set[IPv4Address | IPv6Address]) -> bool:
    if port.address is None or port.vrf != vrf:
        return False
    own = ip_interface(port.address)
    return any(each != own.ip for each in addresses.intersection(own.network.hosts()))


def with_relays(data: Data, interfaces: tuple[Interface, ...], bgp: Bgp | None) -> tuple[Interface, ...]:
    """The interfaces, each SVI with the servers that it relays to. What is not whole stays in the data."""
    if look(data, *_RELAY) is None:
        return interfaces
    found = dict(_relays(data, interfaces, bgp))
    return tuple(replace(each, dhcp_servers=found[each.name]) if each.name in found else each for each in interfaces)


def _relays(data: Data, interfaces: tuple[Interface, ...], bgp: Bgp | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    for svi in (each for each in interfaces if each.name.startswith("vlan")):
        at = (*_RELAY, svi.vrf or "default")
        group, named = (*at, "server-group", svi.name), (*at, "downstream-interface", svi.name, "server-group-name")
        servers = [key for key, below in entries(data, *group, "server") if not below]
        ports = [key for key, below in entries(data, *group, "upstream-interface") if not below]
        if not servers or look(data, *named) != svi.name or set(ports) != set(uplinks(interfaces, bgp, svi.vrf)):
            continue
        for kind, keys in (("server", servers), ("upstream-interface", ports)):
            for key in keys:
                take_empty(data, *group, kind, key)
        take(data, *named)
        yield svi.name, in_order(servers)

"""Hosts of a lab that are namespaces: their ports, bonds, VLANs, addresses and routes, as lines of ``ip``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..spec import Host, HostBond, HostRoute
from .names import kernel_name

_MONITORED_MS = 100
_RATES = {True: "fast", False: "slow"}


def bonds_of(ports: Iterable[Host]) -> tuple[HostBond, ...]:
    """The bonds that these ports of a host are in."""
    found = (each.end.bond for each in ports if each.end is not None and each.end.bond is not None)
    return tuple({each.name: each for each in found}.values())


def bond_lines(bond: HostBond) -> Iterator[str]:
    """What makes a bond, before it has members. It is balanced by flows, as the leaves' groups are."""
    rate = f" lacp_active {'on' if bond.lacp_active else 'off'} lacp_rate {_RATES[bond.lacp_is_fast]}"
    mode = "balance-xor" if bond.lacp_active is None else f"802.3ad{rate}"
    name = kernel_name(bond.name)
    yield f"link add name {name} type bond mode {mode} miimon {_MONITORED_MS} xmit_hash_policy layer3+4"
    yield f"link set {name} mtu {bond.mtu_bytes}"


def vlan_lines(bond: HostBond) -> Iterator[str]:
    """What a bond has: addresses of its own or in VLANs, and routes by these."""
    name = kernel_name(bond.name)
    yield f"link set {name} up"
    for vlan in bond.vlans:
        port = name if vlan.tag is None else kernel_name(f"{bond.name}.{vlan.tag}")
        if vlan.tag is not None:
            yield f"link add link {name} name {port} type vlan id {vlan.tag}"
        for address in vlan.addresses:
            yield f"address add {address} dev {port}{' nodad' if ':' in address else ''}"
        yield f"link set {port} up"
        yield from (_route(each, port) for each in vlan.routes)


def port_lines(ports: Iterable[Host], *, has_bonds: bool) -> Iterator[str]:
    """Hosts' ports with the addresses that they were told of, or in their bonds."""
    for port in ports:
        name, end = kernel_name(port.port), port.end
        if end is not None and end.mac:
            yield f"link set {name} address {end.mac}"
        yield f"link set {name} mtu {port.mtu_bytes}"
        if end is not None and end.bond is not None and has_bonds:
            yield f"link set {name} master {kernel_name(end.bond.name)}"
        for address in end.addresses if end is not None else ():
            yield f"address add {address} dev {name}{' nodad' if ':' in address else ''}"
        yield f"link set {name} up"
        yield from (_route(each, name) for each in (end.routes if end is not None else ()))


def _route(route: HostRoute, port: str) -> str:
    table = "" if route.table is None else f" table {route.table}"
    return f"route add {route.to} via {route.via} dev {port}{table}"


def rules(ports: Iterable[Host]) -> Iterator[str]:
    """Which packets look where: those from a port's address in the tables of its routes. They outlast the port."""
    for port in ports:
        if port.end is not None and port.end.addresses:
            tables = dict.fromkeys(each.table for each in port.end.routes if each.table is not None)
            source = port.end.addresses[0].partition("/")[0]
            yield from (f"rule add from {source} lookup {table}" for table in tables)

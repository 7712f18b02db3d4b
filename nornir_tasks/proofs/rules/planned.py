"""The routes that a firewall of the design has while it has the shared addresses, in the form of ``ip -j route``."""

from collections.abc import Iterator
from ipaddress import ip_interface, ip_network
from typing import Any

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary_vars import FirewallVars


def planned_routes(firewall: FirewallVars, *, has_shared: bool = True) -> dict[Family, list[dict[str, Any]]]:
    """As its role gives them: links, own addresses; with the shared ones the routes of zones and what is published."""
    found: dict[Family, list[dict[str, Any]]] = {"ipv4": [], "ipv6": []}
    for each in _routes(firewall, has_shared=has_shared):
        found["ipv6" if ":" in each["dst"] or ":" in each.get("gateway", "") else "ipv4"].append(each)
    return found


def planned_ports(firewall: FirewallVars) -> tuple[str, ...]:
    """Names of all its ports."""
    return (*(zone.port for zone in firewall.zones), firewall.sync.port, firewall.management.port, "lo")


def _routes(firewall: FirewallVars, *, has_shared: bool) -> Iterator[dict[str, Any]]:
    for zone in firewall.zones:
        shared = (zone.shared, zone.shared_v6) if has_shared else ()
        for address in filter(None, (zone.address, zone.address_v6, *shared)):
            yield from _of_address(address, zone.port)
        if not has_shared:
            continue
        for address in zone.published:
            yield {"type": "local", "dst": address.partition("/")[0], "dev": zone.port, "table": "local"}
        for route in zone.routes:
            yield {"dst": route.to, "gateway": route.via, "dev": zone.port}
    yield from _of_address(firewall.sync.address, firewall.sync.port)


def _of_address(address: str, port: str) -> Iterator[dict[str, Any]]:
    """What the kernel adds with an address: its subnet, itself, and where all on the link are meant."""
    own = ip_interface(address)
    yield {"dst": str(own.network), "dev": port, "protocol": "kernel", "scope": "link"}
    yield {"type": "local", "dst": str(own.ip), "dev": port, "table": "local"}
    last = str(ip_network(own.network).broadcast_address)
    if own.version == 4 and own.network.prefixlen < 31:
        yield {"type": "broadcast", "dst": last, "dev": port, "table": "local"}
    if own.version == 6 and own.network.prefixlen < 127:
        # The subnet-router anycast address, of a machine that forwards (RFC 4291, 2.6.1).
        yield {"type": "anycast", "dst": str(own.network.network_address), "dev": port, "table": "local"}

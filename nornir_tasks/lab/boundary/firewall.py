"""A firewall of the design in namespaces: its ports, and its addresses and routes while it has the shared ones."""

from collections.abc import Collection, Iterator, Mapping
from ipaddress import ip_interface, ip_network

from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.lab.boundary.room import Room


def room_for(firewall: FirewallVars, there: Mapping[str, Collection[str]]) -> Room:
    """A room with all its ports; no rules yet."""
    ports = (*(zone.port for zone in firewall.zones), firewall.sync.port, firewall.management.port)
    return Room({port: sorted(there.get(port, ())) for port in ports}, tuple(_commands(firewall)))


def _commands(firewall: FirewallVars) -> Iterator[list[str]]:
    for zone in firewall.zones:
        for address in filter(None, (zone.address, zone.shared, zone.address_v6, zone.shared_v6, *zone.published)):
            yield ["ip", "address", "add", address, "dev", zone.port, *(["nodad"] if ":" in address else [])]
    yield ["ip", "address", "add", firewall.sync.address, "dev", firewall.sync.port]
    for zone in firewall.zones:
        for route in zone.routes:
            yield ["ip", "route", "add", route.to, "via", route.via, "dev", zone.port]
    for prefix in _of_management(firewall):
        yield ["ip", "route", "add", prefix, "dev", firewall.management.port]


def _of_management(firewall: FirewallVars) -> Iterator[str]:
    """Who manages it is behind the management port, unless a zone's route leads there."""
    zones = [ip_network(route.to) for zone in firewall.zones for route in zone.routes]
    zones += [ip_interface(each).network for zone in firewall.zones for each in (zone.shared, zone.shared_v6) if each]
    taken = [each for each in zones if each.prefixlen]
    for each in map(ip_network, (*firewall.management.clients, *firewall.management.clients_v6)):
        if not any(each.version == other.version and each.overlaps(other) for other in taken):
            yield str(each)

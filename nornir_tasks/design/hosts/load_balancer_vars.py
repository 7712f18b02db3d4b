"""The variables of the load balancers' role: published services, and the addresses of their servers."""

from typing import Annotated, Any, Literal

from pydantic import Field

from nornir_tasks.design.hosts.boundary import are_firewalls
from nornir_tasks.design.hosts.boundary_vars import FIREWALLS
from nornir_tasks.design.hosts.host_parts import Vars
from nornir_tasks.design.hosts.role_vars import as_ansible
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BalancersIntent, BoundaryIntent, HealthIntent, PublishedIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import groups_of, links_of

BALANCERS = ("balancer-1", "balancer-2")
PRIORITIES = (150, 100)
"""Of VRRP. The first one begins; the one that has the addresses keeps them."""
ROUTER_ID = 101
"""Of VRRP, IPv4 and IPv6 alike; those of the firewalls, which may be on the same link, count from 51."""


class ServerVars(Vars):
    """A host that serves."""

    name: str
    address: str


class PublishedVars(Vars):
    """One published service."""

    name: str
    addresses: tuple[str, ...]
    """Where it is found, of both families."""
    ports: tuple[str, ...]
    """``443``, ``8000-8100``: what comes there goes to the servers as it is."""
    tls_ports: tuple[str, ...]
    """The same of ports where TLS ends."""
    proxy: bool
    """Are servers told the client's address by the PROXY protocol?"""
    server_port: int
    servers: tuple[ServerVars, ...]
    check: Literal["tcp", "http"]
    path: str | None
    """http: what is asked for."""
    interval_s: int


class LoadBalancerVars(Vars):
    """Role load_balancer."""

    shares: bool
    """Are published addresses its own to share with the other balancer? False: it is a firewall, which shares them."""
    port: str
    router_id: int
    priority: Annotated[int, Field(ge=1, le=254)]
    address: str | None
    """Its own, with its length, and what servers see; None: the link has no IPv4, or it is a firewall."""
    address_v6: str | None
    gateway: str | None
    """The address that the firewalls share there: its default route; None: as before."""
    gateway_v6: str | None
    published: tuple[PublishedVars, ...]


class LoadBalancerHostVars(Vars):
    """All variables of one balancer, by role."""

    load_balancer: LoadBalancerVars

    def ansible(self) -> dict[str, Any]:
        """``load_balancer_published`` and so on, as plain data."""
        return as_ansible(self)


def load_balancer_host_vars(intent: Intent, network: Network) -> dict[str, LoadBalancerHostVars]:
    """Balancer -> its variables; empty where the intent describes none."""
    each = intent.boundary
    if each is None or each.balancers is None:
        return {}
    published = tuple(_published(name, one, intent, each, network) for name, one in each.published.items())
    return {
        name: LoadBalancerHostVars(load_balancer=_balancer(place, each, each.balancers, published))
        for place, name in enumerate(FIREWALLS if are_firewalls(each.balancers) else BALANCERS)
    }


def _balancer(
    place: int, each: BoundaryIntent, own: BalancersIntent, published: tuple[PublishedVars, ...]
) -> LoadBalancerVars:
    zone = each.zones[own.zone]
    shares = not are_firewalls(own)
    addresses: dict[int, str] = {}
    gateways: dict[int, str] = {}
    for link in links_of(zone) if shares else ():
        of_family = [address for address in own.addresses if address.version == link.version]
        addresses[link.version] = f"{of_family[place]}/{link.prefixlen}"
        gateways[link.version] = str(link[1])
    return LoadBalancerVars(
        shares=shares,
        port=(own.port if shares else zone.port) or "",  # the intent's rules refuse balancers without one
        router_id=ROUTER_ID,
        priority=PRIORITIES[place],
        address=addresses.get(4),
        address_v6=addresses.get(6),
        gateway=gateways.get(4),
        gateway_v6=gateways.get(6),
        published=published,
    )


def _published(
    name: str, one: PublishedIntent, intent: Intent, each: BoundaryIntent, network: Network
) -> PublishedVars:
    health = one.health or HealthIntent(check="tcp")  # the intent's rules refuse a service without one
    return PublishedVars(
        name=name,
        addresses=tuple(map(str, one.addresses)),
        ports=tuple(_written(ports) for ports in one.tcp if ports not in one.tls),
        tls_ports=tuple(map(_written, one.tls)),
        proxy=one.proxy,
        server_port=one.server_port,
        servers=tuple(_servers(one.servers, each.zones[groups_of(intent, each)[one.servers]].plane, network)),
        check=health.check,
        path=health.path,
        interval_s=health.interval_s,
    )


def _servers(group: str, plane: str | None, network: Network) -> list[ServerVars]:
    """Hosts of a group, by the IPv4 address that each has on the plane; clients of both families are sent there."""
    found = []
    for host in network.hosts:
        if host.rpartition("-")[0] == group:
            address = next(each.lower_address for each in network.circuits_of(host) if each.owner == plane)
            found.append(ServerVars(name=host, address=address))
    return found


def _written(ports: tuple[int, int]) -> str:
    first, last = ports
    return str(first) if first == last else f"{first}-{last}"

"""The boundary of a design as hosts of the lab: their ports and addresses, and who stands in each zone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_interface, ip_network

from nornir_tasks.design.hosts.bastion_vars import BastionVars, bastion_host_vars
from nornir_tasks.design.hosts.boundary import Boundary, Row, boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars, ZoneVars, firewall_host_vars
from nornir_tasks.design.hosts.gateway_vars import gateway_host_vars
from nornir_tasks.design.hosts.load_balancer_vars import load_balancer_host_vars
from nornir_tasks.design.hosts.relay_vars import relay_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.lab.boundary_hosts.plan import (
    CERTIFIED,
    MANAGEMENT,
    ON_PLANE,
    OWN_NETWORK,
    PORT,
    ROOT,
    TOOL,
    BoundaryPlan,
    Host,
    Port,
    Route,
    Station,
)
from nornir_tasks.usecases.site import SiteDesign

NOBODY = ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3", "::/8", "fe80::/10", "ff00::/8")
"""What no host has, not outside either: this network, loopback, multicast, reserved (RFC 1122, 1112, 4291)."""
BETWEEN = "gateways"
"""The link between firewalls and gateways, where these are machines of their own."""
PORTS_OF_A_RANGE = 16
"""So many ports of a range are answered at; the first ones."""
Net = IPv4Network | IPv6Network


def boundary_plan(design: SiteDesign) -> BoundaryPlan:
    """Raises LabError where the intent has no boundary, or where no address is left for whom Ansible comes from."""
    intent, network = design.site.intent, design.network
    found = boundary(intent, network)
    if found is None:
        raise LabError(Problem("--boundary", "the intent has no boundary", expected="boundary: (docs/intent.md)"))
    return _Laid(intent, network, found).plan()


class _Laid:
    """One boundary, laid out."""

    def __init__(self, intent: Intent, network: Network, found: Boundary) -> None:
        self.intent, self.network, self.found = intent, network, found
        self.firewalls = {name: each.firewall for name, each in firewall_host_vars(intent, network).items()}
        self.gateways = {name: each.firewall for name, each in gateway_host_vars(intent, network).items()}
        self.bastions = {name: each.bastion for name, each in bastion_host_vars(intent, network).items()}
        self.zones = {zone.name: zone for zone in next(iter(self.firewalls.values())).zones}
        outer = self.gateways or self.firewalls
        self.outside = next(zone for each in outer.values() for zone in each.zones if zone.outside)
        self.taken = {each.lower_address for each in network.circuits if each.lower_address}
        self.sources: dict[tuple[str, ...], str] = {}
        self.hosts: list[Host] = []

    def plan(self) -> BoundaryPlan:
        for name, each in self.firewalls.items():
            self._pair(name, each, "sync", {OUTSIDE: BETWEEN} if self.gateways else {})
        for name, each in self.gateways.items():
            self._pair(name, each, "sync-gateways", {zone.name: BETWEEN for zone in each.zones if not zone.outside})
        self._balancers_and_relays()
        for name, bastion in self.bastions.items():
            self._bastion(name, bastion)
        return BoundaryPlan(tuple(self.hosts), tuple(self._stations()), self._people(), tuple(self._published()))

    # -- hosts -----------------------------------------------------------------------------------------------------

    def _pair(self, name: str, each: FirewallVars, sync: str, links: Mapping[str, str]) -> None:
        ports = [Port(zone.port, links.get(zone.name, zone.name), _given(zone)) for zone in each.zones]
        ports.append(Port(each.sync.port, sync, (each.sync.address,)))
        self._host(name, ports, each.management.port, each.management.clients)

    def _balancers_and_relays(self) -> None:
        boundary_intent = self.intent.boundary
        if boundary_intent is None:
            return
        balancers, relays = boundary_intent.balancers, boundary_intent.relays
        for name, each in load_balancer_host_vars(self.intent, self.network).items():
            own = each.load_balancer
            if balancers is not None and name not in self.firewalls:
                self._neighbour(name, balancers.zone, own.port, (own.address, own.address_v6))
        for name, one in relay_host_vars(self.intent, self.network).items():
            mine = one.boundary_relay
            if relays is not None:
                self._neighbour(name, relays.zone, mine.port, (mine.address, mine.address_v6))

    def _neighbour(self, name: str, zone: str, port: str, addresses: Iterable[str | None]) -> None:
        """A host in a zone, behind the firewalls' shared addresses; its management port is the lab's."""
        self._host(
            name, [self._in_zone(zone, port, addresses)], PORT, next(iter(self.firewalls.values())).management.clients
        )

    def _in_zone(self, zone: str, port: str, addresses: Iterable[str | None]) -> Port:
        own = tuple(filter(None, addresses))
        families = {ip_interface(each).version for each in own}
        routes = [Route(_any(each), each) for each in _shared(self.zones[zone]) if ip_address(each).version in families]
        return Port(port, zone, own, tuple(routes))

    def _host(self, name: str, ports: Sequence[Port], management: str, clients: Sequence[str]) -> None:
        """Its management address is one of those that may come there: on the out-of-band plane, as a real one's is."""
        source = self._source(name, clients)
        address = self._free(clients) or str(OWN_NETWORK[len(self.hosts) + 1])
        own = Port(management, MANAGEMENT, (f"{address}/32",), (Route(f"{source}/32"),))
        self.hosts.append(Host(name, address, ROOT, (*ports, own)))

    def _bastion(self, name: str, each: BastionVars) -> None:
        zone = self.intent.boundary.bastions.zone if self.intent.boundary and self.intent.boundary.bastions else ""
        entry = self._in_zone(zone, self.zones[zone].port, (each.address, each.address_v6))
        source = self._source(name, each.tool_sources)
        routes = [Route(f"{source}/32")]
        gateway = self._plane_gateway(name)
        routes += [
            Route(f"{target.address}/32", gateway)
            for target in each.targets
            if gateway and not _on(each, target.address)
        ]
        plane = Port("plane", MANAGEMENT, (each.plane_address,), tuple(routes))
        address = each.plane_address.partition("/")[0]
        first = next(iter(entry.addresses)).partition("/")[0]
        self.hosts.append(Host(name, address, CERTIFIED, (entry, plane), entry=first))

    def _plane_gateway(self, host: str) -> str:
        """Next hop of a host on the out-of-band plane; "" without one."""
        links = [each.link for each in self.network.attached if each.host == host]
        found = [circuit.upper_address for link in links for circuit in self.network.circuits_on(link)[:1]]
        return next(filter(None, found), "") or ""

    def _source(self, name: str, clients: Sequence[str]) -> str:
        """The address that Ansible has for those who let in these clients."""
        if tuple(clients) not in self.sources:
            found = self._free(clients)
            if found is None:
                what = "Ansible has no address to come from: no IPv4 address is left among those that may"
                raise LabError(Problem(f"{name} management clients", what, found=", ".join(clients) or "none"))
            self.sources[tuple(clients)] = found
        return self.sources[tuple(clients)]

    def _free(self, prefixes: Sequence[str]) -> str | None:
        """The last free address of these; it is taken from now on."""
        every = (str(address) for each in prefixes for address in _last_ones(each))
        found = next((each for each in every if each not in self.taken), None)
        self.taken |= {found} if found else set()
        return found

    # -- stations --------------------------------------------------------------------------------------------------

    def _stations(self) -> Iterator[Station]:
        tcp, udp = self._ports("tcp"), self._ports("udp")
        yield self._neighbours(OUTSIDE, self.outside, self._everything_else(), tcp, udp)
        for zone in self.zones.values():
            if not zone.outside:
                links = [ip_network(each, strict=False) for each in _given(zone)]
                behind = _without(map(ip_network, (*zone.sources, *zone.sources_v6)), links)
                yield self._neighbours(zone.name, zone, behind, tcp, udp)
        yield self._out_of_band()
        routes = [Route(f"{each.address}/32", source=_source_of(each)) for each in self.hosts]
        addresses = tuple(f"{each}/32" for each in self.sources.values())
        yield Station(TOOL, Port(PORT, MANAGEMENT, addresses, tuple(routes)))

    def _neighbours(
        self, name: str, zone: ZoneVars, behind: Iterable[str], tcp: tuple[int, ...], udp: tuple[int, ...]
    ) -> Station:
        """Next hops of a zone, or, where all of it is on its link, the last one there that is free."""
        links = [ip_network(each, strict=False) for each in _given(zone)]
        hops = dict.fromkeys(route.via for route in zone.routes)
        addresses = [f"{hop}/{link.prefixlen}" for hop in hops for link in links if ip_address(hop) in link]
        own = {ip_interface(each).ip for host in self.hosts for port in host.ports for each in port.addresses}
        for link in links if not addresses else ():
            last = int(link.broadcast_address) - 1
            free = next(
                each for each in (link[0] + place for place in range(last - int(link[0]), 0, -1)) if each not in own
            )
            addresses.append(f"{free}/{link.prefixlen}")
        routes = tuple(Route(_any(each), each) for each in _shared(zone))
        return Station(name, Port(PORT, name, tuple(addresses), routes), tuple(behind), tcp, udp)

    def _everything_else(self) -> list[str]:
        """Whatever is not the site's."""
        own = [each for prefixes in self.found.own.values() for each in prefixes]
        own += [
            str(ip_network(each, strict=False))
            for zone in (self.outside, *self.zones.values())
            for each in _given(zone)
        ]
        everything = map(ip_network, ("0.0.0.0/0", "::/0"))
        return _without(everything, [*map(ip_network, (*own, *NOBODY)), OWN_NETWORK])

    def _out_of_band(self) -> Station:
        """What has a port on the plane, but for bastions, and the switches' addresses there."""
        targets = {each.address: each for one in self.bastions.values() for each in one.targets}
        gateways = [gateway for name in self.bastions if (gateway := self._plane_gateway(name))]
        ports = {
            protocol: tuple(
                sorted({one for each in targets.values() for text in getattr(each, protocol) for one in _few(text)})
            )
            for protocol in ("tcp", "udp")
        }
        routes = tuple(Route(f"{each.address}/32") for each in self.hosts)
        own = Port(PORT, MANAGEMENT, (f"{OWN_NETWORK[-2]}/32",), routes)
        behind = dict.fromkeys(f"{each}/32" for each in (*targets, *gateways))
        return Station(ON_PLANE, own, tuple(behind), ports["tcp"], ports["udp"])

    def _ports(self, protocol: str) -> tuple[int, ...]:
        """Those of the matrix, and of what stands behind a published service."""
        rows: Iterable[Row] = (*self.found.rows, *self.found.here)
        found = {one for row in rows if row.protocol == protocol for ports in row.ports for one in _first_ones(*ports)}
        published = self.intent.boundary.published if self.intent.boundary and protocol == "tcp" else {}
        return tuple(sorted(found | {each.server_port for each in published.values()}))

    # -- who and what needs keys -----------------------------------------------------------------------------------

    def _people(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for each in self.bastions.values():
            source = next((str(address) for one in each.clients for address in _last_ones(one)), "")
            found |= {user.name: source for user in each.users}
        return found

    def _published(self) -> Iterator[str]:
        for name, each in (self.intent.boundary.published if self.intent.boundary else {}).items():
            if each.tls:
                yield name


def _given(zone: ZoneVars) -> tuple[str, ...]:
    return tuple(filter(None, (zone.address, zone.address_v6)))


def _shared(zone: ZoneVars) -> list[str]:
    return [each.partition("/")[0] for each in (zone.shared, zone.shared_v6) if each is not None]


def _any(address: str) -> str:
    return "0.0.0.0/0" if ip_address(address).version == 4 else "::/0"


def _on(each: BastionVars, address: str) -> bool:
    return ip_address(address) in ip_interface(each.plane_address).network


def _source_of(host: Host) -> str:
    """Whom Ansible comes from, as the host knows it."""
    return next(route.to.partition("/")[0] for port in host.ports if port.link == MANAGEMENT for route in port.routes)


def _last_ones(prefix: str, count: int = 4096) -> Iterator[IPv4Address]:
    """Of IPv4 the last addresses of a prefix that hosts may have, the last one first."""
    net = ip_network(prefix)
    if isinstance(net, IPv4Network):
        last = int(net.broadcast_address) - (net.prefixlen < 31)
        first = int(net.network_address) + (net.prefixlen < 31)
        yield from map(IPv4Address, range(last, max(first, last - count) - 1, -1))


def _without(prefixes: Iterable[Net], others: Iterable[Net]) -> list[str]:
    """What is left of prefixes, as few as hold it."""
    left = list(prefixes)
    for other in others:
        left = [part for each in left for part in _less(each, other)]
    return [str(each) for each in sorted(left, key=lambda each: (each.version, each))]


def _less(each: Net, other: Net) -> Iterable[Net]:
    if each.version != other.version or not each.overlaps(other):
        return (each,)
    return each.address_exclude(other) if other.subnet_of(each) and other != each else ()  # type: ignore[arg-type]


def _first_ones(first: int, last: int) -> range:
    return range(first, min(last, first + PORTS_OF_A_RANGE - 1) + 1)


def _few(text: str) -> range:
    first, _, last = text.partition("-")
    return _first_ones(int(first), int(last or first))

"""The variables of the bastions' role: who may come in from where, and what each may reach on the out-of-band plane."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from nornir_tasks.design.config.access_lists import TCP, UDP, PortRange
from nornir_tasks.design.demand.flows import DHCP, services_of
from nornir_tasks.design.hosts.boundary import ANY, of
from nornir_tasks.design.hosts.host_parts import Vars
from nornir_tasks.design.hosts.role_vars import as_ansible
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BastionsIntent, BoundaryIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_flow import BASTIONS, BASTIONS_FIRST
from nornir_tasks.intent.rules.boundary_names import links_of
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.intent.rules.oob_devices import of_trees

NO_ADDRESS = "0.0.0.0/32"
"""A host that asks DHCP for one sends from here (RFC 2131, 4.1)."""
PROTOCOLS: dict[int, Literal["tcp", "udp"]] = {TCP: "tcp", UDP: "udp"}


class BastionUserVars(Vars):
    """A person."""

    name: str
    """The account."""
    groups: tuple[str, ...]
    """Those of the intent that the person is in."""
    targets: tuple[str, ...]
    """Groups of targets that may be reached: ``switches``, ``gpu-bmc``."""


class BastionTargetVars(Vars):
    """Something on the out-of-band plane that a flow may reach."""

    name: str
    group: str
    address: str
    tcp: tuple[str, ...]
    """Ports, ``443`` or ``8000-8100``."""
    udp: tuple[str, ...]


class BastionServiceVars(Vars):
    """What the bastion itself offers to the out-of-band plane."""

    sources: tuple[str, ...]
    protocol: Literal["tcp", "udp"]
    ports: tuple[str, ...]


class BastionVars(Vars):
    """Role bastion."""

    address: str | None
    """Its own where people come in, with its length; None: the link has no IPv4."""
    address_v6: str | None
    plane_address: str
    """Its own on the out-of-band plane, with its length."""
    clients: tuple[str, ...]
    """From here people may open SSH."""
    clients_v6: tuple[str, ...]
    tool_sources: tuple[str, ...]
    """From here alone Ansible's own account comes in."""
    tool_sources_v6: tuple[str, ...]
    users: tuple[BastionUserVars, ...]
    targets: tuple[BastionTargetVars, ...]
    services: tuple[BastionServiceVars, ...]


class BastionHostVars(Vars):
    """All variables of one bastion, by role."""

    bastion: BastionVars

    def ansible(self) -> dict[str, Any]:
        """``bastion_users`` and so on, as plain data."""
        return as_ansible(self)


def bastion_host_vars(intent: Intent, network: Network) -> dict[str, BastionHostVars]:
    """Bastion, by its name on the out-of-band plane -> its variables; empty where the intent describes none."""
    each = intent.boundary
    if each is None or each.bastions is None:
        return {}
    own = each.bastions
    plane_name, plane = next((name, plane) for name, plane in of_trees(intent).items() if own.device in plane.devices)
    entry = _Entry(each, own, plane_name, plane, network)
    return {f"{own.device}-{place + 1}": BastionHostVars(bastion=entry.bastion(place)) for place in range(BASTIONS)}


@dataclass(frozen=True)
class _Entry:
    """The way to one out-of-band plane."""

    boundary: BoundaryIntent
    own: BastionsIntent
    plane_name: str
    plane: PlaneIntent
    network: Network

    def bastion(self, place: int) -> BastionVars:
        """Of the bastions the one at this place."""
        zone = self.boundary.zones[self.own.zone]
        addresses = {link.version: f"{link[BASTIONS_FIRST + place]}/{link.prefixlen}" for link in links_of(zone)}
        name = f"{self.own.device}-{place + 1}"
        tool = self.own.tool_sources or self.boundary.firewalls.management.clients
        clients, tools = of(self._clients()), of(map(str, tool))
        ((_, on_plane, length),) = (found for found in self._attached() if found[0] == name)
        return BastionVars(
            address=addresses.get(4),
            address_v6=addresses.get(6),
            plane_address=f"{on_plane}/{length}",
            clients=clients["ipv4"],
            clients_v6=clients["ipv6"],
            tool_sources=tools["ipv4"],
            tool_sources_v6=tools["ipv6"],
            users=tuple(self._users()),
            targets=tuple(self._targets()),
            services=tuple(self._services(on_plane)),
        )

    def _clients(self) -> Iterator[str]:
        for each in self.own.clients:
            yield from ANY.values() if each == OUTSIDE else map(str, self.boundary.networks[each])

    def _users(self) -> Iterator[BastionUserVars]:
        """In the order of the file; who is in several groups may reach what each of them may."""
        members = dict.fromkeys(name for each in self.own.users.values() for name in each.members)
        for name in members:
            groups = [group for group, each in self.own.users.items() if name in each.members]
            targets = dict.fromkeys(target for group in groups for target in self.own.users[group].targets)
            yield BastionUserVars(name=name, groups=tuple(groups), targets=tuple(targets))

    def _attached(self) -> Iterator[tuple[str, str, int]]:
        """Name, address and length of all that has a port on the plane."""
        for each in self.network.attached:
            for circuit in self.network.circuits_on(each.link)[:1]:
                if circuit.owner == self.plane_name:
                    yield each.host, circuit.lower_address, circuit.use.prefix_length

    def _targets(self) -> Iterator[BastionTargetVars]:
        wanted = {target for each in self.own.users.values() for target in each.targets}
        ports = {group: self._ports(group) for group in wanted}
        for name, address, _ in self._attached():
            group = self.network.group_of(name)
            if group in wanted:
                tcp, udp = (tuple(map(_written, ports[group][protocol])) for protocol in PROTOCOLS)
                yield BastionTargetVars(name=name, group=group, address=address, tcp=tcp, udp=udp)

    def _ports(self, destination: str) -> dict[int, list[PortRange]]:
        """Protocol -> ports of a group that flows of the plane let the bastions reach."""
        services, found = services_of(self.plane), {protocol: dict[PortRange, None]() for protocol in PROTOCOLS}
        for flow in self.plane.flows or ():
            if (flow.source, flow.destination) == (self.own.device, destination):
                for service in (one for name in flow.services for one in services[name]):
                    found[service.protocol][service.ports] = None
        return {protocol: [*each] for protocol, each in found.items()}

    def _services(self, address: str) -> Iterator[BastionServiceVars]:
        """What flows of the plane let others reach on the bastion with this address, and DHCP where it is a server."""
        plane, known = self.network.planes[self.plane_name], self.network.ends_of_flows.get(self.plane_name, {})
        for flow in plane.allowed.flows if plane.allowed is not None else ():
            if flow.destination == self.own.device and flow.server in (None, f"{address}/32"):
                sources = tuple(each or ANY["ipv4"] for each in known[flow.source].prefixes["ipv4"])
                for service in flow.services:
                    protocol = PROTOCOLS[service.protocol]
                    yield BastionServiceVars(sources=sources, protocol=protocol, ports=(_written(service.ports),))
        if address in plane.dhcp_servers:
            _, port = DHCP["ipv4"]
            yield BastionServiceVars(sources=(plane.pools["hosts"], NO_ADDRESS), protocol="udp", ports=(str(port),))


def _written(ports: PortRange) -> str:
    first, last = ports
    return str(first) if first == last else f"{first}-{last}"

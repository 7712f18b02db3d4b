"""The plan of the boundary's hosts: their ports on links, how each is reached, and who stands at the other ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network

MANAGEMENT = "management"
"""The link by which Ansible comes in, and which stands for the out-of-band plane."""
OUTSIDE = "outside"
"""Station of the outside world."""
TOOL, ON_PLANE = "tool", "plane"
"""Stations there: whom Ansible comes from; and the others on the out-of-band plane."""
PORT = "mgmt"
"""Management port of a host for which the intent names none; the port of every station."""
OWN_NETWORK = IPv4Network("198.18.0.0/24")
"""Where those who may manage leave no address: for benchmarks (RFC 2544), no intent gives these to hosts."""
ROOT, CERTIFIED = "root", "ansible"
"""Accounts: by the lab's key; by its certificate, where root may not come in."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route by a port. ``via``: "" is on the link. ``source``: the address that is used towards it."""

    to: str
    via: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Port:
    """One port of a host or station, and the addresses that an installation would have given it, with length."""

    name: str
    link: str
    addresses: tuple[str, ...]
    routes: tuple[Route, ...] = ()


@dataclass(frozen=True, slots=True)
class Host:
    """One host of the boundary.

    address  by which Ansible reaches it
    account  Ansible's there
    entry    the address that people come in by; "" for all but bastions
    """

    name: str
    address: str
    account: str
    ports: tuple[Port, ...]
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Station:
    """Who stands on a link: a neighbour that has every address which is behind it, too.

    behind    prefixes, each of whose addresses it has
    tcp, udp  ports that it answers at
    """

    name: str
    port: Port
    behind: tuple[str, ...] = ()
    tcp: tuple[int, ...] = ()
    udp: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundaryPlan:
    """All of it."""

    hosts: tuple[Host, ...] = ()
    stations: tuple[Station, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    """Who comes in by the bastions -> the address outside that this person has."""
    published: tuple[str, ...] = ()
    """Services whose TLS the balancers end: they need certificates."""

    @property
    def links(self) -> tuple[str, ...]:
        """Every link, once."""
        ports = [port for host in self.hosts for port in host.ports] + [each.port for each in self.stations]
        return tuple(dict.fromkeys(each.link for each in ports))

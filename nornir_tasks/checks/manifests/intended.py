"""What the intent says of one plane, as objects of a cluster meet it: rails, addresses, marking, with their lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.hosts.pod_networks import PodGroup, PodNetworks, PodPool, PodRail
from nornir_tasks.design.hosts.role_vars import ClassVars, RoceQosVars
from nornir_tasks.design.model.links import HostNic
from nornir_tasks.intent.core.findings import Marks, Path, dotted


@dataclass(frozen=True, slots=True)
class HostPort:
    """A NIC port of a host whose place the intent has."""

    place: str
    """Its PCI address, in small letters."""
    rail: int | None
    """None: it is of another plane."""
    interface: str
    plane: str
    device: str
    """PCI device ID of its model; empty: not known."""


@dataclass(frozen=True)
class Intended:
    """One plane of a site."""

    pods: PodNetworks
    demands: Sequence[Demand]
    """Of this plane, one for each group of hosts with rails on it."""
    marks: Marks
    """Of the intent's file."""
    elsewhere: Mapping[str, str]
    """Interface of a host that is no rail of this plane -> what it is of."""
    ports: Mapping[str, Sequence[tuple[str, tuple[HostPort, ...]]]] = field(default_factory=dict)
    """Group, of all planes -> its hosts in words, those that differ apart, and their NIC ports of all planes. Groups
    without PCI addresses are left out."""

    def at(self, *path: str | int) -> str:
        """File, line and path of a value of the intent."""
        return f"{self.marks.file}:{self.marks.line(path)} {dotted(path)}"

    @property
    def qos(self) -> RoceQosVars:
        """Marking and queues; all groups of a plane have the same."""
        return self.pods.groups[0].qos

    @property
    def rails(self) -> tuple[PodRail, ...]:
        return self.pods.rails

    @property
    def mtu_bytes(self) -> int:
        """Of hosts and pods, on all rails."""
        return self.rails[0].mtu_bytes

    @property
    def mtu_at(self) -> str:
        return self.at(*self.demands[0].terms.host_mtu_at)

    @property
    def pool_at(self) -> str:
        """Where the addresses of hosts are from."""
        return self.at(*self.demands[0].on_plane("pools", "hosts"))

    @property
    def link_at(self) -> str:
        """How hosts are joined to their leaves."""
        return self.at(*self.demands[0].on_plane("link"))

    @property
    def plane_at(self) -> str:
        return self.at(*self.demands[0].on_plane())

    @property
    def congestion_at(self) -> str:
        return self.at(*self.demands[0].terms.congestion_at)

    def nics_at(self, group: str, *path: str) -> str:
        """Where a group's NICs on this plane are described."""
        demand = next(each for each in self.demands if each.group == group)
        return self.at(*demand.on_nics(*path))

    def class_at(self, name: str, *path: str) -> str:
        """Where a traffic class is described."""
        above: Path = self.demands[0].terms.classes_at
        return self.at(*above, name, *path)

    def class_of(self, dscp: int) -> ClassVars:
        """The class whose queue switches and NICs give this code point."""
        return next(each for each in self.qos.classes if dscp in each.dscp)

    @cached_property
    def roce(self) -> ClassVars:
        """The class that RDMA is marked for."""
        return self.class_of(self.qos.dscp)

    @cached_property
    def cnp(self) -> ClassVars:
        """The class of congestion notifications."""
        return self.class_of(self.qos.cnp_dscp)

    @cached_property
    def by_port(self) -> Mapping[str, int]:
        """Interface -> rail."""
        return {rail.port: number for number, rail in enumerate(self.rails)}

    @cached_property
    def by_place(self) -> Mapping[str, Mapping[str, int]]:
        """Group -> PCI address of a NIC port, in small letters -> rail."""
        found: dict[str, dict[str, int]] = {}
        for demand in self.demands:
            places = found.setdefault(demand.group, {})
            known = [dict(enumerate(demand.nics.at or ())), *demand.nics.exceptions.values()]
            places.update({place.lower(): rail for each in known for rail, place in each.items()})
        return found

    def group(self, name: str) -> PodGroup | None:
        """A group of hosts with rails on this plane."""
        return next((each for each in self.pods.groups if each.name == name), None)

    @cached_property
    def hosts(self) -> frozenset[str]:
        """All hosts with rails on this plane."""
        return frozenset(host for host, _ in self.nics)

    @cached_property
    def nics(self) -> Mapping[tuple[str, int], HostNic]:
        """(host, rail) -> its NIC port."""
        return {(nic.host, number): nic for number, rail in enumerate(self.rails) for nic in rail.nics}

    @cached_property
    def pools(self) -> Mapping[tuple[str, int], PodPool]:
        """(host, rail) -> addresses for pods there; empty where a pod takes the host's own."""
        return {
            (host, number): pool for number, rail in enumerate(self.rails) for pool in rail.pools for host in pool.hosts
        }

    @cached_property
    def supernets(self) -> tuple[IPv4Network, ...]:
        """Rail -> all addresses of it."""
        return tuple(IPv4Network(rail.supernet) for rail in self.rails)

    @cached_property
    def whole(self) -> IPv4Network:
        """All addresses of the plane's hosts."""
        return IPv4Network(str(self.demands[0].plane.pools.hosts))

    def rail_of(self, address: IPv4Address | IPv4Network) -> int | None:
        """The rail that addresses are of; None: they are none of this plane's, or of several rails'."""
        first, last = (address, address) if isinstance(address, IPv4Address) else (address[0], address[-1])
        return next((rail for rail, each in enumerate(self.supernets) if first in each and last in each), None)

    def for_pods(self, host: str, rail: int) -> tuple[IPv4Address, IPv4Address] | None:
        """First and last address that pods on this host may have on this rail; None: it has none."""
        if pool := self.pools.get((host, rail)):
            first = IPv4Address(pool.first)
            return first, first + pool.size - 1
        nic = self.nics.get((host, rail))
        if nic is None or not self.pods.is_p2p:
            return None
        own = IPv4Address(nic.address)
        return own, own

    def end(self, nic: HostNic) -> str:
        """The leaf's port at the other end of a host's."""
        return f"{nic.at.leaf} {nic.at.link.upper.port}"

    def names(self, rails: Iterable[int]) -> str:
        """Rails by their interfaces."""
        return ", ".join(self.rails[rail].port for rail in sorted(rails))

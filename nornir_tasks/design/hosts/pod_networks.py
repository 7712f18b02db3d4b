"""What pods need of one plane for RDMA on each rail: interfaces, addresses, marking, NICs of each group of hosts.

Addresses follow from the host links. ``p2p``: a pod takes the NIC port whole, and with it the host's own address.
``subnet/N``: the rest of the host's block. ``svi``: what the leaf's subnet has beyond the places of its hosts, planned
ones included, so that growth within ``max`` moves no pool; where a leaf serves several rails, each has an equal part.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

from nornir_tasks.design.addresses.addressing import FIRST_ATTACHED, dotted
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.hosts.host_needs import HostNeeds
from nornir_tasks.design.hosts.host_vars import OnPlane, cross_nic, roce_qos
from nornir_tasks.design.hosts.role_vars import RoceQosVars
from nornir_tasks.design.model.links import HostNic
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.model.sizing import Layout

P2P_LENGTH = 31
MANAGED_BY = {"app.kubernetes.io/managed-by": "gpufabric"}
"""The label of every object that was exported."""


@dataclass(frozen=True, slots=True)
class PodPool:
    """Addresses for pods of one rail, at one leaf."""

    name: str
    """Of the host whose block it is, or of the leaf whose hosts share a subnet."""
    hosts: tuple[str, ...]
    """Whose pods take from it."""
    subnet: str
    gateway: str
    first: int
    size: int
    """How many addresses it has, from ``first`` on; not positive where none is left."""

    @property
    def text(self) -> str:
        """From the first address to the last."""
        return f"{dotted(self.first)}-{dotted(self.first + self.size - 1)}"


@dataclass(frozen=True, slots=True)
class PodRail:
    """One rail as pods use it."""

    port: str
    """The interface, as all hosts call it."""
    mtu_bytes: int
    supernet: str
    """All host addresses of the rail, now and later."""
    nics: tuple[HostNic, ...]
    """The hosts' ports of it."""
    pools: tuple[PodPool, ...]
    """Empty where a pod takes the port with the host's own address."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups of hosts that have it."""
        return tuple(dict.fromkeys(nic.host.rpartition("-")[0] for nic in self.nics))


@dataclass(frozen=True, slots=True)
class PodGroup:
    """What the NICs of one group of hosts are, and how they mark."""

    name: str
    pci_device: str
    """Device ID of the NICs' model."""
    places: tuple[str, ...]
    """PCI addresses of the rails' ports; empty where the intent has none: any NIC of that model is a rail."""
    qos: RoceQosVars
    rails: tuple[str, ...]
    """Interfaces of a host."""
    cross_nic: int | None
    """NCCL_CROSS_NIC; None where the plane joins no GPUs."""
    queue_pairs: tuple[int, bool] | None = None
    """Queue pairs of a connection, and whether each message is split among them; None: as NCCL does by itself."""


@dataclass(frozen=True, slots=True)
class PodNetworks:
    """One plane of a site, as a cluster uses it."""

    site: str
    plane: str
    rails: tuple[PodRail, ...]
    groups: tuple[PodGroup, ...]
    pods_per_node: int
    vfs: int = 0
    """Virtual functions of each NIC port, one for a pod; 0: none are made."""

    @property
    def is_p2p(self) -> bool:
        """Does a pod take the NIC port itself?"""
        return all(not rail.pools for rail in self.rails)


def node_policy_name(plane: str, group: str) -> str:
    """What the policy of a group's nodes is called in the cluster."""
    return f"{plane}-{group}"


@dataclass(frozen=True, slots=True)
class GroupNics:
    """The NICs of one group of hosts, as the intent and the catalogue describe them."""

    needs: HostNeeds
    """On this plane."""
    pci_device: str
    places: tuple[str, ...]


def pod_networks(network: Network, plane: str, nics: Sequence[GroupNics], pods_per_node: int) -> PodNetworks:
    """The rails of a plane as pods use them. KeyError for an unknown plane."""
    found = network.planes[plane]
    by_rail = _by_rail(network, found)
    rails = tuple(_rail(network, found, rail, ports) for rail, ports in sorted(by_rail.items()))
    groups = tuple(_group(network, found, each) for each in nics)
    return PodNetworks(network.site, plane, rails, groups, pods_per_node)


def _by_rail(network: Network, plane: Plane) -> dict[int, list[HostNic]]:
    found: dict[int, list[HostNic]] = {}
    for host in network.hosts:
        for nic in network.rails_of(host, plane.name):
            found.setdefault(nic.rail, []).append(nic)
    return found


def _rail(network: Network, plane: Plane, rail: int, nics: Sequence[HostNic]) -> PodRail:
    first = nics[0]
    if plane.host_vlan is not None:
        pools = tuple(_of_leaves(network, plane, nics))
    else:
        pools = tuple(_of_host(nic) for nic in nics if nic.prefix_length != P2P_LENGTH)
    return PodRail(first.port, first.mtu_bytes, plane.supernet(rail, first.copy), tuple(nics), pools)


def _of_host(nic: HostNic) -> PodPool:
    """The block of one host without its ends: network, the leaf's address, the host's, broadcast."""
    block = IPv4Network(f"{nic.address}/{nic.prefix_length}", strict=False)
    first = max(_number(nic.address), _number(nic.gateway)) + 1
    size = int(block.broadcast_address) - first
    return PodPool(nic.host, (nic.host,), str(block), nic.gateway, first, size)


def _of_leaves(network: Network, plane: Plane, nics: Iterable[HostNic]) -> Iterator[PodPool]:
    """Of each leaf that the rail's hosts are cabled to, the rail's part of what its subnet has beyond its hosts."""
    by_leaf: dict[str, list[HostNic]] = {}
    for nic in nics:
        by_leaf.setdefault(nic.at.leaf, []).append(nic)
    for leaf, attached in by_leaf.items():
        first = attached[0]
        block = IPv4Network(f"{first.address}/{first.prefix_length}", strict=False)
        layout = _layout(network, plane, leaf)
        shares = layout.nics_per_host
        start = int(block.network_address) + FIRST_ATTACHED + layout.hosts_per_group * shares
        size = (int(block.broadcast_address) - start) // shares
        share = first.at.nic // len(layout.leaf_rails)
        hosts = tuple(nic.host for nic in attached)
        yield PodPool(leaf, hosts, str(block), first.gateway, start + share * size, size)


def _layout(network: Network, plane: Plane, leaf: str) -> Layout:
    group = network.device(leaf).index
    parts = network.fabrics[plane.fabric].parts_of(plane.name)
    return next(part.layout for part in parts if part.layout.has_group(group))


def places_at(network: Network, plane: str, leaf: str) -> int:
    """Hosts of this plane that there is room for at a leaf, planned ones included."""
    return _layout(network, network.planes[plane], leaf).hosts_per_group


def _group(network: Network, plane: Plane, nics: GroupNics) -> PodGroup:
    host = next(each for each in network.hosts if nics.needs.is_of(each))
    ports = network.rails_of(host, plane.name)
    known = kinds().planes
    of_gpus = [
        each for name, each in network.planes.items() if network.rails_of(host, name) and known[each.kind].joins_gpus
    ]
    return PodGroup(
        name=nics.needs.group,
        pci_device=nics.pci_device,
        places=nics.places,
        qos=roce_qos(network, [OnPlane(plane, nics.needs, ports)]),
        rails=tuple(nic.port for nic in ports),
        cross_nic=cross_nic(network, of_gpus) if plane in of_gpus else None,
        queue_pairs=nics.needs.queue_pairs,
    )


def _number(address: str) -> int:
    return int(IPv4Network(address).network_address)

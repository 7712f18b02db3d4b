"""The variables of the host roles, derived from the same design as the switches' configurations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Literal

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds
from nornir_tasks.design.demand.rdma_libraries import environment
from nornir_tasks.design.hosts.bond_needs import BondNeeds
from nornir_tasks.design.hosts.host_bonds import BondInterfacesVars, bond_interfaces
from nornir_tasks.design.hosts.host_needs import HostNeeds
from nornir_tasks.design.hosts.host_parts import place_match
from nornir_tasks.design.hosts.role_vars import (
    BondedHostVars,
    ClassVars,
    GpudirectVars,
    GpuRailVars,
    HostVars,
    NcclVars,
    PlaneGuardVars,
    RailInterfacesVars,
    RailVars,
    RdmaHostVars,
    RdmaStackVars,
    RoceQosVars,
)
from nornir_tasks.design.model.links import HostNic
from nornir_tasks.design.model.network import Fabric, Network
from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.design.model.plane import Plane

FIRST_TABLE = 100
"""Routing table of rail 0; rail r has 100 + r, clear of the kernel's own 253-255."""
ECT_0 = 0b10
"""ECN-capable transport (RFC 3168): a packet without it is dropped where it should be marked."""


@dataclass(frozen=True, slots=True)
class OnPlane:
    """What one host has on one plane."""

    plane: Plane
    needs: HostNeeds
    nics: tuple[HostNic, ...]

    @property
    def is_shared(self) -> bool:
        """Do hosts of a leaf share a subnet?"""
        return self.plane.host_vlan is not None


def host_vars(
    network: Network,
    needs: Iterable[HostNeeds],
    host: str,
    among: Kinds | None = None,
    *,
    bonds: Iterable[BondNeeds] = (),
) -> HostVars:
    """The variables of one host of the network. KeyError for a host that has no rail there.

    ``needs``, ``bonds``: of all groups and planes of the site; ``among``: the kinds of planes there are, those of
    ``design/contribute/planes/`` if not said otherwise. NCCL uses only NICs on planes that join GPUs, and finds its
    peers on the bonds of planes of the kind they name for it, or on the interfaces that the intent names.
    """
    found = _on_planes(network, needs, host)
    first, with_bonds = found[0], (*found, *_over_bonds(network, needs, host))
    queue_pairs, split_data = first.needs.queue_pairs or (None, None)
    known = (among or kinds()).planes
    of_gpus = [each for each in network.planes.values() if _ports(network, host, each) and known[each.kind].joins_gpus]
    bootstrap = next((known[each.kind].bootstrap for each in of_gpus), None)
    qos = roce_qos(network, with_bonds)
    interfaces = _rail_interfaces(found)
    gpu_rails = tuple(port for each in of_gpus for port in _ports(network, host, each))
    bonded = bond_interfaces(network, bonds, host)
    on_bonds = _on_bonds(bonded)
    peers = tuple(name for plane, (name,) in on_bonds.items() if network.planes[plane].kind == bootstrap)
    return HostVars(
        rail_interfaces=interfaces,
        roce_qos=qos,
        rdma_stack=RdmaStackVars(provider=first.needs.provider, rails=qos.rails),
        nccl=NcclVars(
            rails=gpu_rails,
            traffic_class=qos.traffic_class,
            cross_nic=cross_nic(network, of_gpus),
            pxn_disable=0,
            socket_interfaces=peers or first.needs.interfaces.get(bootstrap or "", ()),
            queue_pairs=queue_pairs,
            split_data=split_data,
            fifo_traffic_class=_fifo_traffic_class(first.needs),
            libraries=environment(qos.traffic_class),
        ),
        plane_guard=PlaneGuardVars(planes=_guarded(network, host, bonded, first.needs)),
        gpudirect=GpudirectVars(rails=_of_gpus(interfaces.rails, gpu_rails) if first.needs.provider == "mlx5" else ()),
        bond_interfaces=bonded,
    )


def rdma_host_vars(
    network: Network, needs: Iterable[HostNeeds], host: str, *, bonds: Iterable[BondNeeds] = ()
) -> RdmaHostVars:
    """The variables of one host of the network whose rails join no GPUs. KeyError for a host that has no rail there.

    ``needs``, ``bonds``: of all groups and planes of the site.
    """
    found = _on_planes(network, needs, host)
    bonded = bond_interfaces(network, bonds, host)
    planes = _guarded(network, host, bonded, found[0].needs)
    qos = roce_qos(network, (*found, *_over_bonds(network, needs, host)))
    return RdmaHostVars(
        rail_interfaces=_rail_interfaces(found),
        roce_qos=qos,
        rdma_stack=RdmaStackVars(provider=found[0].needs.provider, rails=qos.rails),
        plane_guard=PlaneGuardVars(planes=planes) if len(planes) > 1 else None,
        bond_interfaces=bonded,
    )


def _fifo_traffic_class(needs: HostNeeds) -> int | None:
    """Not ECN-capable: no switch marks the class, and no sender would answer a mark."""
    return None if needs.clear_to_send is None else 4 * min(needs.clear_to_send.dscp)


def joins_gpus(network: Network, host: str, among: Kinds | None = None) -> bool:
    """Has the host a rail on a plane that joins GPUs?"""
    known = (among or kinds()).planes
    return any(_ports(network, host, each) and known[each.kind].joins_gpus for each in network.planes.values())


def _names(found: Iterable[OnPlane]) -> tuple[str, ...]:
    """Each port once, though planes may share those of a bond."""
    return tuple(dict.fromkeys(nic.port for each in found for nic in each.nics))


def roce_qos(network: Network, found: Sequence[OnPlane]) -> RoceQosVars:
    """Of all rails and bonds with RDMA of a host: it has one set of queues, whatever planes they are on."""
    plane = found[0].plane
    policies = plane.classes or network.fabrics[plane.fabric].classes
    reorder = _names(each for each in found if each.needs.reorders)
    lengths = (network.cable_m(nic.circuit.link) for each in found for nic in each.nics)
    cable_m = max((each for each in lengths if each is not None), default=None)
    return _roce_qos([each.needs for each in found], policies, _names(found), reorder, cable_m)


def _guarded(
    network: Network, host: str, bonded: BondInterfacesVars | None, needs: HostNeeds
) -> dict[str, tuple[str, ...]]:
    """Plane -> the host's interfaces on it: rails, bonds, and those of planes that are not described."""
    described = {each.name: ports for each in network.planes.values() if (ports := _ports(network, host, each))}
    return {**described, **_on_bonds(bonded), **needs.interfaces}


def bonded_host_vars(
    network: Network, bonds: Iterable[BondNeeds], host: str, needs: Iterable[HostNeeds] = ()
) -> BondedHostVars:
    """The variables of one host of the network that has bonds and no rail. KeyError for a host without bonds there.

    ``needs``, ``bonds``: of all groups and planes of the site.
    """
    needed = tuple(each for each in bonds if each.is_of(host))
    bonded = bond_interfaces(network, needed, host)
    if bonded is None:
        raise KeyError(host)
    planes = {**_on_bonds(bonded), **needed[0].interfaces}
    found = _over_bonds(network, needs, host)
    qos = roce_qos(network, found) if found else None
    return BondedHostVars(
        bond_interfaces=bonded,
        plane_guard=PlaneGuardVars(planes=planes) if len(planes) > 1 else None,
        roce_qos=qos,
        rdma_stack=None if qos is None else RdmaStackVars(provider=found[0].needs.provider, rails=qos.rails),
    )


def _on_bonds(bonded: BondInterfacesVars | None) -> dict[str, tuple[str, ...]]:
    """Plane -> the one interface that the host has on it by a bond."""
    bonds = () if bonded is None else bonded.bonds
    return {plane.plane: (plane.interface,) for bond in bonds for plane in bond.planes}


def rail_interfaces(network: Network, needs: Iterable[HostNeeds], host: str) -> RailInterfacesVars:
    """Addresses and routing tables of one host alone, also of one whose NICs have several ports.

    KeyError for a host that the network has not.
    """
    return _rail_interfaces(_on_planes(network, needs, host))


def _over_bonds(network: Network, needs: Iterable[HostNeeds], host: str) -> tuple[OnPlane, ...]:
    """The planes whose RDMA is over bonds of this host, with the bonds' members."""
    return tuple(
        OnPlane(network.planes[each.plane], each, nics)
        for each in needs
        if each.is_of(host) and (nics := _members(network, host, each.plane))
    )


def _members(network: Network, host: str, plane: str) -> tuple[HostNic, ...]:
    """Of the host's bond on the plane, in the order of their links; none where its ports are rails."""
    ports = {each.link.name: each for each in network.nics_by_host.get(host, ())}
    own = (each for each in network.circuits_of(host) if each.owner == plane and each.use.bundle is not None)
    mtu_bytes = network.planes[plane].mtu_bytes
    return tuple(HostNic(ports[each.link.name], each, place, mtu_bytes) for place, each in enumerate(own))


def has_rails(network: Network, needs: Iterable[HostNeeds], host: str) -> bool:
    """Has the host a rail, on any plane?"""
    return any(each.is_of(host) and network.rails_of(host, each.plane) for each in needs)


def _on_planes(network: Network, needs: Iterable[HostNeeds], host: str) -> list[OnPlane]:
    found = [
        OnPlane(network.planes[each.plane], each, nics)
        for each in needs
        if each.is_of(host) and (nics := network.rails_of(host, each.plane))
    ]
    if not found:
        raise KeyError(host)
    return found


def _ports(network: Network, host: str, plane: Plane) -> tuple[str, ...]:
    return tuple(nic.port for nic in network.rails_of(host, plane.name))


def _rail_interfaces(found: Sequence[OnPlane]) -> RailInterfacesVars:
    """Rails of several planes are numbered consecutively: each has its own rule and table.

    Several ports of one NIC are numbered like rails, as nothing goes from one copy of the fabric to another.
    """
    first = found[0].plane.supernet_of_copy(1)
    on_planes = ((each, nic) for each in found for nic in each.nics)
    return RailInterfacesVars(
        rails=tuple(_rail(number, *each, first) for number, each in enumerate(on_planes)),
        plane_supernet=first,
        arp_strict=any(each.is_shared for each in found),
    )


def _rail(number: int, on: OnPlane, nic: HostNic, first_supernet: str) -> RailVars:
    usual = on.needs.places[nic.rail * max(1, len(on.plane.copy_pools)) + nic.copy - 1]
    place = on.needs.exceptions.get(nic.host, {}).get(nic.rail, usual)
    supernet = on.plane.supernet_of_copy(nic.copy)
    return RailVars(
        rail=number,
        name=nic.port,
        match=place_match(place),
        address=nic.address,
        prefix_length=nic.prefix_length,
        gateway=nic.gateway,
        mtu_bytes=nic.mtu_bytes,
        supernet=on.plane.supernet(nic.rail, nic.copy),
        table=FIRST_TABLE + number,
        plane_supernet=None if supernet == first_supernet else supernet,
        subnet=str(IPv4Interface(f"{nic.address}/{nic.prefix_length}").network) if on.is_shared else None,
    )


def _of_gpus(rails: Iterable[RailVars], names: Sequence[str]) -> tuple[GpuRailVars, ...]:
    matches = {rail.name: rail.match for rail in rails}
    return tuple(GpuRailVars(name=name, match=matches[name]) for name in names)


def _roce_qos(
    needs: Sequence[HostNeeds],
    policies: tuple[ClassPolicy, ...],
    rails: tuple[str, ...],
    reorder: tuple[str, ...],
    cable_m: int | None,
) -> RoceQosVars:
    """What a host has once, whatever planes it is on; planes that want different things were refused."""
    roce = needs[0].roce
    ecn = needs[0].notified and roce.ecn is not None
    # Without a class of their own, notifications go with the data; the intent asks for one wherever there are any.
    cnp = next((each for each in policies if each.name == "cnp"), roce)
    dscp = min(roce.dscp)
    return RoceQosVars(
        rails=rails,
        classes=tuple(
            ClassVars(
                name=each.name,
                dscp=each.dscp,
                priority=each.priority,
                lossless=each.lossless,
                strict=each.strict,
                weight_percent=each.weight_percent,
            )
            for each in policies
        ),
        dscp=dscp,
        priority=roce.priority,
        traffic_class=4 * dscp + (ECT_0 if ecn else 0),
        ecn=ecn,
        cnp_dscp=min(cnp.dscp),
        cnp_priority=cnp.priority,
        cable_m=cable_m,
        reorder_rails=reorder or None,
        spectrum_x=needs[0].spectrum_x or None,
    )


def cross_nic(network: Network, planes: Sequence[Plane]) -> Literal[0, 1, 2]:
    """NCCL_CROSS_NIC of a host on these planes; two reach one another no more than rails without a common spine."""
    fabrics = [network.fabrics[each.fabric] for each in planes]
    if len(planes) > 1 or not all(map(_joins_all, fabrics, planes)):
        return 0
    return 2 if any(each.kind == "rail" for each in fabrics) else 1


def _joins_all(fabric: Fabric, plane: Plane) -> bool:
    return all(fabric.reachable(rail, other) for rail in range(plane.rails) for other in range(plane.rails))

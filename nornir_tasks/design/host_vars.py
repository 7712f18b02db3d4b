"""What a GPU host is told: the variables of the roles, derived from the same design as the switches' configurations.

One frozen model per role; a field ``x`` of the role ``r`` is the Ansible variable ``r_x``. None of these has a default
in a role: what both ends of a cable must agree on is said once, in the intent. A test compares these models with the
roles' ``argument_specs``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.demand import Demand
from nornir_tasks.design.kinds import Kinds, kinds
from nornir_tasks.design.links import HostNic
from nornir_tasks.design.network import Fabric, Network, Plane
from nornir_tasks.design.partial_config import ClassPolicy
from nornir_tasks.design.qos import classes
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.fields import is_pci
from nornir_tasks.intent.findings import Finding, Marks

FIRST_TABLE = 100
"""Routing table of rail 0; rail r has 100 + r, clear of the kernel's own 253-255."""
ECT_0 = 0b10
"""ECN-capable transport (RFC 3168): a packet without it is dropped where it should be marked."""

Dscp = Annotated[int, Field(ge=0, le=63)]
Priority = Annotated[int, Field(ge=0, le=7)]


class Vars(BaseModel):
    """A part of a host's variables: closed, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NicMatch(Vars):
    """How to find a rail's NIC port; exactly one of the two is set."""

    pci: str | None = None
    mac: str | None = None


class RailVars(Vars):
    """One rail's interface on one host."""

    rail: int
    name: str
    """What the interface shall be called."""
    match: NicMatch
    address: str
    prefix_length: int
    gateway: str
    """The leaf's end of the link; of an SVI, all hosts of the leaf have the same."""
    mtu_bytes: int
    supernet: str
    """All hosts' addresses on this rail, now and later."""
    table: int
    """Routing table for what leaves with this rail's address."""
    subnet: str | None = None
    """Where hosts share the leaf's subnet: that subnet, whose hosts are reached without the leaf; else None."""


class RailInterfacesVars(Vars):
    """Role rail_interfaces."""

    rails: tuple[RailVars, ...]
    plane_supernet: str
    """All hosts' addresses of the plane."""
    arp_strict: bool
    """Hosts share subnets (``link: svi``), so that each rail must answer for its own address alone."""


class ClassVars(Vars):
    """One traffic class."""

    name: str
    dscp: tuple[Dscp, ...]
    priority: Priority
    lossless: bool
    strict: bool
    weight_percent: int | None
    """Share of what strict classes leave; None for a strict class."""


class RoceQosVars(Vars):
    """Role roce_qos."""

    rails: tuple[str, ...]
    classes: tuple[ClassVars, ...]
    """By priority; together they hold all 64 code points."""
    dscp: Dscp
    """What RDMA data is marked with."""
    priority: Priority
    """The one priority that is paused."""
    traffic_class: Annotated[int, Field(ge=0, le=255)]
    """The whole byte: 4 x DSCP + ECN bits. ECT(0) where the fabric marks, else Not-ECT."""
    ecn: bool
    """DCQCN on both sides: notification point and reaction point."""
    cnp_dscp: Dscp
    cnp_priority: Priority
    cable_m: int | None
    """Length of the cable to the leaf, for the NIC's headroom; None: not said."""


class RdmaStackVars(Vars):
    """Role rdma_stack."""

    provider: Literal["mlx5", "rxe"]
    """rxe: Soft-RoCE, what lab machines have."""
    rails: tuple[str, ...]


class NcclVars(Vars):
    """Role nccl."""

    rails: tuple[str, ...]
    traffic_class: Annotated[int, Field(ge=0, le=255)]
    cross_nic: Literal[0, 1, 2]
    """NCCL_CROSS_NIC: 0 where some rails cannot reach one another, 1 where a leaf serves all NICs of a host, else 2
    (NCCL documentation, Environment Variables)."""
    pxn_disable: Literal[0]
    """NCCL_PXN_DISABLE: never; between rails that share no spine, PXN is the only way."""
    socket_interfaces: tuple[str, ...]
    """Interfaces for NCCL's bootstrap: of the business plane, never a rail."""


class PlaneGuardVars(Vars):
    """Role plane_guard."""

    planes: dict[str, tuple[str, ...]]
    """Plane -> interfaces of this host on it; nothing is forwarded from one plane to another."""


class HostVars(Vars):
    """All that one host is told, by role."""

    rail_interfaces: RailInterfacesVars
    roce_qos: RoceQosVars
    rdma_stack: RdmaStackVars
    nccl: NcclVars
    plane_guard: PlaneGuardVars

    def ansible(self) -> dict[str, Any]:
        """``<role>_<field>`` -> plain data, as Ansible takes it. What is None in a rail is left out."""
        found: dict[str, Any] = {}
        for role in type(self).model_fields:
            part: Vars = getattr(self, role)
            for field, value in part.model_dump(mode="json").items():
                found[f"{role}_{field}"] = value
        for rail in found["rail_interfaces_rails"]:
            if rail["subnet"] is None:
                del rail["subnet"]
            rail["match"] = {key: value for key, value in rail["match"].items() if value is not None}
        return found


@dataclass(frozen=True, slots=True)
class HostNeeds:
    """What bringing up hosts takes beyond what switches need."""

    plane: str
    """The plane that their rails are on."""
    places: tuple[str, ...]
    """Where the NIC port of rail 0, 1, ... is in every host."""
    exceptions: Mapping[str, Mapping[int, str]]
    """Host -> rail -> where it is in this one."""
    interfaces: Mapping[str, tuple[str, ...]]
    """Plane that is not described -> the hosts' interfaces on it."""
    provider: Literal["mlx5", "rxe"]
    roce: ClassPolicy
    """The class that RDMA is marked for."""
    dcqcn: bool
    cable_m: int | None
    """Length of the cables to the leaves."""


def host_needs(demand: Demand, catalogue: Catalogue, marks: Marks) -> HostNeeds:
    """Where the hosts' NICs are, which model they are, and what RDMA is marked with.

    Raises IntentError for all of it that the intent does not say: only who brings up hosts needs it.
    """
    findings: list[Finding] = []
    nics = demand.nics
    if nics.at is None:
        what, example = "it is not said where these NICs are", "at: [PCI address of rail 0, ...]"
        findings.append(Finding(demand.on_nics(), what, example))
    provider = catalogue.nics[nics.model].rdma_provider if nics.model else None
    if provider is None:
        known = ", ".join(sorted(name for name, nic in catalogue.nics.items() if nic.rdma_provider))
        path = demand.on_nics("model")
        findings.append(Finding(path, "no NIC model that the host roles know", f"one of {known}", nics.model or "none"))
    roce = next((each for each in classes(demand.terms.classes) if each.lossless), None)
    if roce is None:
        expected = "lossless: true in the class that RDMA is marked for"
        findings.append(Finding(demand.terms.classes_at, "no class carries RDMA", expected))
    if nics.at is None or provider is None or roce is None:
        raise IntentError(marks.problems(findings))
    return HostNeeds(
        plane=demand.plane_name,
        places=nics.at,
        exceptions=nics.exceptions,
        interfaces=demand.hosts.interfaces,
        provider=provider,
        roce=roce,
        dcqcn=demand.terms.congestion == "dcqcn",
        cable_m=demand.fabric.leaf.cable_m,
    )


def host_vars(network: Network, needs: HostNeeds, host: str, among: Kinds | None = None) -> HostVars:
    """The variables of one host of the network. KeyError for a host that it has not.

    ``among``: the kinds of planes there are, those of ``design/planes/`` if not said otherwise. NCCL is told of NICs on
    planes that join GPUs alone.
    """
    plane = network.planes[needs.plane]
    nics, kind = network.rails_of(host, plane.name), (among or kinds()).planes[plane.kind]
    if not nics:
        raise KeyError(host)
    names = tuple(nic.port for nic in nics)
    qos = _roce_qos(needs, network.fabrics[plane.fabric].classes, names)
    described = {each.name: ports for each in network.planes.values() if (ports := _ports(network, host, each.name))}
    return HostVars(
        rail_interfaces=_rail_interfaces(plane, needs, nics),
        roce_qos=qos,
        rdma_stack=RdmaStackVars(provider=needs.provider, rails=names),
        nccl=NcclVars(
            rails=tuple(port for name in _of_gpus(network, among) for port in _ports(network, host, name)),
            traffic_class=qos.traffic_class,
            cross_nic=_cross_nic(network.fabrics[plane.fabric], plane.rails),
            pxn_disable=0,
            socket_interfaces=needs.interfaces.get(kind.bootstrap or "", ()),
        ),
        plane_guard=PlaneGuardVars(planes={**described, **needs.interfaces}),
    )


def _ports(network: Network, host: str, plane: str) -> tuple[str, ...]:
    return tuple(nic.port for nic in network.rails_of(host, plane))


def _of_gpus(network: Network, among: Kinds | None) -> tuple[str, ...]:
    """The planes that GPUs talk over."""
    known = (among or kinds()).planes
    return tuple(name for name, plane in network.planes.items() if known[plane.kind].joins_gpus)


def _rail_interfaces(plane: Plane, needs: HostNeeds, nics: tuple[HostNic, ...]) -> RailInterfacesVars:
    own = needs.exceptions.get(nics[0].host, {})
    is_shared = plane.host_vlan is not None
    return RailInterfacesVars(
        rails=tuple(
            RailVars(
                rail=nic.rail,
                name=nic.port,
                match=_match(own.get(nic.rail, needs.places[nic.rail])),
                address=nic.address,
                prefix_length=nic.prefix_length,
                gateway=nic.gateway,
                mtu_bytes=nic.mtu_bytes,
                supernet=plane.rail_supernets[nic.rail],
                table=FIRST_TABLE + nic.rail,
                subnet=str(IPv4Interface(f"{nic.address}/{nic.prefix_length}").network) if is_shared else None,
            )
            for nic in nics
        ),
        plane_supernet=plane.pools["hosts"],
        arp_strict=is_shared,
    )


def _match(place: str) -> NicMatch:
    return NicMatch(pci=place) if is_pci(place) else NicMatch(mac=place)


def _roce_qos(needs: HostNeeds, policies: tuple[ClassPolicy, ...], rails: tuple[str, ...]) -> RoceQosVars:
    roce = needs.roce
    ecn = needs.dcqcn and roce.ecn is not None
    # Without a class of their own, notifications go with the data; the intent asks for one wherever DCQCN is on.
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
        cable_m=needs.cable_m,
    )


def _cross_nic(fabric: Fabric, rails: int) -> Literal[0, 1, 2]:
    if not all(fabric.reachable(rail, other) for rail in range(rails) for other in range(rails)):
        return 0
    return 2 if fabric.kind == "rail" else 1

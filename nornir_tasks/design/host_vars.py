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
from nornir_tasks.design.network import Fabric, HostNic, Network, Plane
from nornir_tasks.design.qos import classes
from nornir_tasks.design.wish import ClassWish
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.fields import is_pci
from nornir_tasks.intent.findings import Finding, Marks
from nornir_tasks.intent.model import ComputeIntent, HostGroupIntent, PolicyIntent

PLANE = "compute"
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

    group: HostGroupIntent
    provider: Literal["mlx5", "rxe"]
    roce: ClassWish
    """The class that RDMA is marked for."""
    dcqcn: bool
    cable_m: int | None
    """Length of the cables to the leaves."""


def host_needs(
    plane: ComputeIntent,
    groups: Mapping[str, HostGroupIntent],
    policy: PolicyIntent,
    catalogue: Catalogue,
    marks: Marks,
) -> HostNeeds:
    """Where the hosts' NICs are, which model they are, and what RDMA is marked with.

    Raises IntentError for all of it that the intent does not say: only who brings up hosts needs it.
    """
    hosts = plane.hosts
    findings: list[Finding] = []
    group = groups.get(hosts.group)
    if group is None:
        example = f"{hosts.group}: {{rails: [PCI address of rail 0, ...]}}"
        findings.append(Finding(("hosts",), f"it is not said where the NICs of {hosts.group} are", example))
    provider = catalogue.nics[hosts.nic].rdma_provider if hosts.nic else None
    if provider is None:
        known = ", ".join(sorted(name for name, nic in catalogue.nics.items() if nic.rdma_provider))
        path = ("planes", "compute", "hosts", "nic")
        findings.append(Finding(path, "no NIC model that the host roles know", f"one of {known}", hosts.nic or "none"))
    roce = next((each for each in classes(policy) if each.lossless), None)
    if roce is None:
        expected = "lossless: true in the class that RDMA is marked for"
        findings.append(Finding(("policy", "classes"), "no class carries RDMA", expected))
    if group is None or provider is None or roce is None:
        raise IntentError(marks.problems(findings))
    return HostNeeds(group, provider, roce, policy.dcqcn, plane.leaf.cable_m)


def host_vars(network: Network, needs: HostNeeds, host: str) -> HostVars:
    """The variables of one host of the network. KeyError for a host that it has not."""
    nics = network.rails_of(host, PLANE)
    if not nics:
        raise KeyError(host)
    plane = network.planes[PLANE]
    names = tuple(nic.port for nic in nics)
    qos = _roce_qos(needs, network.classes, names)
    return HostVars(
        rail_interfaces=_rail_interfaces(plane, needs.group, nics),
        roce_qos=qos,
        rdma_stack=RdmaStackVars(provider=needs.provider, rails=names),
        nccl=NcclVars(
            rails=names,
            traffic_class=qos.traffic_class,
            cross_nic=_cross_nic(network.fabrics[plane.fabric], plane.rails),
            pxn_disable=0,
            socket_interfaces=needs.group.interfaces.get("business", ()),
        ),
        plane_guard=PlaneGuardVars(planes={PLANE: names, **needs.group.interfaces}),
    )


def _rail_interfaces(plane: Plane, group: HostGroupIntent, nics: tuple[HostNic, ...]) -> RailInterfacesVars:
    own = group.exceptions.get(nics[0].host, {})
    is_shared = plane.host_vlan is not None
    return RailInterfacesVars(
        rails=tuple(
            RailVars(
                rail=nic.rail,
                name=nic.port,
                match=_match(own.get(nic.rail, group.rails[nic.rail])),
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


def _roce_qos(needs: HostNeeds, wishes: tuple[ClassWish, ...], rails: tuple[str, ...]) -> RoceQosVars:
    roce = needs.roce
    ecn = needs.dcqcn and roce.ecn is not None
    # Without a class of their own, notifications go with the data; the intent asks for one wherever DCQCN is on.
    cnp = next((each for each in wishes if each.name == "cnp"), roce)
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
            for each in wishes
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

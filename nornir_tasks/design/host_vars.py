"""What a GPU host is told: the variables of the roles, derived from the same design as the switches' configurations.

One frozen model per role; a field ``x`` of the role ``r`` is the Ansible variable ``r_x``. None of these has a default
in a role: what both ends of a cable must agree on is said once, in the intent. A test compares these models with the
roles' ``argument_specs``.
"""

from ipaddress import IPv4Interface
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.fabric import Fabric, HostNic, Plane
from nornir_tasks.design.qos import classes
from nornir_tasks.design.wish import ClassWish
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.fields import is_pci
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import HostGroupIntent, Intent

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


def host_vars(fabric: Fabric, catalogue: Catalogue, host: str) -> HostVars:
    """The variables of one host of the fabric.

    Raises IntentError for what only hosts need and the intent does not say: where their NICs are, which model they
    are, what RDMA is marked with. KeyError for a host that the fabric has not.
    """
    nics = fabric.rails_of(host, PLANE)
    if not nics:
        raise KeyError(host)
    intent, plane = fabric.intent, fabric.planes[PLANE]
    group, provider, roce = _needed(intent, catalogue)
    names = tuple(nic.port for nic in nics)
    qos = _roce_qos(intent, names, roce)
    return HostVars(
        rail_interfaces=_rail_interfaces(intent, plane, group, nics),
        roce_qos=qos,
        rdma_stack=RdmaStackVars(provider=provider, rails=names),
        nccl=NcclVars(
            rails=names,
            traffic_class=qos.traffic_class,
            cross_nic=_cross_nic(intent, plane),
            pxn_disable=0,
            socket_interfaces=group.interfaces.get("business", ()),
        ),
        plane_guard=PlaneGuardVars(planes={PLANE: names, **group.interfaces}),
    )


def _needed(intent: Intent, catalogue: Catalogue) -> tuple[HostGroupIntent, Literal["mlx5", "rxe"], ClassWish]:
    """What bringing up hosts needs beyond what switches need; IntentError names all that is missing."""
    hosts = intent.planes.compute.hosts
    findings: list[Finding] = []
    group = intent.hosts.get(hosts.group)
    if group is None:
        example = f"{hosts.group}: {{rails: [PCI address of rail 0, ...]}}"
        findings.append(Finding(("hosts",), f"it is not said where the NICs of {hosts.group} are", example))
    provider = catalogue.nics[hosts.nic].rdma_provider if hosts.nic else None
    if provider is None:
        known = ", ".join(sorted(name for name, nic in catalogue.nics.items() if nic.rdma_provider))
        path = ("planes", "compute", "hosts", "nic")
        findings.append(Finding(path, "no NIC model that the host roles know", f"one of {known}", hosts.nic or "none"))
    roce = next((each for each in classes(intent.policy) if each.lossless), None)
    if roce is None:
        expected = "lossless: true in the class that RDMA is marked for"
        findings.append(Finding(("policy", "classes"), "no class carries RDMA", expected))
    if group is None or provider is None or roce is None:
        raise IntentError(intent.marks.problems(findings))
    return group, provider, roce


def _rail_interfaces(
    intent: Intent, plane: Plane, group: HostGroupIntent, nics: tuple[HostNic, ...]
) -> RailInterfacesVars:
    own = group.exceptions.get(nics[0].host, {})
    is_shared = intent.planes.compute.hosts.host_vlan is not None
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


def _roce_qos(intent: Intent, rails: tuple[str, ...], roce: ClassWish) -> RoceQosVars:
    wishes = classes(intent.policy)
    ecn = intent.policy.dcqcn and roce.ecn is not None
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
        cable_m=intent.planes.compute.leaf.cable_m,
    )


def _cross_nic(intent: Intent, plane: Plane) -> Literal[0, 1, 2]:
    rails = range(plane.rails)
    if not all(plane.reachable(rail, other) for rail in rails for other in rails):
        return 0
    return 2 if intent.planes.compute.design == "rail" else 1

"""The models of the host roles' variables.

One frozen model per role; a field ``x`` of the role ``r`` is the Ansible variable ``r_x``. None of these has a default
in a role: values that both ends of a cable share are defined once, in the intent. A test compares these models with the
roles' ``argument_specs``. What they hold for a host, ``design/hosts/host_vars.py`` derives.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from nornir_tasks.design.hosts.host_bonds import BondInterfacesVars
from nornir_tasks.design.hosts.host_parts import NicMatch, Vars

Dscp = Annotated[int, Field(ge=0, le=63)]
Priority = Annotated[int, Field(ge=0, le=7)]


class RailVars(Vars):
    """One rail's interface on one host."""

    rail: int
    name: str
    """The wanted interface name."""
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
    plane_supernet: str | None = None
    """All hosts' addresses of this rail's plane, in the copy of the fabric that the port is on, where it is not the
    role's ``plane_supernet``; else None."""
    subnet: str | None = None
    """Where hosts share the leaf's subnet: that subnet, whose hosts are reached without the leaf; else None."""


class RailInterfacesVars(Vars):
    """Role rail_interfaces."""

    rails: tuple[RailVars, ...]
    """Of all planes, numbered consecutively; with copies of the fabric, each port of a NIC for itself."""
    plane_supernet: str
    """All hosts' addresses of the first rail's plane, in its first copy of the fabric."""
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
    """And, behind them, the members of bonds that carry RDMA: QoS is each port's own."""
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
    """Length of the longest of its cables to leaves, by the cabling plan as for these, for the NICs' headroom; None:
    not said."""
    reorder_rails: tuple[str, ...] | None = None
    """Rails whose NICs are told to accept reordered packets, as switches balance packet by packet; None: no rail."""
    spectrum_x: bool | None = None
    """NVIDIA's algorithm in DCQCN's place, which role nic_firmware sets up; None: no."""


class RdmaStackVars(Vars):
    """Role rdma_stack."""

    provider: Literal["mlx5", "rxe"]
    """rxe: Soft-RoCE, what lab machines have."""
    rails: tuple[str, ...]
    """And members of bonds, as for roce_qos; those of one bond have one RDMA device."""


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
    queue_pairs: Annotated[int, Field(ge=1, le=128)] | None = None
    """NCCL_IB_QPS_PER_CONNECTION; None: as NCCL does by itself."""
    split_data: bool | None = None
    """NCCL_IB_SPLIT_DATA_ON_QPS; None: as NCCL does by itself."""
    fifo_traffic_class: Annotated[int, Field(ge=0, le=255)] | None = None
    """NCCL_IB_FIFO_TC, of what a receiver sends to have its sender begin (github.com/NVIDIA/nccl, pull request 1194);
    None: as the data."""
    libraries: dict[str, int] | None = None
    """Variable -> traffic class, of the libraries in ``design/demand/rdma_libraries.py`` that read the environment."""


class GpuRailVars(Vars):
    """One rail that joins GPUs."""

    name: str
    match: NicMatch


class GpudirectVars(Vars):
    """Role gpudirect."""

    rails: tuple[GpuRailVars, ...]
    """Of planes that join GPUs, in the GPUs' order: GPU 0 is on the first. None with Soft-RoCE, whose machines have no
    GPUs."""


class PlaneGuardVars(Vars):
    """Role plane_guard."""

    planes: dict[str, tuple[str, ...]]
    """Plane -> interfaces of this host on it; nothing is forwarded from one plane to another."""


class RdmaHostVars(Vars):
    """All variables of one host with rails that join no GPUs, by role: it serves data by RDMA, or uses it."""

    rail_interfaces: RailInterfacesVars
    roce_qos: RoceQosVars
    rdma_stack: RdmaStackVars
    plane_guard: PlaneGuardVars | None
    """None: the host is on one plane, so there is nothing to keep apart."""
    bond_interfaces: BondInterfacesVars | None = None
    """None: the host has no bonds."""

    def ansible(self) -> dict[str, Any]:
        """See :func:`as_ansible`."""
        return as_ansible(self)


class HostVars(Vars):
    """All variables of one host with rails that join GPUs, by role."""

    rail_interfaces: RailInterfacesVars
    roce_qos: RoceQosVars
    rdma_stack: RdmaStackVars
    nccl: NcclVars
    plane_guard: PlaneGuardVars
    gpudirect: GpudirectVars
    bond_interfaces: BondInterfacesVars | None = None
    """None: the host has no bonds."""

    def ansible(self) -> dict[str, Any]:
        """See :func:`as_ansible`."""
        return as_ansible(self)


class BondedHostVars(Vars):
    """All variables of one host that has bonds and no rail, by role."""

    bond_interfaces: BondInterfacesVars
    plane_guard: PlaneGuardVars | None
    """None: the host is on one plane, so there is nothing to keep apart."""
    roce_qos: RoceQosVars | None = None
    """None, as the next: no bond carries RDMA."""
    rdma_stack: RdmaStackVars | None = None

    def ansible(self) -> dict[str, Any]:
        """See :func:`as_ansible`."""
        return as_ansible(self)


LISTS = frozenset({"rail_interfaces_rails", "gpudirect_rails", "bond_interfaces_bonds"})
"""Variables whose parts have keys that only some of them need."""
OPTIONAL = (
    "roce_qos_reorder_rails",
    "nccl_queue_pairs",
    "nccl_split_data",
    "nccl_fifo_traffic_class",
    "nccl_libraries",
    "roce_qos_spectrum_x",
)
"""Variables that the role has a default for, where the design says nothing."""


def as_ansible(values: Vars) -> dict[str, Any]:
    """``<role>_<field>`` -> plain data, as Ansible takes it; what a rail, bond or host does not have is left out."""
    found: dict[str, Any] = {}
    for role in type(values).model_fields:
        part: Vars | None = getattr(values, role)
        for field, value in ({} if part is None else part.model_dump(mode="json")).items():
            found[f"{role}_{field}"] = value
    for name in OPTIONAL:
        if found.get(name, ()) is None:
            del found[name]
    for name in LISTS & found.keys():
        found[name] = _without_none(found[name])
    return found


def _without_none(value: Any) -> Any:  # noqa: ANN401 (plain data of any depth)
    if isinstance(value, dict):
        return {key: _without_none(each) for key, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value

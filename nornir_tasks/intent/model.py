"""What the operator asks for: the typed form of ``inventory/<site>/fabric.yml``.

``policy`` holds for the whole site; ``fabrics`` are switches, the cables between them and the routing over these;
``planes`` are what hosts get, each riding on a fabric; ``hosts`` are how many, and which NIC port is on which plane.
Strict: a key we do not know is an error, a number is not taken for a text, nothing is guessed. Rules that concern
several fields stand in modules of their own. Nothing here knows a switch, a port or an address.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, PrivateAttr, Tag, model_validator

from nornir_tasks.intent import fabric_rules, host_rules, rules, site_rules
from nornir_tasks.intent.fields import (
    Asns,
    Breakout,
    Congestion,
    DscpSet,
    HostLink,
    InterfaceName,
    Name,
    NicPlace,
    OwnName,
    Prefix,
    RailNumber,
    Ratio,
    SpeedGbps,
    System,
)
from nornir_tasks.intent.findings import Finding, Marks, refuse

DEFAULT_HOST_VLAN = 900

Medium = Literal["DAC", "ACC", "AEC", "AOC", "SR4", "SR8", "VR4", "DR4", "DR8", "FR4", "LR4"]
"""What a cable is: copper (DAC passive, ACC and AEC active), AOC, or a pair of optics of this type and a fibre."""


class Part(BaseModel):
    """A part of the intent: strict, closed, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Key that somebody may look for here -> what to write instead."""

    def findings(self) -> Iterator[Finding]:
        """What the rules that concern several of these fields have to say; below, each part speaks for itself."""
        return iter(())

    @model_validator(mode="after")
    def _judge(self) -> Self:
        refuse(self.findings())
        return self


class EcnThresholds(Part):
    """When a queue begins to mark, and when it marks with full probability."""

    min_bytes: Annotated[int, Field(ge=1, le=1 << 30)]
    max_bytes: Annotated[int, Field(ge=1, le=1 << 30)]
    probability_percent: Annotated[int, Field(ge=1, le=100)]

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return rules.ecn_thresholds(self)


def _ecn_kind(value: object) -> str:
    return ":thresholds" if isinstance(value, dict | EcnThresholds) else ":auto"


EcnIntent = Annotated[
    Annotated[Literal["auto"], Tag(":auto")] | Annotated[EcnThresholds, Tag(":thresholds")],
    Discriminator(_ecn_kind),
]
"""``auto``: the start value published for the ASIC; or thresholds of one's own."""


class TrafficClassIntent(Part):
    """One class of packets, told apart by DSCP."""

    dscp: DscpSet
    """The class that holds DSCP 0 is best effort and takes every code point that no class names."""
    priority: Annotated[int, Field(ge=0, le=7)]
    lossless: bool = False
    strict: bool = False
    ecn: EcnIntent | None = None
    weight: Annotated[int, Field(ge=1, le=100)] | None = None
    """Percent of what strict classes leave over; all weights sum to 100."""

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return rules.traffic_class(self)


MtuBytes = Annotated[int, Field(ge=1280, le=9216)]
"""IP MTU in bytes."""


class MtuIntent(Part):
    """IP MTUs. ``fabric`` is an upper bound: each link gets what both its ends can hold."""

    host: MtuBytes
    """Of planes."""
    fabric: MtuBytes
    """Of fabrics."""

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return rules.mtu(self)


LoadBalancing = Literal["static", "flowlet", "per_packet"]
"""How a switch spreads over equal-cost paths."""


class PolicyIntent(Part):
    """What holds for every fabric and plane that says nothing else: DSCP, priority, PFC, ECN, weights and MTU."""

    elsewhere = {"dcqcn": "congestion: dcqcn where it was on, congestion: pfc_only where it was off"}

    classes: dict[Name, TrafficClassIntent]
    congestion: Congestion
    """How senders learn to slow down. ``dcqcn``: switches mark, receivers notify; ``pfc_only``: pauses alone."""
    load_balancing: LoadBalancing = "static"
    mtu: MtuIntent
    unused_ports: Literal["shut", "leave"] = "shut"
    """What happens to ports without a cable: kept shut, or none of our business."""
    wave_share: Annotated[float, Field(gt=0, le=1)] = 0.25
    """Of the leaves that are the only one of some host: the share that one wave of a push may take, at least one."""

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return rules.policy(self)


class FabricPoolsIntent(Part):
    """The addresses and ASNs of one fabric's switches."""

    elsewhere = {"hosts": "planes.<name>.pools.hosts: the hosts' addresses are their plane's"}

    loopback: Prefix
    links: Prefix
    asn: Asns


class PlanePoolsIntent(Part):
    """The addresses of one plane's hosts."""

    elsewhere = {
        name: f"fabrics.<name>.pools.{name}: it is the switches', whatever planes ride on them"
        for name in ("loopback", "links", "asn")
    }

    hosts: Prefix


class SwitchChoice(Part):
    """Fields of a tier that an override may replace for some of its switches."""

    platform: System | None = None
    release: str | None = None
    model: str | None = None
    breakout: Breakout | None = None
    uplink_breakout: Breakout | None = None


class LeafOverride(SwitchChoice):
    """Another platform, release or model for the leaves of these rails, or of these leaf groups (from 1)."""

    rails: tuple[Annotated[int, Field(ge=0, le=15)], ...] | None = None
    groups: tuple[Annotated[int, Field(ge=1, le=4096)], ...] | None = None

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return fabric_rules.leaf_override(self)

    def covers(self, group: int, rail: int | None) -> bool:
        """Is the leaf of this group and rail meant?"""
        return (self.groups is None or group in self.groups) and (self.rails is None or rail in self.rails)


class SpineOverride(SwitchChoice):
    """Another platform, release or model for the spines of these numbers (from 1)."""

    index: Annotated[tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(min_length=1)]

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.rules`."""
        return fabric_rules.spine_override(self)

    def covers(self, index: int) -> bool:
        """Is the spine of this number meant?"""
        return index in self.index


class TierIntent(Part):
    """The switches of one tier and the cables that go down from them."""

    platform: System
    release: str
    model: str
    medium: Medium | None = None
    cable_m: Annotated[int, Field(ge=1, le=10000)] | None = None
    breakout: Breakout | None = None
    """How the cages of the ports that go down are split; without it they are not."""
    uplink_breakout: Breakout | None = None
    """How the cages of the ports that go up are split; without it they are not."""


class LeafIntent(TierIntent):
    """The tier hosts are cabled to."""

    overrides: tuple[LeafOverride, ...] = ()


class SpineIntent(TierIntent):
    """The tier that joins the leaves."""

    oversubscription: Ratio = 1.0
    """Host bandwidth of a leaf over its uplink bandwidth; at most this. ``3`` or ``3:1``."""
    count: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Number of spines; without it the cheapest layout decides (switches, then links, then optics), of at least two."""
    capacity_after_loss: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share of the declared bandwidth, hosts' over ``oversubscription``, that each leaf keeps with one spine lost."""
    uplink_speed: SpeedGbps | None = None
    """Speed of a leaf-to-spine link; without it the highest that all models hold."""
    groups: Annotated[int, Field(ge=1, le=16)] | None = None
    """Spine groups by contiguous rails; without it as is cheapest. ``count`` is over all groups."""
    pod_leaf_groups: Annotated[int, Field(ge=1, le=4096)] | None = None
    """clos3: leaf groups of a pod; without it as is cheapest. ``count`` is the spines of each pod then."""
    overrides: tuple[SpineOverride, ...] = ()


class CoreIntent(TierIntent):
    """The tier that joins the pods of a three-tier fabric."""

    oversubscription: Ratio = 1.0
    """Bandwidth of a spine to its leaves over that to the cores; at most this."""
    uplink_speed: SpeedGbps | None = None
    """Speed of a spine-to-core link; without it the highest that all models hold."""


class RoutingIntent(Part):
    """How switches talk to one another; host ports never speak BGP."""

    addressing: Literal["numbered", "unnumbered"] = "numbered"
    """Of links between switches; unnumbered ones have IPv6 link-local addresses alone, ``pools.links`` stays unused."""
    bfd: bool = True


class FabricIntent(Part):
    """Switches, the cables between them and the routing over these. Planes ride on it, one or several."""

    elsewhere = {
        "hosts": "hosts.<group>: {count, max, nics: {<plane>: {rails, speed, model, per_group}}}",
        **dict.fromkeys(("cross_rail", "link", "vlan"), "planes.<name>: it is how a plane's hosts use the fabric"),
    }

    design: Literal["rail", "clos", "clos3", "tree"]
    pools: FabricPoolsIntent
    leaf: LeafIntent
    spine: SpineIntent
    core: CoreIntent | None = None
    routing: RoutingIntent = RoutingIntent()
    racks: dict[str, dict[str, str]] = {}
    """Rack -> rack unit -> switch or host, as on the drawing of the rack; for the cabling plan, nothing else."""
    load_balancing: LoadBalancing | None = None
    """This fabric's own; without it the policy's."""
    mtu: MtuBytes | None = None
    """This fabric's own upper bound; without it the policy's."""

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.fabric_rules`."""
        return fabric_rules.fabric(self)


class PlaneIntent(Part):
    """What hosts get, and on which fabric's switches."""

    elsewhere = {
        **{
            name: f"fabrics.<name>.{name}: switches and cables are a fabric's, a plane says which one it rides on"
            for name in ("design", "leaf", "spine", "core", "routing", "racks")
        },
        "hosts": "hosts.<group>: {count, max, nics: {<plane>: {rails, speed, model, per_group}}}; link and vlan stay",
    }

    fabric: Name
    """The fabric it rides on, alone or beside others."""
    kind: Name | None = None
    """What kind of plane it is; without it the kind that is called like the plane."""
    cross_rail: Literal["fabric", "nvlink"] = "fabric"
    """How traffic between two rails goes; ``nvlink`` allows rails that share no spine."""
    link: HostLink = "p2p"
    """``p2p``: each NIC port is a routed /31, the switch has the even address, the host the odd one. ``subnet/N``: each
    NIC port is a routed /N, the switch has .1, the host .2, and pods or virtual functions the rest. ``svi``: all NIC
    ports of a leaf are in one VLAN and subnet, the leaf's whole block; the leaf has .1, the hosts .2 and on."""
    vlan: Annotated[int, Field(ge=2, le=4094)] | None = None
    """svi: the number of that VLAN, the same on every leaf, where each is a VLAN of its own; without it 900."""
    pools: PlanePoolsIntent
    classes: dict[Name, TrafficClassIntent] | None = None
    """This plane's own, all of them; without it the policy's."""
    congestion: Congestion | None = None
    """This plane's own; without it the policy's."""
    mtu: MtuBytes | None = None
    """Of this plane's hosts; without it the policy's."""

    @property
    def prefix_length(self) -> int | None:
        """Prefix length of a host link; None for ``svi``, where it is that of the leaf's block."""
        if self.link == "svi":
            return None
        return 31 if self.link == "p2p" else int(self.link.partition("/")[2])

    @property
    def host_vlan(self) -> int | None:
        """The hosts' VLAN on each leaf; None where host ports are routed."""
        return (self.vlan or DEFAULT_HOST_VLAN) if self.link == "svi" else None

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.site_rules`."""
        return site_rules.plane(self)


class NicsIntent(Part):
    """The NIC ports of a group's hosts on one plane."""

    elsewhere = {"nic": "model", "link": "planes.<name>.link", "vlan": "planes.<name>.vlan"}

    rails: Annotated[int, Field(ge=1, le=16)]
    """So many per host."""
    speed: SpeedGbps
    model: str | None = None
    """Of the NIC, as in the catalogue."""
    per_group: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Hosts per leaf group; without it as many as the leaf takes."""
    at: tuple[NicPlace, ...] | None = None
    """Where the port of rail 0, 1, ... is in every host of the group. Only who brings up hosts needs it."""
    exceptions: dict[str, dict[RailNumber, NicPlace]] = {}
    """Host -> rail -> where it is in this one host."""


class HostGroupIntent(Part):
    """Hosts that are alike. The fabrics are laid out for ``max``; ``count`` of them are there now."""

    elsewhere = {
        "rails": "nics: {<plane>: {rails: how many, at: [where the port of rail 0, 1, ... is]}}",
        "exceptions": "nics: {<plane>: {exceptions: ...}}",
    }

    count: Annotated[int, Field(ge=1, le=65536)]
    max: Annotated[int, Field(ge=1, le=65536)]
    nics: dict[Name, NicsIntent] = {}
    """Plane -> the NIC ports on it."""
    interfaces: dict[Name, tuple[InterfaceName, ...]] = {}
    """A plane that is not described yet -> the host's interfaces on it, as the kernel names them."""

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.host_rules`."""
        return host_rules.group(self)


class ManagementIntent(Part):
    """How the switches are reached: ``devices`` reads devices.yml beside the intent, ``lab`` asks the built-in lab."""

    source: Literal["devices", "lab"] = "devices"


class Intent(Part):
    """One site."""

    site: Name
    policy: PolicyIntent
    fabrics: dict[OwnName, FabricIntent]
    planes: dict[OwnName, PlaneIntent]
    hosts: dict[Name, HostGroupIntent]
    """Group -> its hosts; they are called after it, gpu-1, gpu-2 and on."""
    management: ManagementIntent = ManagementIntent()
    allow_memory: tuple[str, ...] = ()
    """Names of line shapes known only from memory that may be rendered all the same."""

    _marks: Marks = PrivateAttr(default_factory=Marks)

    def findings(self) -> Iterator[Finding]:
        """See :mod:`nornir_tasks.intent.site_rules`."""
        return site_rules.site(self)

    @property
    def marks(self) -> Marks:
        """Where each value stands in the file, for errors found later."""
        return self._marks

    def with_marks(self, marks: Marks) -> "Intent":
        """The same intent, knowing its file."""
        marked = self.model_copy()
        marked._marks = marks  # noqa: SLF001 - its own, on the copy
        return marked

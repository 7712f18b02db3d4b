"""Switches, the cables between them and the routing over these: a fabric, its pools, its tiers."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from nornir_tasks.intent.core.fields import Asns, Breakout, Name, OwnName, Prefix, Ratio, SpeedGbps, System, Unit
from nornir_tasks.intent.core.intent_model import LoadBalancing, MtuBytes, Part
from nornir_tasks.intent.keys.account import SecretName
from nornir_tasks.intent.keys.base import BaseChoice
from nornir_tasks.intent.keys.bonded_plane import PairsIntent

Medium = Literal[
    "DAC", "ACC", "AEC", "AOC", "BASE-T", "SR", "SR4", "SR8", "VR4", "DR4", "DR8", "FR4", "LR", "LR4",
    "2xSR4", "2xDR4", "2xFR4",
]  # fmt: skip
"""What a cable is: copper (DAC passive, ACC and AEC active), AOC, BASE-T between RJ45 ports, or a pair of optics of
this type and a fibre; ``2x`` with twin-port optics in split cages, so that each connector has a fibre of its own."""

Positions = tuple[Annotated[int, Field(ge=1, le=4096)], ...]
"""Numbers of things that are counted from 1."""


class FabricPoolsIntent(Part):
    """The addresses and ASNs of one fabric's switches."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "hosts": "planes.<name>.pools.hosts: the hosts' addresses are their plane's"
    }

    loopback: Prefix
    """Of switches, a /32 each. No two pools of the site overlap, and none lies where software on hosts takes addresses
    for itself (Docker, Kubernetes, OpenShift) or no interface can have one."""
    links: Prefix
    """Of links between switches, a /31 each; apart from all other pools. Unused with ``addressing: unnumbered``."""
    asn: Asns
    """Of switches; apart from those of other fabrics."""


class SwitchChoice(Part):
    """Fields of a tier that an override may replace for some of its switches."""

    platform: System | None = None
    """Another switch OS; ``release`` and ``model`` beside it. Without it the tier's."""
    release: str | None = None
    """Another release of the OS; without it the tier's."""
    model: str | None = None
    """Another model of the catalogue; without it the tier's."""
    breakout: Breakout | None = None
    """Another split of the cages of ports that go down; without it the tier's."""
    uplink_breakout: Breakout | None = None
    """Another split of the cages of ports that go up; without it the tier's."""


class LeafOverride(SwitchChoice):
    """Another platform, release or model for the leaves of these rails, leaf groups (from 1) or groups of hosts."""

    rails: tuple[Annotated[int, Field(ge=0, le=15)], ...] | None = None
    """Rails whose leaves it applies to, counted from 0; without it all. Refused with ``design: clos``, where a
    leaf has no rail. ``rails``, ``groups`` or ``hosts`` is there, and no leaf is in two overrides."""
    groups: Positions | None = None
    """Leaf groups whose leaves it applies to, counted from 1; without it all."""
    hosts: tuple[Name, ...] | None = None
    """Groups of hosts whose leaves it applies to; without it all. With neither ``rails`` nor ``groups`` beside it, the
    model of these leaves need not have ports for the NICs of other groups."""

    def covers(self, group: int, rail: int | None, hosts: str) -> bool:
        """Does it apply to the leaf of this group and rail, to which these hosts are cabled?"""
        is_there = (self.groups is None or group in self.groups) and (self.rails is None or rail in self.rails)
        return is_there and self.may_have(hosts)

    def may_have(self, hosts: str) -> bool:
        """May it apply to leaves of this group of hosts?"""
        return self.hosts is None or hosts in self.hosts

    @property
    def is_of_hosts(self) -> bool:
        """Does it apply to all leaves of some groups of hosts, and to no other?"""
        return self.hosts is not None and self.rails is None and self.groups is None


class SpineOverride(SwitchChoice):
    """Another platform, release or model for the spines of these numbers (from 1)."""

    index: Annotated[Positions, Field(min_length=1)]
    """Numbers of the spines it applies to, counted from 1; no spine is in two overrides."""

    def covers(self, index: int) -> bool:
        """Does it apply to the spine of this number?"""
        return index in self.index


class TierIntent(Part):
    """The switches of one tier and the cables that go down from them."""

    platform: System
    """The switch OS."""
    release: str
    """Release of the OS, one we know; in quotes where YAML would take it for a number."""
    model: str
    """Of the switch, as in the catalogue."""
    medium: Medium | None = None
    """Of the cables that go down: copper (DAC passive, ACC and AEC active), AOC, BASE-T (twisted pair between RJ45
    ports), or a pair of optics of this type and a fibre; ``2x``: split cages have twin-port optics, with a fibre for
    each leg (of four legs, a splitter for each two), and both ends may be split. Refused where it cannot join the two
    ends. Without it nothing is checked; cables from RJ45 ports to hosts are BASE-T then."""
    cable_m: Annotated[int, Field(ge=1, le=10000), Unit("metres")] | None = None
    """Length of the longest of these cables. Buffers of lossless classes are made for it at both ends. Refused where it
    is too long for ``medium`` at its speed, or lossless and longer than a source has headroom for."""
    breakout: Breakout | None = None
    """How the cages of the ports that go down are split; without it they are not."""
    uplink_breakout: Breakout | None = None
    """How the cages of the ports that go up are split; without it they are not. Refused at the highest tier."""
    spare_legs: Literal["shut"] | None = None
    """``shut``: a split cage with a twin-port optic may have legs that no cable is planned for, which are kept shut.
    Without it one leaves such legs only where that saves a switch, or no layout fills all cages, and says so."""


class LeafIntent(TierIntent):
    """The tier hosts are cabled to."""

    overrides: tuple[LeafOverride, ...] = ()
    """Leaves that differ."""
    pairs: PairsIntent | None = None
    """Each leaf group is a pair of switches, called ``leaf-g1-a`` and ``leaf-g1-b``, with half of a host's NIC ports on
    each. ``design: clos`` alone. Planes with ``link: bond`` need it. Without it a leaf group is one switch."""


class SpineIntent(TierIntent):
    """The tier that joins the leaves."""

    oversubscription: Ratio = 1.0
    """Host bandwidth of a leaf over its uplink bandwidth; at most this. ``3`` or ``3:1``."""
    count: Annotated[int, Field(ge=0, le=4096)] | None = None
    """Number of spines; without it the cheapest layout decides (switches, then links, then optics), of at least two.
    With ``max`` those that are there now, without it all; 0 only with ``max``, and while one leaf has all hosts."""
    max: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Number of spines that every leaf keeps ports for, counted like ``count`` and no less. A leaf has as many links to
    each spine as ``oversubscription`` and ``capacity_after_loss`` need with all of these, and each link has a port that
    is never another's: a spine that comes later moves no cable. Until all are there, what a leaf lacks is warned of.
    Without it, ports are kept for ``count`` alone, and one more spine moves the uplinks of every leaf."""
    capacity_after_loss: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share of the declared bandwidth, hosts' over ``oversubscription``, that each leaf keeps with one spine lost."""
    uplink_speed: SpeedGbps | None = None
    """Speed of a leaf-to-spine link; without it the highest that all models hold."""
    groups: Annotated[int, Field(ge=1, le=16)] | None = None
    """Spine groups by contiguous rails; without it as is cheapest. ``count`` is over all groups. More than one needs
    ``design: rail``, rails that fall into so many, and the plane's ``cross_rail: nvlink``."""
    pod_leaf_groups: Annotated[int, Field(ge=1, le=4096)] | None = None
    """clos3: leaf groups of a pod; without it as is cheapest. ``count`` is the spines of each pod then."""
    overrides: tuple[SpineOverride, ...] = ()
    """Spines that differ."""

    @property
    def planned(self) -> int | None:
        """Number of spines that ports are kept for; None: as is cheapest."""
        return self.count if self.max is None else self.max

    @property
    def planned_by(self) -> Literal["count", "max"]:
        """The field that says for how many spines ports are kept."""
        return "count" if self.max is None else "max"

    def with_planned(self, number: int) -> "SpineIntent":
        """The same tier with ports for another number of spines."""
        return self.model_copy(update={self.planned_by: number})


class CoreIntent(TierIntent):
    """The tier that joins the pods of a three-tier fabric."""

    oversubscription: Ratio = 1.0
    """Bandwidth of a spine to its leaves over that to the cores; at most this."""
    uplink_speed: SpeedGbps | None = None
    """Speed of a spine-to-core link; without it the highest that all models hold."""


class RoutingIntent(Part):
    """Routing between switches; there is no BGP on host ports."""

    addressing: Literal["numbered", "unnumbered"] = "numbered"
    """Of links between switches; unnumbered ones have IPv6 link-local addresses alone, ``pools.links`` stays unused.
    Refused where a system cannot."""
    bfd: bool = True
    """BFD beside each BGP session between switches. Refused where a switch does not hold so many."""
    password: SecretName | None = None
    """The secret whose value is the password of all these sessions (TCP MD5, RFC 2385), itself; without it they have
    none. A push that adds or changes it ends each session until both its ends have it."""


COPIES = "hosts.<group>.nics.<plane>.copies: 2 or 4, as many as each NIC has ports"
"""Where the number of copies of a fabric stands."""


class FabricIntent(Part):
    """Switches, the cables between them and the routing over these. Planes ride on it, one or several."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "hosts": "hosts.<group>: {count, max, nics: {<plane>: {rails, speed, model, per_group}}}",
        "copies": COPIES,
        **dict.fromkeys(("cross_rail", "link", "vlan"), "planes.<name>: it is how a plane's hosts use the fabric"),
    }

    design: Literal["rail", "clos", "clos3", "tree"]
    """``rail``: each rail of a group of hosts has a leaf of its own; ``clos``: one leaf for all NIC ports of a host;
    ``clos3``: rails, and a third tier of cores that joins pods. ``tree``: access switches (leaves) with one VLAN and
    subnet each below two routers (spines) or more, for the ports of an out-of-band plane; it has that plane alone."""
    pools: FabricPoolsIntent
    """Addresses and ASNs of its switches."""
    leaf: LeafIntent
    """The tier hosts are cabled to."""
    spine: SpineIntent
    """The tier that joins the leaves."""
    core: CoreIntent | None = None
    """The tier that joins pods. Required with ``design: clos3``, refused without."""
    copies_there: Annotated[int, Field(ge=1, le=3)] | None = None
    """Of the copies that its hosts' NICs have ports for (``copies``), the first so many are there now; without it all.
    A copy that comes later moves no cable and no address."""
    name_prefix: OwnName | None = None
    """Prefix of the names of its switches, before a dash, as ``front`` of ``front-leaf-g1``; without it none.
    Fabrics of a site have different ones. Without an underscore where one of them runs Cumulus Linux."""
    routing: RoutingIntent = RoutingIntent()
    """Routing between its switches."""
    racks: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Rack -> rack unit -> switch or host, as on the drawing of the rack; for the cabling plan, nothing else. A rack is
    called by 1-16 letters, digits, dots or dashes; a unit is 1-60, the lowest that the device takes; each device stands
    in one place. In the CSV a name that spreadsheets take for a number or a date has an apostrophe in front: '1-2."""
    load_balancing: LoadBalancing | None = None
    """This fabric's own; without it the policy's."""
    mtu: MtuBytes | None = None
    """This fabric's own upper bound; without it the policy's."""
    base: BaseChoice | None = None
    """Base configuration of its switches, instead of the site's; nothing of the site's is added to it."""

    def switch_name(self, name: str) -> str:
        """What a switch of this fabric is called: ``leaf-g1`` with the fabric's prefix, if it has one."""
        return f"{self.name_prefix}-{name}" if self.name_prefix else name

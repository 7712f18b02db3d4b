"""The intended configuration of one switch, independent of its OS and ASIC: the input of ``realise``.

Each owner sets its own fields and leaves the others at None; ``merge`` joins the parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.config.access_lists import AccessList, Direction, Family
from nornir_tasks.design.config.bgp import Bfd, Neighbor, PeerGroup, Validator
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Breakout, Layer1
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.merge_rules import KEYED, MAX, PARTS
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.config.routing_policy import AsPathList, PrefixList, RouteMap
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import RouteKey, SessionKey
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.intent.keys.base import BaseIntent

FABRIC_PROFILE = "fabric"
"""Neutral name of the profile of links between switches, and of ports of planes without a profile of their own: it
treats the classes as the switch's table does. ``realise`` replaces it by the OS's own name."""


@dataclass(frozen=True, slots=True)
class ClassPolicy:
    """One traffic class in the policy's own numbers."""

    name: str
    dscp: tuple[int, ...]
    """All 64 code points occur exactly once over all classes."""
    priority: int
    lossless: bool
    strict: bool
    weight_percent: int | None
    ecn: Ecn | Literal["auto"] | None


@dataclass(frozen=True, slots=True)
class ProfilePolicy:
    """How the ports of one kind treat the classes, where that differs from links between switches."""

    classes: tuple[ClassPolicy, ...]
    """All classes of the switch, with the code points of its table; pause, marking and weight are the profile's own."""


@dataclass(frozen=True, slots=True)
class BalancingPolicy:
    """Equal-cost paths spread by load, on a switch that has such paths."""

    mode: Literal["flowlet", "per_packet"]
    ports: tuple[str, ...]
    """Every port towards another switch: all members of a set of paths take part, or none."""
    width: int
    """Number of paths of the widest set."""
    sets: int
    """Largest number of sets of next hops, whatever links fail: one for each other switch of the layout."""


@dataclass(frozen=True, slots=True)
class PartialPort:
    """A part of a port, LAG, subinterface, SVI, loopback: of a host port, the fabric says layer 1, planes the rest."""

    enabled: bool | None = None
    description: str | None = None
    layer1: Layer1 | None = None
    address: str | None = None
    mtu_bytes: int | None = None
    """The same for all owners of a port: :func:`nornir_tasks.design.addresses.mtu.of_link`."""
    profile: str | None = None
    """Neutral name of the port profile it carries."""
    ra_interval_ms: int | None = None
    access_vlan: int | None = None
    edge: bool | None = None
    vrf: str | None = None
    tagged_vlans: frozenset[int] | None = field(default=None, metadata=KEYED)
    """Tagged VLANs of a trunk, of all its owners."""
    native_vlan: int | None = None
    tag: int | None = None
    lag: Lag | None = None
    """Of a group: an owner says all of it, with the rate, whatever the OS has a line for; several owners agree."""
    member_of: str | None = None
    """Of a member: the group's interface. The group's VLANs, MTU and profile are said of the group alone."""
    acls: Mapping[tuple[Family, Direction], str] | None = field(default=None, metadata=KEYED)
    """Names of the access lists that filter its packets."""
    ipv6_address: str | None = None
    gateway: Gateway | None = None
    dhcp_servers: frozenset[str] | None = None
    """Of an SVI: what it relays DHCP to; of each family that it has an address of."""
    storm: StormControl | None = None
    undisclosed: bool | None = None
    """The far end does not learn from it what this switch is: no LLDP, no CDP."""


@dataclass(frozen=True, slots=True)
class PartialVrf:
    """A part of one VRF other than the default one. BGP runs in it once an owner sets its router-id."""

    router_id: str | None = None
    maximum_paths: int | None = field(default=None, metadata=MAX)
    networks: frozenset[str] | None = field(default=None, metadata=KEYED)
    """Prefixes announced in it."""


@dataclass(frozen=True, slots=True)
class SwitchBase:
    """Base settings of one switch: the intent's own, and what the design knows beside them."""

    settings: BaseIntent
    management: ManagementAddress | None = None
    """The address of its management port."""
    links: tuple[str, ...] = ()
    """Prefixes that its fabric's links have their addresses from, and its loopbacks."""


@dataclass(frozen=True, slots=True)
class PartialConfig:
    """A part of one switch. The fields are those of DeviceConfig; sections that several owners fill are split up."""

    hash_seed: int | None = None
    lag_hash: bool | None = None
    """Link aggregation groups take a member by addresses and ports too, where the OS has a line for that."""
    lldp: bool | None = None
    classes: tuple[ClassPolicy, ...] | None = None
    """The switch's table: what a code point means on all its ports, and how the fabric's profile treats it."""
    profiles: Mapping[str, ProfilePolicy] | None = field(default=None, metadata=KEYED)
    """Further profiles of ports, by neutral name."""
    lossless_memory_percent: int | None = None
    """Share of the packet memory for lossless classes, where the OS has a line for it."""
    counts_marks: bool | None = None
    """Queues that mark count what they mark, where the OS needs a line for that."""
    bfd: Bfd | None = None
    load_balancing: BalancingPolicy | None = None
    breakouts: Mapping[int, Breakout] | None = field(default=None, metadata=KEYED)
    """By cage."""
    vlans: Mapping[int, Vlan] | None = field(default=None, metadata=KEYED)
    bridge_priority: int | None = None
    """Of spanning tree, 4096 to 61440 in steps of 4096: the switch is root of its VLANs by the smallest."""
    vrfs: Mapping[str, PartialVrf] | None = field(default=None, metadata=PARTS)
    """By name."""
    access_lists: Mapping[str, AccessList] | None = field(default=None, metadata=KEYED)
    """By name, of both families."""
    ports: Mapping[str, PartialPort] | None = field(default=None, metadata=PARTS)
    pair: PairSettings | None = None
    """All of it, whatever the OS has lines for; ``realise`` leaves out the rest."""
    prefix_lists: Mapping[str, PrefixList] | None = field(default=None, metadata=KEYED)
    as_path_lists: Mapping[str, AsPathList] | None = field(default=None, metadata=KEYED)
    route_maps: Mapping[str, RouteMap] | None = field(default=None, metadata=KEYED)
    static_routes: Mapping[RouteKey, StaticRoute] | None = field(default=None, metadata=KEYED)
    """By VRF (None: the default one) and prefix."""
    asn: int | None = None
    router_id: str | None = None
    maximum_paths: int | None = field(default=None, metadata=MAX)
    multipath_relax: bool | None = None
    graceful_restart_helper_only: bool | None = None
    log_neighbor_changes: bool | None = None
    wait_for_install: bool | None = None
    wait_for_convergence: bool | None = None
    """Both: of all VRFs of the switch, where the OS has lines for that."""
    networks: frozenset[str] | None = field(default=None, metadata=KEYED)
    """Prefixes announced."""
    aggregates: frozenset[str] | None = field(default=None, metadata=KEYED)
    """Prefixes announced in place of the networks in them."""
    peer_groups: Mapping[str, PeerGroup] | None = field(default=None, metadata=KEYED)
    validators: Mapping[str, Validator] | None = field(default=None, metadata=KEYED)
    """By address."""
    neighbors: Mapping[SessionKey, Neighbor] | None = field(default=None, metadata=KEYED)
    """By VRF (None: the default one) and peer: the far end's address, or the port of an unnumbered session."""
    base: SwitchBase | None = None

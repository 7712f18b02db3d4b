"""The common model: one switch's configuration, vendor-neutral in shape.

Planes contribute to it, ``realise`` adjusts it to OS release and ASIC, templates render it, parsers read it back. Every
value can be read from a switch, so equality is exact: ``parse(render(x)) == (x, nothing)``. What a switch cannot show
(a link's far end, a cable's length, a class's name) is in :mod:`nornir_tasks.design.network`.

Tuples are sorted by their key, so equal configurations are equal objects. What no OS line holds is ``None``.
"""

from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.lag import Lag, LagMember
from nornir_tasks.design.merge_rules import KEYED_BY_SEQUENCE, MAX

SECTIONS = (
    "services",
    "hashing",
    "load_balancing",
    "lldp",
    "qos",
    "bfd",
    "breakouts",
    "vlans",
    "vrfs",
    "interfaces",
    "routing_policy",
    "static_routes",
    "bgp",
)
"""The sections, in the order templates print them; each is a field of DeviceConfig and a template's stem."""


@dataclass(frozen=True, slots=True)
class Breakout:
    """One cage split into several ports, on systems that configure the cage (on EOS names follow lanes instead)."""

    port: int
    """Front-panel number of the cage."""
    ways: int
    speed_gbps: int | None
    """Of each part; None where the line that splits the cage says lanes (``Capabilities.has_breakout_lanes``)."""
    lanes: int | None = None
    """Lanes of each part; None where that line says the speed."""


@dataclass(frozen=True, slots=True)
class Layer1:
    """How a port runs its lanes. Explicit on both ends of every link, and equal there but for the lane count."""

    speed_gbps: int
    lanes: int | None
    """Electrical lanes of this end: 400G is 8 x 50G or 4 x 100G; None without a line of them (``has_lanes``)."""
    fec: Literal["rs", "fc", "none"] | None
    """None where no line sets it (``Capabilities.fec_below_lane_gbps``): the hardware goes by speed and medium."""
    negotiate: bool
    """Auto-negotiation with link training: on for passive and active copper, off for optics."""


@dataclass(frozen=True, slots=True)
class Vlan:
    """One VLAN. It lives on this switch alone: leaf to spine is always routed."""

    number: int
    name: str | None
    """None where the OS's VLANs have no names."""


@dataclass(frozen=True, slots=True)
class Vrf:
    """A routing table of its own, in which IPv4 is routed. Its ports, routes and sessions say its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Interface:
    """One port (routed, access or trunk), LAG, subinterface, SVI or loopback; an unused port: disabled, else None."""

    name: str
    """As the OS prints it: ``Ethernet1/1``, ``swp1.100``, ``Loopback0``, ``lo``; an SVI: ``Vlan900``."""
    description: str | None
    address: str | None
    """IPv4 address with prefix length, ``10.160.0.0/31``; None on an unused or an unnumbered port."""
    mtu_bytes: int | None
    """IP MTU, of an access port the same in frames; None on a loopback, and on an access port where the OS has none."""
    enabled: bool
    qos_profile: str | None
    """Name of the PortProfile this port carries; None on a loopback, an SVI, and a LAG where only members have it."""
    layer1: Layer1 | None = None
    """None on a LAG, a loopback, an SVI and an unused port."""
    ra_interval_ms: int | None = None
    """Longest time between two IPv6 router advertisements of an unnumbered port (RFC 4861); None: it has no IPv6."""
    access_vlan: int | None = None
    """The one VLAN of an access port, untagged; None: a routed port, or no port at all."""
    edge: bool = False
    """Of an access port or a trunk: spanning tree lets it forward at once, and a BPDU heard on it shuts it."""
    vrf: str | None = None
    """Of a routed port, a subinterface or an SVI: the VRF that it routes in; None: the default one."""
    tagged_vlans: tuple[int, ...] | None = None
    """Of a trunk: the VLANs whose frames bear an 802.1Q tag on it, ascending; None: no trunk."""
    native_vlan: int | None = None
    """Of a trunk: the VLAN of its untagged frames; None: frames without a tag are in no VLAN of ours."""
    tag: int | None = None
    """Of a routed subinterface, which is named after its port (``Ethernet1/1.100``): its frames' 802.1Q tag there."""
    lag: Lag | None = None
    """Of a link aggregation group; MTU, VLANs, VRF and addresses are fields of its interface, as of any port."""
    member: LagMember | None = None
    """Of a member of one: its MTU and VLANs are the group's, or None where the OS has them on the group alone."""


@dataclass(frozen=True, slots=True)
class Lldp:
    """Link-layer discovery, for the check of the cabling."""

    enabled: bool


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """How one class of packets is classified and queued, in this OS's own numbers."""

    priority: int
    """Switch priority (Cumulus), traffic class (EOS), qos-group (NX-OS): 0 to 7."""
    dscp: tuple[int, ...]
    """Every code point of the class. Over all classes each of the 64 code points occurs exactly once."""
    queue: int
    """Egress queue, 0 to 7."""
    lossless: bool
    """PFC pauses this priority, on ports whose profile says so."""


@dataclass(frozen=True, slots=True)
class Ecn:
    """Marking thresholds of one queue, after rounding to what the ASIC holds."""

    min_bytes: int
    max_bytes: int
    probability_percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """Scheduling of one egress queue."""

    number: int
    strict: bool
    weight_percent: int | None
    """Share of what strict queues leave over; the weights of a profile sum to 100. None when strict."""
    ecn: Ecn | None


@dataclass(frozen=True, slots=True)
class PortProfile:
    """What every port of one kind carries: trust DSCP, PFC on the lossless priorities, scheduling, watchdog."""

    name: str
    pfc_priorities: tuple[int, ...]
    watchdog: bool
    queues: tuple[Queue, ...]


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog: a queue paused for ``detect_ms`` drops its packets until ``restore_ms`` passed without pause.

    Where an OS fixes a value (NX-OS: all but on/off; NVUE: restore) ``realise`` puts in the OS's own figure. The action
    is always drop: an error-disabled port would take the GPU's rail down.
    """

    poll_ms: int
    detect_ms: int
    restore_ms: int


@dataclass(frozen=True, slots=True)
class Qos:
    """Classes, which mean the same on all ports, and what kinds of ports treat them how."""

    classes: tuple[TrafficClass, ...]
    profiles: tuple[PortProfile, ...]
    watchdog: Watchdog | None
    lossless_mtu_bytes: int | None
    """MTU of the queues' classes where the OS has one of its own (NX-OS network-qos); else None."""


@dataclass(frozen=True, slots=True)
class Bfd:
    """Intervals of the fabric's BFD sessions."""

    interval_ms: int
    min_rx_ms: int
    multiplier: int


@dataclass(frozen=True, slots=True)
class Hashing:
    """ECMP hash: five-tuple fields are always on (RoCE's entropy is the UDP source port); the seed differs per tier."""

    seed: int


@dataclass(frozen=True, slots=True)
class LoadBalancing:
    """How packets are spread over equal-cost paths where the hash alone does not decide: by the load of each path."""

    mode: Literal["flowlet", "per_packet"]
    """flowlet: a flow may change its path in a pause, so nothing is reordered; per_packet: each packet for itself."""
    ports: tuple[str, ...] | None
    """The ports that take part; None where the OS has no such choice and all do (EOS)."""
    flow_set_size: int | None
    """How the table that remembers flowlets is cut, in the OS's own number (EOS: 1 to 7); None where it has none."""


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """One entry of a prefix list: exact match of one prefix, or of its longer ones."""

    sequence: int
    permit: bool
    prefix: str
    ge: int | None = None
    le: int | None = None


@dataclass(frozen=True, slots=True)
class PrefixList:
    """A named list of prefixes; what no rule permits is denied."""

    name: str
    rules: tuple[PrefixRule, ...] = field(metadata=KEYED_BY_SEQUENCE)


@dataclass(frozen=True, slots=True)
class RouteMapRule:
    """One entry of a route map. ``prepend`` and ``communities`` are empty until a switch is drained."""

    sequence: int
    permit: bool
    match_prefix_list: str | None
    prepend: tuple[int, ...] = ()
    communities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RouteMap:
    """A named policy; what no rule permits is denied."""

    name: str
    rules: tuple[RouteMapRule, ...] = field(metadata=KEYED_BY_SEQUENCE)


@dataclass(frozen=True, slots=True)
class RoutingPolicy:
    """What may be announced and accepted."""

    prefix_lists: tuple[PrefixList, ...]
    route_maps: tuple[RouteMap, ...]


RouteKey = tuple[str | None, str]
"""(VRF, prefix) of a route; None is the default VRF."""


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A discard route: it keeps the leaf's host block announced while single host ports flap."""

    prefix: str
    vrf: str | None = None
    """None: the default one."""

    @property
    def key(self) -> RouteKey:
        """Which route of the switch it is."""
        return self.vrf, self.prefix


@dataclass(frozen=True, slots=True)
class PeerGroup:
    """Settings shared by the neighbours of one tier; named after the plane that owns it (``COMPUTE-SPINES``)."""

    name: str
    keepalive_s: int
    hold_s: int
    connect_retry_s: int | None
    advertisement_interval_s: int | None
    """Minimum route advertisement interval; None where the OS has none to set."""
    bfd: bool
    ttl_security: bool
    """GTSM (RFC 5082) with one hop: packets with TTL below 255 are dropped."""
    send_community: bool
    max_prefixes: int = field(metadata=MAX)
    """Hard limit: a neighbour that announces more is torn down."""
    prefix_restart_min: int | None
    """Minutes until a session torn down by the limit is tried again; None where the OS has no such timer."""
    route_map_in: str | None
    route_map_out: str | None


_IN_VRF = " in VRF "

SessionKey = tuple[str | None, str]
"""(VRF, what the switch calls a BGP session there: the far end's address, or a port); None is the default VRF."""


def key_name(key: SessionKey | RouteKey) -> str:
    """A session or route in messages: ``10.160.0.1``, or ``10.160.0.1 in VRF STORAGE``."""
    vrf, name = key
    return name if vrf is None else f"{name}{_IN_VRF}{vrf}"


def vrf_of(name: str) -> str | None:
    """The VRF of what ``key_name`` made."""
    return name.partition(_IN_VRF)[2] or None


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One eBGP session: with an address, or with the far end of a port (unnumbered).

    The remote ASN is always a number: with ``external`` an unnumbered session could come up over a wrong cable.
    """

    address: str | None
    """IPv4 address of the far end, without prefix length; None if ``interface`` identifies it."""
    remote_as: int
    peer_group: str
    description: str
    route_map_in: str | None = None
    """Overrides the group's, where each neighbour may announce something else (a spine's leaves)."""
    interface: str | None = None
    """Port of an unnumbered session; its far end's IPv6 link-local address is learnt, IPv4 rides on it (RFC 8950)."""
    vrf: str | None = None
    """None: the default one."""

    @property
    def peer(self) -> str:
        """What the switch calls the session within its VRF: the far end's address, or the port."""
        return self.interface or self.address or ""

    @property
    def key(self) -> SessionKey:
        """Which session of the switch it is."""
        return self.vrf, self.peer


@dataclass(frozen=True, slots=True)
class BgpVrf:
    """What the BGP process does in one VRF. ASN, peer groups and the rules of best paths are the process's."""

    name: str
    router_id: str
    maximum_paths: int
    networks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bgp:
    """The one BGP process of the switch."""

    asn: int
    router_id: str
    maximum_paths: int
    multipath_relax: bool
    graceful_restart_helper_only: bool
    log_neighbor_changes: bool
    networks: tuple[str, ...]
    peer_groups: tuple[PeerGroup, ...]
    neighbors: tuple[Neighbor, ...]
    """Of all VRFs; each names its own."""
    vrfs: tuple[BgpVrf, ...] = ()
    """The VRFs besides the default one in which it runs."""


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """Everything that gpufabric owns on one switch. A section that is not wanted is None or empty."""

    name: str
    os: str
    release: str
    model: str
    asic: str
    services: tuple[str, ...] = ()
    """What the OS must load first: NX-OS ``feature`` names, EOS ``multi-agent`` and ``ip-routing``."""
    hashing: Hashing | None = None
    load_balancing: LoadBalancing | None = None
    """None: static, by the hash alone."""
    lldp: Lldp | None = None
    qos: Qos | None = None
    bfd: Bfd | None = None
    breakouts: tuple[Breakout, ...] = ()
    vlans: tuple[Vlan, ...] = ()
    vrfs: tuple[Vrf, ...] = ()
    """Besides the default one."""
    interfaces: tuple[Interface, ...] = ()
    routing_policy: RoutingPolicy = RoutingPolicy((), ())
    static_routes: tuple[StaticRoute, ...] = ()
    bgp: Bgp | None = None

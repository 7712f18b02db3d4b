"""What a switch's configuration means for its neighbours, in neutral terms.

Each twin reads this out of its own configuration tree; FabricSim decides from both ends' states which links, LLDP
neighbours, BGP sessions and routes exist. Only what a neighbour can notice is here: no QoS, no management.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .control_lists import OWN, ControlLists

LACP_MODES: dict[str, bool | None] = {"active": True, "passive": False, "on": None}
"""``lacp_active`` by the word of a CLI's ``channel-group``."""


@dataclass(frozen=True, slots=True)
class HsrpGroup:
    """One IPv4 group of HSRP on an interface. ``address``: the virtual one, "" while it has none."""

    number: int
    address: str
    priority: int = 100
    preempt: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True)
class InterfaceState:
    """One interface. ``addresses`` are IPv4 with length ("10.0.0.0/31"), the primary first.

    speed ("400g"), fec ("rs", "fc", "none"; "rs-cons16" for the consortium's on 25G) and negotiate (auto-negotiation or
    link training) are what is set explicitly or fixed by the hardware, else None (follow the other end).
    is_dark: the port exists, but its lanes belong to another port of its cage.
    link_local: its IPv6 link-local address without length, "" if it has none.
    advertises: it sends IPv6 router advertisements (RFC 4861), from which the far end learns ``link_local``.
    access_vlan: the untagged VLAN of a switched port that is no trunk; vlans: all that a switched port carries.
    native_vlan: the untagged VLAN of a trunk, None if it has none.
    svi_vlan: the VLAN an SVI routes; has_vlan: it exists and is active; autostate: it needs a port of its VLAN up.
    port: of a subinterface, the port it is part of; tag: its frames' 802.1Q tag there, None while it has none.
    is_group: it is a link aggregation group, of ports whose ``group`` is its name; up with ``min_links`` of them.
    over_both: of a group over both switches of a pair, the number it has on both (``mlag 1``, ``vpc 1``).
    lacp_active: of a member, whether it sends LACP first; None: LACP is off. lacp_is_fast: it asks for one each second.
    hsrp: its groups of redundant gateways that talk to one another; a gateway that both switches answer has none.
    addresses_v6: global ones of IPv6 with length, as far as its OS' twin reads them for sessions over them.
    """

    name: str
    is_admin_up: bool = True
    is_routed: bool = True
    addresses: tuple[str, ...] = ()
    mtu_bytes: int = 1500
    vrf: str = "default"
    description: str = ""
    is_loopback: bool = False
    lldp_transmit: bool = True
    lldp_receive: bool = True
    speed: str | None = None
    fec: str | None = None
    negotiate: bool | None = None
    is_dark: bool = False
    link_local: str = ""
    advertises: bool = False
    access_vlan: int | None = None
    vlans: frozenset[int] = frozenset()
    native_vlan: int | None = None
    svi_vlan: int | None = None
    has_vlan: bool = True
    autostate: bool = True
    port: str = ""
    tag: int | None = None
    is_group: bool = False
    group: str = ""
    min_links: int = 1
    over_both: str = ""
    lacp_active: bool | None = None
    lacp_is_fast: bool = False
    hsrp: tuple[HsrpGroup, ...] = ()
    addresses_v6: tuple[str, ...] = ()

    @property
    def on_port(self) -> str:
        """The port whose cable its frames take: its own, or that of which it is a subinterface."""
        return self.port or self.name


@dataclass(frozen=True, slots=True)
class BgpNeighbor:
    """One configured neighbour with what its peer group or template adds already put in.

    address             of the far end; of an interface neighbour the name of the port it is behind
    interface           of an interface neighbour (its far end's address is learnt): that port, else ""
    extended_nexthop    IPv4 prefixes may have IPv6 next hops (RFC 8950)
    remote_as           number, "external" or "internal"; None if not configured (the session cannot come up)
    is_ipv4_active      IPv4 unicast is activated for it
    ttl_security_hops   GTSM: hop count of ``ttl-security hops`` / ``ttl maximum-hops``; None if off
    ebgp_multihop       TTL of eBGP multihop; None if off
    has_password        MD5 or AO authentication is on
    password            of TCP MD5, where what stands in the configuration tells it
    bfd                 the session is tied to BFD
    prefix_limit        prefixes accepted before the session is torn down; None if there is no limit
    prefix_limit_restart_s  seconds until a torn-down session may try again; None: never by itself
    """

    address: str
    remote_as: int | Literal["external", "internal"] | None = None
    description: str = ""
    peer_group: str = ""
    is_shutdown: bool = False
    is_ipv4_active: bool = True
    bfd: bool = False
    ttl_security_hops: int | None = None
    ebgp_multihop: int | None = None
    has_password: bool = False
    password: str | None = field(default=None, repr=False)
    route_map_in: str | None = None
    route_map_out: str | None = None
    prefix_list_in: str | None = None
    prefix_list_out: str | None = None
    prefix_limit: int | None = None
    prefix_limit_restart_s: float | None = None
    prefix_limit_warning_only: bool = False
    send_community: bool = False
    allowas_in: int = 0
    keepalive_s: int = 60
    hold_s: int = 180
    interface: str = ""
    extended_nexthop: bool = False


@dataclass(frozen=True, slots=True)
class BgpInstance:
    """The BGP process in one VRF, with one family. ``networks`` are announced if an equal route is in the table.

    aggregates  announced while a network in them is
    """

    asn: int
    router_id: str
    vrf: str = "default"
    neighbors: tuple[BgpNeighbor, ...] = ()
    networks: tuple[str, ...] = ()
    redistribute_connected: bool = False
    redistribute_connected_route_map: str | None = None
    maximum_paths: int = 1
    multipath_relax: bool = False
    aggregates: tuple[str, ...] = ()
    is_ipv6: bool = False

    @property
    def table(self) -> str:
        """Which of its switch's tables of BGP this is."""
        return table_of(self.vrf, is_ipv6=self.is_ipv6)


def table_of(vrf: str, *, is_ipv6: bool) -> str:
    """The name of the table of one family in a VRF."""
    return f"{vrf} ipv6" if is_ipv6 else vrf


@dataclass(frozen=True, slots=True)
class PrefixListEntry:
    """``seq N permit|deny PREFIX [ge N] [le N]``."""

    sequence: int
    permit: bool
    prefix: str
    ge: int | None = None
    le: int | None = None


@dataclass(frozen=True, slots=True)
class PrefixList:
    """Entries in ascending sequence; what none matches is denied."""

    name: str
    entries: tuple[PrefixListEntry, ...]


@dataclass(frozen=True, slots=True)
class RouteMapEntry:
    """One sequence of a route map. No ``match_prefix_lists``: it matches every route.

    prepend      AS numbers put before the path
    communities  what ``set community`` sets ("65535:0" for graceful shutdown); additive keeps those there are
    """

    sequence: int
    permit: bool = True
    match_prefix_lists: tuple[str, ...] = ()
    match_communities: tuple[str, ...] = ()
    prepend: tuple[int, ...] = ()
    communities: tuple[str, ...] = ()
    communities_additive: bool = False
    local_preference: int | None = None


@dataclass(frozen=True, slots=True)
class RouteMap:
    """Entries in ascending sequence; what none matches is denied."""

    name: str
    entries: tuple[RouteMapEntry, ...]


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A static route: to a next hop, out of an interface, or discarded (``next_hop`` and ``interface`` both None)."""

    prefix: str
    next_hop: str | None = None
    interface: str | None = None
    vrf: str = "default"
    distance: int = 1

    @property
    def is_discard(self) -> bool:
        """True for a route to Null0 or blackhole."""
        return self.next_hop is None and self.interface is None


@dataclass(frozen=True, slots=True)
class AsPathList:
    """``rules``: permit and regular expression of each, in order; what none finds something in is denied."""

    name: str
    rules: tuple[tuple[bool, str], ...]


@dataclass(frozen=True, slots=True)
class Outside:
    """What an edge router has that no fabric's switch has, all in the default VRF.

    neighbors      those of IPv6, which exchange routes of IPv6 alone; the policies of IPv4 unicast are those of IPv6
    prefix_lists   of IPv6
    networks       of IPv6
    static_routes  of IPv6
    aggregates     of both families, those that BGP can have; networks in them are not announced
    as_paths       (route map, sequence) -> the list of AS paths that it matches too
    next_hop_self  neighbours that are told this switch as the next hop
    """

    neighbors: tuple[BgpNeighbor, ...] = ()
    prefix_lists: tuple[PrefixList, ...] = ()
    networks: tuple[str, ...] = ()
    static_routes: tuple[StaticRoute, ...] = ()
    aggregates: tuple[str, ...] = ()
    as_path_lists: tuple[AsPathList, ...] = ()
    as_paths: Mapping[tuple[str, int], str] = field(default_factory=dict)
    next_hop_self: frozenset[str] = frozenset()

    @property
    def has_ipv6(self) -> bool:
        """Is anything of IPv6 announced or learned?"""
        return bool(self.neighbors or self.networks or any(":" in each for each in self.aggregates))


@dataclass(frozen=True, slots=True)
class Compared:
    """One value that both switches of a pair should have alike: ``kind`` and ``interface`` as the OS shows them.

    number       of a value of one group over both, the group's number; "": it is the whole switch's
    action       what a switch does about a conflict by itself (consistency.py); "": nothing
    is_conflict  it is one, whatever the other switch has
    """

    name: str
    value: str
    kind: str = ""
    interface: str = ""
    number: str = ""
    action: Literal["", "secondary", "own", "vlans"] = ""
    is_conflict: bool = False


@dataclass(frozen=True, slots=True)
class PairState:
    """What a switch was given of the pair it is in (MLAG, vPC); both members have one.

    domain             by which both know one another: a name (EOS), a number (NX-OS), a MAC address (Cumulus Linux)
    needs_same_domain  one with another domain is no peer; else it is one, and the difference is a conflict
    peer_link          name of the group between both
    talks_on           the interface both talk on; "" where none is configured (NX-OS)
    vlan               the VLAN of it, which the peer link carries; None: frames need no VLAN of the bridge
    peer_address       the other switch's address there; "" where it is found by itself
    keepalive          the other switch's address that is reached another way; "" if none is set
    priority           the smaller one is primary
    compared           what the OS compares with the other switch
    shuts_apart        what a secondary shuts that hears its peer's keepalive alone: "groups" over both, "all" ports
    bridge             bridge address both have in spanning tree, where they are one bridge to others; "": each its own
    """

    domain: str
    peer_link: str
    needs_same_domain: bool = True
    talks_on: str = ""
    vlan: int | None = None
    peer_address: str = ""
    keepalive: str = ""
    keepalive_vrf: str = "default"
    priority: int = 0
    compared: tuple[Compared, ...] = ()
    shuts_apart: Literal["groups", "all", ""] = ""
    bridge: str = ""


@dataclass(frozen=True, slots=True)
class TreeLines:
    """One spanning tree that a switch takes part in, with its bridge priority there. ``vlan``: None for all."""

    name: str
    priority: int
    vlan: int | None = None


@dataclass(frozen=True, slots=True)
class SwitchState:
    """One switch as its neighbours see it.

    hostname      what LLDP announces as the system's name
    is_routing    IPv4 forwarding is on (``ip routing``); without it there are connected routes only, and no BGP
    missing_route_map_permits  what a neighbour's route map that is not defined does: False denies everything, True
                               permits
    pair          the pair of switches it is in; None if it is in none, or was not given all that its OS needs for one
    trees         its spanning trees, as far as its OS shows them
    outside       what an edge router has beside
    control       what it lets in to itself in the default VRF
    """

    name: str
    os: str
    hostname: str = ""
    interfaces: tuple[InterfaceState, ...] = ()
    bgp: tuple[BgpInstance, ...] = ()
    prefix_lists: tuple[PrefixList, ...] = ()
    route_maps: tuple[RouteMap, ...] = ()
    static_routes: tuple[StaticRoute, ...] = ()
    lldp_enabled: bool = True
    is_routing: bool = True
    missing_route_map_permits: bool = False
    pair: PairState | None = None
    trees: tuple[TreeLines, ...] = ()
    outside: Outside = Outside()
    control: ControlLists = OWN
    facts: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def instances(self) -> tuple[BgpInstance, ...]:
        """Its processes of BGP, those of an edge router by family."""
        outside = self.outside
        if not outside.has_ipv6 and not outside.aggregates:
            return self.bgp
        found = []
        for each in self.bgp:
            if each.vrf != "default":
                found.append(each)
                continue
            four, six = (tuple(a for a in outside.aggregates if (":" in a) == is_six) for is_six in (False, True))
            found.append(replace(each, aggregates=four))
            if outside.has_ipv6:
                other = replace(each, neighbors=outside.neighbors, networks=outside.networks, aggregates=six)
                found.append(replace(other, redistribute_connected=False, is_ipv6=True))
        return tuple(found)

    def with_outside(self, outside: Outside, addresses_v6: Mapping[str, tuple[str, ...]]) -> SwitchState:
        """The same switch with these, and its interfaces with addresses of IPv6."""
        interfaces = tuple(replace(each, addresses_v6=addresses_v6.get(each.name, ())) for each in self.interfaces)
        return replace(self, interfaces=interfaces, outside=outside)

    def without_ports(self, shut: Collection[str]) -> SwitchState:
        """The same switch with these ports shut."""
        if not shut:
            return self
        ports = (replace(each, is_admin_up=False) if each.name in shut else each for each in self.interfaces)
        return replace(self, interfaces=tuple(ports))

    def switched_off(self) -> SwitchState:
        """The same switch without power."""
        dark = tuple(replace(each, is_admin_up=False) for each in self.interfaces)
        return replace(self, interfaces=dark, bgp=(), lldp_enabled=False, is_routing=False, outside=Outside())

    def frozen(self) -> SwitchState:
        """The same switch with its ports up and nothing behind them that says anything: no LACP, LLDP, BGP, hellos.

        What others wait for before they notice (hold times, LACP's and LLDP's) is over at once.
        """
        mute = tuple(
            replace(each, lacp_active=None, hsrp=(), advertises=False, lldp_transmit=False) for each in self.interfaces
        )
        return replace(self, interfaces=mute, bgp=(), lldp_enabled=False, pair=None, outside=Outside())

"""The edge routers: sessions with upstreams, one with another, the VLAN to the firewalls.

What is taken: of each upstream its default route, and if asked other routes, none of them a bogon's, our own, longer
than others take, or over an AS number that no path has; all of it is marked not to be told to other networks. What is
announced: an exact list of aggregates. An aggregate is there while some route behind the firewalls is in it, which
leads to the address that the firewalls share and stands as long as the VLAN to them is up; what of an aggregate no such
route covers is discarded. Over the session between both routers go the routes of others alone: each announces for
itself. Which packets are taken in is in edge_filters. A drained router makes the paths that it tells and that it takes
longer than any other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from nornir_tasks.design.config.access_lists import AccessList, Direction, Family
from nornir_tasks.design.config.bgp import Neighbor, PeerGroup, Validator
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.routing_policy import GSHUT, PrefixList, PrefixRule, RouteMap, RouteMapRule
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute.as_paths import containing
from nornir_tasks.design.contribute.bond_ports import GATEWAY_MAC, PRIORITIES
from nornir_tasks.design.contribute.edge_filters import from_inside, from_upstream, not_spoken, nothing
from nornir_tasks.design.contribute.fabrics.clos import CONNECT_RETRY_S, HASH_SEED, PREFIX_RESTART_MIN
from nornir_tasks.design.contribute.managed_base import vrf_of
from nornir_tasks.design.contribute.mlag_config import BRIDGE_PRIORITY, PEER_LINK
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.demand.kinds import Announced, FabricKind
from nornir_tasks.design.model.claims import Owner, name_prefix
from nornir_tasks.design.model.edge_policy import EDGE, EdgeTerms, InsideLink, OutsideLink, OutsideSession, family_of
from nornir_tasks.design.model.layer1 import layer1
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort

NO_EXPORT = "65535:65281"
"""NO_EXPORT (RFC 1997), as a number; each platform has its OS's spelling."""

OUTSIDE_TIMERS_S = (30, 90)
"""(keepalive, hold) with upstreams: hold 90 s is what RFC 4271 suggests; upstreams rarely have BFD."""
INSIDE_TIMERS_S = (3, 9)
"""Between both routers, which are on one link."""

ANY: dict[Family, str] = {"ipv4": "0.0.0.0/0", "ipv6": "::/0"}
GLOBAL: dict[Family, tuple[str, int, int]] = {"ipv4": ("0.0.0.0/0", 8, 24), "ipv6": ("2000::/3", 16, 48)}
"""Where routes of others are, and how long they are at least and at most: shorter ones stand for half of the Internet,
longer ones no other network takes (NLNOG/bgpfilterguide at a3934ac2, guides/small_prefixes.md)."""
LAST_DISTANCE = 254
"""Of static routes that stand behind those of every protocol; routes of distance 255 are not used at all."""
WHOLE: dict[Family, int] = {"ipv4": 32, "ipv6": 128}
_IN: Direction = "in"
_FILTER = "FILTER"
"""What names of access lists end with."""


def owner(fabric: Fabric) -> Owner:
    """Loopbacks, the VLAN and subnets of its links, what it announces, and every name that begins with its own."""
    return Owner(
        fabric.name,
        "fabric",
        name_prefix(fabric.name),
        tuple(fabric.pools.values()),
        vlans=fabric.vlans,
        lags=frozenset({PEER_LINK}),
        has_gateways=True,
        has_outside=True,
    )


def partial_configs(
    network: Network, device: Device, announced: Announced, *, drained: bool
) -> Iterator[PartialConfig]:
    """All of one edge router; no plane rides on it."""
    del announced
    if network.edge is not None:
        yield _Router(network, network.edge, network.fabric_of(device), device, drained).partial_config()


KIND = FabricKind(frozenset({EDGE}), owner, partial_configs)


@dataclass(frozen=True)
class _Router:
    network: Network
    terms: EdgeTerms
    fabric: Fabric
    device: Device
    drained: bool

    def partial_config(self) -> PartialConfig:
        networks = frozenset(self.terms.inside)
        return PartialConfig(
            hash_seed=HASH_SEED[0],
            lldp=True,
            ports=dict(self.ports()),
            vlans={self.terms.vlan: Vlan(self.terms.vlan, self.name("OUTSIDE"))},
            bridge_priority=BRIDGE_PRIORITY,
            access_lists={each.name: each for each in self.access_lists()},
            as_path_lists={self.bad_paths: containing(self.bad_paths, self.terms.bad_asns, self.terms.good_asns)},
            prefix_lists={each.name: each for each in self.prefix_lists()},
            route_maps={each.name: each for each in self.route_maps()},
            static_routes={each.key: each for each in self.static_routes()},
            asn=self.terms.asn,
            router_id=self.device.loopback,
            maximum_paths=1,
            multipath_relax=False,
            graceful_restart_helper_only=True,
            log_neighbor_changes=True,
            networks=networks,
            aggregates=frozenset(self.terms.aggregates) - networks,
            peer_groups={each.name: each for each in self.peer_groups()},
            validators={address: Validator(address, port, self.vrf) for address, port in self.terms.validators} or None,
            neighbors={each.key: each for each in self.neighbors()},
        )

    def name(self, *parts: str) -> str:
        """A name with the fabric's prefix, by which ownership identifies it."""
        return name_prefix(self.fabric.name) + "-".join(parts).upper()

    def of(self, link: OutsideLink, session: OutsideSession, *parts: str) -> str:
        """A name of what is one session's."""
        return self.name(link.name, _short(session.family), *parts)

    def between(self, family: Family, *parts: str) -> str:
        """A name of what is between both routers."""
        return self.name("PEER", _short(family), *parts)

    @cached_property
    def bad_paths(self) -> str:
        return self.name("BOGON-ASNS")

    @cached_property
    def links(self) -> tuple[OutsideLink, ...]:
        """Its own links to upstreams."""
        return tuple(self.terms.on(self.device.name))

    @property
    def vrf(self) -> str | None:
        """Of management, where validators are."""
        return vrf_of(self.network.base.get(self.fabric.name), self.device.capabilities)

    @property
    def place(self) -> int:
        """0 of the first router, 1 of the second."""
        return self.device.index - 1

    @property
    def inside_port(self) -> str:
        """The interface of the VLAN to the firewalls."""
        return f"{self.device.capabilities.svi_prefix}{self.terms.vlan}"

    # -- ports ------------------------------------------------------------------------------------------------------

    def ports(self) -> Iterator[tuple[str, PartialPort]]:
        """The loopback, the ports to firewall, other router and upstreams, and the VLAN's interface."""
        known, terms, mtu_bytes = self.device.capabilities, self.terms, self.fabric.mtu_bytes
        yield known.loopback_name, PartialPort(True, "router-id", address=f"{self.device.loopback}/32")
        outside = {each.port: each for each in self.links}
        group = f"{known.lag_prefix}{PEER_LINK}"
        for link in self.network.links_of(self.device.name):
            near, far = link.end(self.device.name), link.far(self.device.name)
            port = PartialPort(True, f"{far.device} {far.port}", layer1(link, near.slot))
            if link.kind == "peer":
                yield near.port, replace(port, member_of=group)
            elif near.port in outside:
                yield near.port, self.to_upstream(outside[near.port], port)
            else:
                yield near.port, replace(port, access_vlan=terms.vlan, edge=True, mtu_bytes=mtu_bytes)
        vlans, other = frozenset({terms.vlan}), f"{self.fabric.name}-{2 - self.place}"
        yield group, PartialPort(True, f"{other} peer link", mtu_bytes=mtu_bytes, tagged_vlans=vlans, lag=Lag("fast"))
        yield self.inside_port, self.svi()

    def to_upstream(self, link: OutsideLink, port: PartialPort) -> PartialPort:
        """The description names the upstream alone: its name for its port is not known, and it does not learn ours."""
        found = {each.family: each.address for each in link.sessions}
        return replace(
            port,
            description=link.name,
            address=found.get("ipv4"),
            ipv6_address=found.get("ipv6"),
            mtu_bytes=self.fabric.mtu_bytes,
            undisclosed=True,
            acls={
                **{(family, _IN): self.without(link, family) for family in not_spoken(self.terms, link)},
                **{(each.family, _IN): self.of(link, each, _FILTER) for each in link.sessions},
            },
        )

    def svi(self) -> PartialPort:
        """Both routers answer at the gateway, each with addresses of its own beside it.

        Where one of both answers (HSRP), the one that does goes on doing so: one that comes back has no routes yet, on
        NX-OS for up to 300 s after a restart (initial best-path timeout: Cisco, Nexus 3000 Unicast Routing Guide
        5.0(3)U2(2), 6-35), and would drop all that leaves.
        """
        four, six = self.terms.inside_of("ipv4"), self.terms.inside_of("ipv6")
        return PartialPort(
            enabled=True,
            description="firewalls",
            address=self.own(four),
            ipv6_address=self.own(six),
            mtu_bytes=self.fabric.mtu_bytes,
            acls={(each.family, _IN): self.inside_list(each.family) for each in self.terms.inside_links},
            gateway=Gateway(
                address=four.gateway if four else None,
                ipv6_address=six.gateway if six else None,
                mac_address=GATEWAY_MAC,
                group=self.terms.vlan,
                priority=PRIORITIES[self.place],
            ),
        )

    def own(self, link: InsideLink | None) -> str | None:
        """Its own address of the VLAN, with the length."""
        return None if link is None else f"{link.own[self.place]}/{link.subnet.partition('/')[2]}"

    def inside_list(self, family: Family) -> str:
        """The name of the list on the VLAN to the firewalls."""
        return self.name(_FILTER, _short(family))

    def without(self, link: OutsideLink, family: Family) -> str:
        """The name of the list for a family that is not spoken with an upstream."""
        return self.name(link.name, _short(family), _FILTER)

    def access_lists(self) -> Iterator[AccessList]:
        """Of each port to an upstream, and of the VLAN, for each family."""
        facts = self.device.capabilities.acls
        for link in self.links:
            for session in link.sessions:
                yield from_upstream(self.of(link, session, _FILTER), self.terms, session, facts)
            yield from (nothing(self.without(link, family), family, facts) for family in not_spoken(self.terms, link))
        for each in self.terms.inside_links:
            yield from_inside(self.inside_list(each.family), self.terms, each, self.place, facts)

    # -- what is taken and announced --------------------------------------------------------------------------------

    def prefix_lists(self) -> Iterator[PrefixList]:
        """Per session what is taken and what is announced; per family what is our own."""
        for link in self.links:
            for session in link.sessions:
                yield PrefixList(self.of(link, session, "TAKEN"), _numbered(self.taken(link, session.family)))
                announced = [(True, prefix, None, None) for prefix in session.announced]
                yield PrefixList(self.of(link, session, "ANNOUNCED"), _numbered(announced))
        for each in self.terms.inside_links:
            yield PrefixList(self.name("OWN", _short(each.family)), _numbered(self.own_prefixes(each.family)))

    def own_prefixes(self, family: Family) -> list["_Entry"]:
        """What no other network announces: the aggregates, with everything in them."""
        found = [each for each in self.terms.aggregates if family_of(each) == family]
        return [(True, prefix, None, _longest(prefix, WHOLE[family])) for prefix in found]

    def taken(self, link: OutsideLink, family: Family) -> list["_Entry"]:
        """The default route; and if asked what is no bogon, not our own, neither too short nor too long."""
        default: _Entry = (True, ANY[family], None, None)
        if link.takes == "default":
            return [default]
        most, (everything, least, longest) = WHOLE[family], GLOBAL[family]
        denied = [(False, prefix, None, le) for _, prefix, _, le in self.own_prefixes(family)]
        exempt = [each for each in self.terms.exempt if family_of(each) == family and _length(each) <= longest]
        permitted = [(True, each, None, _longest(each, longest)) for each in exempt]
        bogons = [(False, each, None, _longest(each, most)) for each in self.terms.bogons if family_of(each) == family]
        return [*denied, default, *permitted, *bogons, (True, everything, least, longest)]

    def route_maps(self) -> Iterator[RouteMap]:
        """Of each session both ways; between both routers what is our own stays at home."""
        for link in self.links:
            for session in link.sessions:
                yield self.inbound(link, session)
                yield self.outbound(link, session)
        for each in self.terms.inside_links:
            own = RouteMapRule(10, permit=False, match_prefix_list=self.name("OWN", _short(each.family)))
            rest = RouteMapRule(20, permit=True, match_prefix_list=None)
            yield RouteMap(self.between(each.family, "OUT"), (own, rest))

    def inbound(self, link: OutsideLink, session: OutsideSession) -> RouteMap:
        """No path with a bogon's number, no origin that is another's; all that is taken is told to no other network."""
        rule = RouteMapRule(
            20,
            permit=True,
            match_prefix_list=self.of(link, session, "TAKEN"),
            prepend=self.longer(link.asn),
            communities=(NO_EXPORT, *self.drain_community),
        )
        bad = RouteMapRule(10, permit=False, match_prefix_list=None, match_as_path=self.bad_paths)
        theirs = RouteMapRule(15, permit=False, match_prefix_list=None, match_origin="invalid")
        refused = (bad, theirs) if self.terms.validators else (bad,)
        return RouteMap(self.of(link, session, "IN"), (*refused, rule))

    def outbound(self, link: OutsideLink, session: OutsideSession) -> RouteMap:
        """The aggregates and nothing else."""
        rule = RouteMapRule(
            10,
            permit=True,
            match_prefix_list=self.of(link, session, "ANNOUNCED"),
            prepend=self.longer(self.terms.asn),
            communities=self.drain_community,
        )
        return RouteMap(self.of(link, session, "OUT"), (rule,))

    def longer(self, asn: int) -> tuple[int, ...]:
        """What makes a path through a drained router longer; inbound the upstream's number, as our own is refused."""
        return (asn,) * self.fabric.drain_prepend if self.drained else ()

    @property
    def drain_community(self) -> tuple[str, ...]:
        return (GSHUT,) if self.drained else ()

    def static_routes(self) -> Iterator[StaticRoute]:
        """To the firewalls what is behind them; the rest of what is announced is discarded."""
        for prefix in self.terms.inside:
            link = self.terms.inside_of(family_of(prefix))
            if link is not None:
                yield StaticRoute(prefix, next_hops=(link.firewalls,), interface=self.inside_port)
        for prefix in self.terms.aggregates:
            if prefix not in self.terms.inside:
                yield StaticRoute(prefix, distance=self.discard_distance)

    @property
    def discard_distance(self) -> int | None:
        """Of the discard route of an aggregate: behind the aggregate's own route, where that must be used to be told.

        It still discards once the aggregate is gone, so packets do not circle between the router and its upstream.
        """
        return None if self.device.capabilities.aggregate_distance is None else LAST_DISTANCE

    # -- sessions ---------------------------------------------------------------------------------------------------

    def peer_groups(self) -> Iterator[PeerGroup]:
        """One for each session with an upstream, one for each family between both routers."""
        for link in self.links:
            for session in link.sessions:
                yield PeerGroup(
                    name=self.of(link, session),
                    keepalive_s=OUTSIDE_TIMERS_S[0],
                    hold_s=OUTSIDE_TIMERS_S[1],
                    connect_retry_s=CONNECT_RETRY_S,
                    advertisement_interval_s=0,
                    bfd=False,
                    ttl_security=True,
                    send_community=True,
                    max_prefixes=link.max_prefixes,
                    prefix_restart_min=PREFIX_RESTART_MIN,
                    route_map_in=self.of(link, session, "IN"),
                    route_map_out=self.of(link, session, "OUT"),
                    family=session.family,
                    password=session.password,
                    ao=session.ao,
                )
        for each in self.terms.inside_links:
            yield PeerGroup(
                name=self.between(each.family),
                keepalive_s=INSIDE_TIMERS_S[0],
                hold_s=INSIDE_TIMERS_S[1],
                connect_retry_s=CONNECT_RETRY_S,
                advertisement_interval_s=0,
                bfd=False,
                ttl_security=False,
                send_community=True,
                max_prefixes=self.fabric.prefixes_from[0],
                prefix_restart_min=PREFIX_RESTART_MIN,
                route_map_in=None,
                route_map_out=self.between(each.family, "OUT"),
                family=each.family,
                next_hop_self=True,
            )

    def neighbors(self) -> Iterator[Neighbor]:
        """The routers of its upstreams, and the other router, over the VLAN."""
        for link in self.links:
            for session in link.sessions:
                yield Neighbor(session.peer, link.asn, self.of(link, session), link.name)
        other = self.network.device(f"{self.fabric.name}-{2 - self.place}")
        for each in self.terms.inside_links:
            yield Neighbor(each.own[1 - self.place], self.terms.asn, self.between(each.family), other.name)


_Entry = tuple[bool, str, int | None, int | None]
"""Of a prefix list: permit, prefix, least and greatest length."""


def _numbered(entries: Sequence[_Entry]) -> tuple[PrefixRule, ...]:
    return tuple(
        PrefixRule(10 * place, permit=permit, prefix=prefix, ge=ge, le=le)
        for place, (permit, prefix, ge, le) in enumerate(entries, start=1)
    )


def _length(prefix: str) -> int:
    return int(prefix.partition("/")[2])


def _longest(prefix: str, most: int) -> int | None:
    """The greatest length of what is in a prefix; None if that is the prefix alone."""
    return most if _length(prefix) < most else None


def _short(family: Family) -> str:
    return f"V{4 + 2 * FAMILIES.index(family)}"

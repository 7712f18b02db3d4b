"""The edge routers as a fabric of their own: two switches, the links between them, to firewalls and to upstreams.

Ports follow from declared identity alone: of each router the first port of the firewalls' speed has firewall-1 or -2,
its last ports have the other router, and each upstream has the port that the intent says.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.bgp import TcpAo
from nornir_tasks.design.demand.choices import Choice, choose_one
from nornir_tasks.design.demand.edge_router_limits import AT, is_in
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import Bogons, Catalogue, Slot
from nornir_tasks.design.model.claims import fabric_key
from nornir_tasks.design.model.edge_policy import EDGE, EdgeTerms, InsideLink, OutsideLink, OutsideSession, family_of
from nornir_tasks.design.model.links import Cable, Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.media import fec_of
from nornir_tasks.design.model.network import DRAIN_PREPEND, Device, Fabric
from nornir_tasks.intent.core.address_fields import HostInterface
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.boundary import BoundaryIntent, UpstreamIntent
from nornir_tasks.intent.keys.edge import EdgeIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.edge import EDGES, inside
from nornir_tasks.intent.rules.flow import OUTSIDE

MTU_BYTES = 1500
"""Of all that leaves the site: no upstream carries more unasked."""
FIREWALL = "firewall-{}"
"""firewall-1 is on the first router, firewall-2 on the second."""


@dataclass(frozen=True)
class EdgeNetwork:
    """Everything of the edge routers."""

    fabric: Fabric
    devices: tuple[Device, ...]
    links: tuple[Link, ...]
    cables: tuple[Cable, ...]
    circuits: tuple[Circuit, ...]
    choice: Choice
    terms: EdgeTerms


def edge_network(intent: Intent, catalogue: Catalogue, facts: Mapping[str, OsFacts]) -> EdgeNetwork | None:
    """The edge routers of an intent without mistakes; None if it has none."""
    boundary = intent.boundary
    if boundary is None or boundary.edge is None:
        return None
    choice = choose_one(boundary.edge, AT, catalogue, facts, intent.marks)
    makes = _Maker(boundary, boundary.edge, choice, facts[choice.os])
    links = tuple(makes.links())
    terms = _terms(boundary, boundary.edge, links, catalogue.bogons)
    return EdgeNetwork(
        fabric=_fabric(terms, boundary, shuts=intent.policy.unused_ports == "shut"),
        devices=tuple(makes.device(number, terms) for number in range(1, EDGES + 1)),
        links=links,
        cables=tuple(Cable(link.cable, None, None, (link.name,)) for link in links),
        circuits=tuple(_circuits(terms, links)),
        choice=choice,
        terms=terms,
    )


@dataclass(frozen=True)
class _Maker:
    boundary: BoundaryIntent
    edge: EdgeIntent
    choice: Choice
    facts: OsFacts

    def name(self, number: int) -> str:
        return f"{self.edge.name_prefix}-{number}"

    def device(self, number: int, terms: EdgeTerms) -> Device:
        return Device(
            name=self.name(number),
            fabric=self.edge.name_prefix,
            level=0,
            role=EDGE,
            index=number,
            rail=None,
            spine_group=1,
            os=self.choice.os,
            release=self.choice.release,
            model=self.choice.model.model,
            capabilities=self.choice.capabilities,
            asn=terms.asn,
            loopback=_loopback(self.edge, number),
        )

    def links(self) -> Iterator[Link]:
        """To the firewalls, between both routers, to the upstreams."""
        outside, model = self.boundary.zones[OUTSIDE].port or "", self.choice.model
        between = model.ports_at(self.edge.peer_speed)[-self.edge.peer_links :]
        first = next(port for port in model.ports_at(self.edge.firewall_speed) if port not in between)
        for number in range(1, EDGES + 1):
            upper, speed = self.end(number, first, self.edge.firewall_speed), self.edge.firewall_speed
            yield self.link(f"{upper.device}-firewall", upper, Endpoint(FIREWALL.format(number), outside), speed)
        for place, port in enumerate(between, start=1):
            upper, lower = (self.end(number, port, self.edge.peer_speed) for number in (1, 2))
            yield self.link(f"{self.edge.name_prefix}-peer{place}", upper, lower, self.edge.peer_speed, place, "peer")
        for name, upstream in self.boundary.upstreams.items():
            lower = self.end(upstream.edge or 0, upstream.port or 0, upstream.speed or 0)
            yield self.link(f"{lower.device}-{name}", Endpoint(name, self.far(name)), lower, upstream.speed or 0)

    def far(self, name: str) -> str:
        """What is known of an upstream's port: nothing but whose link it is."""
        return f"to-{self.boundary.upstreams[name].local_asn}"

    def end(self, number: int, port: int, speed_gbps: int) -> Endpoint:
        slot = next(each for each in self.choice.model.slots_at(speed_gbps) if each.number == port)
        return Endpoint(self.name(number), self.facts.port_name(port, 0, 1, slot.lanes), slot)

    def link(
        self,
        name: str,
        upper: Endpoint,
        lower: Endpoint,
        speed_gbps: int,
        place: int = 1,
        kind: Literal["peer", "outside"] = "outside",
    ) -> Link:
        slot = cast(Slot, upper.slot or lower.slot)
        fec = cast(Literal["rs", "none"], fec_of(None, speed_gbps, speed_gbps / slot.lanes))
        return Link(name, kind, self.edge.name_prefix, upper, lower, place, speed_gbps, name, fec)


def _terms(boundary: BoundaryIntent, edge: EdgeIntent, links: tuple[Link, ...], bogons: Bogons) -> EdgeTerms:
    zone = boundary.zones[OUTSIDE]
    announced = sorted({each for one in boundary.upstreams.values() for each in one.outbound}, key=_key)
    there = sorted({each for each in inside(boundary) if any(is_in(each, one) for one in announced)}, key=_key)
    shared = {each.version: each for each in zone.gateway}
    subnets = (each for each in (zone.link, zone.link_v6) if each is not None)
    return EdgeTerms(
        fabric=edge.name_prefix,
        asn=next(each.local_asn for each in boundary.upstreams.values()),
        vlan=edge.vlan,
        firewall_port=zone.port or "",
        loopbacks=tuple(_loopback(edge, number) for number in range(1, EDGES + 1)),
        inside_links=tuple(
            InsideLink(
                family=family_of(str(subnet)),
                subnet=str(subnet),
                firewalls=str(subnet.network_address + 1),
                gateway=str(shared[subnet.version]),
                own=(str(shared[subnet.version] + 1), str(shared[subnet.version] + 2)),
            )
            for subnet in subnets
        ),
        inside=tuple(map(str, there)),
        aggregates=tuple(map(str, announced)),
        outside_links=tuple(_outside_links(boundary, links)),
        bogons=tuple(map(str, bogons.prefixes)),
        exempt=tuple(map(str, boundary.exempt.prefixes)),
        bad_asns=bogons.asns,
        good_asns=frozenset(boundary.exempt.asns),
        validators=tuple((str(each.address), each.port) for each in edge.validators),
    )


def _loopback(edge: EdgeIntent, number: int) -> str:
    return str(edge.loopback.network_address + number - 1)


def _key(prefix: object) -> tuple[bool, str]:
    return ":" in str(prefix), str(prefix)


def _outside_links(boundary: BoundaryIntent, links: tuple[Link, ...]) -> Iterator[OutsideLink]:
    ends = {link.upper.device: link.lower for link in links if link.kind == "outside"}
    for name, each in boundary.upstreams.items():
        if each.inbound is not None:
            sessions = tuple(_session(address, each) for address in each.addresses)
            takes, most, end = each.inbound.takes, each.inbound.max_prefixes, ends[name]
            yield OutsideLink(name, end.device, end.port, each.asn, takes, most, sessions)


def _session(address: HostInterface, upstream: UpstreamIntent) -> OutsideSession:
    peer = next(each for each in upstream.peers if each in address.network)
    announced = tuple(str(each) for each in upstream.outbound if each.version == address.version)
    return OutsideSession(str(address), str(peer), family_of(str(peer)), announced, *_signed(upstream))


def _signed(upstream: UpstreamIntent) -> tuple[str | None, TcpAo | None]:
    md5, ao = upstream.md5, upstream.ao
    return (
        None if md5 is None else placeholder(md5.name),
        None if ao is None else TcpAo(ao.key_id, ao.algorithm, placeholder(ao.key.name)),
    )


def _fabric(terms: EdgeTerms, boundary: BoundaryIntent, *, shuts: bool) -> Fabric:
    pools = {"loopback": str(boundary.edge.loopback)} if boundary.edge is not None else {}
    pools |= {f"announced {number}": prefix for number, prefix in enumerate(terms.aggregates, start=1)}
    pools |= {f"{each.family} to firewalls": each.subnet for each in terms.inside_links}
    for name, each in boundary.upstreams.items():
        pools |= {f"{name} {address.version}": str(address.network) for address in each.addresses}
    return Fabric(
        name=terms.fabric,
        kind=EDGE,
        roles=(EDGE,),
        pools=pools,
        mtu_bytes=MTU_BYTES,
        classes=(),
        load_balancing="static",
        shuts_unused=shuts,
        parts=(),
        spines=0,
        cores=0,
        switches=EDGES,
        declared_oversubscription=(),
        capacity_after_loss=0,
        max_paths=1,
        prefixes_from=(sum(each.max_prefixes for each in terms.outside_links) + len(terms.inside),),
        bfd=False,
        drain_prepend=DRAIN_PREPEND,
        rail_spine_group=(),
        vlans=frozenset({terms.vlan}),
    )


def _circuits(terms: EdgeTerms, links: tuple[Link, ...]) -> Iterator[Circuit]:
    """What runs over the links of the routers' ports: a VLAN to the firewalls, packets to the upstreams."""
    owner = fabric_key(terms.fabric)
    sessions: dict[str, Mapping[Family, OutsideSession]] = {
        each.name: {session.family: session for session in each.sessions} for each in terms.outside_links
    }
    for link in (each for each in links if each.kind == "outside"):
        if link.upper.device not in sessions:
            yield Circuit(link, Use(owner, MTU_BYTES, segment=f"{terms.fabric}-{OUTSIDE}"))
            continue
        found = sessions[link.upper.device].get("ipv4")
        own, length = found.address.split("/") if found else ("", "31")
        yield Circuit(link, Use(owner, MTU_BYTES, int(length)), found.peer if found else "", own)

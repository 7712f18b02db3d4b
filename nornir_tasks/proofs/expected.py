"""What the intent lets pass between two networks of hosts: what must, and what may.

Within a plane its flows say it; between planes nothing may pass but what a flow names by prefix. ``outside`` stands for
addresses elsewhere, so it opens nothing within the site. What every network needs may pass anywhere: ICMP that paths
and neighbours depend on, of IPv6 all of it, as two systems' lists know no types of it; DHCP where gateways relay it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from nornir_tasks.design.config.access_lists import ICMP, MUST_PASS, TCP, UDP, Family
from nornir_tasks.design.demand.flows import DHCP
from nornir_tasks.design.demand.site_prefixes import own_prefixes
from nornir_tasks.design.model.flow_terms import Flow, Service
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.proofs.ends import Domain, End
from nornir_tasks.proofs.packets import Packets, addresses, between, common, without_all


@dataclass(frozen=True)
class Matrix:
    """The flow matrix of a site, by plane."""

    network: Network
    _packets: dict[tuple[str, Family], list[tuple[Flow, list[Packets]]]] = field(default_factory=dict)
    """(plane, family) -> each of its flows, with its own packets and the answers to them."""

    def is_filtered(self, plane: str) -> bool:
        """Has the plane flows, so that all else is refused there?"""
        return self.network.planes[plane].allowed is not None

    def may(self, one: Domain, other: Domain, family: Family) -> list[Packets]:
        """What may pass from one network to another; between networks of a plane without flows everything may."""
        every = between(one.subnets[family], other.subnets[family], family)
        if one.plane == other.plane and not self.is_filtered(one.plane):
            return [every]
        if one.plane == other.plane and self.is_out_of_band(one.plane):
            return self._may_out_of_band(one, other, family)
        named = [*self._flows(one, other, family), *self.needed(one.plane, other.plane, family)]
        return [found for each in named if (found := common(every, each)) is not None]

    def must(self, one: Domain, other: Domain, family: Family) -> list[Packets]:
        """What the plane's flows want to pass between groups of its hosts; a switch's address in a VLAN is no host."""
        allowed = self.network.planes[one.plane].allowed
        if one.plane != other.plane or allowed is None:
            return []
        if self.is_out_of_band(one.plane):
            return self._of_attached(one, other, family)
        every = between(one.subnets[family], other.subnets[family], family)
        groups = {*one.groups, *other.groups}
        own = [its for flow, its in self._of(one.plane, family) if {flow.source, flow.destination} <= groups]
        switches = self.of_switches.get(other.subnets[family], [])
        found = [both for its in own for each in its if (both := common(every, each)) is not None]
        return [left for each in found for left in without_all(each, switches)]

    def of_outside(self, domain: Domain, family: Family, *, comes_in: bool) -> list[Packets]:
        """What flows let pass between the groups of a network and addresses that are not of the plane.

        With ``comes_in`` what comes from there, answers among it; else what goes there.
        """
        own = addresses(domain.subnets[family], family)
        every = Packets(addresses(None, family), addresses(None, family))
        every = every._replace(destination=own) if comes_in else every._replace(source=own)
        groups = self._groups.get(domain.plane, frozenset())
        flows = [
            its
            for flow, its in self._of(domain.plane, family)
            if {flow.source, flow.destination} & {*domain.groups} and not {flow.source, flow.destination} <= groups
        ]
        return [both for its in flows for each in its if (both := common(every, each)) is not None]

    @cached_property
    def _groups(self) -> dict[str, frozenset[str]]:
        """Plane -> the groups in its VLANs."""
        found: dict[str, set[str]] = {}
        for each in self.network.segments:
            found.setdefault(each.plane, set()).update(each.groups)
        return {plane: frozenset(groups) for plane, groups in found.items()}

    @cached_property
    def site(self) -> Mapping[Family, Sequence[str]]:
        """The site's own prefixes, which are not the outside."""
        return own_prefixes(self.network)

    @cached_property
    def of_switches(self) -> dict[str, list[Packets]]:
        """Subnet of a VLAN -> what is for its gateways."""
        found: dict[str, list[Packets]] = {}
        for each in self.network.segments:
            for family, subnet, gateway, leaves in (
                ("ipv4", each.subnet, each.gateway, each.leaves),
                ("ipv6", each.subnet_v6, each.gateway_v6, each.leaves_v6),
            ):
                if subnet is not None and gateway is not None:
                    anybody = Packets(addresses(None, family), addresses(None, family))
                    its = (gateway, *(own for _, own in leaves))
                    found[subnet] = [anybody._replace(destination=addresses(one, family)) for one in its]
        return found

    def is_out_of_band(self, plane: str) -> bool:
        """Is the plane entered from some groups alone, and each of its networks a group's addresses?"""
        return bool(self.network.planes[plane].entry)

    def goes_around_entry(self, one: Domain, other: Domain) -> bool:
        """Are both on one out-of-band plane, and neither among those who may enter it?"""
        entry = self.network.planes[one.plane].entry
        return one.plane == other.plane and bool(entry) and not {*one.groups, *other.groups} & entry

    def _may_out_of_band(self, one: Domain, other: Domain, family: Family) -> list[Packets]:
        every = between(one.subnets[family], other.subnets[family], family)
        if {*one.groups, *other.groups} <= self.network.planes[one.plane].entry:
            return [every]  # who may enter may talk to one another
        needed = (
            common(every, each) for each in (*self.needed(one.plane, other.plane, family), *self._relayed(one, family))
        )
        return [*self._of_attached(one, other, family), *(each for each in needed if each is not None)]

    def _relayed(self, one: Domain, family: Family) -> Iterator[Packets]:
        """What gateways and DHCP servers on the plane say to one another; no list tells gateways from their network."""
        plane, (_, port) = self.network.planes[one.plane], DHCP[family]
        for server in plane.dhcp_servers if family == "ipv4" else ():
            ends = Packets(addresses(plane.pools["hosts"], family), addresses(server, family))
            for each in (ends, Packets(ends.destination, ends.source)):
                yield each._replace(protocol=(UDP, UDP), source_port=(port, port), destination_port=(port, port))

    def _of_attached(self, one: Domain, other: Domain, family: Family) -> list[Packets]:
        """What flows let pass between two groups, whose networks hold their addresses alone; ICMP goes with any."""
        every = between(one.subnets[family], other.subnets[family], family)
        allowed, found = self.network.planes[one.plane].allowed, []
        for flow in allowed.flows if allowed is not None else ():
            for source, destination, make in ((one, other, _opening), (other, one, _answer)):
                if flow.source in source.groups and flow.destination in destination.groups:
                    own = (
                        every if flow.server is None else self._to_server(every, flow.server, is_answer=make is _answer)
                    )
                    found += [] if own is None else [own._replace(protocol=(ICMP[family],) * 2)]
                    found += [] if own is None else [make(service, own) for service in flow.services]
        return found

    @staticmethod
    def _to_server(every: Packets, server: str, *, is_answer: bool) -> Packets | None:
        """Of packets between two groups those to one server, or its answers."""
        here = addresses(server, "ipv6" if ":" in server else "ipv4")
        return common(every, every._replace(**{"source" if is_answer else "destination": here}))

    def relayed(self, plane: str, family: Family) -> Iterator[Packets]:
        """What DHCP servers answer the relays of a plane's pairs."""
        found, (_, port) = self.network.planes[plane], DHCP[family]
        for server in sorted(found.dhcp_servers) if found.is_bonded else ():
            if (":" in server) == (family == "ipv6"):
                ends = Packets(addresses(server, family), addresses(None, family))
                yield ends._replace(protocol=(UDP, UDP), source_port=(port, port), destination_port=(port, port))

    def needed(self, one: str, other: str, family: Family) -> tuple[Packets, ...]:
        """What every network needs, from a plane to another."""
        planes = self.network.planes
        has_dhcp = any(each.allowed is not None and each.allowed.has_dhcp for each in (planes[one], planes[other]))
        answers = (each for plane in dict.fromkeys((one, other)) for each in self.relayed(plane, family))
        return (*_needed(family, has_dhcp=has_dhcp), *answers)

    def _flows(self, one: Domain, other: Domain, family: Family) -> Iterator[Packets]:
        for plane in dict.fromkeys((one.plane, other.plane)):
            for flow, its in self._of(plane, family):
                if OUTSIDE not in (flow.source, flow.destination):
                    yield from its

    def _of(self, plane: str, family: Family) -> list[tuple[Flow, list[Packets]]]:
        if (plane, family) not in self._packets:
            allowed = self.network.planes[plane].allowed
            flows = allowed.flows if allowed is not None else ()
            self._packets[plane, family] = [(flow, list(self._packets_of(plane, flow, family))) for flow in flows]
        return self._packets[plane, family]

    def _packets_of(self, plane: str, flow: Flow, family: Family) -> Iterator[Packets]:
        ends = self.network.ends_of_flows[plane]
        for source in ends[flow.source].prefixes[family]:
            for destination in ends[flow.destination].prefixes[family]:
                here, there = addresses(source, family), addresses(destination, family)
                for service in flow.services:
                    yield _opening(service, Packets(here, there))
                    yield _answer(service, Packets(there, here))


def _opening(service: Service, ends: Packets) -> Packets:
    return ends._replace(protocol=(service.protocol, service.protocol), destination_port=service.ports)


def _answer(service: Service, ends: Packets) -> Packets:
    is_open = (1, 1) if service.protocol == TCP else (0, 1)
    return ends._replace(protocol=(service.protocol, service.protocol), source_port=service.ports, established=is_open)


@cache
def _needed(family: Family, *, has_dhcp: bool) -> tuple[Packets, ...]:
    every = Packets(addresses(None, family), addresses(None, family))
    types = [(each, each) for each in MUST_PASS[family]] if family == "ipv4" else [(0, 255)]
    found = [every._replace(protocol=(ICMP[family],) * 2, icmp_type=each) for each in types]
    if has_dhcp:
        client, server = DHCP[family]
        for here, there in ((client, server), (server, client)):
            found.append(every._replace(protocol=(UDP, UDP), source_port=(here,) * 2, destination_port=(there,) * 2))
    return tuple(found)


def ends_of(domains: Iterable[Domain]) -> dict[End, list[Domain]]:
    """Group on a plane -> its networks."""
    found: dict[End, list[Domain]] = {}
    for each in domains:
        for group in each.groups:
            found.setdefault(End(each.plane, group), []).append(each)
    return found

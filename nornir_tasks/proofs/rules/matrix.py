"""What may and must pass the firewalls of a site, as sets of packets: the flow matrix of the design, not the rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.design.hosts.boundary import Boundary, Row, Zone
from nornir_tasks.design.hosts.boundary_vars import NOT_FROM_OUTSIDE
from nornir_tasks.proofs.rules.packets import ECHO, ESTABLISHED, NEW, OPENS, ORIGINAL, REPLY, Packets, Ports, every
from nornir_tasks.proofs.rules.ranges import Ranges, common, of_prefixes, ranges, without
from nornir_tasks.proofs.rules.routes import NOT_FORWARDED

RELATED, UNTRACKED = 2, 4
GOES_ON: Ranges = ((ESTABLISHED, RELATED),)
"""Packets of connections that are open."""
BEGINS: Ranges = ((NEW, NEW), (UNTRACKED, UNTRACKED))
"""Packets that open something; of what is not tracked each is one."""
SHARED_AND_OWN = 3
"""Addresses at the beginning of a link, after the network's own, that firewalls have themselves."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The matrix for packets of one family."""

    found: Boundary
    ports: Ports
    family: Family

    def may_open(self) -> Iterator[Packets]:
        """All packets that may open something."""
        for row in self.found.rows:
            yield from self.opens(row)

    def must_open(self) -> Iterator[tuple[Row, Packets]]:
        """Those that must arrive: they may, and no kernel keeps them for itself."""
        kept = ranges([*NOT_FORWARDED[self.family], *self._of_links()])
        zones = {zone.name: zone for zone in self.found.zones}
        for row in self.found.rows:
            for each in self.opens(row):
                sources, destinations = (without(its, kept) for its in (each.source, each.destination))
                # No host answers from an address that no host outside has.
                destinations = common(destinations, self.sources(zones[row.destination_zone]))
                for found in self._answerable(sources, destinations, zones[row.destination_zone]):
                    yield row, each._replace(source=found[0], destination=found[1], state=((NEW, NEW),))

    def _answerable(self, sources: Ranges, destinations: Ranges, zone: Zone) -> Iterator[tuple[Ranges, Ranges]]:
        """Of IPv4, none outside answers a private address that no pool is for, but one with such addresses itself."""
        parts = [(sources, destinations)]
        if zone.is_outside and self.family == "ipv4":
            private = of_prefixes(NOT_FROM_OUTSIDE[self.family])
            pooled = of_prefixes(prefix for each in self.found.egress for prefix in each.sources)
            parts = [
                (sources, common(destinations, private)),
                (without(sources, without(private, pooled)), without(destinations, private)),
            ]
        yield from (each for each in parts if all(each))

    def of_everybody(self) -> Ranges:
        """Addresses that a host outside may have; of IPv4 none that others have as well."""
        private = of_prefixes(NOT_FROM_OUTSIDE[self.family]) if self.family == "ipv4" else ()
        return without(every(self.family), private)

    def leaves_as(self) -> Iterator[tuple[Ranges, Ranges]]:
        """Senders to the outside, and the addresses that they have there: none that no host outside could answer."""
        left, private = every(self.family), of_prefixes(NOT_FROM_OUTSIDE[self.family])
        for each in self.found.egress if self.family == "ipv4" else ():
            mine = common(left, of_prefixes(each.sources))
            yield mine, of_prefixes([each.pool])
            left = without(left, mine)
        yield left, without(left, private)

    def may_go_on(self) -> Iterator[Packets]:
        """Of open connections: between the addresses of zones, whatever opened them."""
        for here in self.found.zones:
            for there in self.found.zones:
                yield Packets(
                    self.ports.of(here.port),
                    self.ports.of(there.port),
                    self.sources(here),
                    self.destinations(there),
                    state=GOES_ON,
                )

    def answer(self, opened: Packets) -> Packets:
        """The answers to what opened something."""
        request, reply = ECHO[self.family]
        is_echo = opened.protocol == ((ICMP[self.family],) * 2,)
        return opened._replace(
            entry=opened.exit,
            exit=opened.entry,
            source=opened.destination,
            destination=opened.source,
            source_port=opened.destination_port,
            destination_port=opened.source_port,
            icmp_type=((reply, reply),) if is_echo and opened.icmp_type == ((request, request),) else opened.icmp_type,
            flags=((0, 255),),
            state=((ESTABLISHED, ESTABLISHED),),
            direction=REPLY,
        )

    def opens(self, row: Row) -> Iterator[Packets]:
        """What a row lets open, of genuine packets alone."""
        zones = {zone.name: zone for zone in self.found.zones}
        here, there = zones[row.source_zone], zones[row.destination_zone]
        sources = common(of_prefixes(row.sources[self.family]), self.sources(here))
        destinations = common(of_prefixes(row.destinations[self.family]), self.destinations(there))
        if not sources or not destinations:
            return
        entry, leaves = self.ports.of(here.port), self.ports.of(there.port)
        opened = Packets(entry, leaves, sources, destinations, state=BEGINS, direction=ORIGINAL)
        match row.protocol:
            case "tcp":
                yield opened._replace(protocol=((TCP, TCP),), destination_port=ranges(row.ports), flags=OPENS)
            case "udp":
                yield opened._replace(protocol=((UDP, UDP),), destination_port=ranges(row.ports))
            case "icmp":
                number, request = ICMP[self.family], ECHO[self.family][0]
                yield opened._replace(protocol=((number, number),), icmp_type=((request, request),))

    def sources(self, zone: Zone) -> Ranges:
        """What comes from a zone: its own addresses; from outside what no other zone has."""
        if not zone.is_outside:
            return without(of_prefixes(zone.addresses.get(self.family, ())), self._never())
        bogus = without(of_prefixes(NOT_FROM_OUTSIDE[self.family]), of_prefixes(self.found.exempt[self.family]))
        return without(self.destinations(zone), bogus)

    def destinations(self, zone: Zone) -> Ranges:
        """What is in a zone."""
        if not zone.is_outside:
            return without(of_prefixes(zone.addresses.get(self.family, ())), self._never())
        own = without(every(self.family), of_prefixes(self.found.own[self.family]))
        return without(own, self._never()) if self.family in zone.links else ()

    def _never(self) -> Ranges:
        return of_prefixes(self.found.never[self.family])

    def _of_links(self) -> Ranges:
        """Addresses that firewalls have, published ones among them; and no host's: the first and last of each link."""
        links = (ip_network(zone.links[self.family]) for zone in self.found.zones if self.family in zone.links)
        found: list[tuple[int, int]] = []
        for link in links:
            first, last = int(link.network_address), int(link.broadcast_address)
            found += [(first, min(first + SHARED_AND_OWN, last)), (last, last)]
        published = (each for row in self.found.here for each in row.destinations[self.family])
        return ranges([*found, *of_prefixes(published)])

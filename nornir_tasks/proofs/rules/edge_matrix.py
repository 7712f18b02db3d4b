"""What edge routers may and must take in, as sets of packets: from what they are for, not from their lists."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_interface
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import ICMP, TCP, Family
from nornir_tasks.design.model.edge_policy import EdgeTerms, OutsideLink, OutsideSession, family_of
from nornir_tasks.proofs.rules.packets import ACK, BYTE, NOWHERE, RST, Packets, Ports, every
from nornir_tasks.proofs.rules.ranges import Ranges, common, numbers, of_address, of_prefixes, ranges, without
from nornir_tasks.proofs.rules.routes import NOT_FORWARDED

BGP = 179
ERRORS: dict[Family, Ranges] = {"ipv4": numbers([3]), "ipv6": numbers([2])}
"""ICMP that says that a packet is too big for a path, among others: from any router (RFC 1191, RFC 8201)."""
NEIGHBOURS: Ranges = ((133, 136),)
"""RFC 4861."""
GIVEN_OUT: dict[Family, Ranges] = {"ipv4": every("ipv4"), "ipv6": of_prefixes(["2000::/3"])}
"""Where addresses of hosts are (RFC 4291, 2.4)."""
AROUND: dict[Family, Ranges] = {"ipv4": of_prefixes(["224.0.0.0/24"]), "ipv6": of_prefixes(["ff02::/16"])}
"""Groups of a link alone."""
LINK_LOCAL: Ranges = of_prefixes(["fe80::/10"])
GOES_ON: Ranges = tuple((each, each) for each in range(256) if each & (ACK | RST))


class Taken(NamedTuple):
    """Packets that a router may take in."""

    name: str
    packets: Packets
    must: bool = False


@dataclass(frozen=True, slots=True)
class EdgeMatrix:
    """Of one router and one family."""

    terms: EdgeTerms
    device: str
    place: int
    """0 of the first router, 1 of the second."""
    inside_port: str
    ports: Ports
    family: Family
    knows_types: bool = True
    """May a rule of this family name an ICMP type? Otherwise all of ICMP passes, as what must pass of it does."""
    takes_bridged: bool = False
    """Does the list on the VLAN meet what the other router took in, on its way to the firewall that is cabled here?"""

    def taken(self) -> Iterator[Taken]:
        """All of it; nothing else passes."""
        for link in self.terms.on(self.device):
            for session in link.sessions:
                if session.family == self.family:
                    yield from self._from_upstream(link, session)
            yield from (each for each in self._everywhere(self._from(link.port)) if not each.must)
        yield from self._from_inside()

    def ours(self) -> Ranges:
        """What is announced."""
        return self._of(self.terms.aggregates)

    def routers(self) -> Ranges:
        """Addresses of both routers, on links and of themselves."""
        own = [each.address.partition("/")[0] for each in self._sessions()]
        own += [each for each in self.terms.loopbacks if family_of(each) == self.family]
        if (link := self.terms.inside_of(self.family)) is not None:
            own += [link.gateway, *link.own]
        return ranges(each for one in own for each in of_address(one))

    def genuine(self) -> Ranges:
        """Who sends from outside: neither we, nor a sender with an address that no host has."""
        anybody = ranges([*GIVEN_OUT[self.family], *self._of(self.terms.exempt)])
        return without(without(anybody, self.bogus()), self.ours())

    def bogus(self) -> Ranges:
        """Addresses that no host has."""
        return without(self._of(self.terms.bogons), self._of(self.terms.exempt))

    def _of(self, prefixes: Iterable[str]) -> Ranges:
        return of_prefixes(each for each in prefixes if family_of(each) == self.family)

    def _sessions(self) -> Iterator[OutsideSession]:
        for link in self.terms.outside_links:
            yield from (each for each in link.sessions if each.family == self.family)

    def _from(self, port: str, **fields: Ranges) -> Packets:
        whole = every(self.family)
        return Packets(self.ports.of(port), NOWHERE, whole, whole)._replace(**fields)

    def _icmp(self, packets: Packets, **fields: Ranges) -> Packets:
        return packets._replace(protocol=numbers([ICMP[self.family]]), **fields)

    def _from_upstream(self, link: OutsideLink, session: OutsideSession) -> Iterator[Taken]:
        port, genuine, ours = self._from(link.port), self.genuine(), self.ours()
        own = of_address(session.address.partition("/")[0])
        yield from self._everywhere(port)
        yield from self._bgp(port, of_address(session.peer), own)
        on_link = of_prefixes([str(ip_interface(session.address).network)])
        yield Taken("link", self._icmp(port, source=on_link, destination=own))
        yield Taken("link", self._icmp(port, source=without(on_link, own), destination=own), must=True)
        mine = common(self.routers(), ranges([*ours, *own]))
        nobodys = without(every(self.family), ranges([*self.bogus(), *ours]))
        yield Taken("routers", self._icmp(port, source=nobodys, destination=mine))
        senders = without(without(genuine, NOT_FORWARDED[self.family]), self.routers())
        yield Taken("routers", self._icmp(port, source=senders, destination=mine), must=True)
        yield Taken(f"from {link.name}", port._replace(source=genuine, destination=without(ours, self.routers())))
        behind = self._of(self.terms.inside)
        answered = port._replace(source=senders, destination=without(behind, self._of_links()))
        if answered.destination:
            yield Taken(f"from {link.name}", answered, must=True)

    def _from_inside(self) -> Iterator[Taken]:
        link = self.terms.inside_of(self.family)
        if link is None:
            return
        port, ours = self._from(self.inside_port), self.ours()
        subnet = of_prefixes([link.subnet])
        yield from self._everywhere(port)
        yield from self._bgp(port, of_address(link.own[1 - self.place]), of_address(link.own[self.place]))
        yield Taken("link", self._icmp(port, source=subnet, destination=subnet))
        asking = self._icmp(port, source=of_address(link.firewalls), destination=of_address(link.own[self.place]))
        yield Taken("link", asking, must=True)
        around = LINK_LOCAL if self.family == "ipv6" else subnet
        around_all = port._replace(source=around, destination=AROUND[self.family])
        yield Taken("neighbours", around_all, must=True)
        yield Taken("to outside", port._replace(source=ours, destination=without(every(self.family), self.routers())))
        outward = without(without(every(self.family), NOT_FORWARDED[self.family]), ours)
        senders = without(ours, self.routers())
        leaving = port._replace(source=senders, destination=without(without(outward, self.routers()), self._of_links()))
        if leaving.source:
            yield Taken("to outside", leaving, must=True)
        if self.takes_bridged:
            yield from self._bridged(port, ours)

    def _bridged(self, port: Packets, ours: Ranges) -> Iterator[Taken]:
        """What the other router took in; from inside the like comes back, whatever its source address."""
        yield Taken("by the other router", port._replace(destination=without(ours, self.routers())))
        senders = without(without(self.genuine(), NOT_FORWARDED[self.family]), self.routers())
        behind = without(self._of(self.terms.inside), self._of_links())
        if behind:
            yield Taken("by the other router", port._replace(source=senders, destination=behind), must=True)

    def _everywhere(self, port: Packets) -> Iterator[Taken]:
        """What every port takes in from every source."""
        yield Taken("path MTU", self._icmp(port, icmp_type=ERRORS[self.family] if self.knows_types else BYTE))
        errors = without(without(every(self.family), NOT_FORWARDED[self.family]), self.routers())
        yield Taken("path MTU", self._icmp(port, icmp_type=ERRORS[self.family], source=errors), must=True)
        if self.family == "ipv6":
            yield Taken("neighbours", self._icmp(port, icmp_type=NEIGHBOURS))
            heard = self._icmp(port, icmp_type=NEIGHBOURS, source=LINK_LOCAL, hop_limit=numbers([255]))
            yield Taken("neighbours", heard, must=True)

    def _bgp(self, port: Packets, peer: Ranges, own: Ranges) -> Iterator[Taken]:
        session = port._replace(source=peer, destination=own, protocol=numbers([TCP]))
        yield Taken("BGP", session._replace(destination_port=numbers([BGP])), must=True)
        yield Taken("BGP", session._replace(source_port=numbers([BGP]), flags=GOES_ON), must=True)

    def _of_links(self) -> Ranges:
        """Links of the routers themselves, whose ends are judged one by one."""
        links = [str(ip_interface(each.address).network) for each in self._sessions()]
        inside = self.terms.inside_of(self.family)
        return of_prefixes([*links, *([] if inside is None else [inside.subnet])])

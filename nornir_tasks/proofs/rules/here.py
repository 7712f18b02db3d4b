"""What may and must reach a firewall itself, as sets of packets: from the design, not from its rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.design.hosts.boundary import SSH, Zone
from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.proofs.rules.matrix import BEGINS, GOES_ON, UNTRACKED, Matrix
from nornir_tasks.proofs.rules.packets import ECHO, NEW, NOWHERE, OPENS, ORIGINAL, Packets, every
from nornir_tasks.proofs.rules.ranges import Ranges, numbers, of_address, of_prefixes, ranges, without

SYNC_PORT = 3780
"""UDP port by which both firewalls tell one another of connections (``firewall_sync_port`` of role firewall)."""
VRRP, IGMP = 112, 2
SOLICIT, ADVERT = 135, 136
"""Who has an address, and the answer (RFC 4861)."""
LISTENERS = (130, 131, 143)
"""Who listens to multicast of IPv6, and answers (RFC 2710, RFC 3810)."""
OF_NEIGHBOURS: Ranges = ((255, 255),)
"""Hop limit that no machine beyond the link can send."""
LINK_LOCAL: Ranges = of_prefixes(["fe80::/10"])
SOLICITED: Ranges = of_prefixes(["ff02::1:ff00:0/104"])
VRRP_GROUPS: dict[Family, str] = {"ipv4": "224.0.0.18", "ipv6": "ff02::12"}


class Reach(NamedTuple):
    """Packets that may reach the machine itself."""

    name: str
    packets: Packets
    must: bool = False
    at_shared: bool = False
    """Must it only by the one that has the addresses that a pair shares?"""


@dataclass(frozen=True, slots=True)
class Here:
    """Of one firewall and one family."""

    firewall: FirewallVars
    matrix: Matrix
    local: Ranges
    """Its own addresses, as it has them now."""

    def reaches(self) -> Iterator[Reach]:
        """All of it. Everything else is refused, whatever addresses it has."""
        for each in self._reaches():
            # Of IPv4 no kernel takes its own address as a source from a cable.
            its_own = self.local if each.must and self.matrix.family == "ipv4" else ()
            yield each._replace(packets=each.packets._replace(source=without(each.packets.source, its_own)))

    def _reaches(self) -> Iterator[Reach]:
        yield Reach("itself", self._from("lo"))
        yield Reach("open connections", self._whole()._replace(state=GOES_ON))
        yield from self._management()
        yield from self._sync()
        for zone in self.matrix.found.zones:
            yield from self._ping(zone)
        yield from self._published()
        yield from self._link()

    def _whole(self) -> Packets:
        addresses = every(self.matrix.family)
        return Packets(self.matrix.ports.every, NOWHERE, addresses, addresses)

    def _from(self, port: str, **fields: Ranges) -> Packets:
        return self._whole()._replace(entry=self.matrix.ports.of(port), **fields)

    def _both(self, name: str, may: Packets, *, at_shared: bool = False, **must: Ranges) -> Iterator[Reach]:
        """What may, and of it what must: new packets to its own addresses, unless said otherwise."""
        yield Reach(name, may)
        needed = {"destination": self.local, "state": ((NEW, NEW),), "direction": ORIGINAL, **must}
        wanted = may._replace(**needed)
        if all(wanted):
            yield Reach(name, wanted, must=True, at_shared=at_shared)

    def _management(self) -> Iterator[Reach]:
        its, family = self.firewall.management, self.matrix.family
        clients = of_prefixes(its.clients if family == "ipv4" else its.clients_v6)
        if clients:
            ssh = self._from(its.port, source=clients, protocol=_only(TCP), destination_port=_only(SSH), state=BEGINS)
            yield from self._both("management", ssh, flags=OPENS)
            yield from self._both("management", self._echo(ssh))

    def _echo(self, packets: Packets) -> Packets:
        """Echo requests from the same."""
        return packets._replace(
            protocol=_only(ICMP[self.matrix.family]),
            destination_port=((0, 65535),),
            icmp_type=_only(ECHO[self.matrix.family][0]),
            state=BEGINS,
        )

    def _sync(self) -> Iterator[Reach]:
        its = self.firewall.sync
        if self.matrix.family == "ipv4":
            fields = {"source": of_address(its.peer), "protocol": _only(UDP), "destination_port": _only(SYNC_PORT)}
            own = of_address(its.address.partition("/")[0])
            yield from self._both("sync", self._from(its.port, state=BEGINS, **fields), destination=own)

    def _ping(self, zone: Zone) -> Iterator[Reach]:
        """From every source; who is there gets answers."""
        if self.matrix.family in zone.links:
            echo = self._echo(self._from(zone.port))
            yield from self._both("ping", echo, source=self.matrix.sources(zone))

    def _published(self) -> Iterator[Reach]:
        """What the firewall itself has for clients."""
        for row in self.matrix.found.here:
            for opened in self.matrix.opens(row):
                opening = opened._replace(exit=NOWHERE)
                yield from self._both(row.name, opening, at_shared=True, destination=opened.destination)

    def _link(self) -> Iterator[Reach]:
        """What every machine on a link needs, and what the pair does."""
        for zone in self.matrix.found.zones:
            if (link := zone.links.get(self.matrix.family)) is not None:
                yield from self._vrrp(zone.port, link)
                yield from self._neighbours(zone.port, link)
                yield from self._listeners(zone.port, link)
        if self.matrix.family == "ipv4":
            yield Reach("listeners", self._whole()._replace(protocol=_only(IGMP)))
        else:
            icmp = self._whole()._replace(protocol=_only(ICMP["ipv6"]))
            yield Reach("neighbours", icmp._replace(icmp_type=numbers([SOLICIT, ADVERT]), hop_limit=OF_NEIGHBOURS))
            yield Reach("listeners", icmp._replace(icmp_type=numbers(LISTENERS), source=LINK_LOCAL))

    def _vrrp(self, port: str, link: str) -> Iterator[Reach]:
        """From the other firewall alone; of IPv6 from who is on the link, as its address there is not planned."""
        family = self.matrix.family
        peer = next((zone.peer for zone in self.firewall.zones if zone.port == port), None)
        sender = LINK_LOCAL if family == "ipv6" else of_address(peer) if peer else of_prefixes([link])
        group = of_address(VRRP_GROUPS[family])
        advert = self._from(port, source=sender, destination=group, protocol=_only(VRRP), hop_limit=OF_NEIGHBOURS)
        yield from self._both("vrrp", advert, destination=group)

    def _neighbours(self, port: str, link: str) -> Iterator[Reach]:
        """Without these nothing of IPv6 reaches a machine on the link."""
        if self.matrix.family != "ipv6":
            return
        hosts = of_prefixes([link])
        untracked = {"state": _only(UNTRACKED), "direction": ORIGINAL, "icmp_code": _only(0)}
        untracked["protocol"] = _only(ICMP["ipv6"])
        asks = self._from(port, source=ranges([*hosts, *LINK_LOCAL]), hop_limit=OF_NEIGHBOURS, **untracked)
        to_it = ranges([*self.local, *LINK_LOCAL])
        solicited = ranges([*to_it, *SOLICITED])
        yield Reach("neighbours", asks._replace(icmp_type=_only(SOLICIT), destination=solicited), must=True)
        yield Reach("neighbours", asks._replace(icmp_type=_only(ADVERT), destination=to_it), must=True)

    def _listeners(self, port: str, link: str) -> Iterator[Reach]:
        """Switches that snoop ask who listens; to whom does not answer they send no multicast, VRRP among it."""
        if self.matrix.family == "ipv4":
            query, group = self._from(port, source=of_prefixes([link]), protocol=_only(IGMP)), "224.0.0.1"
            state = NEW
        else:
            icmp = {"protocol": _only(ICMP["ipv6"]), "icmp_type": _only(LISTENERS[0]), "icmp_code": _only(0)}
            query, group, state = self._from(port, source=LINK_LOCAL, **icmp), "ff02::1", UNTRACKED
        fields = {"destination": of_address(group), "state": _only(state), "direction": ORIGINAL}
        yield Reach("listeners", query._replace(**fields), must=True)


def _only(number: int) -> Ranges:
    return ((number, number),)

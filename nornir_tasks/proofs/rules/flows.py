"""Single packets to compare the proof with: who sends what to whom, and what the proof says becomes of it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import product
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import Boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.proofs.packets import PROTOCOL_NAMES
from nornir_tasks.proofs.rules.machine import Machine, State, Verdict
from nornir_tasks.proofs.rules.matrix import Matrix
from nornir_tasks.proofs.rules.neighbours import next_hop_heard
from nornir_tasks.proofs.rules.packets import ACK, ECHO, ESTABLISHED, NEW, NOWHERE, ORIGINAL, REPLY, SYN, Packets, Ports
from nornir_tasks.proofs.rules.ranges import Ranges, common, of_address, ranges, without
from nornir_tasks.proofs.rules.routes import LOCAL, Leg

OUTSIDE: dict[Family, tuple[str, ...]] = {
    "ipv4": ("198.51.100.77", "203.0.113.200", "192.0.2.201", "1.1.1.77"),
    "ipv6": ("2001:db8:ffff::77", "2001:db8:fffe::77", "2606:4700::77"),
}
"""Addresses of no host in particular; the first that may come from outside stands for all who are there."""
NOBODYS: dict[Family, str] = {"ipv4": "172.31.255.77", "ipv6": "fd99::77"}
"""Of no host, unless a site has it."""
UNNAMED = 7
"""A port of TCP and UDP that no service has, unless a row has it."""
_HOST = 9
"""Place of a host in a prefix: past what firewalls and bastions have."""


class Flow(NamedTuple):
    """An opening packet, and where it comes in."""

    port: str
    source: str
    destination: str
    protocol: int
    number: int
    """Port of TCP or UDP, type of ICMP."""

    @property
    def family(self) -> Family:
        """Of its addresses."""
        return "ipv6" if ":" in self.source else "ipv4"

    @property
    def asks(self) -> bool:
        """Does the receiver answer? Of ICMP an echo request alone is answered."""
        return self.protocol not in ICMP.values() or self.number == ECHO[self.family][0]

    def __str__(self) -> str:
        """In words: ``TCP 192.0.2.9 to 203.0.113.70 port 443, from wan``."""
        name = PROTOCOL_NAMES.get(self.protocol, f"IP protocol {self.protocol}")
        what = "type" if self.protocol in ICMP.values() else "port"
        return f"{name} {self.source} to {self.destination} {what} {self.number}, from {self.port}"


class Foretold(NamedTuple):
    """What the proof says of one flow."""

    arrives: str
    """The port by which it leaves for a machine that is there; empty: it does not."""
    is_answered: bool
    by: str
    """The line that decides."""
    is_sure: bool = True
    sources: Ranges = ()
    """What its source may be where it arrives."""

    def fits(self, arrived: Collection[tuple[str, str, str]], *, answered: bool) -> bool:
        """Is it what became of the flow? ``arrived``: port, source and destination."""
        ports = {port for port, *_ in arrived}
        sources = ranges(each for _, source, _ in arrived for each in of_address(source))
        return (({self.arrives} - {""}), self.is_answered) == (ports, answered) and not without(sources, self.sources)


@dataclass(slots=True)
class Oracle:
    """Says what becomes of flows at one machine. ``there``: addresses of neighbours behind each port."""

    machines: Mapping[Family, Machine]
    there: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, state: State, there: Mapping[str, Collection[str]]) -> "Oracle":
        """Of a machine in this state."""
        return cls({family: Machine(state, family) for family in FAMILIES}, there)

    def of_flow(self, flow: Flow) -> Foretold:
        """By the proof's own walk of one packet, and of its answer."""
        machine = self.machines[flow.family]
        opened = packet_of(flow, machine.ports)
        found = machine.verdict(opened)
        if found.leg is None or not found.passes:
            return Foretold("", is_answered=False, by=found.by, is_sure=found.is_sure)
        if found.leg.kind == LOCAL:
            return self._by_itself(flow, machine, found)
        if (found.leg.gateway or flow.destination) not in self.there.get(found.leg.port, ()):
            return Foretold("", is_answered=False, by=f"{found.leg.line}: no machine is there", is_sure=found.is_sure)
        if (unheard := self._unheard(machine, found.leg, flow.destination)) is not None:
            return Foretold("", is_answered=False, by=unheard.by, is_sure=found.is_sure and unheard.is_sure)
        back = machine.verdict(_answer(opened, machine.ports.of(found.leg.port), flow.family))
        comes_back = flow.asks and back.passes and back.leg is not None and self._reaches(machine, back.leg, flow)
        return Foretold(found.leg.port, comes_back, found.by, found.is_sure and back.is_sure, found.sources)

    def _by_itself(self, flow: Flow, machine: Machine, found: Verdict) -> Foretold:
        """The machine answers all but UDP, on which nothing listens."""
        leg = machine.routes.to(flow.source)
        answer = _answer(packet_of(flow, machine.ports), NOWHERE, flow.family)
        sent = tuple(machine.outward(answer._replace(exit=machine.ports.of(leg.port))))
        leaves = (
            flow.asks
            and flow.protocol != UDP
            and all(each.passes for each in sent)
            and self._reaches(machine, leg, flow)
        )
        is_sure = found.is_sure and not any(each.way.doubts for each in sent)
        return Foretold("", is_answered=leaves, by=found.by, is_sure=is_sure)

    def _reaches(self, machine: Machine, leg: Leg, flow: Flow) -> bool:
        """Does what goes this way come to the sender of a flow?"""
        is_there = leg.is_forwarded and leg.port == flow.port
        is_there = is_there and (leg.gateway or flow.source) in self.there.get(flow.port, ())
        return is_there and self._unheard(machine, leg, flow.source) is None

    def _unheard(self, machine: Machine, leg: Leg, address: str) -> Verdict | None:
        """Why the machine does not learn who has the next hop's address; None: it does."""
        heard = next_hop_heard(machine, leg.port, leg.gateway or address)
        return None if heard.passes else heard


def packet_of(flow: Flow, ports: Ports) -> Packets:
    """The opening packet of a flow, as a set of one; where it goes out is not said."""
    number = ((flow.number, flow.number),)
    is_icmp = flow.protocol in ICMP.values()
    one = ((1025, 1025),)
    return Packets(
        ports.of(flow.port),
        NOWHERE,
        of_address(flow.source),
        of_address(flow.destination),
        ((flow.protocol, flow.protocol),),
        source_port=((0, 0),) if is_icmp else one,
        destination_port=((0, 0),) if is_icmp else number,
        icmp_type=number if is_icmp else ((0, 0),),
        icmp_code=((0, 0),),
        flags=((SYN, SYN),) if flow.protocol == TCP else ((0, 0),),
        state=((NEW, NEW),),
        hop_limit=((64, 64),),
        direction=ORIGINAL,
    )


def _answer(opened: Packets, entry: tuple[tuple[int, int], ...], family: Family) -> Packets:
    reply = ECHO[family][1]
    return opened._replace(
        entry=entry,
        source=opened.destination,
        destination=opened.source,
        source_port=opened.destination_port,
        destination_port=opened.source_port,
        icmp_type=((reply, reply),),
        flags=((SYN | ACK, SYN | ACK),),
        state=((ESTABLISHED, ESTABLISHED),),
        direction=REPLY,
    )


@dataclass(frozen=True, slots=True)
class Samples:
    """Flows between all whom the boundary names, genuine and not, allowed and not."""

    found: Boundary
    firewall: FirewallVars | None = None
    """Without it nothing comes in by the management port."""

    def flows(self) -> Iterator[Flow]:
        """From every zone, from whatever source address, to everyone, for every service and one that no host has."""
        for family in FAMILIES:
            addresses = tuple(dict.fromkeys(self._addresses(family)))
            services = tuple(dict.fromkeys(self._services(family)))
            own = {_host(ip_network(each)) for row in self.found.here for each in row.destinations[family]}
            for zone in self.found.zones:
                if family in zone.links:
                    for source, destination, service in product(addresses, addresses, services):
                        # Of pings to the machine itself more than a few at a time are too many.
                        is_limited = destination in own and service[0] == ICMP[family]
                        if source != destination and not is_limited:
                            yield Flow(zone.port, source, destination, *service)

    def to_itself(self) -> Iterator[Flow]:
        """SSH and ping to the machine's own addresses: from a host of each zone, and by the management port."""
        for zone in self.found.zones:
            for family, link in zone.links.items():
                yield from self._to_own(zone.port, _host(ip_network(link)), str(ip_network(link)[1]), family)
        for family, prefixes in self._clients().items():
            own = [str(ip_network(zone.links[family])[1]) for zone in self.found.zones if family in zone.links]
            if self.firewall is not None and own:
                for source in (*map(_host, map(ip_network, prefixes)), NOBODYS[family]):
                    yield from self._to_own(self.firewall.management.port, source, own[0], family)

    @staticmethod
    def _to_own(port: str, source: str, own: str, family: Family) -> Iterator[Flow]:
        yield Flow(port, source, own, TCP, 22)
        yield Flow(port, source, own, ICMP[family], ECHO[family][0])

    def _clients(self) -> dict[Family, tuple[str, ...]]:
        its = None if self.firewall is None else self.firewall.management
        return {} if its is None else {"ipv4": its.clients, "ipv6": its.clients_v6}

    def there(self, ports: Iterable[str], addresses: Iterable[str]) -> dict[str, set[str]]:
        """Neighbours behind each port: gateways, and of these addresses those on the zone's link."""
        found = {port: set[str]() for port in ports}
        known = [(ip_address(each), each) for each in dict.fromkeys(addresses)]
        for zone in self.found.zones:
            found[zone.port] |= set(zone.gateways.values())
            for link in map(ip_network, zone.links.values()):
                found[zone.port] |= {text for each, text in known if each in link}
        if self.firewall is not None:
            clients = {_host(ip_network(each)) for its in self._clients().values() for each in its}
            found[self.firewall.management.port] |= clients
        return found

    def _addresses(self, family: Family) -> Iterator[str]:
        matrix = Matrix(self.found, Ports(zone.port for zone in self.found.zones), family)
        for zone in self.found.zones:
            if family in zone.links:
                yield _host(ip_network(zone.links[family]))
            if zone.is_outside:
                may_send = matrix.sources(zone)
                yield next(each for each in OUTSIDE[family] if common(may_send, of_address(each)))
        yield NOBODYS[family]
        for each in self.found.named:
            yield from (_host(ip_network(prefix)) for prefix in each.prefixes.get(family, ()))

    def _services(self, family: Family) -> Iterator[tuple[int, int]]:
        numbers = {"tcp": TCP, "udp": UDP}
        for row in self.found.rows:
            for first, last in row.ports:
                yield numbers[row.protocol], first
                yield numbers[row.protocol], last
        for protocol in (TCP, UDP):
            yield protocol, UNNAMED
        yield ICMP[family], ECHO[family][0]


def _host(prefix: IPv4Network | IPv6Network) -> str:
    """One that a host has: of a small prefix not the last, which is everybody's, unless it is the only one."""
    last = prefix.num_addresses - 1
    return str(prefix[min(_HOST, last if last < 2 else last - 1)])

"""From a host to where the site ends, and back: every hop that routes on the way, and the lists that it meets.

A host sends what is not the site's to its gateway. From there the lines of the switches decide: the leaf's routes, the
leaf that the default route comes from, its next hop, and whether that is on the VLAN of the machines beyond. Back come
packets by the gateway that these machines have for the site. DHCP servers are followed as well, from each gateway that
relays to them. What the machines themselves let through is another proof's (``rules``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address

from nornir_tasks.design.config.access_lists import Direction, Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.design.model.network import EVERYWHERE
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.proofs.breach import Breach, Judged
from nornir_tasks.proofs.ends import Domain, End, Gate
from nornir_tasks.proofs.expected import Matrix
from nornir_tasks.proofs.filters import Lists, decided, passed
from nornir_tasks.proofs.packets import Packets, addresses, example, without_all
from nornir_tasks.proofs.routing import Router, Routing
from nornir_tasks.proofs.spans import Span, span


@dataclass(frozen=True, slots=True)
class Lines:
    """What is read of all switches."""

    matrix: Matrix
    configs: Mapping[str, DeviceConfig]
    routing: Routing
    lists_of: Callable[[str], Lists]
    is_doubtful: Callable[[Gate], bool]
    """Are some of the lines unread that decide at a gate?"""


def judged(lines: Lines, known: Iterable[Domain]) -> Iterator[Judged]:
    """Each group of hosts to the outside and back, by the way out of its plane; and each server that DHCP goes to."""
    segments = [each for each in lines.matrix.network.segments if each.is_way_out]
    by_name = {f"VLAN {each.vlan} of {each.pair}": each for each in segments}
    every = tuple(known)
    beyond = {domain.plane: (by_name[domain.name], domain) for domain in every if domain.is_way_out}
    groups: dict[End, list[Domain]] = {}
    for domain in every:
        for group in domain.groups if not domain.is_way_out else ():
            groups.setdefault(End(domain.plane, group), []).append(domain)
    for end, its in groups.items():
        if end.plane in beyond:
            way = _Way(lines, *beyond[end.plane])
            outside = End(end.plane, OUTSIDE)
            if any(map(way.leads_out, its)):
                yield Judged(end, outside, tuple(dict.fromkeys(each for one in its for each in way.out(one))))
            if any(map(way.leads_in, its)):
                yield Judged(outside, end, tuple(dict.fromkeys(each for one in its for each in way.back(one))))
    yield from _relays(lines, groups)


@dataclass(frozen=True, slots=True)
class _Way:
    """The way out of one plane: its VLAN, as designed, and by the lines of its leaves."""

    lines: Lines
    segment: Segment
    beyond: Domain

    def leads_out(self, domain: Domain) -> bool:
        """May these hosts send anything there? If no flow of their plane has it so, there is nothing to judge."""
        return any(self._wanted(domain, family) for family in domain.subnets)

    def leads_in(self, domain: Domain) -> bool:
        """May anything come from there?"""
        return any(self._wanted(domain, family, comes_in=True) for family in domain.subnets)

    def out(self, domain: Domain) -> Iterator[Breach]:
        """What keeps packets of these hosts from the machines beyond."""
        for family in (each for each in FAMILIES if each in domain.subnets and each in self.beyond.subnets):
            wanted = self._wanted(domain, family)
            for gate in self._sure(domain) if wanted else ():
                hops = {*_leaving(self.lines.routing, gate.router, span(EVERYWHERE[family == "ipv6"]))}
                ends = {router for router, hop in hops if hop in self.segment.next_hops}
                exits = [each for each in self.beyond.gates if each.router in ends]
                if len(exits) < len({router for router, _ in hops}) or not exits:
                    yield Breach("blocked", (gate.line(self._no_way(hops, family)),), example(wanted, family))
                    continue
                yield from self._refused(gate, "in", wanted, family)
                for exit_gate in exits:
                    yield from self._refused(exit_gate, "out", wanted, family)

    def back(self, domain: Domain) -> Iterator[Breach]:
        """What keeps answers, and connections from outside, from these hosts."""
        for family in (each for each in FAMILIES if each in domain.subnets and each in self.beyond.subnets):
            wanted = self._wanted(domain, family, comes_in=True)
            gateway = self.segment.gateway if family == "ipv4" else self.segment.gateway_v6
            shown = example(wanted, family) if wanted else None
            for gate in self._sure(self.beyond) if wanted else ():
                if gate.router not in self.lines.routing.having(gateway or ""):
                    why = f"not {gateway}, the address that the machines beyond send to"
                    yield Breach("blocked", (gate.line(why),), shown)
                subnet = span(domain.subnets[family])
                exits = self.lines.routing.exits(gate.router, subnet)
                there = [each for each in self._sure(domain) if each.router in exits and each.leads_to(subnet)]
                if not there:
                    yield Breach("blocked", (gate.line(f"no route to {domain.subnets[family]}"),), shown)
                yield from self._refused(gate, "in", wanted, family)
                for each in there:
                    yield from self._refused(each, "out", wanted, family)

    def _sure(self, domain: Domain) -> list[Gate]:
        return [each for each in domain.gates if each.is_planned and not self.lines.is_doubtful(each)]

    def _no_way(self, hops: Iterable[tuple[Router, str]], family: Family) -> str:
        wrong = [(router, hop) for router, hop in hops if hop not in self.segment.next_hops]
        default = EVERYWHERE[family == "ipv6"]
        if not wrong:
            return f"no route to {default}"
        router, hop = wrong[0]
        if not hop:
            return f"no route to {default} on {router}"
        expected = ", ".join(self.segment.next_hops)
        return f"{router} sends {default} to {hop}, which is not {expected} on VLAN {self.segment.vlan}"

    def _wanted(self, domain: Domain, family: Family, *, comes_in: bool = False) -> list[Packets]:
        """What passes between these hosts and the outside: all of it, or what the plane's flows name."""
        own, anybody = addresses(domain.subnets[family], family), addresses(None, family)
        every = Packets(anybody, own) if comes_in else Packets(own, anybody)
        if self.lines.matrix.is_filtered(domain.plane):
            found = self.lines.matrix.of_outside(domain, family, comes_in=comes_in)
        else:
            found = [every]
        mine = [addresses(each, family) for each in self.lines.matrix.site[family]]
        site = [every._replace(source=each) if comes_in else every._replace(destination=each) for each in mine]
        switches = self.lines.matrix.of_switches.get(domain.subnets[family], []) if comes_in else []
        return [left for each in found for left in without_all(each, (*site, *switches))]

    def _refused(self, gate: Gate, direction: Direction, wanted: list[Packets], family: Family) -> Iterator[Breach]:
        """The first that a list on the way does not let through."""
        lists = self.lines.lists_of(gate.router.device)
        for each in wanted if gate.acls else ():
            through = [found.packets for found in passed(lists, gate.acls, (family, direction), each)]
            if left := without_all(each, through):
                packet = example(left, family)
                line = decided(lists, gate.acls, (family, direction), packet)
                yield Breach("blocked", (gate.line(line),), packet)
                return


def _leaving(routing: Routing, router: Router, there: Span) -> Iterator[tuple[Router, str]]:
    """(router, next hop that no switch has) by which packets to what no switch has leave; a hop of none: dropped."""
    seen, waiting = {router}, [router]
    while waiting:
        at = waiting.pop()
        origins, hops = routing.best(at, there)
        onward = [each for each in origins if each != at] if not hops else []
        for hop in hops:
            owners = routing.having(hop)
            onward += owners
            if not owners:
                yield at, hop if routing.is_beside(at, hop) else ""
        if not hops and not onward:
            yield at, ""
        waiting += [each for each in onward if each not in seen]
        seen |= {*onward}


def _relays(lines: Lines, groups: Mapping[End, list[Domain]]) -> Iterator[Judged]:
    """From the gateways of each plane with relays to every server of it."""
    network = lines.matrix.network
    for end, its in groups.items():
        plane = network.planes[end.plane]
        for server in sorted(plane.dhcp_servers) if plane.is_bonded else ():
            breaches = dict.fromkeys(each for one in its for each in _relayed(lines, one, server))
            yield Judged(end, End(end.plane, f"DHCP server {server}"), tuple(breaches))


def _relayed(lines: Lines, domain: Domain, server: str) -> Iterator[Breach]:
    there = span(f"{server}/{ip_address(server).max_prefixlen}")
    for gate in (each for each in domain.gates if each.is_planned and not lines.is_doubtful(each)):
        relays = [
            name
            for each in lines.configs[gate.router.device].interfaces
            if each.name == gate.interface
            for name in each.dhcp_servers
        ]
        if server not in relays:
            yield Breach("blocked", (gate.line(f"relays no DHCP to {server}"),))
        elif not lines.routing.exits(gate.router, there):
            dropped = [router for router, hop in _leaving(lines.routing, gate.router, there) if not hop]
            if dropped:
                yield Breach("blocked", (gate.line(f"what is relayed to {server} ends at {dropped[0]}: no route"),))

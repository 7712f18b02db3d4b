"""Which services a group of hosts reaches at another, with the lines that decide; an overview beside the judgement.

Judged are new connections to each of a service's ports, by the first gates between both; that all gates do alike, and
that nothing else passes, is :mod:`nornir_tasks.proofs.isolation`'s.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nornir_tasks.design.config.access_lists import TCP, AclBinding, Direction, Family
from nornir_tasks.design.model.flow_terms import Service
from nornir_tasks.proofs.ends import Domain, Gate
from nornir_tasks.proofs.filters import Lists, decided, passed
from nornir_tasks.proofs.packets import Packets, between, example, without_all
from nornir_tasks.proofs.routing import Routing
from nornir_tasks.proofs.spans import span
from nornir_tasks.proofs.ways import Met

IPV4: Family = "ipv4"
ELSE = "anything else"
"""A TCP port that no service has."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One service, from one end to another."""

    service: str
    passes: bool
    by: tuple[str, ...]
    """The lines that let it pass, at both ends, or the one that refuses it."""


@dataclass(frozen=True, slots=True)
class Way:
    """Two gates, and the IPv4 subnets behind them."""

    here: Gate
    there: Gate
    every: tuple[Packets, ...]
    """Between hosts: no switch's address is among the destinations."""
    met: tuple[Met, ...]
    """Between both."""

    def interfaces(self) -> Iterator[tuple[str, str, tuple[AclBinding, ...], Direction]]:
        """(switch, interface, its lists, direction) of each that is passed."""
        yield self.here.router.device, self.here.interface, self.here.acls, "in"
        yield from self.met
        yield self.there.router.device, self.there.interface, self.there.acls, "out"


def verdicts(
    routing: Routing,
    lists_of: Callable[[str], Lists],
    ends: tuple[Sequence[Domain], Sequence[Domain]],
    services: Mapping[str, Sequence[Service]],
    of_switches: Mapping[str, Sequence[Packets]],
) -> tuple[Verdict, ...]:
    """Every service, and what no service is, by the first way between both ends. ``lists_of``: those of a switch.

    ``of_switches``: subnet -> what is for switches in it.
    """
    way = next(_ways(routing, *ends, of_switches), None)
    named = {**services, **({ELSE: (other,)} if (other := _unnamed(services)) is not None else {})}
    if way is None:
        return tuple(Verdict(name, passes=False, by=("no route",)) for name in named)
    return tuple(Verdict(name, *_judged(lists_of, way, ports)) for name, ports in named.items())


def _ways(
    routing: Routing, ones: Iterable[Domain], others: Sequence[Domain], of_switches: Mapping[str, Sequence[Packets]]
) -> Iterator[Way]:
    for one in ones:
        for other in others:
            for here in () if one.is_with(other) else one.gates:
                subnet = span(other.subnets["ipv4"])
                exits = routing.exits(here.router, subnet)
                for there in other.gates if exits else ():
                    if there.router in exits and there.leads_to(subnet):
                        every = between(one.subnets["ipv4"], other.subnets["ipv4"], "ipv4")
                        hosts = without_all(every, of_switches.get(other.subnets["ipv4"], ()))
                        yield Way(here, there, tuple(hosts), tuple(sorted(exits[there.router][0])))


def _unnamed(services: Mapping[str, Sequence[Service]]) -> Service | None:
    """A port of TCP that no service has; None where services have all."""
    taken = [each.ports for ports in services.values() for each in ports if each.protocol == TCP]
    free = (port for port in range(1, 65535) if not any(low <= port <= high for low, high in taken))
    port = next(free, None)
    return None if port is None else Service(TCP, (port, port))


def _judged(lists_of: Callable[[str], Lists], way: Way, ports: Sequence[Service]) -> tuple[bool, tuple[str, ...]]:
    """Does all of it pass, and by which lines; else the line that refuses the first packet."""
    by: dict[str, None] = {}
    for each in ports:
        one = (each.protocol,) * 2
        new = {"protocol": one, "destination_port": each.ports, "source_port": (49152, 65535), "established": (0, 0)}
        for opening in (every._replace(**new) for every in way.every):
            for device, interface, acls, direction in way.interfaces():
                lists, where = lists_of(device), (IPV4, direction)
                found = list(passed(lists, acls, where, opening))
                if left := without_all(opening, (part.packets for part in found)):
                    line = decided(lists, acls, where, example(left, IPV4))
                    return False, (f"{device} {interface}: {line}",)
                by.update(dict.fromkeys(f"{device} {interface}: {part.by}" for part in found))
    return True, tuple(by)

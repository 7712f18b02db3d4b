"""The boundary, pair by pair: does what passes the firewalls equal the flow matrix, and if not, by which line?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import Boundary, Named
from nornir_tasks.proofs.rules.crossing import Crossing, Wrong
from nornir_tasks.proofs.rules.inward import Inward
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.packets import NOWHERE, Packet, Packets, Ports, both, every, shown
from nornir_tasks.proofs.rules.ranges import Ranges, of_prefixes, without
from nornir_tasks.proofs.rules.services import services_of, verdicts
from nornir_tasks.proofs.services import Verdict

NO_ZONE = "no zone"
"""Ports that are in none: management, the cable between firewalls, and what is not named."""
HERE = "firewalls"
"""The firewalls themselves, as who is reached."""
Kind = Literal["open", "blocked"]


class End(NamedTuple):
    """The one that a pair is named after."""

    name: str
    zone: str = ""
    """Empty: in none."""
    named: Named | None = None
    """None: whatever comes in by the zone's port, or goes out by it."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Breach:
    """One way in which a pair is not as the matrix says."""

    kind: Kind
    firewall: str
    packet: Packet
    by: tuple[str, ...]
    """The lines that decide, with the firewall."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ends, in one direction."""

    source: End
    destination: End
    breaches: tuple[Breach, ...] = ()
    """One of each kind and firewall."""
    undecided: tuple[str, ...] = ()
    """Lines that are not understood, of which it depends."""
    services: tuple[Verdict, ...] = ()
    """What passes of each service of the matrix, at the first firewall that has the shared addresses."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """What was found of all pairs."""

    pairs: tuple[Pair, ...]
    not_judged: tuple[str, ...] = ()
    """Why no pair of the firewalls is among them: their rules could not be had."""

    @property
    def failed(self) -> tuple[Pair, ...]:
        """Pairs that are not as the matrix says."""
        return tuple(each for each in self.pairs if each.breaches)

    @property
    def unknown(self) -> tuple[Pair, ...]:
        """Pairs that could not be told."""
        return tuple(each for each in self.pairs if each.undecided and not each.breaches)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Each line that is not understood and that a pair depends on."""
        return tuple(dict.fromkeys(line for pair in self.unknown for line in pair.undecided))

    @property
    def proved(self) -> int:
        """How many pairs are as the matrix says."""
        return len(self.pairs) - len(self.failed) - len(self.unknown)

    def summary(self) -> str:
        """``boundary 262 of 262 pairs``."""
        left = f", {len(self.unknown)} could not be told" if self.unknown else ""
        left += ", firewalls could not be told" if self.not_judged else ""
        return f"boundary {self.proved} of {len(self.pairs)} pairs{left}"


def judge(found: Boundary, states: Sequence[State], *, overview: bool = False) -> Guarded:
    """Judge every pair at every firewall. ``overview``: say of each service as well what becomes of it."""
    pairs = [_Pair(*each) for each in _pairs(tuple(ends_of(found)))]
    for state in states:
        for each in pairs:
            each.doubts.update(dict.fromkeys(f"{state.name}: {line}" for line in state.ruleset.beside))
        for family in FAMILIES:
            crossing = Crossing(state, found, family)
            here = tuple(_inward(crossing))
            wrong: Mapping[Kind, Sequence[Wrong]] = {
                "open": [*crossing.opened(), *(each for one in here for each in one.opened())],
                "blocked": [
                    *(crossing.blocked() if state.has_shared else ()),
                    *(each for one in here for each in one.blocked()),
                ],
            }
            for each in pairs if any(wrong.values()) else ():
                for kind, its in wrong.items():
                    each.note(kind, its, crossing)
    shown_by = _overview(found, states, pairs) if overview else [()] * len(pairs)
    return Guarded(
        tuple(
            Pair(each.source, each.destination, tuple(each.breaches), tuple(each.doubts), services)
            for each, services in zip(pairs, shown_by, strict=True)
        )
    )


def _overview(found: Boundary, states: Sequence[State], pairs: Sequence["_Pair"]) -> Iterator[tuple[Verdict, ...]]:
    """Of each pair what passes of each service."""
    state = next((each for each in states if each.has_shared), None)
    crossings = [Crossing(state, found, family) for family in FAMILIES] if state is not None else []
    inwards = [each for one in crossings for each in _inward(one)]
    services = services_of((*found.rows, *found.here))
    for pair in pairs:
        its: Sequence[Crossing | Inward] = inwards if pair.destination.name == HERE else crossings
        between = [_genuine(pair, each) for each in its]
        yield tuple(verdicts(its, between, services)) if its else ()


def _inward(crossing: Crossing) -> Iterator[Inward]:
    if crossing.state.firewall is not None:
        yield Inward(crossing.machine, crossing.matrix, crossing.state.firewall)


def _genuine(pair: "_Pair", its: Crossing | Inward) -> Packets:
    """Of a pair's packets, of whole zones those with a source that may come from there; to the machine as it is."""
    found, family = its.matrix.found, its.family
    between = packets_between(pair.source, pair.destination, its.matrix.ports, found, family)
    if pair.destination.name == HERE:
        between = between._replace(destination=its.machine.local)
    zone = next((each for each in found.zones if pair.source.named is None and each.name == pair.source.zone), None)
    return between if zone is None else between._replace(source=its.matrix.sources(zone))


@dataclass(slots=True)
class _Pair:
    """A pair while it is judged."""

    source: End
    destination: End
    breaches: list[Breach] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)

    def note(self, kind: Kind, wrong: Iterable[Wrong], crossing: Crossing) -> None:
        """The first breach of this kind at one firewall, and all doubts."""
        name = crossing.state.name
        between = packets_between(self.source, self.destination, crossing.ports, crossing.found, crossing.family)
        is_known = any((each.kind, each.firewall) == (kind, name) for each in self.breaches)
        for each in wrong:
            shared = both(each.packets, between)
            if shared is None:
                continue
            if each.doubts:
                self.doubts.update(dict.fromkeys(f"{name}: {line}" for line in each.doubts))
            elif not is_known:
                packet = shown(shared, crossing.ports, crossing.family)
                self.breaches.append(Breach(kind, name, packet, tuple(f"{name}: {line}" for line in each.by)))
                is_known = True


def ends_of(found: Boundary) -> Iterator[End]:
    """Zones, what is named in them, and what is kept apart from all."""
    yield from (End(zone.name, zone.name) for zone in found.zones)
    yield End(NO_ZONE)
    yield End(HERE)
    yield from (End(each.name, each.zone, each) for each in found.named)


def _pairs(ends: Sequence[End]) -> Iterator[tuple[End, End]]:
    for source in ends:
        for destination in ends:
            if source.name == HERE:
                continue
            is_within = source.zone and source.zone == destination.zone
            if (is_within and source.named is None and destination.named is None) or (
                not is_within and source != destination
            ):
                yield source, destination


def packets_between(source: End, destination: End, ports: Ports, found: Boundary, family: Family) -> Packets:
    """All packets from one end to another."""
    return Packets(
        entry=_ports(source, ports, found),
        exit=_ports(destination, ports, found),
        source=_addresses(source, family),
        destination=_addresses(destination, family),
    )


def _ports(end: End, ports: Ports, found: Boundary) -> Ranges:
    if end.name == HERE:
        return NOWHERE
    if end.named is not None and not end.zone:
        return ports.every
    zones = {zone.name: ports.of(zone.port) for zone in found.zones}
    return zones[end.zone] if end.zone else _less(ports.every, zones.values())


def _less(every_port: Ranges, others: Iterable[Ranges]) -> Ranges:
    for each in others:
        every_port = without(every_port, each)
    return every_port


def _addresses(end: End, family: Family) -> Ranges:
    return every(family) if end.named is None else of_prefixes(end.named.prefixes.get(family, ()))

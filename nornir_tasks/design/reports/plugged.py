"""What every cable of a network is plugged into: the ports of its legs, and the sockets that its plugs take."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nornir_tasks.design.model.links import Cable, Endpoint
from nornir_tasks.design.model.media import CONNECTORS
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.transceivers import plug_at

MOST_CONNECTORS = 4
"""Connectors of one cage: a jumper for each leg has one of its own."""

Port = tuple[str, str]
"""Device and interface."""
Hole = tuple[str, str, int]
"""Device, cage or host's port, connector: the socket of a plug."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a leg."""

    port: Port
    holes: frozenset[Hole]

    @property
    def device(self) -> str:
        """The switch or host that it is plugged into."""
        return self.port[0]


@dataclass(frozen=True, slots=True)
class Leg:
    """One link of a cable: the whole cable, or one of the parts that it splits into."""

    link: str
    kind: str
    """As that of its link."""
    speed_gbps: int
    upper: End
    lower: End

    @property
    def ports(self) -> tuple[Port, Port]:
        """Upper port, lower port."""
        return self.upper.port, self.lower.port

    @property
    def holes(self) -> frozenset[Hole]:
        """The sockets of both ends."""
        return self.upper.holes | self.lower.holes

    def touches(self, devices: Iterable[str]) -> bool:
        """Is one of its ends at one of these?"""
        return self.upper.device in devices or self.lower.device in devices


Legs = tuple[Leg, ...]


def plugged(network: Network) -> dict[str, Legs]:
    """Cable -> its legs."""
    links = {link.name: link for link in network.links}
    return {
        cable.name: tuple(
            Leg(link.name, link.kind, link.speed_gbps, _end(link.upper, cable), _end(link.lower, cable))
            for link in map(links.__getitem__, cable.links)
        )
        for cable in network.cables
    }


def ports(legs: Iterable[Leg]) -> tuple[tuple[Port, Port], ...]:
    """Upper port, lower port of each leg."""
    return tuple(leg.ports for leg in legs)


def holes(legs: Iterable[Leg]) -> frozenset[Hole]:
    """The sockets of all legs."""
    return frozenset(hole for leg in legs for hole in leg.holes)


def _end(end: Endpoint, cable: Cable) -> End:
    return End((end.device, end.port), frozenset(_holes_of(end, cable)))


def _holes_of(end: Endpoint, cable: Cable) -> Iterator[Hole]:
    """An assembly occupies the whole cage, however it is split; a jumper or splitter one connector of its optic."""
    device, cage = plug_at(end)
    slot, made = end.slot, cable.make.kind
    if slot is None or slot.ways == 1 or made == "assembly":
        yield from ((device, str(cage), connector) for connector in range(MOST_CONNECTORS))
    else:
        yield device, str(cage), slot.leg // (max(1, slot.ways // CONNECTORS) if made == "splitter" else 1)

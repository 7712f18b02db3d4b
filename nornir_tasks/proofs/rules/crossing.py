"""What a firewall does with every packet that it may forward, from its rules and routes, against the flow matrix.

New packets pass as the matrix says, and all of these do, with their answers. Packets of open connections pass only
between addresses of zones, so that an open connection never outweighs that. What belongs to no connection never passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design.boundary import Boundary, Zone
from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.proofs.rules.machine import Machine, State
from nornir_tasks.proofs.rules.matrix import BEGINS, GOES_ON, Matrix
from nornir_tasks.proofs.rules.packets import NOWHERE, Packets, Ports, every, less, one_of
from nornir_tasks.proofs.rules.ranges import Ranges, common, of_address, ranges, without
from nornir_tasks.proofs.rules.routes import NOT_FORWARDED, Leg
from nornir_tasks.proofs.rules.walk import Fate

INVALID: Ranges = ((3, 3),)
_STATES = (BEGINS, GOES_ON, INVALID)
_PROTOCOLS: tuple[Ranges, ...] = (((1, 1),), ((6, 6),), ((17, 17),), ((58, 58),))


class Wrong(NamedTuple):
    """Packets that pass and may not, or that must and do not."""

    packets: Packets
    by: tuple[str, ...]
    """The lines that decide."""
    doubts: tuple[str, ...] = ()
    """Lines that are not understood; with any it is not known whether this is so."""


@dataclass(slots=True)
class Crossing:
    """Packets of one family through one firewall."""

    state: State
    found: Boundary
    family: Family
    machine: Machine = field(init=False)
    matrix: Matrix = field(init=False)
    _fates: tuple[Fate, ...] = ()

    def __post_init__(self) -> None:
        of_zones = tuple(zone.port for zone in self.found.zones)
        self.machine = Machine(replace(self.state, ports=(*of_zones, *self.state.ports)), self.family)
        self.matrix = Matrix(self.found, self.machine.ports, self.family)

    @property
    def ports(self) -> Ports:
        """All ports of the firewall."""
        return self.machine.ports

    def fates(self) -> tuple[Fate, ...]:
        """What becomes of all packets; where a limit or a doubt makes it more than one thing, of each the set."""
        if not self._fates:
            self._fates = tuple(fate for fate, _ in self.machine.walked(self._all()))
        return self._fates

    def opened(self) -> Iterator[Wrong]:
        """What passes and may not, be it that limits are exceeded."""
        may = [*self.matrix.may_open(), *self.matrix.may_go_on()]
        for fate in self.fates():
            if fate.passes:
                for each in less([fate.packets], may):
                    yield Wrong(each, (str(fate.by),), fate.way.doubts)

    def blocked(self) -> Iterator[Wrong]:
        """What must pass and does not, be it an answer, where no limit is exceeded."""
        passing = [fate for fate in self.fates() if fate.passes and not fate.way.over]
        surely = [fate.packets for fate in passing if not fate.way.doubts]
        perhaps = [fate for fate in passing if fate.way.doubts]
        for row, opened in self.matrix.must_open():
            required_by = f"required by {row.name}"
            for wanted in (opened, self.matrix.answer(opened)):
                for missing in less([wanted], surely):
                    never = less([missing], [fate.packets for fate in perhaps])
                    doubts = () if never else perhaps[0].way.doubts
                    yield Wrong(missing, (self.decides(missing), required_by), doubts)
                for found, line in self._astray(wanted):
                    yield Wrong(found, (line, required_by))

    def decides(self, packets: Packets) -> str:
        """The line that decides about one packet of these, where no limit is exceeded."""
        return self.machine.verdict(one_of(packets)).by

    def _all(self) -> Iterator[Packets]:
        addresses = without(every(self.family), NOT_FORWARDED[self.family])
        rest = without(((0, 255),), ranges(each for its in _PROTOCOLS for each in its))
        ((first, last),) = self.ports.every
        for port in range(first, last + 1):
            for protocol in (*_PROTOCOLS, rest):
                for state in _STATES:
                    yield Packets(((port, port),), NOWHERE, addresses, addresses, protocol, state=state)

    def _astray(self, wanted: Packets) -> Iterator[tuple[Packets, str]]:
        """Of packets that must pass: those whose next hop is none of their zone's."""
        zones = {zone.port: zone for zone in self.found.zones}
        for leg in self.machine.routes.legs:
            here = common(wanted.destination, leg.addresses)
            if not here or not leg.is_forwarded or leg.port not in zones:
                continue
            if left := without(here, self._reached(zones[leg.port], leg)):
                yield wanted._replace(destination=left), leg.line

    def _reached(self, zone: Zone, leg: Leg) -> Ranges:
        """What is reached by this next hop, as the intent has it."""
        if self.family not in zone.links:
            return ()
        link = ip_network(zone.links[self.family])
        on_link = ranges([(int(link.network_address), int(link.broadcast_address))])
        if not leg.gateway:
            return on_link
        known = zone.gateways.get(self.family)
        is_known = known is not None and of_address(known) == of_address(leg.gateway)
        return without(every(self.family), on_link) if is_known else ()

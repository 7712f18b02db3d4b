"""What a firewall does with every packet that it may forward, from its rules and routes, against the flow matrix.

New packets pass as the matrix says, and all of these do, with their answers. Packets of open connections pass only
between addresses of zones, so that an open connection never outweighs that. What belongs to no connection never passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary import Boundary, Zone
from nornir_tasks.proofs.rules.machine import Machine, State
from nornir_tasks.proofs.rules.matrix import BEGINS, GOES_ON, Matrix
from nornir_tasks.proofs.rules.packets import EITHER, NEW, NOWHERE, ORIGINAL, Packets, Ports, both, every, less, one_of
from nornir_tasks.proofs.rules.ranges import Ranges, common, of_address, ranges, without
from nornir_tasks.proofs.rules.routes import NOT_FORWARDED, Leg
from nornir_tasks.proofs.rules.walk import Fate

INVALID: Ranges = ((3, 3),)
STATES_APART = ((BEGINS, ORIGINAL), (GOES_ON, EITHER), (INVALID, EITHER))
"""States of packets, and directions of each, that rules treat as one."""
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
    _passing: tuple[tuple[Packets, str], ...] = ()

    def __post_init__(self) -> None:
        of_zones = tuple(zone.port for zone in self.found.zones)
        self.machine = Machine(replace(self.state, ports=(*of_zones, *self.state.ports)), self.family)
        self.matrix = Matrix(self.found, self.machine.ports, self.family)

    @property
    def ports(self) -> Ports:
        """All ports of the firewall."""
        return self.machine.ports

    def fates(self) -> tuple[Fate, ...]:
        """What becomes of all packets, from every port to every port, whatever routes there are.

        Where a limit or a doubt makes it more than one thing, of each the set.
        """
        if not self._fates:
            self._fates = tuple(self.machine.anywhere(self._all()))
        return self._fates

    def opened(self) -> Iterator[Wrong]:
        """What passes and may not: be it that limits are exceeded, or that routes are others than they are.

        So neither a machine that has lost the shared addresses, or some of them, nor a wrong route opens anything.
        """
        may = [*self.matrix.may_open(), *self.matrix.may_go_on()]
        for fate in self.fates():
            if fate.passes:
                for each in (*less([_as_sent(fate)], may), *self._under_another_address(fate)):
                    yield Wrong(each, (str(fate.by),), fate.way.doubts)

    def _under_another_address(self, fate: Fate) -> Iterator[Packets]:
        """What opens something outside, and does not have the address there that the intent gives its sender."""
        if self.family != "ipv4":
            return
        opening = _anything(self.family)._replace(
            exit=self._outside(), state=((NEW, NEW),), destination=self.matrix.of_everybody()
        )
        if (opens := both(fate.packets, opening)) is None:
            return
        for senders, addresses in self.matrix.leaves_as():
            mine = common(_as_sent(fate).source, senders)
            shown = fate.packets.source if fate.way.sender else mine
            if mine and without(shown, addresses):
                yield opens._replace(source=mine)

    def _outside(self) -> Ranges:
        return ranges(each for zone in self.found.zones if zone.is_outside for each in self.ports.of(zone.port))

    def blocked(self) -> Iterator[Wrong]:
        """What must pass and does not, be it an answer, where no limit is exceeded."""
        passing = [fate for fate in self.fates() if fate.passes and not fate.way.over]
        surely = [each for fate in passing if not fate.way.doubts for each in self._routed(_as_sent(fate))]
        perhaps = [fate for fate in passing if fate.way.doubts]
        for row, opened in self.matrix.must_open():
            required_by = f"required by {row.name}"
            for wanted in (opened, self.matrix.answer(opened)):
                for missing in less([wanted], surely):
                    never = less([missing], [_as_sent(fate) for fate in perhaps])
                    doubts = () if never else perhaps[0].way.doubts
                    yield Wrong(missing, (self.decides(missing), required_by), doubts)
                for found, line in self._astray(wanted):
                    yield Wrong(found, (line, required_by))

    def passing(self) -> tuple[tuple[Packets, str], ...]:
        """What surely opens something by the routes that there are, within all limits, and the line that lets it."""
        if not self._passing:
            its = (e for e in self.fates() if e.passes and not e.way.over and not e.way.doubts)
            new = [fate for fate in its if common(fate.packets.state, ((NEW, NEW),))]
            self._passing = tuple((each, str(fate.by)) for fate in new for each in self._routed(_as_sent(fate)))
        return self._passing

    def decides(self, packets: Packets) -> str:
        """The line that decides about one packet of these, where no limit is exceeded."""
        return self.machine.verdict(one_of(packets)).by

    def _all(self) -> Iterator[Packets]:
        addresses = without(every(self.family), NOT_FORWARDED[self.family])
        # Of IPv4 no kernel takes its own address as a source (``accept_local`` of Linux's ip-sysctl, off by default).
        sources = without(addresses, self.machine.local) if self.family == "ipv4" else addresses
        rest = without(((0, 255),), ranges(each for its in _PROTOCOLS for each in its))
        ((first, last),) = self.ports.every
        for port in range(first, last + 1):
            for protocol in (*_PROTOCOLS, rest):
                for state, direction in STATES_APART:
                    its = Packets(((port, port),), NOWHERE, sources, addresses, protocol)
                    yield its._replace(state=state, direction=direction)

    def _routed(self, packets: Packets) -> Iterator[Packets]:
        """Those that routes take to the port by which they may go out."""
        for leg in self.machine.routes.legs:
            if leg.is_forwarded:
                routed = packets._replace(
                    exit=common(packets.exit, self.ports.of(leg.port)),
                    destination=common(packets.destination, leg.addresses),
                )
                if routed.exit and routed.destination:
                    yield routed

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


def _as_sent(fate: Fate) -> Packets:
    """With the source that they came with."""
    return fate.packets._replace(source=fate.way.sender) if fate.way.sender else fate.packets


def _anything(family: Family) -> Packets:
    whole = ((0, 2**31),)
    return Packets(whole, whole, every(family), every(family))

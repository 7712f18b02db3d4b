"""What reaches a firewall itself, judged for every packet: its ``input`` chains against what the design says of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.proofs.rules.crossing import STATES_APART, Wrong
from nornir_tasks.proofs.rules.here import Here, Reach
from nornir_tasks.proofs.rules.machine import Machine
from nornir_tasks.proofs.rules.matrix import Matrix
from nornir_tasks.proofs.rules.packets import NEW, NOWHERE, Packets, both, every, less, one_of
from nornir_tasks.proofs.rules.ranges import common, without
from nornir_tasks.proofs.rules.routes import LOCAL
from nornir_tasks.proofs.rules.walk import Fate


@dataclass(slots=True)
class Inward:
    """Packets of one family to one firewall itself."""

    machine: Machine
    matrix: Matrix
    firewall: FirewallVars
    _fates: tuple[Fate, ...] = ()
    _reaches: tuple[Reach, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._reaches = tuple(Here(self.firewall, self.matrix, self.machine.local).reaches())

    @property
    def family(self) -> Family:
        """Of all packets."""
        return self.machine.family

    @property
    def has_shared(self) -> bool:
        """Has it the addresses that the pair shares?"""
        return self.machine.state.has_shared

    def fates(self) -> tuple[Fate, ...]:
        """What becomes of all packets to it, from every port, whatever addresses it has."""
        if not self._fates:
            self._fates = tuple(self.machine.inward(self._all()))
        return self._fates

    def opened(self) -> Iterator[Wrong]:
        """What reaches it and may not."""
        may = [each.packets for each in self._reaches]
        for fate in self.fates():
            if fate.passes:
                for each in less([fate.packets], may):
                    yield Wrong(each, (str(fate.by),), fate.way.doubts)

    def blocked(self) -> Iterator[Wrong]:
        """What must reach it and does not, where no limit is exceeded."""
        passing = [fate for fate in self.fates() if fate.passes and not fate.way.over]
        surely = [fate.packets for fate in passing if not fate.way.doubts]
        perhaps = [fate for fate in passing if fate.way.doubts]
        for reach in self._reaches:
            if not reach.must or (reach.at_shared and not self.has_shared):
                continue
            required_by = f"required by {reach.name}"
            for missing in less([reach.packets], surely):
                never = less([missing], [fate.packets for fate in perhaps])
                doubts = () if never else perhaps[0].way.doubts
                yield Wrong(missing, (self.decides(missing), required_by), doubts)
            if reach.at_shared:
                yield from self._elsewhere(reach, required_by)

    def _elsewhere(self, reach: Reach, required_by: str) -> Iterator[Wrong]:
        """Of addresses that it must have: those that it has not, and where their packets go."""
        for leg in self.machine.routes.legs:
            if leg.kind != LOCAL and (missing := common(reach.packets.destination, leg.addresses)):
                yield Wrong(reach.packets._replace(destination=missing), (leg.line, required_by))

    def passing(self) -> tuple[tuple[Packets, str], ...]:
        """What surely opens something at an address of its own, within all limits, and the line that lets it."""
        cabled = without(self.machine.ports.every, self.machine.ports.of("lo"))
        new = Packets(cabled, NOWHERE, every(self.family), self.machine.local, state=((NEW, NEW),))
        found = (fate for fate in self.fates() if fate.passes and not fate.way.over and not fate.way.doubts)
        reached = ((both(fate.packets, new), str(fate.by)) for fate in found)
        return tuple((packets, line) for packets, line in reached if packets is not None)

    def decides(self, packets: Packets) -> str:
        """The line that decides about one packet of these, where no limit is exceeded."""
        return str(min(self.machine.inward([one_of(packets)]), key=lambda each: bool(each.way.over)).by)

    def _all(self) -> Iterator[Packets]:
        addresses = every(self.family)
        # Of IPv4 no kernel takes its own address as a source from a cable (``accept_local`` of Linux's ip-sysctl).
        others = without(addresses, self.machine.local) if self.family == "ipv4" else addresses
        own = self.machine.ports.of("lo")
        for port, sources in ((own, addresses), (without(self.machine.ports.every, own), others)):
            for state, direction in STATES_APART:
                yield Packets(port, NOWHERE, sources, addresses, state=state, direction=direction)

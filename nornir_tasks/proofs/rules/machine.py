"""What one machine that forwards does with packets: from its rules and routes, whatever the intent wants of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.proofs.rules.matches import Reader
from nornir_tasks.proofs.rules.packets import NOWHERE, Limits, Packets, Ports, limits, split
from nornir_tasks.proofs.rules.ranges import Ranges, common, ranges, without
from nornir_tasks.proofs.rules.routes import LOCAL, Leg, Routes, routes_of
from nornir_tasks.proofs.rules.ruleset import Ruleset
from nornir_tasks.proofs.rules.walk import Fate, Walker


@dataclass(frozen=True, slots=True)
class State:
    """All of a machine that decides about packets."""

    name: str
    ruleset: Ruleset
    routes: Mapping[Family, Sequence[Mapping[str, Any]]]
    """As ``ip -j route show table all`` prints them."""
    ports: tuple[str, ...] = ()
    """Names of its ports; those that routes have are known without."""
    has_shared: bool = True
    """Of a pair, has it the addresses that both share? Without them nothing must pass by it."""
    firewall: FirewallVars | None = None
    """What the design says of it; without that nothing is judged of what reaches the machine itself."""


class Verdict(NamedTuple):
    """What becomes of one packet, where no limit is exceeded."""

    passes: bool
    leg: Leg | None
    """The route that it takes, or that ends its way; None: it does not come so far."""
    by: str
    """The line that decides."""
    is_sure: bool
    sources: Ranges = ()
    """What the packet's source may be as it leaves."""


@dataclass(slots=True)
class Machine:
    """One machine, and packets of one family."""

    state: State
    family: Family
    ports: Ports = field(init=False)
    routes: Routes = field(init=False)
    local: Ranges = field(init=False)
    """Its own addresses."""
    walker: Walker = field(init=False)

    def __post_init__(self) -> None:
        names = list(self.state.ports)
        for its in self.state.routes.values():
            names += [hop.get("dev", "") for each in its for hop in (each, *each.get("nexthops", ()))]
        self.ports = Ports(each for each in names if each)
        self.routes = routes_of(self.state.routes[self.family], self.family)
        self.local = ranges(each for leg in self.routes.legs if leg.kind == LOCAL for each in leg.addresses)
        self.walker = Walker(self.state.ruleset, Reader(self.state.ruleset, self.ports, self.family, self.local))

    def walked(self, arriving: Iterable[Packets]) -> Iterator[tuple[Fate, Leg | None]]:
        """Through all hooks that packets meet, and by the routes between them."""
        for fate in self.walker.at("prerouting", arriving):
            if not fate.passes:
                yield fate, None
                continue
            inside, rest = split(fate.packets, self._own_senders())
            if inside is not None:
                yield Fate(inside, passes=False, by="its own address as a source", way=fate.way), None
            yield from self._routed([replace(fate, packets=each) for each in rest])

    def _own_senders(self) -> Limits:
        """Of IPv4 no kernel takes its own address as a source from a cable (``accept_local`` of Linux's ip-sysctl)."""
        cabled = without(self.ports.every, self.ports.of("lo")) if self.family == "ipv4" else ()
        return limits(entry=cabled, source=self.local)

    def _routed(self, arrived: Iterable[Fate]) -> Iterator[tuple[Fate, Leg | None]]:
        for fate in arrived:
            for leg in self.routes.legs:
                if here := common(fate.packets.destination, leg.addresses):
                    packets = fate.packets._replace(destination=here)
                    if leg.is_forwarded:
                        packets = packets._replace(exit=self.ports.of(leg.port))
                        for each in self._forwarded(Fate(packets, passes=True, by=fate.by, way=fate.way)):
                            yield each, leg
                    else:
                        yield Fate(packets, passes=False, by=leg.line, way=fate.way), leg

    def anywhere(self, arriving: Iterable[Packets]) -> Iterator[Fate]:
        """Through all hooks that packets meet, each out by every port, as if routes took it there."""
        for fate in self.walker.at("prerouting", arriving):
            if fate.passes:
                leaving = fate.packets._replace(exit=self.ports.every)
                yield from self._forwarded(replace(fate, packets=leaving))
            else:
                yield fate

    def verdict(self, packet: Packets) -> Verdict:
        """What becomes of one packet that came in, where no limit is exceeded."""
        found = list(self.walked([packet._replace(exit=NOWHERE)]))
        fate, leg = min(found, key=lambda each: bool(each[0].way.over))
        if leg is not None and leg.kind == LOCAL:
            fate = min(self.inward([packet]), key=lambda each: bool(each.way.over))
        return Verdict(fate.passes, leg, str(fate.by), not fate.way.doubts, fate.packets.source)

    def inward(self, arriving: Iterable[Packets]) -> Iterator[Fate]:
        """Through the hooks that packets to the machine itself meet, as if all of these were."""
        for fate in self.walker.at("prerouting", [each._replace(exit=NOWHERE) for each in arriving]):
            yield from self.walker.on("input", [fate]) if fate.passes else [fate]

    def outward(self, leaving: Packets) -> Iterator[Fate]:
        """Through the hooks that packets of the machine's own meet."""
        for fate in self.walker.at("output", [leaving]):
            yield from self.walker.on("postrouting", [fate]) if fate.passes else [fate]

    def _forwarded(self, before: Fate) -> Iterator[Fate]:
        for fate in self.walker.on("forward", [before]):
            for after in self.walker.on("postrouting", [fate]) if fate.passes else [fate]:
                # The line that let packets on says more than that nothing kept them afterwards.
                yield replace(after, by=fate.by) if after.passes else after

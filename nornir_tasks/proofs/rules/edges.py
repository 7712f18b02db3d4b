"""Edge routers, pair by pair: do their access lists take in what they are for and nothing else, and by which rule?

Lists have no memory, so each packet is judged by itself; whatever leaves came in by one of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.edge_policy import EdgeTerms
from nornir_tasks.design.model.system_facts import AclFacts
from nornir_tasks.proofs.rules.acls import routes_of, ruleset_of
from nornir_tasks.proofs.rules.edge_matrix import EdgeMatrix, Taken
from nornir_tasks.proofs.rules.judge import Breach, End, Kind, Pair
from nornir_tasks.proofs.rules.machine import Machine, State
from nornir_tasks.proofs.rules.packets import NOWHERE, Packets, both, every, less, one_of, shown
from nornir_tasks.proofs.rules.ranges import Ranges, ranges, without

SITE, ROUTERS, REST = "what is announced", "edge routers", "everybody else"
FIREWALLS, OTHER_PORTS = "from firewalls", "other ports of edge routers"


class Edge(NamedTuple):
    """One edge router, as its lines have it."""

    config: DeviceConfig
    place: int
    """0 of the first router, 1 of the second."""
    inside_port: str
    """The interface of the VLAN to the firewalls."""
    facts: AclFacts
    loopback: str
    """An interface that nothing comes in by."""


def state_of(edge: Edge) -> State:
    """Its lists, routes and ports, as a machine that forwards."""
    config = edge.config
    return State(config.name, ruleset_of(config, denies_rest=edge.facts.denies_rest), routes_of(config), _ports(edge))


def _ports(edge: Edge) -> tuple[str, ...]:
    """Where packets of the default VRF come in."""
    ports = (each for each in edge.config.interfaces if each.vrf is None and each.name != edge.loopback)
    return tuple(each.name for each in ports if each.address or each.ipv6_address or each.ra_interval_ms)


def judge_edges(
    terms: EdgeTerms, edges: Mapping[str, Edge], doubts: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[Pair, ...]:
    """From each upstream, the firewalls and any other port to what is announced, the routers, everybody else.

    ``edges``: in their order; one that is missing was not read. ``doubts``: router -> why its lists may say otherwise.
    """
    names = [*(each.name for each in terms.outside_links), FIREWALLS, OTHER_PORTS]
    pairs = {(source, there): list[Breach]() for source in names for there in (SITE, ROUTERS, REST)}
    for name, edge in edges.items():
        for family in FAMILIES:
            router = _Router(terms, name, edge, family)
            for kind, wrong in router.wrong():
                for ends, within in router.ends():
                    found, known = both(wrong.packets, within), pairs[ends]
                    if found is not None and not any((e.kind, e.firewall) == (kind, name) for e in known):
                        packet = shown(found, router.machine.ports, family)
                        known.append(Breach(kind, name, packet, tuple(f"{name}: {line}" for line in wrong.by)))
    where = {each.name: each.device for each in terms.outside_links}
    unsure = {
        source: tuple(
            f"{name}: {why}" for name, its in doubts.items() for why in its if where.get(source, name) == name
        )
        for source in names
    }
    return tuple(Pair(End(source), End(there), tuple(its), unsure[source]) for (source, there), its in pairs.items())


class _Wrong(NamedTuple):
    packets: Packets
    by: tuple[str, ...]


@dataclass(slots=True)
class _Router:
    terms: EdgeTerms
    name: str
    edge: Edge
    family: Family
    machine: Machine = field(init=False)
    matrix: EdgeMatrix = field(init=False)

    def __post_init__(self) -> None:
        self.machine = Machine(state_of(self.edge), self.family)
        ports, inside_port = self.machine.ports, self.edge.inside_port
        facts = self.edge.facts
        known = self.family in facts.icmp_types, facts.svi_takes_bridged
        self.matrix = EdgeMatrix(self.terms, self.name, self.edge.place, inside_port, ports, self.family, *known)

    def ends(self) -> Iterator[tuple[tuple[str, str], Packets]]:
        """All packets of each pair."""
        ports, whole = self.machine.ports, every(self.family)
        outside = {each.name: ports.of(each.port) for each in self.terms.on(self.name)}
        sources = {**outside, FIREWALLS: ports.of(self.edge.inside_port)}
        other = ports.every
        for each in sources.values():
            other = without(other, each)
        ours, routers = self.matrix.ours(), self.matrix.routers()
        there = {ROUTERS: routers, SITE: without(ours, routers), REST: without(without(whole, ours), routers)}
        for source, entry in {**sources, OTHER_PORTS: other}.items():
            for destination, addresses in there.items():
                yield (source, destination), Packets(entry, NOWHERE, whole, addresses)

    def wrong(self) -> Iterator[tuple[Kind, _Wrong]]:
        """What comes in and may not, whatever routes there are; what must and does not, or goes elsewhere."""
        taken = tuple(self.matrix.taken())
        fates = self.machine.walker.at("prerouting", [self._all()])
        may = [each.packets for each in taken]
        for fate in fates:
            if fate.passes:
                for each in less([fate.packets], may):
                    yield "open", _Wrong(each, (str(fate.by),))
        surely = [fate.packets for fate in fates if fate.passes]
        for needed in taken:
            if needed.must:
                yield from self._missing(needed, surely)

    def _missing(self, taken: Taken, surely: list[Packets]) -> Iterator[tuple[Kind, _Wrong]]:
        for missing in less([taken.packets], surely):
            by = self.machine.walker.at("prerouting", [one_of(missing)])[0].by
            yield "blocked", _Wrong(missing, (str(by), f"required by {taken.name}"))

    def _all(self) -> Packets:
        whole = every(self.family)
        entries: Ranges = ranges(each for name in self.machine.state.ports for each in self.machine.ports.of(name))
        return Packets(entries, NOWHERE, whole, whole)

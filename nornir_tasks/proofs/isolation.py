"""Isolation: which group of hosts can send what to which other, judged from the switches' lines for every packet.

Between planes nothing passes but what a flow names; within a plane with flows those pass and nothing else. A packet
comes from a host's own subnet by any of its gates, goes where routing may take it, and meets the lists at both ends.
Packets whose source is not the host's own are left out, as is what crosses the firewall outside the site.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from nornir_tasks.design.config.access_lists import AclBinding, Family
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.flow_terms import Service
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.system_facts import AclFacts
from nornir_tasks.proofs import control_plane, vlans, ways_out
from nornir_tasks.proofs.bmcs import assumed, bridges, with_management_ports
from nornir_tasks.proofs.breach import Breach, Judged, Kind
from nornir_tasks.proofs.ends import Domain, End, Gate, Joined, domains, joined
from nornir_tasks.proofs.expected import Matrix, ends_of
from nornir_tasks.proofs.filters import Lists, decided, lists_of, passed
from nornir_tasks.proofs.packets import Packets, addresses, between, common, example, without_all
from nornir_tasks.proofs.routing import Routing
from nornir_tasks.proofs.services import Verdict, verdicts
from nornir_tasks.proofs.spans import span
from nornir_tasks.proofs.unsure import SURE, Unsure
from nornir_tasks.proofs.ways import Way
from nornir_tasks.proofs.wires import Wires, far_ends

FAMILIES: tuple[Family, ...] = ("ipv4", "ipv6")


@dataclass(frozen=True, slots=True)
class Isolation:
    """What was found for every ordered pair of ends between which something may not pass."""

    pairs: tuple[Judged, ...]
    undecided: tuple[str, ...] = ()
    """What keeps pairs from being proved, in words, each once."""
    assumed: tuple[str, ...] = ()
    """What is taken for granted, in words: the operator's to see to."""

    @property
    def failed(self) -> tuple[Judged, ...]:
        """The pairs that are not as asked."""
        return tuple(each for each in self.pairs if each.breaches)

    @property
    def unknown(self) -> tuple[Judged, ...]:
        """The pairs that could not be told."""
        return tuple(each for each in self.pairs if each.undecided and not each.breaches)

    @property
    def proved(self) -> int:
        """How many pairs are as asked."""
        return len(self.pairs) - len(self.failed) - len(self.unknown)

    def summary(self) -> str:
        """``isolation 24 of 24 pairs``, or ``isolation 20 of 24 pairs, 4 could not be told``."""
        left = f", {len(self.unknown)} could not be told" if self.unknown else ""
        return f"isolation {self.proved} of {len(self.pairs)} pairs{left}"


def judge(
    network: Network,
    configs: Mapping[str, DeviceConfig],
    guarded: Mapping[str, frozenset[str]],
    services: Mapping[str, Sequence[Service]] | None = None,
    unsure: Unsure = SURE,
    shared_bmcs: Mapping[str, str] | None = None,
) -> Isolation:
    """Judge every pair. ``guarded``: group of hosts -> the planes between which its hosts forward nothing.

    ``services``: name -> ports, for an overview of each pair; None: there is none. ``unsure``: what is not known of the
    switches. A pair on a fabric with such a switch is proved in nothing; what is open by lines that are known is named.
    ``shared_bmcs``: host -> the plane whose port its BMC shares (NC-SI); of all others it has a port of its own.
    """
    configs = with_management_ports(network, configs)
    wires = Wires(network, configs, tuple(bridges(network, shared_bmcs or {})))
    known = domains(network, wires)
    matrix = Matrix(network)
    found = _Judge(matrix, configs, Routing(configs, far_ends(network, configs)), unsure.doubtful)
    ends = ends_of(known)
    ways = {
        (one, other): found.between(ends[one], ends[other])
        for one in ends
        for other in ends
        if one.plane != other.plane or (matrix.is_filtered(one.plane) and _is_apart(ends[one], ends[other]))
    }
    for each in joined(network, wires, known):
        if each.one.plane != each.other.plane or matrix.is_filtered(each.one.plane):
            _note(ways, each)
    _forwarded(ways, ends, guarded)
    open_questions = _by_fabric(network, [*unsure.reasons.items(), *_filters_between_switches(network, configs)])
    judged = []
    for (one, other), breaches in ways.items():
        fabrics = dict.fromkeys(network.planes[end.plane].fabric for end in (one, other))
        why = tuple(reason for fabric in fabrics for reason in open_questions.get(fabric, ()))
        kept = dict.fromkeys(each for each in breaches if not why or each.kind == "open")
        judged.append(Judged(one, other, tuple(kept), found.services(ends[one], ends[other], services), why))
    judged += found.within(known)
    lines = ways_out.Lines(matrix, configs, found.routing, found.lists_of, found.is_doubtful)
    for found_way in ways_out.judged(lines, known):
        why = tuple(open_questions.get(network.planes[found_way.source.plane].fabric, ()))
        judged.append(replace(found_way, breaches=() if why else found_way.breaches, undecided=why))
    for own in control_plane.judged(network, configs):
        why = tuple(open_questions.get(own.destination.plane, ()))
        judged.append(replace(own, breaches=() if why else own.breaches, undecided=why))
    reasons = dict.fromkeys(reason for its in open_questions.values() for reason in its)
    granted = tuple(assumed(network, configs, frozenset(shared_bmcs or ()), has_management=unsure.has_management))
    return Isolation(tuple(judged), tuple(reasons), granted)


def _by_fabric(network: Network, found: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """Fabric -> what is not known of its switches, in words."""
    reasons: dict[str, list[str]] = {}
    for device, why in found:
        reasons.setdefault(network.device(device).fabric, []).extend(f"{device}: {each}" for each in why)
    return reasons


def _is_apart(ones: list[Domain], others: list[Domain]) -> bool:
    """Are there two networks of hosts between which these meet a router?

    What passes between hosts of a plane and the machines beyond its way out is for these, not for its flows, to say.
    """
    return not any(each.is_way_out for each in (*ones, *others)) and any(
        not here.is_with(there) for here in ones for there in others
    )


def _note(ways: dict[tuple[End, End], list[Breach]], found: Joined) -> None:
    for pair in ((found.one, found.other), (found.other, found.one)):
        ways.setdefault(pair, []).append(Breach("open", (f"both are in one VLAN: {found.by}",)))


def _forwarded(
    ways: dict[tuple[End, End], list[Breach]],
    ends: Mapping[End, list[Domain]],
    guarded: Mapping[str, frozenset[str]],
) -> None:
    """Hosts on two planes are routers between them, unless something keeps them from it."""
    planes: dict[str, list[str]] = {}
    for end in ends:
        planes.setdefault(end.group, []).append(end.plane)
    for group, its in planes.items():
        for one, other in product(its, repeat=2):
            if one == other or {one, other} <= guarded.get(group, frozenset()):
                continue
            why = f"hosts {group}-* are on both planes, and plane_guard does not keep them from forwarding"
            for source, destination in product(ends, repeat=2):
                if (source.plane, destination.plane) == (one, other):
                    ways[source, destination].append(Breach("open", (why,)))


def _between_hosts(sets: list[Packets], here: Gate, there: Gate) -> list[Packets]:
    """Of these packets those between addresses that the ports of both gates have, if there are any."""
    ends = [[(each.first, each.last) for each in gate.subnets if gate.is_planned] for gate in (here, there)]
    narrowed = [
        found
        for each in sets
        for source, destination in product(ends[0][:1] or [each.source], ends[1][:1] or [each.destination])
        if (found := common(each, each._replace(source=source, destination=destination))) is not None
    ]
    return narrowed or sets


def _filters_between_switches(
    network: Network, configs: Mapping[str, DeviceConfig]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lists on ports between switches are not followed: with one, nothing that passes there is proved.

    Beyond a port to the outside no host of the site is.
    """
    filtered = {
        (name, each.name): each.acls for name, config in configs.items() for each in config.interfaces if each.acls
    }
    for link in network.links:
        for end in (link.upper, link.lower) if link.kind not in ("host", "outside") else ():
            if acls := filtered.get((end.device, end.port)):
                names = ", ".join(each.name for each in acls)
                yield end.device, (f"{end.port}: {names} filters between switches",)


@dataclass
class _Terms:
    """What the intent says of packets from one network to another, worked out when it is asked for."""

    matrix: Matrix
    one: Domain
    other: Domain
    family: Family

    @cached_property
    def every(self) -> Packets:
        return between(self.one.subnets[self.family], self.other.subnets[self.family], self.family)

    @cached_property
    def may(self) -> list[Packets]:
        return self.matrix.may(self.one, self.other, self.family)

    @cached_property
    def must(self) -> list[Packets]:
        return self.matrix.must(self.one, self.other, self.family)


_Arrived = tuple[Packets, tuple[str, ...]]
"""Packets, and the lines that let them come so far."""


@dataclass
class _Judge:
    matrix: Matrix
    configs: Mapping[str, DeviceConfig]
    routing: Routing
    doubtful: frozenset[tuple[str, str]] = frozenset()
    lists: dict[str, Lists] = field(default_factory=dict)
    vlans: dict[str, tuple[list[Breach], list[Breach]]] = field(default_factory=dict)
    """Name of a VLAN -> what is wrong with its lists, towards gateways and among its hosts."""
    closed: dict[tuple[str, tuple[AclBinding, ...], str, str, str], bool] = field(default_factory=dict)

    def between(self, ones: list[Domain], others: list[Domain]) -> list[Breach]:
        """The first breach of each kind from some networks to others."""
        found: dict[Kind, Breach] = {}
        if self.matrix.goes_around_entry(ones[0], others[0]):
            ones = [one for one in ones if not self._lets_in_for_entry_alone(one)]
        for one in ones:
            for other in others:
                if one.is_with(other):
                    continue
                for family in FAMILIES:
                    if family in one.subnets and family in other.subnets:
                        for each in self._across(one, other, family):
                            found.setdefault(each.kind, each)
        return list(found.values())

    def services(
        self, ones: list[Domain], others: list[Domain], named: Mapping[str, Sequence[Service]] | None
    ) -> tuple[Verdict, ...]:
        """What passes of each service, by the first way between them."""
        if named is None:
            return ()
        return verdicts(self.routing, self.lists_of, (ones, others), named, self.matrix.of_switches)

    def within(self, known: Iterable[Domain]) -> Iterator[Judged]:
        """What does not pass between hosts of one VLAN, or between these and their gateways, as asked."""
        wrong: dict[tuple[End, End], dict[Breach, None]] = {}
        for domain in known:
            if not self.matrix.is_filtered(domain.plane):
                continue
            if domain.name not in self.vlans:
                self.vlans[domain.name] = self._of_vlan(domain)
            to_gateways, among_hosts = self.vlans[domain.name]
            for group in domain.groups:
                one = End(domain.plane, group)
                wrong.setdefault((one, End(domain.plane, vlans.GATEWAYS)), {}).update(dict.fromkeys(to_gateways))
                wrong.setdefault((one, one), {}).update(dict.fromkeys(among_hosts))
        for (one, other), breaches in wrong.items():
            if breaches:
                yield Judged(one, other, tuple(breaches), is_within=True)

    def _of_vlan(self, domain: Domain) -> tuple[list[Breach], list[Breach]]:
        gates = tuple(each for each in domain.gates if not self.is_doubtful(each))
        found: tuple[list[Breach], list[Breach]] = ([], [])
        for family in FAMILIES:
            if family in domain.subnets:
                needed = self.matrix.needed(domain.plane, domain.plane, family)
                every = self.configs, self._facts(domain), self.lists_of
                answers = () if domain.is_way_out else tuple(self.matrix.relayed(domain.plane, family))
                vlan = vlans.Vlan(replace(domain, gates=gates), family, *every, needed, answers)
                found[0].extend(vlan.to_gateways())
                found[1].extend(vlan.among_hosts())
        return found

    def _facts(self, domain: Domain) -> dict[str, AclFacts]:
        names = {each.router.device for each in domain.gates}
        found = {name: self.matrix.network.device(name).capabilities.acls for name in names}
        return {name: facts for name, facts in found.items() if facts is not None}

    def _across(self, one: Domain, other: Domain, family: Family) -> Iterator[Breach]:
        crosses = one.plane != other.plane
        subnet, terms = span(other.subnets[family]), _Terms(self.matrix, one, other, family)
        for here in one.gates:
            exits = self.routing.exits(here.router, subnet)
            theirs = [gate for gate in other.gates if gate.router in exits and gate.leads_to(subnet)]
            if not theirs and not crosses and here.is_planned and family == "ipv4":
                yield from self._unreached(here, terms)
            if not theirs or self.is_doubtful(here):
                continue  # of a doubtful gate some of the lines that decide are unread
            if crosses and self._keeps_in(here, one, other.plane, family):
                continue
            let_in = passed(self._lists(here), here.acls, (family, "in"), terms.every)
            entered: list[_Arrived] = [(each.packets, (here.line(each.by),)) for each in let_in]
            for there in theirs:
                if not self.is_doubtful(there):
                    yield from self._by(here, there, terms, entered, exits[there.router])

    def _on_the_way(self, entered: list[_Arrived], ways: tuple[Way, ...], family: Family) -> list[_Arrived]:
        """What of these packets comes through on some way, with the lines that let it; not by lists partly unread."""
        found: list[_Arrived] = []
        for way in ways:
            left = entered
            for met in sorted(way):
                if self.doubtful & {(met.device, name) for name in (met.interface, *(each.name for each in met.acls))}:
                    left = []
                lists = self.lists_of(met.device)
                left = [
                    (each.packets, (*lines, f"{met.device} {met.interface}: {each.by}"))
                    for packets, lines in left
                    for each in passed(lists, met.acls, (family, met.direction), packets)
                ]
            found += left
        return found

    def _by(
        self, here: Gate, there: Gate, terms: "_Terms", entered: list[_Arrived], ways: tuple[Way, ...]
    ) -> Iterator[Breach]:
        """What passes from one gate to another beside what may, and what must and does not."""
        family, through = terms.family, []
        for packets, lines in self._on_the_way(entered, ways, family):
            for left in passed(self._lists(there), there.acls, (family, "out"), packets):
                through.append(left.packets)
                if more := without_all(left.packets, terms.may):
                    shown = example(_between_hosts(more, here, there), family)
                    yield Breach("open", (*lines, there.line(left.by)), shown)
        for wanted in terms.must if here.is_planned and there.is_planned else ():
            if missing := without_all(wanted, through):
                packet = example(missing, family)
                by = here.line(decided(self._lists(here), here.acls, (family, "in"), packet))
                then = there.line(decided(self._lists(there), there.acls, (family, "out"), packet))
                met = [
                    (e, decided(self.lists_of(e.device), e.acls, (family, e.direction), packet))
                    for e in sorted(ways[0])
                ]
                on_the_way = (f"{e.device} {e.interface}: {line}" for e, line in met)
                yield Breach("blocked", (by, *on_the_way, then), packet)

    def is_doubtful(self, gate: Gate) -> bool:
        """Are some of the lines unread that decide there?"""
        names = (gate.interface, *(each.name for each in gate.acls)) if self.doubtful else ()
        return any((gate.router.device, name) in self.doubtful for name in names)

    def _unreached(self, here: Gate, terms: "_Terms") -> Iterator[Breach]:
        if terms.must:
            where = f" in VRF {here.router.vrf}" if here.router.vrf is not None else ""
            why = f"no route{where} to {terms.other.subnets['ipv4']}"
            yield Breach("blocked", (here.line(why),), example(terms.must, "ipv4"))

    def _keeps_in(self, gate: Gate, one: Domain, plane: str, family: Family) -> bool:
        """Does nothing for this plane come in here, but what every network needs? Known for all its subnets at once."""
        key = gate.router.device, gate.acls, one.subnets[family], plane, family
        if key not in self.closed:
            there = addresses(self._pool(plane, family), family)
            every = Packets(addresses(one.subnets[family], family), there)
            needed = self.matrix.needed(one.plane, plane, family)
            found = passed(self._lists(gate), gate.acls, (family, "in"), every)
            self.closed[key] = not any(without_all(each.packets, needed) for each in found)
        return self.closed[key]

    def _lets_in_for_entry_alone(self, one: Domain) -> bool:
        """Of an out-of-band plane: does each gate take in nothing but for those who may enter, and what all need?"""
        plane, family = one.plane, FAMILIES[0]
        rest = [Packets(addresses(one.subnets[family], family), addresses(self._pool(plane, family), family))]
        for group in self.matrix.network.planes[plane].entry:
            for prefix in self.matrix.network.ends_of_flows[plane][group].prefixes[family]:
                entry = addresses(prefix, family)
                rest = [left for each in rest for left in without_all(each, [each._replace(destination=entry)])]
        needed = self.matrix.needed(plane, plane, family)
        return not any(
            self.is_doubtful(gate) or without_all(found.packets, needed)
            for gate in one.gates
            for packets in rest
            for found in passed(self._lists(gate), gate.acls, (family, "in"), packets)
        )

    def _pool(self, plane: str, family: Family) -> str | None:
        found = self.matrix.network.planes[plane]
        if any(each.subnet is not None for each in found.vlans):
            return None  # VLANs with subnets of their own need not be in the pool
        return found.pool_v6 if family == "ipv6" else found.pools["hosts"]

    def _lists(self, gate: Gate) -> Lists:
        return self.lists_of(gate.router.device)

    def lists_of(self, device: str) -> Lists:
        """The access lists of a switch."""
        if device not in self.lists:
            facts = self.matrix.network.device(device).capabilities.acls
            denies_rest = facts is None or facts.denies_rest
            self.lists[device] = lists_of(self.configs[device].access_lists, denies_rest=denies_rest)
        return self.lists[device]

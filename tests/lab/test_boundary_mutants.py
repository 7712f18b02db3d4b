"""Real packets through the firewall's rules in namespaces, and the proof: the same of every flow, and of mutants."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import pytest
from boundary_pair import SITE, site
from rule_mutants import SEED, Mutant, every
from test_boundary_proof import FIREWALLS, found, text, variables

from nornir_tasks.design.hosts.boundary import Boundary, boundary
from nornir_tasks.errors import LabError
from nornir_tasks.lab.boundary.firewall import room_for
from nornir_tasks.lab.boundary.room import Outcome, Room
from nornir_tasks.proofs.rules.flows import Flow, Foretold, Oracle, Samples
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.planned import planned_ports
from nornir_tasks.proofs.rules.ruleset import read
from nornir_tasks.usecases.proofs.prove_packets import prove_packets, require_agreed
from nornir_tasks.usecases.site import load as design_of

pytestmark = pytest.mark.needs("nft", "ip", "namespaces")
MUTANTS = 200
IN_SHORT = 8
"""Of them in each ``make test``."""


@cache
def intended() -> Boundary:
    each = boundary(*site())
    assert each is not None
    return each


@cache
def samples() -> tuple[Flow, ...]:
    return tuple(Samples(intended(), variables()).flows())


@cache
def there() -> dict[str, set[str]]:
    return Samples(intended(), variables()).there(
        planned_ports(variables()), (end for flow in samples() for end in flow[1:3])
    )


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    with room_for(variables(), there()) as made:
        yield made


def state(room: Room) -> State:
    """As its kernel lists it, not as it was written."""
    ruleset, routes = room.state()
    return State(
        "firewall-1",
        read(ruleset),
        {"ipv4": routes["ipv4"], "ipv6": routes["ipv6"]},
        planned_ports(variables()),
        firewall=variables(),
    )


def load(room: Room, rules: str) -> None:
    room.run("nft", "flush", "ruleset")
    room.run("nft", "-f", "-", text=rules)
    room.run("ip", "-6", "neigh", "flush", "all")


def compared(room: Room, flows: Iterable[Flow]) -> tuple[dict[Flow, Foretold], dict[Flow, Outcome]]:
    oracle = Oracle.of(state(room), there())
    foretold = {flow: oracle.of_flow(flow) for flow in flows}
    arrive = [flow for flow, each in foretold.items() if each.arrives]
    answered = [flow for flow, each in foretold.items() if each.is_answered]
    return foretold, room.send(list(foretold), arrive, answered)


def differences(foretold: dict[Flow, Foretold], seen: dict[Flow, Outcome]) -> list[object]:
    return [
        (flow, each, seen[flow])
        for flow, each in foretold.items()
        if not each.fits(seen[flow].arrived, answered=seen[flow].answered)
    ]


Whole = tuple[dict[Flow, Foretold], dict[Flow, Outcome]]


@pytest.fixture(scope="module")
def whole(room: Room) -> Whole:
    """All flows by the rules as they are."""
    load(room, text())
    return compared(room, (*samples(), *Samples(intended(), variables()).to_itself()))


def test_the_proof_and_packets_agree_on_every_flow(whole: Whole, figure: Callable[..., None]) -> None:
    foretold, seen = whole
    flows = tuple(foretold)
    assert differences(foretold, seen) == []
    assert all(each.is_sure for each in foretold.values())
    passing = {flow for flow, each in seen.items() if each.arrived}
    for family, protocols in (("ipv4", (6, 17, 1)), ("ipv6", (6, 17, 58))):
        for protocol in protocols:
            its = {flow for flow in flows if (flow.family, flow.protocol) == (family, protocol)}
            assert its & passing, "some of each kind pass"
            assert its - passing, "and some do not"
    bmcs = [flow for flow in flows if flow.destination.startswith("10.183.")]
    assert bmcs
    assert not passing & set(bmcs)
    answered = sum(each.answered for each in seen.values())
    figure(
        f"the proof and packets: {len(flows)} of {len(flows)} flows agree, {len(passing)} arrive, {answered} answered"
    )


def routes() -> list[str]:
    return [f"{each.to} via {each.via} dev {zone.port}" for zone in variables().zones for each in zone.routes]


def chosen(foretold: dict[Flow, Foretold]) -> tuple[Flow, ...]:
    """All that pass by the rules as they are, the same with other ports, protocols and senders, and some others."""
    passing = {flow for flow, each in foretold.items() if each.arrives}
    near = {
        other
        for flow in passing
        if (swapped := {6: 17, 17: 6}.get(flow.protocol))
        for other in (flow._replace(number=7), flow._replace(protocol=swapped))
    }
    senders = {flow[0:1] + flow[2:] for flow in passing}
    near |= {flow for flow in samples() if flow[0:1] + flow[2:] in senders and flow.number in (443, 8, 128)}
    others: dict[tuple[str, str, int], list[Flow]] = {}
    for flow in random.Random(SEED).sample(samples(), len(samples())):
        if flow not in passing | near:
            others.setdefault((flow.port, flow.destination, flow.protocol), []).append(flow)
    found_all = (*sorted(passing | near), *(flow for its in others.values() for flow in its[:1]))
    return (*found_all, *Samples(intended(), variables()).to_itself())


class Tried:
    """Mutants, each loaded into the kernel, listed by it, foretold and sent through."""

    def __init__(self, room: Room, whole: Whole) -> None:
        self.room, self.flows = room, chosen(whole[0])
        load(room, text())
        self.base = compared(room, self.flows)[1]
        self.changed = self.unchanged = 0

    def of(self, mutant: Mutant) -> bool:
        """One of them; False: nft or the kernel refuses it."""
        done: list[str] = []
        try:
            load(self.room, mutant.rules)
            for command in mutant.there:
                self.room.run("ip", *command.split())
                done.append(command)
            self._judged(mutant)
        except LabError:
            return False
        finally:
            for command in mutant.back if len(done) == len(mutant.there) else ():
                self.room.run("ip", *command.split())
        return True

    def _judged(self, mutant: Mutant) -> None:
        foretold, seen = compared(self.room, self.flows)
        assert differences(foretold, seen) == [], mutant.name
        differs = {flow for flow in self.flows if seen[flow] != self.base[flow]}
        self.changed += bool(differs)
        self.unchanged += not differs
        if differs:
            guarded = found(state(self.room))
            assert guarded.failed or guarded.unknown, (
                f"{mutant.name}: packets are treated otherwise, and the proof holds"
            )


def tried(room: Room, whole: Whole, most: int) -> Tried:
    found_all = Tried(room, whole)
    for mutant in every(text(), routes()):
        found_all.of(mutant)
        if found_all.changed + found_all.unchanged == most:
            break
    return found_all


def test_the_proof_and_packets_agree_on_some_mutants(room: Room, whole: Whole) -> None:
    found_all = tried(room, whole, IN_SHORT)
    assert found_all.changed >= IN_SHORT // 2


def test_without_neighbours_answers_nothing_of_ipv6_passes_and_proof_and_packets_say_so(
    room: Room, whole: Whole
) -> None:
    heard = "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept"
    assert heard in text()
    load(room, text().replace(heard, heard.replace("accept", "drop")))
    flows = chosen(whole[0])
    foretold, seen = compared(room, flows)
    assert differences(foretold, seen) == []
    passing = {flow.family for flow, each in seen.items() if each.arrived or each.answered}
    assert passing == {"ipv4"}
    lost = next(flow for flow in flows if flow.family == "ipv6" and flow in whole[0] and whole[0][flow].arrives)
    assert foretold[lost].by.startswith("no neighbour is heard: inet gpufabric_firewall input")
    blocked = {(str(pair.source), str(pair.destination)) for pair in found(state(room)).failed}
    assert {("outside", "firewalls"), ("business", "firewalls")} <= blocked


def arrivals(seen: dict[Flow, Outcome]) -> dict[Flow, Outcome]:
    return {flow: each for flow, each in seen.items() if each.arrived or each.answered}


def stand_by(room: Room, name: str) -> None:
    """What keepalived takes away from the one that does not have the shared addresses."""
    for zone in variables(name).zones:
        for route in zone.routes:
            room.run("ip", "route", "del", route.to, "via", route.via, "dev", zone.port)
        for address in filter(None, (zone.shared, zone.shared_v6)):
            room.run("ip", "address", "del", address, "dev", zone.port)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FIREWALLS)
def test_each_single_failure_keeps_what_is_allowed_and_opens_nothing(name: str, whole: Whole) -> None:
    flows = tuple(flow for flow in chosen(whole[0]) if flow in whole[0])
    allowed = arrivals({flow: whole[1][flow] for flow in flows})
    with room_for(variables(name), there()) as own:
        load(own, text(name))
        foretold, seen = compared(own, flows)
        assert differences(foretold, seen) == []
        assert arrivals(seen) == allowed, f"without the other one, by {name}"
        stand_by(own, name)
        for port in ("", *(zone.port for zone in variables(name).zones)):
            if port:
                own.run("ip", "link", "set", port, "down")
                flows = tuple(flow for flow in flows if flow.port != port)
            foretold, seen = compared(own, flows)
            assert differences(foretold, seen) == [], port
            assert {flow for flow, each in seen.items() if each.arrived} <= {*allowed}, port


@pytest.mark.long
def test_prove_with_packets_sends_every_flow_at_both_firewalls() -> None:
    sent = prove_packets(design_of(SITE.parent))
    assert [each.firewall for each in sent] == ["firewall-1", "firewall-2"]
    assert [each.disagreements for each in sent] == [(), ()]
    require_agreed(sent)


@pytest.mark.long
def test_the_proof_and_packets_agree_on_all_mutants(room: Room, whole: Whole, figure: Callable[..., None]) -> None:
    found_all = tried(room, whole, MUTANTS)
    total = found_all.changed + found_all.unchanged
    assert total == MUTANTS
    assert found_all.changed >= MUTANTS // 2
    figure(
        f"the proof and packets: {total} of {total} mutants of rules and routes agree,"
        f" {len(found_all.flows)} flows each; {found_all.changed} change a verdict"
    )

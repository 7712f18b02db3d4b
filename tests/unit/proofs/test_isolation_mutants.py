"""One change at random in the lines of a random site: the proof and a packet walker agree on what it opens or blocks.

The walker shares no code with the proof, and what may pass is written here by hand. It tries packets at the edges of
what the flows name; the proof judges all of them at once and shows one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from nornir_tasks.proofs.breach import Breach, Judged
from nornir_tasks.proofs.isolation import Isolation
from tests.unit.proofs.mutants import MUTATIONS, PORTS, mutants
from tests.unit.proofs.packet_walker import Sent
from tests.unit.proofs.random_sites import drawn
from tests.unit.proofs.site_proved import Attached, Site

TRIED = 8
"""Packets between each two ends, for each leaf."""
OF_EACH_SITE = 20
"""Mutants."""


def may_by_hand(site: Site, one: Attached, other: Attached, sent: Sent) -> bool:
    """The flows of the site, and what every network needs."""
    tcp, udp = sent.protocol == 6, sent.protocol == 17
    is_managed = one.plane == other.plane == "oob"
    if sent.protocol == 1:
        may_ping = is_managed and "bastion" in (one.group, other.group)
        return sent.icmp_type == 3 or (may_ping and {one.group, other.group} <= {"bastion", "switches", "gpu-bmc"})
    relayed = [name for name, each in site.network.planes.items() if each.dhcp_servers]
    if udp and {sent.source_port, sent.destination_port} == {67, 68} and {*relayed} & {one.plane, other.plane}:
        return True
    if one.plane != other.plane:
        return False
    there, back = sent.destination_port, sent.source_port
    served = {"store": {6: ((2049,) * 2, (111,) * 2), 17: ((111,) * 2, (33434, 33523))}, "api": {6: ((443,) * 2,)}}
    if one.plane == "business":
        served["gpu"] = {6: ((22, 22),)}
    if is_managed:
        served = {
            "switches": {6: ((22, 22), (443, 443))},
            "gpu-bmc": {6: ((443, 443),), 17: ((623, 623),)},
            "bastion": {17: ((123, 123),)},
        }
    clients = (
        {"switches": {"bastion"}, "gpu-bmc": {"bastion"}, "bastion": {"switches"}}
        if is_managed
        else {"store": {"gpu"}, "api": {"gpu", "login"}, "gpu": {"login"}}
    )

    def is_of(server: str, client: str, port: int) -> bool:
        ranges = served.get(server, {}).get(sent.protocol, ())
        return client in clients.get(server, set()) and any(low <= port <= high for low, high in ranges)

    answers = is_of(one.group, other.group, back) and (udp or sent.is_open)
    return (tcp or udp) and (is_of(other.group, one.group, there) or answers)


def packets(draw: Random, one: Attached, other: Attached) -> Iterator[Sent]:
    for _ in range(TRIED):
        protocol = draw.choice((6, 6, 17, 1))
        yield one.sends(
            other,
            protocol=protocol,
            source_port=draw.choice(PORTS) if protocol != 1 else 0,
            destination_port=draw.choice(PORTS) if protocol != 1 else 0,
            is_open=protocol == 6 and draw.random() < 0.5,
            icmp_type=draw.choice((3, 8)),
        )


def disagreements(site: Site, found: Isolation, draw: Random) -> Iterator[str]:
    """What arrives and may not, of a pair that the proof says is closed."""
    verdicts = {(*each.source, *each.destination): {b.kind for b in each.breaches} for each in found.pairs}
    whose = {(e.leaf, e.port, e.tag): (e.plane, e.group, e.leaf) for e in site.attached}
    for one in site.ends.values():
        near = {whose.get(each) for each in site.walker.heard(one.leaf, one.port, one.tag)}
        for other in site.ends.values():
            key = (one.plane, one.group, other.plane, other.group)
            if key not in verdicts or one.host == other.host or "open" in verdicts[key]:
                continue
            if one.plane == other.plane == "oob" and one.leaf == other.leaf:
                continue  # the plan has them in one VLAN
            if (other.plane, other.group) != (one.plane, one.group) and (other.plane, other.group, other.leaf) in near:
                yield f"{key}: the proof says closed, and both hear one another's frames"
            for sent in packets(draw, one, other):
                is_open = any(site.group(host) == other.group for host in site.walker.delivered(sent))
                if is_open and not may_by_hand(site, one, other, sent):
                    yield f"{key}: the proof says closed, and this arrives: {sent}"


def shown(site: Site, found: Isolation) -> Iterator[tuple[Judged, Breach, bool]]:
    """Each packet that is shown, and whether it arrives by the gates that are named."""
    for pair in found.failed:
        for breach in pair.breaches:
            if breach.packet is not None:
                leaf, arrivals = breach.by[-1].split()[0], site.walked(pair.source, breach)
                arrives = any(at == leaf and site.group(host) == pair.destination.group for at, host in arrivals)
                yield pair, breach, arrives


def agree(seed: object, site: Site, draw: Random) -> set[str]:
    """The kinds of ways that one mutant has: opened, blocked."""
    found = site.judged()
    assert list(disagreements(site, found, draw)) == [], seed
    for pair, breach, arrives in shown(site, found):
        assert arrives == (breach.kind == "open"), (seed, pair, breach)
    return {breach.kind for pair in found.failed for breach in pair.breaches}


def mutants_of(seed: int, count: int = OF_EACH_SITE) -> Iterator[tuple[str, set[str]]]:
    """The kind of each mutant of a site, and what it did."""
    draw = Random(seed)
    clean = drawn(draw)
    assert agree((seed, "clean"), clean, draw) == set()
    made = mutants(draw, clean)
    for number in range(count):
        name, site = next(made)
        yield name, agree((seed, number, name), site, draw)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_the_proof_and_a_walker_agree_on_twenty_mutants_of_a_random_site(seed: int) -> None:
    found = [kinds for _, kinds in mutants_of(seed)]
    assert any(found)
    assert not all(found)


@pytest.mark.long
def test_the_proof_and_a_walker_agree_on_mutants_until_a_thousand_opened_something(
    figure: Callable[[str], None],
) -> None:
    opened, made, sites = Counter[str](), 0, 0
    while opened.total() < 1000:
        for name, kinds in mutants_of(1000 + sites):
            made += 1
            opened[name] += "open" in kinds
        sites += 1
    figure(f"{made} mutants of {sites} sites, {opened.total()} of them opened something, each named")
    figure(", ".join(f"{name.replace('_', ' ')} {opened[name]}" for name in sorted(opened)))
    assert {each.__name__ for each in MUTATIONS} - {*+opened} <= NEVER_OPEN


NEVER_OPEN = {"network_gone", "networks_of_another_vrf", "other_vrf", "rule_gone"}
"""They may block."""

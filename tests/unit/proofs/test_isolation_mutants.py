"""One change at random in the lines of a front fabric: the proof and a packet walker agree on what it opens or blocks.

The walker shares no code with the proof, and what may pass is written here by hand. It tries packets at the edges of
what the flows name; the proof judges all of them at once and shows one.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.proofs.isolation import Isolation, Judged
from tests.unit.proofs.front_proved import (
    GUARDED,
    Attached,
    Configs,
    attached,
    configs,
    judged,
    network,
    walker,
    with_device,
    with_port,
    with_rules,
)
from tests.unit.proofs.packet_walker import Sent, Walker

PORTS = (22, 67, 68, 111, 443, 2049, 33434, 33523, 33524, 50000)
TRIED = 8
"""Packets between each two ends, for each leaf."""

Made = tuple[Configs, dict[str, frozenset[str]]]
Mutation = Callable[[Random], Made]


def lists(draw: Random) -> tuple[str, str, tuple[AclRule, ...]]:
    device = draw.choice([name for name, each in configs().items() if each.access_lists])
    found = draw.choice([each for each in configs()[device].access_lists if each.family == "ipv4"])
    return device, found.name, found.rules


def rule_added(draw: Random) -> Made:
    device, name, rules = lists(draw)
    port = draw.choice(PORTS)
    kinds = (
        AclRule(1, permit=True),
        AclRule(1, True, 6, destination_ports=(port, port)),
        AclRule(1, True, 17, source_ports=(port, port)),
        AclRule(1, permit=False, protocol=draw.choice((6, 17))),
        AclRule(1, False, 6, destination_ports=(port, port)),
    )
    return with_rules(device, name, (draw.choice(kinds), *rules)), dict(GUARDED)


def rule_widened(draw: Random) -> Made:
    device, name, rules = lists(draw)
    victim = draw.choice([each for each in rules if each.permit])
    wide = replace(victim, **draw.choice(WIDER))
    return with_rules(device, name, tuple(wide if each is victim else each for each in rules)), dict(GUARDED)


WIDER: tuple[dict[str, bool | None], ...] = (
    {"source": None},
    {"destination": None},
    {"source_ports": None, "destination_ports": None},
    {"established": False},
    {"protocol": None, "source_ports": None, "destination_ports": None, "established": False, "icmp_type": None},
)


def rule_gone(draw: Random) -> Made:
    device, name, rules = lists(draw)
    victim = draw.choice(rules)
    return with_rules(device, name, tuple(each for each in rules if each is not victim)), dict(GUARDED)


def list_unbound(draw: Random) -> Made:
    device, port = draw.choice([(n, e) for n, each in configs().items() for e in each.interfaces if e.acls])
    victim = draw.choice(port.acls)
    return with_port(device, port.name, acls=tuple(e for e in port.acls if e is not victim)), dict(GUARDED)


def every_list_of_a_direction_open(draw: Random) -> Made:
    """What a script does that was run on all leaves."""
    ending = draw.choice(("-IN", "-OUT"))
    found = dict(configs())
    for name, each in configs().items():
        opened = (
            replace(one, rules=(AclRule(1, permit=True),)) if one.name.endswith(ending) else one
            for one in each.access_lists
        )
        found[name] = replace(each, access_lists=tuple(opened))
    return found, dict(GUARDED)


def other_vlan(draw: Random) -> Made:
    """A host's group in another VLAN of its pair; on a trunk one VLAN more."""
    groups = [(n, e) for n, each in configs().items() for e in each.interfaces if e.lag is not None]
    device, port = draw.choice([(n, e) for n, e in groups if e.lag is not None and e.lag.pair_id is not None])
    vlans = [each.number for each in configs()[device].vlans]
    vlan = draw.choice(vlans)
    if port.tagged_vlans is not None:
        return with_port(device, port.name, tagged_vlans=tuple(sorted({*port.tagged_vlans, vlan}))), dict(GUARDED)
    return with_port(device, port.name, access_vlan=vlan), dict(GUARDED)


def network_gone(draw: Random) -> Made:
    device = draw.choice([name for name in configs() if "leaf" in name])
    bgp = configs()[device].bgp
    assert bgp is not None
    victim = draw.choice(bgp.networks)
    return with_device(device, bgp=replace(bgp, networks=tuple(e for e in bgp.networks if e != victim))), dict(GUARDED)


def hosts_forward(draw: Random) -> Made:
    return configs(), {"gpu": frozenset(draw.choice((("storage",), ("business",), ())))}


MUTATIONS: tuple[Mutation, ...] = (
    rule_added, rule_widened, rule_gone, list_unbound, every_list_of_a_direction_open, other_vlan, network_gone,
    hosts_forward,
)  # fmt: skip


def may_by_hand(one: Attached, other: Attached, sent: Sent) -> bool:
    """The flows of the site, and what every network needs."""
    tcp, udp = sent.protocol == 6, sent.protocol == 17
    if sent.protocol == 1:
        return sent.icmp_type == 3
    if udp and {sent.source_port, sent.destination_port} == {67, 68} and "business" in (one.plane, other.plane):
        return True
    if one.plane != other.plane:
        return False
    there, back = sent.destination_port, sent.source_port
    served = {"store": {6: ((2049,) * 2, (111,) * 2), 17: ((111,) * 2, (33434, 33523))}, "api": {6: ((443,) * 2,)}}
    if one.plane == "business":
        served["gpu"] = {6: ((22, 22),)}
    clients = {"store": {"gpu"}, "api": {"gpu", "login"}, "gpu": {"login"}}

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


def ends() -> dict[tuple[str, str, str], Attached]:
    """(group, plane, leaf) -> one host there."""
    return {(each.group, each.plane, each.leaf): each for each in reversed(attached())}


def disagreements(found: Isolation, walking: Walker, draw: Random) -> Iterator[str]:
    verdicts = {(*each.source, *each.destination): {b.kind for b in each.breaches} for each in found.pairs}
    for one in ends().values():
        for other in ends().values():
            key = (one.plane, one.group, other.plane, other.group)
            if key not in verdicts or one.host == other.host:
                continue
            for sent in packets(draw, one, other):
                is_open = any(host.startswith(other.group) for host in walking.delivered(sent))
                if is_open and not may_by_hand(one, other, sent) and "open" not in verdicts[key]:
                    yield f"{key}: the proof says closed, and this arrives: {sent}"


def shown(found: Isolation) -> Iterator[tuple[Judged, Sent, str, str]]:
    for pair in found.failed:
        for breach in pair.breaches:
            packet = breach.packet
            if packet is not None and len(breach.by) == 2:
                leaf, other = (line.split()[0] for line in breach.by)
                at = ends()[pair.source.group, pair.source.plane, leaf]
                sent = Sent(
                    leaf, at.port, at.vlan, packet.source, packet.destination, packet.protocol, packet.source_port,
                    packet.destination_port, packet.is_established, packet.icmp_type,
                )  # fmt: skip
                yield pair, sent, breach.kind, other


def agree(seed: int) -> bool:
    """One mutant. True if it opened or blocked something."""
    draw = Random(seed)
    changed, guarded = draw.choice(MUTATIONS)(draw)
    found, walking = judged(changed, guarded), walker(changed)
    assert list(disagreements(found, walking, draw)) == [], seed
    for pair, sent, kind, other in shown(found):
        arrives = any(
            leaf == other and host.startswith(pair.destination.group) for leaf, host in walking.arrivals(sent)
        )
        assert arrives == (kind == "open"), (seed, pair, sent, kind)
    return bool(found.failed)


@pytest.mark.parametrize("tenth", range(4))
def test_the_proof_and_a_walker_agree_on_a_hundred_mutants(tenth: int) -> None:
    found = [agree(seed) for seed in range(25 * tenth, 25 * (tenth + 1))]
    assert any(found) and not all(found)


@pytest.mark.long
def test_the_proof_and_a_walker_agree_on_mutants_until_a_thousand_opened_or_blocked_something(
    figure: Callable[[str], None],
) -> None:
    harmful, seed = 0, 1000
    while harmful < 1000:
        harmful += agree(seed)
        seed += 1
    figure(f"{seed - 1000} mutants, {harmful} of them opened or blocked something, each named")


def test_both_ends_are_cabled_to_each_leaf_of_their_pair() -> None:
    assert len(ends()) == 2 * 5
    assert network().hosts

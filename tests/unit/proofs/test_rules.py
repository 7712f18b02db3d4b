"""Packets through chains of nftables: each statement as the kernel takes it, and what is not understood as a doubt.

Documents are what ``nft -j list ruleset`` of 1.0.6 prints for the lines in their names.
"""

from __future__ import annotations

from typing import Any

import pytest

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.proofs.rules.matches import Reader
from nornir_tasks.proofs.rules.packets import NOWHERE, Packets, Ports, every, limits, split
from nornir_tasks.proofs.rules.ranges import common, numbers, of_prefixes, ranges, without
from nornir_tasks.proofs.rules.ruleset import read
from nornir_tasks.proofs.rules.walk import Fate, Walker

PORTS = Ports(("wan", "lan", "eth0"))
TABLE = {"family": "inet", "table": "t"}
ACCEPT, DROP = {"accept": None}, {"drop": None}


def match(left: Any, right: Any, op: str = "==") -> dict[str, Any]:
    return {"match": {"op": op, "left": left, "right": right}}


def field(protocol: str, name: str) -> dict[str, Any]:
    return {"payload": {"protocol": protocol, "field": name}}


def document(
    *rules: list[Any], more: tuple[Any, ...] = (), policy: str = "drop", **chains: list[Any]
) -> dict[str, Any]:
    base = {"type": "filter", "hook": "forward", "prio": 0, "policy": policy}
    found: list[Any] = [{"chain": {**TABLE, "name": "forward", **base}}, *more]
    found += [{"chain": {**TABLE, "name": name}} for name in chains]
    every_rule = [("forward", each) for each in rules] + [(name, each) for name, its in chains.items() for each in its]
    found += [
        {"rule": {**TABLE, "chain": name, "handle": number, "expr": expr}}
        for number, (name, expr) in enumerate(every_rule, 1)
    ]
    return {"nftables": found}


def packet(family: Family = "ipv4", **fields: Any) -> Packets:
    whole = Packets(PORTS.every, PORTS.every, every(family), every(family))
    return whole._replace(**fields)


def fates(found: dict[str, Any], packets: Packets, family: Family = "ipv4") -> list[Fate]:
    ruleset = read(found)
    return Walker(ruleset, Reader(ruleset, PORTS, family)).at("forward", [packets])


def passes(found: dict[str, Any], packets: Packets, family: Family = "ipv4") -> bool | None:
    """Whether all of these pass; None: some do, or it is not known."""
    its = fates(found, packets, family)
    verdicts = {each.passes for each in its}
    return None if len(verdicts) > 1 or any(each.way.doubts for each in its) else verdicts.pop()


TCP, UDP, ICMP = (((n, n),) for n in (6, 17, 1))
SSH, DNS = ((22, 22),), ((53, 53),)


def test_ranges_are_exact() -> None:
    one, other = ranges([(1, 5), (6, 9), (20, 30)]), ranges([(4, 22), (30, 30)])
    assert one == ((1, 9), (20, 30))
    assert set(numbers_in(common(one, other))) == set(numbers_in(one)) & set(numbers_in(other))
    assert set(numbers_in(without(one, other))) == set(numbers_in(one)) - set(numbers_in(other))
    assert numbers([3, 1, 2, 7]) == ((1, 3), (7, 7))


def numbers_in(found: Any) -> list[int]:
    return [n for first, last in found for n in range(first, last + 1)]


def test_what_is_split_off_is_no_packet_more_or_less() -> None:
    whole = Packets(((1, 2),), NOWHERE, ((0, 3),), ((0, 3),), protocol=((0, 1),))
    inside, rest = split(whole, limits(source=((1, 2),), protocol=((1, 1),), destination=((5, 9),)))
    assert inside is None
    count = sum(size(each) for each in rest)
    assert count == size(whole)


def size(packets: Packets) -> int:
    total = 1
    for each in packets:
        total *= sum(last - first + 1 for first, last in each)
    return total


def test_a_port_of_tcp_asks_for_tcp_also_where_it_is_not_that_port() -> None:
    found = document([match(field("tcp", "dport"), 22, "!="), ACCEPT])
    assert passes(found, packet(protocol=TCP, destination_port=DNS)) is True
    assert passes(found, packet(protocol=TCP, destination_port=SSH)) is False
    assert passes(found, packet(protocol=UDP, destination_port=DNS)) is False


def test_an_address_of_the_other_family_matches_nothing_and_neither_does_its_opposite() -> None:
    for op in ("==", "!="):
        found = document([match(field("ip6", "saddr"), "fd00::1", op), ACCEPT])
        assert passes(found, packet()) is False
    assert passes(document([match(field("icmp", "type"), "echo-request"), ACCEPT]), packet("ipv6"), "ipv6") is False


def test_a_drop_in_a_later_chain_of_the_hook_is_final_and_an_accept_in_an_earlier_one_is_not() -> None:
    late = {"chain": {**TABLE, "name": "late", "type": "filter", "hook": "forward", "prio": 10, "policy": "accept"}}
    rule = {"rule": {**TABLE, "chain": "late", "handle": 9, "expr": [match(field("tcp", "dport"), 22), DROP]}}
    found = document([ACCEPT], more=(late, rule))
    assert passes(found, packet(protocol=TCP, destination_port=SSH)) is False
    assert passes(found, packet(protocol=TCP, destination_port=DNS)) is True


def test_a_table_of_one_family_is_not_asked_about_the_other() -> None:
    only = {"family": "ip6", "table": "six"}
    chain = {"chain": {**only, "name": "c", "type": "filter", "hook": "forward", "prio": -5, "policy": "drop"}}
    assert passes(document([ACCEPT], more=(chain,)), packet()) is True
    assert passes(document([ACCEPT], more=(chain,)), packet("ipv6"), "ipv6") is False


def test_jump_comes_back_and_goto_does_not() -> None:
    own = [[match(field("tcp", "dport"), 22), {"return": None}], [match(field("tcp", "dport"), 53), DROP]]
    jumped = document([{"jump": {"target": "own"}}], [ACCEPT], own=own)
    gone = document([{"goto": {"target": "own"}}], [ACCEPT], own=own)
    ssh, dns = (packet(protocol=TCP, destination_port=each) for each in (SSH, DNS))
    assert (passes(jumped, ssh), passes(jumped, dns)) == (True, False)
    assert (passes(gone, ssh), passes(gone, dns)) == (False, False)


def test_a_verdict_map_of_two_ports_decides_by_both() -> None:
    key = {"concat": [{"meta": {"key": "iifname"}}, {"meta": {"key": "oifname"}}]}
    data = {"set": [[{"concat": ["lan", "wan"]}, ACCEPT], [{"concat": ["wan", "lan"]}, DROP]]}
    found = document([{"vmap": {"key": key, "data": data}}], [DROP])
    lan, wan = PORTS.of("lan"), PORTS.of("wan")
    assert passes(found, packet(entry=lan, exit=wan)) is True
    assert passes(found, packet(entry=wan, exit=lan)) is False
    assert passes(found, packet(entry=lan, exit=lan)) is False


def test_elements_of_two_fields_and_of_named_sets_are_exact() -> None:
    pair = {"concat": [field("ip", "saddr"), field("tcp", "dport")]}
    elements = [
        {"concat": [{"prefix": {"addr": "10.0.0.0", "len": 8}}, {"range": [20, 30]}]},
        {"concat": ["1.1.1.1", 53]},
    ]
    found = document([match(pair, {"set": elements}), ACCEPT])
    ten, one = of_prefixes(["10.1.0.0/16"]), of_prefixes(["1.1.1.1/32"])
    assert passes(found, packet(source=ten, protocol=TCP, destination_port=SSH)) is True
    assert passes(found, packet(source=ten, protocol=TCP, destination_port=DNS)) is False
    assert passes(found, packet(source=one, protocol=TCP, destination_port=DNS)) is True
    named = {"set": {**TABLE, "name": "s", "type": "ipv4_addr", "elem": [{"range": ["10.1.0.0", "10.1.255.255"]}]}}
    by_name = document([match(field("ip", "saddr"), "@s"), ACCEPT], more=(named,))
    assert (passes(by_name, packet(source=ten)), passes(by_name, packet(source=one))) == (True, False)


def test_a_set_that_packets_fill_is_in_doubt() -> None:
    named = {"set": {**TABLE, "name": "s", "type": "ipv4_addr", "flags": ["timeout"]}}
    found = document([match(field("ip", "saddr"), "@s"), ACCEPT], more=(named,))
    assert passes(found, packet()) is None


@pytest.mark.parametrize(
    "statement",
    [match({"ct": {"key": "mark"}}, 1), match(field("ip", "dscp"), 3), {"quota": {"val": 1}}, {"notrack": None}],
)
def test_what_is_not_understood_is_taken_both_ways_and_is_in_doubt(statement: Any) -> None:
    its = fates(document([statement, ACCEPT]), packet())
    assert {each.passes for each in its} == {True, False}
    assert all("handle 1" in doubt for each in its for doubt in each.way.doubts)
    assert all(each.way.doubts for each in its)


def test_doubt_is_of_packets_that_meet_the_line_alone() -> None:
    found = document([match(field("tcp", "dport"), 53), ACCEPT], [match({"ct": {"key": "mark"}}, 1), ACCEPT])
    assert passes(found, packet(protocol=TCP, destination_port=DNS)) is True
    assert passes(found, packet(protocol=UDP)) is None


def test_limits_are_taken_both_ways_and_are_no_doubt() -> None:
    kept = document([{"limit": {"rate": 5, "per": "second"}}, ACCEPT])
    its = fates(kept, packet())
    assert {(each.passes, bool(each.way.over)) for each in its} == {(True, False), (False, True)}
    element = {"op": "add", "elem": field("ip", "saddr"), "set": "@s", "stmt": [{"limit": {"rate": 5, "inv": True}}]}
    over = document([{"set": element}, DROP], [ACCEPT])
    assert {(each.passes, bool(each.way.over)) for each in fates(over, packet())} == {(True, False), (False, True)}


def test_a_doubtful_question_before_an_excess_casts_no_doubt_on_what_is_within_limits() -> None:
    asks = match(field("ip", "saddr"), "@found_by_packets", "!=")
    excess = {"limit": {"rate": 5, "per": "second", "inv": True}}
    its = fates(document([asks, excess, DROP], [ACCEPT]), packet())
    assert {(each.passes, bool(each.way.over)) for each in its} == {(True, False), (False, True)}
    assert not any(each.way.doubts for each in its)
    kept = {"limit": {"rate": 5, "per": "second"}}
    assert any(each.way.doubts for each in fates(document([asks, kept, DROP], [ACCEPT]), packet()))


def test_flags_of_tcp_that_open_a_connection() -> None:
    masked = {"&": [field("tcp", "flags"), ["fin", "syn", "rst", "ack"]]}
    found = document([match(masked, "syn", "!="), DROP], [ACCEPT])
    syn, syn_ack, ack = (((each, each),) for each in (2, 18, 16))
    assert [passes(found, packet(protocol=TCP, flags=each)) for each in (syn, syn_ack, ack)] == [True, False, False]
    assert passes(found, packet(protocol=UDP)) is True


def test_a_name_with_a_star_is_every_known_port_of_it_and_of_others_it_is_not_known() -> None:
    found = document([match({"meta": {"key": "iifname"}}, "eth*"), ACCEPT])
    assert passes(found, packet(entry=PORTS.of("eth0"))) is True
    assert passes(found, packet(entry=PORTS.of("lan"))) is False
    assert passes(found, packet(entry=PORTS.of("eth7"))) is None


def test_the_line_that_decides_is_spelled_as_nft_does() -> None:
    expr = [match({"meta": {"key": "iifname"}}, {"set": ["wan", "lan"]}, "!="), {"counter": "no_zone"}, DROP]
    (fate,) = fates(document(expr), packet(entry=PORTS.of("eth0")))
    assert str(fate.by) == 'inet t forward, handle 1: iifname != { "wan", "lan" } counter name "no_zone" drop'
    (end,) = fates(document(expr), packet(entry=PORTS.of("wan")))
    assert end.by == "inet t forward: policy drop"


def test_chains_that_are_not_followed_are_named() -> None:
    bridge = {"chain": {"family": "bridge", "table": "b", "name": "c", "type": "filter", "hook": "forward", "prio": 0}}
    flow = {"flowtable": {**TABLE, "name": "f", "hook": "ingress", "prio": 0, "dev": ["lan"]}}
    assert [each.split(":")[0] for each in read(document(more=(bridge, flow))).beside] == ["bridge b c", "inet t f"]

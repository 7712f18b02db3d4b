"""Sets of packets: nothing is lost and nothing invented when one is taken from another."""

from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.config.access_lists import TCP, UDP, AclRule
from nornir_tasks.proofs.packets import Packet, Packets, between, common, example, holds, of_rule, without, without_all

FIELDS = len(Packets._fields)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int]:
    low = draw(st.integers(0, 3))
    return low, draw(st.integers(low, 3))


sets = st.lists(ranges(), min_size=FIELDS, max_size=FIELDS).map(Packets._make)
points = st.lists(st.integers(0, 3), min_size=FIELDS, max_size=FIELDS)


def is_in(packets: Packets | None, point: list[int]) -> bool:
    return packets is not None and all(a <= value <= b for value, (a, b) in zip(point, packets, strict=True))


@given(sets, sets, points)
def test_a_packet_is_in_what_is_left_just_if_it_is_in_the_one_and_not_in_the_other(
    one: Packets, other: Packets, point: list[int]
) -> None:
    left = [is_in(part, point) for part in without(one, other)]
    assert sum(left) == (is_in(one, point) and not is_in(other, point)), "once, or not at all"
    assert is_in(common(one, other), point) == (is_in(one, point) and is_in(other, point))


@given(sets, st.lists(sets, max_size=4), points)
def test_what_is_left_of_several_is_in_none_of_them(one: Packets, others: list[Packets], point: list[int]) -> None:
    is_left = any(is_in(part, point) for part in without_all(one, others))
    assert is_left == (is_in(one, point) and not any(is_in(each, point) for each in others))


@given(st.sampled_from((None, TCP, UDP, 1)), st.booleans())
def test_an_example_of_a_rule_is_matched_by_it(protocol: int | None, has_ports: bool) -> None:
    ports = (100, 200) if has_ports and protocol in (TCP, UDP) else None
    rule = AclRule(10, True, protocol, "10.0.0.0/24", "10.0.1.0/25", None, ports)
    found = example([of_rule(rule, "ipv4")], "ipv4")
    assert holds(of_rule(rule, "ipv4"), found)
    assert holds(between("10.0.0.0/24", "10.0.1.0/25", "ipv4"), found)


def test_a_packet_is_said_so_that_it_can_be_tried() -> None:
    tcp = Packet("10.0.0.4", "10.0.1.4", TCP, 49152, 22, False, 0)
    assert str(tcp) == "TCP 10.0.0.4:49152 to 10.0.1.4:22, new"
    assert str(tcp._replace(is_established=True)) == "TCP 10.0.0.4:49152 to 10.0.1.4:22, of an open connection"
    assert str(tcp._replace(source="fd00::4", protocol=UDP)) == "UDP [fd00::4]:49152 to 10.0.1.4:22"
    assert str(tcp._replace(protocol=1, icmp_type=8)) == "ICMP type 8 10.0.0.4 to 10.0.1.4"
    assert str(tcp._replace(protocol=47)) == "IP protocol 47 10.0.0.4 to 10.0.1.4"

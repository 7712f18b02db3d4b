"""Whatever was typed: what is printed can be typed again, and typing it again changes nothing."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st
from test_engine_grammar import CONTEXT, GRAMMAR

from switch_twins.engine import EOS, ConfigSession, LineError, Tree, load_text

PORTS = st.sampled_from(["Ethernet1", "Ethernet2", "Ethernet10", "Management1", "Loopback0"])
ADDRESSES = st.sampled_from(["10.0.0.1", "10.0.0.2", "10.0.0.10", "SPINES"])
LINES = st.one_of(
    st.sampled_from(
        [
            "exit",
            "!",
            "end",
            "hostname a",
            "no hostname",
            "ip routing",
            "no ip routing",
            "shutdown",
            "no shutdown",
            "switchport",
            "no switchport",
            "default switchport",
            "qos profile R",
            "uc-tx-queue 3",
            "no priority",
            "bandwidth percent 60",
            "router bgp 65001",
            "router bgp 65002",
            "no router bgp",
            "address-family ipv4",
            "network 10.0.0.9/8",
            "ip prefix-list P seq 10 permit 10.0.0.0/8",
            "no ip prefix-list P",
            "nonsense",
            "ip route 10.0.0.0/8 Null0",
            "no ip route 10.0.0.0/8 Null0",
            "ip route vrf M 10.0.0.0/8 10.1.1.1 5",
            "route-map M permit 10",
            "match ip address prefix-list P",
            "set as-path prepend 1 2 3",
            "vrf instance M",
        ]
    ),
    PORTS.map("interface {}".format),
    PORTS.map("no interface {}".format),
    st.integers(60, 9300).map("mtu {}".format),
    ADDRESSES.map("neighbor {} remote-as 65000".format),
    ADDRESSES.map("neighbor {} description to it".format),
    ADDRESSES.map("neighbor {} activate".format),
    ADDRESSES.map("no neighbor {} activate".format),
    ADDRESSES.map("no neighbor {}".format),
)


def typed(lines: list[str]) -> Tree:
    """A tree after these lines, refused ones left out."""
    session = ConfigSession(Tree(GRAMMAR, EOS), CONTEXT)
    for line in lines:
        with suppress(LineError):
            session.feed(line)
    return session.tree


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=40))
def test_what_is_printed_is_accepted_and_prints_the_same(lines: list[str]) -> None:
    text = typed(lines).text()
    again = Tree(GRAMMAR, EOS)
    assert load_text(again, CONTEXT, text) == []
    assert again.text() == text


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=40))
def test_typing_the_printed_configuration_onto_itself_changes_nothing(lines: list[str]) -> None:
    tree = typed(lines)
    text, everything = tree.text(), tree.text(all_lines=True)
    copy = tree.copy()
    assert load_text(copy, CONTEXT, text) == []
    assert (copy.text(), copy.text(all_lines=True)) == (text, everything)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=30), st.lists(LINES, max_size=30))
def test_kept_text_never_differs_from_text_printed_anew(first: list[str], second: list[str]) -> None:
    session = ConfigSession(typed(first), CONTEXT)
    for line in second:
        with suppress(LineError):
            session.feed(line)
        kept = session.tree.text()
        session.tree.touched()
        assert session.tree.text() == kept

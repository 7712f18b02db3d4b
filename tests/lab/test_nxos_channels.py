"""Port channels of the NX-OS twin: what joins one, and what does not change while there are members."""

from __future__ import annotations

import pytest

from switch_twins.engine import ConfigSession, Context, LineError, Tree, load_text
from switch_twins.nxos.day0 import bare_tree
from tests.unit.platforms.nxos_examples import FACTS, MODEL

CONTEXT = Context(FACTS.release, FACTS.asic, MODEL, frozenset(f"Ethernet1/{number}" for number in range(1, 9)))
GROUP = """feature lacp
vlan 10,20
interface port-channel1
  switchport mode trunk
  switchport trunk allowed vlan 10
  no lacp suspend-individual
"""
MEMBER = """interface Ethernet1/1
  switchport mode trunk
  switchport trunk allowed vlan 10
  channel-group 1 mode active
"""


def switch(text: str) -> Tree:
    tree = bare_tree(CONTEXT, "leaf")
    assert load_text(tree, CONTEXT, text) == []
    return tree


def typed(tree: Tree, *lines: str) -> None:
    session = ConfigSession(tree, CONTEXT)
    for line in lines:
        session.feed(line)


def test_a_port_that_is_like_its_channel_joins_it() -> None:
    assert "channel-group 1 mode active" in switch(GROUP + MEMBER).text()


@pytest.mark.parametrize(
    "lines",
    [
        ("no switchport",),
        ("switchport access vlan 10",),
        ("switchport mode trunk", "switchport trunk allowed vlan 20"),
    ],
)
def test_a_port_of_another_mode_or_other_vlans_does_not_join(lines: tuple[str, ...]) -> None:
    tree = switch(GROUP)
    with pytest.raises(LineError, match="port not compatible"):
        typed(tree, "interface Ethernet1/2", *lines, "channel-group 1 mode active")
    assert "channel-group" not in tree.text()


def test_a_channel_that_is_not_there_is_made_with_the_ports_lines() -> None:
    tree = switch("feature lacp\nvlan 10\n")
    typed(tree, "interface Ethernet1/2", "switchport access vlan 10", "channel-group 7 mode active")
    assert "interface port-channel7\n  switchport access vlan 10\n" in tree.text()


def test_the_mode_of_a_channel_with_members_does_not_change() -> None:
    with pytest.raises(LineError, match="cannot be changed in a non-empty port-channel"):
        typed(switch(GROUP + MEMBER), "interface port-channel1", "switchport mode access")


def test_suspension_changes_on_a_channel_that_is_shut_or_has_no_members() -> None:
    typed(switch(GROUP), "interface port-channel1", "lacp suspend-individual")
    typed(switch(GROUP + MEMBER), "interface port-channel1", "shutdown", "lacp suspend-individual")
    with pytest.raises(LineError, match="that is admin up"):
        typed(switch(GROUP + MEMBER), "interface port-channel1", "lacp suspend-individual")


def test_active_members_need_lacp_to_be_loaded() -> None:
    with pytest.raises(LineError):
        typed(switch(""), "interface Ethernet1/2", "channel-group 7 mode active")

"""Breaking cages out on the NX-OS twin: parts come, the whole port goes, lines of one map are one line."""

from __future__ import annotations

import pytest

from switch_twins.engine import ConfigSession, Context, LineError, Tree, load_text
from switch_twins.nxos.day0 import bare_tree
from switch_twins.nxos.extract import switch_state
from switch_twins.nxos.patch import patch
from switch_twins.state import InterfaceState

PORTS = frozenset(f"Ethernet1/{number}" for number in range(1, 33))
CONTEXT = Context("10.5(3)", "cloudscale-gx2", "N9K-C9332D-GX2B", PORTS)
PART = (
    "interface Ethernet1/1/2",
    "no switchport",
    "speed 200000",
    "fec rs-fec",
    "ip address 10.1.1.1/31",
    "no shutdown",
)


def typed(*lines: str, tree: Tree | None = None) -> Tree:
    """A switch after these lines."""
    tree = bare_tree(CONTEXT, "leaf") if tree is None else tree
    session = ConfigSession(tree, CONTEXT)
    for line in lines:
        session.feed(line)
    return tree


def breakouts(tree: Tree) -> list[str]:
    return [line for line in tree.text().splitlines() if line.startswith("interface breakout")]


def blocks(tree: Tree, cage: str) -> list[str]:
    return [line for line in tree.text().splitlines() if line == cage or line.startswith(f"{cage}/")]


def port(tree: Tree, name: str) -> InterfaceState:
    return next(interface for interface in switch_state(tree, "leaf").interfaces if interface.name == name)


def test_a_cage_that_is_broken_out_keeps_its_whole_port_or_its_configuration() -> None:
    tree = typed("interface Ethernet1/1", "no switchport", "interface Ethernet1/1.5", "encapsulation dot1q 5")
    typed("interface breakout module 1 port 1 map 200g-2x", tree=tree)
    assert blocks(tree, "interface Ethernet1/1") == ["interface Ethernet1/1/1", "interface Ethernet1/1/2"]
    assert "encapsulation" not in tree.text()


def test_ports_of_one_map_stand_on_several_lines() -> None:
    tree = typed(*(f"interface breakout module 1 port {number} map 200g-2x" for number in (2, 1, 5)))
    typed("interface breakout module 1 port 7-8 map 100g-4x", tree=tree)
    assert breakouts(tree) == [
        "interface breakout module 1 port 1-2,5 map 200g-2x",
        "interface breakout module 1 port 7-8 map 100g-4x",
    ]


def test_a_configuration_with_breakouts_does_not_read_back_as_it_was_printed() -> None:
    tree = typed("interface breakout module 1 port 1-2 map 200g-2x", *PART)
    again = bare_tree(CONTEXT, "leaf")
    assert load_text(again, CONTEXT, tree.text()) == []
    assert again.text() == tree.text()


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_joining_cages_again_leaves_something_of_the_parts(order: tuple[int, int]) -> None:
    before = typed().text()
    tree = typed("interface breakout module 1 port 1-2 map 200g-2x", *PART)
    typed(*(f"no interface breakout module 1 port {number} map 200g-2x" for number in order), tree=tree)
    assert tree.text() == before


def test_parts_of_another_map_inherit_the_configuration_of_their_namesakes() -> None:
    tree = typed("interface breakout module 1 port 1 map 200g-2x", *PART)
    typed("interface breakout module 1 port 1 map 100g-4x", tree=tree)
    assert len(blocks(tree, "interface Ethernet1/1")) == 4
    assert "10.1.1.1/31" not in tree.text()


def test_a_part_can_be_configured_before_its_cage_is_split() -> None:
    with pytest.raises(LineError) as refused:
        typed("interface Ethernet1/1/1")
    assert refused.value.message == "Invalid range at '^' marker."


def test_the_neighbours_are_told_another_speed_than_the_parts_have() -> None:
    tree = typed(
        "interface breakout module 1 port 1 map 200g-2x", "interface breakout module 1 port 2 map 100g-4x", *PART
    )
    assert (port(tree, "Ethernet1/1/2").speed, port(tree, "Ethernet1/1/2").fec) == ("200g", "rs-528")
    assert port(tree, "Ethernet1/1/1").speed == "200g", "the map says it without a line"
    assert port(tree, "Ethernet1/2/4").speed == "100g"
    assert port(tree, "Ethernet1/1/1").negotiate is False, "200G does not negotiate on this hardware"
    assert port(tree, "Ethernet1/3").speed is None


@pytest.mark.parametrize(
    ("split", "word", "code"),
    [
        ("200g-2x", "rs-fec", "rs-528"),
        ("200g-2x", "kp-fec", "rs"),
        ("200g-2x", "auto", None),
        ("100g-4x", "rs-fec", "rs-528"),
        ("100g-2x", "rs-fec", "rs"),
        ("25g-4x", "rs-fec", "rs-cons15"),
        ("25g-4x", "rs-ieee", "rs"),
        ("25g-4x", "rs-cons16", "rs-cons16"),
        ("25g-4x", "fc-fec", "fc"),
    ],
)
def test_one_word_of_nxos_means_one_code_at_each_speed(split: str, word: str, code: str | None) -> None:
    """\"fec ?\" of a Nexus 9508 (CSCvy03375): rs-fec is CL91 (100G) or Consortium 1.5 (25/50G)."""
    tree = typed(f"interface breakout module 1 port 1 map {split}", "interface Ethernet1/1/1", f"fec {word}")
    assert port(tree, "Ethernet1/1/1").fec == code


def test_a_whole_configuration_patches_ports_that_only_a_breakout_can_make() -> None:
    before = typed()
    commands = patch(before, typed("interface breakout module 1 port 1 map 200g-2x", *PART))
    assert commands[:2] == ["interface breakout module 1 port 1 map 200g-2x", "interface Ethernet1/1/2"]
    assert not [command for command in commands if command.startswith("no interface Ethernet")]

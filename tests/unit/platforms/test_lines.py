"""Rows: what takes whose place and what is hidden follows from them, and no row is out of reach."""

import re

import pytest

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.eos.parse import BLOCKS as EOS_BLOCKS
from nornir_tasks.platforms.lines import (
    Block,
    hidden_lines,
    negations,
    number,
    one_value,
    printed_negated,
    read,
    removal,
    replaced,
    row,
    table,
    text,
    visible,
    yes,
)
from nornir_tasks.platforms.nxos.parse import BLOCKS as NXOS_BLOCKS

MTU = row(r"mtu (\d+)", "mtu", number, single="mtu", hidden=("mtu 1500",))
USED = tuple(row(rf"route-map (\S+) {way}", way, text, single=r"route-map(?= \S+ (in|out)$)") for way in ("in", "out"))
PORT = Block((r"interface ",), (MTU, *USED, row("shutdown", "down", yes)))


def tree(*paths: tuple[str, ...]) -> ConfigTree:
    made = ConfigTree()
    for path in paths:
        made.add_path(path)
    return made


def setting(line: str) -> tuple[str, ...] | None:
    found = re.match(one_value(PORT.rows), line)
    return None if found is None else found.groups()


def test_a_row_that_no_line_would_be_looked_up_under_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with a pattern"):
        table(row(r"(?:no )?shutdown", "down", yes))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("mtu 1500", "mtu 9214", True),
        ("mtu 1500", "route-map A in", False),
        ("route-map A in", "route-map B in", True),
        ("route-map A in", "route-map A out", False),
    ],
)
def test_lines_of_one_setting_take_one_anothers_place_and_others_do_not(one: str, other: str, alike: bool) -> None:
    assert setting(one) is not None
    assert (setting(one) == setting(other)) is alike


@pytest.mark.parametrize("line", ["shutdown", "mtus 3", "no mtu 3", "ip mtu 3"])
def test_a_line_that_is_no_setting_takes_nothings_place(line: str) -> None:
    assert setting(line) is None


def test_a_block_without_such_lines_has_no_pattern() -> None:
    assert replaced([Block((), (row("shutdown", "down", yes),)), PORT]) == (("^interface ", one_value(PORT.rows)),)


def test_a_hidden_line_is_left_out_at_its_place_alone_and_the_tree_stays_as_it_is() -> None:
    hidden = hidden_lines([PORT])
    before = tree(("mtu 1500",), ("interface A", "mtu 1500"), ("interface A", "mtu 9214"), ("vlan 3", "mtu 1500"))
    shown = visible(before, hidden)
    assert shown.paths() == before.paths() - {("interface A", "mtu 1500")}
    assert before.get("interface A", "mtu 1500") is not None


def test_several_lines_of_one_field_are_a_list_and_a_value_we_cannot_hold_is_unknown() -> None:
    rows = table(row(r"network (\S+)", "networks", text, many=True), row(r"timer (\d+)", "timer", lambda _: None))
    lines = tree(("network a",), ("network b",), ("timer 3",), ("network c", "below"))
    fields, unknown = read(lines.children.values(), rows)
    assert fields == {"networks": ["a", "b"]}
    assert [line.text for line in unknown] == ["timer 3", "network c"]


@pytest.mark.parametrize("blocks", [EOS_BLOCKS, NXOS_BLOCKS], ids=["eos", "nxos"])
def test_a_setting_begins_as_the_row_it_stands_at(blocks: tuple[Block, ...]) -> None:
    rows = [each for block in blocks for each in block.rows if each.single]
    for each in rows:
        first = re.sub(r"\(\?[=!].*", "", each.single).partition(" ")[0]
        assert each.pattern.pattern.partition(" ")[0] == first
    assert len(rows) > 30


GONE = (
    Block((r"interface ",), (row(r"group (\d+) mode active", "group", number, negation=(r"(group) .*", r"no \1")),)),
    Block(
        (r"router ",),
        (row(r"of (\S+)", "of", text, negation=(r"of \S+", r"no \g<before>")),),
        before=r"neighbor \S+ ",
    ),
    Block((r"list ",), (), negations=((r"(\d+) .*", r"default \1"),)),
)


@pytest.mark.parametrize(
    ("path", "typed"),
    [
        (("interface 1", "group 7 mode active"), "no group"),
        (("interface 1", "group 7 mode on"), "no group"),
        (("router 1", "neighbor 10.0.0.1 of FABRIC"), "no neighbor 10.0.0.1"),
        (("list A", "10 permit"), "default 10"),
        (("vlan 1", "group 7 mode active"), None),
        (("group 7 mode active",), None),
        (("router 1", "of FABRIC"), None),
    ],
)
def test_a_line_is_removed_as_its_row_says_and_only_where_the_row_stands(path: Path, typed: str | None) -> None:
    assert removal(path, negations(GONE)) == typed


def test_a_row_of_a_no_form_is_a_line_that_the_switch_prints() -> None:
    blocks = (
        Block((), (row(r"no shutdown", "up", yes), row(r"mtu (\d+)", "mtu", number))),
        Block((), (), hidden=("autostate",)),
    )
    assert {"shutdown", "autostate"} <= printed_negated(blocks)
    assert "mtu" not in printed_negated(blocks)

"""Lines found through an index are those that looking at every line finds, however the lines change in between."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from switch_twins.engine import EOS, Context, Node, Tree, load_grammar, load_text
from switch_twins.engine.lines import Lines

WORDS = (
    "interface Ethernet1",
    "interface Ethernet10",
    "interface",
    "no ip routing",
    "ip route 10.0.0.0/8 Null0",
    "a b",
)
LEADINGS = (
    "interface",
    "interface Ethernet1",
    "interface Ether",
    "no ip",
    "ip route 10.0.0.0/8",
    "ip route 10",
    "a",
    "no",
)


def node(words: str, number: int) -> Node:
    is_negated = words.startswith("no ")
    return Node(None, words.removeprefix("no "), {"number": str(number)}, negated=is_negated, entered=number)


def begins(line: str, leading: str) -> bool:
    return line == leading or line.startswith(f"{leading} ")


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from((*WORDS, "")), st.sampled_from(LEADINGS)), max_size=30),
)
def test_index_finds_what_a_look_at_every_line_finds(start: int, steps: list[tuple[int, str, str]]) -> None:
    lines = Lines()
    for number in range(start):
        lines[number,] = node(f"interface Ethernet{number}", number)
    for key, words, leading in steps:
        if words:
            lines[key,] = node(words, key)
        else:
            lines.pop((key,), None)
        expected = [each for each in lines.values() if begins(each.line, leading)]
        assert sorted(map(id, lines.beginning(leading))) == sorted(map(id, expected))
        by_entry = sorted(expected, key=lambda each: each.entered)
        assert lines.beginning_in_order(leading, lambda each: each.entered) == by_entry
        assert sorted(map(id, lines.of_rule(None))) == sorted(map(id, lines.values()))  # type: ignore[arg-type]


GRAMMAR = """
@source test
@confidence V
interface <name!:word>
   description <text:line>
"""


def test_looking_up_every_interface_looks_at_each_line_a_few_times_only() -> None:
    grammar = load_grammar(GRAMMAR, name="test")
    tree = Tree(grammar, EOS)
    count = 2000
    text = "\n".join(f"interface Ethernet{number}\n   description {number}" for number in range(count))
    assert load_text(tree, Context("4.33.1F"), text) == []
    looked = 0
    plain = Node.line.fget
    assert plain is not None

    def counted(self: Node) -> str:
        nonlocal looked
        looked += 1
        return str(plain(self))

    Node.line = property(counted)  # type: ignore[method-assign,assignment]
    try:
        for number in range(count):
            found = tree.first(f"interface Ethernet{number}")
            assert found is not None
    finally:
        Node.line = property(plain)  # type: ignore[method-assign,assignment]
    assert looked <= 4 * count

"""The diff of a configuration session leads from the running configuration to the candidate, whatever differs."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from switch_twins.eos.listing import _hunks

BLOCKS = st.lists(
    st.tuples(
        st.sampled_from([f"interface Ethernet{n}" for n in range(6)] + ["ip routing"]),
        st.lists(st.sampled_from(["   mtu 9214", "   no switchport", "!", "   ip address 10.0.0.1/31"]), max_size=3),
    ),
    max_size=12,
)


def lines(blocks: list[tuple[str, list[str]]]) -> list[str]:
    return ["! device", *(line for head, below in blocks for line in (head, *below)), "end"]


def patched(old: list[str], hunks: list[str]) -> list[str]:
    """What ``patch`` makes of it; every context line must be where the hunk says."""
    new: list[str] = []
    at = 0
    for line in hunks:
        head = re.fullmatch(r"@@ -(\d+),\d+ \+\d+,\d+ @@", line)
        if head is not None:
            start = int(head[1]) - 1
            new += old[at:start]
            at = start
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new += [old[at]] if line[0] == " " else []
            at += 1
    return new + old[at:]


@settings(max_examples=300, deadline=None)
@given(BLOCKS, BLOCKS)
def test_diff_of_two_configurations_makes_the_second_of_the_first(
    first: list[tuple[str, list[str]]], second: list[tuple[str, list[str]]]
) -> None:
    old, new = lines(first), lines(second)
    assert patched(old, list(_hunks(old, new))) == new

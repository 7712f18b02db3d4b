"""docs/dev/lines.md: a line that some table does not know is named, and a line of EOS and NX-OS has a row."""

import re

import pytest
from lines_page import Line, lines
from test_line_shapes import NOT_PRINTED

READ_TOGETHER = {
    r"<number> permit\|deny .*|(counters|statistics) per-entry": "lists are read by one grammar for both systems",
    r"ip(v6)? prefix-list .*": "an entry is read with its family's list",
    r"priority-flow-control priority .*": "priorities are read against the classes of the switch",
    r"address-family ipv[46] / .*": "what a family activates and announces is read with its sessions",
    r"vrf instance .*": "a header of no lines",
    r"no spanning-tree vlan-id .*": "a pair's, with the lines of its VLAN",
    r"management (api http-commands|ssh) / .*": "whether it is on is read with what else stands there",
    r"(no )?snmp-server (host|vrf) .*|aaa group server .*|feature tacacs\+": "ours only if all of them are there",
}
"""Lines of EOS and NX-OS that a function reads with their neighbours, and why no row of theirs could."""


def without(part: str, known: list[Line]) -> list[str]:
    return [str(each.shape) for each in known if not getattr(each, part) and str(each.shape) not in NOT_PRINTED]


@pytest.mark.parametrize("part", ["row", "owner", "disruption", "source"])
def test_no_printed_line_is_without(part: str) -> None:
    assert without(part, list(lines())) == []


def test_a_line_that_a_table_does_not_know_is_named() -> None:
    first = next(lines())
    assert without("disruption", [first._replace(disruption="")]) == [str(first.shape)]


def test_a_line_of_eos_or_nxos_without_a_row_is_named() -> None:
    read = [each.shape.text for each in lines() if each.row == "reader" and each.shape.os != "nvue"]
    assert [line for line in read if not any(re.fullmatch(pattern, line) for pattern in READ_TOGETHER)] == []
    assert [pattern for pattern in READ_TOGETHER if not any(re.fullmatch(pattern, line) for line in read)] == []

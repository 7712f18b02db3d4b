"""Each row that both switches of a pair compare says what a switch does about a conflict, and where that is from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pair_consistency import read_rows

WORDS = {
    "os": {"eos", "nvue", "nxos"},
    "scope": {"global", "interface"},
    "kind": {"1", "2", "-"},
    "conflict": {"differs", "absent"},
    "action": {"secondary", "own", "vlans", "none", "unknown"},
    "mark": {"V", "M"},
}


def test_every_row_is_in_the_tables_words_and_has_a_source(figure: Callable[[str], None]) -> None:
    rows = read_rows()
    assert [(each, name) for each in rows for name, words in WORDS.items() if getattr(each, name) not in words] == []
    assert [each for each in rows if not each.source or not (each.twin == "yes" or each.twin.startswith("no: "))] == []
    counts = Counter((each.os, each.action) for each in rows)
    figure("pairs compare: " + ", ".join(f"{os} {action} {count}" for (os, action), count in sorted(counts.items())))


def test_no_row_is_said_twice() -> None:
    counts = Counter((each.os, each.row, each.scope, each.conflict) for each in read_rows())
    assert [row for row, count in counts.items() if count > 1] == []


def test_what_is_only_reported_on_eos_is_marked_as_not_shown_by_a_source() -> None:
    assert {(each.action, each.mark) for each in read_rows() if each.os == "eos"} == {("none", "M")}

"""docs/counters.md says of every cell of the table whether it is read, and names what is not."""

from __future__ import annotations

import counters_page
from pages import ROOT


def test_the_page_is_made_from_the_table() -> None:
    assert (ROOT / "docs/counters.md").read_text(encoding="utf-8") == counters_page.page()


def test_every_cell_is_on_the_page_with_its_source_or_its_reason() -> None:
    page = counters_page.page()
    for row in counters_page.rows():
        if row.source == counters_page.OF_HOSTS:
            continue
        assert f"{row.source}." in page, row
        assert not row.is_read or f"| {row.counter} | `{row.request}` |" in page, row

"""A link in a page leads to a file that is there, and to a heading of it."""

from pathlib import Path

import pytest
from pages import ROOT, anchors, links, pages


def dead(page: Path) -> list[str]:
    """Links of the page that lead nowhere in the repository, with what is missing."""
    found = []
    for target in links(page.read_text(encoding="utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            found.append(f"{target}: no such file")
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            found.append(f"{target}: no such heading")
    return found


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert not dead(page)


def test_a_dead_file_and_a_dead_heading_are_named(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# What is there\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n\n[a](other.md) [b](other.md#what-is-there) [c](#here) [d](gone.md) [e](other.md#gone) [f](#gone)\n"
        "```\n[g](in-code.md)\n```\n`[h](code.md)` [i](https://example.org/x)\n"
    )
    assert dead(page) == ["gone.md: no such file", "other.md#gone: no such heading", "#gone: no such heading"]


def test_no_page_is_reached_by_no_link() -> None:
    """Each page of docs/ is linked from another page of the repository."""
    linked = set()
    for page in pages():
        for target in links(page.read_text(encoding="utf-8")):
            if "://" not in target and (name := target.partition("#")[0]):
                linked.add((page.parent / name).resolve())
    alone = {page for page in pages() if page.is_relative_to(ROOT / "docs")} - linked
    assert not {str(page.relative_to(ROOT)) for page in alone}

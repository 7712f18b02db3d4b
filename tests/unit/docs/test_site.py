"""The documentation site: its pages lie as in the repository, and a browser fetches nothing from elsewhere."""

import re
from pathlib import Path

import docs_site
import pytest
import yaml
from pages import ROOT, links

from nornir_tasks.cli.app import EXIT_CODES


def test_a_page_that_fetches_from_elsewhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text('<link href="assets/main.css"><a href="https://example.org">x</a>')
    (tmp_path / "bad.html").write_text(
        '<script src="https://unpkg.com/a.js"></script><link rel="stylesheet" href="//fonts.example/b.css">'
    )
    found = docs_site.fetched_from_elsewhere(tmp_path)
    assert found == ["bad.html: https://unpkg.com/a.js", "bad.html: //fonts.example/b.css"]


def test_every_link_of_a_page_of_the_site_leads_to_a_file_of_the_site(tmp_path: Path) -> None:
    docs_site.lay_out(tmp_path / "pages")
    dead = [
        f"{page.relative_to(tmp_path)}: {target}"
        for page in (tmp_path / "pages").rglob("*.md")
        for target in links(page.read_text(encoding="utf-8"))
        if "://" not in target and (name := target.partition("#")[0]) and not (page.parent / name).exists()
    ]
    assert not dead


def test_every_page_of_docs_has_its_place_in_the_navigation() -> None:
    def named(part: object) -> set[str]:
        if isinstance(part, str):
            return {part}
        return set().union(*(named(each) for each in (part.values() if isinstance(part, dict) else part)))

    nav = named(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    there = {str(page.relative_to(ROOT)) for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}
    assert there == {page for page in nav if page.startswith("docs/") or "/" not in page}


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[x](other.md) [y](other.md#there)", ""),
        ("[x](gone.md)", "'gone.md', but the target is not found"),
        ("[x](other.md#gone)", "does not contain an anchor '#gone'"),
        ("![x](gone.svg)", "'gone.svg', but the target is not found"),
    ],
)
def test_a_dead_link_ends_the_build(text: str, warning: str, tmp_path: Path) -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(settings[: settings.index("nav:\n  -")] + "nav: [README.md, other.md]\n")
    folder = tmp_path / "out/pages"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(f"# First\n\n{text}\n")
    (folder / "other.md").write_text("# There\n")
    found = docs_site.build(tmp_path)
    assert warning in "\n".join(found)
    assert bool(found) == bool(warning)


def test_the_page_of_exit_codes_lacks_one_or_has_one_too_many() -> None:
    page = (ROOT / "docs/exit-codes.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert listed == sorted(set(re.findall(r"\b(\d+) [a-z]", EXIT_CODES)), key=int)

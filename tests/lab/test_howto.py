"""How-to pages: what they show is what their commands do, on a site of four switches."""

from pathlib import Path

import pytest
from at_terminal import ROOT, small_site
from doc_commands import commands, run, run_page

PAGES = sorted((ROOT / "docs/howto").glob("*.md"))


@pytest.mark.parametrize("page", [each for each in PAGES if any(commands(each))], ids=lambda page: page.stem)
def test_a_command_of_a_how_to_page_fails_or_prints_something_else(page: Path, tmp_path: Path) -> None:
    made = small_site(tmp_path)
    made.site = made.site.rename(tmp_path / "dc1")
    environ = {"GPUFABRIC_STATE": str(made.state)}

    def by_hand(switch: str, lines: list[str]) -> None:
        hand = made.hands()[switch]
        hand.configure(*lines)
        hand.eapi("write memory") if hand.os == "eos" else hand.nxapi("copy running-config startup-config")

    try:
        problems = run_page(page, tmp_path, environ, by_hand)
        assert not problems, "\n".join(problems)
    finally:
        run("nornir lab down --site dc1", tmp_path, environ)

"""Documentation that shows commands: what it shows is what they do."""

from pathlib import Path

import pytest
from at_terminal import ROOT
from doc_commands import Command, commands, run, run_page

TUTORIAL = ROOT / "docs/tutorial.md"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Of a reader in the checkout, with a state folder of their own."""
    (tmp_path / "inventory").symlink_to(ROOT / "inventory")
    return {"GPUFABRIC_STATE": str(tmp_path / "state")}


def test_a_command_of_the_tutorial_fails_or_prints_something_else(tmp_path: Path, environ: dict[str, str]) -> None:
    try:
        problems = run_page(TUTORIAL, tmp_path, environ)
        assert not problems, "\n".join(problems)
    finally:
        if (tmp_path / "rails").exists():
            run("nornir lab down --site rails", tmp_path, environ)


def test_the_tutorial_goes_through_the_main_job() -> None:
    verbs = {command.text.split()[1] for command in commands(TUTORIAL) if command.text.startswith("nornir ")}
    assert verbs >= {"lab", "design", "prove", "plan", "push", "validate", "pushes", "rollback"}


def test_a_line_that_is_shown_and_not_printed_and_another_exit_code_are_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo a   b\na b\n$ echo c; exit 3  # exit 3\n...\n$ echo d\ne\n```\n```\n$ false\n```\n"
    )
    assert [command.code for command in commands(page)] == [0, 3, 0]
    assert run_page(page, tmp_path, {"PATH": "/usr/bin:/bin"})[:2] == ["page.md:6: echo d", "shown and not printed: e"]
    assert Command(1, "x", 0, ("a ... c",)).missing("  a  b  c") == []


@pytest.mark.parametrize(
    ("printed", "is_alike"), [("tested 12 of 12, 3 played", True), ("tested 11 of 12, 3 played", False)]
)
def test_a_check_more_makes_no_page_wrong_and_one_that_could_not_tell_does(printed: str, *, is_alike: bool) -> None:
    shown = "passed, tested 9 of 9, 3 played"
    assert Command(1, "x", 0, (shown,)).missing(f"passed, {printed}") == ([] if is_alike else [shown])

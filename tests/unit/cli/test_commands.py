"""Commands in hints: with the options that the command line was given, so that they work as they are copied."""

import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.cli.commands import completing, runnable
from nornir_tasks.errors import LabError

LAB = Path(__file__).parents[3] / "inventory/lab-rails"
ROOT: Any = typer.main.get_command(app)


@contextmanager
def given(*words: str) -> Iterator[None]:
    """While this command line runs."""
    with completing():
        root = ROOT.make_context("nornir", list(words))
        verb, *options = words
        ROOT.commands[verb].make_context(verb, options, parent=root)
        yield


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("nornir plan --limit leaf-1", "nornir plan --site {site} --plane compute --accept-release --limit leaf-1"),
        ("first: nornir rollback --push 2", "first: nornir rollback --site {site} --accept-release --push 2"),
        ("see 'nornir pushes', and push again", "see 'nornir pushes --site {site}', and push again"),
        ("nornir lab up, then nornir trust x", "nornir lab up --site {site}, then nornir trust --site {site} x"),
        ("others: nornir lab down --site NAME", "others: nornir lab down --site NAME"),
        ("as nornir records it", "as nornir records it"),
        ("then nornir push --plan p.json", "then nornir push --site {site} --plan p.json"),
    ],
)
def test_a_hint_lacks_no_option_that_the_command_line_was_given(hint: str, expected: str, tmp_path: Path) -> None:
    site = shutil.copytree(LAB, tmp_path / "a site")
    with given("push", "--site", str(site), "-p", "compute", "--accept-release", "--yes"):
        made = runnable(hint)
    assert made == expected.format(site=shlex.quote(str(site)))


@pytest.mark.parametrize("verb", ["plan", "push", "validate", "render", "rollback", "pushes"])
def test_a_completed_command_is_one_that_can_be_typed(verb: str) -> None:
    with given("push", "--site", str(LAB), "-p", "compute", "--unguarded", "--allow-management", "spine-1"):
        _, *words = shlex.split(runnable(f"nornir {verb}"))
    with given(*words):
        assert runnable(f"nornir {verb}") == shlex.join(["nornir", *words])


def test_a_hint_names_no_site_where_the_command_line_did_not() -> None:
    with given("plan"):
        assert runnable("nornir push --limit leaf-1") == "nornir push --limit leaf-1"
    assert runnable("nornir push") == "nornir push", "outside a command"


@pytest.mark.parametrize("named", [True, False])
def test_an_error_ends_with_a_command_for_the_same_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, named: bool
) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(LAB.parents[1])
    site = shutil.copytree(LAB, tmp_path / "other")
    done = CliRunner().invoke(app, ["plan", *(("--site", str(site)) if named else ())])
    assert isinstance(done.exception, LabError)
    assert done.exception.problems[0].hint == "nornir lab up" + f" --site {site}" * named

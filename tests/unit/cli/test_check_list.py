"""``nornir validate --list``: all checks without a switch, without a lab, and of a site only if one is named."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from nornir_tasks.checks.suite import ABOUT
from nornir_tasks.cli import console
from nornir_tasks.cli.app import app
from nornir_tasks.cli.check_list import print_checks
from nornir_tasks.usecases.site import load, select
from nornir_tasks.usecases.validate import expected
from tests.published import published


@pytest.fixture(autouse=True)
def a_command_of_its_own() -> None:
    console.SITE_DIRECTORY.set("")


def listed(*words: str) -> Result:
    return CliRunner().invoke(app, ["validate", "--list", *words], catch_exceptions=False)


def test_the_table_names_every_check_with_its_verdicts_and_the_systems_that_show_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_checks(None)
    lines = capsys.readouterr().out.splitlines()
    firsts = [line[1:].split(" ")[0] for line in lines if line.startswith(" ")]
    assert [first for first in firsts if first] == ["check", *(each.name for each in ABOUT)]
    for what in ("passed", "failed", "could not tell", "skipped", "systems"):
        assert sum(what == line[17:38].strip() for line in lines) == len(ABOUT)
    assert any("nvue; eos does not show ports.ra_interval_ms; nxos does not" in line for line in lines)
    assert "on this site" not in "".join(lines)


def test_without_a_site_the_list_is_of_none() -> None:
    done = listed("--json")
    assert done.stderr == ""
    data = json.loads(done.stdout)
    assert [each["check"] for each in data["checks"]] == [each.name for each in ABOUT]
    assert published(data)["site"] is None
    assert "of" not in data
    assert all("of" not in each for each in data["checks"])


@pytest.mark.parametrize(
    ("words", "site", "planes", "limit"),
    [
        (("--site", "lab-rails"), "lab-rails", (), ()),
        (("--site=lab",), "lab", (), ()),
        (("--site=lab", "--plane=compute"), "lab", ("compute",), ()),
        (("--limit", "spine-*"), "lab", (), ("spine-*",)),
    ],
)
def test_of_a_site_it_says_how_many_findings_each_check_will_have_and_their_sum(
    words: tuple[str, ...], site: str, planes: tuple[str, ...], limit: tuple[str, ...]
) -> None:
    total = sum(expected(select(load(site), planes, limit)).values())
    data = json.loads(listed("--json", *words).stdout)
    assert sum(each["of"] for each in data["checks"]) == data["of"] == total
    assert Path(data["site_directory"]).name == ("lab-rails" if "lab-rails" in words else "lab")

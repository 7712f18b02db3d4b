"""`nornir design --csv --svg`: through the command line as the operator types it."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from nornir_tasks.cli.app import app


def design(*arguments: str) -> Result:
    """``nornir design`` with these arguments."""
    return CliRunner().invoke(app, ["design", "--site", "lab-rails", *arguments])


def test_the_cabling_plan_goes_to_a_file_and_one_line_says_what_to_buy(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    result = design("--csv", str(file))
    assert result.exit_code == 0
    assert result.stdout == f"{file}: 48 cables: 32 x 200G-AOC of 5 m, 16 x 400G-DR4 of 40 m\n"
    assert len(list(csv.DictReader(file.read_text().splitlines()))) == 48


def test_the_cabling_plan_goes_to_stdout_and_nothing_else_does() -> None:
    result = design("--csv", "-")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert len(rows) == 48
    assert all(None not in row and None not in row.values() for row in rows)


def test_a_file_and_json_can_be_asked_for_together(tmp_path: Path) -> None:
    result = design("--csv", str(tmp_path / "plan.csv"), "--json")
    assert json.loads(result.stdout)["totals"]["cables"] == 48
    assert (tmp_path / "plan.csv").exists()


def test_the_drawing_goes_to_a_file_and_both_files_can_be_had_at_once(tmp_path: Path) -> None:
    svg, plan = tmp_path / "site.svg", tmp_path / "plan.csv"
    result = design("--svg", str(svg), "--csv", str(plan))
    assert result.stdout.splitlines()[1] == f"{svg}: drawing of 1 plane, 10 switches"
    assert ElementTree.fromstring(svg.read_text()).tag.endswith("svg")
    assert plan.exists()


def test_no_folder_is_made_for_a_document_and_the_error_says_how(tmp_path: Path) -> None:
    result = design("--csv", str(tmp_path / "plan.csv"), "--svg", str(tmp_path / "new" / "site.svg"))
    (problem,) = result.exception.problems
    assert result.exception.exit_code == 11
    assert problem.where == str(tmp_path / "new" / "site.svg")
    assert problem.hint == f"make its folder first: mkdir -p {tmp_path / 'new'}"
    assert list(tmp_path.iterdir()) == [], "and the other document is not written either"


def test_two_documents_for_one_file_are_refused(tmp_path: Path) -> None:
    result = design("--csv", str(tmp_path / "plan"), "--svg", str(tmp_path / "." / "plan"))
    assert result.exit_code == 2
    assert "name one file" in result.stderr
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize("other", [pytest.param(["--json"], id="json"), pytest.param(["--svg", "-"], id="svg")])
@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_two_documents_on_stdout_are_refused(name: str, other: list[str]) -> None:
    result = design("--csv", name, *other)
    assert result.exit_code == 2
    kind = json.loads(result.stdout)["error"]["kind"] if other == ["--json"] else result.stdout
    assert kind in ("", "CommandLineError")
    assert "mix on stdout" in result.stderr


def test_a_file_that_cannot_be_written_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    result = design("--csv", str(tmp_path / "taken" / "plan.csv"))
    assert result.exit_code != 0
    assert "plan.csv" in str(result.exception)


def test_explain_is_a_table_and_a_key_of_the_json_document() -> None:
    table, document = design("--explain"), json.loads(design("--explain", "--json").stdout)
    figures = {each["figure"]: each for each in document["explain"]}
    assert figures["spines"]["value"] == 2
    assert figures["spines"]["from"] == {"groups": 1, "spines_per_group": 2}
    assert all(name.split(",")[0] in table.stdout for name in figures)
    assert document["totals"]["switches"] == 10


def test_json_without_explain_has_each_switchs_routes_and_no_explanation() -> None:
    document = json.loads(design("--json").stdout)
    assert "explain" not in document
    assert document["routes"]["leaf-g1-r0"]["total"] == 24
    assert document["routes"]["spine-1"]["ecmp_groups"] == 0
    assert set(document["routes"]) == {each["name"] for each in document["devices"]}


def test_the_table_shows_routes_and_ecmp_groups_of_each_switch() -> None:
    rows = [line.split() for line in design().stdout.splitlines() if line.strip().startswith("leaf-")]
    assert len(rows) == 8
    assert all(row[8:] == ["24", "1,", "2", "members"] for row in rows)

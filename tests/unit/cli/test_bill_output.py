"""``nornir design --bom``: a table, CSV or JSON of the same lines."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app

RUN = CliRunner()


def run(*words: str) -> str:
    result = RUN.invoke(app, ["design", "--site", "lab", "--bom", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_table_csv_and_json_have_the_same_lines(tmp_path: Path) -> None:
    found = json.loads(run("--json"))
    rows = list(csv.DictReader(run("--csv", "-").splitlines()))
    assert [
        {key: "" if value is None else str(value) for key, value in line.items()} for line in found["lines"]
    ] == rows
    table = run()
    assert all(row["part"] in table for row in rows)
    assert f"{found['totals']['jumper']} jumpers" in table
    file = tmp_path / "bom.csv"
    assert run("--csv", str(file)).startswith(f"{file}: bill of 10 switches, 32 NICs")
    assert list(csv.DictReader(file.read_text().splitlines())) == rows


def test_the_lab_s_bill() -> None:
    totals = json.loads(run("--json"))["totals"]
    assert totals == {"switch": 10, "nic": 32, "transceiver": 32, "jumper": 16, "assembly": 32, "label": 48}


@pytest.mark.parametrize("other", [["--svg", "-"], ["--explain"], ["--against", "lab"], ["--json", "--csv", "-"]])
def test_a_bill_beside_another_output_is_refused(other: list[str]) -> None:
    result = RUN.invoke(app, ["design", "--site", "lab", "--bom", *other])
    assert result.exit_code == 2, result.output

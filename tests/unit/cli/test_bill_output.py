"""``nornir design --bom``: a table, CSV or JSON of the same lines."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.cli.bom import bill_of, columns_for
from nornir_tasks.usecases.site import load

RUN = CliRunner()


def run(*words: str) -> str:
    result = RUN.invoke(app, ["design", "--site", "lab-rails", "--bom", *words])
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


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_whatever_the_width_no_two_lines_of_the_bill_look_the_same(width: int) -> None:
    bill = bill_of(load("lab-rails"))
    rows = [{head: str(value) for head, value in row.items()} for row in bill.rows()]
    rows = [{**row, "part": line.name} for row, line in zip(rows, bill.lines, strict=True)]
    heads = columns_for(bill.columns, rows, width)
    shown = [tuple(row[head] for head in heads if head not in ("count", "to_buy")) for row in rows]
    assert {"part", "to_buy"} <= set(heads)
    assert len(set(shown)) == len(shown)
    assert width < 60 or sum(max(len(head), *(len(row[head]) for row in rows)) + 2 for head in heads) <= width


def test_the_lab_s_bill() -> None:
    totals = json.loads(run("--json"))["totals"]
    assert totals == {"switch": 10, "nic": 32, "transceiver": 32, "jumper": 16, "assembly": 32, "label": 48}


@pytest.mark.parametrize("other", [["--svg", "-"], ["--explain"], ["--against", "lab"], ["--json", "--csv", "-"]])
def test_a_bill_beside_another_output_is_refused(other: list[str]) -> None:
    result = RUN.invoke(app, ["design", "--site", "lab-rails", "--bom", *other])
    assert result.exit_code == 2, result.output

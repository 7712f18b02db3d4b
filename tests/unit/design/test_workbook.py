"""A workbook of the cabling plan opens, and every text in it is the text of the intent: read by a reader of its own."""

from __future__ import annotations

import csv
import io
import posixpath
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.design.reports.cabling_plan import COLUMNS, cabling_csv, cabling_plan, cabling_workbook
from nornir_tasks.design.reports.spreadsheet import of_cell
from nornir_tasks.design.reports.workbook import workbook
from nornir_tasks.files.zipped import zipped
from nornir_tasks.usecases.site import load

CHANGED_BY_SPREADSHEETS = [
    "1-2",
    "1E5",
    "007",
    "3.10",
    "=A1",
    "TRUE",
    "'1-2",
    " a ",
    "a\tb\nc",
    "<&>\"'",
    "_x0041_",
    "é",
]
SHEETS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
OF_DOCUMENTS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"


class Package:
    """A workbook as a spreadsheet opens it: from the package's relationships to the cells, by ECMA-376."""

    def __init__(self, file: bytes) -> None:
        self.zip = zipfile.ZipFile(io.BytesIO(file))
        assert self.zip.testzip() is None
        self.book_name = self.related("")["officeDocument"]
        self.parts = self.related(self.book_name)

    def xml(self, name: str) -> Xml.Element:
        return Xml.fromstring(self.zip.read(name))

    def related(self, part: str) -> dict[str, str]:
        """Kind -> part, of what a part points to."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            each.attrib["Type"].rpartition("/")[2]: posixpath.normpath(posixpath.join(folder, each.attrib["Target"]))
            for each in root.iter(f"{RELATIONS}Relationship")
        }

    def rows(self) -> list[dict[str, str | int]]:
        """Column letters -> value, of each row; a number only where the cell is one."""
        sheet = self.xml(self.parts["worksheet"])
        return [{_column(cell): _value(cell) for cell in row.iter(f"{SHEETS}c")} for row in sheet.iter(f"{SHEETS}row")]

    def formats(self) -> list[str]:
        """Number format of each cell of text."""
        styles = self.xml(self.parts["styles"]).find(f"{SHEETS}cellXfs")
        assert styles is not None
        formats = [each.attrib["numFmtId"] for each in styles]
        cells = self.xml(self.parts["worksheet"]).iter(f"{SHEETS}c")
        return [formats[int(cell.attrib.get("s", "0"))] for cell in cells if cell.attrib.get("t") == "inlineStr"]


def _column(cell: Xml.Element) -> str:
    found = re.fullmatch(r"([A-Z]+)\d+", cell.attrib["r"])
    assert found is not None
    return found[1]


def _value(cell: Xml.Element) -> str | int:
    if cell.attrib.get("t") is None:
        return int(cell.findtext(f"{SHEETS}v") or "")
    assert cell.attrib["t"] == "inlineStr"
    text = cell.findtext(f"{SHEETS}is/{SHEETS}t") or ""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)


@pytest.mark.parametrize("text", CHANGED_BY_SPREADSHEETS)
def test_text_that_spreadsheets_would_change_is_text_in_its_cell(text: str) -> None:
    package = Package(zipped(workbook("s", ("head", "count"), [(text, 7)])))
    assert package.rows() == [{"A": "head", "B": "count"}, {"A": text, "B": 7}]
    assert package.formats() == ["49"] * 3, "the format of text, so that it stays text when it is edited"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_every_text_comes_back_from_its_workbook(text: str) -> None:
    assert Package(zipped(workbook("s", ("head",), [(text,)]))).rows()[1] == {"A": text}


def test_an_unknown_value_is_no_cell_and_columns_go_on_after_z() -> None:
    heads = [f"column {number}" for number in range(28)]
    (first, row) = Package(zipped(workbook("s", heads, [[None] * 27 + [3]]))).rows()
    assert list(first)[25:] == ["Z", "AA", "AB"]
    assert row == {"AB": 3}


def test_each_part_has_a_type_and_each_reference_a_part() -> None:
    package = Package(zipped(workbook("a <sheet>", ("head",), [])))
    names = set(package.zip.namelist())
    types = package.xml("[Content_Types].xml")
    named = {each.attrib["PartName"].removeprefix("/") for each in types.iter(f"{TYPES}Override")}
    assert named == {package.book_name, *package.parts.values()}
    assert names == {*named, "[Content_Types].xml", "_rels/.rels", "xl/_rels/workbook.xml.rels"}
    (sheet,) = package.xml(package.book_name).iter(f"{SHEETS}sheet")
    assert sheet.attrib["name"] == "a <sheet>"
    relations = package.xml("xl/_rels/workbook.xml.rels").iter(f"{RELATIONS}Relationship")
    assert sheet.attrib[f"{OF_DOCUMENTS}id"] in {each.attrib["Id"] for each in relations}


def test_the_same_plan_is_the_same_file() -> None:
    file = zipped(cabling_workbook(cabling_plan(load("lab-rails").network)))
    assert file == zipped(cabling_workbook(cabling_plan(load("lab-rails").network)))
    assert {each.date_time for each in Package(file).zip.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_workbook_has_the_table_of_the_csv_file(tmp_path: Path) -> None:
    text, book = tmp_path / "plan.csv", tmp_path / "plan.xlsx"
    done = CliRunner().invoke(app, ["design", "--site", "lab", "--csv", str(text), "--xlsx", str(book)])
    assert done.exit_code == 0, done.output
    assert f"{book}: " in done.stdout.replace("\n", "")
    expected = [[of_cell(cell) for cell in row] for row in csv.reader(text.read_text().splitlines())]
    letters = [chr(ord("A") + at) for at in range(len(COLUMNS))]
    found = [[str(row.get(letter, "")) for letter in letters] for row in Package(book.read_bytes()).rows()]
    assert found == expected
    assert len(expected) > 40
    assert cabling_csv(()).strip().split(",") == expected[0]


def test_a_workbook_goes_to_stdout_alone() -> None:
    done = CliRunner().invoke(app, ["design", "--site", "lab-rails", "--xlsx", "-"])
    assert len(Package(done.stdout_bytes).rows()) == 49
    assert CliRunner().invoke(app, ["design", "--site", "lab-rails", "--xlsx", "-", "--json"]).exit_code == 2
    assert CliRunner().invoke(app, ["design", "--site", "lab-rails", "--xlsx", "-", "--bom"]).exit_code == 2

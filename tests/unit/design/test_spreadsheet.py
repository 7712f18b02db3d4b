"""Names in a CSV file are still names once a spreadsheet has read it."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.reports.cabling_plan import cabling_csv, cabling_plan
from nornir_tasks.design.reports.spreadsheet import as_cell, of_cell
from tests.strategies import built
from tests.unit.design.test_nearest import site

TAKEN = [
    "1-2",
    "1E5",
    "007",
    "3.10",
    "12",
    "1/2",
    "MAR-2",
    "sep-1",
    "2-Jan",
    "1e5",
    "TRUE",
    "12PM",
    "-1",
    "=A1",
    "+1",
    "@x",
]
LEFT = [
    "A01",
    "leaf-g1-r0",
    "Ethernet1/1",
    "swp1",
    "gpu-1",
    "200G-AOC",
    "4x25G",
    "row-1",
    "R12",
    "decoy-1",
    "b7.12",
    "",
]


@pytest.mark.parametrize("text", TAKEN)
def test_what_a_spreadsheet_would_change_is_marked_as_text(text: str) -> None:
    assert as_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", LEFT)
def test_all_other_text_stays_as_it_is(text: str) -> None:
    assert as_cell(text) == text


@given(st.text(alphabet="'0123456789.-eEAmar", max_size=6))
def test_every_text_comes_back_from_its_cell(text: str) -> None:
    assert of_cell(as_cell(text)) == text


def test_racks_of_the_cabling_plan_survive_and_its_numbers_stay_numbers() -> None:
    racks = {"1-2": {"40": "leaf-g1-r0"}, "1E5": {"3": "gpu-1"}, "007": {"1": "gpu-2"}, "3.10": {"2": "gpu-3"}}
    network = built(site(racks=racks, leaf__medium="DAC", leaf__cable_m=2))
    rows = list(csv.DictReader(cabling_csv(cabling_plan(network)).splitlines()))
    racks_of = {row[f"{end}_device"]: row[f"{end}_rack"] for row in rows for end in "ab"}
    assert [racks_of[name] for name in ("leaf-g1-r0", "gpu-1", "gpu-2", "gpu-3")] == ["'1-2", "'1E5", "'007", "'3.10"]
    assert {row["a_unit"] for row in rows} <= {"40", ""}
    assert {row["length_m"] for row in rows} <= {"2", "40", ""}

"""The cabling plan names each cable once, both its ends, and nothing that nobody declared."""

import csv
import random
from dataclasses import replace
from functools import cache

from hypothesis import given

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.order import natural_key
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.cabling_plan import COLUMNS, cabling_csv, cabling_plan, parts
from nornir_tasks.design.reports.spreadsheet import of_cell
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from tests.plain_facts import plain_facts
from tests.strategies import built, fabrics
from tests.unit.design.lab_like import lab
from tests.unit.design.test_nearest import site


def read(network: Network) -> list[dict[str, str]]:
    """The plan as a program reads it."""
    rows = csv.DictReader(cabling_csv(cabling_plan(network)).splitlines())
    return [{column: of_cell(cell) for column, cell in row.items()} for row in rows]


@cache
def split() -> Network:
    """The lab site with breakouts, parallel links and two spine groups."""
    return design(load_site("lab-breakout").intent, load_catalogue(), plain_facts())


def racked() -> Network:
    """The lab with some of its devices in racks."""
    racks = {"A01": {"40": "leaf-g1-r0", "2": "gpu-1"}, "A02": {"12": "spine-1"}}
    return built(site(racks=racks, leaf__medium="DAC", leaf__cable_m=2))


@given(fabrics())
def test_every_cable_of_any_site_stands_in_the_plan_once_with_the_ends_the_fabric_has(network: Network) -> None:
    rows = read(network)
    found = [(row["cable"], row["a_device"], row["a_port"], row["b_device"], row["b_port"]) for row in rows]
    ends = [
        (link.cable, link.upper.device, link.upper.port, link.lower.device, link.lower.port) for link in network.links
    ]
    assert sorted(found) == sorted(ends)
    assert {row["cable"] for row in rows} == {cable.name for cable in network.cables}


def test_no_port_is_used_by_two_cables() -> None:
    used = [(row[f"{end}_device"], row[f"{end}_port"]) for row in read(lab()) for end in "ab"]
    assert len(used) == len(set(used)) == 96


def test_the_header_is_what_the_manual_says() -> None:
    assert cabling_csv(()).strip() == ",".join(COLUMNS)
    assert COLUMNS == (
        "cable", "plane", "a_rack", "a_unit", "a_device", "a_port", "a_leg", "b_rack", "b_unit", "b_device", "b_port",
        "b_leg", "label", "medium", "length_m", "part",
    )  # fmt: skip


def test_racks_and_units_are_those_declared_and_empty_where_nobody_did() -> None:
    rows = {row["cable"]: row for row in read(racked())}
    declared, bare = rows["leaf-g1-r0-h1"], rows["leaf-g1-r1-h2"]
    assert [declared[key] for key in ("a_rack", "a_unit", "b_rack", "b_unit")] == ["A01", "40", "A01", "2"]
    assert declared["label"] == "leaf-g1-r0-h1 | A01/U40 leaf-g1-r0 Ethernet1/1 | A01/U2 gpu-1 rail0"
    assert [bare[key] for key in ("a_rack", "a_unit", "b_rack", "b_unit")] == [""] * 4
    assert bare["label"] == "leaf-g1-r1-h2 | leaf-g1-r1 Ethernet2/1 | gpu-2 rail1"


def test_medium_length_and_part_are_those_declared_and_empty_where_nobody_did() -> None:
    rows = {row["cable"]: row for row in read(racked())}
    cells = [rows["leaf-g1-r0-h1"][key] for key in ("medium", "length_m", "part", "a_leg", "b_leg")]
    assert cells == ["DAC", "2", "200G-DAC", "", ""]
    assert [rows["leaf-g1-r0-u1"][key] for key in ("medium", "length_m", "part")] == [""] * 3


def test_what_to_buy_is_counted_by_part_and_length() -> None:
    assert parts(cabling_plan(lab())) == {("200G-AOC", 5): 32, ("400G-DR4", 40): 16}


def test_a_breakout_is_one_row_for_each_leg_and_only_the_plug_that_holds_all_of_them_counts_them() -> None:
    rows = [row for row in read(split()) if row["cable"] == "leaf-g1-r0-p1"]
    legs = [(row["a_port"], row["a_leg"], row["b_device"], row["b_leg"]) for row in rows]
    assert legs == [("Ethernet1/1", "1", "gpu-1", ""), ("Ethernet1/5", "2", "gpu-2", "")]
    assert len({row["part"] for row in rows}) == 1
    assert rows[0]["part"].endswith("-2x200G")


def test_every_leg_of_every_cable_stands_in_the_plan_once_and_a_breakout_is_bought_once() -> None:
    network = split()
    rows = read(network)
    names = [(row["cable"], row["a_device"], row["a_port"]) for row in rows]
    assert sorted(names) == sorted((link.cable, link.upper.device, link.upper.port) for link in network.links)
    assert sum(parts(cabling_plan(network)).values()) == len(network.cables) < len(rows)


def test_the_order_in_which_the_design_lists_things_changes_no_byte() -> None:
    shuffled = random.Random(7)
    mixed = replace(
        lab(),
        devices=tuple(shuffled.sample(lab().devices, len(lab().devices))),
        links=tuple(shuffled.sample(lab().links, len(lab().links))),
        cables=tuple(shuffled.sample(lab().cables, len(lab().cables))),
    )
    assert cabling_csv(cabling_plan(mixed)) == cabling_csv(cabling_plan(lab()))


def test_cables_stand_in_the_order_in_which_people_count() -> None:
    names = [row["cable"] for row in read(built(site(hosts__count=12, hosts__max=12)))]
    assert names.index("leaf-g1-r0-h9") < names.index("leaf-g1-r0-h10")
    assert sorted(["leaf-g10", "leaf-g2", "leaf"], key=natural_key) == ["leaf", "leaf-g2", "leaf-g10"]

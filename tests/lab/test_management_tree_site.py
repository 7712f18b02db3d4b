"""An out-of-band plane in the lab below two SN2201: a 7010TX-48 and an N9K-C9348GC-FXP with lists both ways."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from at_terminal import Operator, lab_of_its_own, small_site

from tests.unit.design.out_of_band import with_out_of_band
from tests.unit.design.test_management_switches import ARISTA, CISCO

ACCESS = {"eos": "oob-leaf-g1", "nxos": "oob-leaf-g2"}


def with_tree(where: Path) -> Operator:
    made = small_site(where)
    file = made.site / "fabric.yml"
    data = with_out_of_band(yaml.safe_load(file.read_text()))
    tree = data["fabrics"]["oob"]
    tree["leaf"] = {**ARISTA, "cable_m": 10, "overrides": [{"groups": [2], **CISCO}]}
    tree["spine"]["breakout"] = "4x25G"
    file.write_text(yaml.safe_dump(data))
    return made


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("tree"), with_tree) as made:
        assert "4 of 4 changed" in made.run("push", "--plane", "oob", "--yes")
        yield made


def test_a_second_push_changes_nothing_and_every_check_passes(pushed: Operator) -> None:
    assert "0 of 4 changed" in pushed.run("push", "--plane", "oob", "--yes")
    report = pushed.json("validate", "--plane", "oob", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])


@pytest.mark.parametrize("system", ACCESS)
def test_svis_have_lists_in_both_directions(pushed: Operator, system: str) -> None:
    running = pushed.running()[ACCESS[system]]
    assert {word for word in (" in", " out") if "access-group" in running and word in running} == {" in", " out"}

"""Switches with RJ45 ports and one class alone: pushed, nothing to do again, valid; a forced speed is planned away."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from at_terminal import Operator, lab_of_its_own

from tests.unit.design.test_twisted_pairs import site


def wires(where: Path) -> Operator:
    folder = where / "wires"
    folder.mkdir()
    (folder / "fabric.yml").write_text(yaml.safe_dump({**site(), "management": {"source": "lab"}}))
    return Operator(folder, where / "state")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("access"), wires) as made:
        assert "4 of 4 changed" in made.run("push", "--yes")
        yield made


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 4 changed" in pushed.run("push", "--yes")


def test_ports_come_up_at_the_planned_speed_and_no_queue_marks(pushed: Operator) -> None:
    """RoCE lets queues 0 and 3 mark by itself; the one class of this site shall not, and nothing is in queue 3."""
    report = pushed.json("validate", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert {"port", "ecn", "vlan"} <= {each["check"] for each in report["findings"]}


def test_a_speed_that_somebody_forces_on_an_rj45_port_is_planned_away(pushed: Operator) -> None:
    pushed.hands()["leaf-g1"].nvue({"interface": {"swp1": {"link": {"speed": "1G", "auto-negotiate": "off"}}}})
    planned = pushed.run("plan", "--limit", "leaf-g1")
    assert 'interface / swp1 / link / auto-negotiate: "off"' in planned
    assert "1 of 4 changed" in pushed.run("push", "--yes")
    assert pushed.json("validate")["failed"] == 0


def test_an_rj45_port_takes_no_split(pushed: Operator) -> None:
    """Switch-Port-Attributes.md, SN2201: its four QSFP28 ports can break out."""
    hand = pushed.hands()["leaf-g2"]
    with pytest.raises(AssertionError, match="stayed invalid"):
        hand.nvue({"interface": {"swp1": {"link": {"breakout": {"2x": {}}}}}})
    assert "0 of 4 changed" in pushed.run("push", "--yes")


def test_a_medium_that_does_not_fit_is_refused_with_its_line(tmp_path: Path) -> None:
    made = wires(tmp_path)
    file = made.site / "fabric.yml"
    data = yaml.safe_load(file.read_text())
    data["fabrics"]["wires"]["leaf"]["medium"] = "DAC"
    file.write_text(yaml.safe_dump(data))
    rows = file.read_text().splitlines()
    line = next(at for at, row in enumerate(rows, 1) if row == "      medium: DAC" and "    leaf:" in rows[:at])
    refused = made.run("design", code=4)
    assert f"{file}:{line}: fabrics.wires.leaf.medium: DAC does not fit the RJ45 ports" in refused
    assert "expected: BASE-T" in refused


def test_the_share_that_is_left_is_written_without_a_power_of_ten(pushed: Operator) -> None:
    """20 ports of 1G over two uplinks of 100G, of which one is left, at 4:1 declared: 100 / 20 * 4."""
    assert "keeps all of its declared bandwidth, and 1900 % headroom" in pushed.run("design")

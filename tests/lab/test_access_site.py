"""Switches with RJ45 ports and one class alone: pushed, nothing to do again, valid; a forced speed is planned away."""

from collections.abc import Iterator

import pytest
import yaml
from at_terminal import Operator

from tests.unit.design.test_twisted_pairs import site


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    folder = tmp_path_factory.mktemp("access") / "wires"
    folder.mkdir()
    (folder / "fabric.yml").write_text(yaml.safe_dump({**site(medium="BASE-T"), "management": {"source": "lab"}}))
    operator = Operator(folder, folder.parent / "state")
    operator.start()
    try:
        assert "4 of 4 changed" in operator.run("push", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


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

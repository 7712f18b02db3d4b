"""A network for management in the lab, SN2201 above a 1G leaf of Arista and one of Cisco: pushed, no change, valid."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from at_terminal import Operator, lab_of_its_own

from tests.unit.design.test_management_switches import site


def wires(where: Path) -> Operator:
    folder = where / "wires"
    folder.mkdir()
    (folder / "fabric.yml").write_text(yaml.safe_dump({**site(), "management": {"source": "lab"}}))
    return Operator(folder, where / "state")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("wires"), wires) as made:
        assert "4 of 4 changed" in made.run("push", "--yes")
        yield made


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 4 changed" in pushed.run("push", "--yes")


def test_all_ports_come_up_and_every_check_passes(pushed: Operator) -> None:
    report = pushed.json("validate", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert {"port", "lldp", "bgp", "vlan"} <= {each["check"] for each in report["findings"]}


def test_a_speed_that_somebody_forces_on_an_rj45_port_is_planned_away(pushed: Operator) -> None:
    pushed.hands()["leaf-g1"].configure("interface Ethernet1", "speed auto 100full")
    assert "speed auto 100full" in pushed.run("plan", "--limit", "leaf-g1")
    assert "1 of 4 changed" in pushed.run("push", "--yes")
    pushed.hands()["leaf-g2"].configure("interface Ethernet1/1", "speed 100")
    assert "1 of 4 changed" in pushed.run("push", "--yes")
    assert pushed.json("validate")["failed"] == 0


def test_the_labs_switches_refuse_what_these_models_cannot(pushed: Operator) -> None:
    with pytest.raises(Exception, match="not supported on this hardware platform"):
        pushed.hands()["leaf-g1"].configure("interface Ethernet51", "mtu 9000")
    with pytest.raises(Exception, match="does not match the port capability"):
        pushed.hands()["leaf-g2"].configure("interface Ethernet1/1", "speed 25000")

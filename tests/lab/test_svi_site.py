"""A site whose hosts share a subnet per leaf, on leaves of all three systems: pushed, nothing to do again, valid, and
what a hand at a switch does to it is named.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from at_terminal import Operator

from tests.svi import LEAVES, SITE

pytestmark = pytest.mark.xdist_group("svi-site")


@contextmanager
def lab(where: Path) -> Iterator[Operator]:
    site = where / "svi"
    shutil.copytree(SITE, site)
    operator = Operator(site, where / "state")
    operator.start()
    try:
        yield operator
    finally:
        operator.run("lab", "down")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab(tmp_path_factory.mktemp("svi")) as operator:
        assert "6 of 6 changed" in operator.run("push", "--plane", "compute", "--yes")
        yield operator


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 6 changed" in pushed.run("push", "--plane", "compute", "--yes")


def test_the_whole_site_is_valid(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    judged = [each for each in report["findings"] if each["check"] == "vlan"]
    assert len(judged) == 12  # two host ports and the VLAN of each leaf
    svis = {each["device"] for each in report["findings"] if each["port"].lower() == "vlan200"}
    assert svis == set(LEAVES.values())
    figure(f"tested {report['tested']} of {report['of']}")


def test_a_host_port_in_another_vlan_and_an_svi_with_a_small_mtu_are_named_planned_and_repaired(
    pushed: Operator,
) -> None:
    hands = pushed.hands()
    hands[LEAVES["eos"]].configure(
        "interface Ethernet1/1", "switchport access vlan 3999", "exit", "interface Vlan200", "mtu 1500"
    )
    hands[LEAVES["nxos"]].configure(
        "interface Ethernet1/1", "switchport access vlan 310", "interface Vlan200", "mtu 1500"
    )
    report = pushed.run("validate", "--all", code=8)
    assert "leaf-g1-r0 Ethernet1/1 <-> gpu-1 rail0: access port of VLAN 3999" in report
    assert "leaf-g1-r1 Ethernet1/1 <-> gpu-1 rail1: access port of VLAN 310" in report
    for leaf in ("leaf-g1-r0", "leaf-g1-r1"):
        assert f"{leaf} Vlan200: MTU 1500 here" in report
    assert "2 of 6 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert pushed.json("validate")["failed"] == 0


def test_brownfield_vlans_come_through_and_one_of_our_number_stops_the_push(tmp_path: Path) -> None:
    with lab(tmp_path) as operator:
        operator.hands()[LEAVES["nxos"]].configure("vlan 200", "name STORAGE")
        refused = operator.run("push", "--plane", "compute", "--yes", code=7)
        assert "lines that are not shown to be ours are in the way: vlan 200" in refused
        assert "vlan 200 / name STORAGE" in refused
        file = operator.site / "fabric.yml"
        file.write_text(file.read_text(encoding="utf-8").replace("vlan: 200", "vlan: 201"), encoding="utf-8")
        assert "6 of 6 changed" in operator.run("push", "--plane", "compute", "--yes")
        text = operator.hands()[LEAVES["nxos"]].running()
        assert "vlan 200\n  name STORAGE\n" in text
        assert "vlan 310\n  name OLD-STORAGE\n" in text

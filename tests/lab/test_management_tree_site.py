"""An out-of-band plane in the lab: a 7010TX-48 and an N9K-C9348GC-FXP below two SN2201, lists both ways, base."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from adopting import adopt_words
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
    plane = data["planes"]["oob"]
    plane["services"] = {**plane["services"], "syslog": {"udp": 514}}
    plane["flows"] = [*plane["flows"], {"source": "switches", "destination": "bastion", "services": ["syslog"]}]
    data["base"] = {"ntp": ["10.183.0.2"], "syslog": ["10.183.0.2"]}
    file.write_text(yaml.safe_dump(data))
    return made


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("tree"), with_tree) as made:
        adopted = adopt_words(made, all_of_it=True)  # the servers of day 0
        assert "8 of 8 changed" in made.run("push", "--yes", *adopted)
        yield made


def test_a_second_push_changes_nothing_and_every_check_passes(pushed: Operator) -> None:
    assert "0 of 8 changed" in pushed.run("push", "--yes")
    report = pushed.json("validate", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    found = {each["device"]: each["found"] for each in report["findings"] if each["check"] == "management"}
    assert len(found) == 8
    assert found[ACCESS["eos"]] == "Management1 in VRF MGMT"


@pytest.mark.parametrize("system", ACCESS)
def test_svis_have_lists_in_both_directions(pushed: Operator, system: str) -> None:
    running = pushed.running()[ACCESS[system]]
    assert {word for word in (" in", " out") if "access-group" in running and word in running} == {" in", " out"}


@pytest.mark.parametrize(("server", "relaying"), [("10.183.0.2", "nxos"), ("10.183.0.66", "eos")])
def test_first_boots_pass_while_day_0_is_open_and_closed_again_the_switches_are_as_before(
    pushed: Operator, server: str, relaying: str
) -> None:
    """The server is below the one access switch, so the gateway of the other relays DHCP to it."""
    file, before = pushed.site / "fabric.yml", pushed.running()
    closed = file.read_text()
    file.write_text(f"{closed}\nday0: {{server: {server}, open: true}}\n")
    assert "2 of 8 changed" in pushed.run("push", "--yes")
    assert "0 of 8 changed" in pushed.run("push", "--yes")
    running = pushed.running()
    assert all("8443" in running[each] and "8080" in running[each] for each in ACCESS.values())
    relays = {"eos": f"ip helper-address {server}\n", "nxos": f"ip dhcp relay address {server}\n"}
    assert {system for system, each in ACCESS.items() if relays[system] in running[each]} == {relaying}
    found = pushed.json("prove", "--only", "isolation")["isolation"]
    assert found["proved"] == found["total"] > 0
    file.write_text(closed)
    assert "2 of 8 changed" in pushed.run("push", "--yes")
    assert pushed.running() == before

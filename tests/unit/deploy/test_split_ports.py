"""A cage that is broken out: its whole port goes as its parts come, and what others have on it is asked about."""

import pytest

from nornir_tasks.deploy.evidence import Evidence
from nornir_tasks.deploy.plan import DevicePlan, device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from tests.reference import reference
from tests.unit.design.wanted_of import wanted_of

FACTORY = ((), ("no switchport",), ("shutdown",))
"""What a port has of itself, or of a switch that others set up."""


@pytest.fixture(scope="module")
def split() -> Wanted:
    """A leaf with a cage that is broken out."""
    for each in device_configs(reference("lab-breakout", "nxos")):
        if each.config.os == "nxos" and "interface breakout module 1 port 1 " in wanted_of(each).text:
            return wanted_of(each)
    raise AssertionError


def planned(ours: Wanted, *lines: Path, adopted: tuple[Path, ...] = ()) -> DevicePlan:
    running = ConfigTree()
    for path in (("interface Ethernet1/1",), *lines):
        running.add_path(path)
    return device_plan(ours, ours.platform.to_text(running), Evidence(adopted=adopted))


@pytest.mark.parametrize("line", FACTORY)
def test_the_whole_port_of_a_factory_switch_is_in_nobodys_way(split: Wanted, line: Path) -> None:
    plan = planned(split, *([("interface Ethernet1/1", *line)] if line else []))
    assert not plan.others
    assert ("interface Ethernet1/1",) in {each.path for each in plan.changes if each.op == "-"}


@pytest.mark.parametrize(
    "line", [("interface Ethernet1/1", "ip address 192.0.2.1/31"), ("interface Ethernet1/1.7", "vrf member X")]
)
def test_what_others_have_on_the_whole_port_is_in_the_way_and_not_lost_unasked(split: Wanted, line: Path) -> None:
    plan = planned(split, line)
    met = [each for each in plan.others if each.is_in_the_way]
    assert met
    assert all(each.in_the_way_of[0].startswith("interface breakout module 1 port 1 ") for each in met)
    adopted = planned(split, line, adopted=tuple(each.adopt for each in met))
    assert not adopted.others
    assert line in {each.path for each in adopted.changes if each.op == "-"}

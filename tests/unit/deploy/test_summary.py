"""What is kept of a plan says all that the plan said, in a few kilobytes."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import DevicePlan, device_plan
from nornir_tasks.deploy.summary import summary
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.usecases.site import Selection, load, select

DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
EMPTY = {"eos": "", "nxos": "", "nvue": "{}"}
BY_SYSTEM = pytest.mark.parametrize("system", sorted(DEVICES))


@pytest.fixture(scope="module")
def lab() -> Selection:
    return select(load("lab-rails"))


def first_push(lab: Selection, system: str) -> DevicePlan:
    return device_plan(lab[DEVICES[system]], EMPTY[system])


def plan_of(*paths: Path) -> DevicePlan:
    nothing = [ConfigTree() for _ in range(4)]
    return DevicePlan("leaf", tuple(Change(path, "+") for path in paths), *nothing, is_saved=False)


@BY_SYSTEM
def test_every_change_of_a_first_push_is_shown_in_the_order_of_the_plan(lab: Selection, system: str) -> None:
    plan, os = first_push(lab, system), platform(system)
    kept = summary(plan, lab[DEVICES[system]])
    assert kept.changes == plan.changes
    assert [worst for _, worst in kept.rows()] == [os.disruption(change) for change in plan.changes]
    assert kept.count == len(plan.changes) > 100
    assert kept.disruption is max((os.disruption(each) for each in plan.changes), key=lambda each: each.severity)


@BY_SYSTEM
def test_a_plan_is_kept_in_less_than_twenty_bytes_a_line(lab: Selection, system: str) -> None:
    kept = summary(first_push(lab, system), lab[DEVICES[system]])
    assert len(kept.packed) < 20 * kept.count


def test_flags_of_a_switch_that_is_as_wanted_are_kept(lab: Selection) -> None:
    waiting, wanted = Waiting("gpufabric-lab-1", 30.0), lab[DEVICES["eos"]]
    kept = summary(replace(plan_of(), waiting=waiting), wanted)
    assert (kept.count, kept.changes, kept.disruption, kept.is_saved) == (0, (), Disruption.NONE, False)
    assert (kept.waiting, kept.owners) == (waiting, wanted.owners)


def test_lines_with_blanks_newlines_and_signs_of_other_alphabets_come_back_as_they_were(
    lab: Selection,
) -> None:
    paths = (("banner motd\nGrüße, 世界\nEOF",), ("interface Ethernet1/1", 'description "a\tb" / c'), ("bad \udc80",))
    plan = plan_of(*paths)
    assert summary(plan, lab[DEVICES["eos"]]).changes == plan.changes


def test_the_same_lines_in_another_order_are_the_same_plan_and_any_other_line_is_not(lab: Selection) -> None:
    plan = plan_of(("a",), ("b", "c"))
    kept = summary(plan, lab[DEVICES["eos"]])
    assert kept.is_of(plan)
    assert kept.is_of(plan_of(("b", "c"), ("a",)))
    others = [plan_of(("a",)), plan_of(("a",), ("b", "d")), plan_of(("a",), ("b", "c"), ("e",)), plan_of()]
    others.append(replace(plan, changes=tuple(replace(each, op="-") for each in plan.changes)))
    assert not any(kept.is_of(other) for other in others)

"""Planes told apart by tags, on switches that take what is sent: one after another, in either order, and away again."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import candidate, device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from tests.lab.line_shapes import Rendered
from tests.lab.typed_switches import SWITCHES, NxosSwitch, Switch
from tests.unit.design import tagged
from tests.unit.design.tagged import DEVICES, LEAVES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
ON_LEAVES = pytest.mark.parametrize("device", LEAVES.values(), ids=LEAVES)
PLANES = ("storage", "business", "compute")


def bare(device: str) -> Switch:
    """A switch of this kind on which nobody has configured anything of ours."""
    whole = part(device)
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "{}" if whole.config.os == "nvue" else "")
    return SWITCHES[whole.config.os](rendered)


def push(switch: Switch, wanted: Wanted) -> int:
    """Push one plane, with what goes with it; how many lines it changed. The switch takes all of it."""
    plan = device_plan(wanted, switch.running())
    planned = candidate(wanted, plan)
    running = wanted.platform.to_tree(switch.running())
    switch.take(planned)
    assert switch.refused == []
    if isinstance(switch, NxosSwitch):  # its own patch says what the plan says
        assert settle(server_changes(switch.printed), running) == frozenset(planned.changes)
    assert device_plan(wanted, switch.running()).changes == ()
    return len(plan.changes)


@SYSTEMS
def test_planes_pushed_in_either_order_leave_the_same_text_and_nothing_to_do(device: str) -> None:
    one, other = bare(device), bare(device)
    assert sum(push(one, part(device, plane)) > 0 for plane in PLANES) >= 2
    assert sum(push(other, part(device, plane)) > 0 for plane in reversed(PLANES)) >= 2
    whole = part(device)
    if whole.config.os != "nvue":  # whose keys have no order
        assert one.running() == other.running()
    assert whole.platform.to_tree(one.running()) == whole.platform.to_tree(other.running())
    assert device_plan(whole, one.running()).changes == ()
    parsed = whole.platform.parse(_owned(whole, one), whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config


def _owned(whole: Wanted, switch: Switch):
    return Rendered(whole.config, whole.capabilities, whole.claims, "").owned(whole.platform.to_tree(switch.running()))


@ON_LEAVES
def test_a_tag_lost_or_added_by_hand_is_repaired_by_its_plane_and_no_other_tag_moves(device: str) -> None:
    whole, switch = part(device), bare(device)
    push(switch, whole)
    before = whole.platform.to_tree(switch.running())
    port = tagged.host_port(device, "trunk")
    lost = next(
        path
        for path, node in before.walk()
        if not node
        and port in (path[0].removeprefix("interface "), *path[1:2])
        and path[-1].rpartition(" ")[2] == "420"
    )
    running = before.copy()
    del running.get(*lost[:-1]).children[lost[-1]]
    text = whole.platform.to_text(running)
    assert device_plan(part(device, "storage"), text).changes == ()
    plan = device_plan(part(device, "business"), text)
    assert [str(change) for change in plan.changes] == [f"+ {' / '.join(lost)}"]
    assert whole.platform.to_tree(text) != before


@SYSTEMS
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_plane_goes_and_comes_back_and_the_switch_runs_just_what_is_wanted(device: str, plane: str) -> None:
    whole, less, switch = part(device), part(device, gone=plane), bare(device)
    push(switch, whole)
    before = switch.running()
    if device in LEAVES.values():
        assert push(switch, less) > 0
        assert whole.platform.to_tree(switch.running()) != whole.platform.to_tree(before)
    push(switch, less)
    push(switch, whole)
    assert whole.platform.to_tree(switch.running()) == whole.platform.to_tree(before)

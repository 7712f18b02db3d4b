"""Link aggregation groups of two planes on switches that take what is sent: in either order, changed, and gone."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported, without
from tests.unit.design.bundled import BOOT, DEVICES, ROUTED, TRUNK, bundled, group, members, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
PLANES = ("storage", "business", "compute")


@SYSTEMS
def test_planes_pushed_in_either_order_leave_the_same_groups_and_nothing_to_do(device: str) -> None:
    whole = part(device)
    one, other = bare_like(whole), bare_like(whole)
    for plane in PLANES:
        push(one, part(device, plane))
    # a trunk without a VLAN would carry all of them on Cumulus Linux: the fabric alone is refused there
    for plane in PLANES[::-1] if whole.config.os != "nvue" else ("business", "compute", "storage"):
        push(other, part(device, plane))
    assert whole.platform.to_tree(one.running()) == whole.platform.to_tree(other.running())
    assert device_plan(whole, one.running()).changes == ()
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "")
    owned = rendered.owned(whole.platform.to_tree(one.running()))
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config


@SYSTEMS
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_plane_goes_and_comes_back_with_its_groups_and_the_other_one_keeps_its_own(device: str, plane: str) -> None:
    whole, less, switch = part(device), part(device, gone=plane), bare_like(part(device))
    push(switch, whole)
    before = switch.running()
    assert push(switch, less) > 0
    numbers = {"storage": {TRUNK, ROUTED}, "business": {TRUNK, BOOT}}[plane]
    left = {port.name for port in less.config.interfaces if port.lag is not None}
    assert left == {group(bundled().device(device), number) for number in numbers}
    push(switch, whole)
    assert whole.platform.to_tree(switch.running()) == whole.platform.to_tree(before)


@SYSTEMS
@pytest.mark.parametrize(("plane", "number"), [("storage", BOOT), ("business", ROUTED)])
def test_one_planes_push_changes_no_group_of_the_other(device: str, plane: str, number: int) -> None:
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    other = {"storage": "business", "business": "storage"}[plane]
    running = whole.platform.to_tree(switch.running())
    for path in _lines_of(device, number, running):
        text = whole.platform.to_text(without(running, path))
        assert device_plan(part(device, other), text).changes == (), path
        assert device_plan(part(device, plane), text).changes != (), path


@SYSTEMS
@pytest.mark.parametrize("number", [TRUNK, BOOT, ROUTED])
def test_every_changed_line_of_a_group_and_its_members_is_seen(device: str, number: int) -> None:
    whole = part(device)
    counts = [each_change_is_reported(whole, path) for path in _lines_of(device, number, whole.tree)]
    assert sum(deleted for deleted, _ in counts) > 10


def _lines_of(device: str, number: int, tree: ConfigTree) -> list[Path]:
    """The lines of a group and of its members, none that only has others below it."""
    names = {group(bundled().device(device), number), *members(device, number)}
    return [
        path
        for path, node in tree.walk()
        if len(path) > 1 and not node and names & {path[0].removeprefix("interface "), path[1]}
    ]

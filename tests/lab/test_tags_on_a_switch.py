"""Planes told apart by tags, on switches that take what is sent: one after another, in either order, and away again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, push
from tests.lab.typed_switches import NvueSwitch, Switch
from tests.unit.design import tagged
from tests.unit.design.tagged import DEVICES, LEAVES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
ON_LEAVES = pytest.mark.parametrize("device", LEAVES.values(), ids=LEAVES)
PLANES = ("storage", "business", "compute")


def bare(device: str) -> Switch:
    """A switch of this kind on which nobody has configured anything of ours."""
    return bare_like(part(device))


def opens_empty(device: str) -> bool:
    """Does a trunk without a VLAN carry all there are on this switch?"""
    return part(device).config.os == "nvue" and device in LEAVES.values()


@SYSTEMS
def test_planes_pushed_in_either_order_leave_the_same_text_and_nothing_to_do(device: str) -> None:
    one, other = bare(device), bare(device)
    assert sum(push(one, part(device, plane)) > 0 for plane in PLANES) >= 2
    whole = part(device)
    order = PLANES[::-1] if not opens_empty(device) else ("business", "compute", "storage")
    assert sum(push(other, part(device, plane)) > 0 for plane in order) >= 2
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


MEMBER = ("bridge", "domain", "br_default")


def take_list_off(switch: Switch, port: str) -> None:
    """Somebody removes the list of a port by hand: it carries all VLANs from then on."""
    if isinstance(switch, NvueSwitch):
        switch.remove("/".join(("", "interface", port, *MEMBER, "vlan")))
    else:
        switch.type((f"interface {port}", "no switchport trunk allowed vlan"))


def listed(switch: Switch, whole: Wanted, port: str) -> list[str]:
    """The VLANs of a port's list as the switch prints it; ``all`` if it prints none."""
    tree = whole.platform.to_tree(switch.running())
    if isinstance(switch, NvueSwitch):
        member = tree.get("interface", port, *MEMBER) or ConfigTree()
        return ["all"] if 'vlan: "all"' in member.children else sorted(member.children["vlan"].children)
    lines = tree.children[f"interface {port}"].children
    return sorted(line.rpartition(" ")[2] for line in lines if line.startswith("switchport trunk allowed vlan "))


def opened(device: str) -> tuple[Wanted, Switch, str]:
    """A switch that runs everything, and its trunk without a list."""
    whole, switch, port = part(device), bare(device), tagged.host_port(device, "trunk")
    push(switch, whole)
    take_list_off(switch, port)
    assert listed(switch, whole, port) == ["all"]
    return whole, switch, port


@ON_LEAVES
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_one_plane_never_takes_the_vlans_of_others_off_a_trunk_that_carries_all(device: str, plane: str) -> None:
    _, switch, port = opened(device)
    with pytest.raises(RefusedError) as refused:
        device_plan(part(device, plane), switch.running())
    (problem,) = refused.value.problems
    assert problem.where == f"{device} {port}"
    assert "carries all" in problem.what
    assert {"200", "410", "420", "430"} <= set(problem.found.replace(" ", ",").split(","))
    assert "push all planes" in problem.hint


@ON_LEAVES
def test_a_plane_without_a_vlan_on_a_trunk_that_carries_all_leaves_it_as_it_is(device: str) -> None:
    whole, switch, port = opened(device)
    assert push(switch, part(device, "compute")) == 0
    assert listed(switch, whole, port) == ["all"]


@ON_LEAVES
def test_all_planes_together_put_the_list_back_and_the_plan_says_what_goes(device: str) -> None:
    whole, switch, port = opened(device)
    before = switch.running()
    plan = device_plan(whole, before)
    gone = [change.path[-1] for change in plan.changes if change.op == "-"]
    assert gone == ['vlan: "all"' if whole.config.os == "nvue" else "switchport trunk allowed vlan all"]
    push(switch, whole)
    assert {"410", "420"} <= set(listed(switch, whole, port)) <= {"410", "420", "430"}
    push(switch, replace(whole, tree=plan.owned_before))
    assert whole.platform.to_tree(switch.running()) == whole.platform.to_tree(before)


@ON_LEAVES
def test_a_push_without_a_vlan_for_a_new_trunk_does_not_open_it(device: str) -> None:
    port, switch = tagged.host_port(device, "trunk"), bare(device)
    if opens_empty(device):
        with pytest.raises(RefusedError, match="would carry all"):
            device_plan(part(device, "compute"), switch.running())
        return
    push(switch, part(device, "compute"))
    assert listed(switch, part(device), port) == []


LEAVING = {"storage": {"410"}, "business": {"420", "430"}}


@ON_LEAVES
@pytest.mark.parametrize(("first", "second"), [("storage", "business"), ("business", "storage")])
def test_a_plane_that_leaves_a_trunk_takes_its_vlans_off_the_list_whoever_is_pushed_first(
    device: str, first: str, second: str
) -> None:
    whole, port = part(device), tagged.host_port(device, "trunk")
    for gone, vlans in LEAVING.items():
        switch = bare(device)
        push(switch, whole)
        before = set(listed(switch, whole, port))
        if opens_empty(device) and (first, gone) == ("business", "storage"):
            continue  # a subinterface of storage still has an MTU that its port has no more: the switch refuses it
        for plane in (first, second):
            push(switch, part(device, plane, gone=gone))
            if plane == gone:
                assert set(listed(switch, whole, port)) == before - vlans
        assert set(listed(switch, whole, port)) == before - vlans
        assert device_plan(part(device, gone=gone), switch.running()).changes == ()


@ON_LEAVES
def test_the_last_vlan_that_leaves_a_list_does_not_open_the_trunk(device: str) -> None:
    port, switch = tagged.host_port(device, "trunk"), bare(device)
    push(switch, part(device, "storage"))
    assert listed(switch, part(device), port) == ["410"]
    if opens_empty(device):
        with pytest.raises(RefusedError, match="would carry all"):
            push(switch, part(device, "storage", gone="storage"))
        return
    push(switch, part(device, "storage", gone="storage"))
    assert listed(switch, part(device), port) == []
    push(switch, part(device, "business", gone="storage"))
    assert set(listed(switch, part(device), port)) <= LEAVING["business"]

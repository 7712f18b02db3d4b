"""Planes with access lists of their own, on switches that take what is sent: one after another, and away again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from line_shapes import Rendered
from test_tags_on_a_switch import push
from typed_switches import SWITCHES, Switch

from nornir_tasks.deploy.plan import candidate, device_plan
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from tests.property.mutants import each_change_is_reported, running_text, without
from tests.unit.design import tagged
from tests.unit.design.filtered import part
from tests.unit.design.tagged import LEAVES

ON_LEAVES = pytest.mark.parametrize("device", LEAVES.values(), ids=LEAVES)
PLANES = ("storage", "business", "compute")


def bare(device: str) -> Switch:
    """A switch of this kind on which nobody has configured anything of ours."""
    whole = part(device)
    text = "{}" if whole.config.os == "nvue" else ""
    return SWITCHES[whole.config.os](Rendered(whole.config, whole.capabilities, whole.claims, text))


def order(device: str) -> tuple[str, ...]:
    """The other order of pushes; a trunk without a VLAN carries all on a switch where its list is no line."""
    return ("business", "compute", "storage") if part(device).config.os == "nvue" else PLANES[::-1]


def of_lists(tree: ConfigTree) -> list[Path]:
    """The lines of lists and those that apply them."""
    words = ("access-list", "access-group", "traffic-filter", "acl")
    return sorted(path for path in tree.paths() if any(word in line.split() for line in path for word in words))


@ON_LEAVES
def test_planes_pushed_in_either_order_leave_the_same_lists_and_nothing_to_do(device: str) -> None:
    one, other, whole = bare(device), bare(device), part(device)
    for plane in PLANES:
        push(one, part(device, plane))
    for plane in order(device):
        push(other, part(device, plane))
    tree = whole.platform.to_tree(one.running())
    assert tree == whole.platform.to_tree(other.running())
    assert device_plan(whole, one.running()).changes == ()
    owned = Rendered(whole.config, whole.capabilities, whole.claims, "").owned(tree)
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config
    assert len(parsed.config.access_lists) == 8
    assert {each.use for port in parsed.config.interfaces for each in port.acls} >= {"ipv4 in", "ipv4 out", "ipv6 in"}


@pytest.mark.sampled(1)
@ON_LEAVES
def test_every_line_of_a_list_that_is_lost_or_changed_is_brought_back(device: str) -> None:
    whole = part(device)
    changed = [sum(each_change_is_reported(whole, path)) for path in of_lists(whole.tree)]
    assert sum(changed) > 60


@ON_LEAVES
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_rule_lost_by_hand_is_repaired_by_its_plane_alone_and_exactly(device: str, plane: str) -> None:
    whole, switch = part(device), bare(device)
    push(switch, whole)
    before = whole.platform.to_tree(switch.running())
    beside = "business" if plane == "storage" else "storage"
    lost = next(
        path for path in of_lists(before) if f"{plane.upper()}-IN6" in " ".join(path) and " ".join(path).count("2049")
    )
    text = running_text(whole, without(before, lost))
    assert device_plan(part(device, beside), text).changes == ()
    plan = device_plan(part(device, plane), text)
    assert [(change.op, change.path) for change in plan.changes] == [("+", lost)]
    assert {whole.platform.disruption(change) for change in plan.changes} == {Disruption.DATAPLANE_BLIP}


@ON_LEAVES
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_plane_goes_and_comes_back_with_its_lists_and_no_other_list_moves(device: str, plane: str) -> None:
    whole, less, switch = part(device), part(device, gone=plane), bare(device)
    push(switch, whole)
    before = whole.platform.to_tree(switch.running())
    push(switch, less)
    left = of_lists(whole.platform.to_tree(switch.running()))
    assert left
    assert not [path for path in left if plane.upper() in " ".join(path)]
    push(switch, whole)
    assert whole.platform.to_tree(switch.running()) == before


@ON_LEAVES
def test_a_rule_that_changes_under_its_number_is_taken_by_the_switch(device: str) -> None:
    whole, switch = part(device), bare(device)
    push(switch, whole)
    mutant = running_text(whole, whole.tree).replace("443", "8443").replace("https", "8443")
    changed = replace(whole, tree=device_plan(whole, mutant).owned_before)
    push(switch, changed)
    assert device_plan(whole, switch.running()).changes
    push(switch, whole)


@ON_LEAVES
def test_lists_of_others_stay_and_one_on_our_own_path_is_never_changed(device: str) -> None:
    whole = part(device)
    switch = type(bare(device)).at_day0(whole.config)
    plan = device_plan(whole, switch.running())
    foreign = of_lists(plan.foreign_before)
    planned = candidate(whole, plan)
    switch.take(planned)
    after = whole.platform.to_tree(switch.running())
    assert switch.refused == []
    assert [path for path in foreign if after.get(*path) is None] == []
    assert device_plan(whole, switch.running()).changes == ()


GUARD = {
    "eos": "management ssh\n   ip access-group STORAGE-IN in\n",
    "nxos": "line vty\n  ip access-class STORAGE-IN in\n",
    "nvue": '{"system": {"control-plane": {"acl": {"STORAGE-IN": {"inbound": {}}}}}}',
}


@ON_LEAVES
def test_a_list_that_somebody_put_on_our_own_path_is_refused_at_plan(device: str) -> None:
    whole = part(device)
    text = GUARD[whole.config.os]
    running = text if whole.config.os == "nvue" else text + running_text(whole, ConfigTree())
    with pytest.raises(RefusedError, match="management path"):
        device_plan(whole, running)
    device_plan(whole, running, allow_management=True)


def test_both_planes_filter_the_trunk_that_they_share() -> None:
    for device in LEAVES.values():
        port = next(each for each in part(device).config.interfaces if each.name == tagged.host_port(device, "trunk"))
        assert {each.name for each in port.acls} == {"STORAGE-IN", "BUSINESS-IN6"}

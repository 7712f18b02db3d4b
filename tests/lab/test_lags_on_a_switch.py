"""Link aggregation groups of two planes on switches that take what is sent: in either order, changed, and gone."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import candidate, device_plan
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, plan, ports_shown, push, roll_back
from tests.lab.typed_switches import Switch
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


@pytest.mark.sampled(2)
@SYSTEMS
@pytest.mark.parametrize("number", [TRUNK, BOOT, ROUTED])
def test_every_changed_line_of_a_group_and_its_members_is_seen(device: str, number: int) -> None:
    whole = part(device)
    counts = [each_change_is_reported(whole, path) for path in _lines_of(device, number, whole.tree)]
    assert sum(deleted for deleted, _ in counts) > 10


THEIRS = {
    "eos": "interface Port-Channel{0}\n   description theirs\n   switchport access vlan 77\n"
    "interface Ethernet70/1\n   channel-group {0} mode active\n",
    "nxos": "feature lacp\nvlan 77\ninterface port-channel{0}\n  description theirs\n  switchport access vlan 77\n"
    "interface Ethernet1/60\n  switchport access vlan 77\n  channel-group {0} mode active\n",
    "nvue": '{{"interface": {{"bond{0}": {{"type": "bond", "description": "theirs", '
    '"bond": {{"member": {{"swp20": {{}}}}}}}}}}}}',
}
"""A group of somebody else's, of a port that nobody of ours uses."""
THEIR_PORT = {"eos": "Ethernet70/1", "nxos": "Ethernet1/60", "nvue": "swp20"}


def words(path: Path) -> set[str]:
    return {word for line in path for word in line.split()}


def with_theirs(device: str, number: int) -> Switch:
    whole = part(device)
    return type(bare_like(whole)).at_day0(whole.config, ports_shown(whole) + THEIRS[whole.config.os].format(number))


@SYSTEMS
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_group_of_others_under_a_number_of_ours_is_in_the_way_and_not_taken_over_unasked(
    device: str, plane: str
) -> None:
    switch, ours = with_theirs(device, TRUNK), part(device, plane)
    assert switch.refused == []
    before = switch.running()
    name = group(bundled().device(device), TRUNK)
    with pytest.raises(RefusedError, match=f"lines that are not shown to be ours are in the way: .*{name}") as refused:
        push(switch, ours)
    assert f"--adopt '{device}:" in str(refused.value)
    assert switch.running() == before


@SYSTEMS
def test_a_group_of_others_that_is_adopted_is_ours_until_its_push_is_taken_back(device: str) -> None:
    switch, ours = with_theirs(device, TRUNK), part(device)
    before, name = ours.platform.to_tree(switch.running()), group(bundled().device(device), TRUNK)
    met = plan(switch, ours).others
    assert any(each.is_in_the_way and name in " ".join(each.adopt) for each in met)
    assert any(not each.is_in_the_way and THEIR_PORT[ours.config.os] in " ".join(each.adopt) for each in met)
    push(switch, ours, *{each.adopt for each in met})  # with their port in it, which the switches show without a line
    runs = ours.platform.to_tree(switch.running())
    assert "theirs" not in switch.running()
    port = THEIR_PORT[ours.config.os]
    assert not [path for path, _ in runs.walk() if port in " ".join(path) and {"member", "channel-group"} & words(path)]
    assert plan(switch, ours).others == ()
    if ours.config.os == "nxos":  # a port does not join a group before both are of one kind: nothing is sent by halves
        return
    roll_back(switch, ours)
    assert ours.platform.to_tree(switch.running()) == before


@SYSTEMS
def test_a_group_of_others_under_another_number_comes_through_a_push_as_it_was(device: str) -> None:
    whole, switch = part(device), with_theirs(device, 77)
    before = switch.running()
    names = {group(bundled().device(device), 77), "Ethernet70/1", "Ethernet1/60"}
    push(switch, whole)
    trees = [whole.platform.to_tree(text) for text in (before, switch.running())]
    lines = [
        {path for path in tree.paths() if names & {path[0].removeprefix("interface "), *path[1:2]}} for tree in trees
    ]
    assert lines[0] == lines[1] != set()


@SYSTEMS
def test_a_member_that_leaves_by_hand_is_brought_back_by_its_plane_alone(device: str) -> None:
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    port = members(device, BOOT)[0]
    tree = whole.platform.to_tree(switch.running())
    lost = next(
        path
        for path, node in tree.walk()
        if not node
        and ((path[-1].startswith("channel-group ") and path[0].endswith(port)) or path[-2:] == ("member", port))
    )
    text = whole.platform.to_text(without(tree, lost))
    assert device_plan(part(device, "business"), text).changes == ()
    assert lost in {change.path for change in device_plan(part(device, "storage"), text).changes}


@pytest.mark.parametrize(
    ("number", "line", "what"),
    [
        (BOOT, "no lacp suspend-individual", "whether members of port-channel2 work individually cannot change"),
        (TRUNK, "switchport mode trunk", "port-channel1 cannot become another kind of port while it has members"),
    ],
)
def test_nxos_is_not_sent_what_it_refuses_of_a_group_with_members(number: int, line: str, what: str) -> None:
    device = DEVICES["nxos"]
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    running = without(whole.platform.to_tree(switch.running()), (f"interface port-channel{number}", line))
    plan = device_plan(whole, whole.platform.to_text(running))
    assert plan.changes
    with pytest.raises(RefusedError, match=what):
        candidate(whole, plan)


def test_nxos_is_sent_the_same_of_a_group_that_lost_its_members() -> None:
    device = DEVICES["nxos"]
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    running = without(
        whole.platform.to_tree(switch.running()), ("interface port-channel2", "no lacp suspend-individual")
    )
    for port in members(device, BOOT):
        running = without(running, (f"interface {port}", "channel-group 2 mode active"))
    text = whole.platform.to_text(running)
    assert candidate(whole, device_plan(whole, text)).changes


def _lines_of(device: str, number: int, tree: ConfigTree) -> list[Path]:
    """The lines of a group and of its members, none that only has others below it."""
    names = {group(bundled().device(device), number), *members(device, number)}
    return [
        path
        for path, node in tree.walk()
        if len(path) > 1 and not node and names & {path[0].removeprefix("interface "), path[1]}
    ]

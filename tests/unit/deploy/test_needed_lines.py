"""Lines of ours that others' lines need are not taken from under them, and change with the intent all the same."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.plan import device_plan, sides
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.usecases.earlier import restored
from tests import pushed
from tests.unit.design.toys import ONE_OF_EACH, both

BFD = "bfd interval 100 min_rx 100 multiplier 3"
NVUE = pytest.mark.parametrize("device", [each for name, each in ONE_OF_EACH.items() if name.startswith("nvue")])


def with_lines(tree: ConfigTree, *paths: Path) -> ConfigTree:
    made = tree.copy()
    for path in paths:
        made.add_path(path)
    return made


def without(tree: ConfigTree, path: Path) -> ConfigTree:
    made = tree.copy()
    above = made.get(*path[:-1])
    assert above is not None
    del above.children[path[-1]]
    return made


def test_times_of_sessions_change_though_a_session_of_others_has_them_too() -> None:
    """Both values at once would be no configuration: the switch would do something else than is planned."""
    ours = both(ONE_OF_EACH["nxos"])
    (wanted,) = (path for path, _ in ours.tree.walk() if path[0].startswith("bfd interval"))
    before = with_lines(without(ours.tree, wanted), (BFD,))
    (process,) = (text for text in ours.tree.children if text.startswith("router bgp "))
    theirs = (process, "neighbor 192.0.2.9", "bfd")
    running = ours.platform.to_text(with_lines(before, theirs))
    plan = device_plan(ours, running, pushed.evidence(pushed.done(ours, ConfigTree(), before)))
    assert {str(each) for each in plan.changes} == {f"- {BFD}", f"+ {wanted[-1]}"}
    assert not plan.others


def test_times_of_sessions_come_back_with_a_rollback_though_a_session_of_others_has_them_too() -> None:
    ours = both(ONE_OF_EACH["nxos"])
    (wanted,) = (path for path, _ in ours.tree.walk() if path[0].startswith("bfd interval"))
    before = with_lines(without(ours.tree, wanted), (BFD,))
    (process,) = (text for text in ours.tree.children if text.startswith("router bgp "))
    running = with_lines(ours.tree, (process, "neighbor 192.0.2.9", "bfd"))
    back = restored(ours, Done(ours.platform.to_text(before), ours.platform.to_text(ours.tree)))
    plan = device_plan(back, ours.platform.to_text(running))
    assert {str(each) for each in plan.changes} == {f"+ {BFD}", f"- {wanted[-1]}"}


def gone(ours: Wanted) -> Wanted:
    """The same switch, of which the intent wants nothing any more."""
    return replace(ours, text="", tree=ours.platform.to_tree(ours.platform.to_text(ConfigTree())))


@NVUE
@pytest.mark.parametrize("vrf", ["default", "STORE"])
def test_the_bgp_process_of_a_cumulus_switch_stays_for_a_session_of_others(device: str, vrf: str) -> None:
    ours = both(device)
    session = ("vrf", vrf, "router", "bgp", "neighbor", "192.0.2.9", "remote-as: 64999")
    running = with_lines(ours.tree, session)
    left = sides(gone(ours), running, pushed.pushed(ours))
    process = {
        path for path, _ in ours.tree.walk() if path[:2] == ("router", "bgp") and len(path) == 3 and ":" in path[2]
    }
    assert {path[2].split(":")[0] for path in process} >= {"state", "autonomous-system", "router-id"}
    for path in process:
        assert left.foreign.get(*path) is not None, path
    whole = ("vrf", "default", "router", "bgp", 'state: "enabled"')
    assert (left.foreign.get(*whole) is not None) is (vrf == "default")
    assert left.foreign.get(*session) is not None


@NVUE
def test_the_bgp_process_of_a_cumulus_switch_stays_for_a_session_typed_since_when_its_push_is_taken_back(
    device: str,
) -> None:
    ours = both(device)
    empty = ours.platform.to_text(ConfigTree())
    session = ("vrf", "default", "router", "bgp", "neighbor", "192.0.2.9", "remote-as: 64999")
    back = restored(ours, Done(empty, ours.platform.to_text(ours.tree)))
    left = sides(back, with_lines(ours.tree, session))
    for line in ("autonomous-system", "router-id"):
        kept = [path for path, _ in left.after.walk() if path[:2] == ("router", "bgp") and path[-1].startswith(line)]
        assert kept, line


@NVUE
def test_the_bgp_process_of_a_cumulus_switch_goes_where_nobody_else_has_a_session(device: str) -> None:
    ours = both(device)
    left = sides(gone(ours), ours.tree, pushed.pushed(ours))
    assert not [path for path, _ in left.foreign.walk() if path[:2] == ("router", "bgp")]
    assert not left.others

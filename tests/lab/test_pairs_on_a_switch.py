"""Pairs of leaves on switches that take what is sent: pushed twice, changed by hand, and gone."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.errors import RefusedError
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, push, shown
from tests.property.mutants import each_change_is_reported, without
from tests.unit.design import front
from tests.unit.design.paired import DEVICES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)


def paths_of_pair(device: str) -> list[tuple[str, ...]]:
    """The lines that are a pair's, wherever they stand."""
    words = ("mlag", "4094", "trunk group", "vpc", "peerlink", "no autostate")
    return [path for path, _ in part(device).tree.walk() if any(word in " / ".join(path) for word in words)]


@SYSTEMS
def test_a_pair_is_pushed_once_and_read_back_as_it_was_wanted(device: str) -> None:
    whole, switch = part(device), bare_like(part(device))
    assert push(switch, whole) > 0
    assert device_plan(whole, switch.running()).changes == ()
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "")
    owned = rendered.owned(whole.platform.to_tree(switch.running()))
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config


@SYSTEMS
def test_every_changed_line_of_a_pair_is_seen(device: str) -> None:
    whole = part(device)
    counts = [each_change_is_reported(whole, path) for path in paths_of_pair(device)]
    assert sum(deleted for deleted, _ in counts) > 5


@SYSTEMS
def test_a_line_of_a_pair_that_somebody_took_away_comes_back_alone(device: str) -> None:
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    before = whole.platform.to_tree(switch.running())
    paths = [path for path in paths_of_pair(device) if before.get(*path) is not None and not before.get(*path)]
    assert paths
    for path in paths:
        text = whole.platform.to_text(without(before, path))
        assert device_plan(whole, text).changes, path


def test_a_peer_link_without_a_vlan_for_untagged_frames_gets_one_by_one_line_and_stays_so() -> None:
    """As earlier versions left it: the secondary holds its bonds over both down."""
    whole = part(DEVICES["nvue"])
    switch = bare_like(whole)
    push(switch, whole)
    at = ("interface", "peerlink", "bridge", "domain", "br_default")
    earlier = without(whole.platform.to_tree(switch.running()), (*at, "untagged: 1"))
    earlier.add_path((*at, 'untagged: "none"'))
    changes = device_plan(whole, whole.platform.to_text(earlier), shown(switch)).changes
    assert {(each.op, each.path) for each in changes} == {("-", (*at, 'untagged: "none"')), ("+", (*at, "untagged: 1"))}
    assert push(switch, whole) == 0


@SYSTEMS
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_push_of_one_plane_brings_the_pair_with_it(device: str, plane: str) -> None:
    whole, switch = part(device), bare_like(part(device))
    if whole.config.os == "nvue" and not front.network().segments_at(device, plane):
        # a peer link without a VLAN would carry all of them on Cumulus Linux
        with pytest.raises(RefusedError, match="no VLAN of these planes is on this port"):
            push(switch, part(device, plane))
        return
    push(switch, part(device, plane))
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "")
    owned = rendered.owned(whole.platform.to_tree(switch.running()))
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert parsed.config.pair == whole.config.pair

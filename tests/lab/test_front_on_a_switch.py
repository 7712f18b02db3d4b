"""Storage and business planes of a front fabric on switches that take what is sent: in either order, changed, and gone.

What makes the leaves pairs is not on them yet: tests/lab/test_pairs_on_a_switch.py.
"""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import Path
from tests.lab.line_shapes import Rendered
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported, without
from tests.unit.design.front_full import DEVICES, part

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
OWN = {"storage": ("200", "STORAGE"), "business": ("300", "310", "320", "BUSINESS")}
"""Words of lines that are one plane's alone: its VLANs' numbers, and what its names begin with."""


@SYSTEMS
def test_planes_pushed_one_by_one_leave_the_same_as_both_together_and_nothing_to_do(device: str) -> None:
    whole = part(device)
    one, together = bare_like(whole), bare_like(whole)
    if device == DEVICES["nvue"]:  # only hosts of business are there, and a trunk without a list carries all VLANs
        with pytest.raises(RefusedError, match="first push a plane that has a VLAN on the port"):
            push(one, part(device, "storage"))
        push(one, part(device, "business"))
    for plane in ("storage", "business"):
        push(one, part(device, plane))
    push(together, whole)
    assert whole.platform.to_tree(one.running()) == whole.platform.to_tree(together.running())
    assert device_plan(whole, one.running()).changes == ()
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "")
    owned = rendered.owned(whole.platform.to_tree(one.running()))
    parsed = whole.platform.parse(owned, whole.capabilities, device, whole.config.model)
    assert not parsed.remainder
    assert parsed.config == whole.config


@pytest.mark.sampled(3)
@SYSTEMS
@pytest.mark.parametrize("plane", ["storage", "business"])
def test_a_push_of_one_plane_changes_no_line_of_the_other(device: str, plane: str) -> None:
    """Lines of the other one that somebody took away stay away, and their owner's push brings them back."""
    whole, switch = part(device), bare_like(part(device))
    push(switch, whole)
    running = whole.platform.to_tree(switch.running())
    (other,) = {"storage", "business"} - {plane}
    paths = [path for path in _lines_of(other, part(device)) if running.get(*path) is not None]
    for path in paths:
        text = whole.platform.to_text(without(running, path))
        assert device_plan(part(device, plane), text).changes == (), path
        assert device_plan(part(device, other), text).changes != (), path
    assert paths or (device, other) in {(DEVICES["nxos"], "business"), (DEVICES["nvue"], "storage")}


@pytest.mark.sampled(1)
@SYSTEMS
def test_every_changed_line_of_groups_vlans_gateways_and_lists_is_seen(device: str) -> None:
    whole = part(device)
    words = ("ort-channel1", "bond1", "channel-group 1", "lan200", "lan310", "V200-IN", "V310-IN")
    paths = [path for path, _ in whole.tree.walk() if any(word in part for word in words for part in path)]
    counts = [each_change_is_reported(whole, path) for path in paths]
    assert sum(deleted for deleted, _ in counts) > 20


def _lines_of(plane: str, whole: Wanted) -> list[Path]:
    """Lines of a plane's VLANs and lists, each with nothing below it."""
    found = [path for path, _ in whole.tree.walk() if not whole.tree.get(*path)]
    names = tuple(OWN[plane][:-1])
    return [
        path
        for path in found
        if path[0].startswith((f"ip access-list {OWN[plane][-1]}", f"ipv6 access-list {OWN[plane][-1]}"))
        or path[0] in {f"interface Vlan{number}" for number in names}
        or path[:2] in {("interface", f"vlan{number}") for number in names}
        or (path[0] == "acl" and path[1].startswith(OWN[plane][-1]))
    ]

"""A plane that moves into a VRF and out again, on switches that take what is sent."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from line_shapes import Rendered
from taken import pushed
from typed_switches import SWITCHES

from nornir_tasks.files.templates import environment
from nornir_tasks.render.render import render
from tests.unit.design import toys
from tests.unit.design.test_vrfs import their_session

VRF = "STORAGE"
HOLDS = {**toys.ONE_OF_EACH, "nvue-5.14": "spine-2"}


def rendered(device: str, vrf: str | None) -> Rendered:
    each = toys.realised(device, vrf)
    text = render(each.config, each.capabilities, environment(each.config.os))
    return Rendered(each.config, each.capabilities, each.claims, text)


@pytest.mark.parametrize(("before", "after"), [(None, VRF), (VRF, None), (VRF, "STORAGE-B")], ids=["in", "out", "on"])
@pytest.mark.parametrize("device", HOLDS.values(), ids=HOLDS)
def test_a_plane_that_changes_its_vrf_runs_just_its_new_lines(
    device: str, before: str | None, after: str | None
) -> None:
    pushed(rendered(device, before), rendered(device, after))


@pytest.mark.parametrize("device", HOLDS.values(), ids=HOLDS)
def test_a_switch_keeps_somebody_elses_session_in_our_vrf_through_a_change_of_ours(device: str) -> None:
    wanted = rendered(device, VRF)
    theirs = their_session(wanted.config.bgp.asn)[wanted.config.os]
    running = wanted.os.to_tree(wanted.text)
    for path in theirs:
        running.add_path(path)
    text = wanted.os.to_text(running)
    assert "description store" in text or '"store"' in text
    switch = SWITCHES[wanted.config.os](replace(wanted, text=re.sub(r"(description:?[ \"]+)store", r"\1stale", text)))
    assert switch.refused == []
    before = wanted.os.to_tree(switch.running())
    assert all(before.get(*path) is not None for path in theirs)
    planned = wanted.os.candidate(before, wanted.owned(before), wanted.owned(wanted.os.canonical(wanted.written())))
    assert planned.changes
    switch.take(planned)
    assert switch.refused == []
    after = wanted.os.to_tree(switch.running())
    assert all(after.get(*path) is not None for path in theirs)

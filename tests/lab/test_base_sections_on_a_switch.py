"""TACACS+, RADIUS, SNMPv3 on switches that others have configured: ours is added; theirs stays until adopted."""

from __future__ import annotations

import re

import pytest

from nornir_tasks.design.config.base import Base
from nornir_tasks.errors import RefusedError
from tests.lab.base_sections import SECTIONS, Section
from tests.lab.operated import Operated
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

EACH = pytest.mark.parametrize(
    ("section", "device"),
    [
        pytest.param(section, device, id=f"{name} {os}")
        for name, section in SECTIONS.items()
        for os, device in managed.DEVICES.items()
        if device in section.of_ours
    ],
)
VRFS = pytest.mark.parametrize("vrf", managed.VRFS)


@EACH
@VRFS
def test_what_others_have_stays_and_is_named_and_nothing_else_changes(section: Section, device: str, vrf: str) -> None:
    each = section.wanted(device, vrf)
    switch = Operated(section.brownfield(each))
    before = switch.paths(each)
    plan = switch.take_over(each)
    after = switch.paths(each)
    assert before ^ after == {change.path for change in plan.changes}
    assert each.tree.paths() <= after
    stay = {other.path for other in plan.others if not other.is_in_the_way}
    assert stay <= before & after
    for pattern in section.named:
        assert any(re.search(pattern, " ".join(path)) for path in stay), pattern
    again = switch.plan(each, allow_management=False)
    assert again.changes == ()
    parsed = each.platform.parse(again.owned_before, each.capabilities, device, each.config.model)
    for field in (each.field for each in SECTIONS.values()):
        of_it = each.config if field == section.field else None
        assert getattr(parsed.config.base, field) == getattr(of_it.base if of_it else Base(), field)
    assert not [path for path, node in parsed.remainder.walk() if not node.children and each.config.os != "nvue"]


@EACH
@VRFS
def test_what_others_have_goes_when_it_is_adopted_and_a_rollback_brings_it_back(
    section: Section, device: str, vrf: str
) -> None:
    each = section.wanted(device, vrf)
    switch = Operated(section.brownfield(each))
    before = switch.paths(each)
    assert any(re.search(section.gone, " ".join(path)) for path in before)
    switch.take_over(each, all_of_it=True)
    assert switch.plan(each).others == ()
    assert not {path for path in switch.paths(each) if re.search(section.gone, " ".join(path))}
    switch.roll_back(each)
    assert switch.paths(each) == before


@EACH
def test_a_change_of_our_own_path_is_refused_without_allow_management(section: Section, device: str) -> None:
    each = section.wanted(device)
    switch = Operated(section.brownfield(each))
    if device in section.guarded:
        with pytest.raises(RefusedError, match="--allow-management"):
            switch.plan(each, allow_management=False)
    else:
        assert switch.plan(each, allow_management=False).changes


@EACH
def test_what_somebody_changes_of_ours_is_taken_back_and_what_they_add_beside_it_named(
    section: Section, device: str
) -> None:
    each = section.wanted(device)
    switch = Operated(section.brownfield(each))
    switch.take_over(each)
    for path in section.of_ours[device]:
        assert switch.takes_back(each, path), path
    for path in section.beside[device]:
        assert not switch.takes_back(each, path), path


@EACH
def test_every_line_that_goes_or_changes_is_brought_back(section: Section, device: str) -> None:
    each = section.wanted(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= section.least[0]
    assert sum(changed for _, changed in counts) >= section.least[1]

"""The time zone of switches that others have configured: one of theirs is in the way, and ours is read back."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import DesignError, RefusedError
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.site import select
from tests.lab.operated import Operated
from tests.lab.typed_switches import SWITCHES
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("system", managed.DEVICES)
THEIRS: dict[str, Path] = {
    "eos": ("clock timezone Europe/Moscow",),
    "nxos": ("clock timezone PRM 5 0",),
    "nvue 5.14": ("system", 'timezone: "US/Eastern"'),
    "nvue 5.16": ("system", "date-time", 'timezone: "US/Eastern"'),
}
UTC = {"nvue 5.14": ("system", 'timezone: "Etc/UTC"'), "nvue 5.16": ("system", "date-time", 'timezone: "Etc/UTC"')}


def in_zone(system: str, zone: str) -> Wanted:
    """Time zone alone."""
    return select(managed.design(managed.settings(timezone=zone)), ["base"])[managed.DEVICES[system]]


def others(system: str, base: Wanted) -> Operated:
    """A switch as day 0 leaves it, in another zone."""
    switch = Operated(SWITCHES[base.config.os].at_day0(base.config))
    switch.switch.type(THEIRS[system])
    return switch


@pytest.mark.parametrize(
    ("system", "zone"),
    [*((each, "UTC") for each in THEIRS), *((each, "Europe/Berlin") for each in THEIRS if each != "nxos")],
)
def test_a_zone_of_others_is_in_the_way_until_it_is_adopted_and_a_rollback_brings_it_back(
    system: str, zone: str
) -> None:
    base = in_zone(system, zone)
    switch = others(system, base)
    before = switch.paths(base)
    assert THEIRS[system] in before
    with pytest.raises(RefusedError, match=r"in the way(?s:.*)timezone"):
        switch.push(base)
    switch.take_over(base)
    after = switch.paths(base)
    assert THEIRS[system] not in after
    assert {path for path in before ^ after if "timezone" not in path[-1]} == set()
    assert switch.plan(base).changes == ()
    assert (
        base.platform.parse(base.tree, base.capabilities, base.config.name, base.config.model).remainder.paths()
        == set()
    )
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_utc_is_said_once_and_a_second_push_changes_nothing(system: str) -> None:
    base = in_zone(system, "UTC")
    switch = Operated(SWITCHES[base.config.os].at_day0(base.config))
    assert {change.path for change in switch.push(base).changes} == (set() if system in UTC else base.tree.paths())
    if system in UTC:
        assert UTC[system] in switch.paths(base)
    assert switch.plan(base).changes == ()
    assert switch.plan(base).others == ()


@SYSTEMS
def test_the_zone_stays_where_it_is_not_managed(system: str) -> None:
    base = select(managed.design(managed.settings(ntp=("192.0.2.120",))), ["base"])[managed.DEVICES[system]]
    switch = others(system, base)
    switch.take_over(base, all_of_it=True)
    assert THEIRS[system] in switch.paths(base)


def test_a_zone_with_summer_time_is_refused_on_a_system_of_offsets() -> None:
    with pytest.raises(DesignError, match=r"timezone cannot be configured: .*fixed offsets"):
        in_zone("nxos", "Europe/Berlin")

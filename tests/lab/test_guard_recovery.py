"""A host port that BPDU guard shut comes back by itself; how long that takes, and other causes, are somebody's own."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.pipeline import Realised, device_configs
from nornir_tasks.files.templates import environment
from tests.lab.pushes import bare_like, push, roll_back
from tests.property.mutants import each_change_is_reported
from tests.unit.design import front

LINE = ("errdisable recovery cause bpduguard",)
THEIRS = (("errdisable recovery interval 60",), ("errdisable recovery cause link-flap",))
each_system = pytest.mark.parametrize("system", ["eos", "nxos"])


def switches() -> list[Realised]:
    return list(device_configs(front.network()))


def leaf(system: str) -> Wanted:
    found = next(each for each in switches() if each.config.os == system and _guards(each))
    return wanted(found.config, found.capabilities, found.claims, environment(system))


def _guards(each: Realised) -> bool:
    return any(port.edge for port in each.config.interfaces)


def test_every_switch_with_guarded_ports_has_the_line_and_no_other_one_does() -> None:
    typed = [each for each in switches() if each.config.os != "nvue"]
    has = {each.config.name: each.capabilities.edge_recovery in each.config.services for each in typed}
    assert has == {each.config.name: _guards(each) for each in typed}
    assert {each.config.os for each in typed if has[each.config.name]} == {"eos", "nxos"}


@each_system
def test_the_line_that_is_missing_comes_back_and_a_second_push_changes_nothing(system: str) -> None:
    here = leaf(system)
    assert each_change_is_reported(here, LINE)[0] == 1
    switch = bare_like(here)
    assert push(switch, here) > 0
    assert push(switch, here) == 0


@each_system
def test_what_others_say_of_ports_that_are_shut_stays(system: str) -> None:
    here = leaf(system)
    switch = bare_like(here)
    theirs = [each for each in THEIRS if system == "eos" or "interval" not in each[0]]
    for path in theirs:
        switch.type(path)
    push(switch, here)
    assert {LINE[0], *(path[0] for path in theirs)} <= {*switch.running().splitlines()}


def test_a_line_that_others_had_first_stays_when_a_push_is_taken_back() -> None:
    here = leaf("nxos")
    switch = bare_like(here)
    switch.type(LINE)
    push(switch, here)
    roll_back(switch, here)
    assert LINE[0] in switch.running().splitlines()

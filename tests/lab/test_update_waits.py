"""EOS tells nobody of routes before it has them in hardware; a spine that starts hears all its neighbours first."""

from __future__ import annotations

from functools import cache

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_configs
from nornir_tasks.files.templates import environment
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design import front

INSTALL, CONVERGENCE = "update wait-install", "update wait-for-convergence"


@cache
def network() -> Network:
    """The front fabric with spines of EOS."""
    site = front.data()
    site["fabrics"]["front"]["spine"] |= {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
    return front.built(site)


@cache
def switches() -> tuple[Realised, ...]:
    return tuple(device_configs(network()))


def test_all_switches_of_eos_wait_for_hardware_and_those_above_leaves_for_all_neighbours() -> None:
    levels = {each.name: each.level for each in network().devices}
    found = {
        each.config.name: (each.config.bgp.wait_for_install, each.config.bgp.wait_for_convergence)
        for each in switches()
        if each.config.bgp is not None and each.config.os == "eos"
    }
    assert found == {name: (True, levels[name] > 0) for name in found}
    assert {wait for _, wait in found.values()} == {False, True}


@pytest.mark.parametrize("line", [INSTALL, CONVERGENCE])
def test_a_wait_that_somebody_took_out_comes_back_and_a_second_push_changes_nothing(line: str) -> None:
    made = next(
        each
        for each in switches()
        if each.config.os == "eos" and each.config.bgp and (line == INSTALL or each.config.bgp.wait_for_convergence)
    )
    here = wanted(made.config, made.capabilities, made.claims, environment("eos"))
    assert made.config.bgp is not None
    assert each_change_is_reported(here, (f"router bgp {made.config.bgp.asn}", line))[0] == 1
    switch = bare_like(here)
    assert push(switch, here) > 0
    assert push(switch, here) == 0

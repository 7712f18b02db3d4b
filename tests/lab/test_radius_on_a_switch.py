"""RADIUS on switches that others have configured, beyond what is alike for all sections: `base_sections`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from tests.lab.base_sections import SECTIONS, radius
from tests.lab.operated import Operated
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
SECTION = SECTIONS["RADIUS"]


@SYSTEMS
def test_where_tacacs_is_managed_radius_servers_of_others_stay(device: str) -> None:
    each = radius(device)
    switch = SECTION.brownfield(each)
    network = managed.network(managed.POLICY)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa"})
    plain = replace(each.config.base, radius=None, tacacs=made.config.base.tacacs)
    config = replace(each.config, base=plain)
    other = wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))
    operated = Operated(switch)
    operated.take_over(other, all_of_it=True)
    assert set(SECTION.theirs[device]) <= operated.paths(each)


@SYSTEMS
def test_another_timeout_is_refused_without_allow_management(device: str) -> None:
    each = radius(device)
    switch = Operated(SECTION.brownfield(each))
    switch.take_over(each)
    with pytest.raises(RefusedError, match="--allow-management"):
        switch.plan(radius(device, timeout_s=20), allow_management=False)


def test_a_timeout_that_a_system_has_by_itself_is_not_rendered_where_it_is_not_printed() -> None:
    lines = {device: str(radius(device, timeout_s=5).tree.paths()) for device in ("leaf-g1-r0", "leaf-g1-r1")}
    assert "timeout 5" in lines["leaf-g1-r0"]
    assert "timeout" not in lines["leaf-g1-r1"]


def test_the_group_that_a_switch_has_by_itself_is_nobodys_and_no_difference() -> None:
    each = radius("leaf-g1-r1")
    switch = Operated(SECTION.brownfield(each))
    switch.take_over(each, all_of_it=True)
    switch.switch.type(("aaa group server radius radius", "server 192.0.2.95"))
    found = switch.plan(each)
    assert (found.changes, found.others) == ((), ())
    switch.push(radius("leaf-g1-r1", timeout_s=20))
    assert "aaa group server radius radius\n  server 192.0.2.95" in switch.switch.running()

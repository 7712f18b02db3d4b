"""TACACS+ on switches that others have configured: our servers, then local accounts; others' stay until adopted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.operated import Operated
from tests.lab.typed_switches import SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
GROUP = "aaa group server tacacs+ GPUFABRIC"
OF_OURS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": ((GROUP, "server 192.0.2.99 vrf MGMT"), ("aaa authentication login default local",)),
    "leaf-g1-r1": ((GROUP, "server 192.0.2.99"), ("aaa authentication login default local",)),
    "spine-1": (("system", "aaa", "authentication", 'order: ["local"]'),),
    "spine-2": (("system", "aaa", "authentication-order", "3", "radius"),),
}
"""What somebody may change of what is ours where TACACS+ is managed."""
BESIDE: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",),
        ("tacacs-server timeout 10",),
        ("aaa group server tacacs+ THEIRS",),
    ),
    "leaf-g1-r1": (
        ('tacacs-server host 192.0.2.99 key 7 "fewhg123"',),
        ("tacacs-server timeout 10",),
        ("aaa group server tacacs+ THEIRS",),
    ),
    "spine-1": (
        ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
        ("system", "aaa", "tacacs", "timeout: 20"),
    ),
    "spine-2": (
        ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
        ("system", "aaa", "tacacs", "timeout: 20"),
    ),
}
"""What somebody may add beside it."""


def aaa(device: str, vrf: str = "MGMT") -> Wanted:
    """TACACS+ alone, but for the local accounts that it needs."""
    network = managed.network(managed.settings(vrf=vrf, accounts=managed.ACCOUNTS, aaa=managed.POLICY.aaa))
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa"})
    config = replace(made.config, base=replace(made.config.base, accounts=()))
    return wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    return SWITCHES[each.config.os].at_day0(each.config)


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_servers_of_others_stay_and_are_named_and_nothing_else_changes(device: str, vrf: str) -> None:
    each = aaa(device, vrf)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    plan = switch.take_over(each)
    after = switch.paths(each)
    assert before ^ after == {change.path for change in plan.changes}
    assert each.tree.paths() <= after
    stay = {other.path for other in plan.others if not other.is_in_the_way}
    assert stay
    assert stay <= before & after
    parsed = each.platform.parse(switch.plan(each).owned_before, each.capabilities, device, each.config.model)
    assert parsed.config.base.tacacs == each.config.base.tacacs
    assert not [path for path, node in parsed.remainder.walk() if not node.children and each.config.os != "nvue"]


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_servers_of_others_go_when_they_are_adopted_and_a_rollback_brings_them_back(device: str, vrf: str) -> None:
    each = aaa(device, vrf)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    switch.take_over(each, all_of_it=True)
    assert switch.plan(each).others == ()
    assert not {path for path in switch.paths(each) if "192.0.2.9" in path or "SITE-TACACS" in " ".join(path)}
    switch.roll_back(each)
    assert switch.paths(each) == before


@SYSTEMS
def test_a_change_of_who_is_asked_is_refused_without_allow_management(device: str) -> None:
    each = aaa(device)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, brownfield(each).running())


@SYSTEMS
def test_what_somebody_changes_of_ours_is_taken_back_and_what_they_add_beside_it_named(device: str) -> None:
    each = aaa(device)
    switch = Operated(brownfield(each))
    switch.take_over(each)
    for path in OF_OURS[device]:
        assert switch.takes_back(each, path), path
    for path in BESIDE[device]:
        assert not switch.takes_back(each, path), path


@SYSTEMS
def test_every_line_that_goes_or_changes_is_brought_back(device: str) -> None:
    each = aaa(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= 5
    assert sum(changed for _, changed in counts) >= 2

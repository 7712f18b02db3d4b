"""RADIUS on switches that others have configured: our servers, then local accounts; others' stay until adopted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.operated import Operated
from tests.lab.typed_switches import SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
GROUP = "aaa group server radius GPUFABRIC-RADIUS"
THEIRS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("radius-server host 192.0.2.199 vrf MGMT key 7 071B245F5A",),
        ("aaa group server radius THEIRS", "server 192.0.2.199 vrf MGMT"),
    ),
    "leaf-g1-r1": (
        ('radius-server host 192.0.2.199 key 7 "ljw3976!" authentication accounting',),
        ("aaa group server radius THEIRS", "server 192.0.2.199"),
    ),
    "spine-1": (("system", "aaa", "radius", "server", "192.0.2.199", "port: 1812"),),
    "spine-2": (("system", "aaa", "radius", "server", "192.0.2.199", "port: 1812"),),
}
"""RADIUS servers that somebody else may have."""
OF_OURS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        (GROUP, "server 192.0.2.199 vrf MGMT"),
        ("radius-server host 192.0.2.95 vrf MGMT key 7 071B245F5A",),
        ("aaa authentication login default local",),
    ),
    "leaf-g1-r1": (
        (GROUP, "server 192.0.2.199"),
        ("radius-server timeout 20",),
        ("aaa authentication login default local",),
    ),
    "spine-1": (
        ("system", "aaa", "radius", "timeout: 20"),
        ("system", "aaa", "authentication", 'order: ["local"]'),
    ),
    "spine-2": (("system", "aaa", "authentication-order", "3", "tacacs"),),
}
"""What somebody may change of what is ours where RADIUS is managed."""
BESIDE: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("radius-server deadtime 10",),
        ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",),
    ),
    "leaf-g1-r1": (('radius-server key 7 "ljw3976!"',),),
    "spine-1": (("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),),
    "spine-2": (
        ("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),
        ("system", "aaa", "radius", "retransmit: 2"),
    ),
}
"""What somebody may add beside it."""


def radius(device: str, vrf: str = "MGMT", timeout_s: int | None = 10) -> Wanted:
    """RADIUS alone, but for the local accounts that it needs."""
    servers = {"radius": {**managed.RADIUS, "timeout_s": timeout_s}}
    network = managed.network(managed.settings(vrf=vrf, accounts=managed.ACCOUNTS, aaa=servers))
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa", "radius"})
    config = replace(made.config, base=replace(made.config.base, accounts=()))
    return wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    switch = SWITCHES[each.config.os].at_day0(each.config)
    for path in THEIRS[each.config.name]:
        switch.type(path)
    return switch


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_servers_of_others_stay_and_are_named_and_nothing_else_changes(device: str, vrf: str) -> None:
    each = radius(device, vrf)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    plan = switch.take_over(each)
    after = switch.paths(each)
    assert before ^ after == {change.path for change in plan.changes}
    assert each.tree.paths() <= after
    stay = {other.path for other in plan.others if not other.is_in_the_way}
    assert stay <= before & after
    assert any("192.0.2.199" in " ".join(path) for path in stay)
    assert any("tacacs" in " ".join(path) for path in stay)
    parsed = each.platform.parse(switch.plan(each).owned_before, each.capabilities, device, each.config.model)
    assert parsed.config.base.radius == each.config.base.radius
    assert parsed.config.base.tacacs is None
    assert not [path for path, node in parsed.remainder.walk() if not node.children and each.config.os != "nvue"]


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_servers_of_others_go_when_they_are_adopted_and_a_rollback_brings_them_back(device: str, vrf: str) -> None:
    each = radius(device, vrf)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    switch.take_over(each, all_of_it=True)
    assert switch.plan(each).others == ()
    after = switch.paths(each)
    assert not {path for path in after if "192.0.2.199" in path or "SITE-TACACS" in " ".join(path)}
    assert not {path for path in after if "tacacs" in " ".join(path) and "access-list" not in path[0]}
    switch.roll_back(each)
    assert switch.paths(each) == before


@SYSTEMS
def test_where_tacacs_is_managed_radius_servers_of_others_stay(device: str) -> None:
    each = radius(device)
    switch = brownfield(each)
    network = managed.network(managed.POLICY)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa"})
    plain = replace(each.config.base, radius=None, tacacs=made.config.base.tacacs)
    config = replace(each.config, base=plain)
    other = wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))
    operated = Operated(switch)
    operated.take_over(other, all_of_it=True)
    assert set(THEIRS[device]) <= operated.paths(each)


@SYSTEMS
def test_a_change_of_who_is_asked_is_refused_without_allow_management(device: str) -> None:
    each = radius(device)
    switch = Operated(brownfield(each))
    with pytest.raises(RefusedError, match="--allow-management"):
        switch.plan(each, allow_management=False)
    switch.take_over(each)
    other = radius(device, timeout_s=20)
    with pytest.raises(RefusedError, match="--allow-management"):
        switch.plan(other, allow_management=False)


@SYSTEMS
def test_what_somebody_changes_of_ours_is_taken_back_and_what_they_add_beside_it_named(device: str) -> None:
    each = radius(device)
    switch = Operated(brownfield(each))
    switch.take_over(each)
    for path in OF_OURS[device]:
        assert switch.takes_back(each, path), path
    for path in BESIDE[device]:
        assert not switch.takes_back(each, path), path


@SYSTEMS
def test_every_line_that_goes_or_changes_is_brought_back(device: str) -> None:
    each = radius(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= 5
    assert sum(changed for _, changed in counts) >= 2


def test_a_timeout_that_a_system_has_by_itself_is_not_rendered_where_it_is_not_printed() -> None:
    lines = {device: str(radius(device, timeout_s=5).tree.paths()) for device in ("leaf-g1-r0", "leaf-g1-r1")}
    assert "timeout 5" in lines["leaf-g1-r0"]
    assert "timeout" not in lines["leaf-g1-r1"]


def test_the_group_that_a_switch_has_by_itself_is_nobodys_and_no_difference() -> None:
    each = radius("leaf-g1-r1")
    switch = Operated(brownfield(each))
    switch.take_over(each, all_of_it=True)
    switch.switch.type(("aaa group server radius radius", "server 192.0.2.95"))
    found = switch.plan(each)
    assert (found.changes, found.others) == ((), ())
    switch.push(radius("leaf-g1-r1", timeout_s=20))
    assert "aaa group server radius radius\n  server 192.0.2.95" in switch.switch.running()

"""RADIUS on switches that others have configured: our servers first, then local accounts; others' servers go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.pushes import push
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
BY_HAND: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("radius-server host 192.0.2.95 vrf MGMT key 7 071B245F5A",),
        ("radius-server deadtime 10",),
        (GROUP, "server 192.0.2.199 vrf MGMT"),
        ("aaa authentication login default local",),
        ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",),
    ),
    "leaf-g1-r1": (
        ('radius-server key 7 "ljw3976!"',),
        ("radius-server timeout 20",),
        (GROUP, "server 192.0.2.199"),
        ("aaa authentication login default local",),
    ),
    "spine-1": (
        ("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),
        ("system", "aaa", "radius", "timeout: 20"),
        ("system", "aaa", "authentication", 'order: ["local"]'),
    ),
    "spine-2": (
        ("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),
        ("system", "aaa", "radius", "retransmit: 2"),
        ("system", "aaa", "authentication-order", "3", "tacacs"),
    ),
}
"""What somebody may add or change where RADIUS is managed."""


def radius(device: str, vrf: str | None = "MGMT", timeout_s: int | None = 10) -> Wanted:
    """RADIUS alone, but for the local accounts that it needs."""
    servers = replace(managed.RADIUS, timeout_s=timeout_s)
    policy = replace(managed.SERVERS, accounts=managed.ACCOUNTS, radius=servers, vrf=vrf, hostname=False, banner=None)
    network = managed.network(replace(policy, port=False, dns=None, ntp=None, syslog=None))
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
def test_servers_of_others_are_replaced_and_nothing_else_changes(device: str, vrf: str | None) -> None:
    each = radius(device, vrf)
    switch = brownfield(each)
    before = each.platform.to_tree(switch.running()).paths()
    changes = {path.path for path in device_plan(each, switch.running(), allow_management=True).changes}
    assert push(switch, each, allow_management=True) == len(changes)
    after = each.platform.to_tree(switch.running()).paths()
    assert before ^ after == changes
    assert each.tree.paths() <= after
    assert not {path for path in after if "192.0.2.199" in path or "SITE-TACACS" in " ".join(path)}
    assert not {path for path in after if "tacacs" in " ".join(path) and "access-list" not in path[0]}
    parsed = each.platform.parse(
        device_plan(each, switch.running()).owned_before, each.capabilities, device, each.config.model
    )
    assert parsed.config.base.radius == each.config.base.radius
    assert parsed.config.base.tacacs is None
    assert not [path for path, node in parsed.remainder.walk() if not node.children and each.config.os != "nvue"]
    assert not device_plan(each, switch.running()).changes


@SYSTEMS
def test_where_tacacs_is_managed_radius_servers_of_others_stay(device: str) -> None:
    each = radius(device)
    switch = brownfield(each)
    network = managed.network(replace(managed.SERVERS, accounts=managed.ACCOUNTS, tacacs=managed.POLICY.tacacs))
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa"})
    plain = replace(each.config.base, radius=None, tacacs=made.config.base.tacacs)
    config = replace(each.config, base=plain)
    other = wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))
    push(switch, other, allow_management=True)
    after = each.platform.to_tree(switch.running()).paths()
    assert set(THEIRS[device]) <= after


@SYSTEMS
def test_a_change_of_who_is_asked_is_refused_without_allow_management(device: str) -> None:
    each = radius(device)
    switch = brownfield(each)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, switch.running())
    push(switch, each, allow_management=True)
    other = radius(device, timeout_s=20)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(other, switch.running())


@SYSTEMS
def test_what_somebody_adds_or_changes_is_a_difference_and_taken_back(device: str) -> None:
    each = radius(device)
    switch = brownfield(each)
    push(switch, each, allow_management=True)
    good = each.platform.to_tree(switch.running())
    for path in BY_HAND[device]:
        switch.type(path)
        spoilt = each.platform.to_tree(switch.running())
        assert spoilt != good, path
        changes = device_plan(each, switch.running(), allow_management=True).changes
        assert {one.path for one in changes if one.op == "-"} == spoilt.paths() - good.paths(), path
        push(switch, each, allow_management=True)
        assert each.platform.to_tree(switch.running()) == good, path


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
    switch = brownfield(each)
    push(switch, each, allow_management=True)
    switch.type(("aaa group server radius radius", "server 192.0.2.95"))
    assert not device_plan(each, switch.running()).changes
    push(switch, radius("leaf-g1-r1", timeout_s=20), allow_management=True)
    assert "aaa group server radius radius\n  server 192.0.2.95" in switch.running()

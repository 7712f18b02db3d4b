"""TACACS+ on switches that others have configured: our servers first, then local accounts; others' servers go."""

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
GROUP = "aaa group server tacacs+ GPUFABRIC"
BY_HAND: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",),
        ("tacacs-server timeout 10",),
        (GROUP, "server 192.0.2.99 vrf MGMT"),
        ("aaa authentication login default local",),
        ("aaa group server tacacs+ THEIRS",),
    ),
    "leaf-g1-r1": (
        ('tacacs-server host 192.0.2.99 key 7 "fewhg123"',),
        ("tacacs-server timeout 10",),
        (GROUP, "server 192.0.2.99"),
        ("aaa authentication login default local",),
        ("aaa group server tacacs+ THEIRS",),
    ),
    "spine-1": (
        ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
        ("system", "aaa", "tacacs", "timeout: 10"),
        ("system", "aaa", "authentication", 'order: ["local"]'),
    ),
    "spine-2": (
        ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
        ("system", "aaa", "tacacs", "timeout: 10"),
        ("system", "aaa", "authentication-order", "3", "radius"),
    ),
}
"""What somebody may add or change where TACACS+ is managed."""


def aaa(device: str, vrf: str | None = "MGMT") -> Wanted:
    """TACACS+ alone, but for the local accounts that it needs."""
    policy = replace(managed.POLICY, vrf=vrf, hostname=False, banner=None, port=False, dns=None, ntp=None, syslog=None)
    network = managed.network(policy)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"aaa"})
    config = replace(made.config, base=replace(made.config.base, accounts=()))
    return wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    return SWITCHES[each.config.os].at_day0(each.config)


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_servers_of_others_are_replaced_and_nothing_else_changes(device: str, vrf: str | None) -> None:
    each = aaa(device, vrf)
    switch = brownfield(each)
    before = each.platform.to_tree(switch.running()).paths()
    changes = {path.path for path in device_plan(each, switch.running(), allow_management=True).changes}
    assert push(switch, each, allow_management=True) == len(changes)
    after = each.platform.to_tree(switch.running()).paths()
    assert before ^ after == changes
    assert each.tree.paths() <= after
    assert not {path for path in after if "192.0.2.9" in path or "SITE-TACACS" in " ".join(path)}
    parsed = each.platform.parse(
        device_plan(each, switch.running()).owned_before, each.capabilities, device, each.config.model
    )
    assert parsed.config.base.tacacs == each.config.base.tacacs
    assert not [path for path, node in parsed.remainder.walk() if not node.children and each.config.os != "nvue"]


@SYSTEMS
def test_a_change_of_who_is_asked_is_refused_without_allow_management(device: str) -> None:
    each = aaa(device)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, brownfield(each).running())


@SYSTEMS
def test_what_somebody_adds_or_changes_is_a_difference_and_taken_back(device: str) -> None:
    each = aaa(device)
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
    each = aaa(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= 5
    assert sum(changed for _, changed in counts) >= 2

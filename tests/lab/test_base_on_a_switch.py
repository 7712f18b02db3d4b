"""Base configuration on switches that others have configured: ours where it is managed, theirs where it is not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.plan import device_plan as plan_of
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import IntentError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.usecases.site import select
from tests.lab import pushes
from tests.lab.typed_switches import SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
BY_HAND: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("ntp server vrf MGMT 192.0.2.200 prefer",),
        ("ntp server 192.0.2.120",),
        ("logging host 192.0.2.200",),
        ("logging vrf MGMT host 192.0.2.201 1514 protocol tcp",),
        ("ip name-server vrf MGMT 192.0.2.200",),
        ("ip name-server 192.0.2.201",),
        ("ip route vrf MGMT 0.0.0.0/0 198.51.100.253",),
        ("interface Management1", "ip address 203.0.113.7/24 secondary"),
    ),
    "leaf-g1-r1": (
        ("ntp server 192.0.2.200 prefer use-vrf management",),
        ("ntp peer 192.0.2.201 use-vrf management",),
        ("logging server 192.0.2.200 3 use-vrf management",),
        ("vrf context management", "ip name-server 192.0.2.54 192.0.2.200"),
        ("ip name-server 192.0.2.201 use-vrf LEGACY",),
        ("vrf context management", "ip route 0.0.0.0/0 198.51.100.253"),
        ("interface mgmt0", "ip address 203.0.113.7/24 secondary"),
    ),
    "spine-1": (
        ("system", "ntp", "server", "192.0.2.200", 'iburst: "enabled"'),
        ("system", "ntp", 'state: "disabled"'),
        ("system", "syslog", "server", "192.0.2.200", "port: 601"),
        ("system", "dns", "server", "192.0.2.200", 'vrf: "mgmt"'),
        ("interface", "eth0", "ipv4", "address", "203.0.113.7/24"),
        ("vrf", "mgmt", "router", "static", "0.0.0.0/0", "via", "203.0.113.1", 'type: "ipv4-address"'),
    ),
    "spine-2": (
        ("service", "ntp", "mgmt", "server", "192.0.2.200", 'iburst: "on"'),
        ("service", "ntp", "default", "pool", "0.cumulusnetworks.pool.ntp.org"),
        ("system", "syslog", "server", "192.0.2.200", "port: 601"),
        ("service", "dns", "default", "server", "192.0.2.200"),
        ("interface", "eth0", "ip", "gateway", "203.0.113.1"),
    ),
}
"""What somebody may add on a switch whose base is managed."""
_OF_BASE = re.compile(
    r"(?s:banner (?:login|motd).*)|system / message / pre-login: .*"
    r"|interface (?:Management1|mgmt0) / (?:vrf|vrf member|ip address) .*"
    r"|vrf context management / ip route 0.0.0.0/0 .*"
    r"|vrf instance MGMT|no ip routing vrf MGMT|ip route vrf MGMT 0.0.0.0/0 .*|interface / eth0 / .*|vrf / mgmt / .*"
    r"|(?:hostname|ip name-server|ip domain-name|dns domain|ntp|logging) .*|vrf context management / ip name-server .*"
    r"|system / hostname: .*|(?:service|system) / (?:dns|ntp|syslog)(?: / .*)?"
)


def device_plan(wanted: Wanted, running: str) -> DevicePlan:
    """With leave to change the management path: some of base is on it."""
    return plan_of(wanted, running, allow_management=True)


def push(switch: Switch, wanted: Wanted) -> int:
    return pushes.push(switch, wanted, allow_management=True)


def brownfield(whole: Wanted) -> Switch:
    """A switch as day 0 leaves it, with time servers and log servers of others."""
    return SWITCHES[whole.config.os].at_day0(whole.config)


def wanted(device: str, *planes: str, **other: object) -> Wanted:
    return select(managed.design(replace(managed.SERVERS, **other)), planes)[device]  # type: ignore[arg-type]


def lines_of(whole: Wanted, switch: Switch) -> frozenset[Path]:
    return whole.platform.to_tree(switch.running()).paths()


def of_base(paths: frozenset[Path]) -> set[Path]:
    """The lines of base among them."""
    return {path for path in paths if _OF_BASE.fullmatch(" / ".join(path))}


@SYSTEMS
def test_base_alone_replaces_servers_of_others_and_touches_nothing_else(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    before = lines_of(base, switch)
    planned = device_plan(base, switch.running()).changes
    assert {change.op for change in planned} == {"+", "-"}
    assert push(switch, base) == len(planned)
    after = lines_of(base, switch)
    assert before ^ after == {change.path for change in planned}
    assert of_base(before ^ after) == before ^ after
    assert base.tree.paths() <= after
    assert {server.address for server in base.config.base.time_servers} == set(managed.POLICY.ntp or ())


@SYSTEMS
def test_a_server_that_somebody_adds_is_named_and_removed(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    push(switch, base)
    good = base.platform.to_tree(switch.running())
    for path in BY_HAND[device]:
        switch.type(path)
        spoilt = base.platform.to_tree(switch.running())
        assert spoilt != good, path
        removed = {each.path for each in device_plan(base, switch.running()).changes if each.op == "-"}
        assert removed == spoilt.paths() - good.paths(), path
        push(switch, base)
        assert base.platform.to_tree(switch.running()) == good, path


@SYSTEMS
def test_every_line_of_base_that_goes_or_changes_is_brought_back(device: str) -> None:
    base = wanted(device, "base")
    counts = [each_change_is_reported(base, path) for path, _ in base.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= len(managed.POLICY.ntp or ()) + len(managed.POLICY.syslog or ())


@SYSTEMS
@pytest.mark.parametrize("planes", [("compute",), ()], ids=["compute alone", "all of an unmanaged site"])
def test_servers_of_others_stay_where_base_is_not_pushed_or_not_managed(device: str, planes: tuple[str, ...]) -> None:
    whole = wanted(device, *planes) if planes else select(managed.site())[device]
    switch = brownfield(whole)
    theirs = of_base(lines_of(whole, switch))
    push(switch, whole)
    assert theirs
    assert of_base(lines_of(whole, switch)) == theirs


@SYSTEMS
def test_a_section_that_is_not_managed_stays_as_it_is(device: str) -> None:
    base = wanted(device, "base", syslog=None)
    switch = brownfield(base)
    before = lines_of(base, switch)
    push(switch, base)
    changed = before ^ lines_of(base, switch)
    assert changed
    assert not {path for path in changed if "logging" in path[0] or "syslog" in path}


@SYSTEMS
def test_an_empty_list_of_log_servers_removes_them_all(device: str) -> None:
    base = wanted(device, "base", ntp=None, syslog=())
    switch = brownfield(base)
    push(switch, base)
    left = base.platform.parse(
        split_base(base, base.platform.to_tree(switch.running())), base.capabilities, device, base.config.model
    )
    assert left.config.base.log_servers == ()


def split_base(base: Wanted, running: ConfigTree) -> ConfigTree:
    """What of a running configuration is the base's."""
    return device_plan(base, base.platform.to_text(running)).owned_before


@SYSTEMS
def test_a_whole_push_brings_base_along_and_a_push_of_base_finds_nothing_left(device: str) -> None:
    whole = wanted(device)
    switch = brownfield(whole)
    push(switch, whole)
    assert whole.owners == {"switch", "compute", "base"}
    assert device_plan(wanted(device, "base"), switch.running()).changes == ()
    assert device_plan(wanted(device, "compute"), switch.running()).changes == ()


def test_base_cannot_be_pushed_alone_where_it_is_not_managed() -> None:
    with pytest.raises(IntentError, match="no such plane: base"):
        select(managed.site(), ["base"])

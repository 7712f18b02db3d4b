"""Base configuration on switches that others have configured: ours is added, theirs stays until adopted."""

from __future__ import annotations

import re
from collections.abc import Set

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import IntentError, RefusedError
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.site import select
from tests.lab.operated import Operated, is_named
from tests.lab.typed_switches import SWITCHES
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
BESIDE: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("ntp server vrf MGMT 192.0.2.200 prefer",),
        ("ntp server 192.0.2.120",),
        ("logging host 192.0.2.200",),
        ("logging vrf MGMT host 192.0.2.201 1514 protocol tcp",),
        ("ip name-server vrf MGMT 192.0.2.200",),
        ("ip name-server 192.0.2.201",),
    ),
    "leaf-g1-r1": (
        ("ntp server 192.0.2.200 prefer use-vrf management",),
        ("ntp peer 192.0.2.201 use-vrf management",),
        ("logging server 192.0.2.200 3 use-vrf management",),
        ("ip name-server 192.0.2.201 use-vrf LEGACY",),
    ),
    "spine-1": (
        ("system", "ntp", "server", "192.0.2.200", 'iburst: "enabled"'),
        ("system", "ntp", 'state: "disabled"'),
        ("system", "syslog", "server", "192.0.2.200", "port: 601"),
        ("system", "dns", "server", "192.0.2.200", 'vrf: "mgmt"'),
        ("vrf", "mgmt", "router", "static", "0.0.0.0/0", "via", "203.0.113.1", 'type: "ipv4-address"'),
    ),
    "spine-2": (
        ("service", "ntp", "mgmt", "server", "192.0.2.200", 'iburst: "on"'),
        ("service", "ntp", "default", "pool", "0.cumulusnetworks.pool.ntp.org"),
        ("system", "syslog", "server", "192.0.2.200", "port: 601"),
        ("service", "dns", "default", "server", "192.0.2.200"),
    ),
}
"""What somebody may add beside ours on a switch whose base is managed."""
OF_OURS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("ip route vrf MGMT 0.0.0.0/0 198.51.100.253",),
        ("interface Management1", "ip address 203.0.113.7/24 secondary"),
        ("dns domain example.org",),
        ("banner login\nWelcome.\nEOF",),
    ),
    "leaf-g1-r1": (
        ("vrf context management", "ip name-server 192.0.2.54 192.0.2.200"),
        ("vrf context management", "ip route 0.0.0.0/0 198.51.100.253"),
        ("interface mgmt0", "ip address 203.0.113.7/24 secondary"),
        ("ip domain-name example.org",),
    ),
    "spine-1": (
        ("interface", "eth0", "ipv4", "address", "203.0.113.7/24"),
        ("system", "message", 'pre-login: "Welcome."'),
    ),
    "spine-2": (("interface", "eth0", "ip", "gateway", "203.0.113.1"),),
}
"""What they may change of what a push has set, or add to the management port that it has set up."""
_OF_BASE = re.compile(
    r"(?s:banner (?:login|motd).*)|system / message / pre-login: .*"
    r"|interface (?:Management1|mgmt0) / (?:vrf|vrf member|ip address) .*"
    r"|vrf context management / ip route 0.0.0.0/0 .*"
    r"|vrf instance MGMT|no ip routing vrf MGMT|ip route vrf MGMT 0.0.0.0/0 .*|interface / eth0 / .*|vrf / mgmt / .*"
    r"|(?:hostname|clock|ip name-server|ip domain-name|dns domain|ntp|logging) .*"
    r"|vrf context management / ip name-server .*"
    r"|system / (?:hostname|timezone): .*|(?:service|system) / (?:date-time|dns|ntp|syslog)(?: / .*)?"
)


def brownfield(whole: Wanted) -> Operated:
    """A switch as day 0 leaves it, with time servers and log servers of others."""
    return Operated(SWITCHES[whole.config.os].at_day0(whole.config))


def wanted(device: str, *planes: str, **other: object) -> Wanted:
    return select(managed.design(managed.altered(managed.SERVERS, **other)), planes)[device]


def of_base(paths: frozenset[Path]) -> set[Path]:
    """The lines of base among them."""
    return {path for path in paths if _OF_BASE.fullmatch(" / ".join(path))}


@SYSTEMS
def test_servers_of_others_stay_and_are_named_and_base_alone_touches_nothing_else(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    before = switch.paths(base)
    plan = switch.take_over(base)
    after = switch.paths(base)
    assert before ^ after == {change.path for change in plan.changes}
    assert of_base(before ^ after) == before ^ after
    assert base.tree.paths() <= after
    assert {server.address for server in base.config.base.time_servers} == set(map(str, managed.POLICY.ntp or ()))
    stay = {other.path for other in plan.others if not other.is_in_the_way}
    assert stay
    assert stay <= before & after


@SYSTEMS
def test_settings_of_others_are_in_the_way_until_they_are_adopted(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    with pytest.raises(RefusedError, match=r"not shown to be ours are in the way(?s:.*)--adopt"):
        switch.push(base)


@SYSTEMS
def test_servers_of_others_go_when_they_are_adopted_and_a_rollback_brings_them_back(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    before = switch.paths(base)
    plan = switch.take_over(base, all_of_it=True)
    assert "-" in {change.op for change in plan.changes}
    assert switch.plan(base).others == ()
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_what_somebody_changes_of_ours_is_taken_back_and_what_they_add_beside_it_named(device: str) -> None:
    base = wanted(device, "base")
    switch = brownfield(base)
    switch.take_over(base, all_of_it=True)
    for path in OF_OURS[device]:
        assert switch.takes_back(base, path), path
    for path in BESIDE[device]:
        assert not switch.takes_back(base, path), path


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
    theirs = of_base(switch.paths(whole))
    switch.take_over(whole, all_of_it=True)
    assert theirs
    assert of_base(switch.paths(whole)) == theirs


@SYSTEMS
def test_a_section_that_is_not_managed_stays_as_it_is(device: str) -> None:
    base = wanted(device, "base", syslog=None)
    switch = brownfield(base)
    before = switch.paths(base)
    switch.take_over(base, all_of_it=True)
    changed = before ^ switch.paths(base)
    assert changed
    assert not {path for path in changed if "logging" in path[0] or "syslog" in path}


@SYSTEMS
def test_an_empty_list_of_log_servers_removes_ours_and_names_those_of_others(device: str) -> None:
    base = wanted(device, "base", ntp=None)
    switch = brownfield(base)
    theirs = log_servers(switch.paths(base))
    switch.take_over(base)
    without = wanted(device, "base", ntp=None, syslog=())
    plan = switch.push(without)
    assert log_servers({change.path for change in plan.changes if change.op == "-"})
    assert log_servers(switch.paths(base)) == theirs
    assert {path for path in theirs if not is_named(path, plan)} == set()
    switch.take_over(without, all_of_it=True)
    assert not log_servers(switch.paths(base))


def log_servers(paths: Set[Path]) -> set[Path]:
    lines = r"logging (?:vrf \S+ )?(?:host|server) .*|system / syslog / server(?: / .*)?"
    return {path for path in paths if re.fullmatch(lines, " / ".join(path))}


@SYSTEMS
def test_a_whole_push_brings_base_along_and_a_push_of_base_finds_nothing_left(device: str) -> None:
    whole = wanted(device)
    switch = brownfield(whole)
    switch.take_over(whole)
    assert whole.owners == {"switch", "compute", "base"}
    assert switch.plan(wanted(device, "base")).changes == ()
    assert switch.plan(wanted(device, "compute")).changes == ()


def test_base_cannot_be_pushed_alone_where_it_is_not_managed() -> None:
    with pytest.raises(IntentError, match="no such plane: base"):
        select(managed.site(), ["base"])


@pytest.mark.parametrize("device", ["spine-1", "spine-2"])
def test_a_time_server_that_others_have_with_a_burst_is_taken_over_and_a_second_push_changes_nothing(
    device: str,
) -> None:
    """Plan and switch agree about what is left of a server when its only setting goes."""
    base = wanted(device, "base")
    switch = brownfield(base)
    burst = next(path for path in BESIDE[device] if path[-1].startswith("iburst"))
    address = str((managed.POLICY.ntp or ())[0])
    path = tuple(address if each == "192.0.2.200" else each for each in burst)
    switch.switch.type(path)
    before = switch.paths(base)
    switch.take_over(base, all_of_it=True)
    assert path not in switch.paths(base)
    assert path[:-1] in switch.paths(base)
    assert switch.plan(base).changes == ()
    switch.roll_back(base)
    assert switch.paths(base) == before

"""How switches are reached, pushed to switches that others have configured: protected, and brought back."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.site import select
from tests.lab.operated import Operated
from tests.lab.pushes import bare_like
from tests.lab.typed_switches import SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed, reached

SYSTEMS = pytest.mark.parametrize("device", reached.DEVICES.values(), ids=reached.DEVICES)
_API, _SSH = "management api http-commands", "management ssh"
OF_OURS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        (_API, "protocol https ssl profile EAPI"),
        ("management security", "ssl profile GPUFABRIC", "tls versions 1.0 1.1 1.2"),
        ("management security", "ssl profile GPUFABRIC", "certificate old.crt key old.key"),
        (_SSH, "no shutdown"),
        (_SSH, "idle-timeout 600"),
        ("system control-plane", "ip access-group LEGACY-EDGE vrf MGMT in"),
        ("system control-plane", "ip access-group LEGACY-EDGE in"),
        ("system control-plane", "ipv6 access-group LEGACY-EDGE in"),
        ("ip access-list GPUFABRIC-BASE-FABRIC", "5 permit ip any any"),
        ("ipv6 access-list GPUFABRIC-BASE-FABRIC-V6", "5 permit ipv6 any any"),
        ("ip access-list GPUFABRIC-BASE-CONTROL", "5 permit ip any any"),
    ),
    "leaf-g1-r1": (
        ("nxapi use-vrf default",),
        ("nxapi certificate httpscrt certfile bootflash:old.crt",),
        ("line vty", "exec-timeout 600"),
        ("interface mgmt0", "ip access-group LEGACY-STORAGE in"),
        ("ip access-list GPUFABRIC-BASE-CONTROL", "5 permit ip any any"),
    ),
    "spine-1": (
        ("system", "api", 'certificate: "self-signed"'),
        ("system", "api", 'state: "disabled"'),
        ("system", "ssh-server", 'permit-root-login: "enabled"'),
        ("interface", "eth0", "acl", "OLD-STORAGE", "inbound", "control-plane"),
        ("acl", "GPUFABRIC-BASE-CONTROL", "rule", "5", "action", "permit"),
    ),
    "spine-2": (
        ("system", "api", 'certificate: "self-signed"'),
        ("system", "ssh-server", "inactive-timeout: 0"),
    ),
}
"""What somebody may change of what is ours on a switch whose API is managed."""
BESIDE: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        (_API, "protocol http"),
        (_API, "vrf LEGACY", "no shutdown"),
        (_SSH, "vrf LEGACY", "no shutdown"),
    ),
    "leaf-g1-r1": (
        ("nxapi http port 80",),
        ("nxapi sandbox",),
        ("nxapi ssl ciphers weak",),
        ("nxapi ssl protocols TLSv1",),
        ("feature telnet",),
    ),
    "spine-1": (
        ("system", "api", "listening-address", "198.51.100.7"),
        ("system", "ssh-server", "vrf", "default"),
    ),
    "spine-2": (("system", "api", "listening-address", "0.0.0.0"),),
}
"""Further ways in that they may open beside it."""
OURS = {
    *(_API, _SSH, "management security", "system", "line vty", "system control-plane", "interface mgmt0"),
    *("ip access-list GPUFABRIC-BASE-CONTROL", "acl", "interface", "service"),
    *("ip access-list GPUFABRIC-BASE-FABRIC", "ipv6 access-list GPUFABRIC-BASE-FABRIC-V6"),
}
"""The blocks of all systems that a push of it touches."""
KEPT: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        (_API, "protocol https port 8443"),
        (_API, "vrf MGMT", "ip access-group MGMT-ACCESS"),
        (_SSH, "connection limit 20"),
        ("system control-plane", "tcp mss ceiling ipv4 1400"),
        (_SSH, "ip access-group MGMT-ACCESS vrf MGMT in"),
        ("management security", "ssl profile EAPI", "certificate eapi.crt key eapi.key"),
    ),
    "leaf-g1-r1": (("nxapi https port 8443",), ("line vty", "access-class CPP-MGMT in")),
    "spine-1": (("system", "api", "port: 8888"), ("system", "api", "token-expiration: 30")),
    "spine-2": (("system", "api", "port: 8888"), ("system", "ssh-server", "max-sessions: 20")),
}
"""What of the same blocks is others'."""


def wanted(device: str, *planes: str) -> Wanted:
    return select(reached.design(), planes)[device]


def brownfield(whole: Wanted) -> Switch:
    return SWITCHES[whole.config.os].at_day0(whole.config)


@SYSTEMS
@pytest.mark.parametrize("planes", [("base",), ()], ids=["base alone", "everything"])
def test_a_push_that_changes_the_way_to_a_switch_is_refused_unless_that_is_allowed(
    device: str, planes: tuple[str, ...]
) -> None:
    base = wanted(device, *planes)
    switch = brownfield(base)
    with pytest.raises(RefusedError, match=r"--allow-management"):
        device_plan(base, switch.running())
    assert device_plan(base, switch.running(), allow_management=True).changes
    assert device_plan(wanted(device, "compute"), switch.running()).changes


@SYSTEMS
def test_once_pushed_nothing_is_left_and_nothing_more_must_be_allowed(device: str) -> None:
    base = wanted(device, "base")
    switch = Operated(brownfield(base))
    before = switch.paths(base)
    assert switch.take_over(base).changes
    after = switch.paths(base)
    assert base.tree.paths() <= after
    assert switch.plan(base, allow_management=False).changes == ()
    touched = {path[0] for path in before ^ after}
    assert {each for each in touched if not each.startswith(("nxapi ", "ntp "))} <= OURS


@SYSTEMS
def test_what_others_have_set_is_in_the_way_until_it_is_adopted_and_a_rollback_brings_it_back(device: str) -> None:
    base = wanted(device, "base")
    switch = Operated(brownfield(base))
    before = switch.paths(base)
    with pytest.raises(RefusedError, match=r"in the way(?s:.*)--adopt"):
        switch.push(base)
    switch.take_over(base)
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_what_somebody_changes_of_ours_is_planned_away_and_what_they_open_beside_it_named(device: str) -> None:
    base = wanted(device, "base")
    switch = Operated(brownfield(base))
    switch.take_over(base)
    for path in OF_OURS[device]:
        typed = switch.copy()
        typed.switch.type(path)
        with pytest.raises(RefusedError, match=r"--allow-management"):
            typed.plan(base, allow_management=False)
        assert switch.takes_back(base, path), path
    for path in BESIDE[device]:
        assert not switch.takes_back(base, path), path


@SYSTEMS
def test_a_way_in_that_others_opened_is_closed_when_it_is_adopted(device: str) -> None:
    base = wanted(device, "base")
    switch = Operated(brownfield(base))
    switch.take_over(base)
    good = switch.paths(base)
    for path in BESIDE[device]:
        switch.switch.type(path)
        switch.push(base, path)
        assert switch.paths(base) == good, path


@SYSTEMS
def test_what_is_others_in_the_same_blocks_stays(device: str) -> None:
    base = wanted(device, "base")
    switch = Operated(brownfield(base))
    for path in KEPT[device]:
        switch.switch.type(path)
    switch.take_over(base)
    assert set(KEPT[device]) <= switch.paths(base)


@SYSTEMS
def test_a_rollback_leaves_what_others_have_put_since_into_blocks_that_the_push_had_made(device: str) -> None:
    base = wanted(device, "base")
    # only EOS has blocks that come with the push; no switch of the others was reached without its API and its port
    switch = Operated(bare_like(base) if base.config.os == "eos" else brownfield(base))
    never_pushed = switch.copy()
    switch.take_over(base)
    for path in KEPT[device]:
        switch.switch.type(path)
        never_pushed.switch.type(path)
    switch.roll_back(base)
    assert switch.paths(base) == never_pushed.paths(base)


def test_lists_of_the_default_vrf_go_once_they_are_not_asked_for_and_those_of_others_stay() -> None:
    device = reached.DEVICES["eos"]
    without = managed.altered(reached.POLICY, control_plane={"allowed": reached.ALLOWED})
    switch = Operated(brownfield(wanted(device, "base")))
    switch.take_over(wanted(device, "base"))
    ours = {path for path in switch.paths(wanted(device, "base")) if "GPUFABRIC-BASE-FABRIC" in " ".join(path)}
    assert len(ours) > 20
    left = select(reached.design(without), ["base"])[device]
    with pytest.raises(RefusedError, match=r"--allow-management"):
        switch.plan(left, allow_management=False)
    switch.push(left)
    assert not ours & switch.paths(left)
    for line in ("ip access-group LEGACY-EDGE in", "ipv6 access-group LEGACY-EDGE in"):
        switch.switch.type(("system control-plane", line))
    assert switch.plan(left, allow_management=False).changes == ()


@SYSTEMS
def test_every_line_that_goes_or_changes_is_brought_back(device: str) -> None:
    base = wanted(device, "base")
    counts = [each_change_is_reported(base, path) for path, _ in base.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= 3

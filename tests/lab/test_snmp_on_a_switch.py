"""SNMPv3 on switches that others have configured: our users and their keys; those of others stay until adopted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.config.snmp import KeyForm
from nornir_tasks.errors import DesignError, RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.operated import Operated
from tests.lab.typed_switches import SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

DEVICES = {os: device for os, device in managed.DEVICES.items() if not os.startswith("nvue")}
SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
KEY = "8da526cd35b9ea9b42d819036f7fad058576ea0a"
OF_OURS: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        (f"snmp-server user nms GPUFABRIC v3 localized 424242 auth sha {KEY} priv aes {KEY[:32]}",),
        ("snmp-server group GPUFABRIC v3 noauth",),
        ("snmp-server view GPUFABRIC iso excluded",),
        ("snmp-server view GPUFABRIC snmpMIB excluded",),
        ("snmp-server contact somebody else",),
    ),
    "leaf-g1-r1": (
        (f"snmp-server user nms network-operator auth sha 0x{KEY} priv aes-128 0x{KEY} localizedkey",),
        ("snmp-server contact somebody else",),
    ),
}
"""What somebody may change of what is ours where SNMP is managed."""
BESIDE: dict[str, tuple[Path, ...]] = {
    "leaf-g1-r0": (
        ("snmp-server community public ro",),
        ("snmp-server group THEIRS v3 auth",),
        (f"snmp-server user them THEIRS v3 localized 424242 auth sha {KEY}",),
        ("snmp-server host 192.0.2.61 vrf MGMT version 2c public",),
        ("snmp-server vrf OTHER",),
    ),
    "leaf-g1-r1": (
        ("snmp-server community public group network-operator",),
        (f"snmp-server user them network-admin auth sha 0x{KEY} priv aes-128 0x{KEY} localizedkey",),
        ("snmp-server host 192.0.2.61 traps version 2c public",),
    ),
}
"""What somebody may add beside it."""


def snmp(device: str, vrf: str = "MGMT", form: KeyForm = "v1", sections: frozenset[str] = frozenset()) -> Wanted:
    """SNMP, with further sections if they are named."""
    policy = managed.altered(managed.POLICY, vrf=vrf, management=None, snmp={**managed.SNMP, "keys": form})
    network = managed.network(policy)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & {"snmp", *sections}, kept_accounts=frozenset({"admin"}))
    base = replace(made.config.base, hostname=None, banner=None, timezone=None, name_servers=(), domain=None)
    base = replace(base, time_servers=(), log_servers=(), tacacs=None)
    if "accounts" not in sections:
        base = replace(base, accounts=())
    config = replace(made.config, base=base)
    return wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    return SWITCHES[each.config.os].at_day0(each.config)


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_users_of_others_stay_and_are_named_and_nothing_else_changes(device: str, vrf: str) -> None:
    each = snmp(device, vrf)
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
    assert parsed.config.base.snmp == each.config.base.snmp
    assert not list(parsed.remainder.walk())


@SYSTEMS
@pytest.mark.parametrize("vrf", managed.VRFS)
def test_users_of_others_go_when_they_are_adopted_and_a_rollback_brings_them_back(device: str, vrf: str) -> None:
    each = snmp(device, vrf)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    switch.take_over(each, all_of_it=True)
    assert switch.plan(each).others == ()
    assert not {path for path in switch.paths(each) if "telemetry" in path[0] or "198.51.100.30" in path[0]}
    switch.roll_back(each)
    assert switch.paths(each) == before


@SYSTEMS
def test_a_second_push_changes_nothing(device: str) -> None:
    each = snmp(device)
    switch = Operated(brownfield(each))
    switch.take_over(each)
    assert not switch.plan(each, allow_management=False).changes


@SYSTEMS
def test_what_somebody_changes_of_ours_is_taken_back_and_what_they_add_beside_it_named(device: str) -> None:
    each = snmp(device)
    switch = Operated(brownfield(each))
    switch.take_over(each)
    for path in OF_OURS[device]:
        assert switch.takes_back(each, path), path
    for path in BESIDE[device]:
        assert not switch.takes_back(each, path), path


@SYSTEMS
def test_every_line_that_goes_or_changes_is_brought_back(device: str) -> None:
    each = snmp(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= 6
    assert sum(changed for _, changed in counts) >= 2


@SYSTEMS
def test_which_notifications_are_sent_and_from_where_stays_as_it_is(device: str) -> None:
    each = snmp(device)
    switch = brownfield(each)
    theirs = {
        "leaf-g1-r0": ("snmp-server enable traps bgp", "snmp-server vrf MGMT local-interface Management1"),
        "leaf-g1-r1": ("snmp-server enable traps bgp", "snmp-server source-interface traps mgmt0"),
    }[device]
    for line in theirs:
        switch.type((line,))
    Operated(switch).take_over(each)
    assert {(line,) for line in theirs} <= each.platform.to_tree(switch.running()).paths()


def test_users_are_accounts_on_nxos_so_a_change_of_them_needs_leave() -> None:
    each = snmp(DEVICES["nxos"])
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, brownfield(each).running())


def test_the_second_form_of_keys_is_said_on_nxos_alone() -> None:
    lines = [line for (line,) in snmp(DEVICES["nxos"], form="v2").tree.paths() if " user nms " in line]
    assert [line.rsplit(" ", 1)[-1] for line in lines] == ["localizedV2key"]
    assert snmp(DEVICES["eos"], form="v2").tree == snmp(DEVICES["eos"]).tree


def test_each_switch_has_keys_and_an_engine_of_its_own() -> None:
    (line,) = (line for (line,) in snmp(DEVICES["eos"]).tree.paths() if " user nms " in line)
    engine = f"8000757104{DEVICES['eos'].encode().hex()}"
    keys = "auth sha <secret:nms-auth-leaf-g1-r0> priv aes <secret:nms-privacy-leaf-g1-r0>"
    assert line == f"snmp-server user nms GPUFABRIC v3 localized {engine} {keys}"


@pytest.mark.parametrize("device", ["spine-1", "spine-2"])
def test_a_system_without_localized_keys_is_refused_by_name(device: str) -> None:
    with pytest.raises(DesignError, match=r"snmp cannot be configured: Cumulus Linux .* clear text"):
        snmp(device)


class TestUsersThatAreAccounts:
    """NX-OS keeps a user of SNMP and an account of its name as one, and removes both together."""

    def test_of_an_account_that_stays_it_stays(self) -> None:
        each = snmp(DEVICES["nxos"])
        switch = brownfield(each)
        synchronized = f"snmp-server user admin network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey"
        switch.type((synchronized,))
        Operated(switch).take_over(each)
        assert (synchronized,) in each.platform.to_tree(switch.running()).paths()
        assert not device_plan(each, switch.running()).changes

    def test_of_one_that_others_have_it_stays_where_accounts_are_not_managed(self) -> None:
        each = snmp(DEVICES["nxos"])
        switch = brownfield(each)
        lines = ("username them password 5 $5$MNABCL$spiEpg7ZPDMlLbybdTkgMvg4p1oVYLD3yguZV9IcQD7  role network-admin",)
        lines += (f"snmp-server user them network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey",)
        for line in lines:
            switch.type((line,))
        Operated(switch).take_over(each)
        assert {(line,) for line in lines} <= each.platform.to_tree(switch.running()).paths()

    def test_of_one_that_is_adopted_it_goes_and_the_plan_shows_it(self) -> None:
        each = snmp(DEVICES["nxos"], sections=frozenset({"accounts"}))
        switch = brownfield(each)
        user = f"snmp-server user them network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey"
        switch.type(
            ("username them password 5 $5$MNABCL$spiEpg7ZPDMlLbybdTkgMvg4p1oVYLD3yguZV9IcQD7  role network-admin",)
        )
        switch.type((user,))
        operated = Operated(switch)
        before = operated.paths(each)
        named = {other.path for other in operated.plan(each).others}
        assert {path for path in before if " them " in path[0]} <= named
        plan = operated.take_over(each, ("username them",), ("snmp-server user them",))
        assert (user,) in {change.path for change in plan.changes if change.op == "-"}
        assert not {path for path in operated.paths(each) if " them " in path[0]}
        operated.roll_back(each)
        assert operated.paths(each) == before

    def test_of_one_that_is_adopted_without_it_both_stay_and_are_named(self) -> None:
        each = snmp(DEVICES["nxos"], sections=frozenset({"accounts"}))
        switch = brownfield(each)
        user = f"snmp-server user them network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey"
        switch.type(
            ("username them password 5 $5$MNABCL$spiEpg7ZPDMlLbybdTkgMvg4p1oVYLD3yguZV9IcQD7  role network-admin",)
        )
        switch.type((user,))
        operated = Operated(switch)
        plan = operated.take_over(each, ("username them",))
        theirs = {path for path in operated.paths(each) if " them " in path[0]}
        assert len(theirs) == 2
        assert theirs <= {other.path for other in plan.others}

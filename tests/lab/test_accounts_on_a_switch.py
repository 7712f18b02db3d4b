"""Accounts on switches that others have configured: ours as declared, others' named and kept, some never touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.operated import Operated
from tests.lab.typed_switches import LOGIN, SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
PUSHES = LOGIN[0]
"""The account that pushes."""
NEVER = {"eos": {PUSHES}, "nxos": {PUSHES, "admin"}, "nvue": {PUSHES, "cumulus"}}
GUEST: dict[str, Path] = {
    "eos": ("username guest privilege 1 nopassword",),
    "nxos": ("username guest password 5 $5$NBKCND$RQpGJfsuZ7AoTpkDP8ICkSA5vEUnYzV6moTX9oEP4H7  role network-admin",),
    "nvue": ("system", "aaa", "user", "guest", 'role: "system-admin"'),
}
"""An account that somebody adds."""
OF_OURS: dict[str, tuple[Path, ...]] = {
    "eos": (
        ("username ops ssh-key ssh-rsa AAAAB3NzaC1yc2E= ops@host",),
        ("username ops privilege 1 role network-admin secret sha512 $6$abcdefgh$0123456789",),
        ("username viewer privilege 15 role network-admin nopassword",),
    ),
    "nxos": (
        ("username viewer role vdc-admin",),
        ("username viewer passphrase lifetime 30 warntime 7 gracetime 3",),
        ("username ops password 5 $5$NBKCND$RQpGJfsuZ7AoTpkDP8ICkSA5vEUnYzV6moTX9oEP4H7  role network-operator",),
    ),
    "nvue": (
        ("system", "aaa", "user", "ops", 'full-name: "Somebody Else"'),
        ("system", "aaa", "user", "viewer", 'role: "system-admin"'),
        ("system", "aaa", "user", "ops", 'state: "disabled"'),
    ),
}
"""What somebody may add or change of a declared account."""


def accounts(device: str, pushes: str = PUSHES, declared: Mapping[str, object] = managed.ACCOUNTS) -> Wanted:
    """Accounts alone, as a push with this account sends them."""
    network = managed.network(managed.settings(accounts=declared))
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, kept_accounts=made.claims.kept_accounts | {pushes})
    return wanted(made.config, made.capabilities, claims, environment(made.config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    return SWITCHES[each.config.os].at_day0(each.config)


def names_in(paths: set[Path] | frozenset[Path]) -> set[str]:
    """The accounts that these lines are of."""
    found = {path[0].split()[1] for path in paths if path[0].startswith("username ")}
    return found | {path[3] for path in paths if path[:3] == ("system", "aaa", "user") and len(path) > 3}


@SYSTEMS
def test_others_accounts_stay_and_are_named_but_neither_the_one_that_pushes_nor_the_system_s(device: str) -> None:
    each = accounts(device)
    switch = Operated(brownfield(each))
    before = switch.paths(each)
    plan = switch.push(each)
    after = switch.paths(each)
    assert before ^ after == {change.path for change in plan.changes}
    assert {change.op for change in plan.changes} == {"+"}
    assert names_in({other.path for other in plan.others}) == names_in(before) - NEVER[each.config.os]
    assert names_in(after) == {"ops", "viewer"} | names_in(before)
    assert each.tree.paths() <= after


@SYSTEMS
def test_others_accounts_go_when_they_are_adopted_and_a_rollback_brings_them_back(device: str) -> None:
    each = accounts(device)
    switch = Operated(brownfield(each))
    switch.switch.type(GUEST[each.config.os])
    before = switch.paths(each)
    switch.take_over(each, all_of_it=True)
    assert names_in(switch.paths(each)) == {"ops", "viewer"} | (names_in(before) & NEVER[each.config.os])
    assert switch.plan(each).others == ()
    switch.roll_back(each)
    assert switch.paths(each) == before


@SYSTEMS
def test_an_account_of_others_with_a_declared_name_is_as_declared_without_being_adopted(device: str) -> None:
    each = accounts(device)
    switch = Operated(brownfield(each))
    fresh = Operated(switch.switch.copy())
    for path in OF_OURS[each.config.os]:
        switch.switch.type(path)
    before = switch.paths(each)
    plan = switch.push(each)
    assert not {"ops", "viewer"} & names_in({other.path for other in plan.others})
    fresh.push(each)
    assert switch.paths(each) == fresh.paths(each)
    switch.roll_back(each)
    assert switch.paths(each) == before


@SYSTEMS
def test_a_change_of_accounts_is_refused_without_allow_management(device: str) -> None:
    each = accounts(device)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, brownfield(each).running())


@SYSTEMS
def test_what_somebody_changes_of_an_account_of_ours_is_taken_back_and_one_that_they_add_named(device: str) -> None:
    each = accounts(device)
    switch = Operated(brownfield(each))
    switch.push(each)
    for path in OF_OURS[each.config.os]:
        assert switch.takes_back(each, path), path
    assert not switch.takes_back(each, GUEST[each.config.os])


@SYSTEMS
def test_an_account_of_ours_that_is_not_declared_any_more_goes(device: str) -> None:
    each = accounts(device)
    switch = Operated(brownfield(each))
    before = names_in(switch.paths(each))
    switch.push(each)
    fewer = accounts(device, declared={"ops": managed.ACCOUNTS["ops"]})
    switch.push(fewer)
    assert names_in(switch.paths(each)) == before | {"ops"}


@SYSTEMS
def test_every_line_of_an_account_that_goes_or_changes_is_brought_back(device: str) -> None:
    each = accounts(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= len(managed.ACCOUNTS)
    assert sum(changed for _, changed in counts) >= len(managed.ACCOUNTS) or each.config.os == "nvue", "all are text"


@SYSTEMS
def test_the_account_that_pushes_is_named_where_another_one_pushes_and_it_is_not_declared(device: str) -> None:
    each = accounts(device, pushes="somebody-else")
    plan = Operated(brownfield(each)).plan(each)
    assert PUSHES in names_in({other.path for other in plan.others})
    assert PUSHES not in names_in({change.path for change in plan.changes})


@SYSTEMS
def test_accounts_of_others_stay_where_accounts_are_not_managed(device: str) -> None:
    network = managed.network(managed.SERVERS)
    made = managed.device_config(network, network.device(device))
    each = wanted(made.config, made.capabilities, made.claims, environment(made.config.os), planes=("base",))
    switch = Operated(brownfield(each))
    before = names_in(switch.paths(each))
    plan = switch.take_over(each, all_of_it=True)
    assert names_in(switch.paths(each)) == before
    assert not names_in({other.path for other in plan.others})


def test_the_line_that_a_nexus_has_of_every_account_is_no_difference_and_goes_with_its_account() -> None:
    each = accounts(managed.DEVICES["nxos"])
    switch = Operated(brownfield(each))
    switch.switch.type(GUEST["nxos"])
    switch.take_over(each, all_of_it=True)
    for name in ("ops", PUSHES):
        switch.switch.type((f"username {name} passphrase lifetime 99999 warntime 14 gracetime 3",))
    assert switch.plan(each).changes == ()
    switch.switch.type(GUEST["nxos"])
    switch.switch.type(("username guest passphrase lifetime 99999 warntime 14 gracetime 3",))
    switch.push(each, ("username guest",))
    assert "guest" not in switch.switch.running()
    assert f"username {PUSHES} passphrase" in switch.switch.running()

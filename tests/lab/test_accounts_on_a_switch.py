"""Accounts on switches that others have configured: ours as declared, others' removed and shown, some never touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from tests.lab.pushes import push
from tests.lab.typed_switches import LOGIN, SWITCHES, Switch
from tests.property.mutants import each_change_is_reported
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
PUSHES = LOGIN[0]
"""The account that pushes."""
NEVER = {"eos": {PUSHES}, "nxos": {PUSHES, "admin"}, "nvue": {PUSHES, "cumulus"}}
BY_HAND: dict[str, tuple[Path, ...]] = {
    "eos": (
        ("username guest privilege 1 nopassword",),
        ("username ops ssh-key ssh-rsa AAAAB3NzaC1yc2E= ops@host",),
        ("username ops privilege 1 role network-admin secret sha512 $6$abcdefgh$0123456789",),
        ("username viewer privilege 15 role network-admin nopassword",),
    ),
    "nxos": (
        ("username guest password 5 $5$NBKCND$RQpGJfsuZ7AoTpkDP8ICkSA5vEUnYzV6moTX9oEP4H7  role network-admin",),
        ("username viewer role vdc-admin",),
        ("username viewer passphrase lifetime 30 warntime 7 gracetime 3",),
        ("username ops password 5 $5$NBKCND$RQpGJfsuZ7AoTpkDP8ICkSA5vEUnYzV6moTX9oEP4H7  role network-operator",),
    ),
    "nvue": (
        ("system", "aaa", "user", "guest", 'role: "system-admin"'),
        ("system", "aaa", "user", "ops", 'full-name: "Somebody Else"'),
        ("system", "aaa", "user", "viewer", 'role: "system-admin"'),
        ("system", "aaa", "user", "ops", 'state: "disabled"'),
    ),
}
"""What somebody may add or change on a switch whose accounts are managed."""


def accounts(device: str, pushes: str = PUSHES) -> Wanted:
    """Accounts alone, as a push with this account sends them."""
    policy = replace(managed.POLICY, hostname=False, port=False, dns=None, ntp=None, syslog=None, tacacs=None)
    network = managed.network(policy)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, kept_accounts=made.claims.kept_accounts | {pushes})
    return wanted(made.config, made.capabilities, claims, environment(made.config.os), planes=("base",))


def brownfield(each: Wanted) -> Switch:
    return SWITCHES[each.config.os].at_day0(each.config)


def planned(each: Wanted, switch: Switch) -> dict[Path, str]:
    return {change.path: change.op for change in device_plan(each, switch.running(), allow_management=True).changes}


def names_in(paths: set[Path] | frozenset[Path]) -> set[str]:
    """The accounts that these lines are of."""
    found = {path[0].split()[1] for path in paths if path[0].startswith("username ")}
    return found | {path[3] for path in paths if path[:3] == ("system", "aaa", "user") and len(path) > 3}


@SYSTEMS
def test_others_accounts_go_and_are_shown_but_neither_the_one_that_pushes_nor_the_system_s(device: str) -> None:
    each = accounts(device)
    switch = brownfield(each)
    before = each.platform.to_tree(switch.running()).paths()
    changes = planned(each, switch)
    removed = {path for path, op in changes.items() if op == "-"}
    assert names_in(removed) == names_in(before) - NEVER[each.config.os]
    assert push(switch, each, allow_management=True) == len(changes)
    after = each.platform.to_tree(switch.running()).paths()
    assert before ^ after == set(changes)
    assert names_in(after) == {"ops", "viewer"} | (names_in(before) & NEVER[each.config.os])
    assert each.tree.paths() <= after


@SYSTEMS
def test_a_change_of_accounts_is_refused_without_allow_management(device: str) -> None:
    each = accounts(device)
    with pytest.raises(RefusedError, match="--allow-management"):
        device_plan(each, brownfield(each).running())


@SYSTEMS
def test_what_somebody_adds_or_changes_of_an_account_is_a_difference_and_taken_back(device: str) -> None:
    each = accounts(device)
    switch = brownfield(each)
    push(switch, each, allow_management=True)
    good = each.platform.to_tree(switch.running())
    for path in BY_HAND[each.config.os]:
        switch.type(path)
        spoilt = each.platform.to_tree(switch.running())
        assert spoilt != good, path
        changes = planned(each, switch)
        assert {line for line, op in changes.items() if op == "-"} == spoilt.paths() - good.paths(), path
        push(switch, each, allow_management=True)
        assert each.platform.to_tree(switch.running()) == good, path


@SYSTEMS
def test_every_line_of_an_account_that_goes_or_changes_is_brought_back(device: str) -> None:
    each = accounts(device)
    counts = [each_change_is_reported(each, path) for path, _ in each.tree.walk()]
    assert sum(deleted for deleted, _ in counts) >= len(managed.ACCOUNTS)
    assert sum(changed for _, changed in counts) >= len(managed.ACCOUNTS) or each.config.os == "nvue", "all are text"


@SYSTEMS
def test_the_account_that_pushes_is_managed_where_it_is_declared(device: str) -> None:
    each = accounts(device, pushes="somebody-else")
    switch = brownfield(each)
    assert PUSHES in names_in({path for path, op in planned(each, switch).items() if op == "-"})


@SYSTEMS
def test_accounts_of_others_stay_where_accounts_are_not_managed(device: str) -> None:
    network = managed.network(managed.SERVERS)
    made = managed.device_config(network, network.device(device))
    each = wanted(made.config, made.capabilities, made.claims, environment(made.config.os), planes=("base",))
    switch = brownfield(each)
    before = names_in(each.platform.to_tree(switch.running()).paths())
    push(switch, each, allow_management=True)
    assert names_in(each.platform.to_tree(switch.running()).paths()) == before


def test_the_line_that_a_nexus_has_of_every_account_is_no_difference_and_goes_with_its_account() -> None:
    each = accounts(managed.DEVICES["nxos"])
    switch = brownfield(each)
    theirs = "password 5 $5$NBKCND$RQpGJfsuZ7AoTpkDP8ICkSA5vEUnYzV6moTX9oEP4H7  role network-admin"
    switch.type((f"username guest {theirs}",))
    push(switch, each, allow_management=True)
    for name in ("ops", PUSHES):
        switch.type((f"username {name} passphrase lifetime 99999 warntime 14 gracetime 3",))
    assert planned(each, switch) == {}
    switch.type((f"username guest {theirs}",))
    switch.type(("username guest passphrase lifetime 99999 warntime 14 gracetime 3",))
    push(switch, each, allow_management=True)
    assert "guest" not in switch.running()
    assert f"username {PUSHES} passphrase" in switch.running()

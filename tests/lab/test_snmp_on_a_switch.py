"""SNMPv3 on switches that others have configured, beyond what is alike for all sections: `base_sections`."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import DesignError
from tests.lab.base_sections import EOS, KEY, NVUE, NVUE_OLD, NXOS, SECTIONS, snmp
from tests.lab.operated import Operated
from tests.lab.typed_switches import Switch

SECTION = SECTIONS["SNMPv3"]
THEM = "username them password 5 $5$MNABCL$spiEpg7ZPDMlLbybdTkgMvg4p1oVYLD3yguZV9IcQD7  role network-admin"
THEIR_USER = f"snmp-server user them network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey"


@pytest.mark.parametrize("device", [EOS, NXOS], ids=["eos", "nxos"])
def test_which_notifications_are_sent_and_from_where_stays_as_it_is(device: str) -> None:
    each = snmp(device)
    switch = SECTION.brownfield(each)
    theirs = {
        EOS: ("snmp-server enable traps bgp", "snmp-server vrf MGMT local-interface Management1"),
        NXOS: ("snmp-server enable traps bgp", "snmp-server source-interface traps mgmt0"),
    }[device]
    for line in theirs:
        switch.type((line,))
    Operated(switch).take_over(each)
    assert {(line,) for line in theirs} <= each.platform.to_tree(switch.running()).paths()


def test_the_second_form_of_keys_is_said_on_nxos_alone() -> None:
    lines = [line for (line,) in snmp(NXOS, form="v2").tree.paths() if " user nms " in line]
    assert [line.rsplit(" ", 1)[-1] for line in lines] == ["localizedV2key"]
    assert snmp(EOS, form="v2").tree == snmp(EOS).tree


def test_each_switch_has_keys_and_an_engine_of_its_own() -> None:
    (line,) = (line for (line,) in snmp(EOS).tree.paths() if " user nms " in line)
    engine = f"8000757104{EOS.encode().hex()}"
    keys = "auth sha <secret:nms-auth-leaf-g1-r0> priv aes <secret:nms-privacy-leaf-g1-r0>"
    assert line == f"snmp-server user nms GPUFABRIC v3 localized {engine} {keys}"


@pytest.mark.parametrize("device", [NVUE, NVUE_OLD])
def test_a_system_without_localized_keys_is_refused_by_name(device: str) -> None:
    with pytest.raises(DesignError, match=r"snmp cannot be configured: Cumulus Linux .* clear text"):
        snmp(device)


class TestUsersThatAreAccounts:
    """NX-OS keeps a user of SNMP and an account of its name as one, and removes both together."""

    def test_of_an_account_that_stays_it_stays(self) -> None:
        each = snmp(NXOS)
        switch = SECTION.brownfield(each)
        synchronized = f"snmp-server user admin network-admin auth md5 0x{KEY[:32]} priv 0x{KEY[:32]} localizedkey"
        switch.type((synchronized,))
        Operated(switch).take_over(each)
        assert (synchronized,) in each.platform.to_tree(switch.running()).paths()
        assert not device_plan(each, switch.running()).changes

    def test_of_one_that_others_have_it_stays_where_accounts_are_not_managed(self) -> None:
        each = snmp(NXOS)
        switch = with_them(each)
        Operated(switch).take_over(each)
        assert {(THEM,), (THEIR_USER,)} <= each.platform.to_tree(switch.running()).paths()

    def test_of_one_that_is_adopted_it_goes_and_the_plan_shows_it(self) -> None:
        each = snmp(NXOS, sections=frozenset({"accounts"}))
        operated = Operated(with_them(each))
        before = operated.paths(each)
        named = {other.path for other in operated.plan(each).others}
        assert {path for path in before if " them " in path[0]} <= named
        plan = operated.take_over(each, ("username them",), ("snmp-server user them",))
        assert (THEIR_USER,) in {change.path for change in plan.changes if change.op == "-"}
        assert not {path for path in operated.paths(each) if " them " in path[0]}
        operated.roll_back(each)
        assert operated.paths(each) == before

    def test_of_one_that_is_adopted_without_it_both_stay_and_are_named(self) -> None:
        each = snmp(NXOS, sections=frozenset({"accounts"}))
        operated = Operated(with_them(each))
        plan = operated.take_over(each, ("username them",))
        theirs = {path for path in operated.paths(each) if " them " in path[0]}
        assert len(theirs) == 2
        assert theirs <= {other.path for other in plan.others}


def with_them(each: Wanted) -> Switch:
    """Somebody's account, and the user of SNMP that goes with it."""
    switch = SECTION.brownfield(each)
    for line in (THEM, THEIR_USER):
        switch.type((line,))
    return switch

"""Of two switches with one HSRP group the one of greater rank is active, while they hear each other; else both are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from test_fabric_pairs import KEEPALIVE, PEER_LINK, A, B, Lab

from switch_twins import hsrp
from switch_twins.state import HsrpGroup, InterfaceState

GROUP = HsrpGroup(200, "10.1.0.1", 100, version=2)
OWN = {A: "10.1.0.2/24", B: "10.1.0.3/24"}
ACTIVE, STANDBY, INITIAL = "active", "standby", "initial"


class Gateways(Lab):
    """The pair, with an SVI in the VLAN of its host and a group on it."""

    def __init__(self) -> None:
        super().__init__()
        for name in (A, B):
            svi = InterfaceState("Vlan200", addresses=(OWN[name],), svi_vlan=200, hsrp=(GROUP,))
            switch = self.switches[name]
            switch.commit(interfaces=(*switch.config.interfaces, svi))

    def group(self, name: str, **changes: Any) -> None:
        self.set(name, "Vlan200", hsrp=(replace(GROUP, **changes),))

    def roles(self) -> list[str]:
        return [each.role for name in (A, B) for each in hsrp.standings(self.sim, name)]


def test_the_greater_priority_is_active_and_of_equal_ones_the_higher_address() -> None:
    lab = Gateways()
    assert lab.roles() == [STANDBY, ACTIVE]
    lab.group(A, priority=110)
    assert lab.roles() == [ACTIVE, STANDBY]
    standing, _ = (hsrp.standings(lab.sim, name)[0] for name in (A, B))
    assert standing.other is not None
    assert (standing.own.address, standing.other.address) == ("10.1.0.2", "10.1.0.3")


def test_the_higher_address_is_by_number_not_by_spelling() -> None:
    lab = Gateways()
    lab.set(A, "Vlan200", addresses=("10.1.0.10/24",))
    assert lab.roles() == [ACTIVE, STANDBY]


@pytest.mark.parametrize("change", [{"number": 7}, {"version": 1}])
def test_groups_of_another_number_or_version_do_not_meet(change: dict[str, Any]) -> None:
    lab = Gateways()
    lab.group(B, **change)
    assert lab.roles() == [ACTIVE, ACTIVE]


def test_switches_that_do_not_hear_each_other_are_both_active() -> None:
    lab = Gateways()
    for cable in PEER_LINK:
        lab.sim.cut_cable(cable)
    assert lab.roles() == [ACTIVE, ACTIVE]
    lab.sim.mend_cable(PEER_LINK[0])
    assert lab.roles() == [STANDBY, ACTIVE]
    lab.set(B, "Group1", vlans=frozenset({4094}))
    assert lab.roles() == [ACTIVE, ACTIVE]


def test_keepalives_that_do_not_arrive_change_nothing() -> None:
    lab = Gateways()
    lab.sim.cut_cable(KEEPALIVE)
    assert lab.roles() == [STANDBY, ACTIVE]


def test_a_switch_whose_svi_is_down_or_has_no_address_leaves_the_gateway_to_the_other_one() -> None:
    lab = Gateways()
    lab.set(B, "Vlan200", is_admin_up=False)
    assert lab.roles() == [ACTIVE, INITIAL]
    lab.set(B, "Vlan200", is_admin_up=True, addresses=())
    assert lab.roles() == [ACTIVE, INITIAL]
    lab.set(B, "Vlan200", addresses=(OWN[B],))
    lab.group(B, address="")
    assert lab.roles() == [ACTIVE, INITIAL]


def test_a_switch_without_power_leaves_the_gateway_to_the_other_one() -> None:
    lab = Gateways()
    lab.sim.switch_off(B)
    assert lab.roles() == [ACTIVE, INITIAL]


def test_a_switch_without_groups_has_none_to_show() -> None:
    assert hsrp.standings(Lab().sim, A) == ()

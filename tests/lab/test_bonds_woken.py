"""A member of a bond of which the kernel has chosen no aggregator is taken down and up; all others are left alone."""

from __future__ import annotations

from typing import Any

from switch_twins.routed.aggregators import members_to_wake

UP = ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"]
DARK = ["NO-CARRIER", "BROADCAST", "MULTICAST", "UP"]
NOBODY = {"ad_info": {"aggregator": 1, "num_ports": 1, "partner_mac": "00:00:00:00:00:00"}}


def bond(*flags: str, mode: str = "802.3ad", **data: Any) -> dict[str, Any]:
    """As ``ip -details -json link show`` of iproute2 6.1 prints it."""
    return {
        "ifname": "Port-Channel1",
        "flags": [*flags, "MASTER"],
        "linkinfo": {"info_kind": "bond", "info_data": {"mode": mode, **data}},
    }


def member(flags: list[str], name: str = "Ethernet1") -> dict[str, Any]:
    return {"ifname": name, "flags": [*flags, "SLAVE"], "master": "Port-Channel1"}


def test_a_bond_that_has_chosen_no_aggregator_has_its_members_woken() -> None:
    shown = [bond(*DARK), member(UP), member(UP, "Ethernet2"), member(DARK, "Ethernet3"), {}]
    assert [*members_to_wake(shown)] == ["Ethernet1", "Ethernet2"]


def test_a_bond_to_nobody_one_without_lacp_and_one_that_is_shut_are_left_alone() -> None:
    for left_alone in (bond(*UP, **NOBODY), bond(*DARK, mode="balance-xor"), bond("BROADCAST")):
        assert [*members_to_wake([left_alone, member(UP)])] == []

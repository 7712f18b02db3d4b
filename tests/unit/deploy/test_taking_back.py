"""A rollback takes a push back, and nothing that others typed since: that stays, and is named where it matters."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.evidence import Done, Needs
from nornir_tasks.deploy.plan import DevicePlan, device_plan
from nornir_tasks.platforms.config_tree import Path as Line
from tests.unit.design.toys import both

LEAF = both("leaf-g1-r0")
OS = LEAF.platform
PORT = "interface Ethernet1/1"
BEFORE = f"{PORT}\n   description theirs\n   mtu 1500\nip route 192.0.2.0/24 Null0\n"
AFTER = (
    f"{PORT}\n   mtu 9214\n   no switchport\nvlan 200\n   name OURS\nip prefix-list OURS\n   seq 10 permit 10.0.0.0/8\n"
)


def rollback(running: str, before: str = BEFORE, after: str = AFTER, needs: Needs | None = None) -> DevicePlan:
    done = Done(before, after, needs=needs or {})
    return device_plan(replace(LEAF, undoes=done), running, allow_management=True)


def left(plan: DevicePlan) -> str:
    """The switch afterwards."""
    tree = plan.foreign_before.copy()
    tree.merge(plan.owned_after)
    return OS.to_text(tree)


def same(one: str, other: str) -> bool:
    return OS.to_tree(one) == OS.to_tree(other)


def reasons(plan: DevicePlan) -> dict[Line, str]:
    return {each.path: each.reason for each in plan.others}


def test_a_switch_that_nobody_touched_is_as_it_was_before_the_push() -> None:
    plan = rollback(AFTER)
    assert same(left(plan), BEFORE)
    assert plan.others == ()


def test_what_is_as_it_was_already_is_not_changed() -> None:
    assert rollback(BEFORE).changes == ()


def test_lines_that_others_typed_since_stay_and_are_nobodys_business() -> None:
    typed = "vlan 700\n   name THEIRS\nip routing\n"
    plan = rollback(AFTER + typed)
    assert same(left(plan), BEFORE + typed)
    assert plan.others == ()


def test_another_value_that_others_typed_since_stays_and_is_named() -> None:
    plan = rollback(AFTER.replace("mtu 9214", "mtu 4000"))
    assert (PORT, "mtu 4000") in OS.to_tree(left(plan)).paths()
    assert (PORT, "mtu 1500") not in OS.to_tree(left(plan)).paths()
    assert reasons(plan) == {(PORT, "mtu 4000"): "it was typed since; the push had removed 'mtu 1500'"}


def test_what_the_push_had_removed_and_others_typed_again_is_no_conflict() -> None:
    plan = rollback(AFTER + f"{PORT}\n   description theirs\n")
    assert same(left(plan), BEFORE)
    assert plan.others == ()


def test_what_others_removed_since_does_not_come_back() -> None:
    plan = rollback(AFTER.replace("vlan 200\n   name OURS\n", ""))
    assert same(left(plan), BEFORE)


def test_a_block_that_the_push_made_stays_for_lines_of_others_in_it_and_is_named_with_one_of_them() -> None:
    plan = rollback(AFTER.replace("name OURS\n", "name OURS\n   trunk group THEIRS\n"))
    assert same(left(plan), BEFORE + "vlan 200\n   trunk group THEIRS\n")
    assert reasons(plan) == {("vlan 200",): "'trunk group THEIRS' is in it, and stays"}


def test_a_line_in_a_block_that_was_there_before_does_not_keep_what_the_push_put_in() -> None:
    plan = rollback(AFTER.replace("   no switchport\n", "   no switchport\n   load-interval 30\n"))
    assert same(left(plan), BEFORE + f"{PORT}\n   load-interval 30\n")
    assert plan.others == ()


LIST = "ip prefix-list COMPUTE-X\n   seq 10 permit 10.0.0.0/8\n"
MAP = "route-map COMPUTE-MAP permit 10\n   match ip address prefix-list COMPUTE-X\n"
NEIGHBOR = "router bgp 65000\n   neighbor 203.0.113.9 route-map COMPUTE-MAP in\n"


def test_a_list_of_the_push_that_others_name_since_stays_with_its_rules() -> None:
    theirs = "route-map THEIRS permit 10\n   match ip address prefix-list COMPUTE-X\n"
    plan = rollback(LIST + theirs, "", LIST)
    assert plan.changes == ()
    assert list(reasons(plan)) == [("ip prefix-list COMPUTE-X",)]


def test_a_list_of_the_push_that_others_name_since_stays_with_all_that_it_names_in_turn() -> None:
    plan = rollback(LIST + MAP + NEIGHBOR, "", LIST + MAP)
    assert plan.changes == ()
    assert reasons(plan) == {
        ("route-map COMPUTE-MAP permit 10",): (
            "'router bgp 65000 / neighbor 203.0.113.9 route-map COMPUTE-MAP in' needs it, and stays"
        ),
        ("ip prefix-list COMPUTE-X",): (
            "'route-map COMPUTE-MAP permit 10 / match ip address prefix-list COMPUTE-X' needs it, and stays"
        ),
    }


def test_what_others_had_lived_without_before_the_push_goes_and_what_they_need_since_stays() -> None:
    theirs = "ip route 198.18.0.0/16 Null0\n"
    needs = {("ip routing",): frozenset({(theirs.strip(),)})}
    lived = rollback("ip routing\n" + theirs, "", "ip routing\n", needs)
    assert same(left(lived), theirs)
    more = "ip route 198.19.0.0/16 Null0\n"
    since = rollback("ip routing\n" + theirs + more, "", "ip routing\n", needs)
    assert since.changes == ()
    assert reasons(since) == {("ip routing",): f"'{more.strip()}' needs it, and stays"}


def test_the_earlier_value_of_what_others_need_comes_back() -> None:
    """Gateways of others need a MAC address: they have the one from before the push again."""
    ours, before = (
        "ip virtual-router mac-address 00:00:5e:00:01:01\n",
        "ip virtual-router mac-address 00:1c:73:00:00:99\n",
    )
    theirs = "interface Vlan700\n   ip virtual-router address 198.18.7.1\n"
    plan = rollback(ours + theirs, before, ours)
    assert {(each.op, each.path[-1]) for each in plan.changes} == {("-", ours.strip()), ("+", before.strip())}


def test_what_was_off_before_stays_on_where_others_need_it() -> None:
    theirs = "interface Vlan700\n   ip address 198.18.7.1/24\n"
    plan = rollback("ip routing\n" + theirs, "no ip routing\n", "ip routing\n")
    assert plan.changes == ()
    assert list(reasons(plan)) == [("ip routing",)]


@pytest.mark.parametrize("typed_first", [True, False])
def test_what_comes_back_is_sent_in_the_order_in_which_the_switch_had_printed_it(typed_first: bool) -> None:
    before = "vrf instance COMPUTE\ninterface Ethernet1/1\n   vrf COMPUTE\n   mtu 9214\n"
    running = "interface Ethernet1/1\n   mtu 9214\n"
    plan = rollback("vlan 700\n" * typed_first + running, before, running)
    assert list(plan.owned_after.children) == ["vrf instance COMPUTE", "interface Ethernet1/1"]
    assert list(plan.owned_after.children["interface Ethernet1/1"].children) == ["vrf COMPUTE", "mtu 9214"]

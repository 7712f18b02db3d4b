"""A vPC domain as ours is: one bridge to others, tables of the one that stayed, gateways that wait for routes."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from switch_twins.state import TreeLines
from switch_twins.trees import trees
from tests.lab.pushes import bare_like, push
from tests.lab.test_fabric_pairs import A, B, Lab
from tests.lab.test_fabric_tags import Switch
from tests.lab.typed_switches import spec_of
from tests.property.mutants import each_change_is_reported
from tests.unit.design import front

OURS = ("peer-switch", "delay restore interface-vlan 300", "ipv6 nd synchronize", "ip arp synchronize")


def pair(network: Network) -> tuple[Wanted, ...]:
    names = sorted(each.name for each in network.devices if each.os == "nxos" and each.role == "leaf")[:2]
    made = (device_config(network, network.device(name)) for name in names)
    return tuple(wanted(each.config, each.capabilities, each.claims, environment("nxos")) for each in made)


@pytest.fixture(scope="module")
def members() -> tuple[Wanted, ...]:
    return pair(front.network())


def lines(member: Wanted) -> list[Path]:
    return [path for path, _ in member.tree.walk() if path[0].startswith("vpc domain ") and path[-1] in OURS]


def test_both_members_have_all_four_and_one_bridge_priority(members: tuple[Wanted, ...]) -> None:
    assert [sorted(path[-1] for path in lines(each)) for each in members] == [sorted(OURS)] * 2
    trees = [each.config.spanning_tree for each in members]
    assert trees[0] == trees[1] is not None


def test_each_of_them_that_is_missing_or_otherwise_comes_back_and_a_second_push_changes_nothing(
    members: tuple[Wanted, ...],
) -> None:
    for member in members:
        counts = [each_change_is_reported(member, path) for path in lines(member)]
        assert [deleted for deleted, _ in counts] == [1] * len(OURS)
        assert sum(changed for _, changed in counts) >= 1  # the seconds
        switch = bare_like(member)
        assert push(switch, member) > 0
        assert push(switch, member) == 0


def one_bridge(member: Wanted, *, without_line: str = "") -> str:
    """The bridge address that a switch with this text has in common with the other one."""
    text = member.text.replace(f"  {without_line}\n", "") if without_line else member.text
    state = Switch(spec_of(member.config), text).state()
    assert state.pair is not None
    return state.pair.bridge


def test_a_switch_reads_one_bridge_address_of_both_from_its_domain(members: tuple[Wanted, ...]) -> None:
    number = members[0].config.pair.number if members[0].config.pair else 0
    assert {one_bridge(each) for each in members} == {f"002304eebe{number:02x}"}
    assert one_bridge(members[0], without_line="peer-switch") == ""


@pytest.mark.parametrize(
    ("priorities", "bridges", "roots"),
    [
        ((4096, 4096), ("0023", "0023"), 2),
        ((4096, 8192), ("0023", "0023"), 1),  # configured, and not in effect
        ((4096, 4096), ("0023", ""), 1),
        ((4096, 4096), ("", ""), 1),
    ],
)
def test_both_are_the_root_only_where_both_are_one_bridge_of_one_priority(
    priorities: tuple[int, int], bridges: tuple[str, str], roots: int
) -> None:
    lab = Lab()
    for name, priority, bridge in zip((A, B), priorities, bridges, strict=True):
        lab.say(name, bridge=bridge)
        lab.switches[name].commit(trees=(TreeLines("VLAN0200", priority, 200),))
    found = [trees(lab.sim, name)[0] for name in (A, B)]
    assert sum(each.root == each.own for each in found) == roots
    assert len({each.root.rank for each in found}) == 1

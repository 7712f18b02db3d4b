"""Blank switches boot in an order in which each has a way to the server; what has none is brought up by hand."""

from collections.abc import Collection
from functools import cache

import pytest

from nornir_tasks.design.capacity.boot_order import Stage, boot_order
from nornir_tasks.design.model.network import Network
from nornir_tasks.usecases.site import load
from tests.unit.design import out_of_band


@cache
def tree(access_switches: int) -> Network:
    """The lab's rails with so many access switches, and three bastions."""
    data = out_of_band.with_out_of_band(out_of_band.rails(), access_switches=access_switches)
    data["planes"]["oob"]["devices"] = {"bastion": {"count": access_switches}}
    return out_of_band.designed(data)


def server_below(network: Network, access_switch: str) -> str:
    return network.attached_prefixes[access_switch, "oob"]["bastion"][0].partition("/")[0]


def order(network: Network, access_switch: str, blank: Collection[str] = ()) -> tuple[Stage, ...]:
    names = blank or [each.name for each in network.devices]
    return boot_order(network, server_below(network, access_switch), names)


def has_way(network: Network, start: str, name: str, up: Collection[str]) -> bool:
    """Is there a path by cables from an access switch to a switch's management port, over these switches alone?"""
    goal = next(each.leaf for each in network.attached if each.host == name)
    reached = {start} & set(up)
    while True:
        ends = [(each.upper.device, each.lower.device) for each in network.links if each.kind == "fabric"]
        more = {far for a, b in ends for near, far in ((a, b), (b, a)) if near in reached and far in up} - reached
        if not more:
            return goal in reached
        reached |= more


@pytest.mark.parametrize("below", [1, 2, 3])
@pytest.mark.parametrize("access_switches", [2, 3, 4])
def test_each_switch_has_a_way_over_those_before_it_and_one_brought_up_by_hand_has_none(
    access_switches: int, below: int
) -> None:
    network, start = tree(access_switches), f"oob-leaf-g{min(below, access_switches)}"
    tool = next(each.leaf for each in network.attached if each.host == network.tool)
    up: set[str] = set()
    for stage in order(network, start):
        for name in stage.switches:
            ways = [has_way(network, each, name, up) for each in (start, tool)]
            assert all(ways) != bool(stage.by_hand), (name, stage)
        up |= {*stage.switches}
    assert up == {each.name for each in network.devices}


def test_below_the_tools_access_switch_this_one_alone_is_brought_up_by_hand_and_the_reason_names_the_circle() -> None:
    found = order(tree(2), "oob-leaf-g1")
    by_hand = {each.switches: each.by_hand for each in found if each.by_hand}
    assert [*by_hand] == [("oob-leaf-g1",)]
    assert by_hand["oob-leaf-g1",] == (
        "the way to its management port is over oob-leaf-g1 > oob-spine-1 or oob-spine-2 > oob-leaf-g2"
    )
    assert found[0].by_hand
    assert {"oob-leaf-g2", "oob-spine-1"} <= {*found[1].switches}


def test_switches_of_a_tree_that_carries_packets_boot_at_once() -> None:
    network = load("lab").network
    new = ["leaf-g1-r0", "front-leaf-g1-a"]
    (found,) = boot_order(network, "10.183.0.2", new)
    assert ({*found.switches}, found.by_hand) == ({*new}, "")


def test_of_a_server_elsewhere_no_order_is_said() -> None:
    assert boot_order(load("lab").network, "127.0.0.1", ["leaf-g1-r0"]) == ()

"""What `design --against` prints can be done with two hands: replayed, it ends at the new cabling, cage by cage."""

from collections import Counter
from typing import Any

import pytest

from nornir_tasks.design.links import Link
from nornir_tasks.design.moves import Moves, floors, moves
from nornir_tasks.design.network import Network
from tests.strategies import built
from tests.unit.design.test_nearest import site


def joined(network: Network) -> Counter[tuple[tuple[str, str], tuple[str, str]]]:
    return Counter(_ports(link) for link in network.links)


def _ports(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)


def replay(old: Network, new: Network) -> Moves:
    """Do the steps: no port ever holds two cables, and a step that says nothing takes nobody below the floor."""
    found, legs, floor = moves(old, new), joined(old), floors(old, new)
    for step in found.steps:
        for move in step.moves:
            legs.subtract(move.before)
        assert min(legs.values(), default=0) >= 0, "a leg that was not there is moved"
        up = Counter(leg[1][0] for leg, count in legs.items() if count)
        low = {name for name, least in floor.items() if up[name] < least}
        assert low <= set(step.below)
        for move in step.moves:
            legs.update(move.after)
        used = Counter(port for leg, count in legs.items() if count for port in leg)
        assert not [port for port, count in used.items() if count > 1]
    assert +legs == joined(new)
    return found


WIDE: dict[str, Any] = {"nics__per_group": 8, "hosts__max": 16, "hosts__count": 16}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({}, {"hosts__max": 16, "hosts__count": 9}, id="hosts-beyond-max"),
        pytest.param({"spine__count": 2, **WIDE}, {"spine__count": 4, **WIDE}, id="two-to-four-spines"),
        pytest.param({"spine__count": 4, **WIDE}, {"spine__count": 2, **WIDE}, id="four-to-two-spines"),
        pytest.param(WIDE, {**WIDE, "spine__oversubscription": 2}, id="fewer-uplinks"),
        pytest.param(
            {**WIDE, "spine__breakout": "2x400G", "spine__count": 2},
            {**WIDE, "spine__breakout": "2x400G", "spine__count": 4},
            id="split-cages",
        ),
        pytest.param(WIDE, {**WIDE, "spine__breakout": "2x400G"}, id="cages-become-split"),
    ],
)
def test_the_steps_end_at_the_new_cabling(before: dict[str, Any], after: dict[str, Any]) -> None:
    replay(built(site(**before)), built(site(**after)))


def test_growth_inside_max_moves_nothing() -> None:
    before, after = built(site(hosts__max=64)), built(site(hosts__max=64, hosts__count=64))
    found = replay(before, after)
    assert found.counts["move"] == found.counts["remove"] == 0
    assert found.counts["add"] == len(after.cables) - len(before.cables)
    assert (len(found.steps), found.readdressed, found.replaced) == (1, (), ())


def test_nothing_to_do_is_no_step() -> None:
    same = built(site())
    assert moves(same, same).steps == ()


def test_another_length_is_another_cable() -> None:
    parts = {"spine__medium": "DR4", "spine__cable_m": 30}
    found = moves(built(site(**parts)), built(site(**{**parts, "spine__cable_m": 40})))
    assert found.counts["move"] > 0
    assert all(move.exchanged and move.length_m == 40 for step in found.steps for move in step.moves)


def test_a_host_on_the_free_half_of_a_split_cage_plugs_in_a_leg_and_nobody_loses_one() -> None:
    split = {"leaf__breakout": "2x200G", "hosts__max": 2, "nics__per_group": 2}
    one, two = built(site(**split, hosts__count=1)), built(site(**split, hosts__count=2))
    grown, shrunk = replay(one, two), replay(two, one)
    assert {action: count for action, count in grown.counts.items() if count} == {"add_leg": 8}
    assert {action: count for action, count in shrunk.counts.items() if count} == {"remove_leg": 8}
    assert [move.before for step in grown.steps for move in step.moves] == [()] * 8

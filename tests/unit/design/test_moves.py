"""What `design --against` prints can be done with two hands: replayed, it ends at the new cabling, cage by cage."""

from collections import Counter
from typing import Any

import pytest

from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.moves import Moves, floors, moves
from tests.strategies import built
from tests.unit.design.test_nearest import site


def joined(network: Network) -> Counter[tuple[tuple[str, str], tuple[str, str]]]:
    return Counter(_ports(link) for link in network.links)


def _ports(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)


def replay(old: Network, new: Network) -> Moves:
    """Do the steps: no cable stays in a box that is taken out, no port ever holds two cables.

    A step that says nothing takes nobody below the floor.
    """
    found, legs, floor = moves(old, new), joined(old), floors(old, new)
    for step in found.steps:
        there = +legs
        for move in step.moves:
            legs.subtract(move.before)
        assert min(legs.values(), default=0) >= 0, "a leg that was not there is moved"
        up = Counter(leg[1][0] for leg, count in legs.items() if count)
        if step.replaced is None:
            low = {name for name, least in floor.items() if up[name] < least}
            assert low <= set(step.below)
        else:
            gone = there - legs
            assert not [leg for leg in +legs if step.replaced in (leg[0][0], leg[1][0])], "a cable in a box that is out"
            assert all(step.replaced in (leg[0][0], leg[1][0]) for leg in gone), "a cable of another switch moves, too"
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


BOXES = {"leaf": "N9K-C9332D-GX2B", "other": "N9K-C9364D-GX2A", "spine": "SN5600", "newer": "SN5610"}
FOUR: dict[str, Any] = {"spine__count": 4, "nics__per_group": 8, "hosts__max": 16, "hosts__count": 16}


def with_boxes(leaf: str, spine: str, **parts: Any) -> Network:
    nxos = {"leaf__platform": "nxos", "leaf__release": "10.4(3)", "leaf__model": BOXES[leaf]}
    return built(site(**nxos, spine__model=BOXES[spine], **{**FOUR, **parts}))


def hosts_on(network: Network) -> set[str]:
    return {link.lower.device for link in network.links} - {each.name for each in network.devices}


def kept_while_replaced(old: Network, new: Network) -> Moves:
    """Walk every step: a host keeps all links but one, a leaf that has hosts what it keeps with a spine lost."""
    found, legs, hosts = replay(old, new), joined(old), hosts_on(old)
    least = old.fabrics["compute"].capacity_after_loss
    uplinks = Counter(link.lower.device for link in old.links if link.lower.device not in hosts)
    links = Counter(link.lower.device for link in old.links if link.lower.device in hosts)
    for step in found.steps:
        for move in step.moves:
            legs.subtract(move.before)
        for moment in ("out", "done"):
            up = Counter(lower[0] for (_, lower), count in legs.items() if count)
            busy = {upper[0] for (upper, lower), count in legs.items() if count and lower[0] in hosts}
            assert not [name for name in hosts if up[name] < links[name] - (moment == "out")], (step.replaced, moment)
            assert not [leaf for leaf in busy if up[leaf] < least * uplinks[leaf]], (step.replaced, moment)
            if moment == "out":
                for move in step.moves:
                    legs.update(move.after)
    return found


@pytest.mark.parametrize("parts", [{}, {"spine__max": 8}], ids=["plain", "with-max"])
@pytest.mark.parametrize(("leaf", "spine"), [("other", "spine"), ("leaf", "newer"), ("other", "newer")])
def test_switches_are_replaced_one_by_one_and_hosts_keep_the_declared_capacity(
    leaf: str, spine: str, parts: dict[str, Any]
) -> None:
    old, new = with_boxes("leaf", "spine", **parts), with_boxes(leaf, spine, **parts)
    found = kept_while_replaced(old, new)
    changed = {each.name for each in old.devices if each.model != new.device(each.name).model}
    assert [step.replaced for step in found.steps if step.replaced] == list(found.replaced)
    assert found.replaced.keys() == changed
    assert not [step.below for step in found.steps if step.below or step.cut_off]


def test_hosts_on_one_leaf_are_named_before_it_is_taken_out() -> None:
    parts = {"design": "clos", "nics__per_group": 2, "hosts__count": 4, "hosts__max": 4, "cross_rail": "fabric"}
    found = replay(with_boxes("leaf", "spine", **parts), with_boxes("other", "spine", **parts))
    assert {step.replaced: step.cut_off for step in found.steps if step.cut_off} == {
        "leaf-g1": ("gpu-1", "gpu-2"),
        "leaf-g2": ("gpu-3", "gpu-4"),
    }


def test_a_leaf_that_goes_keeps_its_uplinks_until_its_hosts_have_left() -> None:
    old, new = built(site(**{**WIDE, "nics__per_group": 4})), built(site(**WIDE))
    found, legs, hosts = replay(old, new), joined(old), hosts_on(old)
    for step in found.steps:
        for move in step.moves:
            legs.subtract(move.before)
            legs.update(move.after)
        up = Counter(lower[0] for (_, lower), count in legs.items() if count)
        busy = {upper[0] for (upper, lower), count in legs.items() if count and lower[0] in hosts}
        assert not [leaf for leaf in busy if not up[leaf]]


def test_growth_inside_max_moves_nothing() -> None:
    before, after = built(site(hosts__max=64)), built(site(hosts__max=64, hosts__count=64))
    found = replay(before, after)
    assert found.counts["move"] == found.counts["remove"] == 0
    assert found.counts["add"] == len(after.cables) - len(before.cables)
    assert (len(found.steps), found.readdressed, found.replaced) == (1, (), {})


@pytest.mark.parametrize("most", [3, 8])
def test_a_third_spine_moves_no_uplink_where_leaves_keep_ports_for_it(most: int) -> None:
    two, three = (built(site(spine__count=count, spine__max=most)) for count in (2, 3))
    assert {action: many for action, many in replay(two, three).counts.items() if many} == {"add": 8}


def test_spines_that_leave_a_full_leaf_too_little_are_warned_of() -> None:
    (part,) = built(site(**WIDE, spine__count=2, spine__max=4)).fabrics["compute"].parts
    assert part.sizing.warnings == (
        "2 of 4 spines are there: until the others come, a full leaf has 50% of its declared uplink bandwidth, "
        "and 25% with one spine lost",
    )
    (part,) = built(site(**WIDE, spine__count=4, spine__max=4)).fabrics["compute"].parts
    assert part.sizing.warnings == ()


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

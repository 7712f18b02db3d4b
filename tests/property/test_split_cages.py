"""Random fabrics, cages split at either end of cables between switches, at both or neither: no leg is used twice."""

from collections import Counter, defaultdict
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError
from tests.strategies import built
from tests.unit.design.test_nearest import site

KINDS = (
    {"platform": "nvue", "release": "5.14", "model": "SN5600"},
    {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"},
)
SPLIT = "2x400G"
EITHER = ((False, False), (True, False), (False, True), (True, True), (True, True))
BOTH = ((True, True),)


@st.composite
def split_sites(draw: st.DrawFn, ends: tuple[tuple[bool, bool], ...]) -> tuple[dict[str, Any], bool, bool]:
    """Data of a site, most of which can be built, and whether its leaves' and its spines' cages are split."""
    below, above = draw(st.sampled_from(ends))
    leaf, spine = dict(draw(st.sampled_from(KINDS))), dict(draw(st.sampled_from(KINDS)))
    leaf |= {"uplink_breakout": SPLIT} if below else {}
    spine |= {"breakout": SPLIT} if above else {}
    spine |= {"oversubscription": draw(st.sampled_from((0.5, 1, 2, 7))), "uplink_speed": "400G"}
    if below or above:
        spine |= {"medium": draw(st.sampled_from(("2xDR4", "2xFR4"))), "cable_m": draw(st.integers(1, 500))}
    if draw(st.booleans()):
        leaf |= {"breakout": SPLIT, "medium": "2xDR4", "cable_m": 30}
    if draw(st.booleans()):
        leaf["spare_legs"] = spine["spare_legs"] = "shut"
    count = draw(st.integers(1, 12))
    design, rails = draw(st.sampled_from(("rail", "rail", "clos"))), draw(st.sampled_from((1, 2, 4, 8)))
    spine |= {"groups": 2} if design == "rail" and rails > 1 and draw(st.booleans()) else {}
    nics: dict[str, Any] = {"rails": rails, "speed": "400G"}
    nics |= {"per_group": draw(st.integers(1, 12))} if draw(st.booleans()) else {}
    hosts = {"count": count, "max": draw(st.integers(count, 24))}
    data = site(hosts=hosts, nics=nics, leaf=leaf, spine=spine, design=design, cross_rail="nvlink")
    return data, below, above


def network_of(data: dict[str, Any]) -> Network:
    try:
        return built(data)
    except DesignError:
        assume(False)
        raise


def cages_and_legs_are_used_once(network: Network) -> None:
    ends = [end for link in network.links for end in (link.upper, link.lower) if end.slot is not None]
    legs = Counter((end.device, end.slot.number, end.slot.leg) for end in ends if end.slot)
    assert set(legs.values()) == {1}
    assert max(Counter((end.device, end.port) for end in ends).values()) == 1
    ways = defaultdict(set)
    for end in ends:
        if end.slot:
            ways[end.device, end.slot.number].add((end.slot.ways, end.slot.speed_gbps))
    assert all(len(each) == 1 for each in ways.values())  # no cage is split in two ways


def jumpers_join_one_leg_to_one(network: Network, split: bool) -> None:
    carried = Counter(link for cable in network.cables for link in cable.links)
    assert set(carried) == {link.name for link in network.links}
    assert set(carried.values()) == {1}
    between = {link.name for link in network.links if link.kind == "fabric"}
    for cable in network.cables:
        if split and between & {*cable.links}:
            assert (cable.make.kind, len(cable.links)) == ("jumper", 1)


def every_leaf_reaches_every_spine_of_its_group(network: Network) -> None:
    spines = {each.name: each.spine_group for each in network.devices if each.role == "spine"}
    for leaf in (each for each in network.devices if each.role == "leaf"):
        above = {link.upper.device for link in network.links_of(leaf.name) if link.kind == "fabric"}
        assert above == {name for name, group in spines.items() if group == leaf.spine_group}


@st.composite
def three_tiers(draw: st.DrawFn) -> dict[str, Any]:
    """Data of a site with cores, the cables to them and those below split at both ends."""
    kind = {**draw(st.sampled_from(KINDS)), "medium": "2xDR4", "cable_m": 100, "spare_legs": "shut"}
    leaf = {**draw(st.sampled_from(KINDS)), "uplink_breakout": SPLIT, "spare_legs": "shut"}
    ratio = st.sampled_from((0.5, 1, 2))
    spine = {**kind, "breakout": SPLIT, "uplink_breakout": SPLIT, "oversubscription": draw(ratio)}
    core = {**kind, "breakout": SPLIT, "oversubscription": draw(ratio)}
    spine["pod_leaf_groups"] = draw(st.integers(1, 3))
    count = draw(st.integers(1, 8))
    nics = {"rails": draw(st.sampled_from((1, 2))), "speed": "400G", "per_group": draw(st.integers(1, 6))}
    hosts = {"count": count, "max": draw(st.integers(count, 16))}
    return site(hosts=hosts, nics=nics, leaf=leaf, spine=spine, core=core, design="clos3")


@settings(max_examples=25, deadline=None)
@given(three_tiers())
def test_a_spine_splits_its_cages_both_ways_and_uses_no_leg_twice(data: dict[str, Any]) -> None:
    network = network_of(data)
    cages_and_legs_are_used_once(network)
    jumpers_join_one_leg_to_one(network, split=True)
    for spine in (each for each in network.devices if each.role == "spine"):
        cages = {
            is_up: {
                link.end(spine.name).slot.number
                for link in network.links_of(spine.name)
                if is_up == (link.lower.device == spine.name)
            }
            for is_up in (True, False)
        }
        assert not cages[True] & cages[False]  # no cage goes both ways


@settings(max_examples=200, deadline=None)
@given(split_sites(EITHER))
def test_no_cage_is_used_twice_and_each_leg_once_wherever_cages_are_split(
    drawn: tuple[dict[str, Any], bool, bool],
) -> None:
    data, below, above = drawn
    network = network_of(data)
    cages_and_legs_are_used_once(network)
    jumpers_join_one_leg_to_one(network, below or above)
    every_leaf_reaches_every_spine_of_its_group(network)
    plugs = {
        (end.device, end.slot.number if end.slot else end.port)
        for link in network.links
        for end in (link.upper, link.lower)
    }
    assert design_counts(network)["totals"]["optics"] == len(plugs)
    sizing = network.fabrics["compute"].parts[0].sizing.chosen
    assert sizing.optics >= len(plugs)  # what is laid out for is counted as what is there


@settings(max_examples=25, deadline=None)
@given(split_sites(BOTH))
def test_no_cage_is_half_used_unless_the_design_says_so(drawn: tuple[dict[str, Any], bool, bool]) -> None:
    data = drawn[0]
    for tier in ("leaf", "spine"):
        data["fabrics"]["compute"][tier].pop("spare_legs", None)
    network = network_of(data)
    (part,) = network.fabrics["compute"].parts
    is_warned_of = any("is not full" in each for each in part.sizing.warnings)
    halves = Counter((device.name, slot.number) for device in network.devices for slot in device.slots if slot.ways > 1)
    assert (set(halves.values()) <= {2}) != is_warned_of

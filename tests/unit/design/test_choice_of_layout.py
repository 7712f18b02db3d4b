"""The cheapest layout is chosen, the runner-up and what is left with a spine lost are told, one spine is warned of."""

import json
from dataclasses import replace
from typing import Any

import pytest

from nornir_tasks.design.layout.cheapest import in_words, why_lost
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.sizing import Layout, Sizing
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.moves import moves
from nornir_tasks.design.reports.transceivers import optics
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from tests.intent_parts import fabric, figures
from tests.plain_facts import plain_facts
from tests.strategies import built, intent_of
from tests.unit.design.test_nearest import site

SPECTRUM = {"platform": "nvue", "release": "5.14", "model": "SN5600"}
REFERENCE = {"platform": "nvue", "release": "5.14", "model": "REF-64x400G"}


def gpus(most: int, kind: dict[str, str] = SPECTRUM, **changes: Any) -> dict[str, Any]:
    """Hosts of eight 400G NICs; the leaves' cages are split for them where they run 800G."""
    split = {"breakout": "2x400G"} if kind is SPECTRUM else {}
    nics = {"rails": 8, "speed": "400G", **changes.pop("nics", {})}
    return site(
        hosts={"count": most, "max": most}, nics=nics, leaf={**kind, **split, "medium": "DR4", "cable_m": 30}, **changes
    )


def spine(kind: dict[str, str] = SPECTRUM, **keys: Any) -> dict[str, Any]:
    return {**kind, "medium": "DR8" if kind is SPECTRUM else "DR4", "cable_m": 60, "oversubscription": 1, **keys}


def sizing(data: dict[str, Any]) -> Sizing:
    return built(data).fabrics["compute"].parts[0].sizing


def shape(layout: Layout) -> tuple[int, int, int]:
    """Leaves, spines, uplinks of a leaf."""
    return layout.leaves, layout.spines, layout.uplinks


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(gpus(37, spine=spine()), (8, 3, 21), id="37-hosts-need-19-uplinks-a-prime-number"),
        pytest.param(gpus(31, REFERENCE, spine=spine(REFERENCE)), (8, 4, 32), id="31-hosts-on-64-ports-another"),
        pytest.param(gpus(100, REFERENCE, spine=spine(REFERENCE)), (32, 13, 26), id="100-hosts-in-four-groups-of-25"),
        pytest.param(gpus(128, spine=spine(oversubscription=1.5)), (16, 6, 24), id="a-ratio-that-wants-22-uplinks"),
        pytest.param(gpus(128, spine=spine(oversubscription=3)), (16, 3, 12), id="a-ratio-that-wants-11-uplinks"),
    ],
)
def test_a_few_more_uplinks_save_most_of_the_spines(data: dict[str, Any], expected: tuple[int, int, int]) -> None:
    network = built(data)
    found = network.fabrics["compute"].parts[0].sizing.chosen
    assert shape(found.layout) == expected
    assert sum(device.role == "spine" for device in network.devices) == expected[1]
    assert network.fabrics["compute"].oversubscription <= fabric(data)["spine"]["oversubscription"]
    assert found.optics == optics(network)


def test_the_runner_up_is_the_next_cheapest_and_says_why_it_lost() -> None:
    found = sizing(gpus(37, spine=spine()))
    assert found.runner_up is not None
    assert in_words(found.chosen) == "8 leaves, 3 spines, 21 uplinks a leaf: 11 switches, 464 links, 784 optics"
    assert in_words(found.runner_up) == "8 leaves, 4 spines, 20 uplinks a leaf: 12 switches, 456 links, 768 optics"
    assert why_lost(found.chosen, found.runner_up) == "1 switch more"


def test_a_layout_that_the_switches_tables_do_not_hold_is_not_chosen() -> None:
    """Three spines want 21 uplinks; where ECMP groups end at 20 paths the next cheapest is built: four spines of 20."""
    known = load_catalogue()
    narrow = {**known.switches, "SN5600": replace(known.switches["SN5600"], max_ecmp_paths=20)}
    network = design(intent_of(gpus(37, spine=spine())), Catalogue(narrow, known.nics), plain_facts())
    assert shape(network.fabrics["compute"].parts[0].sizing.chosen.layout) == (8, 4, 20)


def test_of_equal_costs_the_rails_that_share_their_spines_win() -> None:
    """128 leaves of 32 uplinks fill 64 spines of 64 ports, in two groups or four; one group has too few for them."""
    found = sizing(gpus(512, REFERENCE, hosts__count=1, cross_rail="nvlink", spine=spine(REFERENCE)))
    assert (found.chosen.layout.spine_groups, found.chosen.layout.spines) == (2, 64)
    assert found.runner_up is not None
    assert why_lost(found.chosen, found.runner_up) == "as many switches, links, optics, but 2 spine groups more"


def test_rails_are_not_parted_where_only_the_fabric_joins_them_however_cheap_that_were() -> None:
    crowd = {"hosts__max": 120, "hosts__count": 1}
    joined, parted = sizing(site(**crowd)), sizing(site(**crowd, cross_rail="nvlink"))
    assert joined.chosen.layout.spine_groups == 1
    assert parted.chosen.layout.spine_groups > 1
    assert parted.chosen.switches < joined.chosen.switches


def test_a_declared_count_of_spines_stays_as_declared() -> None:
    assert shape(sizing(gpus(37, spine=spine(count=5))).chosen.layout) == (8, 5, 20)


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        pytest.param(0, (8, 3, 21), id="nothing-asked"),
        pytest.param(0.75, (8, 3, 21), id="already-kept"),
        pytest.param(0.8, (8, 3, 24), id="three-more-uplinks"),
        pytest.param(1, (8, 4, 28), id="a-fourth-spine"),
    ],
)
def test_what_is_to_be_left_with_one_spine_lost_is_left(share: float, expected: tuple[int, int, int]) -> None:
    """37 hosts of 400G are 14,800 Gb/s, 18.5 uplinks of 800G: with three spines of seven links 14 of these are left."""
    found = sizing(gpus(37, spine=spine(capacity_after_loss=share))).chosen
    layout = found.layout
    assert shape(layout) == expected
    left = (layout.uplinks - layout.parallel) * 800 / (37 * 400)
    assert left >= share
    assert found.capacity_after_loss == pytest.approx(left)


def test_more_than_can_be_left_is_refused_with_the_most_that_can() -> None:
    full = {"hosts__max": 42, "hosts__count": 42, "nics__rails": 2, "nics__per_group": 42, "spine__count": 2}
    with pytest.raises(DesignError) as caught:
        built(site(**full, spine__capacity_after_loss=1))
    text = str(caught.value)
    assert "fabrics.compute.spine.capacity_after_loss: no layout keeps so much" in text
    most = float(text.partition("nearest that can be built: capacity_after_loss: ")[2].partition(";")[0])
    assert sizing(site(**full, spine__capacity_after_loss=most)).chosen.capacity_after_loss >= most
    with pytest.raises(DesignError):
        built(site(**full, spine__capacity_after_loss=most + 0.01))


def test_one_spine_where_it_is_declared_is_warned_of() -> None:
    found = sizing(gpus(4, spine=spine(count=1)))
    assert found.chosen.layout.spines == 1
    assert "single point of failure: one spine joins all leaves, as spine.count declares" in found.warnings[0]
    assert sizing(gpus(4, spine=spine(count=2))).warnings == ()


def test_one_spine_of_each_group_is_warned_of() -> None:
    found = sizing(gpus(4, cross_rail="nvlink", spine=spine(count=2, groups=2)))
    assert "single point of failure: each spine group has one spine" in found.warnings[0]


def test_one_spine_and_a_share_to_be_left_without_it_contradict_one_another() -> None:
    with pytest.raises(DesignError) as caught:
        built(gpus(4, spine=spine(count=1, capacity_after_loss=0.5)))
    assert "with one spine nothing is left" in str(caught.value)
    assert sizing(gpus(4, spine=spine(count=1, capacity_after_loss=0))).chosen.layout.spines == 1


def test_one_spine_where_leaves_have_no_port_for_a_second_uplink_is_warned_of() -> None:
    found = sizing(gpus(63, REFERENCE, nics={"per_group": 63}, spine=spine(REFERENCE, oversubscription=63)))
    assert (found.chosen.layout.spines, found.chosen.layout.uplinks) == (1, 1)
    assert "no port for an uplink to a second" in found.warnings[0]


def test_a_count_of_spines_that_cannot_be_is_refused_with_the_nearest_that_can() -> None:
    with pytest.raises(DesignError) as caught:
        built(gpus(37, spine=spine(count=2)))
    assert "800G for each link from 8 leaves, 20 uplinks each over 2: 80" in str(caught.value)
    assert "nearest that can be built: count: 3" in str(caught.value)
    assert sizing(gpus(37, spine=spine(count=3))).chosen.layout.spines == 3


def test_a_count_that_does_not_fall_into_the_declared_groups_is_refused_with_one_that_does() -> None:
    parted = {"cross_rail": "nvlink"}
    with pytest.raises(DesignError) as caught:
        built(gpus(37, **parted, spine=spine(count=5, groups=2)))
    assert "not as many spines in each of 2 groups" in str(caught.value)
    assert "nearest that can be built: count: 4" in str(caught.value)
    assert sizing(gpus(37, **parted, spine=spine(count=4, groups=2))).chosen.layout.spines == 4


def three_tiers(hosts: int, **keys: Any) -> dict[str, Any]:
    core = {**SPECTRUM, "medium": "DR8", "cable_m": 200, "oversubscription": 1, **keys}
    return gpus(hosts, design="clos3", spine=spine(), core=core)


def test_three_tiers_where_two_would_do_are_told_so() -> None:
    warning = sizing(three_tiers(256)).warnings[0]
    assert "two tiers would do" in warning
    assert "32 leaves, 16 spines" in warning
    assert shape(sizing(gpus(256, spine=spine())).chosen.layout) == (32, 16, 32)


def test_three_tiers_that_two_cannot_replace_are_not_warned_of() -> None:
    assert sizing(three_tiers(1024)).warnings == ()


def test_the_ratio_to_the_cores_is_that_of_a_spines_links() -> None:
    data = three_tiers(1024, oversubscription=3)
    network = built(data)
    ratio = network.fabrics["compute"].parts[0].sizing.chosen.layout.core_oversubscription
    assert ratio is not None
    spines = [device.name for device in network.devices if device.role == "spine"]
    for name in spines:
        links = network.links_of(name)
        up = sum(link.speed_gbps for link in links if link.lower.device == name)
        assert sum(link.speed_gbps for link in links if link.upper.device == name) / up <= ratio
    assert 2 < ratio <= 3
    found = figures(intent_of(data), network)
    assert found["core oversubscription"].value == pytest.approx(float(ratio))
    got = dict(found["core oversubscription"].inputs)
    assert ratio == got["links_down"] * got["uplink_gbps"] / (got["links_up"] * got["core_gbps"])


def test_explain_has_layout_runner_up_and_what_a_lost_spine_leaves() -> None:
    data = gpus(4, spine=spine(count=1))
    found = figures(intent_of(data), built(data))
    assert found["layout"].value == "8 leaves, 1 spine, 2 uplinks a leaf: 9 switches, 48 links, 80 optics"
    assert dict(found["layout"].inputs) == {"switches": 9, "links": 48, "optics": 80}
    assert found["layout, runner-up"].rule == "why it lost: 8 switches more"
    assert found["capacity with one spine lost"].value == 0
    assert "single point of failure" in str(found["warning 1"].value)
    json.dumps([[each.value, dict(each.inputs)] for each in found.values()])


def joined(network: Network) -> dict[tuple[str, str], int]:
    """Links between each spine and each leaf."""
    found: dict[tuple[str, str], int] = {}
    for link in network.links:
        if link.kind == "fabric":
            pair = (link.upper.device, link.lower.device)
            found[pair] = found.get(pair, 0) + 1
    return found


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        pytest.param(SPECTRUM, 64, 128, 128, id="64-to-128"),
        pytest.param(SPECTRUM, 128, 256, 256, id="128-to-256"),
        pytest.param(REFERENCE, 32, 64, 128, id="64-ports"),
        pytest.param(REFERENCE, 64, 96, 256, id="half-as-many-again-for-which-spines-double"),
        pytest.param(REFERENCE, 96, 128, 0, id="into-places-that-were-free"),
    ],
)
def test_growth_beyond_what_was_laid_out_moves_no_cable_that_can_stay(
    kind: dict[str, str], before: int, after: int, expected: int
) -> None:
    old, new = built(gpus(before, kind, spine=spine(kind))), built(gpus(after, kind, spine=spine(kind)))
    there, then = joined(old), joined(new)
    must = sum(count - min(count, then.get(pair, 0)) for pair, count in there.items())
    assert (moves(old, new).counts["move"], must) == (expected, expected)
    assert moves(old, new).counts["remove"] == 0

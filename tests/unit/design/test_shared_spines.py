"""Leaves of several groups of hosts share the cages of their spines: cages are judged and counted over the switch."""

from itertools import product
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.sizing import Option
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

SN5600 = {"platform": "nvue", "release": "5.14", "model": "SN5600"}
FACTS = {name: each.facts for name, each in platforms().items()}


def two_groups(hosts: tuple[int, int], spines: int | None, per_group: tuple[int, int] | None = None) -> dict[str, Any]:
    """Two groups of hosts of 1 x 400G, whole cages to hosts, cages of 2x400G between leaves and spines, 1:1."""
    data = site(
        leaf={**SN5600, "medium": "DR4", "cable_m": 30, "uplink_breakout": "2x400G"},
        spine={**SN5600, "medium": "2xDR4", "cable_m": 60, "breakout": "2x400G", "oversubscription": 1},
    )
    if spines is not None:
        data["fabrics"]["compute"]["spine"]["count"] = spines
    names = ("gpu", "login")
    data["hosts"] = {}
    for place, (name, count) in enumerate(zip(names, hosts, strict=True)):
        nics = {"rails": 1, "speed": "400G", **({"per_group": per_group[place]} if per_group else {})}
        data["hosts"][name] = {"count": count, "max": count, "nics": {"compute": nics}}
    return data


def built(data: dict[str, Any]) -> Network:
    return design(intent_of(data), load_catalogue(), FACTS)


def costs(network: Network) -> tuple[int, int, int]:
    totals = design_counts(network)["totals"]
    return totals["switches"], totals["links"], totals["optics"]


def sized(network: Network) -> Option:
    """The costs that the choice of layout was made by: of the whole fabric, whichever group is asked."""
    options = [part.sizing.chosen for part in network.fabrics["compute"].parts]
    assert len({(each.switches, each.links, each.optics) for each in options}) == 1
    return options[0]


def test_two_groups_fill_a_cage_of_each_spine_together() -> None:
    """By hand: 4 hosts on a leaf want 4 uplinks, one to each of 4 spines, so a leaf has 2 cages of uplinks.

    A spine has one link to each of 2 leaves: both legs of one cage. Alone, each leaf would leave half a cage over.
    """
    network = built(two_groups((4, 4), 4))
    leaves = [each.name for each in network.devices if each.level == 0]
    assert leaves == ["leaf-g1-r0", "leaf-g2-r0"]
    nics, leaf_down, leaf_up, spine_cages = 4 + 4, 4 + 4, 2 + 2, 4
    assert costs(network) == (2 + 4, (4 + 4) + (4 + 4), nics + leaf_down + leaf_up + spine_cages)
    for spine in (each.name for each in network.devices if each.level == 1):
        ends = [link.end(spine).slot for link in network.links_of(spine)]
        assert [(slot.number, slot.leg) for slot in ends if slot] == [(1, 0), (1, 1)]


def test_pluggables_of_spines_are_counted_over_all_groups() -> None:
    """By hand: 6 hosts on a leaf want 6 uplinks, 3 to each of 2 spines, in 3 cages of the leaf.

    A spine has 3 + 3 links: 3 cages, where 2 + 2 were counted group by group, 38 pluggables instead of 36.
    """
    data = two_groups((6, 6), 2, per_group=(6, 6))
    data["fabrics"]["compute"]["spine"]["spare_legs"] = "shut"
    network = built(data)
    nics, leaf_down, leaf_up, spine_cages = 6 + 6, 6 + 6, 3 + 3, 2 * 3
    assert nics + leaf_down + leaf_up + spine_cages == 36
    assert costs(network) == (2 + 2, (6 + 6) + (6 + 6), 36)
    assert sized(network).optics == 36


@pytest.mark.parametrize("is_shut", [True, False])
@pytest.mark.parametrize(("hosts", "spines"), [((4, 4), 4), ((3, 5), 2), ((2, 4), 4), ((1, 3), 3)])
def test_no_other_spread_of_hosts_over_leaves_makes_a_cheaper_fabric(
    hosts: tuple[int, int], spines: int, is_shut: bool
) -> None:
    def of(per_group: tuple[int, int] | None) -> Network | None:
        data = two_groups(hosts, spines, per_group)
        if is_shut:
            for tier in ("leaf", "spine"):
                data["fabrics"]["compute"][tier]["spare_legs"] = "shut"
        try:
            return built(data)
        except DesignError:
            return None

    chosen, others = of(None), [of(each) for each in product(range(1, hosts[0] + 1), range(1, hosts[1] + 1))]
    possible = [costs(each) for each in others if each is not None]
    assert (chosen is None) == (not possible)
    if chosen is not None:
        assert costs(chosen) == min(possible)
        assert (sized(chosen).switches, sized(chosen).links, sized(chosen).optics) == costs(chosen)


def warnings(data: dict[str, Any]) -> list[str]:
    return [each for part in built(data).fabrics["compute"].parts for each in part.sizing.warnings]


def test_half_a_cage_of_a_spine_is_said_once_with_the_links_of_all_groups() -> None:
    found = warnings(two_groups((4, 8), 4, per_group=(4, 4)))
    half = "a cage of each SN5600 is not full, and its rest is kept shut"
    why = "no layout fills all cages (spine.spare_legs: shut accepts this)"
    assert found == [f"{half}: 3 links to leaves, 2 to a cage; {why}"]


def refusal(data: dict[str, Any]) -> list[str]:
    with pytest.raises(DesignError) as caught:
        built(data)
    return [f"{each.what}; {each.found}" for each in caught.value.problems]


def test_a_refusal_that_concerns_one_group_of_hosts_names_it() -> None:
    data = two_groups((4, 4), 2)
    data["hosts"]["login"]["nics"]["compute"]["speed"] = "100G"
    assert refusal(data) == [
        "fabrics.compute.leaf.medium: DR4 does not carry 100G; 100G; see hosts.login.nics.compute",
    ]


def test_half_a_cage_of_a_leaf_is_said_for_each_group_that_leaves_one() -> None:
    found = [each for each in warnings(two_groups((3, 5), 1, per_group=(3, 5))) if "uplinks" in each]
    assert [each.partition("; ")[0].rpartition(": ")[2] for each in found] == [
        "3 uplinks, 2 to a cage",
        "5 uplinks, 2 to a cage",
    ]

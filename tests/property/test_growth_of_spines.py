"""Sites with `spine.max`, grown by hosts, spines and groups of hosts in any order: cables are added, and none moves."""

import copy
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError, IntentError
from tests.intent_parts import fabric, group
from tests.strategies import LEAVES, SPINES, built
from tests.unit.design.test_moves import replay
from tests.unit.design.test_nearest import site

Data = dict[str, Any]
SITES = 200
MOST_DRAWS = 20 * SITES
PARTS = 10
"""The sites are in so many tests, which may run beside one another."""


def a_site(chance: Random) -> Data:
    design = chance.choice(("rail", "rail", "clos", "clos3"))
    most = chance.randint(1, 60)
    rails = chance.choice((1, 2, 4, 8))
    groups = chance.choice((1, 1, 2)) if design == "rail" and rails > 1 else 1
    spine = {**chance.choice(SPINES), "max": groups * chance.randint(1, 8)}
    spine |= {"oversubscription": chance.choice((0.5, 1, 1.5, 2, 3)), "groups": groups}
    spine["count"] = groups * chance.randint(1, spine["max"] // groups)
    nics: Data = {"rails": rails, "speed": chance.choice(("200G", "400G"))}
    if chance.random() < 0.5:
        nics["per_group"] = chance.randint(1, 16)
    if chance.random() < 0.2:
        spine["breakout"] = "2x400G"
    hosts = {"count": chance.randint(1, most), "max": most}
    shape: Data = {"design": design, "hosts": hosts, "nics": nics, "leaf": chance.choice(LEAVES), "spine": spine}
    if design == "clos3":
        shape |= {"core": {**chance.choice(SPINES), "oversubscription": chance.choice((1, 2))}}
    return site(**shape, cross_rail="nvlink" if groups > 1 else "fabric")


def more_hosts(data: Data, chance: Random) -> None:
    hosts = group(data)
    hosts["count"] = chance.randint(hosts["count"], hosts["max"])


def more_spines(data: Data, chance: Random) -> None:
    spine = fabric(data)["spine"]
    spine["count"] = chance.randrange(spine["count"], spine["max"] + 1, spine["groups"])


def another_group(data: Data, chance: Random) -> None:
    """With leaves of its own, behind those of the first."""
    if fabric(data)["design"] == "clos3" or fabric(data)["spine"]["groups"] > 1 or len(data["hosts"]) > 1:
        return
    (first,) = data["hosts"].values()
    data["hosts"]["late"] = {**copy.deepcopy(first), "count": 1, "max": chance.randint(1, first["max"])}


def grown(data: Data, chance: Random) -> Data:
    after = copy.deepcopy(data)
    for grow in chance.sample((more_hosts, more_spines), 2):
        grow(after, chance)
    return after


def built_or_none(data: Data) -> Network | None:
    try:
        return built(data)
    except (DesignError, IntentError):
        return None


def nothing_moves(old: Network, new: Network) -> None:
    found = replay(old, new)
    assert {action: many for action, many in found.counts.items() if many and not action.startswith("add")} == {}
    assert found.readdressed == ()
    assert all(replace(new.device(device.name), slots=device.slots) == device for device in old.devices)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(PARTS))
def test_within_max_no_cable_moves_whatever_is_added(part: int) -> None:
    chance, sites, draws = Random(part), 0, 0
    while sites < SITES // PARTS:
        draws += 1
        assert draws < MOST_DRAWS // PARTS, "too few of the sites can be built"
        data = a_site(chance)
        network = built_or_none(data)
        if network is None:
            continue
        sites += 1
        for _ in range(2):
            data = grown(data, chance)
            later = built(data)
            nothing_moves(network, later)
            network = later
        wider = copy.deepcopy(data)
        another_group(wider, chance)
        with_late = built_or_none(wider)
        if with_late is not None:
            nothing_moves(network, with_late)

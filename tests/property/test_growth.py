"""Growth, whatever the design: within the declared maximum nothing but new neighbours; beyond it an exact move list."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.config.routing_policy import RoutingPolicy
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.pipeline import device_configs
from tests.intent_parts import fabric, group
from tests.property.test_tiers import REF, three_tiers, try_to_build
from tests.strategies import intent_data
from tests.unit.design.test_moves import replay
from tests.unit.design.test_nearest import site

some = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
Data = dict[str, Any]


@st.composite
def rail_or_clos(draw: st.DrawFn, design: str) -> Data:
    data: Data = draw(intent_data())
    fabric(data)["design"] = design
    if design == "clos":
        fabric(data)["leaf"].pop("overrides", None)
    return data


@st.composite
def split_cages(draw: st.DrawFn) -> Data:
    """Cages split at leaves, spines or both, parallel links, one or two spine groups."""
    per_group, groups = draw(st.integers(1, 12)), draw(st.sampled_from((1, 2)))
    most = draw(st.integers(1, 3 * per_group))
    changes = {
        "hosts__max": most,
        "hosts__count": draw(st.integers(1, most)),
        "nics__per_group": min(per_group, most),
        "leaf__breakout": "2x200G",
        "spine__groups": groups,
        "spine__count": groups * draw(st.sampled_from((2, 4))),
        "cross_rail": "nvlink",
    }
    return site(**changes, **({"spine__breakout": "2x400G"} if draw(st.booleans()) else {}))


@st.composite
def rails_of_reference_switches(draw: st.DrawFn) -> Data:
    """Spine groups that follow from the width of the leaves."""
    most = draw(st.integers(1, 48))
    hosts = {"count": draw(st.integers(1, most)), "max": most}
    nics = {"rails": 8, "speed": "400G", "per_group": draw(st.integers(1, 16))}
    return site(hosts=hosts, nics=nics, leaf=REF, spine={**REF, "oversubscription": draw(st.sampled_from((1, 2)))})


DESIGNS = {
    "rail": rail_or_clos("rail"),
    "clos": rail_or_clos("clos"),
    "clos3": three_tiers(),
    "split": split_cages(),
    "reference": rails_of_reference_switches(),
}


def larger(data: Data, count: int, most: int) -> Data:
    after = copy.deepcopy(data)
    group(after).update({"count": count, "max": most})
    return after


def less_what_is_new(new: DeviceConfig, old: DeviceConfig) -> DeviceConfig:
    """The grown switch without the ports that came into use, and without what belongs to their neighbours alone."""
    assert old.bgp is not None
    assert new.bgp is not None
    unused = {port.name: port for port in old.interfaces if not port.enabled}
    ports = tuple(unused.get(port.name, port) for port in new.interfaces)
    there = {neighbor.key for neighbor in old.bgp.neighbors}
    neighbors = tuple(each for each in new.bgp.neighbors if each.key in there)
    return replace(
        new,
        interfaces=ports,
        bgp=replace(new.bgp, neighbors=neighbors),
        routing_policy=_of(old, new),
    )


def _of(old: DeviceConfig, new: DeviceConfig) -> RoutingPolicy:
    assert old.routing_policy is not None
    assert new.routing_policy is not None
    lists = {each.name for each in old.routing_policy.prefix_lists}
    maps = {each.name for each in old.routing_policy.route_maps}
    return RoutingPolicy(
        tuple(each for each in new.routing_policy.prefix_lists if each.name in lists),
        tuple(each for each in new.routing_policy.route_maps if each.name in maps),
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("design", DESIGNS)
@some
@given(st.data())
def test_within_max_nothing_comes_but_neighbours_and_nothing_goes(design: str, chance: st.DataObject) -> None:
    data = chance.draw(DESIGNS[design])
    hosts = group(data)
    before = try_to_build(data)
    after = try_to_build(larger(data, chance.draw(st.integers(hosts["count"], hosts["max"])), hosts["max"]))
    assert all(after.device(device.name) == device for device in before.devices)
    grown = {each.config.name: each.config for each in device_configs(after)}
    for old in (each.config for each in device_configs(before)):
        assert less_what_is_new(grown[old.name], old) == old
    found = replay(before, after)
    assert {action: count for action, count in found.counts.items() if count and not action.startswith("add")} == {}
    assert found.counts["add"] == len(after.cables) - len(before.cables)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("design", DESIGNS)
@some
@given(st.data(), st.integers(1, 60))
def test_beyond_max_the_moves_lead_exactly_to_the_new_cabling(design: str, chance: st.DataObject, further: int) -> None:
    data = chance.draw(DESIGNS[design])
    hosts = group(data)
    replay(try_to_build(data), try_to_build(larger(data, hosts["count"] + further, hosts["max"] + further)))

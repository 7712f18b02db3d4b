"""The number of switches for every number of hosts: it never falls as hosts grow, and no fabric has fewer."""

from collections.abc import Iterator
from functools import cache
from math import ceil
from typing import Any

import pytest

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.choices import choose
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.layout.sections import sections
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

SPLIT_LEAF = {"medium": "2xDR4", "cable_m": 30, "breakout": "2x400G", "uplink_breakout": "2x400G"}
SPLIT_SPINE = {"medium": "2xDR4", "cable_m": 60, "breakout": "2x400G"}
MODELS: dict[str, tuple[int, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "SN5600": (128, {"platform": "nvue", "release": "5.14", "model": "SN5600"}, SPLIT_LEAF, SPLIT_SPINE),
    "7060X6-64PE": (128, {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"}, SPLIT_LEAF, SPLIT_SPINE),
    "7060DX5-64S": (64, {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}, {}, {}),
    "N9K-C9332D-GX2B": (32, {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"}, {}, {}),
}
"""Model -> its ports of 400G, by data sheet; what the intent says of it as a leaf and a spine."""
HOSTS = range(2, 301)
MOST_OVER = 1.15


@pytest.mark.sampled(4)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rails", [1, 3, 4, 8])
@pytest.mark.parametrize("design", ["rail", "clos"])
def test_more_hosts_never_take_fewer_switches_and_none_takes_more_than_the_ports_ask(
    design: str, rails: int, model: str
) -> None:
    """At most 15 % above what the ports alone allow; more only where no even spread over spines does with less."""
    before = 0
    for hosts in HOSTS:
        found = switches(design, rails, model, hosts)
        if found is None:
            assert fewest_evenly(design, rails, MODELS[model][0], hosts) is None, hosts
            continue
        assert found >= before, hosts
        before = found
        if found > MOST_OVER * fewest(design, rails, MODELS[model][0], hosts):
            assert found == fewest_evenly(design, rails, MODELS[model][0], hosts), hosts


def switches(design: str, rails: int, model: str, hosts: int) -> int | None:
    """Of the fabric that we would buy; None: it cannot be built."""
    _, kind, leaf, spine = MODELS[model]
    intent = intent_of(
        site(
            hosts={"count": hosts, "max": hosts},
            nics={"rails": rails, "speed": "400G"},
            leaf={**kind, **leaf},
            spine={**kind, **spine, "oversubscription": 1},
            design=design,
            cross_rail="nvlink" if design == "rail" else "fabric",
        )
    )
    every = [choose(each, *_known(), intent.marks, ()) for each in demands(intent, kinds().planes)]
    try:
        (section,) = sections(every, intent.marks)
    except DesignError:
        return None
    return section.sizing.chosen.switches


@cache
def _known() -> tuple[Any, Any]:
    return load_catalogue(), {name: each.facts for name, each in platforms().items()}


def leaves_of(design: str, rails: int, hosts: int, per_leaf: int) -> int:
    """``per_leaf``: NICs of a leaf."""
    return rails * ceil(hosts / per_leaf) if design == "rail" else ceil(hosts / (per_leaf // rails))


def fewest(design: str, rails: int, ports: int, hosts: int) -> int:
    """Half of a leaf's ports are for hosts; each NIC has a link to a spine; one spine is no redundancy."""
    return leaves_of(design, rails, hosts, ports // 2) + max(2, ceil(hosts * rails / ports))


def fewest_evenly(design: str, rails: int, ports: int, hosts: int) -> int | None:
    """The fewest where each leaf has as many links to each of its spines, by trying all; None: there are none."""
    return min(_evenly(design, rails, ports, hosts), default=None)


def _evenly(design: str, rails: int, ports: int, hosts: int) -> Iterator[int]:
    nics = 1 if design == "rail" else rails
    parts = [each for each in range(1, rails + 1) if rails % each == 0] if design == "rail" else [1]
    for per_group in range(1, min(hosts, ports // nics) + 1):
        groups = ceil(hosts / per_group)
        leaves = groups * (rails if design == "rail" else 1)
        for spines in range(2, ports):
            links = ceil(per_group * nics / spines)  # of a leaf to a spine
            if per_group * nics + links * spines <= ports:
                yield from (leaves + spines * each for each in parts if leaves // each * links <= ports)

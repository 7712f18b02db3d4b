"""A port that gets a profile of its own, another one, and loses it again, on switches that take what is sent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from line_shapes import Rendered
from taken import pushed
from typed_switches import SWITCHES

from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.templates import environment
from nornir_tasks.render.render import render
from tests.unit.design import toy_profiles, toys

HOLDS = {**toys.ONE_OF_EACH, "nvue-5.14": "spine-2"}
LOSSY, SHARED = toy_profiles.LOSSY, toy_profiles.SHARED
DROPS = tuple(replace(each, lossless=False) for each in SHARED)
OTHER = (*LOSSY[:1], replace(LOSSY[1], weight_percent=60), replace(LOSSY[2], weight_percent=15), LOSSY[3])
PAUSING = tuple(replace(own, lossless=shared.lossless) for own, shared in zip(LOSSY, SHARED, strict=True))
ALIKE = DROPS


def rendered(device: str, own: tuple[ClassPolicy, ...] | None, shared: tuple[ClassPolicy, ...] = SHARED) -> Rendered:
    site = toy_profiles.network(own)
    fabric = replace(site.fabrics["compute"], classes=shared)
    site = replace(site, fabrics={"compute": fabric})
    each = device_config(site, site.device(device), among=toys.with_kind())
    text = render(each.config, each.capabilities, environment(each.config.os))
    return Rendered(each.config, each.capabilities, each.claims, text)


CHANGES = {
    "to lossy": (None, LOSSY),
    "back": (LOSSY, None),
    "other weights": (LOSSY, OTHER),
    "lossless after all": (LOSSY, PAUSING),
    "lossy after all": (PAUSING, LOSSY),
    "the queues of all": (LOSSY, ALIKE),
    "queues of its own": (ALIKE, LOSSY),
}


@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("device", HOLDS.values(), ids=HOLDS)
def test_a_port_that_changes_its_profile_runs_just_the_lines_of_the_new_one(device: str, before, after) -> None:
    pushed(rendered(device, before), rendered(device, after))


@pytest.mark.parametrize("own", [None, LOSSY], ids=["one profile", "two profiles"])
@pytest.mark.parametrize("device", HOLDS.values(), ids=HOLDS)
def test_a_whole_fabric_that_is_lossy_for_a_while_ends_where_it_began(device: str, own) -> None:
    first = rendered(device, own)
    assert pushed(first, rendered(device, own, DROPS), first) == SWITCHES[first.config.os](first).running()

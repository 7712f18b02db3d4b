"""The laws for random sites under the real operating systems, drained or not."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.render.render import render
from tests.property.more_planes import EXTRA, with_more
from tests.property.mutants import each_change_is_reported
from tests.strategies import intent_data, intent_of

PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.filter_too_much, HealthCheck.too_slow]}
few = settings(max_examples=25, **PATIENT)
many = settings(max_examples=300, **PATIENT)
LINES_EACH = 15
"""Lines tried on each switch of a random site in ``make test``; ``make test-long`` tries them all."""


@st.composite
def switches(draw: st.DrawFn) -> list[Realised]:
    """One switch of each kind of a random site that can be built."""
    data: dict[str, Any] = draw(intent_data())
    facts = {name: each.facts for name, each in platforms().items()}
    try:
        fabric, among = with_more(design(intent_of(data), load_catalogue(), facts), draw(EXTRA))
        drained = (
            {device.name for device in fabric.devices if draw(st.booleans())} if len(fabric.devices) < 20 else set()
        )
        every = list(device_configs(fabric, drained=drained, among=among))
    except DesignError:
        return []
    found = {}
    for each in every:
        tier = fabric.device(each.config.name).role
        found.setdefault((each.config.os, each.config.release, tier, each.config.name in drained), each)
    return list(found.values())


@few
@given(switches())
def test_what_is_rendered_reads_back_as_what_was_designed_on_every_site(realised: list[Realised]) -> None:
    for each in realised:
        config = each.config
        os = platform(config.os)
        tree = os.to_tree(render(config, each.capabilities, environment(config.os)))
        parsed = os.parse(tree, each.capabilities, config.name, config.model)
        assert parsed.remainder.paths() == frozenset()
        assert parsed.config == config


@few
@given(switches())
def test_what_a_switch_prints_of_it_reads_back_the_same_on_every_site(realised: list[Realised]) -> None:
    for each in realised:
        config = each.config
        os = platform(config.os)
        tree = os.canonical(os.to_tree(render(config, each.capabilities, environment(config.os))))
        again = os.to_tree(os.to_text(tree))
        assert again == tree
        parsed = os.parse(again, each.capabilities, config.name, config.model)
        assert (parsed.config, parsed.remainder.paths()) == (config, frozenset())


def as_wanted(each: Realised) -> Wanted:
    """What the switch shall hold, rendered and split by owner."""
    return wanted(each.config, each.capabilities, each.claims, environment(each.config.os))


@settings(max_examples=6, **PATIENT)
@given(switches(), st.randoms(use_true_random=False))
def test_some_lines_deleted_or_changed_are_differences_on_every_site(realised: list[Realised], chance: Random) -> None:
    for each in map(as_wanted, realised):
        paths = sorted(each.tree.paths())
        for path in chance.sample(paths, min(LINES_EACH, len(paths))):
            each_change_is_reported(each, path)


@pytest.mark.long
@settings(max_examples=25, **PATIENT)
@given(switches())
def test_every_line_deleted_or_changed_is_a_difference_on_every_site(realised: list[Realised]) -> None:
    for each in map(as_wanted, realised):
        assert sum(sum(each_change_is_reported(each, path)) for path in each.tree.paths()) > 100


@pytest.mark.long
@many
@given(switches())
def test_parse_undoes_render_on_very_many_sites(realised: list[Realised]) -> None:
    for each in realised:
        os = platform(each.config.os)
        tree = os.to_tree(render(each.config, each.capabilities, environment(each.config.os)))
        parsed = os.parse(tree, each.capabilities, each.config.name, each.config.model)
        assert (parsed.config, parsed.remainder.paths()) == (each.config, frozenset())

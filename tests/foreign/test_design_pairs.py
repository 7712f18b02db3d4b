"""Random pairs of designs design, keep switches and AS numbers, and differ on switches of every system."""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from random import Random

import pytest

from tests.foreign import pairs
from tests.foreign.sites import rendered_of, site_of

SEEDS = range(12)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("os", pairs.SYSTEMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_both_designs_of_a_pair_load_and_keep_switches_systems_and_as_numbers(seed: int, os: str) -> None:
    before, after = (
        [(each.name, each.os, each.release, each.asn) for each in site_of(text).network.devices]
        for text in pairs.pair(Random(seed), os)
    )
    assert before == after
    assert {each[1] for each in before} == set(pairs.SYSTEMS)
    assert ("front-leaf-g1-a", os) in {each[:2] for each in before}


def test_a_pair_is_the_same_for_the_same_seed_and_its_designs_are_not() -> None:
    for seed in range(200):
        first, second = pairs.pair(Random(seed), "eos")
        assert (first, second) == pairs.pair(Random(seed), "eos")
        assert first != second


def test_every_choice_differs_in_some_pair() -> None:
    counts = Counter[str]()
    for seed in range(400):
        first, second = pairs.choices(Random(seed))
        names = [each.name for each in fields(pairs.Choice)]
        counts.update(name for name in names if getattr(first, name) != getattr(second, name))
    assert set(counts) == {each.name for each in fields(pairs.Choice)}
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("os", pairs.SYSTEMS)
def test_most_pairs_change_what_is_rendered_for_the_pair_of_that_system(os: str, figure: Callable[[str], None]) -> None:
    changed = 0
    for seed in SEEDS:
        before, after = pairs.pair(Random(seed), os)
        changed += rendered_of(before, "front-leaf-g1-a") != rendered_of(after, "front-leaf-g1-a")
    figure(f"{os}: {changed} of {len(SEEDS)} pairs of designs change its switch")
    assert changed >= len(SEEDS) * 2 // 3

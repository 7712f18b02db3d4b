"""Switches of other models, at random: every step can be done, and whoever it takes below what is declared is named."""

import copy
from collections import Counter
from random import Random

import pytest

from nornir_tasks.design.model.network import Network
from tests.intent_parts import fabric
from tests.property.test_growth_of_spines import a_site, built_or_none
from tests.strategies import LEAVES, SPINES
from tests.unit.design.test_moves import hosts_on, joined, replay

SITES = 30
MOST_DRAWS = 20 * SITES


def two_networks(chance: Random) -> tuple[Network, Network]:
    """A site, and the same with other leaves, spines or both."""
    for _ in range(MOST_DRAWS):
        data = a_site(chance)
        other = copy.deepcopy(data)
        tiers = chance.choice((("leaf",), ("spine",), ("leaf", "spine")))
        for tier in tiers:
            fabric(other)[tier].update(chance.choice(LEAVES if tier == "leaf" else SPINES))
        old, new = built_or_none(data), built_or_none(other)
        if old is not None and new is not None:
            return old, new
    raise AssertionError("too few of the sites can be built")


def judged(old: Network, new: Network) -> int:
    """Walk every step; the number of those that replace a switch."""
    found, legs, hosts = replay(old, new), joined(old), hosts_on(old)
    links = Counter(link.lower.device for link in old.links)
    has_uplinks = {link.lower.device for link in old.links if link.kind == "fabric"}
    for step in found.steps:
        named = {*step.below, *step.cut_off}
        for move in step.moves:
            legs.subtract(move.before)
        for is_done in (False, True):
            up = Counter(lower[0] for (_, lower), count in legs.items() if count)
            busy = {upper[0] for (upper, lower), count in legs.items() if count and lower[0] in hosts}
            assert {host for host in hosts if up[host] < links[host] - 1} <= named
            assert {leaf for leaf in busy & has_uplinks if not up[leaf]} <= named
            for move in step.moves if not is_done else ():
                legs.update(move.after)
    return sum(step.replaced is not None for step in found.steps)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(5))
def test_no_step_takes_a_host_or_a_leaf_with_hosts_down_unnamed(seed: int) -> None:
    chance = Random(seed)
    assert sum(judged(*two_networks(chance)) for _ in range(SITES)) > SITES

"""What a hash asks of the fullest link: against all outcomes counted, against draws, and what holds of any fabric."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.design.capacity import ecmp_hash_model
from nornir_tasks.design.capacity.ecmp_hash_model import even, fullest
from nornir_tasks.design.capacity.ecmp_link_load import PathLoad, Senders, path_loads
from nornir_tasks.design.model.sizing import Layout
from tests.unit.design.test_drawing import site

DRAWS = 800


def counted(flows: int, paths: int) -> float:
    """The mean of the fullest of paths that are alike, by counting every outcome."""
    outcomes = [max(Counter(each).values()) for each in product(range(paths), repeat=flows)]
    return sum(outcomes) / len(outcomes)


def drawn(flows: int, shares: Sequence[float], switches: int = 1) -> list[int]:
    """The fullest path in each of so many draws, sorted."""
    random, paths = Random(5), range(len(shares))
    return sorted(
        max(max(Counter(random.choices(paths, shares, k=flows)).values()) for _ in range(switches))
        for _ in range(DRAWS)
    )


@pytest.mark.parametrize(("flows", "paths"), [(1, 3), (2, 2), (3, 2), (4, 3), (5, 4), (8, 2), (6, 5)])
def test_few_flows_are_as_all_outcomes_counted(flows: int, paths: int) -> None:
    assert fullest(flows, even(paths)).expected == pytest.approx(counted(flows, paths), abs=1e-6)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("flows", "shares", "switches"),
    [
        (16, even(2), 1),
        (64, even(32), 1),
        (97, even(16), 1),
        (112, even(16), 8),
        (256, even(64), 1),
        (300, [0.5, *[0.125] * 4], 1),
        (512, [*[1 / 32] * 16, *[1 / 30] * 15], 1),
        (1000, even(3), 4),
    ],
)
def test_the_fullest_path_is_as_drawn_by_chance(
    flows: int, shares: list[float], switches: int, figure: Callable[[str], None]
) -> None:
    got, sample = fullest(flows, shares, switches), drawn(flows, shares, switches)
    mean = sum(sample) / len(sample)
    figure(f"{flows} flows on {len(shares)} paths, {switches} times: {got.expected:.2f} computed, {mean:.2f} drawn")
    deviation = (sum((each - mean) ** 2 for each in sample) / len(sample)) ** 0.5
    assert abs(got.expected - mean) < 5 * deviation / len(sample) ** 0.5 + 0.01
    assert sum(each <= got.rare for each in sample) > 0.975 * len(sample)
    assert sum(each < got.rare for each in sample) < 0.997 * len(sample)


@pytest.mark.parametrize("paths", [2, 4, 16, 32])
def test_where_the_series_takes_over_it_says_the_same(paths: int, monkeypatch: pytest.MonkeyPatch) -> None:
    flows = ecmp_hash_model.EXACT_FLOWS
    exact = fullest(flows, even(paths))
    monkeypatch.setattr(ecmp_hash_model, "EXACT_FLOWS", 0)
    ecmp_hash_model._fullest.cache_clear()
    rough = fullest(flows, even(paths))
    ecmp_hash_model._fullest.cache_clear()
    assert rough.expected == pytest.approx(exact.expected, abs=0.02)
    assert abs(rough.rare - exact.rare) <= 1


@given(st.integers(1, 3000), st.integers(1, 64), st.integers(1, 300))
@settings(max_examples=50, deadline=None)
def test_it_is_between_an_even_share_and_all_flows(flows: int, paths: int, switches: int) -> None:
    got = fullest(flows, even(paths), switches)
    assert flows / paths <= got.expected + 1e-6
    assert got.expected <= flows + 1e-6
    assert got.expected <= got.rare + 1 <= flows + 1
    assert fullest(flows, even(paths), switches + 100).expected >= got.expected - 1e-6


def layout(**changes: int) -> Layout:
    """A layout with eight rails, and these numbers."""
    (part,) = site("lab-rails").fabrics["compute"].parts
    return replace(
        part.layout, **{"leaf_groups": 32, "hosts_per_group": 112, "uplinks": 16, "spines_per_group": 16, **changes}
    )


def loads_of(queue_pairs: int, **changes: int) -> dict[tuple[str, str], PathLoad]:
    shape = layout(**changes)
    hosts = shape.hosts_per_group * shape.leaf_groups
    return {(x.pattern, x.lost): x for x in path_loads(Senders(shape, hosts, 400, queue_pairs))}


@pytest.mark.parametrize(
    "changes", [{}, {"hosts_per_group": 64, "uplinks": 64, "spines_per_group": 64}, {"uplinks": 32}]
)
def test_more_queue_pairs_never_ask_more_of_the_fullest_link(changes: dict[str, int]) -> None:
    found = [loads_of(count, **changes) for count in (1, 4, 16)]
    for fewer, more in pairwise(found):
        assert fewer
        assert all(more[key].expected < fewer[key].expected for key in fewer)
        assert all(more[key].even == pytest.approx(fewer[key].even) for key in fewer)


NUMBERS = {"uplinks": 8, "spines_per_group": 4, "hosts_per_group": 16, "leaf_groups": 2}
"""Spines with two links to each leaf."""


def fullest_drawn(pattern: str, lost: str, queue_pairs: int, random: Random) -> float:
    """One draw: every flow of every NIC takes its links by chance, leaf by leaf; what the fullest link has in Gb/s.

    ``lost`` concerns the first leaf alone, but for a spine: links to it are gone from all leaves.
    """
    shape = layout(**NUMBERS)
    hosts, links = shape.hosts_per_group * shape.leaf_groups, Counter[tuple[int, int, int]]()
    far = [host for host in range(hosts) if host >= shape.hosts_per_group] if pattern == "all-to-all" else [0]
    gbps = 400 / queue_pairs / (hosts - 1 if pattern == "all-to-all" else 1)
    for leaf in range(shape.leaves):
        every = [(spine, link) for spine in range(4) for link in range(2)]
        if lost == "one spine":
            every = [each for each in every if each[0] != 0]
        if lost == "one uplink" and leaf == 0:
            every.remove((0, 0))
        for _ in range(shape.hosts_per_group * len(far) * queue_pairs):
            spine, link = every[random.randrange(len(every))]
            if lost == "one link of the far leaf" and (leaf, spine) == (0, 0):
                link = 1
            links[leaf, spine, link] += 1
    return max(links.values()) * gbps


@pytest.mark.sampled(6)
@pytest.mark.parametrize("queue_pairs", [1, 4])
@pytest.mark.parametrize("lost", ["", "one uplink", "one spine", "one link of the far leaf"])
@pytest.mark.parametrize("pattern", ["ring", "all-to-all"])
def test_flows_drawn_through_a_whole_tier_are_as_computed(
    pattern: str, lost: str, queue_pairs: int, figure: Callable[[str], None]
) -> None:
    found = loads_of(queue_pairs, **NUMBERS)[pattern, lost]
    random, unit = Random(9), layout().uplink_gbps
    sample = [fullest_drawn(pattern, lost, queue_pairs, random) / unit for _ in range(DRAWS // 4)]
    mean = sum(sample) / len(sample)
    deviation = (sum((each - mean) ** 2 for each in sample) / len(sample)) ** 0.5
    figure(f"{pattern}, {lost or 'nothing'} lost, {queue_pairs} queue pairs: {found.expected:.2f} x, {mean:.2f} drawn")
    assert abs(found.expected - mean) < 5 * deviation / len(sample) ** 0.5 + 0.01
    assert sum(each <= found.rare + 1e-9 for each in sample) >= 0.95 * len(sample)


def test_what_is_lost_concerns_only_the_leaves_that_it_was_of() -> None:
    found = loads_of(4, **NUMBERS)
    for pattern in ("ring", "all-to-all"):
        whole, uplink, spine = (found[pattern, lost].expected for lost in ("", "one uplink", "one spine"))
        assert whole < uplink < spine


def test_a_fabric_whose_uplinks_nobody_needs_asks_nothing() -> None:
    assert loads_of(1, leaf_groups=1) == {}

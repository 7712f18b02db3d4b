"""No alarm where the switches do just what a site's flows say, whatever else the site has; and on built-in sites."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from nornir_tasks.usecases.proofs.prove import prove
from nornir_tasks.usecases.site import load
from tests.unit.design import front
from tests.unit.platforms import front_drawn
from tests.unit.proofs.front_proved import GUARDED
from tests.unit.proofs.random_sites import drawn
from tests.unit.proofs.site_proved import site


def holds_for(data: dict[str, Any]) -> None:
    found = site(front.built(data), GUARDED).judged()
    assert len(found.pairs) >= 16
    # without flows nothing is refused on storage; what business lets go anywhere, and come from anywhere, is outside
    assert found.failed == ()


@settings(max_examples=15)
@given(front_drawn.intents())
def test_random_front_fabrics_do_what_their_flows_say_and_no_more(data: dict[str, Any]) -> None:
    holds_for(data)


@pytest.mark.long
@settings(max_examples=200)
@given(front_drawn.intents())
def test_two_hundred_front_fabrics_do_what_their_flows_say_and_no_more(data: dict[str, Any]) -> None:
    holds_for(data)


@pytest.mark.long
def test_two_hundred_sites_with_rails_vrfs_and_out_of_band_planes_raise_no_alarm(figure: Callable[[str], None]) -> None:
    pairs, planes = 0, Counter[str]()
    for seed in range(5000, 5200):
        clean = drawn(Random(seed))
        found = clean.judged()
        assert (found.failed, found.undecided) == ((), ()), seed
        pairs += len(found.pairs)
        planes.update(clean.network.planes.keys() & {"compute", "oob"})
    figure(
        f"200 sites, {planes['compute']} with rails, {planes['oob']} with an out-of-band plane: {pairs} pairs as asked"
    )


@pytest.mark.parametrize(("site", "pairs"), [("lab", 170), ("lab-rails", 0), ("lab-breakout", 0), ("ref-512", 0)])
def test_built_in_sites_keep_their_planes_apart(site: str, pairs: int) -> None:
    """170. Of hosts 141: six ends (gpu on three planes, storage, login, api) make 22 ordered pairs on different planes,
    and storage, which has flows, keeps its two groups apart both ways; six groups out of band make 72 with these and 45
    among them, each with itself at another access switch too. The firewalls of the way out make 20 with ends on other
    planes; the three groups on its plane leave and are come to, and their gateways ask one DHCP server: 9."""
    found = prove(load(site), without=("boundary",))  # which needs nft
    assert (len(found.isolation.pairs), found.isolation.failed, found.undecided) == (pairs, (), ())

"""As test_whole_way.py: the built-in lab as it is, and its front pairs on each system in turn; every link is lost.

And once the lab with all of its planes: rails and the out-of-band plane, whose packets may reach no other fabric.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from routed_lab import needs_root
from whole_way import differing, summary
from whole_way_labs import AS_IT_IS, LEAVES, LOSSES, RaisedWay, every_loss, raised, site_of

pytestmark = [needs_root, pytest.mark.long]


@pytest.fixture(scope="module", params=[AS_IT_IS, *LEAVES])
def way(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RaisedWay]:
    with raised(site_of(request.param, tmp_path_factory.mktemp("way"))) as made:
        made.name = request.param
        yield made


def test_with_nothing_lost_proof_rules_and_packets_agree(way: RaisedWay, figure: Callable[[str], None]) -> None:
    found = way.found_without(LOSSES[0])
    assert differing(found) == []
    figure(f"front pairs {way.name}, nothing lost: {summary(found)}; all sessions and bonds after {way.up_s:.0f} s")


def test_they_agree_whatever_one_link_or_member_is_lost(way: RaisedWay, figure: Callable[[str], None]) -> None:
    began_s, agree, every = time.monotonic(), Counter[str](), Counter[str]()
    wrong: list[str] = []
    for loss in every_loss(way.network):
        found = way.found_without(loss)
        every[loss.kind] += len(found)
        agree[loss.kind] += sum(each.agree for each in found.values())
        wrong += [f"{loss}: {each}" for each in differing(found)]
        print(
            f"{time.monotonic() - began_s:.0f} s: {loss}: {summary(found)}", *differing(found), sep="\n  ", flush=True
        )
    assert wrong == []
    counts = ", ".join(f"{kind} {agree[kind]} of {count}" for kind, count in every.items())
    figure(f"front pairs {way.name}, lost: {counts} agree, in {time.monotonic() - began_s:.0f} s")


def test_hosts_of_all_planes_reach_what_they_must_and_nothing_else(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    with raised(site_of(AS_IT_IS, tmp_path), ()) as made:
        found = made.found_without(LOSSES[0])
        assert differing(found) == []
        planes = {each.plane for probe in found for each in (probe.source, probe.target)}
        assert planes == {"compute", "storage", "business", "oob"}
        figure(f"all planes: {summary(found)}; all sessions and bonds after {made.up_s:.0f} s")

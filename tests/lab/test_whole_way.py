"""Between all hosts of the front fabric, and out of the site: proof, rules loaded, and packets agree, whatever is lost.

The built-in lab with its front pairs on one system, in one QEMU machine. Every service, a port of none, and a ping go
from each group of hosts to each other, to its own, to its gateway, to machines beyond the way out and to somebody
outside, and back; what a relay of DHCP sends goes to its server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from routed_lab import needs_root
from whole_way import differing, summary
from whole_way_labs import LOSSES, Loss, RaisedWay, raised, site_of

pytestmark = needs_root
SYSTEM = "eos"
LATER = frozenset({"the peer link", "a leg of a machine beyond"})
"""In make test-long: with these it is over six minutes on two cores."""
CASES = [
    pytest.param(each, id=each.kind.replace(" ", "-"), marks=[pytest.mark.long] if each.kind in LATER else [])
    for each in LOSSES
]


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RaisedWay]:
    with raised(site_of(SYSTEM, tmp_path_factory.mktemp("way"))) as made:
        yield made


@pytest.mark.parametrize("loss", CASES)
def test_proof_rules_and_packets_agree(way: RaisedWay, loss: Loss, figure: Callable[[str], None]) -> None:
    began_s = time.monotonic()
    found = way.found_without(loss)
    took_s = time.monotonic() - began_s
    assert differing(found) == []
    up = f"; all sessions and bonds after {way.up_s:.0f} s" if loss == LOSSES[0] else ""
    figure(f"front pairs of {SYSTEM}, {loss.kind} lost: {summary(found)}, in {took_s:.0f} s{up}")


def test_lists_opened_in_the_kernels_behind_the_switches_backs_are_named(way: RaisedWay) -> None:
    opened = [leaf for leaf in way.leaves if not leaf.startswith("front-leaf-g3")]
    before = {leaf: way.lab.inside(leaf, "nft", "list", "ruleset") for leaf in opened}
    groups = ("gpu", "storage", "storage", "storage")
    ssh = [
        each
        for each in way.probes
        if (each.source.group, each.target.group, each.source.plane, each.target.plane) == groups
        and (each.protocol, each.port) == ("tcp", 22)
    ]
    assert {(each.proof, each.agree) for each in way.found(among=ssh).values()} == {(False, True)}
    try:
        for leaf in opened:
            for chain in ("in", "out"):
                way.lab.inside(leaf, "nft", "insert", "rule", "ip", "lists", chain, "accept")
        way.read_rules()
        found = way.found(among=ssh)
        assert {each[:3] for each in found.values()} == {(False, (True, True), (True, True))}
        assert len(differing(found)) == len(ssh) > 0
    finally:
        for leaf, text in before.items():
            way.lab.inside(leaf, "nft", "-f", "-", text=f"flush ruleset\n{text}")
        way.read_rules()

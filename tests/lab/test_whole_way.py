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


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RaisedWay]:
    with raised(site_of(SYSTEM, tmp_path_factory.mktemp("way"))) as made:
        yield made


@pytest.mark.parametrize("loss", LOSSES, ids=lambda each: each.kind.replace(" ", "-"))
def test_proof_rules_and_packets_agree(way: RaisedWay, loss: Loss, figure: Callable[[str], None]) -> None:
    began_s = time.monotonic()
    found = way.found_without(loss)
    took_s = time.monotonic() - began_s
    assert differing(found) == []
    up = f"; all sessions and bonds after {way.up_s:.0f} s" if loss == LOSSES[0] else ""
    figure(f"front pairs of {SYSTEM}, {loss.kind} lost: {summary(found)}, in {took_s:.0f} s{up}")

"""The budget of isolation: 300 devices and 1,000 pairs are judged within 10 s of one core."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nornir_tasks.proofs.isolation import judge
from nornir_tasks.usecases.proofs import prove
from nornir_tasks.usecases.site import load, select
from tests.bench.sites import isolation_site

BUDGET_S = 10.0


@pytest.mark.long
def test_three_hundred_switches_and_a_thousand_pairs_are_judged_within_ten_seconds(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    design = load(isolation_site(tmp_path))
    configs = {name: each.config for name, each in prove.rendered(select(design)).items()}
    guarded, reasons = prove.guarded(design)
    assert not reasons
    began_s = time.process_time()
    found = judge(design.network, configs, guarded, prove.services(design))
    took_s = time.process_time() - began_s
    figure(f"{len(configs)} switches, {len(found.pairs)} pairs: {took_s:.1f} s of CPU to judge")
    assert len(configs) >= 300
    assert len(found.pairs) >= 1000
    assert (found.failed, found.undecided) == ((), ())
    assert took_s < BUDGET_S

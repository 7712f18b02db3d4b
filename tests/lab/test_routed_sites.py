"""Both tiers on other sites: cables without addresses, split cages, 512 GPUs. FRR and the simulation agree on each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator
from routed_lab import RoutedLab, needs_root, on_this_machine, until

pytestmark = needs_root
SITES = ("lab-unnumbered", "lab-breakout", "ref-512")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SITES)
def test_frr_has_what_the_simulation_has(name: str, tmp_path: Path, figure: Callable[[str], None]) -> None:
    shutil.copytree(ROOT / "inventory" / name, tmp_path / name)
    operator = Operator(tmp_path / name, tmp_path / "state")
    try:
        operator.run("lab", "up", "--routed")
        operator.run("push", "--yes")
        lab = RoutedLab(operator)
        until(lab.assert_both_tiers_agree)
        sessions = [is_up for each in lab.switches for is_up in lab.established(each).values()]
        assert sessions and all(sessions)
        routes = sum(len(lab.kernel(each)) for each in lab.switches)
        assert "FAILED" not in operator.run("validate")
        figure(f"{name}: {len(lab.switches)} routed switches, {len(sessions)} ends of sessions, {routes} routes agree")
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []

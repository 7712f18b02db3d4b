"""Edge routers of each system are pushed to switches of the lab: all at once, nothing to do again, drained and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from at_terminal import Operator

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.templates import environment
from tests.lab.pushes import bare_like, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design.edge_systems import SYSTEMS, design_of, text_of

ROUTERS = ("edge-1", "edge-2")
PARTIAL = "takes: partial, max_prefixes: 20000"
"""What the site asks of isp-b; not every model is known to hold so many."""
each_system = pytest.mark.parametrize("system", SYSTEMS)


def router(folder: Path, system: str, name: str, *, drained: bool = False) -> Wanted:
    (folder / "fabric.yml").write_text(text_of(system))
    network = design_of(folder).network
    made = device_config(network, network.device(name), drained=drained)
    return wanted(made.config, made.capabilities, made.claims, environment(made.config.os))


@each_system
def test_a_bare_switch_takes_all_of_it_and_a_drain_is_undone(system: str, tmp_path: Path) -> None:
    for name in ROUTERS:
        whole, drained = router(tmp_path, system, name), router(tmp_path, system, name, drained=True)
        switch = bare_like(whole)
        assert push(switch, whole) > 0
        good = whole.platform.to_tree(switch.running())
        assert push(switch, whole) == 0
        assert push(switch, drained) > 0
        assert push(switch, whole) > 0
        assert whole.platform.to_tree(switch.running()) == good


@each_system
def test_every_line_deleted_or_changed_is_a_difference(system: str, tmp_path: Path) -> None:
    whole = router(tmp_path, system, "edge-2")
    assert device_plan(whole, whole.platform.to_text(whole.platform.canonical(whole.tree))).changes == ()
    counts = [each_change_is_reported(whole, path) for path, _ in whole.tree.walk()]
    assert sum(deleted for deleted, _ in counts) > 50


@each_system
def test_a_push_at_the_terminal_changes_both_and_then_neither(system: str, tmp_path: Path) -> None:
    site = tmp_path / "edge"
    site.mkdir()
    text = text_of(system).replace(PARTIAL, "takes: default, max_prefixes: 10")
    (site / "fabric.yml").write_text(f"{text}management: {{source: lab}}\n")
    operator = Operator(site, tmp_path / "state")
    operator.start()
    try:
        assert "2 of 2 changed" in operator.run("push", "--plane", "boundary", "--yes")
        assert "0 of 2 changed" in operator.run("push", "--plane", "boundary", "--yes")
    finally:
        operator.run("lab", "down")

"""Edge routers of every system as pushes make them: from nothing, drained, and back; here and at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from at_terminal import Operator

from nornir_tasks.deploy.plan import running_drain
from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.templates import environment
from tests.lab.pushes import bare_like, plan, push
from tests.property.mutants import each_change_is_reported
from tests.unit.design import edge_systems

DRAIN = Drain("alice", reason="its power supply is exchanged")
PARTIAL = "takes: partial, max_prefixes: 20000"
"""What the site asks of isp-b; not every model is known to hold so many."""
each_system = pytest.mark.parametrize("system", edge_systems.SYSTEMS)


def network_of(system: str, folder: Path) -> Network:
    (folder / "fabric.yml").write_text(edge_systems.text_of(system), encoding="utf-8")
    return edge_systems.design_of(folder).network


def whole(network: Network, name: str, *, drained: Drain | bool = False) -> Wanted:
    made = device_config(network, network.device(name), drained=drained)
    return wanted(made.config, made.capabilities, made.claims, environment(made.config.os))


@each_system
def test_a_router_is_made_of_nothing_drained_and_as_it_was(system: str, tmp_path: Path) -> None:
    network = network_of(system, tmp_path)
    for name in ("edge-1", "edge-2"):
        here, drained = whole(network, name), whole(network, name, drained=DRAIN)
        switch = bare_like(here)
        assert push(switch, here) > 0
        assert push(switch, here) == 0
        before = switch.running()
        assert push(switch, drained) > 0
        assert running_drain(here, plan(switch, here)) == DRAIN, "a push finds it"
        assert push(switch, here) > 0
        assert switch.running() == before


@pytest.mark.sampled(1)
@each_system
def test_every_line_deleted_or_changed_is_a_difference(system: str, tmp_path: Path) -> None:
    here = whole(network_of(system, tmp_path), "edge-2", drained=DRAIN)
    counts = [each_change_is_reported(here, path) for path, _ in here.tree.walk()]
    assert sum(deleted for deleted, _ in counts) > 50


@pytest.mark.sampled(1)
@each_system
def test_a_push_at_the_terminal_changes_both_then_neither_and_both_are_as_they_should_be(
    system: str, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    site = tmp_path / "edge"
    site.mkdir()
    text = edge_systems.text_of(system, signed=True).replace(PARTIAL, "takes: default, max_prefixes: 10")
    (site / "fabric.yml").write_text(f"{text}management: {{source: lab}}\n", encoding="utf-8")
    (site / ".secrets").mkdir()
    (site / ".secrets" / "upstreams").touch(mode=0o600)
    (site / ".secrets" / "upstreams").write_text(edge_systems.PASSWORD, encoding="utf-8")
    operator = Operator(site, tmp_path / "state")
    operator.start()
    try:
        printed = [operator.run("push", "--plane", "boundary", "--yes") for _ in range(2)]
        assert ["2 of 2 changed" in printed[0], "0 of 2 changed" in printed[1]] == [True, True], printed
        assert edge_systems.PASSWORD not in "".join(printed)
        report = operator.json("validate", "--plane", "boundary")
        assert (report["failed"], report["tested"]) == (0, report["of"])
        figure(f"{system}: tested {report['tested']} of {report['of']}")
    finally:
        operator.run("lab", "down")

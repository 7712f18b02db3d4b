"""Edge routers of every system as pushes make them: from nothing, drained, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.templates import environment
from tests.lab.pushes import bare_like, push
from tests.unit.design import edge_systems


def whole(network: Network, name: str, *, drained: bool = False) -> Wanted:
    made = device_config(network, network.device(name), drained=drained)
    return wanted(made.config, made.capabilities, made.claims, environment(made.config.os))


@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_a_router_is_made_of_nothing_drained_and_as_it_was(system: str, tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text(edge_systems.text_of(system), encoding="utf-8")
    network = edge_systems.design_of(tmp_path).network
    for name in ("edge-1", "edge-2"):
        here, drained = whole(network, name), whole(network, name, drained=True)
        switch = bare_like(here)
        assert push(switch, here) > 0
        assert push(switch, here) == 0
        before = switch.running()
        assert push(switch, drained) > 0
        assert push(switch, here) > 0
        assert switch.running() == before

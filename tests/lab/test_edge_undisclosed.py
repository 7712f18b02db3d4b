"""Upstreams do not learn from LLDP or CDP what an edge router is; our own cables still are judged by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nornir_tasks.checks.switches.lldp import check_lldp
from nornir_tasks.design.pipeline import Realised
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.observed import LldpNeighbor
from nornir_tasks.render.render import render
from tests.lab.pushes import bare_like, plan, push
from tests.lab.test_edge_pushed import whole
from tests.lab.test_fabric_tags import Switch
from tests.lab.typed_switches import spec_of
from tests.property.mutants import each_change_is_reported, without
from tests.unit.checks.edge_evidence import evidence, network_of
from tests.unit.design.edge_systems import SYSTEMS, edges

each_system = pytest.mark.parametrize("system", SYSTEMS)
LINES = {
    "eos": ("no lldp transmit", "no lldp receive"),
    "nxos": ("no lldp transmit", "no lldp receive", "no cdp enable"),
    "nvue": ('state: "disabled"',),
}


def outside_ports(system: str, name: str) -> set[str]:
    edge = network_of(system).edge
    assert edge is not None
    return {link.port for link in edge.on(name)}


def silencing(system: str) -> list[Path]:
    """The lines of ports to upstreams that say nothing of the router."""
    paths = (path for path, _ in whole(network_of(system), "edge-1").tree.walk())
    return [path for path in paths if path[0].startswith("interface") and path[-1] in LINES[system]]


@each_system
def test_a_router_sends_and_takes_no_lldp_where_an_upstream_is_and_does_everywhere_else(system: str) -> None:
    """As a switch reads its own configuration."""
    for each in edges(system):
        text = render(each.config, each.capabilities, environment(each.config.os))
        ports = Switch(spec_of(each.config), text).state().interfaces
        wired = {port.name for port in each.config.interfaces if port.layer1 is not None}
        silent = {port.name for port in ports if not (port.lldp_transmit or port.lldp_receive)}
        speaking = {port.name for port in ports if port.lldp_transmit and port.lldp_receive}
        assert silent == outside_ports(system, each.config.name) != set()
        assert wired - silent <= speaking


@each_system
def test_every_one_of_these_lines_that_is_missing_comes_back_and_a_second_push_changes_nothing(system: str) -> None:
    assert len(silencing(system)) == len(outside_ports(system, "edge-1")) * len(LINES[system])
    here = whole(network_of(system), "edge-1")
    for path in silencing(system):
        assert each_change_is_reported(here, path)[0] == 1, path
    switch = bare_like(here)
    assert push(switch, here) > 0
    assert push(switch, here) == 0


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_a_port_that_says_only_some_of_it_is_read_as_a_port_with_lines_of_others(system: str) -> None:
    here, port = whole(network_of(system), "edge-1"), silencing(system)[0]
    read = here.platform.parse(without(here.tree, port), here.capabilities, "edge-1", here.config.model)
    changed = [each for each in read.config.interfaces if each not in here.config.interfaces]
    assert [each.undisclosed for each in changed] == [False]
    left = {path[-1] for path, node in read.remainder.walk() if not node}
    assert left == {*LINES[system]} - {port[-1]}


@each_system
def test_no_neighbour_is_expected_where_an_upstream_is(system: str) -> None:
    judged = check_lldp(evidence(system))
    here = {(each.device, each.port) for each in judged if each.device.startswith("edge-")}
    assert here
    assert not here & {(name, port) for name in ("edge-1", "edge-2") for port in outside_ports(system, name)}


def test_an_upstream_that_is_heard_all_the_same_is_no_finding_of_the_cabling() -> None:
    seen, port = evidence("eos"), min(outside_ports("eos", "edge-1"))
    heard = LldpNeighbor(port, "core7.isp.example", "xe-0/0/1")
    observed = {**seen.observed, "edge-1": replace(seen.observed["edge-1"], lldp=(heard,))}
    assert not [each for each in check_lldp(replace(seen, observed=observed)) if each.port == port]


@each_system
def test_somebodys_lines_that_make_such_a_port_speak_are_named_by_a_plan(system: str) -> None:
    here = whole(network_of(system), "edge-1")
    spoilt = here
    for path in silencing(system):
        spoilt = replace(spoilt, tree=without(spoilt.tree, path))
    switch = bare_like(spoilt)
    push(switch, spoilt)
    assert {change.path for change in plan(switch, here).changes} >= {*silencing(system)}


def test_only_ports_of_edge_routers_are_so() -> None:
    network = network_of("eos")
    assert {each.name for each in network.devices if each.fabric != "edge"}
    for name in ("edge-1", "edge-2"):
        made: Realised = next(each for each in edges("eos") if each.config.name == name)
        assert {port.name for port in made.config.interfaces if port.undisclosed} == outside_ports("eos", name)

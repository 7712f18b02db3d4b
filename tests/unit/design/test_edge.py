"""What leaves with hosts in VLANs have once: spanning tree, and the hash of link aggregation groups."""

from dataclasses import replace

import pytest

from nornir_tasks.design.config.load_balancing import Hashing
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.errors import DesignError
from tests.unit.design import toys


def realise(os: str, part: PartialConfig, site: Network | None = None) -> Realised:
    def config(_: Device) -> PartialConfig:
        return part

    site = site or toys.with_storage()
    return device_config(site, site.device(toys.ONE_OF_EACH[os]), among=toys.saying(config))


@pytest.mark.parametrize(("os", "mode"), [("eos", "mst"), ("nxos", "rapid-pvst"), ("nvue", "rstp")])
def test_each_system_has_spanning_tree_in_the_mode_of_its_own(os: str, mode: str) -> None:
    found = realise(os, PartialConfig(bridge_priority=4096))
    assert found.config.spanning_tree == SpanningTree(mode, 4096)  # type: ignore[arg-type]
    assert found.claims.has_spanning_tree


@pytest.mark.parametrize("priority", [0, 1, 5000, 65536])
def test_a_priority_that_no_bridge_can_have_is_refused(priority: int) -> None:
    with pytest.raises(DesignError) as error:
        realise("eos", PartialConfig(bridge_priority=priority))
    (problem,) = error.value.problems
    assert (problem.expected, problem.found) == ("4096 to 61440 in steps of 4096", str(priority))


def test_a_switch_that_nobody_makes_the_root_keeps_its_spanning_tree() -> None:
    found = realise("eos", PartialConfig())
    assert found.config.spanning_tree is None
    assert not found.claims.has_spanning_tree


@pytest.mark.parametrize("os", ["eos", "nvue"])
def test_groups_hash_ports_by_a_line_where_the_system_has_one(os: str) -> None:
    hashing = realise(os, PartialConfig(lag_hash=True)).config.hashing
    assert hashing is not None
    assert hashing.lag_ports


def test_groups_of_nxos_hash_ports_without_a_line_and_other_lines_are_ours() -> None:
    found = realise("nxos", PartialConfig(lag_hash=True))
    assert found.config.hashing == realise("nxos", PartialConfig()).config.hashing
    assert found.claims.has_lag_hash
    assert [each for each in found.adjustments if "lag" in each.field] == []


def test_where_no_source_says_how_groups_hash_nothing_is_configured_and_that_is_part() -> None:
    site = toys.with_storage()
    devices = (replace(each, capabilities=replace(each.capabilities, lag_hash="unknown")) for each in site.devices)
    found = realise("eos", PartialConfig(lag_hash=True), replace(site, devices=tuple(devices)))
    assert found.config.hashing is None or found.config.hashing == Hashing(found.config.hashing.seed)
    assert [each.field for each in found.adjustments if "lag" in each.field] == ["hashing.lag_ports"]
    assert not found.claims.has_lag_hash

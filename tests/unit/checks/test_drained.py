"""A switch that is drained carries nothing, and no check takes that for a fault."""

import pytest

from nornir_tasks.checks.counters.rates import rates_of
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.counters.suite import judge
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.pipeline import device_config
from tests.unit.checks.played_load import site, wanted
from tests.unit.checks.soak_faults import dead_member


@pytest.mark.parametrize("seed", [1, 2])
def test_an_uplink_to_a_drained_spine_is_blamed_for_what_it_does_not_carry(seed: int) -> None:
    fault, network = dead_member("eos", seed), site().network
    first, second = fault.played.readings()
    spine = fault.played.links[fault.words][0][0]
    drained = device_config(network, network.device(spine), drained=Drain("alice", reason="fan 2")).config
    found = {}
    for name, config in (("in service", wanted()[spine]), ("drained", drained)):
        configs = {**wanted(), spine: config}
        report = judge(Soak(network, configs, rates_of(first, second), hosts=frozenset(network.hosts))).report
        found[name] = {each.check for each in report.failed}
    assert found == {"in service": {"even-paths"}, "drained": set()}

"""A switch that is drained carries nothing, and no check takes that for a fault."""

from dataclasses import replace

import pytest

from nornir_tasks.checks.counters.rates import rates_of
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.counters.suite import judge
from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.switches.ecmp import check_ecmp
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from tests.unit.checks.played_load import site, wanted
from tests.unit.checks.simulated import SMALL, site_design
from tests.unit.checks.simulated import Network as Simulated
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


@pytest.mark.parametrize("name", SMALL)
def test_routes_beside_drained_switches_are_not_those_that_bgp_finds(name: str) -> None:
    """Each switch that can be drained by itself, and some of each two of a tier."""
    network = site_design(name).network
    there = [each for each in network.devices if each.pair is None and each.fabric in _underlays(network)]
    levels = {each.level for each in there}
    twos = [tuple(each for each in there if each.level == level)[:2] for level in sorted(levels)]
    mixed = tuple(next(each for each in there if each.level == level) for level in sorted(levels))
    for drained in (*((each,) for each in there[:: max(1, len(there) // 8)]), *twos, mixed):
        simulated = Simulated(name)
        for each in drained:
            config = device_config(network, each, drained=Drain("alice", reason="fan 2")).config
            simulated.wanted = {**simulated.wanted, each.name: config}
            simulated.running[each.name] = config
        found = replace(simulated.evidence(), drained={each.name: Drain() for each in drained})
        wrong = [each.message for each in check_ecmp(found) if each.verdict is Verdict.FAIL]
        assert wrong == [], f"{[each.name for each in drained]}"


def _underlays(network: Network) -> set[str]:
    """Fabrics that are no out-of-band tree and no edge."""
    return {name for name, each in network.fabrics.items() if each.kind in {"rail", "clos", "clos3"}}

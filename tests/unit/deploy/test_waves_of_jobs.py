"""Where it is known which job runs where, none loses two rails, pairs or planes at once, and busy leaves come last."""

from collections import defaultdict
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.deploy.waves import Wave, members, most_only_leaves, waves
from nornir_tasks.design.model.network import Network
from nornir_tasks.usecases.site import load
from tests.strategies import fabrics
from tests.unit.deploy.test_waves_of_fabrics import SITES, network

SHARE = 0.25
Jobs = dict[str, frozenset[str]]


@cache
def lab() -> Network:
    """Rails beside pairs: compute, storage and business."""
    return load("lab").network


def order_of(network: Network, jobs: Jobs) -> tuple[Wave, ...]:
    everyone = tuple(members(network, jobs))
    return waves(everyone, most_only_leaves(everyone, SHARE))


@st.composite
def jobs_on(draw: st.DrawFn, network: Network) -> Jobs:
    """Some jobs, on some hosts each; several share a host."""
    hosts = st.frozensets(st.sampled_from(network.hosts), min_size=1) if network.hosts else st.just(frozenset())
    return {f"job {number}": draw(hosts) for number in range(draw(st.integers(1, 4)))}


def unit(network: Network, leaf: str) -> tuple[str, object]:
    """What a job can spare one of: a rail of a fabric, or a pair."""
    device = network.device(leaf)
    own = device.pair or (device.name if device.rail is None else device.rail)
    return device.fabric, (own, device.copy)


def assert_spared(network: Network, jobs: Jobs) -> None:
    hosts = defaultdict[str, set[str]](set)
    for nic in network.nics:
        hosts[nic.leaf].add(nic.host)
    order = order_of(network, jobs)
    for wave in order:
        leaves = [name for name in wave.devices if network.device(name).level == 0]
        for job, where in jobs.items():
            lost = {unit(network, leaf) for leaf in leaves if hosts[leaf] & where}
            assert len(lost) <= 1, f"{job} loses {lost} in {wave.name}"
            above = {network.device(name).fabric for name in wave.devices if network.device(name).level > 0}
            of_job = {network.device(leaf).fabric for leaf in hosts if hosts[leaf] & where}
            assert len(above & of_job) <= 1, f"{job} loses a spine of two planes in {wave.name}"
    assert sorted(name for wave in order for name in wave.devices) == sorted(each.name for each in network.devices)
    busy = {leaf for leaf in hosts if any(hosts[leaf] & where for where in jobs.values())}
    no_oob = [wave for wave in order if not wave.name.startswith(("out-of-band", "canary"))]
    seen = [bool(busy.intersection(wave.devices)) for wave in no_oob if hosts.keys() & {*wave.devices}]
    assert seen == sorted(seen), "a leaf with jobs went before one without"


@given(st.data())
def test_a_job_loses_two_rails_in_a_wave_of_any_fabric(data: st.DataObject) -> None:
    network = data.draw(fabrics())
    assert_spared(network, data.draw(jobs_on(network)))


@pytest.mark.parametrize("name", SITES)
@given(data=st.data())
def test_a_job_loses_two_planes_in_a_wave_of_several_fabrics(name: str, data: st.DataObject) -> None:
    there = network(name)
    assert_spared(there, data.draw(jobs_on(there)))


@given(data=st.data())
def test_a_job_loses_two_pairs_in_a_wave(data: st.DataObject) -> None:
    assert_spared(lab(), data.draw(jobs_on(lab())))


def test_without_jobs_the_order_is_as_ever() -> None:
    assert order_of(lab(), {}) == order_of(lab(), {"job 1": frozenset()})


def test_the_canary_is_a_leaf_without_a_job_if_there_is_one() -> None:
    there = network("one NIC a host on each of two")
    first = next(iter(order_of(there, {})))
    taken = {nic.host for nic in there.nics if nic.leaf in first.devices}
    after = next(iter(order_of(there, {"job 1": frozenset(taken)})))
    assert not {nic.host for nic in there.nics if nic.leaf in after.devices} & taken

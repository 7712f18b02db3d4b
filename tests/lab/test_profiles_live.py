"""A lossy port beside lossless ones, on a switch of each system: pushed over the wire, and judged by what it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from importlib import import_module

import pytest
from described_lab import LabDescription, RunningLab, port_names

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.qos import check_qos
from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.plan import candidate, device_plan
from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.drivers.session import SwitchSession
from nornir_tasks.files.templates import environment
from nornir_tasks.usecases.validate import far_ends
from tests import pushed
from tests.unit.design import toy_profiles, toys

LOSSY = toy_profiles.LOSSY
PUSHED: defaultdict[str, list[Done]] = defaultdict(list)
"""Switch -> what was pushed to it, as its journal has it."""
SMALL_CAGES = {"nxos": ("Ethernet1/33", "Ethernet1/34")}
SYSTEMS = pytest.mark.parametrize("device", toys.ONE_OF_EACH.values(), ids=toys.ONE_OF_EACH)


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("profiles") / "lab")
    for os, name in toys.ONE_OF_EACH.items():
        device = toy_profiles.network().device(name)
        facts = {"release": device.release, "model": device.model, "asic": device.asic}
        ports = [*port_names(os), *SMALL_CAGES.get(os, ())]
        description.add_device(name, os, asn=device.asn, ports=ports, **facts)
    return start_module_lab(description)


def opened(lab: RunningLab, device: str) -> SwitchSession:
    os = toy_profiles.network().device(device).os
    return import_module(f"nornir_tasks.drivers.{os}").session(lab.endpoint(device))


def push(lab: RunningLab, device: str, own: tuple[ClassPolicy, ...] | None) -> int:
    """Bring a switch to this profile of storage's; how many lines that changed."""
    each = toy_profiles.realised(device, own)
    made = wanted(each.config, each.capabilities, each.claims, environment(each.config.os))
    switch = opened(lab, device)
    plan = device_plan(made, switch.read().text, pushed.evidence(*PUSHED[device]))
    assert not plan.others
    if plan.changes:
        assert switch.stage(candidate(made, plan)).changes == frozenset(plan.changes)
        switch.confirm(switch.commit(60))
        PUSHED[device].append(pushed.of(made, plan))
    switch.close()
    return len(plan.changes)


def judged(lab: RunningLab, device: str) -> list[Finding]:
    """What the checks say of one switch by the design with the lossy profile."""
    network, config = toy_profiles.network(), toy_profiles.realised(device).config
    switch = opened(lab, device)
    observed = switch.observe()
    switch.close()
    evidence = Evidence(network, {device: config}, {}, {}, {device: observed}, far_ends(network), {})
    return check_qos(evidence)


@SYSTEMS
def test_it_is_pushed_once_and_each_port_shows_what_its_own_profile_says(lab: RunningLab, device: str) -> None:
    push(lab, device, None)
    assert push(lab, device, LOSSY) > 5
    assert push(lab, device, LOSSY) == 0
    findings = judged(lab, device)
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert {each.port for each in findings} > {toys.storage_port(device), ""}


@SYSTEMS
def test_a_port_that_carries_the_other_profile_is_named_with_both(lab: RunningLab, device: str) -> None:
    push(lab, device, None)
    port = toys.storage_port(device)
    wrong = [each for each in judged(lab, device) if each.verdict is Verdict.FAIL]
    assert {(each.check, each.port) for each in wrong} == {(name, port) for name in ("pfc", "watchdog", "ecn")}
    name = toy_profiles.realised(device).capabilities.queue_profile_name
    assert all(f"runs as profile {name} says, not {toy_profiles.NAME}" in each.message for each in wrong)

"""With ``--plane`` all checks judge what that plane, its fabric and the switch own, and nothing of another plane's."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from lab_evidence import as_observed, lab

from nornir_tasks.checks import suite
from nornir_tasks.checks.evidence import Finding
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.plan import device_plan, running_config, wanted_config
from nornir_tasks.deploy.summary import summary
from nornir_tasks.deploy.tasks import Collected
from nornir_tasks.platforms.observed import Observed
from nornir_tasks.usecases.site import Selection, select
from nornir_tasks.usecases.validate import Readings, evidence, judge
from tests.unit.design.toys import ONE_OF_EACH, both, storage_port, with_storage

COMPUTE, STORAGE = ("compute",), ("storage",)
ALL = (*COMPUTE, *STORAGE)
SWITCHES = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
OF_A_PORT = {"port", "mtu", "trust", "pfc", "watchdog", "ecn"}


@cache
def shown() -> Mapping[str, Observed]:
    """What the lab's switches show when both planes are as designed."""
    return as_observed(with_storage(), {each.name: both(each.name).config for each in with_storage().devices})


def chosen(planes: tuple[str, ...]) -> Selection:
    return select(replace(lab(), network=with_storage()), planes)


@cache
def unchanged(name: str, planes: tuple[str, ...]) -> Collected:
    """One switch that runs what both planes want."""
    return collected(name, planes, both(name).platform.to_text(both(name).tree))


def collected(name: str, planes: tuple[str, ...], text: str) -> Collected:
    """One switch that runs this, as it is read for these planes."""
    wanted = both(name, *planes)
    plan = device_plan(wanted, text)
    return Collected(summary(plan, wanted), running_config(wanted, plan), wanted_config(wanted), shown()[name])


def read(planes: tuple[str, ...], **changed: Collected) -> Readings:
    """All switches as they are read for these planes, some of them otherwise."""
    names = [each.name for each in with_storage().devices]
    switches = {name: changed.get(name.replace("-", "_")) or unchanged(name, planes) for name in names}
    return Readings(switches, {}, {name: wanted_config(both(name, *planes)) for name in names}, {})


def judged(planes: tuple[str, ...], device: str = "", **changes: Any) -> Report:
    """The report on these planes; one switch may show something else."""
    readings = read(planes)
    if changes:
        switch = readings.switches[device]
        other = replace(switch, observed=replace(switch.observed, **changes))
        readings = replace(readings, switches={**readings.switches, device: other})
    return judge(chosen(planes), readings)


def things(findings: tuple[Finding, ...]) -> set[str]:
    return {each.id for each in findings if each.counted}


def test_two_planes_together_judge_all_and_each_leaves_out_what_is_the_other_ones_alone(
    figure: Callable[[str], None],
) -> None:
    compute, storage, everything = (judged(planes) for planes in (COMPUTE, STORAGE, ALL))
    assert things(everything.findings) == things(judged(()).findings)
    assert things(compute.findings) | things(storage.findings) == things(everything.findings)
    for report in (compute, storage, everything):
        assert report.failed == report.undecided == report.skipped == ()
        assert report.tested == report.total == len(things(report.findings))
    mine = {plane: [each for each in report.findings if each.counted and each.id not in things(other.findings)]
            for plane, report, other in (("compute", compute, storage), ("storage", storage, compute))}  # fmt: skip
    ports = {(each.name, storage_port(each.name)) for each in with_storage().devices}
    assert {(each.device, each.port) for each in mine["storage"] if each.check in OF_A_PORT} == ports
    assert {(each.device, each.port) for each in mine["storage"] if each.check == "bgp"} == ports
    assert {each.check for each in mine["storage"]} == {*OF_A_PORT, "bgp", "ecmp"}
    assert {each.subject[:6] for each in mine["storage"] if each.check == "ecmp"} == {"10.32."}
    assert {each.check for each in mine["compute"]} == {*OF_A_PORT, "ecmp"}
    far = evidence(chosen(COMPUTE), read(COMPUTE)).far
    assert {far[each.device, each.port].is_host for each in mine["compute"] if each.port} == {True}
    figure(f"two planes: {compute.total} things of one, {storage.total} of the other, {everything.total} of both")


def test_with_one_plane_the_fabric_and_the_switch_are_judged_as_ever() -> None:
    both_planes = things(judged(COMPUTE).findings) & things(judged(STORAGE).findings)
    whole = judge(select(lab()), with_compute_alone())
    on_links = {
        each.id for each in whole.findings if each.check in {"reach", "config", "lldp", "dscp", "bgp"} and each.counted
    }
    assert on_links <= both_planes
    assert things(whole.findings) - things(judged(COMPUTE).findings) == spare_ports_that_storage_uses()


def with_compute_alone() -> Readings:
    """The lab without storage."""
    site = select(lab())
    configs = {name: each.config for name, each in site.items()}
    seen = as_observed(lab().network, configs)
    switches = {name: replace(unchanged(name, ()), running=configs[name], observed=seen[name]) for name in site}
    return Readings(switches, {}, configs, {})


def spare_ports_that_storage_uses() -> set[str]:
    """Kept shut where there is no storage."""
    return {f"port {each.name} {storage_port(each.name)}" for each in with_storage().devices}


@SWITCHES
def test_what_is_wrong_with_another_plane_on_a_switch_is_seen_with_that_plane_and_with_all(device: str) -> None:
    port, seen = storage_port(device), shown()[device]
    faults: dict[str, dict[str, Any]] = {
        "port": {"ports": tuple(replace(x, oper_up=False) if x.name == port else x for x in seen.ports)},
        "mtu": {"ports": tuple(replace(x, mtu_bytes=1500) if x.name == port else x for x in seen.ports)},
        "trust": {"qos": tuple(replace(x, trust_dscp=False) if x.port == port else x for x in seen.qos)},
        "bgp": {"bgp": tuple(replace(x, established=False) if x.address.startswith("10.32.") else x for x in seen.bgp)},
        "ecmp": {"routes": tuple(route for route in seen.routes if not route[0][1].startswith("10.32."))},
    }
    for check, fault in faults.items():
        assert judged(COMPUTE, device, **fault).failed == ()
        for planes in (STORAGE, ALL):
            report = judged(planes, device, **fault)
            assert {(each.check, each.device) for each in report.failed} == {(check, device)}


@SWITCHES
def test_what_is_wrong_with_the_fabric_is_seen_with_any_plane(device: str) -> None:
    seen = shown()[device]
    link = next(each for each in seen.lldp if each.remote_device.startswith(("spine", "leaf")))
    heard = replace(link, remote_device="somebody")
    for planes in (COMPUTE, STORAGE, ALL):
        report = judged(planes, device, lldp=tuple(heard if each is link else each for each in seen.lldp))
        assert {(each.check, each.device, each.port) for each in report.failed} == {("lldp", device, heard.port)}


@SWITCHES
def test_lines_that_another_plane_lost_are_neither_differences_nor_causes(device: str) -> None:
    """Its port, its session and its list are gone from the switch: what it runs for this plane is whole."""
    text = both(device).platform.to_text(both(device, *COMPUTE).tree)
    changed = {device.replace("-", "_"): collected(device, COMPUTE, text)}
    report = judge(chosen(COMPUTE), read(COMPUTE, **changed))
    assert report.failed == ()
    changed = {device.replace("-", "_"): collected(device, STORAGE, text)}
    report = judge(chosen(STORAGE), read(STORAGE, **changed))
    assert {(each.check, each.device) for each in report.failed} == {("config", device)}
    assert len(report.failed) > 8


def test_a_prefix_that_another_plane_leaks_is_that_planes_matter() -> None:
    (stray, ours) = ("10.32.250.0/24", "10.168.250.0/24")
    routes = shown()["spine-1"].routes
    for prefix, planes, seen in (
        (stray, COMPUTE, False),
        (stray, STORAGE, True),
        (ours, COMPUTE, True),
        (stray, ALL, True),
    ):
        report = judged(planes, "spine-1", routes=(*routes, ((None, prefix), 1)))
        assert [each.subject for each in report.failed] == (["others"] if seen else []), (prefix, planes)
        assert report.skipped == ()
    assert judged(COMPUTE, "spine-1", routes=(*routes, ((None, "192.0.2.0/24"), 1))).skipped != ()


def test_how_much_there_is_of_one_plane_is_known_beforehand() -> None:
    for planes in (COMPUTE, STORAGE, ALL):
        wanted = Readings({}, {}, read(planes).wanted, {})
        counts = suite.expected(evidence(chosen(planes), wanted), chosen(planes))
        assert sum(counts.values()) == judged(planes).total

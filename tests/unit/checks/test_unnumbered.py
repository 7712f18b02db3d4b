"""Checks of a site whose links between switches have no addresses: sessions go by ports, ports advertise themselves."""

from dataclasses import replace
from functools import cache

import pytest
from lab_evidence import as_wanted, unlike
from test_suite import each_field_is_caught

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.checks.suite import judge
from nornir_tasks.usecases.site import load

SWITCHES = ("leaf-g1-r0", "leaf-g1-r1", "spine-1")
BY_DEVICE = pytest.mark.parametrize("device", SWITCHES)


@cache
def good() -> Evidence:
    return as_wanted(load("lab-unnumbered"))


def link_of(device: str) -> tuple[str, str, str]:
    """(port, far device, far port) of a switch's first link to another switch."""
    far = good().far
    return next((port, e.device, e.port) for (name, port), e in sorted(far.items()) if name == device and not e.is_host)


def down(device: str, port: str) -> Evidence:
    """The session behind a port is idle."""
    sessions = tuple(
        replace(each, established=False, state="idle") if each.address == port else each
        for each in good().observed[device].bgp
    )
    return replace(good(), observed={**good().observed, device: replace(good().observed[device], bgp=sessions)})


def test_a_clean_fabric_raises_no_alarm_and_everything_is_judged() -> None:
    found = judge(good())
    assert found.failed == found.undecided == ()
    assert found.tested == found.total


@BY_DEVICE
def test_every_field_a_switch_shows_is_caught_by_the_check_it_belongs_to_and_no_other(device: str, figure) -> None:
    mutants = each_field_is_caught(good(), device)
    figure(f"{device}: {mutants} fields of what it shows changed, each caught by its own check")
    assert mutants > 50


@BY_DEVICE
def test_a_session_that_is_down_is_named_by_its_port_with_what_both_ends_say(device: str) -> None:
    port, far, far_port = link_of(device)
    check, (finding,) = unlike(down(device, port))
    assert (check, finding.device, finding.port) == ("bgp", device, port)
    assert finding.message.startswith(f"{device} {port} <-> {far} {far_port}, neighbour {port}: idle with AS")
    assert "at the far end" in finding.message


@BY_DEVICE
@pytest.mark.parametrize("at", ["here", "there"])
def test_a_wrong_as_or_a_missing_neighbour_at_either_end_is_the_reason_given(device: str, at: str) -> None:
    port, far, far_port = link_of(device)
    spoilt, key = (device, port) if at == "here" else (far, far_port)
    config, evidence = good().running[spoilt], down(device, port)
    neighbors = config.bgp.neighbors
    wrong = tuple(replace(each, remote_as=65009) if each.peer == key else each for each in neighbors)
    running = {**good().running, spoilt: replace(config, bgp=replace(config.bgp, neighbors=wrong))}
    _, (finding,) = unlike(replace(evidence, running=running))
    where = "here" if at == "here" else f"at {far}"
    assert f"remote AS is 65009 {where}" in finding.message
    gone = tuple(each for each in neighbors if each.peer != key)
    running = {**good().running, spoilt: replace(config, bgp=replace(config.bgp, neighbors=gone))}
    _, (finding,) = unlike(replace(evidence, running=running))
    nobody = f"{device} has no such neighbour configured" if at == "here" else f"{far} has no neighbour {far_port}"
    assert nobody in finding.message


def test_a_port_whose_switch_does_not_show_its_advertisements_could_not_be_told() -> None:
    device = "spine-1"
    port, _, _ = link_of(device)
    ports = tuple(
        replace(each, ra_interval_ms=None) if each.name == port else each for each in good().observed[device].ports
    )
    shown = {**good().observed, device: replace(good().observed[device], ports=ports)}
    check, (finding,) = unlike(replace(good(), observed=shown), "could not tell")
    assert (check, finding.port) == ("ra", port)

"""QoS as the switches show it: trust, PFC, watchdog, ECN and the 64 code points."""

from dataclasses import replace

import pytest
from lab_evidence import LEAVES, SWITCHES, clean, designed, fabric_port, host_port, row, seen, unlike

from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.qos import check_qos
from nornir_tasks.design.config.qos import Ecn

WRONG_ECN = ((3, Ecn(1000, 2000, 50)),)
FIELDS = [
    ("trust", {"trust_dscp": False}, "trust off here, on at the far end"),
    ("pfc", {"pfc_priorities": ()}, "pfc none here, 3 at the far end"),
    ("pfc", {"pfc_priorities": (3, 4)}, "pfc 3, 4 here, 3 at the far end"),
    ("watchdog", {"watchdog": False}, "watchdog off here, on at the far end"),
    ("ecn", {"ecn": ()}, "ecn none here, "),
    ("ecn", {"ecn": WRONG_ECN}, "ecn 3, 1000-2000 B at 50 % here, "),
]


@pytest.mark.parametrize("device", SWITCHES)
@pytest.mark.parametrize(("name", "changes", "words"), FIELDS)
def test_one_wrong_setting_of_a_fabric_port_is_named_with_both_ends_values(device, name, changes, words) -> None:
    port = fabric_port(device)
    far = clean().far[device, port]
    check, (finding,) = unlike(row(device, "qos", port, **changes))
    assert (check, finding.device, finding.port) == (name, device, port)
    assert f"{device} {port} <-> {far.device} {far.port}: {words}" in finding.message
    assert finding.expected.startswith(f"{name} ")


@pytest.mark.parametrize("device", LEAVES)
@pytest.mark.parametrize(("name", "changes"), [row[:2] for row in FIELDS])
def test_one_wrong_setting_of_a_host_port_is_named(device, name, changes) -> None:
    port = host_port(device)
    check, (finding,) = unlike(row(device, "qos", port, **changes))
    assert (check, finding.device, finding.port) == (name, device, port)


@pytest.mark.parametrize("device", SWITCHES)
@pytest.mark.parametrize(
    ("name", "field"), [("trust", "trust_dscp"), ("pfc", "pfc_priorities"), ("watchdog", "watchdog"), ("ecn", "ecn")]
)
def test_what_a_port_does_not_show_could_not_be_told(device, name, field) -> None:
    port = fabric_port(device)
    check, (finding,) = unlike(row(device, "qos", port, **{field: None}), "could not tell")
    assert (check, finding.port) == (name, port)
    assert "not shown here" in finding.message


@pytest.mark.parametrize("device", SWITCHES)
def test_a_port_without_any_qos_state_could_not_be_told(device) -> None:
    port = fabric_port(device)
    report = judge(row(device, "qos", port))
    assert not report.failed
    assert {(each.check, each.device, each.port) for each in report.undecided} == {
        (check, device, port) for check in ("trust", "pfc", "watchdog", "ecn")
    }


@pytest.mark.parametrize("device", SWITCHES)
@pytest.mark.parametrize("dscp", [0, 26, 48, 63])
def test_one_wrong_code_point_is_named_with_where_it_goes_and_where_it_should(device, dscp) -> None:
    mapping = clean().observed[device].dscp_to_priority
    check, (finding,) = unlike(seen(device, dscp_to_priority=(*mapping[:dscp], 5, *mapping[dscp + 1 :])))
    assert (check, finding.device) == ("dscp", device)
    assert finding.message == f"{device}: DSCP {dscp} goes to 5, not {mapping[dscp]}"


def test_a_map_that_is_not_shown_could_not_be_told() -> None:
    check, (finding,) = unlike(seen("spine-1", dscp_to_priority=None), "could not tell")
    assert (check, finding.device) == ("dscp", "spine-1")


@pytest.mark.parametrize("device", SWITCHES)
@pytest.mark.parametrize(("name", "changes"), [("pfc", {"pfc_priorities": (4,)}), ("watchdog", {"watchdog": False})])
def test_another_profile_in_the_intent_than_on_the_switch_fails_on_every_port(device, name, changes) -> None:
    qos = clean().wanted[device].qos
    profiles = tuple(replace(profile, **changes) for profile in qos.profiles)
    check, findings = unlike(designed(device, qos=replace(qos, profiles=profiles)))
    assert check == name
    assert {each.port for each in findings} == {
        each.name for each in clean().wanted[device].interfaces if each.qos_profile
    }


@pytest.mark.parametrize("device", SWITCHES)
def test_another_threshold_in_the_intent_than_on_the_switch_fails(device) -> None:
    qos = clean().wanted[device].qos
    queues = {
        profile.name: tuple(replace(each, ecn=each.ecn and replace(each.ecn, min_bytes=1)) for each in profile.queues)
        for profile in qos.profiles
    }
    profiles = tuple(replace(profile, queues=queues[profile.name]) for profile in qos.profiles)
    check, _ = unlike(designed(device, qos=replace(qos, profiles=profiles)))
    assert check == "ecn"


@pytest.mark.parametrize("device", SWITCHES)
def test_a_code_point_the_intent_moved_fails(device) -> None:
    qos = clean().wanted[device].qos
    first, second, *others = qos.classes
    moved = (replace(first, dscp=first.dscp[1:]), replace(second, dscp=(*second.dscp, first.dscp[0])), *others)
    check, (finding,) = unlike(designed(device, qos=replace(qos, classes=moved)))
    assert (check, finding.device) == ("dscp", device)
    assert finding.message == f"{device}: DSCP {first.dscp[0]} goes to {first.priority}, not {second.priority}"


def test_a_switch_that_shall_have_no_qos_is_not_judged() -> None:
    device = "leaf-g1-r0"
    ports = tuple(replace(each, qos_profile=None) for each in clean().wanted[device].interfaces)
    evidence = designed(device, qos=None, interfaces=ports)
    evidence = replace(evidence, observed=seen(device, qos=(), dscp_to_priority=None).observed)
    assert device not in {each.device for each in check_qos(evidence)}

"""What ports show against what the design wants of them: state and MTU, at both ends."""

from dataclasses import replace

import pytest
from lab_evidence import SWITCHES, clean, designed_port, fabric_port, host_port, row, seen, unlike

from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.switches.ports import check_mtu, check_ports

KINDS = [(device, kind) for device in SWITCHES for kind in (fabric_port, host_port)][:-1]  # no host at the spine
BY_PORT = pytest.mark.parametrize(("device", "kind"), KINDS, ids=lambda each: getattr(each, "__name__", each))


def far_end(device: str, port: str) -> str:
    far = clean().far[device, port]
    return f"{device} {port} <-> {far.device} {far.port}"


@BY_PORT
@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"admin_up": False}, "admin down, link up"),
        ({"oper_up": False}, "admin up, link down"),
        ({"admin_up": False, "oper_up": False}, "admin down, link down"),
    ],
)
def test_a_port_that_is_down_is_named_with_both_ends(device, kind, changes, found) -> None:
    port = kind(device)
    check, (finding,) = unlike(row(device, "ports", port, **changes))
    assert (check, finding.device, finding.port) == ("port", device, port)
    assert finding.message.startswith(f"{far_end(device, port)}: {found}")
    assert ("admin up, link up at the far end" in finding.message) is (kind is fabric_port)
    assert finding.expected == "admin up, link up"


@pytest.mark.parametrize("oper_up", [True, False])
def test_a_port_whose_error_correction_no_line_sets_says_who_chose_it(oper_up: bool) -> None:
    port = fabric_port("leaf-g1-r1")
    evidence = row("leaf-g1-r1", "ports", port, oper_up=oper_up)
    (finding,) = [each for each in check_ports(evidence) if (each.device, each.port) == ("leaf-g1-r1", port)]
    text = "FEC is the hardware's choice, " + ("the same at both ends" if oper_up else "look at both ends")
    assert finding.verdict is (Verdict.PASS if oper_up else Verdict.FAIL)
    assert finding.message.endswith(text)
    others = [each for each in check_ports(evidence) if each.device in ("leaf-g1-r0", "spine-1")]
    assert others
    assert not any("FEC" in each.message for each in others)


@BY_PORT
def test_a_port_the_switch_does_not_have_is_named(device, kind) -> None:
    port = kind(device)
    findings = {each.port: each for each in check_ports(row(device, "ports", port)) if each.device == device}
    assert findings[port].verdict is Verdict.FAIL
    assert "no such port" in findings[port].message


def test_a_switch_that_shows_no_ports_at_all_is_not_judged() -> None:
    findings = [each for each in check_ports(seen("spine-1", ports=())) if each.device == "spine-1"]
    assert findings
    assert {each.verdict for each in findings} == {Verdict.ERROR}


@pytest.mark.parametrize("changes", [{"admin_up": True}, {"oper_up": True}])
def test_a_port_that_shall_be_shut_and_is_not_fails_even_without_a_link(changes) -> None:
    device, port = "leaf-g1-r0", host_port("leaf-g1-r0")
    wanted = designed_port(device, port, enabled=False)
    down = row(device, "ports", port, admin_up=False, oper_up=False)
    shut = replace(wanted, observed=down.observed)
    assert verdict(shut, port) is Verdict.PASS
    one_up = row(device, "ports", port, **{"admin_up": False, "oper_up": False, **changes})
    assert verdict(replace(wanted, observed=one_up.observed), port) is Verdict.FAIL


def verdict(evidence: Evidence, port: str) -> Verdict:
    (found,) = [each.verdict for each in check_ports(evidence) if (each.device, each.port) == ("leaf-g1-r0", port)]
    return found


@pytest.mark.parametrize("device", SWITCHES)
def test_a_wrong_mtu_is_reported_at_both_ends_with_both_values(device) -> None:
    port = fabric_port(device)
    far = clean().far[device, port]
    there = {each.name: each.mtu_bytes for each in clean().wanted[far.device].interfaces}[far.port]
    check, findings = unlike(row(device, "ports", port, mtu_bytes=9000))
    assert check == "mtu"
    assert {(each.device, each.port) for each in findings} == {(device, port), (far.device, far.port)}
    (here,) = [each for each in findings if each.device == device]
    assert here.message == f"{far_end(device, port)}: MTU 9000 here, {there} at the far end"
    assert here.expected == f"MTU {there} at both ends"


@pytest.mark.parametrize("device", SWITCHES[:2])
def test_a_wrong_mtu_towards_a_host_is_reported_with_its_value(device) -> None:
    port = host_port(device)
    check, (finding,) = unlike(row(device, "ports", port, mtu_bytes=1500))
    assert (check, finding.port) == ("mtu", port)
    assert "MTU 1500 here" in finding.message


def test_another_mtu_in_the_intent_than_on_the_switch_fails() -> None:
    port = fabric_port("spine-1")
    check, (finding,) = unlike(designed_port("spine-1", port, mtu_bytes=4200))
    assert (check, finding.device, finding.port, finding.expected) == ("mtu", "spine-1", port, "MTU 4200 at both ends")


def test_an_mtu_that_is_not_shown_is_told_at_neither_end() -> None:
    port = fabric_port("leaf-g1-r1")
    far = clean().far["leaf-g1-r1", port]
    check, findings = unlike(row("leaf-g1-r1", "ports", port, mtu_bytes=None), "could not tell")
    assert check == "mtu"
    assert {each.device for each in findings} == {"leaf-g1-r1", far.device}


def test_a_far_end_that_was_not_asked_does_not_hide_this_end() -> None:
    evidence = clean()
    alone = replace(evidence, observed={"leaf-g1-r0": evidence.observed["leaf-g1-r0"]})
    findings = [*check_mtu(alone), *check_ports(alone)]
    assert {each.device for each in findings} == {"leaf-g1-r0"}
    assert {each.verdict for each in findings} == {Verdict.PASS}

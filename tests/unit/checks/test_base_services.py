"""Base configuration in operation: clock, log, provisioning that has ended, management VRF; each fault is one cause."""

from dataclasses import replace
from typing import Any

import pytest
from lab_evidence import as_wanted

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.base import check_base
from nornir_tasks.checks.switches.certificate import check_certificates
from nornir_tasks.deploy.tasks import relevant_vrfs, worth_asking
from nornir_tasks.design.config.base import NO_BASE, ManagementPort, Server
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.observed import (
    FIELDS,
    Certificate,
    ClockState,
    LogTarget,
    Observed,
    ShownAccount,
    VrfPort,
    ZeroTouch,
)
from tests.unit.design import managed

VRF = {"eos": "MGMT", "nxos": "management", "nvue": "mgmt"}
PORT = {"eos": "Management1", "nxos": "mgmt0", "nvue": "eth0"}
DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
KEPT = {
    "eos": (ShownAccount("pusher", "admin"),),
    "nxos": (ShownAccount("pusher", "admin"), ShownAccount("admin", "admin")),
    "nvue": (ShownAccount("pusher", "admin"), ShownAccount("cumulus", "Unknown")),
}
"""The account that pushes, and those of the system."""
EVERY = pytest.mark.parametrize("os", DEVICES)


def evidence(**changes: Any) -> Evidence:
    """Every switch with managed base shows what it shall; ``changes`` to what those of DEVICES show."""
    right = as_wanted(managed.design())
    return replace(
        right,
        observed={name: shown(right, name, **changes) for name in right.observed},
        push_accounts=frozenset({"pusher"}),
        certificates={name: Certificate((name, "192.0.2.11"), 300, is_pinned=False) for name in right.observed},
    )


def shown(right: Evidence, name: str, **changes: Any) -> Observed:
    config = right.wanted[name]
    ports = tuple(VrfPort(each.name, None) for each in config.interfaces)
    seen = replace(
        right.observed[name],
        clock=ClockState(in_step=True, server="" if config.os == "nvue" else "192.0.2.121"),
        log_targets=None
        if config.os == "nvue"
        else tuple(LogTarget(each.address, each.vrf, None) for each in config.base.log_servers),
        zero_touch=ZeroTouch("disabled", ended=True),
        vrf_ports=(*ports, VrfPort(PORT[config.os], VRF[config.os])),
        accounts=tuple(ShownAccount(each.name, each.role) for each in config.base.accounts) + KEPT[config.os],
    )
    return replace(seen, **changes) if name in DEVICES.values() else seen


def of(found: Evidence, os: str, check: str) -> Finding:
    (finding,) = [each for each in check_base(found) if (each.device, each.check) == (DEVICES[os], check)]
    return finding


def test_all_is_right_where_all_is_as_wanted() -> None:
    found = check_base(evidence())
    assert {each.verdict for each in found} == {Verdict.PASS}
    counts = {
        name: sum(each.check == name for each in found) for name in ("ntp", "syslog", "ztp", "management", "accounts")
    }
    assert counts == {"ntp": 10, "syslog": 8, "ztp": 10, "management": 10, "accounts": 10}
    assert judge(evidence()).failed == ()


@EVERY
def test_a_clock_that_follows_nobody_or_a_stranger_fails(os: str) -> None:
    for clock, words in (
        (ClockState(in_step=False, server=""), "clock follows no server"),
        (ClockState(in_step=True, server="198.51.100.1"), "clock follows 198.51.100.1"),
    ):
        finding = of(evidence(clock=clock), os, "ntp")
        assert (finding.verdict, finding.found) == (Verdict.FAIL, words)
        assert finding.expected == "clock follows 192.0.2.120 or 192.0.2.121 or 2001:db8::7b"


@pytest.mark.parametrize("os", ["eos", "nxos"])
def test_a_log_that_goes_to_somebody_else_nobody_or_in_another_vrf_fails(os: str) -> None:
    right = [LogTarget(each, VRF[os], True) for each in ("192.0.2.51", "2001:db8::33")]
    assert of(evidence(log_targets=tuple(right)), os, "syslog").verdict is Verdict.PASS
    for targets, words in (
        (right[:1], f"log goes to 192.0.2.51 in VRF {VRF[os]}"),
        ([], "log goes to no server"),
        ([*right, LogTarget("198.51.100.9", None, True)], "198.51.100.9 in VRF default"),
        ([replace(right[0], vrf=None), right[1]], "192.0.2.51 in VRF default"),
        ([replace(right[0], reached=False), right[1]], f"192.0.2.51 in VRF {VRF[os]} (unreachable)"),
    ):
        finding = of(evidence(log_targets=tuple(targets)), os, "syslog")
        assert finding.verdict is Verdict.FAIL
        assert words in finding.found


@EVERY
def test_provisioning_that_may_run_at_boot_fails(os: str) -> None:
    finding = of(evidence(zero_touch=ZeroTouch("enabled", ended=False)), os, "ztp")
    assert (finding.verdict, finding.found) == (Verdict.FAIL, "provisioning at boot is enabled")


@EVERY
def test_a_management_vrf_that_is_not_separate_fails_with_what_is_wrong(os: str) -> None:
    right = evidence()
    name, vrf = DEVICES[os], VRF[os]
    port = next(port for (device, port) in sorted(right.far) if device == name)
    seen = right.observed[name]
    assert seen.vrf_ports is not None
    moved = tuple(replace(each, vrf=None) if each.port == PORT[os] else each for each in seen.vrf_ports)
    joined = tuple(replace(each, vrf=vrf) if each.port == port else each for each in seen.vrf_ports)
    learned = (*seen.routes, ((vrf, "198.51.100.0/24"), 1))
    for changes, words in (
        ({"vrf_ports": moved}, f"{PORT[os]} in VRF default"),
        ({"vrf_ports": seen.vrf_ports[:-1]}, "no management port"),
        ({"vrf_ports": joined}, port),
        ({"routes": learned}, "route 198.51.100.0/24"),
    ):
        found = replace(right, observed={**right.observed, name: replace(seen, **changes)})
        finding = of(found, os, "management")
        assert (finding.verdict, finding.found) == (Verdict.FAIL, words)


@pytest.mark.parametrize("field", ["clock", "log_targets", "zero_touch", "vrf_ports", "accounts"])
def test_what_a_switch_does_not_show_is_never_taken_for_right(field: str) -> None:
    verdicts = {each.verdict for each in check_base(evidence(**{field: None})) if each.device in DEVICES.values()}
    assert verdicts == {Verdict.PASS, Verdict.ERROR}


@EVERY
def test_another_server_by_hand_is_one_cause_with_all_that_follows(os: str) -> None:
    name, stranger = DEVICES[os], Server("198.51.100.1", VRF[os])
    right = evidence()
    base = right.wanted[name].base
    running = replace(right.wanted[name], base=replace(base, time_servers=(stranger,), log_servers=(stranger,)))
    targets = None if os == "nvue" else (LogTarget(stranger.address, stranger.vrf, None),)
    seen = replace(right.observed[name], clock=ClockState(in_step=True, server=stranger.address), log_targets=targets)
    report = judge(
        replace(
            right,
            running={**right.running, name: running},
            changes={**right.changes, name: (Change("-", ("ntp server 198.51.100.1",)),)},
            observed={**right.observed, name: seen},
        )
    )
    (cause,) = report.causes
    assert cause.lead.check == "config"
    assert {each.check for each in cause.follows} == {"ntp"} | ({"syslog"} if os != "nvue" else set())


@EVERY
def test_a_management_port_that_somebody_moved_is_one_cause(os: str) -> None:
    name, right = DEVICES[os], evidence()
    port = ManagementPort(VRF[os], "192.0.2.11/24", "192.0.2.1")
    config = right.wanted[name]
    wanted, running = (
        replace(config, base=replace(config.base, management=each)) for each in (port, replace(port, vrf="OTHER"))
    )
    seen = right.observed[name]
    moved = tuple(replace(each, vrf="OTHER") if each.port == PORT[os] else each for each in seen.vrf_ports or ())
    report = judge(
        replace(
            right,
            wanted={**right.wanted, name: wanted},
            running={**right.running, name: running},
            changes={**right.changes, name: (Change("-", (f"interface {PORT[os]}", "vrf OTHER")),)},
            observed={**right.observed, name: replace(seen, vrf_ports=moved)},
        )
    )
    (cause,) = report.causes
    assert (cause.lead.check, [each.check for each in cause.follows]) == ("config", ["management"])


@EVERY
def test_a_switch_is_asked_for_what_is_managed_of_its_base_and_for_nothing_else(os: str) -> None:
    config = as_wanted(managed.design()).wanted[DEVICES[os]]
    of_base = {"clock", "log_targets", "zero_touch", "vrf_ports", "accounts"}
    assert of_base <= set(worth_asking(config, FIELDS))
    assert not of_base & set(worth_asking(replace(config, base=NO_BASE), FIELDS))
    named = replace(config, base=replace(NO_BASE, hostname="spine"))
    assert of_base & set(worth_asking(named, FIELDS)) == {"zero_touch", "vrf_ports"}
    assert relevant_vrfs(config) == (VRF[os],)
    assert relevant_vrfs(named) == ()


@EVERY
def test_an_account_that_is_missing_has_another_role_or_that_nobody_declared_fails(os: str) -> None:
    ops, viewer = ShownAccount("ops", "admin"), ShownAccount("viewer", "operator")
    for accounts, words in (
        ((ops,), "accounts: no viewer"),
        ((ops, replace(viewer, role="admin")), "accounts: viewer (admin)"),
        ((ops, viewer, ShownAccount("day0", "admin")), "accounts: also day0 (admin)"),
    ):
        finding = of(evidence(accounts=(*accounts, *KEPT[os])), os, "accounts")
        assert (finding.verdict, finding.found) == (Verdict.FAIL, words)
        assert finding.expected == "accounts ops (admin), viewer (operator)"


def test_a_management_vrf_that_is_the_default_one_is_not_judged() -> None:
    shared = as_wanted(managed.design(managed.altered(managed.POLICY, vrf="default", management=None)))
    assert not [each for each in check_base(shared) if each.check == "management"]


@pytest.mark.parametrize(
    ("certificate", "verdict", "words"),
    [
        (Certificate(("spine-1",), 300, is_pinned=False), Verdict.PASS, "certificate of spine-1, 300 days left"),
        (Certificate(("spine-1.example.net",), 1, is_pinned=False), Verdict.PASS, "1 day left"),
        (Certificate(("self",), 300, is_pinned=True), Verdict.PASS, "pinned certificate, 300 days left"),
        (
            Certificate(("spine-2", "192.0.2.9"), 300, is_pinned=False),
            Verdict.FAIL,
            "certificate of spine-2, 192.0.2.9",
        ),
        (Certificate(("spine-1",), -2, is_pinned=True), Verdict.FAIL, "expired 2 days ago"),
        (None, Verdict.ERROR, ""),
    ],
)
def test_a_certificate_names_its_switch_or_is_pinned_and_has_not_expired(
    certificate: Certificate | None, verdict: Verdict, words: str
) -> None:
    right = evidence()
    others = {name: each for name, each in right.certificates.items() if name != "spine-1"}
    shown_now = {**others, **({"spine-1": certificate} if certificate is not None else {})}
    report = judge(replace(right, certificates=shown_now))
    (finding,) = [each for each in report.findings if (each.check, each.device) == ("certificate", "spine-1")]
    assert finding.verdict is verdict
    assert words in finding.found
    assert report.warnings == (
        ("spine-1: its certificate ends in 1 day; enrol a new one before",) if words == "1 day left" else ()
    )


def test_a_certificate_is_judged_where_base_is_managed_alone() -> None:
    plain = as_wanted(managed.site())
    assert check_certificates(plain) == []
    assert len(check_certificates(evidence())) == 10

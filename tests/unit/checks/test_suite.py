"""The whole suite: nothing alarms on a clean fabric, each field has its check, and what was not looked at is said."""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace

import pytest
from lab_evidence import SWITCHES, clean, report

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.suite import Report, judge
from nornir_tasks.cli.findings import as_json
from nornir_tasks.errors import Problem, UndecidedError, ValidationFailed
from nornir_tasks.platforms.observed import (
    BgpSession,
    ClockState,
    GatewayState,
    GroupMember,
    LacpPartner,
    LearnedMac,
    LldpNeighbor,
    LogTarget,
    Observed,
    PortQos,
    PortState,
    PortVlans,
    SessionPrefixes,
    ShownAccount,
    Supply,
    TreePort,
    TreeState,
    VrfPort,
    ZeroTouch,
)
from nornir_tasks.usecases.validate import require_passed

ONLY_WORDS = {"state", "prefixes_received"}
"""Of a BGP session: how it calls its state, and how much it has heard so far; nothing is judged by them."""
OTHER = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    str: lambda value: f"{value}9",
    tuple: lambda value: (),
}
BELONGS = {
    (PortState, "name"): {"port", "mtu", "ra"},
    (PortState, "admin_up"): {"port"},
    (PortState, "oper_up"): {"port"},
    (PortState, "mtu_bytes"): {"mtu"},
    (PortState, "ra_interval_ms"): {"ra"},
    (LldpNeighbor, "port"): {"lldp"},
    (LldpNeighbor, "remote_device"): {"lldp", "macs", "extra-cables"},
    (LldpNeighbor, "remote_port"): {"lldp", "extra-cables"},
    (BgpSession, "address"): {"bgp"},
    (BgpSession, "remote_as"): {"bgp"},
    (BgpSession, "established"): {"bgp", "prefixes", "ways-on"},
    (BgpSession, "vrf"): {"bgp"},  # None on every site of today; another one: test_bgp.py
    (GroupMember, "port"): {"lacp"},  # each of these changed: test_lacp.py
    (GroupMember, "group"): {"lacp"},
    (GroupMember, "bundled"): {"lacp"},
    (GatewayState, "port"): {"gateways"},  # each of these changed: test_gateways.py
    (GatewayState, "address"): {"gateways"},
    (GatewayState, "is_up"): {"gateways"},
    (GatewayState, "is_active"): {"gateways"},
    (GatewayState, "mac_address"): {"gateways"},
    (PortVlans, "port"): {"trunks"},  # each of these changed: test_trunks.py
    (PortVlans, "vlans"): {"trunks"},
    (LacpPartner, "port"): {"partners"},  # each of these changed: test_partners.py
    (LacpPartner, "system"): {"partners"},
    (LacpPartner, "rate"): {"partners"},
    (TreeState, "name"): {"stp"},  # each of these changed: test_trees.py
    (TreeState, "root"): {"stp"},
    (TreeState, "priority"): {"stp"},
    (TreeState, "bridge"): {"stp"},
    (TreePort, "port"): {"stp"},
    (TreePort, "forwards"): {"stp"},
    (TreePort, "edge"): {"stp"},
    (TreePort, "guarded"): {"stp"},
    (ClockState, "in_step"): {"ntp"},  # each of these changed: test_base_services.py
    (ClockState, "server"): {"ntp"},
    (LogTarget, "address"): {"syslog"},
    (LogTarget, "vrf"): {"syslog"},
    (LogTarget, "reached"): {"syslog"},
    (ZeroTouch, "ended"): {"ztp"},
    (ShownAccount, "name"): {"accounts"},
    (ShownAccount, "role"): {"accounts"},
    (VrfPort, "port"): {"management"},
    (VrfPort, "vrf"): {"management"},
    (LearnedMac, "port"): {"macs"},  # each of these changed: test_macs.py
    (LearnedMac, "mac"): {"macs"},
    (SessionPrefixes, "address"): {"prefixes"},  # each of these changed: test_prefixes.py
    (SessionPrefixes, "accepted"): {"prefixes"},
    (SessionPrefixes, "sent"): {"prefixes"},
    (SessionPrefixes, "vrf"): {"prefixes"},
    (Supply, "works"): {"power"},
    (PortQos, "port"): {"trust", "pfc", "watchdog", "ecn"},
    (PortQos, "trust_dscp"): {"trust"},
    (PortQos, "pfc_priorities"): {"pfc"},
    (PortQos, "watchdog"): {"watchdog"},
    (PortQos, "ecn"): {"ecn"},
}


def test_a_clean_fabric_raises_no_alarm_and_everything_is_judged(figure: Callable[[str], None]) -> None:
    found = report()
    assert found.failed == found.undecided == ()
    assert found.tested == found.total
    assert found.skipped == ()
    counts = Counter(each.check for each in found.findings if each.counted)
    assert counts["config"] == counts["dscp"] == 10
    assert counts["lldp"] == counts["bgp"] == 32  # both ends of 16 fabric links
    assert counts["trust"] == counts["pfc"] == counts["watchdog"] == counts["ecn"] == counts["mtu"] == 64
    figure(f"checks on the clean lab: {found.summary()}")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", SWITCHES)
def test_every_field_a_switch_shows_is_caught_by_the_check_it_belongs_to_and_no_other(
    device: str, figure: Callable[[str], None]
) -> None:
    mutants = each_field_is_caught(clean(), device)
    figure(f"{device}: {mutants} fields of what it shows changed, each caught by its own check")
    assert mutants > 50


def each_field_is_caught(good: Evidence, device: str) -> int:
    """Change each field of what one switch shows; returns how many there were."""
    mutants = 0
    tables = {PortState: "ports", LldpNeighbor: "lldp", BgpSession: "bgp", PortQos: "qos"}
    for kind, table in tables.items():
        for each in getattr(good.observed[device], table):
            if kind is LldpNeighbor and good.far[device, each.port].is_host:
                continue  # a host may be silent or name its interfaces as it likes: test_lldp.py
            for field in fields(kind):
                value = getattr(each, field.name)
                if field.name in ONLY_WORDS or value is None:
                    continue
                other = OTHER[type(value)](value)
                rows = tuple(
                    replace(one, **{field.name: other}) if one is each else one
                    for one in getattr(good.observed[device], table)
                )
                observed = replace(good.observed[device], **{table: rows})
                found = judge(replace(good, observed={**good.observed, device: observed}))
                bad = (*found.failed, *found.undecided)
                assert bad, (each, field.name)
                assert {one.check for one in bad} <= BELONGS[kind, field.name], (each, field.name)
                assert device in {one.device for one in bad}
                mutants += 1
    return mutants


def test_no_kind_of_observation_is_left_without_a_check() -> None:
    shown = {
        PortState,
        LldpNeighbor,
        BgpSession,
        PortQos,
        GroupMember,
        GatewayState,
        PortVlans,
        TreeState,
        TreePort,
        LacpPartner,
        ClockState,
        LogTarget,
        ZeroTouch,
        VrfPort,
        ShownAccount,
        LearnedMac,
        SessionPrefixes,
        Supply,
    }
    named = {(kind, field.name) for kind in shown for field in fields(kind)}
    in_vlans = {(PortState, "vlan")}  # judged where hosts are in one: test_vlans.py
    words = {(GroupMember, "reason"), (GatewayState, "state"), (TreePort, "state"), (ZeroTouch, "state")}
    words |= {(Supply, "name"), (Supply, "state")}
    assert named - set(BELONGS) == {(BgpSession, name) for name in ONLY_WORDS} | in_vlans | words
    assert {field.name for field in fields(Observed)} == {
        "device", "ports", "lldp", "bgp", "routes", "qos", "dscp_to_priority", "paths", "groups", "pair", "gateways",
        "carried", "trees", "tree_ports", "partners", "clock", "log_targets", "zero_touch", "vrf_ports",
        "accounts", "macs", "exchanged", "supplies",
    }  # fmt: skip


def test_a_switch_that_did_not_answer_could_not_be_told_and_is_counted() -> None:
    evidence = clean()
    observed = {name: each for name, each in evidence.observed.items() if name != "spine-1"}
    changes = {name: each for name, each in evidence.changes.items() if name != "spine-1"}
    why = Problem("spine-1", "nothing answers there", hint="is it up?")
    found = judge(replace(evidence, observed=observed, changes=changes, unreachable={"spine-1": why}))
    assert found.failed == ()
    assert {each.device for each in found.undecided} == {"spine-1"}
    (cause,) = found.causes
    assert (cause.lead.check, cause.lead.message) == ("reach", "spine-1: nothing answers there")
    assert cause.remedy == "is it up?"
    assert len(cause.follows) == len(found.undecided) - 1
    assert found.total == report().total
    assert found.tested == found.total - len(found.undecided)
    assert found.summary() == f"tested {found.tested} of {found.total}"


def finding(verdict: Verdict) -> Finding:
    return Finding("port", "leaf-g1-r0", "Ethernet1/1", verdict, "words")


@pytest.mark.parametrize(
    ("verdicts", "error"),
    [
        ((), UndecidedError),
        ((Verdict.ERROR,), UndecidedError),
        ((Verdict.PASS, Verdict.ERROR), UndecidedError),
        ((Verdict.PASS, Verdict.FAIL), ValidationFailed),
        ((Verdict.ERROR, Verdict.FAIL), ValidationFailed),
        ((Verdict.PASS,), None),
    ],
)
def test_nothing_tested_and_nothing_told_never_passes(verdicts: tuple[Verdict, ...], error: type | None) -> None:
    found = Report(tuple(finding(each) for each in verdicts))
    if error is None:
        require_passed(found)
        return
    with pytest.raises(error, match=f"tested {found.tested} of {len(verdicts)}"):
        require_passed(found)


def test_no_more_checks_fail_than_were_tested_however_many_lines_differ() -> None:
    lines = (replace(finding(Verdict.FAIL), counted=number == 0) for number in range(3))
    found = Report((*lines, finding(Verdict.PASS), finding(Verdict.ERROR)))
    with pytest.raises(ValidationFailed, match=r"1 check \(3 findings\) failed, from 0 causes, tested 2 of 3"):
        require_passed(found)
    with pytest.raises(ValidationFailed, match="2 checks failed"):
        require_passed(Report((finding(Verdict.FAIL), finding(Verdict.FAIL))))
    data = as_json(found, show_all=False)
    assert (data["failed_of_total"], data["failed"], data["tested"], data["of"]) == (1, 3, 2, 3)


def test_nothing_to_look_at_is_zero_of_zero() -> None:
    nothing = Evidence(clean().network, {}, {}, {}, {}, {}, {})
    assert judge(nothing).summary() == "tested 0 of 0"

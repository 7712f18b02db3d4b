"""What is at the ports of the out-of-band plane, by LLDP, else by the addresses that access switches have learned."""

from dataclasses import replace

import pytest
from macs_evidence import MACS, PLAN, SWITCHES, evidence

from nornir_tasks.checks.causes.root_causes import causes
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.lldp import check_lldp
from nornir_tasks.checks.switches.oob_neighbors import check_macs

BMCS = ("gpu-bmc-1", "gpu-bmc-2")
STRANGER = "02:00:00:00:99:99"


def at(device: str) -> tuple[str, str]:
    return PLAN[device]


def judged(found: Evidence) -> dict[str, Finding]:
    """Device -> its finding."""
    names = {end: name for name, end in PLAN.items()}
    return {names.get((each.device, each.port), ""): each for each in check_macs(found)}


def wrong(found: Evidence) -> dict[str, Finding]:
    return {name: each for name, each in judged(found).items() if each.verdict in {Verdict.FAIL, Verdict.ERROR}}


def test_each_device_whose_address_is_learned_at_its_port_passes_and_counts() -> None:
    found = judged(evidence())
    assert {name for name, each in found.items() if (each.verdict, each.counted) == (Verdict.PASS, True)} == {*PLAN}


def test_exchanged_cables_fail_at_both_ports_name_both_devices_and_are_one_cause() -> None:
    one, other = BMCS
    found = evidence({**PLAN, one: at(other), other: at(one)})
    bad = wrong(found)
    assert {name: each.verdict for name, each in bad.items()} == dict.fromkeys(BMCS, Verdict.FAIL)
    cables = [found.far[at(name)].cable for name in BMCS]
    assert f"has learned {MACS[other]} of {other}, not {MACS[one]} of {one}" in bad[one].message
    assert f"swap the ends of {cables[0]} and {cables[1]}" in bad[one].message
    (cause,) = causes(found, check_macs(found))
    assert [cause.lead, *cause.follows] == [*bad.values()]


def test_three_devices_in_a_circle_are_one_cause_and_two_pairs_are_two() -> None:
    a, b, c, d = (f"gpu-bmc-{number}" for number in range(1, 5))
    circle = evidence({**PLAN, a: at(b), b: at(c), c: at(a)})
    assert [len(each.follows) for each in causes(circle, check_macs(circle))] == [2]
    pairs = evidence({**PLAN, a: at(b), b: at(a), c: at(d), d: at(c)})
    assert [len(each.follows) for each in causes(pairs, check_macs(pairs))] == [1, 1]


def test_an_address_that_nobody_declared_is_no_pass_and_says_both_possible_reasons() -> None:
    (name,) = ("pdu-1",)
    found = evidence({each: end for each, end in PLAN.items() if each != name}, more={at(name): STRANGER})
    (finding,) = wrong(found).values()
    assert (finding.verdict, finding.found) == (Verdict.FAIL, STRANGER)
    assert "another device, or a new part of pdu-1" in finding.message


def test_a_silent_device_could_not_be_told_and_one_that_is_learned_elsewhere_is_told_where() -> None:
    quiet = evidence({each: end for each, end in PLAN.items() if each != "pdu-1"})
    (finding,) = wrong(quiet).values()
    assert finding.verdict is Verdict.ERROR
    assert "ping pdu-1 from the bastion" in finding.message
    moved = wrong(evidence({**PLAN, "pdu-1": at("pdu-2")}))
    assert moved["pdu-1"].verdict is moved["pdu-2"].verdict is Verdict.FAIL
    assert moved["pdu-1"].found == " ".join(at("pdu-2"))


def test_another_declared_address_beside_its_own_is_no_cable_as_planned_and_an_unknown_one_is_no_matter() -> None:
    name, other = BMCS
    both = evidence({each: end for each, end in PLAN.items() if each != other}, more={at(name): MACS[other]})
    assert wrong(both).keys() == {name, other}
    assert not wrong(evidence(more={at(name): STRANGER}))


def test_a_switch_that_shows_no_addresses_could_not_be_told_and_all_count() -> None:
    blank = evidence()
    blank = replace(blank, observed={name: replace(each, macs=None) for name, each in blank.observed.items()})
    found = [each for each in check_macs(blank) if each.counted]
    assert {each.verdict for each in found} == {Verdict.ERROR}
    assert len(found) == len(PLAN)


def test_without_a_declared_address_a_device_is_skipped_by_name_with_what_to_declare() -> None:
    known = {name: mac for name, mac in MACS.items() if name not in BMCS}
    found = check_macs(evidence(macs=known))
    (skipped,) = (each for each in found if each.verdict is Verdict.SKIPPED)
    assert not skipped.counted
    assert all(f" {name}" in skipped.message for name in BMCS)
    assert "mac: ...}} in devices.yml" in skipped.message
    assert sum(each.counted for each in found) == len(known)


def test_lldp_of_the_plan_decides_before_addresses_do_and_a_name_of_nobody_does_not() -> None:
    name, other = BMCS
    swapped = {**PLAN, name: at(other), other: at(name)}
    named = evidence(swapped, heard={at(name): (name, "whatever"), at(other): (other, "whatever")})
    assert not wrong(named)
    assert wrong(evidence(heard={at(name): (other, "bmc")})).keys() == {name}
    strange = evidence(heard={at(name): ("idrac-7XK2", "NIC.1")})
    assert not wrong(strange)
    (line,) = (each for each in check_lldp(strange) if not each.counted)
    assert (line.verdict, line.counted) == (Verdict.SKIPPED, False)
    assert "idrac-7XK2 NIC.1, a name that the plan does not have" in line.message


def test_lldp_has_no_hint_about_hosts_for_what_is_no_host() -> None:
    assert [each for each in check_lldp(evidence()) if not each.counted] == []


def test_a_switch_whose_management_port_says_nothing_is_told_by_its_address_as_well() -> None:
    end = next((each.leaf, each.leaf_port) for each in evidence().network.attached if each.host == "spine-1")
    declared = {**MACS, "spine-1": STRANGER}
    right = evidence(macs=declared, more={end: STRANGER})
    assert {each.verdict for each in check_macs(right) if (each.device, each.port) == end} == {Verdict.PASS}
    heard = evidence(macs=declared, heard={end: ("spine-1", "eth0")})
    assert {each.verdict for each in check_macs(heard) if (each.device, each.port) == end} == {Verdict.PASS}
    silent = [each for each in check_macs(evidence()) if each.verdict is Verdict.SKIPPED]
    assert "spine-1" in silent[0].message


@pytest.mark.parametrize("device", SWITCHES)
def test_only_access_switches_that_were_read_are_judged(device: str) -> None:
    found = evidence()
    some = replace(found, observed={device: found.observed[device]})
    assert {each.device for each in check_macs(some) if each.counted} == {device}


def test_a_device_behind_a_port_that_is_down_is_explained_by_that() -> None:
    end = at("pdu-1")
    found = evidence({name: each for name, each in PLAN.items() if name != "pdu-1"})
    down = Finding("port", *end, Verdict.FAIL, "down", "up", "down")
    (cause,) = causes(found, [down, *check_macs(found)])
    assert (cause.lead, len(cause.follows)) == (down, 1)

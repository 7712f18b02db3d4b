"""Members of groups: each is in its group and bundled; what is not is named with both values, once."""

from dataclasses import replace
from typing import Any

import pytest
from simulated import Network

from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.lacp import check_lacp
from nornir_tasks.deploy.tasks import worth_asking
from nornir_tasks.design.config.lag import LagMember
from nornir_tasks.platforms.observed import FIELDS

LEAF, OTHER = "front-leaf-g1-a", "front-leaf-g1-b"
LEAVES = {"eos": LEAF, "nxos": "front-leaf-g2-a", "nvue": "front-leaf-g4-a"}


def found(network: Network, device: str, port: str) -> Finding:
    findings = check_lacp(network.evidence())
    return next(each for each in findings if (each.device, each.port) == (device, port))


def test_every_member_of_the_design_is_judged_and_passes() -> None:
    findings = check_lacp(Network("front").evidence())
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert (
        len(findings) == 2 * (2 + 2) + 2 * (2 + 2) + 2 * (1 + 2) * 2 + 2 * 2
    )  # hosts, peer links, the way out's machines
    assert findings[0].expected == "bundled in Port-Channel1"


@pytest.mark.parametrize("device", [LEAVES["eos"], LEAVES["nxos"]])
def test_each_field_that_is_shown_of_a_member_is_judged(device: str) -> None:
    good = Network("front").evidence()
    shown = good.observed[device].groups
    changes: tuple[dict[str, Any], ...] = ({"port": "Ethernet99"}, {"group": "port-channel9"}, {"bundled": False})
    for change in changes:
        for each in shown:
            rows = tuple(replace(row, **change) if row is each else row for row in shown)
            observed = {**good.observed, device: replace(good.observed[device], groups=rows)}
            (bad,) = judge(replace(good, observed=observed)).failed
            assert (bad.check, bad.device, bad.port) == ("lacp", device, each.port)


def test_a_member_that_was_taken_out_is_named_at_both_ends_and_is_one_cause() -> None:
    network = Network("front")
    network.port(LEAF, "Ethernet55/1", member=None)
    judged = network.judge()
    (cause,) = judged.causes
    assert (cause.lead.check, cause.lead.port) == ("config", "Ethernet55/1")
    here, there = (found(network, name, "Ethernet55/1") for name in (LEAF, OTHER))
    assert (here.expected, here.found) == ("bundled in Port-Channel1000", "in no group")
    reason = "the other end is in no group"
    assert there.found == f"not bundled in Port-Channel1000: {reason}"
    assert {here.id, there.id} <= {each.id for each in cause.follows}


def test_a_member_of_another_group_is_named_with_both() -> None:
    network = Network("front")
    network.port(LEAF, "Ethernet1", member=LagMember("Port-Channel2", None))
    one = found(network, LEAF, "Ethernet1")
    assert one.message.endswith("bundled in Port-Channel2") or one.found.startswith("not bundled in Port-Channel2")
    assert (one.verdict, one.expected) == (Verdict.FAIL, "bundled in Port-Channel1")


def test_members_of_a_group_that_is_shut_follow_it_at_both_ends() -> None:
    network = Network("front")
    network.port(LEAF, "Port-Channel1000", enabled=False)
    (cause,) = network.judge().causes
    lacp = {(each.device, each.port) for each in cause.follows if each.check == "lacp"}
    assert lacp == {(name, f"Ethernet{number}/1") for name in (LEAF, OTHER) for number in (55, 56)}


def test_a_member_that_its_switch_does_not_use_leads_and_takes_its_group_along() -> None:
    network = Network("front")
    network.shows(
        LEAF,
        lambda seen: replace(
            seen,
            groups=tuple(
                replace(each, bundled=False, reason="waiting for LACP response") if each.port == "Ethernet1" else each
                for each in seen.groups
            ),
        ),
    )
    (cause,) = network.judge().causes
    assert cause.lead.message == (
        f"{LEAF} Ethernet1 <-> gpu-1 front0: not bundled in Port-Channel1: waiting for LACP response"
    )
    assert cause.follows == ()


def test_a_switch_that_shows_no_groups_or_not_whether_one_uses_a_port_could_not_be_told() -> None:
    network = Network("front")
    network.shows(LEAF, lambda seen: replace(seen, groups=()))
    assert found(network, LEAF, "Ethernet1").verdict is Verdict.ERROR
    blank = {"bundled": None}
    network.shows(LEAF, lambda seen: replace(seen, groups=tuple(replace(each, **blank) for each in seen.groups)))
    assert found(network, LEAF, "Ethernet1").verdict is Verdict.ERROR
    assert found(network, LEAVES["nvue"], "swp1").verdict is Verdict.PASS  # Cumulus Linux never shows it


def test_only_switches_that_shall_have_groups_pairs_gateways_or_vlans_are_asked_for_them() -> None:
    wanted = Network("front").wanted
    assert "groups" in worth_asking(wanted[LEAF], FIELDS)
    for name in ("leaf-g1-r0", "spine-1", "front-spine-1"):
        assert set(FIELDS) - set(worth_asking(wanted[name], FIELDS)) == {
            "carried", "gateways", "groups", "pair", "partners", "tree_ports", "trees",
            "clock", "log_targets", "zero_touch", "vrf_ports", "accounts", "macs", "exchanged",
        }  # fmt: skip

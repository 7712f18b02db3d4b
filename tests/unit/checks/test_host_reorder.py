"""host_validate judges whether NICs accept reordered packets, on the rails for which the design asks it."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from nornir_tasks.checks.hosts.host_suite import requests
from nornir_tasks.checks.hosts.roce import check_roce
from tests.unit.checks.right_host import RAILS, facts, variables

WANTED = {"roce_qos_reorder_rails": RAILS}


def found_with(**of_rail2: Any) -> dict[str, Any]:
    """Facts of a host whose NICs all reorder; rail2's are changed."""
    found = facts()
    for each in found["gpufabric_roce"].values():
        each["reorder"], each["source"]["reorder"] = True, "mstreg"
        each["shown_by"]["reorder"] = "mstreg -d PCI --reg_name ROCE_ACCL --get"
    rail2 = found["gpufabric_roce"]["rail2"]
    if source := of_rail2.get("source"):
        rail2["source"]["reorder"] = source
    rail2["reason"]["reorder"] = of_rail2.get("reason", "")
    rail2["reorder"] = of_rail2.get("reorder")
    return found


def judged(found: dict[str, Any], **more: Any) -> list[HostFinding]:
    findings = check_roce(HostEvidence("gpu-1", variables(**{**WANTED, **more}), found, {}))
    return [each for each in findings if each.knob == "reorder"]


def of_rail2(found: dict[str, Any], **more: Any) -> HostFinding:
    (finding,) = [each for each in judged(found, **more) if each.subject == "rail2"]
    return finding


def test_nics_that_reorder_pass_on_every_rail() -> None:
    findings = judged(found_with(reorder=True))
    assert [each.verdict for each in findings] == [Verdict.PASS] * len(RAILS)


def test_no_rail_is_judged_where_the_design_asks_none_and_no_register_is_read() -> None:
    assert judged(facts(), roce_qos_reorder_rails=[]) == []
    arguments = {request.fact: request.arguments for request in requests(variables())}
    assert arguments["gpufabric_roce"]["registers"] is False
    arguments = {request.fact: request.arguments for request in requests(variables(**WANTED))}
    assert arguments["gpufabric_roce"]["registers"] is True


@pytest.mark.parametrize(
    ("changed", "verdict", "words"),
    [
        ({"reorder": False}, Verdict.FAIL, "off"),
        ({"source": "absent", "reason": "the card cannot be told"}, Verdict.FAIL, "no such knob"),
        ({"source": "unreadable", "reason": "the kernel is locked down"}, Verdict.ERROR, "not known"),
    ],
    ids=["off", "absent", "locked down"],
)
def test_a_nic_that_does_not_is_named_and_one_that_nobody_can_ask_never_passes(
    changed: dict[str, Any], verdict: Verdict, words: str
) -> None:
    finding = of_rail2(found_with(**changed))
    assert (finding.verdict, finding.found) == (verdict, words)
    assert changed.get("reason", "") in finding.why


def test_no_site_can_allow_a_nic_to_lack_it_but_soft_roce_has_none() -> None:
    lacking = found_with(source="absent", reason="none")
    assert of_rail2(lacking, roce_qos_absent_allowed=["reorder"]).verdict is Verdict.FAIL
    assert of_rail2(lacking, rdma_stack_provider="rxe").verdict is Verdict.SKIPPED

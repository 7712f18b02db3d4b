"""A BMC against the plan: four outcomes, and what to do in each."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.bmc import check_bmc
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from nornir_tasks.checks.hosts.host_suite import requests, roles
from tests.unit.checks.right_host import BMC, bmc

BONDED: dict[str, Any] = {"bond_interfaces_bonds": [], "host_validate_bmc": BMC}


def judged(facts: dict[str, Any] | None, wanted: dict[str, Any] | None = BMC) -> dict[str, HostFinding]:
    found = {} if facts is None else {"gpufabric_bmc": facts}
    values = {} if wanted is None else {"host_validate_bmc": wanted}
    return {each.knob: each for each in check_bmc(HostEvidence("gpu-1", values, found, {}))}


def verdicts(*of: Any) -> set[Verdict]:
    return {each.verdict for each in judged(*of).values()}


def test_as_planned_it_passes_and_says_which_command_shows_the_port() -> None:
    assert verdicts(bmc()) == {Verdict.PASS}
    assert judged(bmc())["port"].shown_by == "ipmitool raw 0x30 0x70 0x0c 0"


def test_a_shared_port_fails_with_both_remedies_and_passes_where_the_intent_says_so() -> None:
    port = judged(bmc(port="shared"))["port"]
    assert port.verdict is Verdict.FAIL
    assert "bmc_shares" in port.why
    assert verdicts(bmc(port="shared"), {**BMC, "port": "shared"}) == {Verdict.PASS}
    assert judged(bmc(), {**BMC, "port": "shared"})["port"].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (None, "gpufabric_bmc was not read"),
        (bmc(has_tool=False, address=None, mac=None, port=None), "install it"),
        (bmc(device=None, address=None, mac=None, port=None), "load ipmi_si"),
    ],
)
def test_a_bmc_that_could_not_be_asked_is_untold_in_every_value(facts: dict[str, Any] | None, why: str) -> None:
    assert verdicts(facts) == {Verdict.ERROR}
    assert all(why in each.why for each in judged(facts).values())


def test_of_an_unknown_vendor_the_port_alone_could_not_be_told() -> None:
    found = judged(bmc(vendor="HPE", port=None, port_reason="no command is known", port_shown_by=""))
    assert {name: each.verdict for name, each in found.items()} == {
        "address": Verdict.PASS, "MAC address": Verdict.PASS, "port": Verdict.ERROR,
    }  # fmt: skip
    assert found["port"].why == "no command is known"


def test_a_host_that_shows_no_bmc_skips_and_one_without_a_bmc_in_the_plan_has_nothing_to_judge() -> None:
    none = bmc(device=None, in_smbios=False, has_tool=False, address=None, mac=None, port=None)
    assert verdicts(none) == {Verdict.SKIPPED}
    assert judged(none, None) == {}


def test_without_a_declared_mac_address_it_is_not_judged() -> None:
    assert judged(bmc(), {"address": BMC["address"], "port": "dedicated"}).keys() == {"address", "port"}


def test_hosts_without_rails_are_asked_and_judged_too() -> None:
    assert "gpufabric.host.bmc_facts" in {each.module for each in requests(BONDED)}
    assert "gpufabric.host.bmc_facts" not in {each.module for each in requests({"bond_interfaces_bonds": []})}
    assert "host_validate" in roles(BONDED)

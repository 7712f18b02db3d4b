"""A host that has bonds and no rail is judged by what it has, and by nothing that rails alone have."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import HostReport, has, judge_host, missing, requests, roles
from tests.unit.checks import judged_host
from tests.unit.checks.bond_mutants import MUTANTS, Change
from tests.unit.checks.right_host import BOND, bonds, facts, variables

VARIABLES: dict[str, Any] = {"bond_interfaces_bonds": [BOND], "hugepages_pages": [], "hugepages_mount": True}


def judged(values: dict[str, Any], found: dict[str, Any]) -> HostReport:
    return judge_host(HostEvidence("login-1", values, found, {}))


def test_such_a_host_passes_without_a_single_fact_of_rails() -> None:
    report = judged(VARIABLES, {"gpufabric_bonds": bonds()})
    assert report.passed
    assert {each.check for each in report.findings} == {"bonds"}
    assert {each.verdict for each in report.findings} == {Verdict.PASS}


def test_only_facts_of_what_it_has_are_read() -> None:
    assert [each.module for each in requests(VARIABLES)] == [
        "gpufabric.host.bond_facts",
        "gpufabric.host.kernel_facts",
    ]
    guarded = {**VARIABLES, "plane_guard_planes": {"storage": ["data"], "business": ["data.300"]}}
    commands = [each.arguments["argv"] for each in requests(guarded) if "argv" in each.arguments]
    assert [command[0] for command in commands] == ["nft", "systemctl"]
    assert commands[1][-1] == "gpufabric-plane-guard.service"


def test_roles_of_rails_and_their_defaults_are_left_out() -> None:
    """A default of these refers to variables of rails, which this host does not have."""
    assert roles(VARIABLES) == ("bond_interfaces", "plane_guard", "hugepages", "host_tuning", "host_validate")
    assert "nic_firmware" in roles(variables())


def test_huge_pages_are_judged_there_too() -> None:
    pages = {**VARIABLES, "hugepages_pages": [{"size": "2M", "node": 0, "count": 64}]}
    kernel = facts()["gpufabric_kernel"]
    assert judged(pages, {"gpufabric_bonds": bonds(), "gpufabric_kernel": kernel}).passed
    more = {**VARIABLES, "hugepages_pages": [{"size": "2M", "node": 0, "count": 65}]}
    (failed,) = judged(more, {"gpufabric_bonds": bonds(), "gpufabric_kernel": kernel}).of(Verdict.FAIL)
    assert failed.name == "node 0 pages of 2M"


def test_limits_are_judged_there_and_nothing_else_of_tuning() -> None:
    """A shell of a login node gives its limits to the jobs that it submits."""
    tuned = {name: value for name, value in variables().items() if name.startswith("host_tuning_")}
    values = {**VARIABLES, **tuned, "host_tuning_limits_only": True}
    kernel = facts()["gpufabric_kernel"]
    report = judged(values, {"gpufabric_bonds": bonds(), "gpufabric_kernel": kernel})
    assert report.passed, report.lines()
    assert [each.name for each in report.findings if each.check == "host_tuning"] == [
        "* limit memlock",
        "root limit memlock",
    ]
    without = {**kernel, "limits": []}
    report = judged(values, {"gpufabric_bonds": bonds(), "gpufabric_kernel": without})
    assert {each.check for each in report.of(Verdict.FAIL)} == {"host_tuning"}
    assert len(report.of(Verdict.FAIL)) == 2


@pytest.mark.parametrize("name", MUTANTS)
def test_each_mistake_of_a_bond_is_named_there_too(name: str) -> None:
    change: Change = MUTANTS[name][0]
    found = bonds()
    change(found)
    report = judged(VARIABLES, {"gpufabric_bonds": found})
    assert not report.passed
    assert MUTANTS[name][1] in {each.name for each in report.findings if each.verdict is not Verdict.PASS}


def test_a_bond_that_could_not_be_read_passes_nothing() -> None:
    report = judged(VARIABLES, {})
    assert not report.passed
    assert {each.verdict for each in report.findings} == {Verdict.ERROR}


def test_a_host_that_lacks_one_variable_of_rails_is_not_taken_for_one_without() -> None:
    values = variables()
    del values["rail_interfaces_rails"]
    assert "rails" in has(values)
    assert [each.partition(":")[0] for each in missing(values)] == ["rail_interfaces_rails"]
    assert missing(VARIABLES) == []
    assert len(missing({})) > len(missing(values))


def without_gpus() -> dict[str, Any]:
    """A host with rails that join no GPUs: a server of storage by RDMA."""
    return {name: value for name, value in variables().items() if not name.startswith(("nccl_", "gpudirect_"))}


def test_a_host_with_rails_and_no_gpus_is_judged_for_all_but_gpus() -> None:
    values = without_gpus()
    assert missing(values) == []
    assert set(roles(variables())) - set(roles(values)) == {"gpudirect", "nccl"}
    read, read_of_gpus = ({each.fact for each in requests(found)} for found in (values, variables()))
    assert read_of_gpus - read == {"gpufabric_nccl", "gpufabric_pci"}
    report, of_gpus = (judged_host.judged(facts(), found) for found in (values, variables()))
    assert report.passed, report.lines()
    every = {each.check for each in of_gpus.findings}
    assert every - {each.check for each in report.findings} == {"gpudirect", "nccl"}


def test_a_gpu_host_that_lacks_one_variable_of_nccl_is_not_taken_for_one_without_gpus() -> None:
    values = variables()
    del values["nccl_rails"]
    assert [each.partition(":")[0] for each in missing(values)] == ["nccl_rails"]


def test_a_host_with_rails_and_no_gpus_that_lacks_a_variable_of_rails_is_told_so() -> None:
    values = without_gpus()
    del values["roce_qos_dscp"]
    assert [each.partition(":")[0] for each in missing(values)] == ["roce_qos_dscp"]

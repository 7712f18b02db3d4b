"""Each wrong knob of a host is named, alone; a right host raises no alarm; what cannot be told never passes."""

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_suite import REQUIRED, missing, requests
from nornir_tasks.design.hosts.role_vars import HostVars
from tests.unit.checks.host_mutants import MUTANTS
from tests.unit.checks.judged_host import VARIABLES, judged, wrong
from tests.unit.checks.right_host import ARGUMENTS, UNITS, facts, variables

EVERY = 72 + 8 + 24 + 8 + 18 + 32 + 5 + 136 + 14 + 18 + 56 + 4 + 3 + 8
"""8 rails of 9 knobs; 8 gateways; a bond (test_bond_states.py); 6 pairs of 3 planes, chain, others; 6 modules, 3
packages, their build, 8 devices; 8 rails of 2 settings in the firmware, twice; 2 page pools, 2 mounts, 1 argument; 8
rails of 17 knobs; 9 variables of NCCL and contradictions, 4 of other libraries; of tuning 2 settings, 2 limits, 2 of
processors, 4 arguments, 8 rails' interrupts; of GPUDirect 8 rails of 6 knobs, ACS after a boot, 7 of the driver; 4
services; address, MAC address and port of the BMC; 8 of an InfiniBand port."""


def test_a_right_host_passes_and_every_knob_of_every_rail_was_judged() -> None:
    report = judged(facts())
    assert wrong(report) == []
    assert report.passed
    assert len(report.findings) == EVERY
    assert report.summary() == f"gpu-1: tested {EVERY} of {EVERY}"
    assert all(each.shown_by and each.wanted for each in report.findings)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_single_wrong_knob_is_named_and_nothing_else(name: str) -> None:
    change, expected = MUTANTS[name]
    found = facts()
    change(found)
    report = judged(found)
    assert wrong(report) == [expected]
    assert not report.passed
    assert report.of(Verdict.FAIL)[0].found != report.of(Verdict.FAIL)[0].wanted
    assert len(report.findings) == EVERY


def test_there_is_a_mutant_of_every_kind_of_knob() -> None:
    kinds = {(each.check, each.knob) for each in judged(facts()).findings}
    mutated = set()
    for change, _ in MUTANTS.values():
        found = facts()
        change(found)
        mutated |= {(each.check, each.knob) for each in judged(found).of(Verdict.FAIL)}
    assert kinds - mutated == set()


@pytest.mark.parametrize("fact", list(facts()))
def test_a_fact_that_could_not_be_read_leaves_its_knobs_untold_and_counted(fact: str) -> None:
    found = facts()
    del found[fact]
    report = judged(found, **{fact: "no program ip on this host"})
    untold = report.of(Verdict.ERROR)
    assert untold
    assert not report.passed
    assert len(report.findings) == EVERY
    assert {each.why for each in untold} == {"no program ip on this host"}
    assert report.of(Verdict.FAIL) == () or fact == "gpufabric_nccl"
    assert report.summary() == f"gpu-1: tested {EVERY - len(untold)} of {EVERY}"


def test_a_missing_argument_that_the_boot_loader_has_says_that_a_reboot_is_due() -> None:
    found = facts()
    found["gpufabric_kernel"]["cmdline"] = ARGUMENTS.replace("iommu=pt ", "")
    (failed,) = judged(found).of(Verdict.FAIL)
    assert failed.why == "needs a reboot"


def test_a_table_that_is_not_there_is_a_failure_and_not_untold() -> None:
    found = {**facts(), "gpufabric_plane_guard": {"rc": 1, "stdout": "", "stderr": "Error: No such file or directory"}}
    report = judged(found)
    assert len(report.of(Verdict.FAIL)) == 7
    assert report.of(Verdict.ERROR) == ()


def test_a_machine_without_frequency_control_and_idle_states_skips_them() -> None:
    found = facts()
    found["gpufabric_kernel"]["processors"].update(governors=[], idle_states=[])
    del found["gpufabric_kernel"]["sysctl"]["kernel.numa_balancing"]
    report = judged(found)
    assert report.passed
    assert {each.knob for each in report.of(Verdict.SKIPPED)} == {"governor", "idle states", "kernel.numa_balancing"}


def test_where_tuned_keeps_the_processors_its_profile_is_judged() -> None:
    report = judged(facts(), variables(host_tuning_tuned=True))
    assert [(each.knob, each.found) for each in report.of(Verdict.FAIL)] == [("tuned profile", "none")]


def test_interrupts_of_a_nic_without_a_node_may_be_on_any_processor_that_is_not_isolated() -> None:
    found = facts()
    for each in found["gpufabric_kernel"]["rails"].values():
        each.update(numa_node=-1, interrupts=[{"irq": 40, "cpus": "7"}])
    assert judged(found).passed


def test_services_that_are_not_installed_are_named() -> None:
    found = {**facts(), "gpufabric_units": {"rc": 0, "stdout": UNITS.splitlines()[0], "stderr": ""}}
    failed = judged(found).of(Verdict.FAIL)
    assert {(each.subject, each.found) for each in failed} == {
        ("gpufabric-roce-qos.service", "not installed"),
        ("gpufabric-irq-affinity.service", "not installed"),
        ("gpufabric-gpudirect.service", "not installed"),
    }


def test_a_host_that_shall_speak_lldp_has_the_service_at_boot() -> None:
    (failed,) = judged(facts(), variables(rail_interfaces_lldp=True)).of(Verdict.FAIL)
    assert (failed.subject, failed.found) == ("lldpd.service", "not installed")


def test_every_variable_without_a_default_is_asked_for_by_name() -> None:
    values = variables()
    assert set(REQUIRED) == set(values) & set(REQUIRED)
    assert {name.rpartition(":")[0] for name in missing({})} == set(REQUIRED)
    del values["roce_qos_dscp"]
    assert missing(values) == ["roce_qos_dscp: no value; the inventory plug-in gpufabric takes it from the intent"]
    of_all = (field for field in HostVars.model_fields.values() if field.is_required())
    parts = (field.annotation.model_fields.values() for field in of_all)
    assert len(REQUIRED) == sum(each.is_required() for part in parts for each in part)


def test_facts_are_asked_for_every_check_and_read_only() -> None:
    needed = requests(VARIABLES)
    assert {each.fact for each in needed} == set(facts())
    commands = [each.arguments["argv"] for each in needed if "argv" in each.arguments]
    assert [command[:3] for command in commands] == [
        ["nft", "-j", "list"],
        ["systemctl", "list-unit-files", "--no-legend"],
    ]

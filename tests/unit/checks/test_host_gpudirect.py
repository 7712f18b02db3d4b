"""A host's way from NIC to GPU, and the driver of the GPUs."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from tests.unit.checks.judged_host import judged
from tests.unit.checks.right_host import facts, variables


def without_driver() -> dict[str, Any]:
    found = facts()
    found["gpufabric_pci"]["driver"].update(version=None, open=None, no_dma_buf="no NVIDIA driver is loaded")
    return found


def test_a_gpu_host_without_a_driver_fails_unless_the_operator_is_to_bring_it() -> None:
    failed = [each.name for each in judged(without_driver()).of(Verdict.FAIL)]
    assert failed == ["NVIDIA driver", "way to GPU memory"]
    report = judged(without_driver(), variables(gpudirect_driver_owner="operator"))
    assert report.passed
    assert [each.why for each in report.of(Verdict.SKIPPED)] == ["the GPU Operator brings it"] * 7


@pytest.mark.parametrize(
    ("loaded", "peermem", "passed"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_without_dma_buf_nvidia_peermem_must_be_loaded_and_asked_for(loaded: bool, peermem: bool, passed: bool) -> None:
    found = facts()
    reason = "Linux 5.4.0-200-generic is older than 5.12"
    found["gpufabric_pci"]["driver"].update(peermem=loaded, no_dma_buf=reason)
    found["gpufabric_rdma"]["modules"]["nvidia_peermem"] = "loaded"
    report = judged(found, variables(rdma_stack_peermem=peermem))
    assert report.passed is passed
    assert [each.found for each in report.of(Verdict.FAIL)] == ([] if passed else [reason])


def test_a_configuration_space_that_nobody_may_read_is_not_taken_for_a_right_one() -> None:
    found = facts()
    for address in ("0000:34:00.0", "0000:32:01.0"):
        found["gpufabric_pci"]["devices"][address].update(known="header", acs=None, link=None, read_request_bytes=None)
    report = judged(found)
    untold = [each.name for each in report.of(Verdict.ERROR)]
    assert untold == [f"rail2 {knob}" for knob in ("PCI Express link", "largest read request", "ATS", "ACS redirect")]
    assert [each.name for each in report.of(Verdict.FAIL)] == ["ACS redirect after a boot"] * len(
        report.of(Verdict.FAIL)
    )


def test_what_a_site_leaves_alone_is_not_judged_and_a_host_without_gpus_has_no_knob_of_them() -> None:
    lax = variables(gpudirect_acs="keep", gpudirect_read_request_bytes=0, gpudirect_ats_allowed=True)
    knobs = {each.knob for each in judged(facts(), lax).findings if each.check == "gpudirect"}
    of_driver = {"NVIDIA driver", "way to GPU memory", "versions of driver packages", "packages of driver and kernel"}
    of_nvlink = {"fabric manager", "NVLink subnet manager", "NVLink fabric"}
    assert knobs == {"GPU", "PCI Express link", "IOMMU"} | of_driver | of_nvlink
    bare = judged(facts(), variables(gpudirect_rails=[]))
    assert [each for each in bare.findings if each.check == "gpudirect"] == []


def test_a_rail_that_may_be_far_from_its_gpu_is_judged_on_all_the_rest() -> None:
    found = facts()
    found["gpufabric_pci"]["gpus"]["0000:33:00.0"] = []
    report = judged(found, variables(gpudirect_far_rails_allowed=["rail2"]))
    assert report.passed
    assert len(report.findings) == 405


def of_nvlink(report: Any) -> dict[str, tuple[Verdict, str]]:
    names = {"fabric manager", "NVLink subnet manager", "NVLink fabric"}
    return {each.knob: (each.verdict, each.found) for each in report.findings if each.knob in names}


def test_a_host_whose_nvidia_smi_does_not_answer_is_not_taken_for_a_joined_one() -> None:
    found = facts()
    found["gpufabric_pci"]["fabric"] = {"states": {}, "unknown": "nvidia-smi did not answer within 60 s"}
    report = judged(found)
    assert not report.passed
    (untold,) = report.of(Verdict.ERROR)
    assert (untold.knob, untold.why) == ("NVLink fabric", "nvidia-smi did not answer within 60 s")


def test_what_manages_nvswitches_is_judged_by_where_it_is() -> None:
    found = facts()
    driver = found["gpufabric_pci"]["driver"]
    found["gpufabric_pci"]["nvswitches"], driver["bridges"] = ["0000:05:00.0"], []
    assert of_nvlink(judged(found))["NVLink subnet manager"][0] is Verdict.SKIPPED
    assert of_nvlink(judged(found))["fabric manager"] == (Verdict.PASS, "running")
    driver.update(operator=True, wrong_fabric_manager="not installed", packages={})
    seen = of_nvlink(judged(found))
    assert seen["fabric manager"][0] is Verdict.SKIPPED
    assert seen["NVLink fabric"] == (Verdict.PASS, "Completed, Success")
    found["gpufabric_pci"]["nvswitches"] = []
    assert {verdict for verdict, _ in of_nvlink(judged(found)).values()} == {Verdict.SKIPPED}


def test_packages_that_no_one_holds_are_named_unless_the_site_leaves_that_to_others() -> None:
    found = facts()
    found["gpufabric_pci"]["driver"]["not_held"] = ["nvidia-open", "linux-image-generic"]
    (failed,) = judged(found).of(Verdict.FAIL)
    assert failed.found == "not held: nvidia-open, linux-image-generic"
    assert judged(found, variables(gpudirect_driver_held=False)).passed

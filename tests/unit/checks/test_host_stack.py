"""The RDMA stack of a host, packages and modules, and NCCL's settings."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from tests.unit.checks.judged_host import judged, wrong
from tests.unit.checks.right_host import facts, variables


def test_a_stack_that_is_kept_need_not_be_held_and_brings_its_own_tool_for_the_firmware() -> None:
    found = facts()
    stack = found["gpufabric_rdma"]
    stack["packages"] = {name: {"version": "2410mlnx54-1", "held": False} for name in ("rdma-core", "perftest", "mft")}
    assert {each.name for each in judged(found).of(Verdict.FAIL)} == {
        "rdma-core package",
        "perftest package",
        "mstflint package",
    }
    stack["vendor_stack"] = ["doca-ofed 2.9.1"]
    assert judged(found).passed
    assert not judged(found, variables(rdma_stack_source="inbox")).passed
    stack["mixed_stack"] = ["libibverbs1 44.0-2"]
    assert [each.name for each in judged(found).of(Verdict.FAIL)] == ["packages of rdma-core"]


def test_network_namespaces_of_rdma_devices_are_judged_where_a_mode_is_asked_for() -> None:
    found = facts()
    assert judged(found, variables(rdma_stack_namespaces="shared")).passed
    (failed,) = judged(found, variables(rdma_stack_namespaces="exclusive")).of(Verdict.FAIL)
    assert (failed.name, failed.found) == ("namespaces of RDMA devices", "shared")
    found["gpufabric_rdma"]["namespaces"] = ""
    assert not judged(found, variables(rdma_stack_namespaces="exclusive")).passed
    assert judged(found).passed


def test_nvidias_stack_without_a_build_for_the_next_kernel_fails_before_that_kernel_boots() -> None:
    found = facts()
    found["gpufabric_rdma"].update(vendor_stack=["doca-ofed 2.9.1"], unbuilt=["mlnx-ofed-kernel/24.10 for 6.1.0-31"])
    (failed,) = judged(found).of(Verdict.FAIL)
    assert (failed.name, failed.found) == ("DKMS builds", "mlnx-ofed-kernel/24.10 for 6.1.0-31")


@pytest.mark.parametrize(
    ("installed", "failed"),
    [
        ({"version": "2.9.3-0.1.7"}, []),
        ({"version": "2.9.1-0.1.7"}, ["doca-ofed version"]),
        ({"version": ""}, ["doca-ofed version"]),
        ({"version": "2.9.3-0.1.7", "wrong": ["mft 4.31, not 4.30"]}, ["doca-ofed packages"]),
        ({"version": "2.9.3-0.1.7", "not_held": ["mft"]}, ["doca-ofed packages"]),
    ],
)
def test_doca_ofed_that_is_not_as_it_was_installed_fails(installed: dict[str, Any], failed: list[str]) -> None:
    found = facts()
    found["gpufabric_rdma"].update(vendor_stack=["doca-ofed 2.9.3"])
    found["gpufabric_rdma"]["doca"].update(installed)
    wanted = variables(rdma_stack_source="doca", rdma_stack_doca_version="2.9.3")
    assert [each.name for each in judged(found, wanted).of(Verdict.FAIL)] == failed


@pytest.mark.parametrize(
    ("value", "right"), [("0x6a", True), ("0152", True), ("106", True), ("0x68", False), ("1O6", False)]
)
def test_a_number_of_nccl_is_judged_by_what_it_means_and_not_by_its_spelling(value: str, right: bool) -> None:
    found = facts()
    found["gpufabric_nccl"]["settings"]["NCCL_IB_TC"]["value"] = value
    assert wrong(judged(found)) == ([] if right else ["nccl: NCCL_IB_TC"])

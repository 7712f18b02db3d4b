"""RoCE of a host is judged by the kernel, the driver or the firmware, whichever holds a knob; what it lacks is said."""

from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.roce import roce_mtu
from tests.unit.checks.host_mutants import roce
from tests.unit.checks.judged_host import judged, wrong
from tests.unit.checks.right_host import FIRMWARE as FIRMWARE_BY_DEFAULT
from tests.unit.checks.right_host import RAILS, facts, variables


def soft(**reasons: str) -> dict[str, Any]:
    """Facts of a Soft-RoCE machine that lacks these knobs."""
    found = facts()
    for name, each in found["gpufabric_roce"].items():
        each.update(driver="virtio_net", rdma_device=f"rxe_{name}", reason=dict(reasons))
        each["source"] |= dict.fromkeys(reasons, "absent")
        each.update(dict.fromkeys(reasons))
    devices = {f"rxe_{name}": {"interface": name, "state": "ACTIVE", "link_layer": "Ethernet"} for name in RAILS}
    modules = dict.fromkeys(("rdma_rxe", "ib_uverbs", "rdma_cm", "rdma_ucm"), "loaded")
    found["gpufabric_rdma"].update(devices=devices, soft_roce_kept=list(RAILS), modules=modules)
    for each in found["gpufabric_nic_firmware"].values():
        each.update(driver="virtio_net", settings={}, reason="the NIC is not of mlx5_core")
    hcas = {name: f"rxe_{name}" for name in RAILS}
    found["gpufabric_nccl"]["hcas"] = hcas
    found["gpufabric_nccl"]["settings"]["NCCL_IB_HCA"]["value"] = "=" + ",".join(hcas.values())
    return found


LACKS = dict.fromkeys(("ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority", "traffic_class"), "no file")


def test_soft_roce_skips_what_it_has_not_says_so_and_is_judged_on_the_rest() -> None:
    report = judged(soft(**LACKS), variables(rdma_stack_provider="rxe"))
    assert report.passed
    firmware = {f"{name} {when}" for name in FIRMWARE_BY_DEFAULT for when in ("now", "at the next start")}
    assert {each.knob for each in report.of(Verdict.SKIPPED)} == set(LACKS) | firmware
    assert len(report.of(Verdict.SKIPPED)) == 72
    assert report.summary() == "gpu-1: tested 339 of 339, skipped 72 that this host does not have"
    assert sum(line.startswith("skipped roce: ecn_np on rail0, rail1") for line in report.lines()) == 1
    assert all(each.shown_on == "hardware only" for each in report.of(Verdict.SKIPPED))


def test_a_soft_roce_link_that_does_not_come_back_at_boot_is_named() -> None:
    found = soft(**LACKS)
    found["gpufabric_rdma"]["soft_roce_kept"].remove("rail5")
    report = judged(found, variables(rdma_stack_provider="rxe"))
    assert [each.name for each in report.of(Verdict.FAIL)] == ["rail5 RDMA device at boot"]


def test_a_connectx_may_lack_only_what_the_site_allows_by_name() -> None:
    found = facts()
    for each in found["gpufabric_roce"].values():
        each.update(dict.fromkeys(LACKS))
        each["source"] |= dict.fromkeys(LACKS, "absent")
        each["reason"] = dict(LACKS)
    report = judged(found)
    assert {each.knob for each in report.of(Verdict.SKIPPED)} == {"traffic_class"}
    assert {each.knob for each in report.of(Verdict.FAIL)} == set(LACKS) - {"traffic_class"}


def inbox(**settings: tuple[int, int]) -> dict[str, Any]:
    """Facts of a ConnectX with the kernel's own mlx5, and settings of rail2's firmware (now, at its next start)."""
    found = facts()
    for name, each in found["gpufabric_roce"].items():
        each.update(traffic_class=None, ecn_np=[True] * 8, ecn_rp=[True] * 8)
        each["source"] |= {"traffic_class": "absent", "ecn_np": "firmware", "ecn_rp": "firmware", "cnp_dscp": "debugfs"}
        each["reason"] = {"traffic_class": "it comes with NVIDIA's mlx5 modules"}
        rest = {"DCBX_WILLING": 1, "LLDP_NB_DCBX": 0, "LLDP_NB_RX_MODE": 2, "LLDP_NB_TX_MODE": 2}
        own = {**dict.fromkeys(rest), "ROCE_CC_PRIO_MASK": 255, "CNP_DSCP": 48, "CNP_802P_PRIO": 6, **rest}
        firmware = {key: {"current": value, "next_boot": value} for key, value in own.items()}
        for key, (now, later) in settings.items() if name == "rail2" else ():
            firmware[key] = {"current": now, "next_boot": later}
        each["firmware"] = {"settings": firmware, "reason": ""}
    return found


def test_a_factory_connectx_with_the_kernels_mlx5_passes_and_only_its_traffic_class_is_skipped() -> None:
    report = judged(inbox())
    assert wrong(report) == [f"roce: {rail} traffic_class" for rail in RAILS]
    assert report.passed
    assert report.summary() == "gpu-1: tested 398 of 398, skipped 8 that this host does not have"


@pytest.mark.parametrize(
    ("mask", "found"),
    [
        ((16, 16), "on for 4"),
        ((255, 0), "on for 0 1 2 3 4 5 6 7, and at the NIC's next start off"),
        ((0, 8), "off, and at the NIC's next start on for 3"),
    ],
)
def test_a_mask_without_the_lossless_priority_now_or_at_the_next_start_is_named(
    mask: tuple[int, int], found: str
) -> None:
    failed = judged(inbox(ROCE_CC_PRIO_MASK=mask)).of(Verdict.FAIL)
    assert [(each.name, each.found) for each in failed] == [("rail2 ecn_np", found), ("rail2 ecn_rp", found)]


def test_a_mask_that_is_on_is_wrong_where_dcqcn_is_off_by_policy() -> None:
    values = variables(roce_qos_ecn=False, roce_qos_traffic_class=104)
    assert {"ecn_np", "ecn_rp"} <= {each.knob for each in judged(inbox(), values).of(Verdict.FAIL)}


def test_the_firmwares_marks_are_judged_where_nothing_else_shows_them() -> None:
    found = inbox(CNP_DSCP=(48, 4))
    found["gpufabric_roce"]["rail2"]["source"]["cnp_dscp"] = "firmware"
    (failed,) = judged(found).of(Verdict.FAIL)
    assert (failed.name, failed.found) == ("rail2 cnp_dscp", "48, and at the NIC's next start 4")


@pytest.mark.parametrize("missing_part", ["netdev", "rdma_device"])
def test_a_rail_without_interface_or_device_fails_even_under_soft_roce(missing_part: str) -> None:
    found = soft(**LACKS)
    one = found["gpufabric_roce"]["rail3"]
    knobs = list(one["source"])
    one.update({missing_part: None, **dict.fromkeys(knobs)})
    one["source"] = dict.fromkeys(knobs, "absent")
    failed = judged(found, variables(rdma_stack_provider="rxe")).of(Verdict.FAIL)
    assert {each.subject for each in failed} == {"rail3"}
    assert {"rdma_cm_mode", "rdma_cm_tos", "traffic_class", "active_mtu"} <= {each.knob for each in failed}


@pytest.mark.parametrize("source", ["unreadable", "conflict"])
def test_a_knob_that_no_tool_could_tell_is_no_pass(source: str) -> None:
    found = facts()
    roce(found, pfc=None, reason={"pfc": "dcb is not installed"})
    found["gpufabric_roce"]["rail2"]["source"]["pfc"] = source
    report = judged(found)
    assert [(each.name, each.why) for each in report.of(Verdict.ERROR)] == [("rail2 pfc", "dcb is not installed")]
    assert not report.passed


def test_dcqcn_off_wants_it_off_on_every_priority_and_does_not_mark() -> None:
    found = facts()
    values = variables(roce_qos_ecn=False, roce_qos_traffic_class=104)
    assert {each.knob for each in judged(found, values).of(Verdict.FAIL)} == {
        "ecn_np",
        "ecn_rp",
        "rdma_cm_tos",
        "traffic_class",
    }


def test_where_no_class_is_lossless_pfc_is_wanted_off_on_every_priority() -> None:
    values = variables()
    values["roce_qos_classes"] = [{**each, "lossless": False} for each in values["roce_qos_classes"]]
    assert {each.knob for each in judged(facts(), values).of(Verdict.FAIL)} == {"pfc"}
    lossy = facts()
    for each in lossy["gpufabric_roce"].values():
        each["pfc"] = [False] * 8
    assert not judged(lossy, values).of(Verdict.FAIL)


@pytest.mark.parametrize(("number", "allowed"), [(2, 0), (9, 8)])
def test_virtual_functions_beyond_what_a_site_allows_are_named_with_what_to_do(number: int, allowed: int) -> None:
    found = facts()
    roce(found, virtual_functions=number)
    (failed,) = judged(found, variables(roce_qos_virtual_functions_allowed=allowed)).of(Verdict.FAIL)
    assert (failed.host, failed.name, failed.wanted) == ("gpu-1", "rail2 virtual_functions", f"at most {allowed}")
    assert failed.found == str(number)
    assert "echo 0 > /sys/class/net/rail2/device/sriov_numvfs" in failed.why
    assert "raise roce_qos_virtual_functions_allowed" in failed.why
    assert judged(found, variables(roce_qos_virtual_functions_allowed=number)).passed


def test_buffers_are_judged_where_the_site_sets_them() -> None:
    values = variables(roce_qos_buffer_bytes=[1] * 8, roce_qos_priority_buffer=[0, 0, 0, 1, 0, 0, 0, 0])
    assert {each.knob for each in judged(facts(), values).of(Verdict.FAIL)} == {"buffer"}


@pytest.mark.parametrize(("mtu", "payload"), [(9000, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (300, 0)])
def test_roce_takes_the_largest_payload_that_fits(mtu: int, payload: int) -> None:
    assert roce_mtu(mtu) == payload

"""Each wrong knob of a host is named, alone; a right host raises no alarm; what cannot be told never passes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.host_evidence import HostEvidence
from nornir_tasks.checks.host_roce import roce_mtu
from nornir_tasks.checks.host_suite import CHECKS, REQUIRED, HostReport, judge_host, missing, requests
from nornir_tasks.design.host_vars import HostVars
from tests.unit.checks.right_host import RAILS, drop, facts, only, variables

Change = Callable[[dict[str, Any]], object]
VARIABLES = variables()


def judged(found: dict[str, Any], told: dict[str, Any] | None = None, **unread: str) -> HostReport:
    """The report on these facts; the table of nftables is given as a list and handed over as nft prints it."""
    guard = found.get("gpufabric_plane_guard")
    if isinstance(guard, list):
        said = {"rc": 0, "stdout": json.dumps({"nftables": guard}), "stderr": ""}
        found = {**found, "gpufabric_plane_guard": said}
    return judge_host(HostEvidence("gpu-1", told or VARIABLES, found, unread))


def wrong(report: HostReport) -> list[str]:
    return [f"{each.check}: {each.name}" for each in report.findings if each.verdict is not Verdict.PASS]


def test_a_right_host_passes_and_every_knob_of_every_rail_was_judged() -> None:
    report = judged(facts())
    assert wrong(report) == []
    assert report.passed
    # 8 rails of 8 knobs and rp_filter of all; 6 pairs of 3 planes, chain, others; 6 modules, 2 packages, 8 devices;
    # 2 page pools, 2 mounts, 1 argument; 8 rails of 16 knobs; 9 variables and contradictions; 2 services.
    assert len(report.findings) == 65 + 8 + 16 + 5 + 128 + 10 + 2
    assert report.summary() == "gpu-1: tested 234 of 234"
    assert all(each.shown_by and each.wanted for each in report.findings)


def rail(found: dict[str, Any], number: int) -> dict[str, Any]:
    return found["gpufabric_rails"]["rails"][f"0000:00:{0x10 + number:02x}.0"]


def roce(found: dict[str, Any], **changes: Any) -> None:
    found["gpufabric_roce"]["rail2"].update(changes)


def code_point(point: int) -> Change:
    def change(found: dict[str, Any]) -> None:
        found["gpufabric_roce"]["rail2"]["dscp_to_priority"][point] = 5

    return change


def ets(part: str, place: int, value: object) -> Change:
    def change(found: dict[str, Any]) -> None:
        found["gpufabric_roce"]["rail2"]["ets"][part][place] = value

    return change


def setting(name: str, value: str) -> Change:
    return lambda found: found["gpufabric_nccl"]["settings"][name].update(value=value)


def guard(place: int, rule: dict[str, Any] | None) -> Change:
    """Another rule in the place of one, or none."""

    def change(found: dict[str, Any]) -> None:
        found["gpufabric_plane_guard"][place : place + 1] = [rule] if rule else []

    return change


ROUTES = "gpufabric_rails.routes"
MUTANTS: dict[str, tuple[Change, str]] = {
    "another name": (
        lambda f: (rail(f, 1).update(netdev="ens9"), f["gpufabric_rails"]["sysctl"].update(ens9={"rp_filter": 2})),
        "rails: rail1 name",
    ),
    "down": (lambda f: rail(f, 1).update(up=False), "rails: rail1 link"),
    "no cable": (lambda f: rail(f, 1).update(carrier=False), "rails: rail1 link"),
    "small MTU": (lambda f: rail(f, 1).update(mtu_bytes=1500), "rails: rail1 mtu_bytes"),
    "another address": (lambda f: rail(f, 1).update(addresses=["10.169.0.9/31"]), "rails: rail1 address"),
    "another prefix length": (lambda f: rail(f, 1).update(addresses=["10.169.0.1/24"]), "rails: rail1 address"),
    "one address too many": (lambda f: rail(f, 1)["addresses"].append("192.0.2.1/24"), "rails: rail1 address"),
    "no route of the rail": (lambda f: f["gpufabric_rails"]["routes"]["main"].pop(2), "rails: rail1 route of the rail"),
    "route of the rail by another": (
        lambda f: f["gpufabric_rails"]["routes"]["main"][2].update(via="10.168.0.0"),
        "rails: rail1 route of the rail",
    ),
    "no table": (lambda f: f["gpufabric_rails"]["routes"].pop("101"), "rails: rail1 route of its table"),
    "table on another rail": (
        lambda f: f["gpufabric_rails"]["routes"]["101"][0].update(dev="rail0"),
        "rails: rail1 route of its table",
    ),
    "no rule": (lambda f: f["gpufabric_rails"]["rules"].pop(1), "rails: rail1 rule"),
    "rule after the main table": (
        lambda f: f["gpufabric_rails"]["rules"][1].update(priority=32800),
        "rails: rail1 rule",
    ),
    "another rule before it": (
        lambda f: f["gpufabric_rails"]["rules"].append({"priority": 5, "from": "10.169.0.1", "table": "main"}),
        "rails: rail1 rule",
    ),
    "strict filter": (lambda f: f["gpufabric_rails"]["sysctl"]["rail1"].update(rp_filter=1), "rails: rail1 rp_filter"),
    "strict filter of all": (
        lambda f: f["gpufabric_rails"]["sysctl"]["all"].update(rp_filter=1),
        "rails: rp_filter of all",
    ),
    "firmware's DCBX": (lambda f: roce(f, dcbx="firmware"), "roce: rail2 dcbx"),
    "trust in priorities": (lambda f: roce(f, trust="pcp"), "roce: rail2 trust"),
    "PFC off": (lambda f: roce(f, pfc=[False] * 8), "roce: rail2 pfc"),
    "PFC on another": (lambda f: roce(f, pfc=only(4)), "roce: rail2 pfc"),
    "PFC on two": (lambda f: roce(f, pfc=[a or b for a, b in zip(only(3), only(4), strict=True)]), "roce: rail2 pfc"),
    "another weight": (ets("tc_bw", 3, 50), "roce: rail2 ets"),
    "strict data": (ets("tc_tsa", 3, "strict"), "roce: rail2 ets"),
    "weighted notifications": (ets("tc_tsa", 6, "ets"), "roce: rail2 ets"),
    "data with the rest": (ets("prio_tc", 3, 0), "roce: rail2 ets"),
    "global pause in": (lambda f: roce(f, pause_rx=True), "roce: rail2 pause_rx"),
    "global pause out": (lambda f: roce(f, pause_tx=True), "roce: rail2 pause_tx"),
    "another cable": (lambda f: roce(f, cable_m=7), "roce: rail2 cable_m"),
    "RoCE v1": (lambda f: roce(f, rdma_cm_mode="IB/RoCE v1"), "roce: rail2 rdma_cm_mode"),
    "RDMA-CM without ECT": (lambda f: roce(f, rdma_cm_tos=104), "roce: rail2 rdma_cm_tos"),
    "RDMA-CM with the DSCP": (lambda f: roce(f, rdma_cm_tos=26), "roce: rail2 rdma_cm_tos"),
    "verbs unmarked": (lambda f: roce(f, traffic_class=0), "roce: rail2 traffic_class"),
    "verbs never set": (lambda f: roce(f, traffic_class=None), "roce: rail2 traffic_class"),
    "no notifications": (lambda f: roce(f, ecn_np=[False] * 8), "roce: rail2 ecn_np"),
    "no reaction": (lambda f: roce(f, ecn_rp=only(0)), "roce: rail2 ecn_rp"),
    "CNP with another DSCP": (lambda f: roce(f, cnp_dscp=4), "roce: rail2 cnp_dscp"),
    "CNP in another priority": (lambda f: roce(f, cnp_priority=3), "roce: rail2 cnp_priority"),
    "small RoCE MTU": (lambda f: roce(f, active_mtu=1024), "roce: rail2 active_mtu"),
    "module not loaded": (
        lambda f: f["gpufabric_rdma"]["modules"].update(rdma_ucm="available"),
        "rdma: rdma_ucm module",
    ),
    "package gone": (lambda f: f["gpufabric_rdma"]["packages"].pop("perftest"), "rdma: perftest package"),
    "package not held": (
        lambda f: f["gpufabric_rdma"]["packages"]["perftest"].update(held=False),
        "rdma: perftest package",
    ),
    "device down": (lambda f: f["gpufabric_rdma"]["devices"]["mlx5_4"].update(state="DOWN"), "rdma: rail4 RDMA device"),
    "no device": (lambda f: f["gpufabric_rdma"]["devices"].pop("mlx5_4"), "rdma: rail4 RDMA device"),
    "few pages": (
        lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"][0].update(total=63),
        "hugepages: node 0 pages of 2M",
    ),
    "no huge page": (
        lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"][1].update(total=0),
        "hugepages: node 0 pages of 1G",
    ),
    "no such pages": (lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"].pop(), "hugepages: node 0 pages of 1G"),
    "no mount": (lambda f: f["gpufabric_kernel"]["hugetlbfs"].pop(), "hugepages: 1G mount"),
    "no boot argument": (
        lambda f: f["gpufabric_kernel"].update(cmdline="quiet"),
        "hugepages: kernel argument hugepagesz=1G hugepages=0:1",
    ),
    "traffic class 41": (setting("NCCL_IB_TC", "41"), "nccl: NCCL_IB_TC"),
    "prefix match": (setting("NCCL_IB_HCA", "mlx5"), "nccl: NCCL_IB_HCA"),
    "bootstrap on a rail": (setting("NCCL_SOCKET_IFNAME", "=rail0"), "nccl: NCCL_SOCKET_IFNAME"),
    "PXN off": (setting("NCCL_PXN_DISABLE", "1"), "nccl: NCCL_PXN_DISABLE"),
    "cross NIC": (setting("NCCL_CROSS_NIC", "1"), "nccl: NCCL_CROSS_NIC"),
    "RoCE v1 for NCCL": (setting("NCCL_IB_ROCE_VERSION_NUM", "1"), "nccl: NCCL_IB_ROCE_VERSION_NUM"),
    "short timeout": (setting("NCCL_IB_TIMEOUT", "14"), "nccl: NCCL_IB_TIMEOUT"),
    "no retries": (setting("NCCL_IB_RETRY_CNT", "0"), "nccl: NCCL_IB_RETRY_CNT"),
    "control unmarked": (lambda f: f["gpufabric_nccl"]["settings"].pop("NCCL_IB_FIFO_TC"), "nccl: NCCL_IB_FIFO_TC"),
    "pinned GID": (
        lambda f: f["gpufabric_nccl"]["contradictions"].append({"told": "/etc/environment:1: NCCL_IB_GID_INDEX=3"}),
        "nccl: contradictions",
    ),
    "one pair open": (guard(3, None), "plane_guard: compute to business forwarding"),
    "rule of fewer rails": (guard(3, drop(RAILS[:7], ["ens4"])), "plane_guard: compute to business forwarding"),
    "another hook": (lambda f: f["gpufabric_plane_guard"][2]["chain"].update(hook="input"), "plane_guard: chain"),
    "after the CNI": (lambda f: f["gpufabric_plane_guard"][2]["chain"].update(prio=10), "plane_guard: chain"),
    "a rule that accepts": (
        lambda f: f["gpufabric_plane_guard"].append({"rule": {"chain": "forward", "expr": [{"accept": None}]}}),
        "plane_guard: other rules",
    ),
    "service not enabled": (
        lambda f: f["gpufabric_units"].update(stdout="enabled\ndisabled"),
        "boot: gpufabric-roce-qos.service service",
    ),
}
MUTANTS |= {f"code point {point}": (code_point(point), "roce: rail2 dscp_to_priority") for point in range(64)}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_single_wrong_knob_is_named_and_nothing_else(name: str) -> None:
    change, expected = MUTANTS[name]
    found = facts()
    change(found)
    report = judged(found)
    assert wrong(report) == [expected]
    assert not report.passed
    assert report.of(Verdict.FAIL)[0].found != report.of(Verdict.FAIL)[0].wanted
    assert len(report.findings) == 234


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
    assert len(report.findings) == 234
    assert {each.why for each in untold} == {"no program ip on this host"}
    assert report.of(Verdict.FAIL) == () or fact == "gpufabric_nccl"
    assert report.summary() == f"gpu-1: tested {234 - len(untold)} of 234"


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
    hcas = {name: f"rxe_{name}" for name in RAILS}
    found["gpufabric_nccl"]["hcas"] = hcas
    found["gpufabric_nccl"]["settings"]["NCCL_IB_HCA"]["value"] = "=" + ",".join(hcas.values())
    return found


LACKS = dict.fromkeys(("ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority", "traffic_class"), "no file")


def test_soft_roce_skips_what_it_has_not_says_so_and_is_judged_on_the_rest() -> None:
    report = judged(soft(**LACKS), variables(rdma_stack_provider="rxe"))
    assert report.passed
    assert {each.knob for each in report.of(Verdict.SKIPPED)} == set(LACKS)
    assert len(report.of(Verdict.SKIPPED)) == 40
    assert report.summary() == "gpu-1: tested 200 of 200, skipped 40 that this host does not have"
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
    told = variables(roce_qos_ecn=False, roce_qos_traffic_class=104)
    assert {each.knob for each in judged(found, told).of(Verdict.FAIL)} == {
        "ecn_np",
        "ecn_rp",
        "rdma_cm_tos",
        "traffic_class",
    }


def test_strict_arp_is_judged_where_rails_share_a_subnet() -> None:
    failed = judged(facts(), variables(rail_interfaces_arp_strict=True)).of(Verdict.FAIL)
    assert {each.knob for each in failed} == {"arp_ignore", "arp_announce"}
    assert len(failed) == 16


def test_buffers_are_judged_where_the_site_sets_them() -> None:
    told = variables(roce_qos_buffer_bytes=[1] * 8, roce_qos_priority_buffer=[0, 0, 0, 1, 0, 0, 0, 0])
    assert {each.knob for each in judged(facts(), told).of(Verdict.FAIL)} == {"buffer"}


def test_a_rail_at_another_place_fails_in_all_it_should_have_had() -> None:
    found = facts()
    rail(found, 1).update(netdev=None, candidates=[])
    failed = judged(found).of(Verdict.FAIL)
    assert {each.name for each in failed} == {f"rail1 {knob}" for knob in (
        "name", "link", "mtu_bytes", "address", "route of the rail", "route of its table", "rule", "rp_filter",
    )}  # fmt: skip


def test_a_missing_argument_that_the_boot_loader_has_says_that_a_reboot_is_due() -> None:
    found = facts()
    found["gpufabric_kernel"]["cmdline"] = "quiet"
    (failed,) = judged(found).of(Verdict.FAIL)
    assert failed.why == "needs a reboot"


def test_a_table_that_is_not_there_is_a_failure_and_not_untold() -> None:
    found = {**facts(), "gpufabric_plane_guard": {"rc": 1, "stdout": "", "stderr": "Error: No such file or directory"}}
    report = judged(found)
    assert len(report.of(Verdict.FAIL)) == 7
    assert report.of(Verdict.ERROR) == ()


def test_services_that_are_not_installed_are_named() -> None:
    stderr = "Failed to get unit file state for gpufabric-roce-qos.service: No such file or directory"
    found = {**facts(), "gpufabric_units": {"rc": 1, "stdout": "enabled", "stderr": stderr}}
    assert "boot: gpufabric-roce-qos.service service" in wrong(judged(found))


def test_every_variable_without_a_default_is_asked_for_by_name() -> None:
    told = variables()
    assert set(REQUIRED) == set(told) & set(REQUIRED)
    assert {name.rpartition(":")[0] for name in missing({})} == set(REQUIRED)
    del told["roce_qos_dscp"]
    assert missing(told) == ["roce_qos_dscp: no value; the inventory plug-in gpufabric takes it from the intent"]
    assert len(REQUIRED) == sum(len(field.annotation.model_fields) for field in HostVars.model_fields.values())


def test_facts_are_asked_for_every_check_and_read_only() -> None:
    asked = requests(VARIABLES)
    assert {each.fact for each in asked} == set(facts())
    assert len(CHECKS) == 7
    commands = [each.arguments["argv"] for each in asked if "argv" in each.arguments]
    assert [command[:3] for command in commands] == [["nft", "-j", "list"], ["systemctl", "is-enabled", commands[1][2]]]


@pytest.mark.parametrize(("mtu", "payload"), [(9000, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (300, 0)])
def test_roce_takes_the_largest_payload_that_fits(mtu: int, payload: int) -> None:
    assert roce_mtu(mtu) == payload

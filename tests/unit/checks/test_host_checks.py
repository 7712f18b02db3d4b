"""Each wrong knob of a host is named, alone; a right host raises no alarm; what cannot be told never passes."""

import json
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.host_evidence import HostEvidence
from nornir_tasks.checks.host_roce import roce_mtu
from nornir_tasks.checks.host_suite import CHECKS, REQUIRED, HostReport, judge_host, missing, requests
from nornir_tasks.design.host_vars import HostVars
from tests.unit.checks.host_mutants import MUTANTS, rail, roce, set_name
from tests.unit.checks.right_host import ARGUMENTS, RAILS, UNITS, facts, variables
from tests.unit.checks.right_host import FIRMWARE as FIRMWARE_BY_DEFAULT

VARIABLES = variables()


def judged(found: dict[str, Any], values: dict[str, Any] | None = None, **unread: str) -> HostReport:
    """The report on these facts; the table of nftables is given as a list and handed over as nft prints it."""
    guard = found.get("gpufabric_plane_guard")
    if isinstance(guard, list):
        answer = {"rc": 0, "stdout": json.dumps({"nftables": guard}), "stderr": ""}
        found = {**found, "gpufabric_plane_guard": answer}
    return judge_host(HostEvidence("gpu-1", values or VARIABLES, found, unread))


def wrong(report: HostReport) -> list[str]:
    return [f"{each.check}: {each.name}" for each in report.findings if each.verdict is not Verdict.PASS]


def test_a_right_host_passes_and_every_knob_of_every_rail_was_judged() -> None:
    report = judged(facts())
    assert wrong(report) == []
    assert report.passed
    # 8 rails of 9 knobs and rp_filter of all; 8 gateways; a bond (test_bond_states.py); 6 pairs of 3 planes, chain,
    # others; 6 modules, 3 packages, their build, 8 devices; 8 rails of 2 settings in the firmware, twice; 2 page pools,
    # 2 mounts, 1 argument; 8 rails of 17 knobs; 9 variables and contradictions; of tuning 2 settings, 2 limits, 2 of
    # processors, 4 arguments, 8 rails' interrupts; of GPUDirect 8 rails of 6 knobs, ACS after a boot, 3 of the driver;
    # 4 services.
    assert len(report.findings) == 73 + 8 + 24 + 8 + 18 + 32 + 5 + 136 + 10 + 18 + 52 + 4
    assert report.summary() == "gpu-1: tested 388 of 388"
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
    assert len(report.findings) == 388


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
    assert len(report.findings) == 388
    assert {each.why for each in untold} == {"no program ip on this host"}
    assert report.of(Verdict.FAIL) == () or fact == "gpufabric_nccl"
    assert report.summary() == f"gpu-1: tested {388 - len(untold)} of 388"


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
    assert report.summary() == "gpu-1: tested 321 of 321, skipped 72 that this host does not have"
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
    assert report.summary() == "gpu-1: tested 380 of 380, skipped 8 that this host does not have"


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


def test_the_way_to_the_hosts_of_the_same_subnet_is_judged_where_there_is_one() -> None:
    values = variables()
    shared = {"subnet": "10.168.0.0/23", "address": "10.168.0.2", "prefix_length": 23, "gateway": "10.168.0.1"}
    values["rail_interfaces_rails"][0].update(shared)
    found = facts()
    rail(found, 0).update(addresses=["10.168.0.2/23"])
    found["gpufabric_rails"]["rules"][0]["from"] = "10.168.0.2"
    found["gpufabric_gateways"]["rail0"]["answers"] = {"10.168.0.1": "02:00:00:00:00:01"}
    routes = found["gpufabric_rails"]["routes"]
    routes["main"] = [each | {"via": "10.168.0.1"} if each["dev"] == "rail0" else each for each in routes["main"]]
    routes["100"] = [each | {"via": "10.168.0.1"} for each in routes["100"]]
    (failed,) = judged(found, values).of(Verdict.FAIL)
    assert (failed.name, failed.wanted) == ("rail0 route of its subnet", "10.168.0.0/23 dev rail0")
    routes["100"].append({"to": "10.168.0.0/23", "via": None, "dev": "rail0"})
    assert judged(found, values).of(Verdict.FAIL) == ()


def test_strict_arp_is_judged_where_rails_share_a_subnet() -> None:
    failed = judged(facts(), variables(rail_interfaces_arp_strict=True)).of(Verdict.FAIL)
    assert {each.knob for each in failed} == {"arp_ignore", "arp_announce"}
    assert len(failed) == 16


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


def test_a_rail_at_another_place_fails_in_all_it_should_have_had() -> None:
    found = facts()
    rail(found, 1).update(netdev=None, candidates=[])
    failed = judged(found).of(Verdict.FAIL)
    assert {each.name for each in failed} == {f"rail1 {knob}" for knob in (
        "name", "name after a boot", "link", "mtu_bytes", "address", "route of the rail", "route of its table", "rule",
        "rp_filter",
    )}  # fmt: skip


def test_what_renames_a_rail_at_the_next_boot_is_named_with_file_and_key() -> None:
    found = facts()
    found["gpufabric_rails"]["names"] = [set_name("rail1"), set_name("rail2", name="rail2"), set_name("ens3")]
    (failed,) = judged(found).of(Verdict.FAIL)
    assert failed.found == (
        "ens17 by netplan (/etc/netplan/50-cloud-init.yaml, line 9, network.ethernets.ens17.set-name)"
    )


def test_a_name_that_shows_at_boot_only_is_not_taken_for_right() -> None:
    found = facts()
    found["gpufabric_rails"]["names"] = [set_name("rail1", certain=False)]
    assert [each.name for each in judged(found).of(Verdict.ERROR)] == ["rail1 name after a boot"]
    found["gpufabric_rails"].update(names=[], names_unread=["/etc/netplan/60-a.yaml: is not YAML"])
    assert len(judged(found).of(Verdict.ERROR)) == 8


def test_two_swapped_rails_are_both_named_with_the_cables_to_swap() -> None:
    found = facts()
    gateways = found["gpufabric_gateways"]
    gateways["rail2"]["answers"], gateways["rail5"]["answers"] = (
        gateways["rail5"]["answers"],
        gateways["rail2"]["answers"],
    )
    failed = judged(found).of(Verdict.FAIL)
    assert [(each.name, each.found, each.why) for each in failed] == [
        ("rail2 gateway", "10.173.0.0 of rail5 answers", "swap the cables of rail2 and rail5"),
        ("rail5 gateway", "10.170.0.0 of rail2 answers", "swap the cables of rail5 and rail2"),
    ]


def test_three_rails_moved_in_a_ring_say_whose_port_each_is_in() -> None:
    found = facts()
    gateways = found["gpufabric_gateways"]
    moved = [gateways[name]["answers"] for name in ("rail1", "rail2", "rail0")]
    for name, answers in zip(("rail0", "rail1", "rail2"), moved, strict=True):
        gateways[name] = {"asked": True, "answers": answers}
    assert [each.why for each in judged(found).of(Verdict.FAIL)] == [
        f"its cable is in the port of rail{number}" for number in (1, 2, 0)
    ]


def test_a_rail_without_carrier_is_not_said_to_be_in_the_wrong_port() -> None:
    found = facts()
    found["gpufabric_gateways"]["rail1"] = {"asked": False, "answers": {}}
    assert [each.name for each in judged(found).of(Verdict.ERROR)] == ["rail1 gateway"]


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
    assert len(CHECKS) == 12
    commands = [each.arguments["argv"] for each in needed if "argv" in each.arguments]
    assert [command[:3] for command in commands] == [
        ["nft", "-j", "list"],
        ["systemctl", "list-unit-files", "--no-legend"],
    ]


@pytest.mark.parametrize(("mtu", "payload"), [(9000, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (300, 0)])
def test_roce_takes_the_largest_payload_that_fits(mtu: int, payload: int) -> None:
    assert roce_mtu(mtu) == payload


@pytest.mark.parametrize(
    ("value", "right"), [("0x6a", True), ("0152", True), ("106", True), ("0x68", False), ("1O6", False)]
)
def test_a_number_of_nccl_is_judged_by_what_it_means_and_not_by_its_spelling(value: str, right: bool) -> None:
    found = facts()
    found["gpufabric_nccl"]["settings"]["NCCL_IB_TC"]["value"] = value
    assert wrong(judged(found)) == ([] if right else ["nccl: NCCL_IB_TC"])


def without_driver() -> dict[str, Any]:
    found = facts()
    found["gpufabric_pci"]["driver"].update(version=None, open=None, no_dma_buf="no NVIDIA driver is loaded")
    return found


def test_a_gpu_host_without_a_driver_fails_unless_the_operator_is_to_bring_it() -> None:
    failed = [each.name for each in judged(without_driver()).of(Verdict.FAIL)]
    assert failed == ["NVIDIA driver", "way to GPU memory"]
    report = judged(without_driver(), variables(gpudirect_driver_owner="operator"))
    assert report.passed
    assert [each.why for each in report.of(Verdict.SKIPPED)] == ["the GPU Operator brings it"] * 3


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
    assert knobs == {"GPU", "PCI Express link", "IOMMU", "NVIDIA driver", "way to GPU memory", "fabric manager"}
    bare = judged(facts(), variables(gpudirect_rails=[]))
    assert [each for each in bare.findings if each.check == "gpudirect"] == []


def test_a_rail_that_may_be_far_from_its_gpu_is_judged_on_all_the_rest() -> None:
    found = facts()
    found["gpufabric_pci"]["gpus"]["0000:33:00.0"] = []
    report = judged(found, variables(gpudirect_far_rails_allowed=["rail2"]))
    assert report.passed
    assert len(report.findings) == 387

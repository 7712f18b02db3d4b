"""The PCI tree of published machines: which GPU is near which NIC, and what stands in between."""

import pytest
from gpu_driver import driver_version, installed, lockdown, no_dma_buf, upstream, wrong_fabric_manager
from pci_topology import between, kernel_path, pairs

from tests.unit.roles.gpudirect.conftest import RAILS, matches

NVIDIA_OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22-I3-B17-02-5)  "
    "Tue Sep 23 09:55:41 UTC 2025\nGCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04.2)\n"
)
NVIDIA_CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  Fri Jan 10 20:00:00 UTC 2025\n"


def read(facts, root, rails=8):
    return facts("pci_facts", root=str(root), rails=matches(rails))["gpufabric_pci"]


def test_each_gpu_of_an_hgx_h200_has_its_own_nic_under_its_own_switch(facts, host):
    found = read(facts, host())
    assert list(found["gpus"].values()) == [[rail] for rail in RAILS]
    assert found["rails"]["rail0"] == {
        "nic": "0000:19:00.0",
        "gpus": ["0000:18:00.0"],
        "ways": {"0000:18:00.0": ["0000:17:01.0", "0000:17:00.0"]},
    }
    assert found["gpus"]["0000:18:00.0"] == ["rail0"]
    assert found["nvswitches"] == ["0000:05:00.0", "0000:06:00.0", "0000:07:00.0", "0000:08:00.0"]


def test_two_gpus_of_an_hgx_a100_share_a_nic_over_two_levels_of_switches(facts, host):
    found = read(facts, host("hgx_a100", 4), rails=4)
    pairs = [["rail0"], ["rail0"], ["rail1"], ["rail1"], ["rail2"], ["rail2"], ["rail3"], ["rail3"]]
    assert list(found["gpus"].values()) == pairs
    ways = {
        gpu: between(found["devices"]["0000:1a:00.0"]["path"], found["devices"][gpu]["path"]) for gpu in found["gpus"]
    }
    assert len(ways["0000:19:00.0"]) < len(ways["0000:13:00.0"])
    assert ways["0000:48:00.0"] == []


def test_gpus_behind_root_ports_of_their_own_have_no_nic_near(facts, host):
    found = read(facts, host("passed_through"))
    assert set(map(tuple, found["gpus"].values())) == {()}
    assert found["devices"]["0000:0d:00.0"]["ats"] is True


def test_a_nic_and_the_bridges_above_it_are_described(facts, host):
    devices = read(facts, host())["devices"]
    nic = devices["0000:19:00.0"]
    assert nic["path"] == ["0000:15:01.0", "0000:16:00.0", "0000:17:01.0", "0000:19:00.0"]
    assert nic["kernel_path"] == "0000:15:01.0/00.0/01.0/00.0"
    assert nic["link"] == {"speed_gt_s": 32.0, "lanes": 16, "max_speed_gt_s": 32.0, "max_lanes": 16}
    assert (nic["read_request_bytes"], nic["iommu"], nic["ats"], nic["acs"]) == (512, "identity", None, None)
    assert [devices[each]["port"] for each in nic["path"]] == [
        "root port",
        "upstream port",
        "downstream port",
        "endpoint",
    ]
    assert devices["0000:17:01.0"]["acs"]["request_redirect"] is True
    assert devices["0000:16:00.0"]["acs"] is None


def test_redirect_is_off_after_a_boot_with_the_paths_that_the_facts_name(facts, host, reboot):
    root = host()
    devices = read(facts, root)["devices"]
    ways = between(devices["0000:19:00.0"]["path"], devices["0000:18:00.0"]["path"])
    assert ways == ["0000:17:01.0", "0000:17:00.0"]
    reboot(root, "pci=disable_acs_redir=" + ";".join(kernel_path(devices[each]["path"]) for each in ways))
    after = read(facts, root)["devices"]
    assert {each: after[each]["acs"]["request_redirect"] for each in ways} == dict.fromkeys(ways, False)
    assert after["0000:17:01.0"]["acs"]["source_validation"] is True
    assert after["0000:28:00.0"]["acs"]["request_redirect"] is True


def test_a_space_of_64_bytes_is_not_taken_for_a_port_without_acs(facts, host):
    root = host()
    place = root / "sys/bus/pci/devices/0000:17:01.0/config"
    place.write_bytes(place.read_bytes()[:64])
    found = read(facts, root)["devices"]["0000:17:01.0"]
    assert (found["known"], found["acs"]) == ("header", None)


def test_a_rail_is_found_by_its_pci_address_too_and_one_that_is_not_there_is_none(facts, host):
    rails = [{"name": "rail0", "match": {"pci": "0000:29:00.0"}}, {"name": "rail1", "match": {"pci": "0000:ff:00.0"}}]
    found = facts("pci_facts", root=str(host()), rails=rails)["gpufabric_pci"]
    assert {name: each["nic"] for name, each in found["rails"].items()} == {"rail0": "0000:29:00.0", "rail1": None}
    assert found["gpus"]["0000:2a:00.0"] == ["rail0"]


def test_a_host_without_gpus_and_driver_says_so(facts, tree):
    found = facts("pci_facts", root=str(tree({"proc/sys/kernel/osrelease": "6.1.0\n"})))["gpufabric_pci"]
    assert (found["gpus"], found["rails"], found["driver"]["version"]) == ({}, {}, None)


def test_the_driver_its_packages_and_its_fabric_manager_are_read(facts, host):
    found = read(facts, host())["driver"]
    assert (found["version"], found["open"], found["peermem"], found["operator"]) == ("580.95.05", True, False, False)
    assert found["packages"] == {"nvidia-open": "580.95.05-1"}
    assert (found["no_dma_buf"], found["wrong_fabric_manager"]) == ("", "")
    assert found["kernel"] == "6.1.0-30-amd64"


@pytest.mark.parametrize(
    ("content", "expected"),
    [(NVIDIA_OPEN, ("580.95.05", True)), (NVIDIA_CLOSED, ("550.135", False)), (None, (None, None))],
)
def test_the_open_modules_are_told_from_the_closed_ones_as_the_driver_prints_them(content, expected):
    assert driver_version(content) == expected


def test_a_package_that_was_removed_but_not_purged_is_not_installed():
    status = "Package: nvidia-driver-550\nStatus: deinstall ok config-files\nVersion: 550.1-1\n\nPackage: bash\n"
    assert installed(status) == {}
    assert upstream("1:550.127.08-0ubuntu1") == "550.127.08"


def test_the_kernels_lockdown_is_the_word_in_brackets():
    assert lockdown("none [integrity] confidentiality\n") == "integrity"
    assert lockdown(None) is None


@pytest.mark.parametrize(
    ("rails", "gpus", "expected"),
    [
        ("ab", "01", {"a": ["0"], "b": ["1"]}),
        ("ab", "0123", {"a": ["0", "1"], "b": ["2", "3"]}),
        ("abcd", "01", {"a": ["0"], "b": ["0"], "c": ["1"], "d": ["1"]}),
    ],
)
def test_rails_and_gpus_are_paired_in_order_and_evenly(rails, gpus, expected):
    assert pairs(list(rails), list(gpus), {}) == (expected, "")


@pytest.mark.parametrize(
    ("gpus", "named", "why"),
    [
        ("012", {}, "3 GPUs and 2 rails cannot be paired evenly"),
        ("", {}, "0 GPUs and 2 rails cannot be paired evenly"),
        ("01", {"a": ["7"], "b": ["1"]}, "no GPU at 7"),
        ("01", {"a": ["0"]}, "no GPU named for b"),
    ],
)
def test_gpus_that_cannot_be_paired_are_told_with_the_reason(gpus, named, why):
    assert pairs(["a", "b"], list(gpus), named)[1] == why


@pytest.mark.parametrize(
    ("version", "is_open", "kernel", "why"),
    [
        ("580.95.05", True, "5.12.0-1", ""),
        ("580.95.05", True, "6.1.0-30-amd64", ""),
        ("580.95.05", True, "5.4.0-200-generic", "Linux 5.4.0-200-generic is older than 5.12"),
        ("550.135", False, "6.8.0", "the closed kernel modules of 550.135 are loaded"),
        (None, None, "6.8.0", "no NVIDIA driver is loaded"),
    ],
)
def test_what_keeps_rdma_from_dma_buf_is_told(version, is_open, kernel, why):
    assert no_dma_buf(version, is_open, kernel) == why


@pytest.mark.parametrize(
    ("packages", "running", "why"),
    [
        ({"nvidia-fabricmanager-580": "580.95.05"}, True, ""),
        ({"nvidia-fabricmanager-580": "580.95.05"}, False, "not running"),
        (
            {"nvidia-fabricmanager-580": "580.82.07"},
            True,
            "nvidia-fabricmanager-580 580.82.07, and the driver is 580.95.05",
        ),
        ({}, True, "not installed"),
    ],
)
def test_a_fabric_manager_must_run_in_the_drivers_version(packages, running, why):
    assert wrong_fabric_manager("580.95.05", packages, running) == why

"""NVSwitches of HGX boards: those that are no PCI devices, what has to run for them, and whether GPUs are joined."""

import sys

import pytest
from gpu_driver import unlike, without_hold
from gpu_fabric import fabric_states, read_states
from rpm_packages import packages

from tests.unit.roles.gpudirect.conftest import ROOT, matches

sys.path.insert(0, str(ROOT / "tests/recorded"))
from transcripts import read_transcript

GROUP = "sys/fs/cgroup/system.slice/nvidia-fabricmanager.service/cgroup.procs"
BRIDGES = ["0000:c4:00.0", "0000:c4:00.1"]
VPD = b"\x82 \x00NVIDIA ConnectX-7 SMDL=SW_MNG\x00x"
"""As a published program looks for it (document 59189699369); the rest is ours."""


def answer(name):
    (call,) = read_transcript(f"nvidia_smi/{name}.txt")
    return call.stdout


def write(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def package(name, version, state="hold"):
    return f"Package: {name}\nStatus: {state} ok installed\nVersion: {version}\n\n"


@pytest.fixture
def b200(host):
    """An HGX B200: no NVSwitch among PCI devices, two functions that manage them, one InfiniBand port that does not."""
    root = host()
    for address in ("05", "06", "07", "08"):
        (root / f"sys/bus/pci/devices/0000:{address}:00.0").unlink()
    for address, vpd in {**dict.fromkeys(BRIDGES, VPD), "0000:d0:00.0": b"\x82 ConnectX-7 InfiniBand"}.items():
        place = f"sys/bus/pci/devices/{address}"
        write(root, {f"{place}/vendor": "0x15b3\n", f"{place}/class": "0x020700\n", f"{place}/vpd": vpd})
        write(root, {f"{place}/device": "0x1021\n", f"{place}/config": bytes(64), f"{place}/numa_node": "0\n"})
    status = root / "var/lib/dpkg/status"
    status.write_text(status.read_text() + package("nvlsm", "2025.06.5-1"))
    write(root, {GROUP: "4711\n4712\n", "proc/4711/comm": "nv-fabricmanage\n", "proc/4712/comm": "nvlsm\n"})
    (root / "sys/module/ib_umad").mkdir(parents=True)
    return root


def read(facts, root):
    return facts("pci_facts", root=str(root), rails=matches(8))["gpufabric_pci"]


def settings(**changes):
    usual = {"rails": [{"name": "rail0", "match": {}}], "far_rails_allowed": [], "acs": "keep", "peermem": False}
    return {**usual, "read_request_bytes": 0, "driver_owner": "keep", "driver_branch": "", **changes}


def problems(load_plugin, found):
    judged = load_plugin("filter/gpudirect.py").gpudirect_problems
    return [each for each in judged(settings(), found) if "NVSwitches" in each]


def test_functions_that_manage_nvswitches_are_found_and_another_infiniband_port_is_none(facts, b200, load_plugin):
    found = read(facts, b200)
    assert (found["nvswitches"], found["driver"]["bridges"]) == ([], BRIDGES)
    assert (found["driver"]["wrong_fabric_manager"], found["driver"]["wrong_subnet_manager"]) == ("", "")
    assert problems(load_plugin, found) == []


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda root: (root / "proc/4712/comm").write_text("sleep\n"), "NVLSM, is not right: not running"),
        (lambda root: (root / "sys/module/ib_umad").rmdir(), "ib_umad is not loaded"),
        (lambda root: _without(root, "nvlsm"), "NVLSM, is not right: not installed"),
        (lambda root: _without(root, "nvidia-fabricmanager-580"), "fabric manager is not right: not installed"),
        (lambda root: (root / GROUP).write_text(""), "fabric manager is not right: not running"),
    ],
)
def test_an_hgx_b200_whose_nvswitches_nobody_manages_is_refused(spoil, says, facts, b200, load_plugin):
    spoil(b200)
    assert says in "\n".join(problems(load_plugin, read(facts, b200)))


def _without(root, name):
    status = root / "var/lib/dpkg/status"
    kept = [each for each in status.read_text().split("\n\n") if f"Package: {name}\n" not in each]
    status.write_text("\n\n".join(kept))


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("completed", ["Completed, Success", "Completed, Success"]),
        ("in_progress", ["In Progress, N/A", "In Progress, N/A"]),
        ("insufficient", ["Completed, Success", "Completed, Insufficient Resources"]),
    ],
)
def test_each_gpus_fabric_is_read_from_what_nvidia_smi_says(name, states):
    assert fabric_states(answer(name)) == dict(zip(("0000:18:00.0", "0000:2a:00.0"), states, strict=True))


def program(root, text):
    write(root, {"usr/bin/nvidia-smi": f"#!/bin/sh\n{text}\n"})
    (root / "usr/bin/nvidia-smi").chmod(0o755)


def test_nvidia_smi_is_asked_and_one_that_hangs_is_left_alone(tmp_path, monkeypatch):
    assert read_states(tmp_path, "run/nvidia/driver/usr") == ({}, "there is no nvidia-smi")
    (tmp_path / "out").write_text(answer("completed"))
    program(tmp_path, f"cat {tmp_path}/out")
    assert len(read_states(tmp_path, "run/nvidia/driver/usr")[0]) == 2
    monkeypatch.setattr("gpu_fabric.ANSWERS_WITHIN_S", 0.5)
    program(tmp_path, "exec sleep 20")
    assert read_states(tmp_path, "run/nvidia/driver/usr") == ({}, "nvidia-smi did not answer within 0 s")
    program(tmp_path, "exit 9")
    assert read_states(tmp_path, "run/nvidia/driver/usr") == ({}, "nvidia-smi names no GPU (exit code 9)")


def test_packages_of_another_version_than_the_loaded_driver_are_named():
    found = {
        "nvidia-driver-580": ("580.95.05-0ubuntu0.24.04.2", True),
        "libnvidia-compute-580": ("580.105.08-0ubuntu0.24.04.1", True),
        "libcuda1": ("580.95.05-1", True),
        "linux-modules-nvidia-580-generic": ("6.8.0-45.45+1", True),
        "nvlsm": ("2025.06.5-1", True),
    }
    assert unlike("580.95.05", found) == ["libnvidia-compute-580 580.105.08"]
    assert unlike(None, found) == []


def test_packages_of_driver_and_kernel_that_are_not_on_hold_are_named(facts, b200):
    status = b200 / "var/lib/dpkg/status"
    status.write_text(
        package("nvidia-open", "580.95.05-1", "install")
        + package("nvidia-fabricmanager-580", "580.95.05-1")
        + package("linux-image-generic", "6.8.0-45.45", "install")
        + package("linux-image-6.8.0-45-generic", "6.8.0-45.45", "install")
        + package("libnvidia-compute-580", "580.95.05-1", "install")
        + package("vim", "9", "install")
    )
    assert read(facts, b200)["driver"]["not_held"] == ["nvidia-open", "linux-image-generic", "libnvidia-compute-580"]
    assert without_hold({"linux-image-generic": ("6.8", False)}) == []


RPM = """\
nvidia-driver\t3:580.95.05-1.el9\tx86_64
nvidia-driver-cuda\t3:580.95.05-1.el9\tx86_64
nvidia-fabric-manager\t0:580.95.05-1\tx86_64
libnvidia-ml\t3:580.105.08-1.el9\tx86_64
kmod-nvidia-open-dkms\t3:580.95.05-1.el9\tnoarch
kernel-core\t0:5.14.0-570.el9\tx86_64
kernel-core\t0:5.14.0-503.el9\tx86_64
vim-minimal\t2:8.2.2637-21.el9\tx86_64
"""
LOCKS = """# ours

nvidia-driver-3:580.95.05-1.el9.*
!libnvidia-ml-3:580.105.08-1.el9.*
kernel-core-5.14.0-503.el9
"""


@pytest.mark.parametrize(
    ("line", "is_locked"),
    [
        ("nvidia-driver-3:580.95.05-1.el9.*", True),
        ("nvidia-driver-580.*", True),
        ("nvidia-driver", True),
        ("nvidia-*", True),
        ("nvidia-driver-3:580.95.05", True),
        ("nvidia-driver-3:570.86.15-1.el9.*", False),
        ("!nvidia-driver-3:580.95.05-1.el9.*", False),
        ("nvidia-driver-cuda-3:580.95.05-1.el9.*", False),
        ("# nvidia-driver", False),
    ],
)
def test_a_lock_of_dnf_holds_the_package_that_it_names(line, is_locked):
    assert packages(RPM, [line])["nvidia-driver"] == ("3:580.95.05-1.el9", is_locked)


def test_a_host_with_rpm_is_judged_as_one_with_dpkg(facts, b200):
    (b200 / "var/lib/dpkg/status").unlink()
    write(b200, {"out": RPM, "etc/dnf/plugins/versionlock.list": LOCKS})
    write(b200, {"usr/bin/rpm": f"#!/bin/sh\ncat {b200}/out\n"})
    (b200 / "usr/bin/rpm").chmod(0o755)
    driver = read(facts, b200)["driver"]
    assert driver["packages"] == {"nvidia-driver": "3:580.95.05-1.el9"}
    assert (driver["wrong_fabric_manager"], driver["wrong_subnet_manager"]) == ("", "not installed")
    assert driver["unlike"] == ["libnvidia-ml 580.105.08"]
    others = ["nvidia-driver-cuda", "nvidia-fabric-manager", "libnvidia-ml", "kmod-nvidia-open-dkms"]
    assert driver["not_held"] == others

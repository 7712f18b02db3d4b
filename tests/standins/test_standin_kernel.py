"""The stand-in for the kernel's files behaves as the recorded files did: values, refusals, and what cannot be made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import require

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "recorded"))
from transcripts import Call, read_transcript, sources_of  # noqa: E402


def host(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, HERE / "standin_host.py", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def state(tmp_path):
    """A host with one ConnectX, mlx5_0 on rail0."""
    require("root")
    folder = tmp_path / "state"
    host("make", str(folder), "rail0=0000:00:10.0")
    host("up", str(folder))
    yield folder
    host("down", str(folder))


@pytest.fixture
def shell(state):
    """Command line with /sys -> the call, with the stand-in's /sys."""

    def shell(command: str) -> Call:
        here = command.replace("/sys/", f"{state}/root/sys/")
        environment = {
            **os.environ,
            "GPUFABRIC_STANDIN": str(state),
            "PATH": f"{HERE}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["bash", "-c", here], capture_output=True, text=True, timeout=30, check=False, env=environment
        )
        return Call(command, done.stdout, done.stderr, done.returncode)

    return shell


def test_the_traffic_class_shows_nothing_and_then_its_own_form(shell) -> None:
    for call in read_transcript("kernel/sysfs_mlx5_traffic_class.txt"):
        assert shell(call.command.replace("mlx5_2", "mlx5_0")).stdout == call.stdout


def test_configfs_of_rdma_cm_as_the_kernel_has_it(state, shell) -> None:
    """Words of the shell that recorded it are busybox's; values and exit codes are the kernel's."""
    (state / "modules").write_text("")
    for call in read_transcript("kernel/configfs_rdma_cm.txt"):
        if call.command.startswith("find "):
            continue
        found = shell(call.command.replace("rxe0", "mlx5_0"))
        assert found.stdout == call.stdout
        assert (found.exit_code == 0) == (call.exit_code == 0), call.command
        for words in ("Invalid argument", "No such device"):
            assert (words in found.stderr) == (words in call.stderr), call.command


def test_cma_roce_tools_say_what_they_say(shell) -> None:
    for name in ("set_and_show", "refused"):
        for tool in ("cma_roce_tos", "cma_roce_mode"):
            calls = read_transcript(f"{tool}/{name}.txt")
            assert [shell(call.command) for call in calls] == calls


def test_cma_roce_tools_without_rdma_cm(state, shell) -> None:
    (state / "modules").write_text("")
    for tool in ("cma_roce_tos", "cma_roce_mode"):
        calls = read_transcript(f"{tool}/no_rdma_cm.txt")
        assert [shell(call.command) for call in calls] == calls


def test_ecn_enable_is_a_folder_with_a_file_for_each_priority(shell) -> None:
    assert "Is a directory" in shell("echo 1 > /sys/class/net/rail0/ecn/roce_np/enable").stderr
    assert shell("cat /sys/class/net/rail0/ecn/roce_np/enable/3").stdout == "1\n"
    assert shell("echo 0 > /sys/class/net/rail0/ecn/roce_rp/enable/3").exit_code == 0
    assert shell("cat /sys/class/net/rail0/ecn/roce_rp/enable/3").stdout == "0\n"
    assert shell("echo 64 > /sys/class/net/rail0/ecn/roce_np/cnp_dscp").exit_code != 0
    assert shell("cat /sys/class/net/rail0/ecn/roce_np/cnp_dscp").stdout == "48\n"


def test_nothing_can_be_made_where_the_kernel_makes_nothing(shell) -> None:
    assert shell("mkdir /sys/class/net/rail9").exit_code != 0
    assert shell("echo 1 > /sys/class/net/rail0/new").exit_code != 0
    assert shell("echo 9000 > /sys/class/net/rail0/mtu").exit_code != 0


def test_a_reloaded_driver_has_forgotten_everything_volatile(state, shell) -> None:
    shell("echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class")
    shell("dcb pfc set dev rail0 prio-pfc all:off 3:on")
    shell("mlxconfig -d 0000:00:10.0 -y set DCBX_WILLING_P1=0")
    host("reload", str(state))
    assert shell("cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class").stdout == ""
    assert "true" not in shell("dcb -j pfc show dev rail0").stdout.replace("macsec_bypass", "")
    assert "False(0)" in shell("mlxconfig -d 0000:00:10.0 q").stdout.partition("DCBX_WILLING_P1")[2].splitlines()[0]


@pytest.mark.needs("root")
def test_a_virtual_function_shows_ecn_and_lets_nobody_write(tmp_path) -> None:
    folder = tmp_path / "vf"
    host("make", str(folder), "rail0=0000:00:10.0", "--vf")
    host("up", str(folder))
    try:
        file = folder / "root/sys/class/net/rail0/ecn/roce_np/enable/3"
        assert file.read_text() == "1\n"
        with pytest.raises(PermissionError):
            file.write_text("0")
    finally:
        host("down", str(folder))


def test_a_physical_function_links_to_its_virtual_ones_and_takes_no_other_number_before_none(shell) -> None:
    """Linux drivers/pci/iov.c: EBUSY while there are any, ERANGE beyond sriov_totalvfs."""
    device = "/sys/class/net/rail0/device"
    assert shell(f"ls {device}").stdout.split() == ["driver", "sriov_numvfs"]
    assert shell(f"echo 2 > {device}/sriov_numvfs").exit_code == 0
    assert shell(f"cd {device}; readlink virtfn*").stdout.split() == ["../0000:00:10.2", "../0000:00:10.3"]
    assert "Device or resource busy" in shell(f"echo 3 > {device}/sriov_numvfs").stderr
    assert shell(f"echo 0 > {device}/sriov_numvfs; ls {device}").stdout.split() == ["driver", "sriov_numvfs"]
    assert "out of range" in shell(f"echo 5 > {device}/sriov_numvfs").stderr


@pytest.mark.parametrize("name", ["inbox_mlx5", "doca_ofed", "locked_down"])
def test_a_state_says_of_which_recordings_it_is_made_and_where_each_is_from(name: str) -> None:
    described = json.loads((HERE / "states" / f"{name}.json").read_text())
    assert described["label"].startswith("composite: ")
    for part in described["made_of"]:
        tool, _, transcript = part["recorded"].partition("/")
        source = sources_of(tool)[transcript]["source"]
        assert part["repository"] in source
        if part["commit"] != "a thread, no file":
            assert len(part["commit"]) == 40
            assert part["commit"][:12] in source
    rows = {row[0]: row[2] for row in firmware_rows() if row[0].endswith("_P1")}
    assert {f"{setting}_P1": value for setting, value in described["nic"]["firmware"].items()} == rows


def firmware_rows() -> list[list[str]]:
    (call,) = read_transcript("mlxconfig/query_three_columns.txt")
    return [words for words in map(str.split, call.stdout.splitlines()) if len(words) == 4 and "_P" in words[0]]


@pytest.fixture
def named(tmp_path):
    """The name of a state -> its folder, served."""
    require("root")
    made = []

    def make(name: str) -> Path:
        made.append(tmp_path / name)
        host("make", str(made[-1]), "rail0=0000:00:10.0", "--state", name)
        host("up", str(made[-1]))
        return made[-1]

    yield make
    for each in made:
        host("down", str(each))


def test_the_kernels_own_mlx5_has_debugfs_and_neither_ecn_nor_tc(named) -> None:
    root = named("inbox_mlx5") / "root"
    assert not (root / "sys/class/net/rail0/ecn").exists()
    assert not (root / "sys/class/infiniband/mlx5_0/tc").exists()
    assert (root / "sys/kernel/security/lockdown").read_text() == "[none] integrity confidentiality\n"
    folder = root / "sys/kernel/debug/mlx5/0000:00:10.0/cc_params"
    calls = read_transcript("kernel/debugfs_mlx5_cc_params.txt")
    assert sorted(each.name for each in folder.iterdir()) == calls[0].stdout.split()
    for call in calls[1:]:
        words = call.command.split()
        file = folder / Path(words[-1]).name
        if words[0] == "echo":
            file.write_text(words[1] + "\n")
        else:
            assert file.read_text() == call.stdout


def test_under_lockdown_debugfs_cannot_be_read_and_the_device_not_opened(named, tmp_path) -> None:
    state = named("locked_down")
    recorded = read_transcript("mlxconfig/locked_down.txt")
    assert (state / "root/sys/kernel/security/lockdown").read_text() == recorded[0].stdout
    with pytest.raises(PermissionError):
        (state / "root/sys/kernel/debug/mlx5/0000:00:10.0/cc_params/np_cnp_dscp").read_text()
    done = subprocess.run(
        [state / "bin/mstconfig", "-d", "0000:00:10.0", "query"],
        env={**os.environ, "GPUFABRIC_STANDIN": str(state)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (recorded[2].exit_code, recorded[2].stdout)
    assert not (state / "bin/mlnx_qos").exists(), "it comes with NVIDIA's packages"

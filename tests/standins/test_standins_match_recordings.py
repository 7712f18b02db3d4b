"""Each stand-in gets the recorded command lines in their order and has to say what the real tool said, to the byte."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "recorded"))
from nic_state import CARDS, FACTORY_FIRMWARE, factory, write_nic  # noqa: E402
from transcripts import Call, read_transcript  # noqa: E402


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.fixture
def run(state):
    """Command line -> the call, by the stand-in of that name."""
    state.mkdir()

    def run(command: str) -> Call:
        tool, *words = shlex.split(command)
        environment = {**os.environ, "GPUFABRIC_STANDIN": str(state), "COLUMNS": "80"}
        done = subprocess.run(
            [sys.executable, "-S", HERE / "bin" / tool, *words],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            env=environment,
        )
        return Call(command, done.stdout, done.stderr, done.returncode)

    return run


def replay(run, name: str) -> None:
    calls = read_transcript(name)
    assert [run(call.command) for call in calls] == calls


DCB = ("pfc", "ets", "app", "buffer", "dcbx", "whole_policy")


@pytest.mark.parametrize("name", DCB)
def test_dcb_says_what_dcb_said(state, run, name: str) -> None:
    write_nic(state, "dcbsim0", factory("memory"))
    replay(run, f"dcb/{name}.txt")


def test_dcb_does_not_hear_of_a_driver_that_refuses_pfc(state, run) -> None:
    pfc = [False, False, False, True, False, False, False, False]
    write_nic(state, "refusing0", factory("memory", pfc=pfc, delay=32, refuses=["pfc"]))
    replay(run, "dcb/pfc_refused_by_driver.txt")


def test_dcb_does_not_hear_of_a_driver_that_refuses_ets(state, run) -> None:
    write_nic(state, "refusing0", factory("memory"))
    replay(run, "dcb/ets_refused_by_driver.txt")


def test_dcb_on_a_nic_without_dcb(state, run) -> None:
    write_nic(state, "eth0", factory("virtio_net"))
    replay(run, "dcb/no_dcb_driver.txt")


def test_ethtool_on_virtio(state, run) -> None:
    write_nic(state, "eth0", factory("virtio_net"))
    replay(run, "ethtool/virtio_net.txt")


def test_mlnx_qos_of_a_new_nic_and_after_trust_dscp(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core"))
    replay(run, "mlnx_qos/factory.txt")
    assert run("mlnx_qos -i ens6 --trust dscp").stdout == read_transcript("mlnx_qos/trust_dscp.txt")[0].stdout
    replay(run, "mlnx_qos/trust_dscp.txt")


def test_mlnx_qos_with_a_moved_code_point_and_back_to_pcp(state, run) -> None:
    sizes = [80256, 80256, 896, 80256, 896, 896, 896, 896]
    nic = factory("mlx5_core", buffer_bytes=sizes, priority_buffer=[0, 2, 5, 7, 1, 2, 3, 6])
    write_nic(state, "ens14f0", nic)
    run("mlnx_qos -i ens14f0 --trust dscp")
    run("mlnx_qos -i ens14f0 --dscp2prio set,30,6")
    replay(run, "mlnx_qos/pfc_and_moved_code_point.txt")


def test_mlnx_qos_bad_arguments(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core"))
    replay(run, "mlnx_qos/bad_arguments.txt")


def test_mlnx_qos_without_dcb(state, run) -> None:
    write_nic(state, "vlan401", factory("virtio_net"))
    replay(run, "mlnx_qos/not_supported.txt")


def test_mlnx_qos_is_refused_trust_while_the_firmware_owns_dcbx(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core", dcbx=["cee", "ieee"]))
    replay(run, "mlnx_qos/trust_refused.txt")
    assert run("mlnx_qos -i ens6 -d os --trust dscp").exit_code == 0


def test_the_last_code_point_deleted_gives_trust_pcp(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core", app=[[26, 3]]))
    assert "trust state: dscp" in run("mlnx_qos -i ens6").stdout
    assert "trust state: pcp" in run("mlnx_qos -i ens6 --dscp2prio del,26,3").stdout
    run("mlnx_qos -i ens6 --trust dscp")
    assert "trust state: pcp" in run("mlnx_qos -i ens6 --dscp2prio flush").stdout


def test_cable_length_alone_turns_pfc_off(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core", pfc=[False, False, False, True, False, False, False, False]))
    run("mlnx_qos -i ens6 --cable_len 5")
    nic = json.loads((state / "nics/ens6.json").read_text())
    assert (nic["pfc"], nic["delay"], nic["link_flaps"]) == ([False] * 8, 5, 1)


def test_dcb_replace_on_mlx5_takes_and_exits_1(state, run) -> None:
    """The driver has removed the entry that dcb then wants to remove."""
    write_nic(state, "ens6", factory("mlx5_core", app=[[26, 0]]))
    done = run("dcb app replace dev ens6 dscp-prio 26:3")
    assert (done.exit_code, done.stderr) == (1, "Attribute write: No such file or directory\n")
    assert run("dcb -j app show dev ens6").stdout == '{"dscp_prio":[[26,3]]}\n'


def test_a_pfc_change_on_mlx5_takes_the_link_down_and_the_same_again_does_not(state, run) -> None:
    write_nic(state, "ens6", factory("mlx5_core"))
    for _ in range(2):
        run("dcb pfc set dev ens6 prio-pfc all:off 3:on")
    assert json.loads((state / "nics/ens6.json").read_text())["link_flaps"] == 1


def test_mlxconfig_names_values_and_columns_are_as_recorded(state, run) -> None:
    write_nic(state, "rail0", factory("mlx5_core"))
    recorded = read_transcript("mlxconfig/query.txt")[0].stdout.splitlines()
    rows = [line for line in run("mlxconfig -d 0000:00:10.0 q").stdout.splitlines() if "_P1" in line]
    assert set(rows) <= set(recorded)
    assert len(rows) == 9
    three = read_transcript("mlxconfig/query_three_columns.txt")[0].stdout.splitlines()
    shown = run("mlxconfig -d 0000:00:10.0 -e q").stdout.splitlines()
    assert [line for line in shown if "LLDP_NB_DCBX_P1" in line] == [line for line in three if "DCBX_P1" in line]


def test_mlxconfig_set_holds_at_the_next_boot_only(state, run) -> None:
    write_nic(state, "rail0", factory("mlx5_core"))
    done = run("mlxconfig -d 0000:00:10.0 -y set DCBX_WILLING_P1=0 CNP_DSCP_P1=46")
    assert done.stdout.endswith("Applying... Done!\n-I- Please reboot machine to load new configurations.\n")
    row = next(line for line in run("mlxconfig -d 0000:00:10.0 -e q").stdout.splitlines() if "WILLING" in line)
    assert row.split() == ["DCBX_WILLING_P1", "True(1)", "True(1)", "False(0)"]


def test_rows_of_a_card_with_more_settings_are_as_recorded(state, run) -> None:
    firmware = {**FACTORY_FIRMWARE, **CARDS["bluefield3"]}
    write_nic(state, "rail0", factory("mlx5_core", factory_firmware=firmware))
    shown = {tuple(line.split()) for line in run("mstconfig -d 0000:00:10.0 q").stdout.splitlines()}
    recorded = read_transcript("mlxconfig/query_bluefield3.txt")[0].stdout.splitlines()
    rows = {tuple(words) for words in map(str.split, recorded) if len(words) == 2 and words[0] in firmware}
    assert rows <= shown
    assert len(rows) == 6


def test_a_register_is_shown_and_set_as_recorded_and_a_reset_forgets_it(state, run) -> None:
    nic = factory("mlx5_core", pci="0000:01:00.1")
    nic["roce_accl"]["adaptive_routing_forced_en"] = 1
    write_nic(state, "rail0", nic)
    replay(run, "mlxreg/roce_accl.txt")
    done = run("mstreg -d 01:00.1 --reg_name ROCE_ACCL --set adaptive_routing_forced_en=0x0 --yes")
    recorded = read_transcript("mlxreg/roce_accl_set.txt")[0]
    assert done.stdout.splitlines()[0] == recorded.stdout.splitlines()[0]
    assert done.stdout.splitlines()[-3:] == recorded.stdout.splitlines()[-3:]
    assert json.loads((state / "nics/rail0.json").read_text())["roce_accl"]["adaptive_routing_forced_en"] == 0
    run("mstreg -d 01:00.1 --reg_name ROCE_ACCL --set adaptive_routing_forced_en=0x1 --yes")
    run("mstfwreset -d 0000:01:00.1 -y reset")
    assert json.loads((state / "nics/rail0.json").read_text())["roce_accl"]["adaptive_routing_forced_en"] == 0


def test_a_register_of_what_is_not_there_cannot_be_read(state, run) -> None:
    (state / "nics").mkdir()
    replay(run, "mlxreg/no_device.txt")


def test_a_reset_says_what_it_said_and_brings_in_what_was_set(state, run) -> None:
    write_nic(state, "rail0", factory("mlx5_core", pci="0000:04:00.0"))
    run("mlxconfig -d 0000:04:00.0 -y set CNP_DSCP_P1=46")
    replay(run, "mlxfwreset/reset.txt")
    assert json.loads((state / "nics/rail0.json").read_text())["firmware"]["CNP_DSCP"] == "46"


def test_mstconfig_cannot_open_what_is_not_there(state, run) -> None:
    recorded = next(call for call in read_transcript("mlxconfig/mstconfig.txt") if " q " in call.command)
    (state / "nics").mkdir()
    done = run("mstconfig -d 0000:00:10.0 q")
    assert (done.stdout + done.stderr, done.exit_code) == (recorded.stdout + recorded.stderr, recorded.exit_code)


@pytest.mark.parametrize(
    "command",
    [
        "dcb maxrate set dev ens6 tc-maxrate 3:1Gbit",
        "dcb app add dev ens6 default-prio 2",
        "dcb pfc set dev ens6 macsec-bypass on",
        "mlnx_qos -i ens6 --ratelimit 1,1,1,1,1,1,1,1",
        "mlnx_qos -i ens6 -a",
        "ethtool -G ens6 rx 512",
        "ethtool -A ens6 rx on tx on",
        "mlxconfig -d 0000:00:10.0 -y set NUM_OF_VFS=8",
        "mlxconfig -d 0000:00:10.0 set CNP_DSCP_P1=48",
        "ibv_devinfo",
        "modprobe nvidia",
    ],
)
def test_what_nobody_recorded_is_refused(state, run, command: str) -> None:
    write_nic(state, "ens6", factory("mlx5_core"))
    done = run(command)
    assert done.exit_code == 64
    assert done.stderr.startswith("stand-in: not recorded: ")


def test_a_card_answers_each_of_many_that_ask_at_once(state, run) -> None:
    write_nic(state, "rail0", factory("mlx5_core"))
    commands = ["mlxreg -d 0000:00:10.0 --reg_name ROCE_ACCL --get"] * 60
    with ThreadPoolExecutor(6) as pool:
        assert {(call.exit_code, call.stderr) for call in pool.map(run, commands)} == {(0, "")}

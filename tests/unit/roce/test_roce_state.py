"""The reader says what is there, and where it cannot, why: a tool that fails is a reason and never a default."""

from __future__ import annotations

from pathlib import Path

import pytest
from roce_parse import ABSENT, CONFLICT, UNREADABLE
from roce_run import Answer, run_command
from roce_state import KNOBS, RailReader, read_rails
from transcripts import read_transcript, stdout_of

MISSING = Answer(127, "", "not there")
PFC_3 = [False, False, False, True, False, False, False, False]


def recorded(name: str, command: str) -> Answer:
    """The last time this command stands in the transcript."""
    call = [call for call in read_transcript(name) if call.command == command][-1]
    return Answer(call.exit_code, call.stdout, call.stderr)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The files of one mlx5 rail as MLNX_OFED has them, never touched by anybody."""
    net = tmp_path / "sys/class/net/rail0"
    device = tmp_path / "sys/devices/pci0000:00/0000:00:10.0"
    driver = tmp_path / "sys/bus/pci/drivers/mlx5_core"
    rdma = tmp_path / "sys/class/infiniband/mlx5_0"
    for folder in (net, device, driver, rdma / "ports/1/gid_attrs/ndevs", rdma / "tc/1"):
        folder.mkdir(parents=True)
    (net / "device").symlink_to(device)
    (device / "driver").symlink_to(driver)
    (net / "mtu").write_text("9000\n")
    (rdma / "ports/1/gid_attrs/ndevs/0").write_text("rail0\n")
    (rdma / "tc/1/traffic_class").write_text("")
    for point in ("roce_np", "roce_rp"):
        (net / "ecn" / point / "enable").mkdir(parents=True)
        for priority in range(8):
            (net / "ecn" / point / "enable" / str(priority)).write_text("1\n")
    (net / "ecn/roce_np/cnp_dscp").write_text("48\n")
    (net / "ecn/roce_np/cnp_802p_prio").write_text("6\n")
    return tmp_path


def reader(root: Path, answers: dict[str, Answer], backend: str = "auto") -> RailReader:
    """``answers`` by command line; any other program is not installed."""
    return RailReader("rail0", lambda argv: answers.get(" ".join(argv), MISSING), root, backend)


MLNX_QOS = "mlnx_qos -i rail0"


def test_who_it_is(root: Path) -> None:
    found = reader(root, {})
    assert (found.driver, found.rdma_device, found.rdma_port) == ("mlx5_core", "mlx5_0", 1)


def test_what_dcb_shows_is_taken_where_there_is_only_dcb(root: Path) -> None:
    answers = {"dcb -j pfc show dev rail0": recorded("dcb/pfc.txt", "dcb -j pfc show dev dcbsim0")}
    reading = reader(root, answers).read("pfc")
    assert (reading.value, reading.source, reading.reason) == (PFC_3, "dcb", "")
    assert reading.shown_by == "dcb pfc show dev rail0"


def test_what_mlnx_qos_shows_is_taken_where_there_is_no_dcb(root: Path) -> None:
    answers = {MLNX_QOS: recorded("mlnx_qos/trust_dscp.txt", "mlnx_qos -i ens6")}
    reading = reader(root, answers).read("dscp_to_priority")
    assert (reading.value, reading.source) == ([dscp // 8 for dscp in range(64)], "mlnx_qos")
    assert reading.shown_by == MLNX_QOS


def test_neither_tool_is_unreadable_and_names_both(root: Path) -> None:
    reading = reader(root, {}).read("trust")
    assert (reading.value, reading.source) == (None, UNREADABLE)
    assert reading.reason == "dcb is not installed; mlnx_qos is not installed"


def test_two_tools_that_disagree_are_a_conflict_with_both_values(root: Path) -> None:
    answers = {
        "dcb -j pfc show dev rail0": recorded("dcb/pfc.txt", "dcb -j pfc show dev dcbsim0"),
        MLNX_QOS: recorded("mlnx_qos/factory.txt", "mlnx_qos -i ens6"),
    }
    reading = reader(root, answers).read("pfc")
    assert (reading.value, reading.source) == (None, CONFLICT)
    assert "dcb says [False, False, False, True" in reading.reason
    assert "mlnx_qos says [False, False, False, False" in reading.reason
    assert reader(root, answers, "mlnx_qos").read("pfc").value == [False] * 8


def test_what_mlnx_qos_does_not_list_is_no_disagreement(root: Path) -> None:
    ets = (
        '{"willing":false,"tc_bw":[50,0,0,50,0,0,0,0],"prio_tc":[0,0,0,3,0,0,6,0],'
        '"tc_tsa":["ets","ets","strict","ets","strict","strict","vendor","strict"]}'
    )
    answers = {
        "dcb -j ets show dev rail0": Answer(0, ets),
        MLNX_QOS: recorded("mlnx_qos/firmware_controlled.txt", "mlnx_qos -i mce0"),
    }
    reading = reader(root, answers).read("ets")
    assert reading.source == "dcb"
    assert reading.value["tc_tsa"][1] == "ets"


def test_a_nic_without_dcb_is_absent_in_the_words_of_the_tools(root: Path) -> None:
    answers = {
        "dcb -j pfc show dev rail0": recorded("dcb/no_dcb_driver.txt", "dcb pfc show dev eth0"),
        MLNX_QOS: recorded("mlnx_qos/not_supported.txt", "mlnx_qos -i vlan401"),
    }
    reading = reader(root, answers).read("pfc")
    assert (reading.value, reading.source) == (None, ABSENT)
    assert "Operation not supported" in reading.reason
    assert "not supported on your system" in reading.reason


def test_a_driver_without_dcb_is_the_reason_and_not_the_tool_that_is_missing_too(root: Path) -> None:
    answers = {"dcb -j pfc show dev rail0": recorded("dcb/no_dcb_driver.txt", "dcb pfc show dev eth0")}
    reading = reader(root, answers).read("pfc")
    assert (reading.source, "mlnx_qos" in reading.reason) == (ABSENT, False)


def test_two_priorities_of_one_code_point_are_a_conflict_and_trust_is_still_read(root: Path) -> None:
    answers = {"dcb -j app show dev rail0": Answer(0, '{"dscp_prio":[[26,3],[26,4],[48,6]]}\n')}
    found = reader(root, answers)
    assert found.read("dscp_to_priority").source == CONFLICT
    assert found.read("dscp_to_priority").reason == "code point 26 has two priorities: 3 and 4"
    assert found.read("trust").value == "dscp"


@pytest.mark.parametrize("text", ["", "{", '{"prio_pfc":[true]}', '{"prio_pfc":"3"}', "[]", '{"delay":0}'])
def test_an_answer_nobody_understands_is_unreadable_and_no_default(root: Path, text: str) -> None:
    reading = reader(root, {"dcb -j pfc show dev rail0": Answer(0, text)}).read("pfc")
    assert (reading.value, reading.source) == (None, UNREADABLE)
    assert "what dcb shows is not understood" in reading.reason


def test_a_tool_that_hangs_is_unreadable(root: Path) -> None:
    answers = {"ethtool -a rail0": Answer(124, "", "no answer within 30 s")}
    reading = reader(root, answers).read("pause_rx")
    assert (reading.value, reading.source, reading.reason) == (
        None,
        UNREADABLE,
        "ethtool -a rail0: no answer within 30 s",
    )


def test_global_pause_of_a_nic_that_has_none_is_absent(root: Path) -> None:
    answers = {"ethtool -a rail0": recorded("ethtool/virtio_net.txt", "ethtool -a eth0")}
    assert reader(root, answers).read("pause_tx").source == ABSENT


def test_a_traffic_class_never_set_says_so_and_is_not_absent(root: Path) -> None:
    reading = reader(root, {}).read("traffic_class")
    assert (reading.value, reading.source) == (None, "sysfs")
    assert reading.reason.startswith("never set")
    set_to = stdout_of("kernel/sysfs_mlx5_traffic_class.txt", "cat /sys/class/infiniband/mlx5_2/tc/1/traffic_class")
    assert set_to == ""


def test_without_nvidias_modules_the_traffic_class_is_absent(root: Path) -> None:
    (root / "sys/class/infiniband/mlx5_0/tc/1/traffic_class").unlink()
    reading = reader(root, {}).read("traffic_class")
    assert (reading.value, reading.source) == (None, ABSENT)
    assert "it comes with NVIDIA's mlx5 modules" in reading.reason


def test_another_driver_has_no_congestion_control_to_read(root: Path) -> None:
    (root / "sys/class/net/rail0/ecn").rename(root / "elsewhere")
    (root / "sys/bus/pci/drivers/virtio_net").mkdir()
    link = root / "sys/devices/pci0000:00/0000:00:10.0/driver"
    link.unlink()
    link.symlink_to(root / "sys/bus/pci/drivers/virtio_net")
    for knob in ("ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority"):
        assert reader(root, {}).read(knob).source == ABSENT


def test_the_kernels_mlx5_is_asked_by_debugfs_and_else_by_the_firmware(root: Path) -> None:
    (root / "sys/class/net/rail0/ecn").rename(root / "elsewhere")
    query = recorded("mlxconfig/query_three_columns.txt", "mstconfig -e -d 0000:19:00.0 q")
    found = reader(root, {"mstconfig -d 0000:00:10.0 -e q": query})
    assert (found.read("ecn_np").value, found.read("ecn_np").source) == ([True] * 8, "firmware")
    assert (found.read("cnp_dscp").value, found.read("cnp_dscp").source) == (48, "firmware")
    folder = root / "sys/kernel/debug/mlx5/0000:00:10.0/cc_params"
    folder.mkdir(parents=True)
    for name, value in {"np_cnp_dscp": 46, "np_cnp_prio": 5, "np_cnp_prio_mode": 0}.items():
        (folder / name).write_text(f"{value}\n")
    found = reader(root, {})
    assert (found.read("cnp_dscp").value, found.read("cnp_priority").value) == (46, 5)
    assert found.read("cnp_dscp").shown_by == "/sys/kernel/debug/mlx5/0000:00:10.0/cc_params/np_cnp_dscp"


def test_without_rdma_cm_its_defaults_are_unreadable_and_the_remedy_is_named(root: Path) -> None:
    reading = reader(root, {}).read("rdma_cm_tos")
    assert (reading.value, reading.source) == (None, UNREADABLE)
    assert "load rdma_cm" in reading.reason


def test_the_folder_made_for_reading_rdma_cm_is_gone_afterwards(root: Path) -> None:
    """A plain folder stays empty, so there is nothing to read; what matters is that it is not left."""
    base = root / "sys/kernel/config/rdma_cm"
    base.mkdir(parents=True)
    assert reader(root, {}).read("rdma_cm_tos").source == UNREADABLE
    assert list(base.iterdir()) == []


def test_a_folder_of_somebody_else_is_read_and_left(root: Path) -> None:
    port = root / "sys/kernel/config/rdma_cm/mlx5_0/ports/1"
    port.mkdir(parents=True)
    (port / "default_roce_tos").write_text("106\n")
    (port / "default_roce_mode").write_text("RoCE v2\n")
    found = reader(root, {})
    assert (found.read("rdma_cm_tos").value, found.read("rdma_cm_mode").value) == (106, "RoCE v2")
    assert port.is_dir()


def test_an_interface_without_rdma_device_has_no_rdma_knobs(root: Path) -> None:
    (root / "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0").write_text("rail1\n")
    reading = reader(root, {}).read("active_mtu")
    assert (reading.source, reading.value) == (ABSENT, None)
    assert "no RDMA device" in reading.reason


def test_each_program_is_asked_once(root: Path) -> None:
    commands: list[str] = []

    def run(argv):
        commands.append(" ".join(argv))
        return MISSING

    RailReader("rail0", run, root).facts()
    assert len(commands) == len(set(commands))
    assert len(commands) == 8  # five of dcb, and mlnx_qos, ethtool, ibv_devinfo


def test_facts_of_a_rail_that_is_not_there_are_all_none_with_the_reason(root: Path) -> None:
    facts = read_rails(("rail7",), lambda argv: MISSING, root)["rail7"]
    assert facts["netdev"] is None
    assert {knob: facts[knob] for knob in KNOBS} == dict.fromkeys(KNOBS)
    assert set(facts["source"].values()) == {ABSENT}
    assert set(facts["reason"].values()) == {"there is no interface rail7"}


def test_every_knob_has_a_source_and_every_none_a_reason(root: Path) -> None:
    facts = reader(root, {}).facts()
    assert set(facts["source"]) == set(facts["shown_by"]) == set(KNOBS)
    assert [knob for knob in KNOBS if facts[knob] is None and knob not in facts["reason"]] == []
    assert all(facts["shown_by"].values())


def test_an_unknown_knob_is_a_mistake_of_ours(root: Path) -> None:
    with pytest.raises(KeyError):
        reader(root, {}).read("pfcs")


def test_the_real_runner_tells_a_missing_program_from_a_failing_one() -> None:
    assert run_command(("no-such-program-here",)).exit_code == 127
    assert run_command(("sh", "-c", "echo out; echo err >&2; exit 3")) == Answer(3, "out\n", "err\n")

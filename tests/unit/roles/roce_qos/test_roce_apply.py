"""Rails brought to the policy, by the real code against the stand-ins' executables and a tree of mlx5's files."""

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import STANDINS, policy_values
from make_rail_host import make_rail_host
from roce_apply import apply
from roce_host import Host
from roce_policy import read_policy
from roce_report import Report

RAILS = ["rail0"]
EVERY_KNOB = [
    "dscp_to_priority",
    "trust",
    "pfc",
    "ets",
    "pause_rx",
    "pause_tx",
    "cable_m",
    "rdma_cm_tos",
    "ecn_np",
    "ecn_rp",
    "cnp_dscp",
    "cnp_priority",
]


@dataclass
class RailHost:
    """A host made of files and stand-ins."""

    root: Path
    state: Path

    def apply(self, *, check: bool = False, **changed: Any) -> Report:
        values = policy_values(**{"rails": RAILS, **changed})
        return apply(read_policy(values), Host(root=self.root), check=check)

    def nic(self, rail: str, **changed: Any) -> dict[str, Any]:
        path = self.state / "nics" / f"{rail}.json"
        nic: dict[str, Any] = json.loads(path.read_text()) | changed
        path.write_text(json.dumps(nic))
        return nic

    def file(self, path: str) -> Path:
        return self.root / path

    def calls(self) -> list[str]:
        log = self.state / "calls.log"
        calls = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return calls

    def sets(self) -> list[str]:
        asks = re.compile(r"dcb -j \w+ show|ethtool -a|mlnx_qos -i \w+$|mlxconfig .* q$")
        return [call for call in self.calls() if not asks.match(call)]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RailHost:
    """As it comes."""
    return new_host(tmp_path, monkeypatch)


@pytest.fixture
def brought(host: RailHost, tmp_path_factory: pytest.TempPathFactory) -> RailHost:
    """As the policy says. Brought there once, and copied for each test: a run calls forty programs."""
    kept = tmp_path_factory.getbasetemp() / "brought"
    if not kept.exists():
        host.apply(backend="dcb")
        shutil.copytree(host.root.parent, kept, symlinks=True)
    for each in (host.root, host.state):
        shutil.rmtree(each)
        shutil.copytree(kept / each.name, each, symlinks=True)
    host.calls()
    return host


def new_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **how: Any) -> RailHost:
    found = RailHost(tmp_path / "host", tmp_path / "state")
    monkeypatch.setenv("PATH", f"{STANDINS / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("GPUFABRIC_STANDIN", str(found.state))
    make_rail_host(found.root, found.state, RAILS, **how)
    return found


def knobs(report: Report, rail: str = "rail0") -> list[str]:
    return [change.knob for change in report.changes if change.rail == rail]


def words(report: Report) -> list[tuple[str, str, str, str]]:
    return [(change.rail, change.knob, change.found, change.wanted) for change in report.changes]


@pytest.mark.parametrize("backend", ["dcb", "mlnx_qos"])
def test_a_factory_nic_is_brought_to_the_policy_and_left_alone_after_that(host: RailHost, backend: str) -> None:
    report = host.apply(backend=backend)
    assert not report.failures
    assert knobs(report) == EVERY_KNOB
    nic = host.nic("rail0")
    assert sorted(nic["app"]) == [[dscp, {26: 3, 48: 6}.get(dscp, 0)] for dscp in range(64)]
    assert nic["pfc"] == [False, False, False, True, False, False, False, False]
    assert (nic["prio_tc"], nic["delay"], nic["pause"]) == ([0, 0, 0, 3, 0, 0, 6, 0], 5, [False, False])
    assert [nic["tc_tsa"][tc] for tc in (0, 3, 6)] == ["ets", "ets", "strict"]
    assert [nic["tc_bw"][tc] for tc in (0, 3, 6)] == [40, 60, 0]
    assert host.file("sys/class/net/rail0/ecn/roce_np/enable/3").read_text() == "1\n"
    assert host.file("sys/class/net/rail0/ecn/roce_np/cnp_dscp").read_text() == "48\n"
    assert host.file("sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos").read_text() == "106\n"
    assert nic["link_flaps"] == 1, "only the change of PFC may take the port down"

    host.calls()
    again = host.apply(backend="auto")
    assert not again.changes, "dcb and mlnx_qos show the same"
    assert not again.failures
    assert not host.sets()
    assert host.nic("rail0") == nic


@pytest.mark.parametrize("backend", ["dcb", "mlnx_qos"])
def test_check_mode_says_what_a_run_does_and_does_nothing(host: RailHost, backend: str) -> None:
    before = host.nic("rail0")
    report = host.apply(backend=backend, check=True)
    assert not host.sets()
    assert host.nic("rail0") == before
    assert words(report) == words(host.apply(backend=backend))
    assert ("rail0", "pfc", "off", "on for 3") in words(report)


@pytest.mark.parametrize("backend", ["dcb", "mlnx_qos"])
def test_drift_is_told_exactly_and_repaired(brought: RailHost, backend: str) -> None:
    nic = brought.nic("rail0")
    app = [each if each[0] != 26 else [26, 0] for each in nic["app"]]
    brought.nic("rail0", app=app, pause=[True, False])
    brought.file("sys/class/net/rail0/ecn/roce_rp/enable/3").write_text("0\n")
    report = brought.apply(backend=backend, check=True)
    assert words(report) == [
        ("rail0", "dscp_to_priority", "48 to 6, others to 0", "26 to 3, 48 to 6, others to 0"),
        ("rail0", "pause_rx", "on", "off"),
        ("rail0", "ecn_rp", "off", "on for 3"),
    ]
    assert words(brought.apply(backend=backend)) == words(report)
    assert sorted(brought.nic("rail0")["app"]) == sorted(nic["app"])


def test_a_set_that_the_driver_refused_without_a_word_fails_by_name(brought: RailHost) -> None:
    host = brought
    host.nic("rail0", refuses=["pfc"], pfc=[False] * 8, pause=[True, True])
    report = host.apply(backend="dcb", cable_m=None)
    assert [str(each) for each in report.failures] == [
        "rail0 pfc: wanted on for 3, found off: dcb pfc set dev rail0 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off "
        "6:off 7:off did not take"
    ]
    assert not knobs(report), "it stops there"
    assert report.not_tried == ["rail0 pause_rx", "rail0 pause_tx"]
    assert report.failure_words().splitlines()[1:] == [
        "Set before that: nothing.",
        "Not tried after that: rail0 pause_rx, rail0 pause_tx.",
    ]


def test_mlnx_qos_never_gets_pfc_without_cable_length_nor_the_reverse(brought: RailHost) -> None:
    host = brought
    host.nic("rail0", pfc=[False] * 8, delay=7)
    host.apply(backend="mlnx_qos", cable_m=None)
    host.apply(backend="mlnx_qos", cable_m=40)
    assert [call.split("--pfc ")[1] for call in host.sets() if "--pfc" in call] == [
        "0,0,0,1,0,0,0,0 --cable_len 7",
        "0,0,0,1,0,0,0,0 --cable_len 40",
    ]
    assert host.nic("rail0")["pfc"][3]


@pytest.mark.parametrize("backend", ["dcb", "mlnx_qos"])
def test_dcbx_is_taken_from_the_firmware_before_trust_is_set(host: RailHost, backend: str) -> None:
    host.nic("rail0", dcbx=[])
    report = host.apply(backend=backend, check=True)
    assert knobs(report) == ["dcbx", *EVERY_KNOB]
    report = host.apply(backend=backend)
    assert not report.failures
    assert knobs(report) == ["dcbx", *EVERY_KNOB]
    assert "host" in host.nic("rail0")["dcbx"]


def test_two_priorities_for_one_code_point_are_cleared_up(brought: RailHost) -> None:
    host = brought
    nic = host.nic("rail0", driver="memory")
    host.nic("rail0", app=[*nic["app"], [26, 4]])
    report = host.apply(backend="dcb", absent_allowed=["traffic_class", "pause_rx", "pause_tx"])
    assert not report.failures
    assert knobs(report) == ["dscp_to_priority"]
    assert sorted(host.nic("rail0")["app"]) == sorted(nic["app"])


def test_a_connectx_without_a_knob_is_left_as_it_is_unless_that_is_allowed(host: RailHost) -> None:
    before = host.nic("rail0")
    report = host.apply(absent_allowed=[])
    assert [(each.knob, each.found) for each in report.failures] == [("traffic_class", "absent")]
    assert "name traffic_class in roce_qos_absent_allowed" in report.failures[0].why
    assert not report.changes
    assert host.nic("rail0") == before
    assert not host.sets()
    assert [each.knob for each in host.apply(check=True).absent] == ["traffic_class"]


def test_what_soft_roce_lacks_is_reported_and_never_faked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = new_host(tmp_path, monkeypatch, driver="virtio_net", ofed=False)
    report = host.apply(absent_allowed=[])
    assert not report.failures
    assert knobs(report) == ["rdma_cm_tos"]
    assert {each.knob for each in report.absent} >= {"pfc", "trust", "ecn_np", "cnp_dscp", "traffic_class", "pause_rx"}
    assert all(" shown on: hardware only" in line for line in report.absent_words())


def test_ecn_off_is_written_not_assumed(brought: RailHost) -> None:
    host = brought
    report = host.apply(ecn=False, traffic_class=104)
    assert knobs(report) == ["rdma_cm_tos", "ecn_np", "ecn_rp"]
    assert host.file("sys/class/net/rail0/ecn/roce_rp/enable/3").read_text() == "0\n"


def test_buffers_are_set_only_when_asked_for(brought: RailHost) -> None:
    host = brought
    sizes, priorities = [200000, 0, 0, 100000, 0, 0, 0, 0], [0, 0, 0, 3, 0, 0, 0, 0]
    report = host.apply(buffer_bytes=sizes, priority_buffer=priorities)
    assert knobs(report) == ["buffer"]
    assert host.nic("rail0")["buffer_bytes"] == sizes


def test_the_verbs_default_is_set_as_the_driver_takes_it(host: RailHost) -> None:
    port = host.file("sys/class/infiniband/mlx5_0/tc/1/traffic_class")
    port.parent.mkdir(parents=True)
    port.write_text("Global tclass=104\n")
    change = next(each for each in host.apply(check=True).changes if each.knob == "traffic_class")
    assert (change.found, change.wanted) == ("104", "106")
    assert change.by == "echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class"


def test_a_rail_without_interface_or_rdma_device_fails_and_is_told_in_check_mode(host: RailHost) -> None:
    host.file("sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0").unlink()
    rails = ["rail0", "rail1"]
    report = host.apply(check=True, rails=rails)
    assert ("rail0", "knobs of the RDMA device", "no RDMA device yet", "as the policy says") in words(report)
    assert ("rail1", "knobs of the interface", "no interface yet", "as the policy says") in words(report)
    assert not report.failures
    report = host.apply(rails=rails)
    assert [(each.rail, each.knob, each.found) for each in report.failures] == [
        ("rail0", "RDMA device", "none"),
        ("rail1", "interface", "none"),
    ]


def test_a_module_that_is_not_loaded_is_told_in_check_mode(host: RailHost) -> None:
    host.file("sys/kernel/config/rdma_cm").rename(host.file("sys/kernel/config/elsewhere"))
    report = host.apply(check=True)
    assert words(report)[0] == ("host", "rdma_cm_module", "not loaded", "loaded")
    assert "rdma_cm_tos" in knobs(report)
    assert not report.failures

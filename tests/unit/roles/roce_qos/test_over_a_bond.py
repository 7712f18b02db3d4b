"""RDMA over a bond: QoS of each member, and what is the RDMA device's once for both."""

from __future__ import annotations

import json

import pytest
from roce_apply import judge, restore
from roce_state import read_rails

MEMBERS = {"data0": "0000:00:10.0", "data1": "0000:00:10.1"}
TWO_NICS = {"data0": "0000:00:10.0", "data1": "0000:00:11.0"}
OF_THE_DEVICE = {"rdma_cm_mode", "rdma_cm_tos", "traffic_class"}


def test_members_are_brought_to_the_policy_and_their_device_is_set_once(state_host) -> None:
    here = state_host("doca_ofed", members=MEMBERS)
    first = here.run(rails=tuple(MEMBERS))
    assert not first.failures
    of_ports = {(each.rail, each.knob) for each in first.changes if each.knob not in OF_THE_DEVICE}
    of_device = [each.knob for each in first.changes if each.knob in OF_THE_DEVICE]
    assert sorted(of_device) == ["rdma_cm_tos", "traffic_class"]
    assert {("data0", "pfc"), ("data1", "pfc"), ("data0", "trust"), ("data1", "trust")} <= of_ports
    assert [here.nic(member)["pfc"][3] for member in MEMBERS] == [True, True]
    found = read_rails(tuple(MEMBERS), root=here.folder / "root")
    for each in found.values():
        assert (each["rdma_device"], each["rdma_port"]) == ("mlx5_bond_0", 1)
        assert (each["traffic_class"], each["rdma_cm_tos"]) == (106, 106)
    again = here.run(rails=tuple(MEMBERS))
    assert not again.failures
    assert not again.changes


def test_the_service_sets_both_again_after_the_driver_was_loaded_anew(state_host) -> None:
    here = state_host("doca_ofed", members=MEMBERS)
    here.run(rails=tuple(MEMBERS))
    for member in MEMBERS:
        here.nic(member, pfc=[False] * 8)
    report = here.run(restore, rails=tuple(MEMBERS))
    assert {each.rail for each in report.changes if each.knob == "pfc"} == set(MEMBERS)
    assert [here.nic(member)["pfc"][3] for member in MEMBERS] == [True, True]


def test_the_kernels_mlx5_shows_the_marking_of_the_first_port_and_the_firmware_that_of_the_second(state_host) -> None:
    here = state_host("inbox_mlx5", members=MEMBERS)
    found = read_rails(tuple(MEMBERS), root=here.folder / "root")
    assert {name: each["source"]["cnp_dscp"] for name, each in found.items()} == {
        "data0": "debugfs",
        "data1": "firmware",
    }
    assert found["data1"]["shown_by"]["cnp_dscp"] == "mstconfig -d 0000:00:10.1 -e q CNP_DSCP_P2"
    report = here.run(rails=tuple(MEMBERS))
    assert not report.failures
    assert not here.run(rails=tuple(MEMBERS)).changes


def test_a_second_port_whose_firmware_marks_otherwise_is_refused_before_anything_is_set(state_host) -> None:
    here = state_host("inbox_mlx5", members=MEMBERS)
    firmware = {**json.loads((here.folder / "nics/data1.json").read_text())["firmware"], "CNP_DSCP": "4"}
    here.nic("data1", firmware=firmware)
    before = here.memory()
    (failure,) = here.run(rails=tuple(MEMBERS)).failures
    assert (failure.rail, failure.knob, failure.found) == ("data1", "cnp_dscp", "4")
    assert "nic_firmware_policy: true" in failure.why
    assert here.memory() == before


@pytest.mark.parametrize("what", ["apply", "judge"])
def test_ports_of_two_nics_are_refused_with_their_places_before_anything_is_set(state_host, what: str) -> None:
    here = state_host("doca_ofed", members=TWO_NICS)
    before = here.memory()
    report = here.run(rails=tuple(TWO_NICS)) if what == "apply" else here.run(judge, rails=tuple(TWO_NICS))
    assert [(each.rail, each.knob) for each in report.failures] == [(each, "RDMA device") for each in TWO_NICS]
    for each in report.failures:
        assert "data0 at 0000:00:10.0, data1 at 0000:00:11.0 are not of one NIC" in each.why
    assert here.memory() == before

"""Whole hosts by their state: the kernel's mlx5, NVIDIA's modules, and one that nobody can judge (tests/standins)."""

from __future__ import annotations

import json

import pytest
from conftest import CC_PARAMS, RAILS, STANDINS
from roce_apply import judge
from roce_run import FIRMWARE_TOOLS
from roce_state import read_rails


@pytest.mark.parametrize("state", ["inbox_mlx5", "doca_ofed"])
def test_a_host_as_it_comes_is_brought_to_the_policy_and_left_alone_after_that(state_host, state: str) -> None:
    here = state_host(state)
    first = here.run()
    assert not first.failures
    assert {each.rail for each in first.changes} == set(RAILS)
    again = here.run()
    assert not again.failures
    assert not again.changes


def test_the_kernels_mlx5_marks_notifications_by_debugfs_and_its_mode_is_read_back(state_host) -> None:
    here = state_host("inbox_mlx5")
    before = read_rails(("rail0",), root=here.folder / "root")["rail0"]
    assert (before["cnp_priority"], before["source"]["cnp_priority"]) == (None, "debugfs")
    assert before["reason"]["cnp_priority"] == "np_cnp_prio_mode is 1, so the priority 6 is not in force"
    report = here.run(cnp_dscp=48)
    changed = {each.knob: each for each in report.changes if each.rail == "rail0"}
    assert changed["cnp_priority"].by == "echo 6 > /sys/kernel/debug/mlx5/0000:00:10.0/cc_params/np_cnp_prio"
    assert (here.cc("np_cnp_prio"), here.cc("np_cnp_prio_mode")) == ("6", "0")
    assert not any("prio_mode" in each.by for each in report.changes), "writing the priority sets the mode"


def test_another_code_point_for_notifications_is_written_and_read_back(state_host) -> None:
    here = state_host("inbox_mlx5")
    (here.folder / CC_PARAMS / "np_cnp_dscp").write_text("4\n")
    report = here.run(check=True)
    assert ("cnp_dscp", "4", "48") in [(each.knob, each.found, each.wanted) for each in report.changes]
    assert not here.run().failures
    assert here.cc("np_cnp_dscp") == "48"


def test_dcqcn_of_the_kernels_mlx5_is_judged_by_the_firmwares_mask_of_priorities(state_host) -> None:
    here = state_host("inbox_mlx5")
    found = read_rails(("rail0",), root=here.folder / "root")["rail0"]
    assert (found["ecn_np"], found["source"]["ecn_np"]) == ([True] * 8, "firmware")
    assert found["shown_by"]["ecn_rp"] == "mstconfig -d 0000:00:10.0 -e q ROCE_CC_PRIO_MASK_P1"
    assert found["firmware"]["settings"]["ROCE_CC_PRIO_MASK"] == {"current": 255, "next_boot": 255}


@pytest.mark.parametrize(("ecn", "mask", "found"), [(True, "16", "on for 4"), (False, "255", "on for 0 1 2 3 4 5 6 7")])
def test_a_mask_that_is_not_the_policys_is_refused_before_anything_is_set(
    state_host, ecn: bool, mask: str, found: str
) -> None:
    firmware = {
        **json.loads((STANDINS / "states/inbox_mlx5.json").read_text())["nic"]["firmware"],
        "ROCE_CC_PRIO_MASK": mask,
    }
    here = state_host("inbox_mlx5", nic={"firmware": firmware, "firmware_next": firmware})
    before = here.memory()
    report = here.run(rails=("rail0",), ecn=ecn, traffic_class=106 if ecn else 104)
    assert [(each.knob, each.found) for each in report.failures] == [("ecn_np", found), ("ecn_rp", found)]
    assert "nic_firmware_policy: true" in report.failures[0].why
    assert here.memory() == before


@pytest.mark.parametrize("state", ["inbox_mlx5", "doca_ofed"])
def test_the_role_writes_nothing_to_the_firmware_even_where_that_is_to_hold_the_policy(state_host, state: str) -> None:
    here = state_host(state)
    before = here.nic("rail0")["firmware_next"]
    assert before["DCBX_WILLING"] == "True(1)", "not as role nic_firmware would have it"
    assert not here.run(firmware=True).failures
    assert here.nic("rail0")["firmware_next"] == before
    assert not [call for tool in FIRMWARE_TOOLS for call in here.calls(tool) if " q" not in call]


def test_a_mask_that_role_nic_firmware_keeps_and_that_waits_for_a_reset_is_no_reason_to_refuse(state_host) -> None:
    firmware = json.loads((STANDINS / "states/inbox_mlx5.json").read_text())["nic"]["firmware"]
    here = state_host("inbox_mlx5", nic={"firmware": {**firmware, "ROCE_CC_PRIO_MASK": "16"}})
    assert not here.run(judge, firmware=True).failures
    assert {each.knob for each in here.run(judge).failures} == {"ecn_np", "ecn_rp"}


def test_a_locked_down_host_is_refused_before_the_first_change_with_what_would_help(state_host) -> None:
    here = state_host("locked_down")
    before = here.memory()
    report = here.run()
    assert {(each.knob, each.found) for each in report.failures} == {
        (knob, "could not tell") for knob in ("ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority")
    }
    for each in report.failures:
        assert "the kernel is locked down (Secure Boot)" in each.why
        assert "mlx5_fwctl" in each.why
        assert "Failed to open the device" in each.why
    assert "np_cnp_dscp: Operation not permitted" in report.failures[2].why
    assert here.memory() == before, "nothing was set, on no rail"
    assert [str(each) for each in here.run(judge).failures] == [str(each) for each in report.failures]


def test_what_cannot_be_told_is_no_knob_that_a_host_may_lack(state_host) -> None:
    here = state_host("locked_down")
    report = here.run(absent_allowed=["traffic_class", "ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority"])
    assert len(report.failures) == 8


def test_without_debugfs_the_firmware_says_how_notifications_are_marked(state_host) -> None:
    here = state_host("inbox_mlx5", nic={"debugfs": False})
    found = read_rails(("rail0",), root=here.folder / "root")["rail0"]
    assert (found["cnp_dscp"], found["cnp_priority"], found["source"]["cnp_dscp"]) == (48, 6, "firmware")
    assert not here.run(rails=("rail0",)).failures
    (each,) = here.run(judge, rails=("rail0",), cnp_dscp=0, cnp_priority=0).failures[:1]
    assert "only the firmware holds it on this host" in each.why


def test_one_rail_that_lacks_something_keeps_all_others_as_they_are(state_host) -> None:
    here = state_host("inbox_mlx5", nic={"locked_down": True})
    before = here.memory()
    report = here.run()
    assert {each.rail for each in report.failures} == {"rail0"}
    assert here.memory() == before, "rail1 could have been set, and was not"


def test_without_a_tool_that_asks_the_firmware_the_package_is_named(state_host) -> None:
    here = state_host("inbox_mlx5")
    (here.folder / "bin/mstconfig").unlink()
    report = here.run(judge, rails=("rail0",))
    assert {each.knob for each in report.failures} == {"ecn_np", "ecn_rp"}
    assert "package mstflint" in report.failures[0].why

"""Boot and link flap: each rail by itself, and the firmware left alone. The role, for comparison, stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import roce_run
from conftest import RAILS, ROOT, policy_values
from roce_apply import judge, restore
from roce_run import FIRMWARE_TOOLS, NO_ANSWER, run_command

SERVICE = ROOT / "roles/roce_qos/files/roce_qos_service.py"
STATES = ["inbox_mlx5", "doca_ofed"]


def service(here, *words: str, rails: tuple[str, ...] = tuple(RAILS)) -> subprocess.Popen:
    """The service as installed, on this host."""
    policy = here.folder / "policy.json"
    policy.write_text(json.dumps(policy_values(rails=list(rails))))
    command = [sys.executable, SERVICE, "apply", "--policy", policy, "--root", here.folder / "root", *words]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/plugins/module_utils"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def changed(report) -> set[tuple[str, str]]:
    return {(each.rail, each.knob) for each in report.changes}


@pytest.mark.parametrize("state", STATES)
def test_a_rail_that_is_not_there_leaves_the_others_with_their_qos(state_host, state: str) -> None:
    here = state_host(state)
    for check in (True, False):
        report = here.run(restore, rails=("rail7", *RAILS), check=check)
        assert [(each.rail, each.knob) for each in report.failures] == [("rail7", "interface")]
    assert {("rail0", "pfc"), ("rail1", "pfc"), ("rail0", "cnp_dscp"), ("rail1", "trust")} - changed(report) <= {
        ("rail0", "cnp_dscp")  # as it comes, where the driver starts with the policy's
    }
    assert not here.run(restore).changes
    assert not here.run().failures, "the role finds these rails as the policy says"


@pytest.mark.parametrize("state", STATES)
def test_a_rail_whose_driver_refuses_is_named_and_the_next_one_is_set(state_host, state: str) -> None:
    here = state_host(state, nic={"refuses": ["pfc"]})
    report = here.run(restore)
    failed = {(each.rail, each.knob) for each in report.failures}
    assert {("rail0", "pfc")} <= failed <= {("rail0", "pfc"), ("rail0", "cable_m")}, "one driver operation sets both"
    assert {("rail0", "pause_rx"), ("rail1", "pfc"), ("rail1", "pause_rx")} <= changed(report)
    assert not report.not_tried


@pytest.mark.parametrize("state", STATES)
def test_the_role_stops_at_a_set_that_did_not_take_and_names_what_it_left(state_host, state: str) -> None:
    here = state_host(state, nic={"refuses": ["pfc"]})
    before = here.nic("rail1")
    report = here.run()
    assert [(each.rail, each.knob) for each in report.failures] == [("rail0", "pfc")]
    assert here.nic("rail1") == before
    assert {"rail0 pause_rx", "rail1 pfc"} <= set(report.not_tried)
    assert "rail1 trust" in report.failure_words().splitlines()[-1]
    set_before = report.failure_words().splitlines()[-2]
    assert set_before.startswith("Set before that: ")
    assert "rail0 dscp_to_priority" in set_before


@pytest.mark.parametrize("state", [*STATES, "locked_down"])
def test_the_service_does_not_even_query_the_firmware(state_host, state: str) -> None:
    here = state_host(state)
    report = here.run(restore)
    assert not report.failures
    assert ("rail1", "pfc") in changed(report)
    assert not [call for tool in FIRMWARE_TOOLS for call in here.calls(tool)]
    unread = {each.partition(":")[0] for each in report.not_queried}
    assert ("rail0 ecn_np" in unread) == (state != "doca_ofed")


def test_only_code_points_and_trust_may_be_unreadable_while_the_firmware_has_dcbx(state_host) -> None:
    here = state_host("inbox_mlx5", nic={"dcbx": []})
    assert not here.run(judge).failures
    (here.folder / "bin/ethtool").unlink()
    dcb = here.folder / "bin/dcb"
    dcb.rename(here.folder / "bin/dcb.real")
    dcb.write_text('#!/bin/sh\ncase " $* " in *" pfc show "*) exit 1;; esac\nexec "${0}.real" "$@"\n')
    dcb.chmod(0o755)
    failed = {(each.rail, each.knob) for each in here.run(judge).failures}
    assert {("rail0", "pfc"), ("rail0", "cable_m"), ("rail1", "pfc")} <= failed
    assert not {knob for _, knob in failed} & {"trust", "dscp_to_priority"}
    assert {("rail0", "pfc")} <= {(each.rail, each.knob) for each in here.run().failures}
    assert not any("dcbx set" in call for call in here.calls("dcb")), "nothing was set"


def test_a_dry_run_on_a_bare_host_says_what_would_be_installed_and_goes_on(state_host) -> None:
    here = state_host("inbox_mlx5")
    (here.folder / "bin/mstconfig").unlink()
    report = here.run(check=True)
    assert not report.failures
    would = {each.knob: each for each in report.changes if each.rail == "rail0"}
    assert would["ecn_np"].by == "rdma_stack would install mstflint; judged after that"
    assert "pfc" in would
    assert not here.run(judge, early=True).failures
    assert here.run(judge).failures, "after rdma_stack it is a reason to refuse"


def test_a_rail_without_its_name_yet_is_judged_early_by_the_name_it_has(state_host) -> None:
    here = state_host("locked_down")
    assert not here.run(judge, early=True, rails=("rail8",)).failures, "nobody knows where it is"
    refused = here.run(judge, early=True, rails=("rial0",), to_be_named=["rail0", "rail1"]).failures
    assert "rail_interfaces_rails gives none this name (it has rail0, rail1)" in str(refused[0]), (
        "a name that nobody gives"
    )
    assert not here.run(judge, early=True, rails=("rail8",), to_be_named=["rail8"]).failures, "rail_interfaces will"
    report = here.run(judge, early=True, rails=("rail8", "rail1"), names_now={"rail8": "rail0", "rail1": "elsewhere"})
    assert {each.rail for each in report.failures} == {"rail0", "rail1"}


@pytest.mark.parametrize("installed", [True, False])
def test_a_locked_down_host_is_refused_early_with_or_without_its_tools(state_host, installed: bool) -> None:
    here = state_host("locked_down")
    if not installed:
        (here.folder / "bin/mstconfig").unlink()
    report = here.run(judge, early=True)
    assert {each.knob for each in report.failures} == {"ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority"}
    assert "mlx5_fwctl" in report.failures[0].why


def test_the_service_restores_the_others_before_it_waits_for_a_dead_nic(state_host) -> None:
    here = state_host("doca_ofed")
    process = service(here, "--wait-s", "60", rails=("rail7", *RAILS))
    until = time.monotonic() + 50
    while not all(here.nic(rail)["pfc"][3] for rail in RAILS) and time.monotonic() < until:
        time.sleep(0.2)
    assert all(here.nic(rail)["pfc"][3] for rail in RAILS)
    assert process.poll() is None, "it waits for the third"
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert err.startswith("rail7 interface: wanted one, found none")
    assert "rail0 pfc: off -> on for 3" in out


def test_a_restart_in_the_middle_lets_the_run_end_first(state_host) -> None:
    here = state_host("doca_ofed")
    process = service(here)
    until = time.monotonic() + 50
    while not any("dcb pfc set" in call for call in here.calls("dcb")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert not here.run(restore).changes


def test_a_tool_that_is_at_the_firmware_is_never_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "mstconfig"
    tool.write_text(
        f"#!/bin/sh\ntrap 'echo killed >{tmp_path}/end; exit 1' TERM INT HUP\nsleep 2\necho $* >{tmp_path}/end\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(roce_run, "FIRMWARE_WAIT_S", 0.5)
    answer = run_command(("mstconfig", "-y", "set"))
    assert answer.exit_code == NO_ANSWER
    assert "not killed, and goes on as process" in answer.stderr
    until = time.monotonic() + 20
    while not (tmp_path / "end").exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert (tmp_path / "end").read_text() == "-y set\n"

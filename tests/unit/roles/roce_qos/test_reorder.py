"""NICs told to accept reordered packets (register ROCE_ACCL): set, read back, set again, or refused first."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import RAILS, ROOT, policy_values
from roce_apply import judge, restore
from roce_policy import PolicyError, read_policy
from roce_register import FIELD, read_fields
from roce_state import read_rails

SERVICE = ROOT / "roles/roce_qos/files/roce_qos_service.py"
STATES = {"inbox_mlx5": "mstreg", "doca_ofed": "mlxreg"}
BOTH = {"reorder_rails": list(RAILS)}


def forced(here) -> list[int]:
    """The field of each rail's NIC."""
    return [here.nic(rail)["roce_accl"][FIELD] for rail in RAILS]


def sets(here) -> list[str]:
    return [line for tool in ("mlxreg", "mstreg") for line in here.calls(tool) if "--set" in line]


def with_register(here, rail: str, **changed: int | None) -> None:
    """Another register of this rail's NIC; None: a field that the tool does not know."""
    fields = {**here.nic(rail)["roce_accl"], **changed}
    here.nic(rail, roce_accl={name: value for name, value in fields.items() if value is not None})


@pytest.mark.parametrize(("state", "tool"), STATES.items())
def test_nics_are_told_once_and_found_so_after_that(state_host, state: str, tool: str) -> None:
    here = state_host(state)
    report = here.run(**BOTH)
    assert not report.failures
    changes = {each.rail: each for each in report.changes if each.knob == "reorder"}
    assert {rail: (each.found, each.wanted) for rail, each in changes.items()} == dict.fromkeys(RAILS, ("off", "on"))
    assert changes["rail0"].by == f"{tool} -d 0000:00:10.0 --reg_name ROCE_ACCL --set {FIELD}=0x1 --yes"
    assert forced(here) == [1, 1]
    again = here.run(**BOTH)
    assert (again.failures, again.changes) == ([], [])
    assert len(sets(here)) == 2


def test_a_nic_that_nobody_wants_to_reorder_is_left_alone_and_not_asked(state_host) -> None:
    here = state_host("doca_ofed")
    assert not here.run(reorder_rails=["rail0"]).failures
    assert forced(here) == [1, 0]
    assert not [line for line in here.calls("mlxreg") if RAILS["rail1"] in line]
    with_register(here, "rail1", **{FIELD: 1})
    assert not here.run(reorder_rails=["rail0"]).changes


@pytest.mark.parametrize("state", STATES)
def test_what_a_reset_forgot_the_service_sets_again_and_asks_no_firmware(state_host, state: str) -> None:
    here = state_host(state)
    here.run(**BOTH)
    subprocess.run(["mstfwreset", "-d", "0000:00:10.0", "-y", "reset"], check=True, capture_output=True, timeout=30)
    assert forced(here) == [0, 1]
    before = len(here.calls("mstconfig") + here.calls("mlxconfig"))
    report = here.run(restore, **BOTH)
    assert not report.failures
    assert ("rail0", "reorder") in {(each.rail, each.knob) for each in report.changes}
    assert forced(here) == [1, 1]
    assert len(here.calls("mstconfig") + here.calls("mlxconfig")) == before


def test_the_service_as_it_is_installed_tells_the_nics(state_host) -> None:
    here = state_host("doca_ofed")
    policy = here.folder / "policy.json"
    policy.write_text(json.dumps(policy_values(**BOTH)))
    command = [sys.executable, SERVICE, "apply", "--policy", policy, "--root", here.folder / "root"]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/plugins/module_utils"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "rail1 reorder: off -> on" in done.stdout
    assert forced(here) == [1, 1]


@pytest.mark.parametrize("early", [True, False], ids=["before other roles", "after them"])
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({f"{FIELD}_field_select": 0}, "the card cannot be told to reorder: adaptive_routing_forced_en_field_select"),
        ({FIELD: None, f"{FIELD}_field_select": None}, "install an mstflint or MFT whose table of registers has it"),
    ],
    ids=["card", "tool"],
)
def test_what_card_or_tool_lacks_is_refused_before_the_first_set(
    state_host, fields: dict[str, int | None], words: str, early: bool
) -> None:
    here = state_host("doca_ofed")
    with_register(here, "rail1", **fields)
    before = here.memory()
    for report in (here.run(judge, early=early, **BOTH), here.run(**BOTH)):
        (failure,) = report.failures
        assert (failure.rail, failure.knob, failure.found) == ("rail1", "reorder", "absent")
        assert words in failure.why
        assert "roce_qos_absent_allowed" not in failure.why, "no site can allow what loses most of the speed"
    assert here.memory() == before


def test_a_locked_down_kernel_is_could_not_tell_with_the_remedy_and_nothing_is_set(state_host) -> None:
    here = state_host("doca_ofed", nic={"locked_down": True})
    before = here.memory()
    report = here.run(judge, **BOTH)
    (failure,) = [each for each in report.failures if each.knob == "reorder"]
    assert failure.found == "could not tell"
    assert "Failed to open device" in failure.why
    here.run(**BOTH)
    assert here.memory() == before


def test_the_state_locked_down_names_secure_boot(state_host) -> None:
    here = state_host("locked_down")
    (first, _) = [each for each in here.run(judge, **BOTH).failures if each.knob == "reorder"]
    assert first.found == "could not tell"
    assert "a kernel with fwctl (mlx5_fwctl)" in first.why


def test_the_fact_is_there_where_it_is_asked_for(state_host) -> None:
    here = state_host("doca_ofed")
    here.run(**BOTH)
    root = here.folder / "root"
    assert "reorder" not in read_rails(("rail0",), root=root)["rail0"]
    found = read_rails(("rail0",), root=root, registers=True)["rail0"]
    assert (found["reorder"], found["source"]["reorder"]) == (True, "mlxreg")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reorder_rails": ["rail7"]}, "roce_qos_reorder_rails: rail7. Each is one of roce_qos_rails: rail0, rail1"),
        ({"absent_allowed": ["reorder"]}, "roce_qos_absent_allowed: reorder. Each is one of rdma_cm_module, "),
    ],
)
def test_a_mistake_in_the_variables_is_named(changed: dict[str, list[str]], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy(policy_values(**changed))
    (problem,) = caught.value.problems
    assert problem.startswith(message)


def test_fields_are_read_as_recorded() -> None:
    text = (ROOT / "tests/recorded/mlxreg/roce_accl.txt").read_text().replace("> ", "")
    fields = read_fields(text)
    assert (fields[FIELD], fields[f"{FIELD}_field_select"], fields["ack_dscp_force"]) == (1, 1, 0)
    assert len(fields) == 19

"""Hosts of a lab that are not there: `validate` names a port whose host was told otherwise, and counts them apart."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from at_terminal import ROOT, Operator

from nornir_tasks.lab.manager import Lab
from nornir_tasks.lab.plan import LabBond, LabHost, LabHostEnd, LabPlan
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.site import load

pytestmark = pytest.mark.xdist_group("played-hosts")

FRONT = ("--plane", "storage", "--plane", "business")


def with_other_ends(plan: LabPlan) -> LabPlan:
    """gpu-1 and storage-1 with a second bond, gpu-2 and login-1 with a port in none, gpu-3 and gpu-4 exchanged.

    All on one leaf of a pair, b. storage-2 has the same bond, but slow.
    """
    ends = {
        ("gpu-1", "front1"): LabHostEnd("spare"),
        ("storage-1", "data1"): LabHostEnd("spare"),
        ("gpu-2", "front1"): LabHostEnd(),
        ("login-1", "front1"): LabHostEnd(),
    }
    other = {"gpu-3": "gpu-4", "gpu-4": "gpu-3"}

    def changed(host: LabHost) -> LabHost:
        name = other.get(host.name, host.name) if host.port == "front1" else host.name
        return replace(host, name=name, end=ends.get((host.name, host.port), host.end))

    bonds = [replace(each, is_fast=each.is_fast and each.host != "storage-2") for each in plan.bonds]
    bonds += [LabBond(host, "spare", 9000, True, ()) for host in ("gpu-1", "storage-1")]
    return replace(plan, hosts=tuple(map(changed, plan.hosts)), bonds=tuple(bonds))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The default site in a lab whose hosts are told otherwise than the design has it."""
    where = tmp_path_factory.mktemp("played")
    shutil.copytree(ROOT / "inventory/lab", where / "lab")
    operator = Operator(where / "lab", where / "state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUFABRIC_STATE", str(operator.state))
        design = load(operator.site)
        silent = lab_plan(design, host_lldp=False)  # LLDP would name the swapped cables
        Lab(design.site.state_directory).up(with_other_ends(silent))
    try:
        operator.run("push", *FRONT, "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


@pytest.fixture(scope="module")
def report(lab: Operator) -> Any:
    return lab.json("validate", *FRONT, code=8)


def without_values(message: str) -> str:
    """A message up to its last colon, or to the address of a partner."""
    return message.partition(": partner ")[0] if ": partner " in message else message.rpartition(":")[0]


def test_each_port_whose_host_was_told_otherwise_is_one_cause_with_both_values(report: Any) -> None:
    """Cumulus Linux shows nothing of members, so there the group leads that is down by its one."""
    by_id = {each["id"]: each for each in report["findings"]}
    causes = [by_id[name] for name in report["causes"]]
    found = {(each["device"], each["port"]): (without_values(each["message"]), each["expected"]) for each in causes}
    eos, nxos, nvue = (f"front-leaf-g{number}-b" for number in (1, 2, 3))
    wanted = {
        (eos, f"Ethernet{n}"): (
            f"{eos} Ethernet{n} <-> gpu-{n} front1: not bundled in Port-Channel{n}",
            f"bundled in Port-Channel{n}",
        )
        for n in range(1, 5)
    }
    wanted[nxos, "Ethernet1/1"] = (
        f"{nxos} Ethernet1/1 <-> storage-1 data1: not bundled in port-channel1",
        "bundled in port-channel1",
    )
    wanted[nvue, "bond1"] = (f"{nvue} bond1", "admin up, link up")
    slow = f"{nxos[:-1]}a"
    wanted[slow, "port-channel2"] = (f"{slow} port-channel2", "one partner, fast")
    assert found == wanted
    failed = {each["check"] for each in report["findings"] if each["verdict"] == "fail"}
    assert failed == {"lacp", "partners", "port", "trunks", "stp"}


def test_what_rests_on_played_hosts_is_counted_apart(lab: Operator, report: Any) -> None:
    """Eight hosts, each with two ports in groups: port, group, membership, tree; of four trunks, of six partners."""
    played = [each for each in report["findings"] if each.get("played")]
    assert report["played"] == len(played) == 8 * 2 * 4 + 4 * 2 + 6 * 2
    text = f"tested {report['tested']} of {report['of']}, {report['played']} of them with played hosts"
    assert text in lab.run("validate", *FRONT, code=8)


def test_status_names_the_hosts_that_are_played_and_what_they_were_told(lab: Operator) -> None:
    host = lab.json("lab", "status")["played"]["storage-2"]
    assert host["ports"]["data0"]["bond"] == "data"
    assert host["bonds"]["data"]["lacp_is_fast"] is False
    assert host["bonds"]["data"]["vlans"] == [{"tag": None, "addresses": ["10.176.0.133/25"], "routes": []}]
    names = "gpu-1, gpu-2, gpu-3, gpu-4, storage-1, storage-2, login-1, api-1, firewall-1, firewall-2"
    assert f"played to these switches, hosts from their variables: {names}, bastion-1, " in lab.run("lab", "status")

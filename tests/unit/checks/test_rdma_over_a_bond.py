"""A host with RDMA over a bond and no rail: QoS of each member, their one RDMA device, and the GIDs of the bond."""

from collections.abc import Callable
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_suite import HostReport, has, missing, requests, roles
from tests.unit.checks import right_host
from tests.unit.checks.judged_host import judged, wrong

MEMBERS = ["data0", "data1"]
GIDS = ["data 10.176.0.4", "data.300 10.177.0.4", "data.300 fd00::4"]


def variables(**changes: Any) -> dict[str, Any]:
    """Those of the right host but of its rails and GPUs; its bond has RDMA."""
    own = {
        name: value
        for name, value in right_host.variables().items()
        if not name.startswith(("rail_interfaces_", "nccl_", "gpudirect_", "plane_guard_"))
    }
    of_rails = ("roce_qos_rails", "rdma_stack_rails", "nic_firmware_rails", "host_tuning_rails")
    return {**own, **dict.fromkeys(of_rails, MEMBERS), **changes}


def facts() -> dict[str, Any]:
    """With each member in a rail's place, and one RDMA device for both."""
    found = right_host.facts()
    for name in ("gpufabric_rails", "gpufabric_gateways", "gpufabric_nccl", "gpufabric_pci", "gpufabric_plane_guard"):
        del found[name]
    for name in ("gpufabric_roce", "gpufabric_nic_firmware"):
        found[name] = {member: found[name][f"rail{number}"] for number, member in enumerate(MEMBERS)}
    for member, each in found["gpufabric_roce"].items():
        each.update(netdev=member, rdma_device="mlx5_bond_0")
    interrupts = found["gpufabric_kernel"]["rails"]
    found["gpufabric_kernel"]["rails"] = dict.fromkeys(MEMBERS, interrupts["rail0"])
    device = {"interface": "data", "state": "ACTIVE", "link_layer": "Ethernet", "members": MEMBERS, "gids": list(GIDS)}
    found["gpufabric_rdma"]["devices"] = {"mlx5_bond_0": device}
    found["gpufabric_rdma"]["bonds"] = {each: {"bond": "data", "no_device": ""} for each in MEMBERS}
    return found


def device(found: dict[str, Any]) -> dict[str, Any]:
    one: dict[str, Any] = found["gpufabric_rdma"]["devices"]["mlx5_bond_0"]
    return one


def over_two_nics(found: dict[str, Any]) -> None:
    bare = {"interface": "data", "state": "ACTIVE", "link_layer": "Ethernet"}
    found["gpufabric_rdma"].update(devices={"mlx5_0": bare, "mlx5_1": bare})
    for each in found["gpufabric_rdma"]["bonds"].values():
        each["no_device"] = "data0 at 0000:18:00.0, data1 at 0000:29:00.0 are not of one NIC"


MUTANTS: dict[str, tuple[Callable[[dict[str, Any]], object], set[str]]] = {
    "PFC off on the second member": (
        lambda f: f["gpufabric_roce"]["data1"].update(pfc=[False] * 8),
        {"roce: data1 pfc"},
    ),
    "the first member trusts priorities": (
        lambda f: f["gpufabric_roce"]["data0"].update(trust="pcp"),
        {"roce: data0 trust"},
    ),
    "a traffic class of nobody": (
        lambda f: f["gpufabric_roce"]["data0"].update(rdma_cm_tos=0),
        {"roce: data0 rdma_cm_tos"},
    ),
    "the bond's MTU": (
        lambda f: f["gpufabric_roce"]["data1"].update(active_mtu=1024),
        {"roce: data1 active_mtu"},
    ),
    "the firmware of the second port": (
        lambda f: f["gpufabric_nic_firmware"]["data1"]["settings"]["LINK_TYPE"].update(next_boot=1),
        {"firmware: data1 LINK_TYPE at the next start"},
    ),
    "the device is down": (lambda f: device(f).update(state="DOWN"), {"rdma: data RDMA device of members"}),
    "one member is not of it": (
        lambda f: device(f).update(members=["data0"]),
        {"rdma: data RDMA device of members"},
    ),
    "no GID of the bond": (lambda f: device(f)["gids"].remove(GIDS[0]), {"rdma: data GID of 10.176.0.4"}),
    "no GID of its VLAN": (lambda f: device(f)["gids"].remove(GIDS[1]), {"rdma: data.300 GID of 10.177.0.4"}),
    "a GID on another interface": (
        lambda f: device(f).update(gids=["data 10.176.0.4", "data 10.177.0.4", GIDS[2]]),
        {"rdma: data.300 GID of 10.177.0.4"},
    ),
    "no GID of IPv6": (lambda f: device(f)["gids"].pop(), {"rdma: data.300 GID of fd00::4"}),
    "ports of two NICs": (
        over_two_nics,
        {
            "rdma: data RDMA device of members",
            "rdma: data GID of 10.176.0.4",
            "rdma: data.300 GID of 10.177.0.4",
            "rdma: data.300 GID of fd00::4",
        },
    ),
    "interrupts on isolated processors": (
        lambda f: f["gpufabric_kernel"]["rails"].update(
            data1={**f["gpufabric_kernel"]["rails"]["data1"], "interrupts": [{"irq": 40, "cpus": "2"}]}
        ),
        {"host_tuning: data1 interrupts"},
    ),
}


def report(found: dict[str, Any]) -> HostReport:
    return judged(found, variables())


def test_such_a_host_passes_and_is_judged_for_all_but_rails_and_gpus() -> None:
    found = report(facts())
    assert wrong(found) == []
    assert found.passed
    checks = {each.check for each in found.findings}
    assert {"bonds", "rdma", "firmware", "roce", "host_tuning"} <= checks
    assert not {"rails", "cabling", "gpudirect", "nccl"} & checks
    assert {each.subject for each in found.findings if each.check == "roce"} == set(MEMBERS)


@pytest.mark.parametrize("name", MUTANTS)
def test_each_mistake_is_named_and_nothing_else(name: str) -> None:
    change, expected = MUTANTS[name]
    found = facts()
    change(found)
    seen = report(found)
    assert set(wrong(seen)) == expected
    assert not seen.passed
    assert len(seen.findings) == len(report(facts()).findings)


def test_why_there_is_no_device_is_said() -> None:
    found = facts()
    over_two_nics(found)
    failed = next(each for each in report(found).of(Verdict.FAIL) if each.knob == "RDMA device of members")
    assert failed.found == "none"
    assert failed.why == "data0 at 0000:18:00.0, data1 at 0000:29:00.0 are not of one NIC"


def test_a_stack_that_could_not_be_read_passes_nothing_and_is_counted() -> None:
    found = facts()
    del found["gpufabric_rdma"]
    seen = judged(found, variables(), gpufabric_rdma="no such file")
    assert len(seen.findings) == len(report(facts()).findings)
    untold = {each.name for each in seen.of(Verdict.ERROR)}
    assert {"data RDMA device of members", "data GID of 10.176.0.4"} <= untold
    assert not seen.of(Verdict.FAIL)


def test_what_it_lacks_of_rdma_is_named_and_nothing_of_rails() -> None:
    values = variables()
    assert has(values) == {"nothing", "rdma"}
    assert missing(values) == []
    del values["roce_qos_dscp"], values["rdma_stack_provider"]
    assert {each.partition(":")[0] for each in missing(values)} == {"roce_qos_dscp", "rdma_stack_provider"}


def test_only_facts_of_what_it_has_are_read() -> None:
    modules = [each.module.removeprefix("gpufabric.host.") for each in requests(variables())]
    assert {"bond_facts", "roce_facts", "nic_firmware_facts", "rdma_facts", "kernel_facts"} <= set(modules)
    assert not {"rail_facts", "gateway_facts", "nccl_facts", "pci_facts"} & set(modules)
    assert set(roles(right_host.variables())) - set(roles(variables())) == {"rail_interfaces", "gpudirect", "nccl"}


def test_soft_roce_of_a_bond_is_one_device_on_it_that_comes_back_at_boot() -> None:
    found = facts()
    soft = found["gpufabric_rdma"]
    soft["devices"] = {"rxe_data": device(found)}
    soft["modules"].update(rdma_rxe="loaded")
    values = variables(rdma_stack_provider="rxe")
    of_rdma = [each for each in judged(found, values).of(Verdict.FAIL) if each.check == "rdma"]
    assert [(each.name, each.found) for each in of_rdma] == [("data RDMA device at boot", "not kept")]
    soft["soft_roce_kept"] = ["data"]
    assert not [each for each in judged(found, values).of(Verdict.FAIL) if each.check == "rdma"]

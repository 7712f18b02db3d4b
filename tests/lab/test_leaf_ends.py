"""The leaves' ends of machines' cables, in their network namespace: which address is where once cables were swapped."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.network import LeafNamespace
from nornir_tasks.lab.machines.plan import MachinePlan, Rail, machine_plan

pytestmark = pytest.mark.needs("root")

RAILS = tuple(Rail(f"rail{n}", f"0000:00:{0x10 + n:02x}.0", None, f"10.{168 + n}.0.0/31") for n in range(2))


@pytest.fixture
def ends(tmp_path: Path) -> Iterator[tuple[LeafNamespace, MachinePlan]]:
    """One machine's cables, without a machine at them."""
    plan, namespace = machine_plan("gpu-1", 0, RAILS), LeafNamespace(tmp_path)
    namespace.make()
    try:
        namespace.adopt(plan, namespace.prepare(plan))
        yield namespace, plan
    finally:
        namespace.remove()


def addresses(namespace: LeafNamespace) -> dict[str, list[str]]:
    found = json.loads(run(["ip", "-n", namespace.name, "-j", "-4", "address"], 30))
    return {each["ifname"]: [f"{one['local']}/{one['prefixlen']}" for one in each["addr_info"]] for each in found}


def test_swapped_cables_bear_one_anothers_addresses_and_others_keep_theirs(
    ends: tuple[LeafNamespace, MachinePlan],
) -> None:
    namespace, plan = ends
    before = addresses(namespace)
    namespace.recable(plan.index, "rail0", "10.169.0.0/31")
    namespace.recable(plan.index, "rail1", "10.168.0.0/31")
    now = addresses(namespace)
    assert (now["h1-rail0"], now["h1-rail1"]) == (["10.169.0.0/31"], ["10.168.0.0/31"])
    assert now["h1-site"] == before["h1-site"]


def test_a_cable_in_a_port_for_no_host_has_no_address_and_gets_its_own_back(
    ends: tuple[LeafNamespace, MachinePlan],
) -> None:
    namespace, plan = ends
    namespace.recable(plan.index, "rail0", "")
    assert addresses(namespace).get("h1-rail0", []) == []
    namespace.recable(plan.index, "rail0", "10.168.0.0/31")
    assert addresses(namespace)["h1-rail0"] == ["10.168.0.0/31"]

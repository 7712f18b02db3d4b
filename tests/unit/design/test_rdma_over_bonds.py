"""RDMA over a bond: hosts' variables name its members, and ports of two NICs are refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.checks.hosts.host_suite import has
from nornir_tasks.errors import IntentError
from nornir_tasks.files.machines_file import LACKS
from nornir_tasks.usecases.hosts import HostInventory, host_inventory
from tests.unit.design import front, rdma_bonds
from tests.unit.usecases.test_hosts import CATALOGUE, ansible_inventory, listing


@pytest.fixture(scope="module")
def found() -> HostInventory:
    return host_inventory(rdma_bonds.intent(), rdma_bonds.network(), CATALOGUE)


def test_a_server_with_a_bond_alone_has_qos_and_stack_over_its_members(found: HostInventory) -> None:
    values = found.variables["store-1"]
    assert values["roce_qos_rails"] == values["rdma_stack_rails"] == ["data0", "data1"]
    assert [each["name"] for each in values["bond_interfaces_bonds"][0]["members"]] == ["data0", "data1"]
    assert (values["roce_qos_traffic_class"], values["roce_qos_cable_m"]) == (106, 5)
    assert values["rdma_stack_provider"] == "mlx5"
    assert not any(name.startswith(("rail_interfaces_", "nccl_", "gpudirect_")) for name in values)


def test_a_gpu_host_has_members_behind_its_rails_and_nccl_has_rails_alone(found: HostInventory) -> None:
    values = found.variables["gpu-2"]
    assert values["roce_qos_rails"] == values["rdma_stack_rails"] == ["rail0", "rail1", "front0", "front1"]
    assert values["nccl_rails"] == ["rail0", "rail1"]
    assert [each["name"] for each in values["gpudirect_rails"]] == ["rail0", "rail1"]
    assert [each["name"] for each in values["rail_interfaces_rails"]] == ["rail0", "rail1"]


def test_a_bond_without_rdma_has_none_of_it() -> None:
    data = rdma_bonds.data()
    data["planes"]["storage"].update(transport="tcp")
    made = host_inventory(front.loaded(data), front.built(data), CATALOGUE)
    assert made.variables["gpu-1"]["roce_qos_rails"] == ["rail0", "rail1"]
    assert not any(name.startswith(("roce_qos_", "rdma_stack_")) for name in made.variables["store-1"])


def test_rdma_on_a_vlan_of_a_bond_is_over_its_members_once() -> None:
    """Both planes of a bond carry RDMA: its ports are listed once."""
    data = rdma_bonds.data()
    storage = {key: each for key, each in data["planes"]["storage"].items() if key not in ("servers", "demand")}
    data["planes"]["second"] = {**storage, "kind": "storage", "vlan": 210, "pools": {"hosts": "10.178.0.0/16"}}
    data["hosts"]["store"]["nics"]["second"] = {"rails": 2, "speed": "200G", "ports_of": "storage"}
    made = host_inventory(front.loaded(data), front.built(data), CATALOGUE)
    assert made.variables["store-2"]["roce_qos_rails"] == ["data0", "data1"]


def test_a_lab_machine_has_soft_roce_where_the_design_has_rdma_alone() -> None:
    up = {"store-1": {"ansible_host": "127.0.0.1", **LACKS}}
    made = host_inventory(rdma_bonds.intent(), rdma_bonds.network(), CATALOGUE, up).variables["store-1"]
    assert (made["rdma_stack_provider"], made["rdma_stack_rails"]) == ("rxe", ["data0", "data1"])
    assert has(made) == {"nothing", "rdma"}
    data = rdma_bonds.data()
    data["planes"]["storage"].update(transport="tcp")
    made = host_inventory(front.loaded(data), front.built(data), CATALOGUE, up).variables["store-1"]
    assert has(made) == {"nothing"}
    assert made["ansible_host"] == "127.0.0.1"


def test_ansible_reads_a_site_whose_storage_is_rdma_over_bonds(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(rdma_bonds.data(), sort_keys=False))
    config = tmp_path / "gpufabric.yml"
    config.write_text("plugin: gpufabric.host.gpufabric\n")
    listed = listing(ansible_inventory(config, tmp_path))
    assert listed["_meta"]["hostvars"]["store-2"]["roce_qos_rails"] == ["data0", "data1"]
    assert listed["store"]["hosts"] == ["store-1", "store-2"]


def refused(data: dict[str, Any]) -> str:
    with pytest.raises(IntentError) as caught:
        host_inventory(front.loaded(data), front.built(data), CATALOGUE)
    return str(caught.value)


@pytest.mark.parametrize("model", [None, "unknown"])
def test_rdma_over_a_bond_needs_a_nic_that_the_roles_know(model: str | None) -> None:
    data = rdma_bonds.data()
    del data["hosts"]["store"]["nics"]["storage"]["model"]
    if model:
        del data["hosts"]["gpu"]["nics"]["storage"]["model"]
    message = refused(data)
    assert "hosts.store.nics.storage.model: no NIC model that the host roles know" in message
    assert ("hosts.gpu.nics.storage.model: no NIC model" in message) is bool(model)


def test_a_bond_and_rails_of_one_host_have_one_policy() -> None:
    data = rdma_bonds.data()
    data["planes"]["storage"]["classes"] = {
        "roce": {"dscp": 24, "priority": 4, "lossless": True, "ecn": "auto", "weight": 60},
        "cnp": {"dscp": 48, "priority": 6, "strict": True},
        "bulk": {"dscp": 0, "priority": 0, "weight": 40},
    }
    del data["planes"]["business"], data["hosts"]["gpu"]["nics"]["business"]
    message = refused(data)
    assert "on hosts of group gpu" in message
    assert "a host has one set of queues" in message


def test_two_nics_in_a_bond_are_refused_for_the_hosts_that_have_them() -> None:
    data = rdma_bonds.data()
    data["hosts"]["store"]["nics"]["storage"]["exceptions"] = {"store-2": {1: "0000:00:11.0"}}
    with pytest.raises(IntentError) as caught:
        front.loaded(data)
    assert "hosts.store.nics.storage.exceptions.store-2: RDMA over a bond of two NICs" in str(caught.value)
    assert "hosts.gpu" not in str(caught.value)


def test_ports_said_by_mac_may_be_of_any_nic_until_the_host_shows_it() -> None:
    data = rdma_bonds.data()
    data["hosts"]["store"]["nics"]["storage"]["at"] = ["0c:42:a1:00:00:10", "0c:42:a1:00:00:11"]
    assert front.loaded(data).hosts["store"].nics["storage"].at is not None

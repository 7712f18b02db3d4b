"""Storage by RDMA: what its servers and clients get of the design, worked out by hand."""

from typing import Any

from nornir_tasks.design.capacity.throughput import loads
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.proofs.isolation import judge
from nornir_tasks.usecases.hosts import host_inventory
from tests.unit.design.rdma_storage import intent, network


def variables(host: str) -> dict[str, Any]:
    found = host_inventory(intent(), network(), load_catalogue())
    return dict(found.variables[host])


def configs() -> dict[str, DeviceConfig]:
    return {each.name: device_config(network(), each).config for each in network().devices}


def test_a_servers_two_links_are_rails_on_leaves_of_their_own_with_a_route_and_a_table_each() -> None:
    assert variables("store-2")["rail_interfaces_rails"] == [
        {
            "rail": 0, "name": "data0", "match": {"pci": "0000:00:10.0"}, "address": "10.176.2.3", "prefix_length": 31,
            "gateway": "10.176.2.2", "mtu_bytes": 9000, "supernet": "10.176.0.0/17", "table": 100,
        },
        {
            "rail": 1, "name": "data1", "match": {"pci": "0000:00:11.0"}, "address": "10.176.130.3",
            "prefix_length": 31, "gateway": "10.176.130.2", "mtu_bytes": 9000, "supernet": "10.176.128.0/17",
            "table": 101,
        },
    ]  # fmt: skip
    leaves = {nic.leaf for nic in network().nics if nic.host == "store-2"}
    assert leaves == {"front-leaf-g2-r0", "front-leaf-g2-r1"}, "one leaf lost takes one link"


def test_a_server_has_the_storage_class_and_nothing_of_gpus() -> None:
    found = variables("store-1")
    assert (found["roce_qos_rails"], found["roce_qos_dscp"], found["roce_qos_priority"]) == (["data0", "data1"], 26, 3)
    assert found["rdma_stack_provider"] == "mlx5"
    assert found["plane_guard_planes"] == {"storage": ["data0", "data1"], "management": ["ens3"]}
    assert [name for name in found if name.startswith(("nccl_", "gpudirect_"))] == []


def test_nccl_never_lists_a_storage_nic_of_a_gpu_host() -> None:
    found = variables("gpu-1")
    assert found["nccl_rails"] == ["rail0", "rail1"]
    assert [each["name"] for each in found["gpudirect_rails"]] == ["rail0", "rail1"]
    assert found["roce_qos_rails"] == ["rail0", "rail1", "front0", "front1"]
    assert [(each["rail"], each["table"]) for each in found["rail_interfaces_rails"]] == [
        (0, 100), (1, 101), (2, 102), (3, 103),
    ]  # fmt: skip


def test_storage_hosts_are_in_the_group_that_their_playbook_addresses() -> None:
    found = host_inventory(intent(), network(), load_catalogue())
    assert found.children == {"compute": ("gpu",), "storage": ("store",)}


def test_both_links_carry_the_demand_and_one_is_left_after_the_loss_of_a_leaf() -> None:
    """8 GiB/s of 4 clients are 17.2 Gbit/s for each of them, by 400 Gbit/s; 200 with a leaf lost."""
    found = loads(network(), demands(intent(), kinds().planes))
    of_clients = {each.lost: each for each in found if each.part == "ports of a host of gpu"}
    assert round(of_clients[""].needed_gbps, 1) == 17.2
    left = {lost: each.has_gbps for lost, each in of_clients.items()}
    assert left == {"": 400, "one port of a host": 200, "one leaf": 200}


def test_switches_pause_the_storage_class_on_ports_of_servers_and_clients_alike() -> None:
    for leaf in ("front-leaf-g1-r0", "front-leaf-g2-r1"):
        found = configs()[leaf]
        assert found.qos is not None
        lossless = {each.name for each in found.qos.profiles if each.pfc_priorities}
        ports = {each.qos_profile for each in found.interfaces if each.address and "/31" in each.address}
        assert ports <= lossless


def test_the_planes_are_apart_with_hosts_that_forward_nothing() -> None:
    guarded = {"gpu": frozenset({"compute", "storage"})}
    assert judge(network(), configs(), guarded).summary() == "isolation 4 of 4 pairs"

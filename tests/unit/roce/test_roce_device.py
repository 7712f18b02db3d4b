"""One way from a rail to its RDMA device, whoever asks: facts of rails, of RDMA, of RoCE and of NCCL."""

from __future__ import annotations

from pathlib import Path

import pytest
from rail_state import rdma_ports as as_rail_facts_ask
from rdma_state import device_of, devices
from roce_device import RdmaPort, port_of, rdma_ports
from roce_state import RailReader

RDMA = "sys/class/infiniband"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """mlx5_0 with a GID, rxe_rail1 without any yet, mlx5_2 of two ports, mlx5_3 that is alone on its PCI device."""
    files = {
        f"{RDMA}/mlx5_0/ports/1/gid_attrs/ndevs/0": "rail0",
        f"{RDMA}/mlx5_0/ports/1/gid_attrs/ndevs/2": "rail0.100",
        f"{RDMA}/rxe_rail1/parent": "rail1",
        f"{RDMA}/mlx5_2/ports/1/gid_attrs/ndevs/1": "rail2",
        f"{RDMA}/mlx5_2/ports/2/gid_attrs/ndevs/0": "rail3",
        f"{RDMA}/mlx5_3/device/net/rail4/mtu": "9000",
        f"{RDMA}/mlx5_4/device/net/ens1/mtu": "9000",
        f"{RDMA}/mlx5_4/device/net/ens2/mtu": "9000",
        "sys/class/net/rail0/mtu": "9000",
        "sys/class/net/rail3/mtu": "9000",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    return tmp_path


def test_a_port_is_found_by_its_gids_its_parent_or_as_the_only_one_of_its_device(host: Path) -> None:
    assert rdma_ports(host) == [
        RdmaPort("mlx5_0", 1, "rail0"),
        RdmaPort("mlx5_2", 1, "rail2"),
        RdmaPort("mlx5_2", 2, "rail3"),
        RdmaPort("mlx5_3", 1, "rail4"),
        RdmaPort("mlx5_4", 1, ""),
        RdmaPort("rxe_rail1", 1, "rail1"),
    ]


@pytest.mark.parametrize(("rail", "device"), [("rail0", "mlx5_0"), ("rail1", "rxe_rail1"), ("rail2", "mlx5_2")])
def test_all_who_ask_are_given_the_same_device(host: Path, rail: str, device: str) -> None:
    assert port_of(host, rail) == RdmaPort(device, 1, rail)
    assert device_of(host, rail) == device
    assert {name for name, each in devices(host).items() if each["interface"] == rail} == {device}
    assert RailReader(rail, root=host).rdma_device == device
    assert {each.device for each in as_rail_facts_ask(host) if each.interface == rail} == {device}


def test_a_second_port_is_named_as_nccl_names_it_and_read_at_its_own_files(host: Path) -> None:
    assert device_of(host, "rail3") == "mlx5_2:2"
    found = RailReader("rail3", root=host)
    assert (found.rdma_device, found.rdma_port) == ("mlx5_2", 2)
    assert found.shown_by("traffic_class") == "/sys/class/infiniband/mlx5_2/tc/2/traffic_class"


@pytest.mark.parametrize("name", ["rail0.100", "rail9", ""])
def test_an_interface_on_top_of_a_rail_or_none_at_all_has_no_device(host: Path, name: str) -> None:
    assert port_of(host, name) is None
    assert device_of(host, name) == ""

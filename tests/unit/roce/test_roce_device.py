"""One way from a rail to its RDMA device, whoever asks: facts of rails, of RDMA, of RoCE and of NCCL."""

from __future__ import annotations

from pathlib import Path

import pytest
from rail_state import rdma_ports as as_rail_facts_ask
from rdma_state import bonds, device_of, devices
from roce_device import RdmaPort, bond_of, no_lag, port_of, rdma_ports
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


CARD = {"data0": "0000:18:00.0", "data1": "0000:18:00.1"}
TWO_CARDS = {"data0": "0000:18:00.0", "data1": "0000:29:00.0"}


def bonded(root: Path, places: dict[str, str], devices: dict[str, str], mode: str = "802.3ad 4") -> Path:
    """A bond ``data`` of mlx5's ports at these places, and RDMA devices with its GIDs, each at the place of a port.

    Files: Linux drivers/net/bonding/bond_sysfs.c and bond_sysfs_slave.c. GIDs: what show_gids printed on two hosts
    (openucx/ucx, issue 10420 and pull request 9484: mlx5_bond_0, index 0 to 3, each with bond0).
    """
    net, driver = root / "sys/class/net", root / "sys/bus/pci/drivers/mlx5_core"
    for folder in (net / "data/bonding", driver):
        folder.mkdir(parents=True)
    (net / "data/bonding/slaves").write_text(" ".join(places) + "\n")
    (net / "data/bonding/mode").write_text(mode + "\n")
    for name, pci in places.items():
        device = root / "sys/devices" / pci
        for folder in (net / name / "bonding_slave", device / "net" / name):
            folder.mkdir(parents=True)
        (net / name / "master").symlink_to("../data")
        (net / name / "device").symlink_to(device)
        (device / "driver").symlink_to(driver)
    gids = ("fe80:0000:0000:0000:a288:c2ff:feb4:87d6",) * 2 + ("0000:0000:0000:0000:0000:ffff:0ab0:0004",) * 2
    for name, port in devices.items():
        own = root / RDMA / name / "ports/1"
        for folder in ("gids", "gid_attrs/ndevs", "gid_attrs/types"):
            (own / folder).mkdir(parents=True)
        (own.parents[1] / "device").symlink_to(root / "sys/devices" / places[port])
        (own / "state").write_text("4: ACTIVE\n")
        for slot, gid in enumerate((*gids, "0000:" * 7 + "0000")):
            (own / f"gids/{slot}").write_text(gid + "\n")
            if gid.strip("0:"):
                (own / f"gid_attrs/ndevs/{slot}").write_text("data\n")
                (own / f"gid_attrs/types/{slot}").write_text(("RoCE v2" if slot % 2 else "IB/RoCE v1") + "\n")
    return root


@pytest.mark.parametrize("name", ["mlx5_bond_0", "rocep24s0f0"])
def test_members_of_a_bond_have_its_one_device_whatever_udev_calls_it(tmp_path: Path, name: str) -> None:
    host = bonded(tmp_path, CARD, {name: "data0"})
    for member in CARD:
        assert bond_of(host, member) == "data"
        assert port_of(host, member) == RdmaPort(name, 1, "data")
        assert device_of(host, member) == RailReader(member, root=host).rdma_device == name
        assert no_lag(host, member) == ""
    assert devices(host)[name] == {
        "interface": "data",
        "state": "ACTIVE",
        "link_layer": "",
        "members": ["data0", "data1"],
        "gids": ["data 10.176.0.4", "data fe80::a288:c2ff:feb4:87d6"],
    }


def test_ports_of_two_nics_in_a_bond_have_no_device_though_both_nics_have_its_gids(tmp_path: Path) -> None:
    host = bonded(tmp_path, TWO_CARDS, {"mlx5_0": "data0", "mlx5_1": "data1"})
    for member in TWO_CARDS:
        assert port_of(host, member) is None
        assert "data0 at 0000:18:00.0, data1 at 0000:29:00.0 are not of one NIC" in no_lag(host, member)
        assert "are not of one NIC" in RailReader(member, root=host).read("traffic_class").reason
    assert "members" not in devices(host)["mlx5_0"]
    found = bonds(host, ["data0", "data1", "rail0"])
    assert {name: each["bond"] for name, each in found.items()} == {"data0": "data", "data1": "data"}
    assert all("are not of one NIC" in each["no_device"] for each in found.values())


def test_one_device_of_a_bond_of_two_nics_serves_no_member(tmp_path: Path) -> None:
    """The other NIC's RDMA driver is not loaded, or switched off: what arrives there is lost."""
    host = bonded(tmp_path, TWO_CARDS, {"mlx5_0": "data0"})
    assert [port_of(host, member) for member in TWO_CARDS] == [None, None]


@pytest.mark.parametrize(
    ("mode", "vfs", "reason"),
    [
        ("balance-rr 0", False, "of mode 802.3ad, balance-xor, active-backup: this one's is balance-rr"),
        ("802.3ad 4", True, "without virtual functions: data1 has some (sriov_numvfs)"),
        ("802.3ad 4", False, "is a port of it missing in data, has switchdev one?"),
    ],
)
def test_why_a_nic_makes_no_device_for_its_bond(tmp_path: Path, mode: str, vfs: bool, reason: str) -> None:
    host = bonded(tmp_path, CARD, {"mlx5_0": "data0", "mlx5_1": "data1"}, mode)
    if vfs:
        (host / "sys/devices/0000:18:00.1/virtfn0").symlink_to("../0000:18:00.2")
    assert port_of(host, "data1") is None
    assert reason in no_lag(host, "data1")


def test_soft_roce_on_a_bond_serves_ports_of_any_nics(tmp_path: Path) -> None:
    host = bonded(tmp_path, TWO_CARDS, {})
    (host / RDMA / "rxe_data").mkdir(parents=True)
    (host / RDMA / "rxe_data/parent").write_text("data\n")
    assert [device_of(host, member) for member in TWO_CARDS] == ["rxe_data", "rxe_data"]


def test_a_port_in_no_bond_has_no_reason_of_bonds(host: Path) -> None:
    assert (bond_of(host, "rail0"), no_lag(host, "rail9"), bond_of(host, "")) == ("", "", "")

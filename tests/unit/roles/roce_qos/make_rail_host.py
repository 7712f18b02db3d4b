"""Makes the tree of a host with ConnectX rails: what mlx5 of MLNX_OFED has under /sys, and the stand-ins' NICs.

Used by the unit tests, and run by the Molecule scenario inside its container, with tests/standins in PYTHONPATH:

    make_rail_host.py ROOT STATE RAIL...

Shapes: tests/recorded/kernel. A plain file gives back what was written, so ``tc/1/traffic_class``, which the kernel
shows in other words than it takes, is not made here.
"""

import sys
from pathlib import Path

import nic_state


def make_rail_host(root: Path, state: Path, rails: list[str], driver: str = "mlx5_core", ofed: bool = True) -> None:
    (root / "sys/kernel/config/rdma_cm").mkdir(parents=True)
    (root / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True)
    for number, rail in enumerate(rails):
        pci = f"0000:00:1{number}.0"
        device = root / f"sys/devices/pci0000:00/{pci}"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(root / f"sys/bus/pci/drivers/{driver}")
        net = root / f"sys/class/net/{rail}"
        net.mkdir(parents=True)
        (net / "device").symlink_to(device)
        if ofed:
            make_ecn(net / "ecn")
        put(root / f"sys/class/infiniband/mlx5_{number}/ports/1/gid_attrs/ndevs/0", rail)
        configured = root / f"sys/kernel/config/rdma_cm/mlx5_{number}/ports/1"
        put(configured / "default_roce_tos", "0")
        put(configured / "default_roce_mode", "RoCE v2")
        nic_state.write_nic(state, rail, nic_state.factory(driver, pci=pci))


def make_ecn(ecn: Path) -> None:
    for point in ("roce_np", "roce_rp"):
        for priority in range(8):
            put(ecn / point / "enable" / str(priority), "0")
    put(ecn / "roce_np/cnp_dscp", "4")
    put(ecn / "roce_np/cnp_802p_prio", "0")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    make_rail_host(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

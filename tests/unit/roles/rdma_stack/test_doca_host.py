"""What a host's driver stack rests on, and what rests on it, as files tell it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[4] / "plugins/module_utils"))
import doca_host
from doca_set import doca_set

OLD, NEW = "6.1.0-30-amd64", "6.1.0-31-amd64"
SOURCE = "var/lib/dkms/mlnx-ofed-kernel/24.10/source"
HOST = {
    "proc/sys/kernel/osrelease": f"{OLD}\n",
    "boot/grub/grub.cfg": f"menuentry Debian {{\n\tlinux\t/boot/vmlinuz-{NEW} root=UUID=0 ro\n}}\n",
    f"{SOURCE}/dkms.conf": "",
    f"var/lib/dkms/mlnx-ofed-kernel/24.10/{OLD}/x86_64/module/mlx5_core.ko": "new",
    f"lib/modules/{OLD}/updates/dkms/mlx5_core.ko": "new",
    f"lib/modules/{OLD}/build/include/x": "",
}
Tree = Callable[[dict[str, str]], Path]


def route(interface: str) -> str:
    """/proc/net/route with the default route on an interface."""
    return "Iface\tDest\n" + "\t".join([interface, "00000000", "1", "3", "0", "0", "0", "00000000"]) + "\n"


def test_the_next_kernel_is_the_one_that_grub_boots_first(tree: Tree) -> None:
    assert doca_host.kernels(tree(HOST), tree(HOST)) == {"running": OLD, "next": NEW}


def test_without_a_menu_the_running_kernel_is_the_next(tree: Tree) -> None:
    root = tree({"proc/sys/kernel/osrelease": f"{OLD}\n"})
    assert doca_host.kernels(root, root) == {"running": OLD, "next": OLD}


def test_a_kernel_without_a_build_of_the_driver_is_told(tree: Tree) -> None:
    root = tree(HOST)
    assert doca_host.unbuilt(root, [OLD]) == []
    assert doca_host.unbuilt(root, [OLD, NEW]) == [f"mlnx-ofed-kernel/24.10 for {NEW}"]
    assert doca_host.has_headers(root, OLD)
    assert not doca_host.has_headers(root, NEW)


def test_a_module_that_is_not_the_one_that_was_built_is_no_build(tree: Tree) -> None:
    root = tree({**HOST, f"lib/modules/{OLD}/updates/dkms/mlx5_core.ko": "old"})
    assert doca_host.unbuilt(root, [OLD]) == [f"mlnx-ofed-kernel/24.10 for {OLD}"]


def test_whatever_holds_ib_core_is_named_with_what_builds_it_again(tree: Tree) -> None:
    modules = (
        "ib_core 1 3 rdma_cm,nvme_rdma,nvidia_peermem,mmfslinux, Live 0x0\nrdma_cm 1 2 rpcrdma, Live 0x0\n"
        "mlx5_core 1 1 mlx5_ib, Live 0x0\nrpcrdma 1 0 - Live 0x0\next4 1 0 - Live 0x0\n"
    )
    nvidia = f"var/lib/dkms/nvidia/535/{OLD}/x86_64/module/nvidia-peermem.ko"
    on_disk = (
        "updates/dkms/ko2iblnd.ko: kernel/drivers/infiniband/core/ib_core.ko\nkernel/x/siw.ko: kernel/y/ib_core.ko\n"
    )
    root = tree(
        {
            **HOST,
            "proc/modules": modules,
            nvidia: "x",
            "var/lib/dkms/nvidia/535/source/dkms.conf": "",
            f"lib/modules/{OLD}/modules.dep": on_disk,
        }
    )
    found = {name: by["dkms"] or by["package"] for name, by in doca_host.holders(root, root).items()}
    assert found == {
        "ko2iblnd": "",
        "mmfslinux": "",
        "nvidia_peermem": "nvidia/535",
        "nvme_rdma": "mlnx-nvme-dkms",
        "rpcrdma": "mlnx-nfsrdma-dkms",
    }


def test_a_driver_without_a_source_version_is_the_kernels_own_and_an_unloaded_one_is_none(tree: Tree) -> None:
    assert doca_host.loaded_driver(tree({"sys/module/mlx5_core/srcversion": "B7B1BFEE\n"})) == "B7B1BFEE"
    assert doca_host.loaded_driver(tree({"sys/module/mlx5_core/srcversion": ""})) == doca_host.NO_VERSION
    assert doca_host.loaded_driver(tree({}) / "elsewhere") == ""


def test_secure_boot_is_what_the_firmwares_variable_says(tree: Tree) -> None:
    assert doca_host.secure_boot(tree({doca_host.SECURE_BOOT: "\x06\0\0\0\1"}))
    assert not doca_host.secure_boot(tree({doca_host.SECURE_BOOT: "\x06\0\0\0\0"}))
    assert not doca_host.secure_boot(tree({"etc/hostname": ""}) / "elsewhere")


@pytest.mark.parametrize(
    ("files", "links", "says"),
    [
        ({"proc/net/route": route("ens1")},
         {"sys/class/net/ens1/device/driver": "../mlx5_core"}, "the default route is on ens1"),
        ({"proc/net/route": route("bond0"), "sys/class/net/bond0/lower_ens1/x": ""},
         {"sys/class/net/ens1/device/driver": "../mlx5_core"}, "the default route is on bond0"),
        ({"proc/mounts": "mgs@o2ib:/l /scratch lustre rw 0 0\n"}, {}, "/scratch is mounted over the network (lustre)"),
        ({"sys/class/nvme/nvme0/transport": "rdma\n"}, {}, "nvme0 is reached over the network (rdma)"),
    ],
)  # fmt: skip
def test_what_rides_on_the_nics_is_named_so_that_no_driver_is_unloaded_below_it(
    tree: Tree, files: dict[str, str], links: dict[str, str], says: str
) -> None:
    root = tree({"proc/mounts": "", **files})
    for path, target in links.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    assert says in doca_host.rides(root, ["rail0"])


def test_a_local_disk_and_a_nic_of_another_driver_do_not_keep_the_driver(tree: Tree) -> None:
    route = "Iface\tDest\n" + "\t".join(["eno1", "00000000", "1", "3", "0", "0", "0", "00000000"]) + "\n"
    files = {
        "proc/net/route": route,
        "proc/mounts": "/dev/sda1 / ext4 rw 0 0\n",
        "sys/class/nvme/nvme0/transport": "pcie\n",
    }
    assert doca_host.rides(tree(files), ["rail0"]) == []


def test_a_package_of_the_set_that_was_changed_or_released_is_told(tree: Tree) -> None:
    known = {"version": "2.9.1-0.1", "packages": {"doca-ofed": "2.9.1-0.1", "mft": "4.30"}}
    status = "Package: {}\nStatus: {} ok installed\nVersion: {}\n\n"
    root = tree(
        {
            "var/lib/gpufabric/rdma_stack/set.json": json.dumps(known),
            "var/lib/dpkg/status": status.format("doca-ofed", "install", "2.9.1-0.1")
            + status.format("mft", "hold", "4.31"),
        }
    )
    assert doca_set(root) == {"version": "2.9.1-0.1", "wrong": ["mft 4.31, not 4.30"], "not_held": ["doca-ofed"]}

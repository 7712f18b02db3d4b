"""The RDMA stack as a host's files tell it."""

import pytest

STATUS = """\
Package: rdma-core
Status: hold ok installed
Version: 44.0-2
Description: RDMA core userspace infrastructure
 Status: not a field

Package: libibverbs1
Status: install ok installed
Version: 44.0-2

Package: perftest
Status: deinstall ok config-files
Version: 4.5+0.17-1
"""
RELEASE = "6.1.0-30-amd64"
HOST = {
    "etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n',
    "var/lib/dpkg/status": STATUS,
    "proc/sys/kernel/osrelease": f"{RELEASE}\n",
    "proc/modules": "rdma_rxe 188416 0 - Live 0x0000000000000000\nib_core 1 1 rdma_rxe, Live 0x0\n",
    f"lib/modules/{RELEASE}/modules.dep": "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko: kernel/x.ko\n"
    "updates/dkms/nvidia-peermem.ko.xz:\nkernel/drivers/infiniband/core/rdma_cm.ko:\n",
    f"lib/modules/{RELEASE}/modules.builtin": "kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko\n",
    "sys/class/infiniband/rxe_rail0/ports/1/gid_attrs/ndevs/0": "rail0\n",
    "sys/class/infiniband/rxe_rail0/ports/1/state": "4: ACTIVE\n",
    "sys/class/infiniband/rxe_rail0/ports/1/link_layer": "Ethernet\n",
    "sys/class/infiniband/rxe_rail1/parent": "rail1\n",
    "sys/class/infiniband/mlx5_2/device/net/ens9/mtu": "1500\n",
    "sys/class/net/rail0/mtu": "9000\n",
    "etc/systemd/system/sys-subsystem-net-devices-rail0.device.wants/gpufabric-rxe@rail0.service": "",
}


@pytest.fixture
def host(facts, tree):
    def read(changed=None, **parameters):
        root = str(tree({**HOST, **(changed or {})}))
        return facts("rdma_facts", root=root, etc_root=root, **parameters)["gpufabric_rdma"]

    return read


def test_modules_are_told_apart_however_their_files_are_spelt(host):
    parameters = ["rdma_rxe", "rdma_cm", "mlx5_core", "nvidia_peermem", "mlx5_ib"]
    assert host(modules=parameters)["modules"] == {
        "rdma_rxe": "loaded",
        "rdma_cm": "available",
        "mlx5_core": "builtin",
        "nvidia_peermem": "available",
        "mlx5_ib": "missing",
    }


def test_a_kernel_whose_modules_are_gone_is_told(host):
    assert host()["kernel"] == {"release": RELEASE, "modules_installed": True}
    found = host({"proc/sys/kernel/osrelease": "6.1.0-99-amd64\n"}, modules=["rdma_cm"])
    assert found["kernel"]["modules_installed"] is False
    assert found["modules"] == {"rdma_cm": "missing"}


def test_packages_are_installed_or_not_and_held_or_not(host):
    assert host(packages=["rdma-core", "libibverbs*", "perftest"])["packages"] == {
        "rdma-core": {"version": "44.0-2", "held": True},
        "libibverbs1": {"version": "44.0-2", "held": False},
    }


@pytest.mark.parametrize(
    ("package", "version"),
    [("rdma-core", "2404mlnx51-1.2404066"), ("mlnx-ofed-kernel-dkms", "24.04.OFED"), ("doca-ofed", "2.9.1")],
)
def test_a_vendors_stack_is_recognised(host, package, version):
    paragraph = f"Package: {package}\nStatus: install ok installed\nVersion: {version}\n"
    assert host({"var/lib/dpkg/status": paragraph})["vendor_stack"] == [f"{package} {version}"]


def test_the_distributions_own_stack_is_no_vendors(host):
    assert host()["vendor_stack"] == []


def test_packages_of_one_source_from_two_builds_are_named(host):
    rebuilt = "Package: {}\nStatus: install ok installed\nVersion: 2410mlnx54-1.2410068\n"
    all_of_one = "\n".join(rebuilt.format(name) for name in ("rdma-core", "libibverbs1", "ibverbs-providers"))
    assert host({"var/lib/dpkg/status": all_of_one})["mixed_stack"] == []
    before, _, after = all_of_one.partition("Package: libibverbs1")
    half = f"{before}Package: libibverbs1{after.replace('2410mlnx54-1.2410068', '44.0-2', 1)}"
    assert host({"var/lib/dpkg/status": half})["mixed_stack"] == ["libibverbs1 44.0-2"]


def test_a_devices_interface_is_found_by_its_gid_table_its_parent_or_its_pci_device(host):
    assert {name: each["interface"] for name, each in host()["devices"].items()} == {
        "rxe_rail0": "rail0",
        "rxe_rail1": "rail1",
        "mlx5_2": "ens9",
    }
    assert host()["devices"]["rxe_rail0"] == {"interface": "rail0", "state": "ACTIVE", "link_layer": "Ethernet"}


@pytest.mark.parametrize(("kernel", "mode"), [("Y\n", "shared"), ("N\n", "exclusive"), ("", "")])
def test_network_namespaces_of_devices_are_read_from_the_kernel(host, kernel, mode):
    assert host({"sys/module/ib_core/parameters/netns_mode": kernel})["namespaces"] == mode


def test_soft_roce_links_that_come_back_at_boot_are_listed(host):
    assert host()["soft_roce_kept"] == ["rail0"]


def test_a_host_without_any_of_it_is_read_without_an_error(facts, tree):
    root = str(tree({"etc/hostname": "bare\n"}))
    found = facts("rdma_facts", root=root, etc_root=root, modules=["rdma_cm"], packages=["rdma-core"])["gpufabric_rdma"]
    assert found["devices"] == {}
    assert found["modules"] == {"rdma_cm": "missing"}
    assert found["distribution"] == {"id": "", "version_id": ""}


def test_what_a_distribution_packages_of_nvidias_stack_itself_is_named_apart(host):
    paragraph = "Package: {}\nStatus: install ok installed\nVersion: {}\nMaintainer: {}\n\n"
    theirs = paragraph.format("doca-ofed-generic", "7.0.0-31", "Ubuntu Kernel Team <kernel-team@lists.ubuntu.com>")
    nvidias = paragraph.format("doca-ofed", "2.9.3-0.1.7", "NVIDIA <support@example.com>")
    found = host({"var/lib/dpkg/status": theirs + nvidias})
    assert found["by_distribution"] == ["doca-ofed-generic 7.0.0-31"]
    assert found["vendor_stack"] == ["doca-ofed 2.9.3-0.1.7", "doca-ofed-generic 7.0.0-31"]


def test_a_next_kernel_without_nvidias_modules_is_told_before_it_boots(host):
    built = {
        "var/lib/dkms/mlnx-ofed-kernel/24.10/source/dkms.conf": "",
        f"var/lib/dkms/mlnx-ofed-kernel/24.10/{RELEASE}/x86_64/module/mlx5_core.ko": "x",
        f"lib/modules/{RELEASE}/updates/dkms/mlx5_core.ko": "x",
    }
    assert host(built)["unbuilt"] == []
    menu = {"boot/grub/grub.cfg": "menuentry x {\n\tlinux /boot/vmlinuz-6.1.0-31-amd64 ro\n}\n"}
    assert host({**built, **menu})["unbuilt"] == ["mlnx-ofed-kernel/24.10 for 6.1.0-31-amd64"]


def test_a_host_without_a_set_of_ours_tells_none(host):
    assert host()["doca"] == {"version": "", "wrong": [], "not_held": []}


def test_the_unit_of_a_rail_with_a_dash_in_its_name_is_known_by_that_name(host):
    name = r"rail\x2d1"
    unit = f"etc/systemd/system/sys-subsystem-net-devices-{name}.device.wants/gpufabric-rxe@{name}.service"
    assert host({unit: ""})["soft_roce_kept"] == ["rail-1", "rail0"]

"""The exchange of the driver stack on a machine whose kernel really loads what is installed, or refuses it.

Packages of NVIDIA's names hold the kernel's own mlx5_core under versions of their own (toy_driver.py); apt, dpkg, DKMS,
initramfs and the loading of modules are real. The ports are a stand-in: this machine has no ConnectX.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from lab_machines import MachineLab, PlaybookRun

HOSTS = 1
HOST = "gpu-1"
HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1] / "molecule/rdma_doca/files/make_repository.sh"
GOOD, REFUSED = "2.9.1", "2.9.3"
"""Versions in that repository: the kernel takes the module of the one, and refuses that of the other."""
STAND_IN = """
set -e
mkdir -p /srv/host/sys/class/net/rail0 /srv/host/sys/class/infiniband/rocep10s0/ports/1/gid_attrs/ndevs
cd /srv/host
echo rail0 >sys/class/infiniband/rocep10s0/ports/1/gid_attrs/ndevs/0
echo '4: ACTIVE' >sys/class/infiniband/rocep10s0/ports/1/state
ln -sfn /sys/module sys/module
ln -sfn /proc proc
ln -sfn /lib lib
mkdir -p /lib/modules/$(uname -r)/build/include
modprobe mlx5_ib
"""
"""One port, the real kernel behind it; and the folder by which DKMS knows that a kernel's headers are there."""
RUNNING, ON_DISK = "cat /sys/module/mlx5_core/srcversion", "modinfo -F srcversion mlx5_core"

pytestmark = pytest.mark.long  # three exchanges on an emulated machine, and a reboot


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed repository of small packages; DKMS is Debian's."""
    folder = tmp_path_factory.mktemp("mirror") / "doca"
    folder.mkdir()
    assert shutil.which("gpg"), "apt-get install gpg"
    subprocess.run(["apt-get", "download", "-qq", "dkms", "lsb-release"], cwd=folder, check=True, timeout=120)
    argv = ["sh", str(REPOSITORY), str(folder), str(HERE / "toy_driver.py"), str(HERE / "toy_openibd.sh")]
    subprocess.run(argv, check=True, timeout=120, capture_output=True)
    return folder


@pytest.fixture
def host(bare: MachineLab, repository: Path) -> MachineLab:
    """A machine with the kernel's own driver loaded, and the repository on its disk."""
    with subprocess.Popen(["tar", "-C", str(repository.parent), "-c", "doca"], stdout=subprocess.PIPE) as packed:
        subprocess.run([*bare.machines.ssh, HOST, "tar -C /opt -x"], stdin=packed.stdout, check=True, timeout=120)
    bare.ssh(HOST, STAND_IN)
    return bare


def exchange(lab: MachineLab, version: str) -> PlaybookRun:
    """Ask for this version, with a restart of openibd allowed."""
    wanted = {
        "rdma_stack_provider": "mlx5",
        "rdma_stack_rails": ["rail0"],
        "rdma_stack_root": "/srv/host",
        "rdma_stack_source": "doca",
        "rdma_stack_doca_url": "file:///opt/doca",
        "rdma_stack_doca_key_fingerprint": lab.ssh(HOST, "cat /opt/doca/fingerprint").split()[0],
        "rdma_stack_doca_version": version,
        "rdma_stack_doca_restart": True,
        "rdma_stack_apt_update": False,
        "rdma_stack_packages": [],
        "rdma_stack_peermem": False,
    }
    return lab.playbook("-e", json.dumps(wanted), playbook="tests/machines/driver_exchange.yml")


def test_a_driver_that_the_kernel_refuses_goes_and_the_one_before_runs_again_also_after_a_reboot(
    host: MachineLab,
) -> None:
    own = host.ssh(HOST, f"cd /sys/module/mlx5_core; cat srcversion version 2>/dev/null; {ON_DISK}")
    first = exchange(host, GOOD)
    assert (first.code, first.failures(HOST)) == (0, [])
    running = host.ssh(HOST, RUNNING).strip()
    assert running not in ("", own.strip())
    assert host.ssh(HOST, ON_DISK).strip() == running
    again = exchange(host, GOOD)
    assert (again.code, again.changed(HOST)) == (0, [])

    boot, packages = host.boot_id(HOST), host.ssh(HOST, "dpkg-query -W; dkms status")
    host.ssh(HOST, "dmesg --clear")
    failed = exchange(host, REFUSED)
    assert failed.code != 0
    assert f"rdma_stack_doca_version: {REFUSED} was not installed, and the stack is as it was" in failed.output(HOST)
    assert "mlx5_core: version magic" in host.ssh(HOST, "dmesg"), "the kernel was asked, and refused it"
    assert (host.ssh(HOST, RUNNING).strip(), host.ssh(HOST, ON_DISK).strip()) == (running, running)
    assert host.ssh(HOST, "dpkg-query -W; dkms status") == packages
    assert host.boot_id(HOST) == boot

    host.reboot(HOST)
    host.ssh(HOST, "modprobe mlx5_core")
    assert host.ssh(HOST, RUNNING).strip() == running

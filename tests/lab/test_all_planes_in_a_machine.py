"""All planes of the built-in lab in one QEMU machine: as designed, and NFS outlives a leg of a bond.

On a kernel that has all of these the same runs in namespaces; ``--machine`` makes it the machine everywhere.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import ROOT, Operator
from routed_lab import RoutedLab, needs_root, on_this_machine, until

from nornir_tasks.usecases.site import load

pytestmark = [needs_root, pytest.mark.long]
CONVERGED_S = 900.0
"""In an emulated machine on busy cores."""
SERVER, CLIENT, NFS_TAG = "storage-1", "gpu-1", 200
SWITCHES = {"compute": 10, "front": 8, "oob": 4}
TIMES: list[str] = []
_SERVE = """
modprobe nfsd
mkdir -p /srv/nfs
mount -t tmpfs tmpfs /srv/nfs
mount -t nfsd nfsd /proc/fs/nfsd
echo 10 > /proc/fs/nfsd/nfsv4leasetime
echo 10 > /proc/fs/nfsd/nfsv4gracetime
exportfs -o rw,fsid=0,no_root_squash,insecure,no_subtree_check '*:/srv/nfs'
rpc.mountd -N 2 -N 3
rpc.nfsd -N 3 4
"""
_MOUNT = "mkdir -p /mnt/nfs && mount -t nfs4 -o vers=4.2,proto=tcp,hard {server}:/ /mnt/nfs"
_WORK = """
import json, os, sys, time
longest_s, count, end_s = 0.0, 0, time.monotonic() + float(sys.argv[1])
while (began_s := time.monotonic()) < end_s:
    block = os.urandom(65536)
    with open("/mnt/nfs/block", "wb") as file:
        file.write(block)
        file.flush()
        os.fsync(file.fileno())
    descriptor = os.open("/mnt/nfs/block", os.O_RDONLY | os.O_DIRECT)
    os.close(descriptor)
    with open("/mnt/nfs/block", "rb") as file:
        assert file.read() == block
    longest_s, count = max(longest_s, time.monotonic() - began_s), count + 1
print(json.dumps({"blocks": count, "longest_s": longest_s}))
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    where = tmp_path_factory.mktemp("planes")
    operator = Operator(ROOT / "inventory/lab", where / "state", timeout_s=3600.0)
    began_s = time.monotonic()
    try:
        operator.run("lab", "up", "--routed", "--machine")
        up_s = time.monotonic() - began_s
        operator.run("push", "--yes")
        pushed_s = time.monotonic() - began_s
        made = RoutedLab(operator)
        until(made.assert_both_tiers_agree, CONVERGED_S)
        until(made.assert_bonds_talk, CONVERGED_S)
        all_s = time.monotonic() - began_s
        TIMES.append(f"up after {up_s:.0f} s, pushed after {pushed_s:.0f} s, sessions and bonds after {all_s:.0f} s")
        yield made
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


@pytest.fixture
def mended(lab: RoutedLab) -> Iterator[None]:
    """For a test that breaks something: all is whole afterwards."""
    yield
    lab.operator.run("lab", "mend")
    until(lab.assert_both_tiers_agree, CONVERGED_S)
    until(lab.assert_bonds_talk, CONVERGED_S)


def test_a_second_push_changes_nothing_and_validate_finds_everything_as_designed(
    lab: RoutedLab, figure: Callable[[str], None]
) -> None:
    assert len(lab.switches) == sum(SWITCHES.values())
    assert f"0 of {len(lab.switches)} changed" in lab.operator.run("push", "--yes")
    output = lab.operator.run("validate")
    tested = re.search(r"passed, tested (\d+) of (\d+)", output)
    assert tested and tested[1] == tested[2], output
    machine = lab.operator.json("lab", "status")["machine"]
    kib = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{machine['pid']}/status").read_text())
    assert kib is not None
    memory = f"{int(kib[1]) // 1024} MiB of QEMU"
    figure(f"all planes, {len(lab.switches)} switches ({machine['accelerator']}): {TIMES[0]}; {memory}; {tested[0]}")


def test_every_kernel_has_the_next_hops_of_the_design(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    network = load(lab.operator.site).network
    routes = {fabric: lab.assert_next_hops_of_the_design(network, fabric) for fabric in SWITCHES}
    assert all(routes.values())
    figure(f"all planes in a machine: routes with the design's next hops in leaves' kernels: {routes}")


def test_probes_cross_every_spine(lab: RoutedLab) -> None:
    found = lab.operator.json("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", "4")
    crossed = {name for name, packets in found["crossed"].items() if packets > found["sent"] / 10}
    assert (found["lost"], crossed) == (0, {"spine-1", "spine-2"})


def test_no_switch_is_routed_without_a_line_that_was_pushed(lab: RoutedLab) -> None:
    for each in lab.ask("status")["devices"]:
        assert (each["refused"], each["left_out"]) == ([], []), each["name"]


class Machine:
    """Scripts in hosts' namespaces, with the file systems of the machine itself."""

    def __init__(self, lab: RoutedLab) -> None:
        ready = json.loads((lab.operator.lab / "ready.json").read_text())
        self._lab, self._ssh = lab, ["ssh", "-F", ready["machine"]["ssh_config"], "fabric"]

    def begin(self, host: str, script: str, interpreter: str = "sh -e -s") -> subprocess.Popen[str]:
        words = [*self._ssh, f"nsenter --net=/run/netns/{self._lab.name}-{host} {interpreter}"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert process.stdin is not None
        process.stdin.write(script)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, host: str, script: str) -> str:
        process = self.begin(host, script)
        stdout, stderr = process.communicate(timeout=180)
        assert process.returncode == 0, stdout + stderr
        return stdout


def address(lab: RoutedLab, host: str) -> str:
    """Of a host's VLAN of the storage plane; of a bond without tags, its own."""
    spec: dict[str, Any] = json.loads((lab.operator.lab / "spec.json").read_text())
    (bond,) = (each for each in spec["bonds"] if each["host"] == host)
    vlan = next((each for each in bond["vlans"] if each.get("tag") == NFS_TAG), bond["vlans"][0])
    return str(next(each for each in vlan["addresses"] if ":" not in each)).partition("/")[0]


@pytest.mark.usefixtures("mended")
def test_an_nfs_mount_goes_on_while_a_leg_of_its_bond_is_cut(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    machine = Machine(lab)
    machine.run(SERVER, _SERVE)
    machine.run(CLIENT, _MOUNT.format(server=address(lab, SERVER)))
    work = machine.begin(CLIENT, _WORK, "python3 - 60")
    time.sleep(10.0)
    lab.operator.run("lab", "cut", f"{CLIENT}:front0")
    stdout, stderr = work.communicate(timeout=300)
    assert work.returncode == 0, stderr
    found = json.loads(stdout)
    assert found["blocks"] > 0
    after = machine.begin(CLIENT, _WORK, "python3 - 5")
    stdout, stderr = after.communicate(timeout=120)
    assert after.returncode == 0 and json.loads(stdout)["blocks"] > 0, stderr
    blocks, longest_s = found["blocks"], found["longest_s"]
    figure(f"NFS over a bond, one leg cut amid it: {blocks} blocks of 64 KiB in 60 s, the longest {longest_s:.1f} s")
    machine.run(CLIENT, "umount /mnt/nfs")

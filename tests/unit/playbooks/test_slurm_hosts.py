"""site.yml over twenty nodes of a real Slurm: jobs are waited for, few nodes are out at once, crashes are survived.

A reboot is none: the node's slurmd is killed, and started again as after a boot (tests/slurm_cluster.py).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from disturbed import disturbing, with_hosts, with_reboots_by
from test_host_waves import copy, hosts_of, needing_a_reboot, play  # noqa: F401 - a fixture

from tests.needs import require
from tests.slurm_cluster import SlurmCluster, Watch, slurm

NODES = tuple(f"gpu-{number}" for number in range(1, 21))
OWN = "gpufabric site=test "
REBOOT = """\
#!/bin/sh
# The node's jobs at this moment, then the reboot, which the test makes.
set -eu
echo "$1 $(squeue -h -w "$1" -o %i | tr '\\n' ' ')" >>{where}/reboots
touch {where}/wanted/"$1"
while [ -e {where}/wanted/"$1" ]; do sleep 0.2; done
"""
DRAINS = {
    "gpufabric_drain": "slurm",
    "gpufabric_drain_from": "localhost",
    "gpufabric_site": "test",
    "gpufabric_reboot_allowed": True,
    "reasons": ["iommu=pt"],
}


class Reboots:
    """Reboots nodes, as the program of the playbook wants it."""

    def __init__(self, cluster: SlurmCluster, where: Path) -> None:
        self.cluster, self.where = cluster, where
        (where / "wanted").mkdir()
        self.program = where / "reboot"
        self.program.write_text(REBOOT.format(where=where))
        self.program.chmod(0o755)
        threading.Thread(target=self._make, daemon=True).start()

    def _make(self) -> None:
        while self.where.exists():
            for file in (self.where / "wanted").glob("*"):
                self.cluster.kill(file.name)
                time.sleep(1)
                self.cluster.start_node(file.name, "-b")
                file.unlink()
            time.sleep(0.2)

    def of(self) -> dict[str, list[str]]:
        """Node -> the jobs that ran on it at each of its reboots."""
        found: dict[str, list[str]] = {}
        lines = (self.where / "reboots").read_text().splitlines() if (self.where / "reboots").exists() else []
        for line in lines:
            node, _, jobs = line.partition(" ")
            found.setdefault(node, []).append(jobs.strip())
        return found


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmCluster]:
    require("root", "slurmctld", "slurmd", "scontrol")
    with slurm(tmp_path_factory.mktemp("slurm"), NODES) as running:
        monkeypatch.setenv("SLURM_CONF", running.environment["SLURM_CONF"])
        yield running


@pytest.fixture
def reboots(cluster: SlurmCluster, copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Reboots:  # noqa: F811
    made = Reboots(cluster, tmp_path_factory.mktemp("reboots"))
    with_reboots_by(copy, made.program)
    needing_a_reboot(copy)
    return made


def idle(cluster: SlurmCluster, nodes: tuple[str, ...] | list[str]) -> bool:
    states = cluster.states()
    return all(states.get(node) == ("IDLE", "") for node in nodes)


def start(copy: Path, **extra: object) -> subprocess.Popen[bytes]:  # noqa: F811
    """site.yml in a process group of its own, so that it can be killed with all that it forked."""
    return subprocess.Popen(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.yml", "site.yml", "-e", json.dumps(extra)],
        cwd=copy,
        env={**os.environ, "ANSIBLE_CONFIG": str(copy / "ansible.cfg"), "ANSIBLE_FORKS": "4"},
        stdout=(copy / "first.log").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


@pytest.mark.long
def test_a_running_job_is_waited_for_the_node_rebooted_and_given_back_and_others_drains_stay(
    cluster: SlurmCluster,
    copy: Path,  # noqa: F811
    reboots: Reboots,
) -> None:
    nodes = ["gpu-1", "gpu-2", "gpu-3", "gpu-4"]
    with_hosts(copy, nodes)
    job = cluster.submit("gpu-1", 45)
    endless = cluster.submit("gpu-3", 3600)
    cluster.run("scontrol", "update", "nodename=gpu-4", "state=DRAIN", "reason=bad DIMM")
    with Watch(cluster, OWN) as watch:
        code, printed, notes = play(copy, **DRAINS, disturbing=disturbing(nodes), gpufabric_drain_wait_s=90)
    words = " ".join(printed.split())
    assert code != 0, "a node that never drained was left out"
    why = "Left out: not free within gpufabric_drain_wait_s (90 s): jobs may run on it (ALLOCATED+DRAIN"
    assert why in words, words[-3000:]
    assert (copy / "out/site.retry").read_text() == "gpu-3\n"
    assert reboots.of() == {"gpu-1": [""], "gpu-2": [""], "gpu-4": [""]}, "rebooted once each, with no job on it"
    assert cluster.run("squeue", "-h", "-o", "%i") == endless, f"job {job} ended by itself; {endless} runs on"
    assert hosts_of(notes, "host_validate") == ["gpu-1", "gpu-2", "gpu-4"]
    assert idle(cluster, ["gpu-1", "gpu-2"])
    state, reason = cluster.states()["gpu-4"]
    assert ("DRAIN" in state, reason) == (True, "bad DIMM"), "another's drain stays (DOWN, too, as it was rebooted)"
    assert cluster.out(OWN) == []
    assert watch.most == 1, "5 % of four hosts is one"


@pytest.mark.long
def test_of_twenty_nodes_never_more_than_the_maximum_are_out_when_ansible_and_slurmctld_are_killed(
    cluster: SlurmCluster,
    copy: Path,  # noqa: F811
    reboots: Reboots,
    figure: Callable[[str], None],
) -> None:
    with_hosts(copy, list(NODES))
    most = {"gpufabric_disrupt_max": "10%", "gpufabric_drain_wait_s": 300, "disturbing": disturbing(list(NODES))}
    for node in ("gpu-4", "gpu-9"):
        cluster.submit(node, 60)
    with Watch(cluster, OWN) as watch:
        first = start(copy, **DRAINS, **most)
        cluster.wait(lambda: len(reboots.of()) >= 4, "four nodes rebooted", 600)
        cluster.wait(lambda: cluster.out(OWN), "some node is out")
        os.killpg(first.pid, signal.SIGKILL)
        first.wait(30)
        left = cluster.out(OWN)
        assert left, "killed while nodes were out"
        second = start(copy, **DRAINS, **most)
        rebooted = len(reboots.of())
        cluster.wait(lambda: len(reboots.of()) >= rebooted + 4, "more nodes rebooted", 600)
        cluster.kill("slurmctld")
        time.sleep(5)
        cluster.start_controller()
        code = second.wait(1500)
    log = (copy / "first.log").read_text()
    assert code == 0, log[-3000:]
    assert set(reboots.of()) == set(NODES)
    assert not any(jobs for each in reboots.of().values() for jobs in each), f"rebooted under a job: {reboots.of()}"
    assert 1 <= watch.most <= 2, "10 % of twenty"
    cluster.wait(lambda: idle(cluster, NODES), "all given back", 60)
    figure(f"nodes of twenty that were out at once, of at most two: {watch.most}")

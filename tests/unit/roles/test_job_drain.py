"""Nodes are taken out of a real Slurm and given back: jobs are waited for, others' drains stay, a crash is survived."""

import sys
import threading
import time
from pathlib import Path

import pytest
from job_drain import Bounds, Drain, SchedulerError

from tests.needs import require
from tests.slurm_cluster import SlurmCluster, slurm

schedulers = sys.modules[SchedulerError.__module__]  # the same classes, by whichever name they were imported
NODES = ("gpu-1", "gpu-2", "gpu-3", "gpu-4")
OWN = "gpufabric site=lab "
REASON = f"{OWN}run=1"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory):
    require("root", "slurmctld", "slurmd", "scontrol")
    with slurm(tmp_path_factory.mktemp("slurm"), NODES) as cluster:
        yield cluster


@pytest.fixture
def cluster(running: SlurmCluster, monkeypatch: pytest.MonkeyPatch):
    """All nodes idle, and Slurm's commands find this cluster."""
    monkeypatch.setenv("SLURM_CONF", running.environment["SLURM_CONF"])
    if jobs := running.jobs():
        running.run("scancel", "--full", *jobs, check=False)
    for node in running.out():
        running.run("scontrol", "update", f"nodename={node}", "state=RESUME")
    running.wait(lambda: all(state == "IDLE" for state, _ in running.states().values()), "all idle")
    return running


def drain(limit: int = 2, wait_s: int = 30, answer_s: int = 20) -> Drain:
    return Drain(schedulers.Slurm(["scontrol"]), OWN, Bounds(limit, wait_s, answer_s, poll_s=0.2))


def test_a_running_job_is_waited_for_and_the_node_given_back_takes_jobs_again(cluster: SlurmCluster) -> None:
    job = cluster.submit("gpu-1", 4)
    found = drain().drain(["gpu-1"], NODES, REASON)["gpu-1"]
    assert (found.problem, found.is_ours) == ("", True)
    assert job not in cluster.jobs(), "drained while its job ran"
    assert cluster.states()["gpu-1"] == ("IDLE+DRAIN", REASON)
    assert drain().resume(["gpu-1"])["gpu-1"].problem == ""
    cluster.submit("gpu-1", 1)


def test_a_node_that_never_drains_is_given_back_and_named_and_its_job_runs_on(cluster: SlurmCluster) -> None:
    job = cluster.submit("gpu-1", 600)
    found = drain(wait_s=2).drain(["gpu-1", "gpu-2"], NODES, REASON)
    assert "not free within gpufabric_drain_wait_s (2 s): jobs may run on it" in found["gpu-1"].problem
    assert found["gpu-2"].problem == "", "another node's job is no reason to leave this one out"
    assert job in cluster.jobs()
    assert cluster.out() == ["gpu-2"]


def test_no_more_nodes_than_the_limit_are_out_and_those_of_an_earlier_run_count(cluster: SlurmCluster) -> None:
    cluster.run("scontrol", "update", "nodename=gpu-4", "state=DRAIN", f"reason={OWN}run=0")
    found = drain(limit=2).drain(["gpu-1", "gpu-2"], NODES, REASON)
    assert found["gpu-1"].problem == ""
    assert "2 of at most 2 nodes are out already (gpu-1, gpu-4)" in found["gpu-2"].problem
    assert sorted(cluster.out()) == ["gpu-1", "gpu-4"]


def test_a_node_that_an_earlier_run_took_out_is_ours_and_goes_back(cluster: SlurmCluster) -> None:
    cluster.run("scontrol", "update", "nodename=gpu-4", "state=DRAIN", f"reason={OWN}run=0")
    found = drain(limit=1).drain(["gpu-4"], NODES, REASON)["gpu-4"]
    assert (found.problem, found.is_ours, found.changed) == ("", True, False)
    drain().resume(["gpu-4"])
    assert cluster.out() == []


@pytest.mark.parametrize(
    "reason", ["bad DIMM", "gpufabric site=other run=1", "gpufabric site=lab2 run=1"], ids=["admin", "site", "name"]
)
def test_a_node_that_somebody_else_drained_keeps_its_reason_and_stays_out(cluster: SlurmCluster, reason: str) -> None:
    cluster.run("scontrol", "update", "nodename=gpu-1", "state=DRAIN", f"reason={reason}")
    found = drain(limit=1).drain(["gpu-1"], NODES, REASON)["gpu-1"]
    assert (found.problem, found.is_ours, found.is_out) == ("", False, True)
    assert drain().resume(["gpu-1"])["gpu-1"].problem == ""
    assert cluster.states()["gpu-1"] == ("IDLE+DRAIN", reason)


def test_a_reason_that_somebody_wrote_over_ours_is_theirs(cluster: SlurmCluster) -> None:
    drain().drain(["gpu-1"], NODES, REASON)
    cluster.run("scontrol", "update", "nodename=gpu-1", "state=DRAIN", "reason=taken for a test")
    drain().resume(["gpu-1"])
    assert cluster.states()["gpu-1"] == ("IDLE+DRAIN", "taken for a test")


def test_a_node_that_is_down_is_no_node_of_ours_and_does_not_come_up_by_us(cluster: SlurmCluster) -> None:
    cluster.run("scontrol", "update", "nodename=gpu-2", "state=DOWN", "reason=PSU")
    found = drain(limit=1).drain(["gpu-2"], NODES, REASON)["gpu-2"]
    assert (found.problem, found.is_ours) == ("", False)
    drain().resume(["gpu-2"])
    assert cluster.states()["gpu-2"] == ("DOWN", "PSU")


def test_a_rebooted_node_is_given_back_only_after_slurm_has_heard_of_its_boot(cluster: SlurmCluster) -> None:
    drain().drain(["gpu-1"], NODES, REASON)
    cluster.kill("gpu-1")
    found = drain(answer_s=2).resume(["gpu-1"], rebooted=True)["gpu-1"]
    assert "has not heard of its reboot" in found.problem
    assert cluster.out(OWN) == ["gpu-1"]
    threading.Timer(3, cluster.start_node, ["gpu-1", "-b"]).start()
    assert drain().resume(["gpu-1"], rebooted=True)["gpu-1"].problem == ""
    time.sleep(5)
    assert cluster.states()["gpu-1"] == ("IDLE", ""), "Slurm took it out anew"


LATE_BOOT = """\
#!/bin/sh
# A controller that hears of the boot once more after the node is back: the node is out again until the next RESUME.
cd "$(dirname "$0")"
case "$*" in
*state=RESUME*) echo >>resumed ;;
*) case $(wc -l <resumed) in
   0) state='IDLE+DRAIN' reason='gpufabric site=lab run=1' ;;
   1) if [ -e read ]; then state=DOWN reason='Node unexpectedly rebooted'; else touch read; state=IDLE; fi ;;
   *) state=IDLE ;;
   esac
   since='[root@2026-01-01T00:00:00]'
   echo "NodeName=gpu-1 State=$state BootTime=2026-01-02T00:00:00${reason:+ Reason=$reason $since}" ;;
esac
"""


def test_a_node_that_slurm_takes_out_once_more_for_its_late_boot_does_not_stay_out(tmp_path: Path) -> None:
    program = tmp_path / "scontrol"
    program.write_text(LATE_BOOT)
    program.chmod(0o755)
    (tmp_path / "resumed").touch()
    late = Drain(schedulers.Slurm([str(program)]), OWN, Bounds(2, 30, 20, poll_s=0.2))
    assert late.resume(["gpu-1"], rebooted=True)["gpu-1"].problem == ""
    assert (tmp_path / "resumed").read_text().count("\n") == 2
    assert not late.read(["gpu-1"])["gpu-1"].is_out


def test_a_node_that_slurm_does_not_know_is_named_and_the_others_go_on(cluster: SlurmCluster) -> None:
    found = drain().drain(["gpu-9", "gpu-1"], [*NODES, "gpu-9"], REASON)
    assert "the scheduler knows no such node; gpufabric_node_name" in found["gpu-9"].problem
    assert found["gpu-1"].problem == ""


def test_a_controller_that_is_killed_while_jobs_are_waited_for_changes_nothing(cluster: SlurmCluster) -> None:
    cluster.submit("gpu-1", 15)
    time.sleep(7)  # Slurm saves its state every five seconds; a job that it has forgotten is none that we wait for
    found = {}
    thread = threading.Thread(target=lambda: found.update(drain(wait_s=60).drain(["gpu-1"], NODES, REASON)))
    thread.start()
    cluster.wait(lambda: cluster.out(OWN) == ["gpu-1"], "drained")
    cluster.kill("slurmctld")
    time.sleep(2)
    cluster.start_controller()
    thread.join(90)
    assert found["gpu-1"].problem == ""
    assert cluster.states()["gpu-1"] == ("IDLE+DRAIN", REASON)


def test_a_scheduler_that_stays_away_is_said_and_nothing_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require("scontrol")
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=x\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=9\nAuthType=auth/none\n"
    )
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    found = drain(answer_s=1).drain(["gpu-1"], NODES, REASON)["gpu-1"]
    assert "Unable to contact slurm controller" in found.problem


PROGRAM = """\
#!/bin/sh
set -eu
folder={folder}
case $1 in
show) cat "$folder/$2" 2>/dev/null || : ;;
drain) case $2 in bad) echo "no such rack" >&2; exit 3 ;; never) sleep 60 ;; esac; echo "$3" >"$folder/$2" ;;
undrain) rm -f "$folder/$2" ;;
esac
"""


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """A site's own program, which keeps a file for each node that is out."""
    file = tmp_path / "site-drain"
    file.write_text(PROGRAM.format(folder=tmp_path))
    file.chmod(0o755)
    return [str(file)]


def test_a_sites_own_program_drains_and_gives_back(program: list[str], tmp_path: Path) -> None:
    own = Drain(schedulers.Command(program), OWN, Bounds(2, 20, 1, poll_s=0.1))
    assert own.drain(["a"], ["a", "b"], REASON)["a"].problem == ""
    assert (tmp_path / "a").read_text().strip() == REASON
    assert own.resume(["a", "b"])["a"].problem == ""
    assert not (tmp_path / "a").exists()


def test_a_drain_command_that_fails_is_named_with_what_it_printed_and_the_others_go_on(program: list[str]) -> None:
    own = Drain(schedulers.Command(program), OWN, Bounds(3, 3, 1, poll_s=0.1))
    found = own.drain(["bad", "never", "a"], ["bad", "never", "a"], REASON)
    assert "exit code 3: no such rack" in found["bad"].problem
    assert "not free within gpufabric_drain_wait_s (3 s)" in found["never"].problem
    assert found["a"].problem == ""


def test_a_program_that_is_not_there_is_named() -> None:
    own = Drain(schedulers.scheduler("command", ["/no/such/program"]), OWN, Bounds(1, 1, 1, poll_s=0.1))
    assert "/no/such/program: No such file or directory" in own.drain(["a"], ["a"], REASON)["a"].problem

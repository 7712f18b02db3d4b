"""A real Slurm of many nodes on one machine: slurmctld, and a slurmd for each node, each with a port of loopback.

No munge (``auth/none``) and no cgroups, so that a container or a bare namespace suffices. A reboot is none: the node's
slurmd is killed, and started again with ``-b``, by which it reports a boot ("Used for testing purposes", slurmd(8)).
"""

from __future__ import annotations

import getpass
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

STARTS_WITHIN_S = 60.0
NODE = re.compile(r"NodeName=(\S+) .*? State=(\S+) ")
REASON = re.compile(r" Reason=(.*?) \[")


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody has now."""
    sockets = [closing(socket.socket()) for _ in range(count)]
    opened = [each.__enter__() for each in sockets]
    for each in opened:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in opened]
    for each in sockets:
        each.__exit__(None, None, None)
    return ports


@dataclass
class SlurmCluster:
    """A cluster in a folder; ``environment`` is that of its commands."""

    where: Path
    nodes: tuple[str, ...]
    environment: dict[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start_controller(self) -> None:
        self._start("slurmctld", ["slurmctld", "-D", "-f", self.environment["SLURM_CONF"]])

    def start_node(self, node: str, *options: str) -> None:
        (self.where / "spool" / node).mkdir(parents=True, exist_ok=True)
        self._start(node, ["slurmd", "-D", *options, "-N", node, "-f", self.environment["SLURM_CONF"]])

    def _start(self, name: str, argv: list[str]) -> None:
        with (self.where / f"{name}.out").open("ab") as out:
            self.processes[name] = subprocess.Popen(argv, env=self.environment, stdout=out, stderr=out)

    def kill(self, name: str) -> None:
        """As a crash: no warning. ``slurmctld``, or a node."""
        self.processes[name].kill()
        self.processes[name].wait(30)

    def run(self, *argv: str, check: bool = True) -> str:
        """What a command of Slurm prints."""
        return subprocess.run(
            argv, env=self.environment, capture_output=True, text=True, check=check, timeout=60
        ).stdout.strip()

    def submit(self, node: str, seconds: float) -> str:
        """A job that sleeps on one node; its number."""
        output = self.run("sbatch", "--parsable", "-o", "/dev/null", "-w", node, "--wrap", f"sleep {seconds}")
        self.wait(lambda: self.run("squeue", "-h", "-j", output, "-o", "%T") == "RUNNING", f"job {output} on {node}")
        return output

    def jobs(self) -> list[str]:
        return self.run("squeue", "-h", "-o", "%i").split()

    def states(self) -> dict[str, tuple[str, str]]:
        """Node -> (state, reason), as scontrol says; empty while the controller is away."""
        found = {}
        for line in self.run("scontrol", "-o", "show", "node", check=False).splitlines():
            if node := NODE.match(line):
                reason = REASON.search(line)
                found[node[1]] = (node[2], reason[1] if reason else "")
        return found

    def out(self, own: str = "") -> list[str]:
        """Nodes that take no new job, for a reason that begins so."""
        return [
            node
            for node, (state, reason) in self.states().items()
            if ("DRAIN" in state or "DOWN" in state) and reason.startswith(own)
        ]

    def wait(self, until: object, what: str, within_s: float = STARTS_WITHIN_S) -> None:
        end = time.monotonic() + within_s
        while not until():  # type: ignore[operator]
            assert time.monotonic() < end, f"{what}: not within {within_s} s; {self.states()}"
            time.sleep(0.2)

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait(10)


@contextmanager
def slurm(where: Path, nodes: tuple[str, ...], *, node_program: str = "") -> Iterator[SlurmCluster]:
    """Slurm with these nodes, all of them idle."""
    where.mkdir(parents=True, exist_ok=True)
    ports = free_ports(len(nodes) + 1)
    user = getpass.getuser()
    lines = [
        f"ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={ports[0]}",
        f"SlurmUser={user}\nSlurmdUser={user}\nAuthType=auth/none\nCredType=cred/none\nMailProg=/bin/true",
        f"StateSaveLocation={where}/state\nSlurmctldPidFile={where}/slurmctld.pid\nSlurmctldLogFile={where}/slurmctld.log",
        f"SlurmdPidFile={where}/%n.pid\nSlurmdSpoolDir={where}/spool/%n\nSlurmdLogFile={where}/%n.log",
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/linear\nReturnToService=1",
        "SlurmdParameters=config_overrides\nSlurmdTimeout=300\nSlurmctldTimeout=10\nKillWait=1\nSchedulerParameters=default",
        *([f"HealthCheckProgram={node_program}\nHealthCheckInterval=2"] if node_program else []),
        *(
            f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN"
            for node, port in zip(nodes, ports[1:], strict=True)
        ),
        "PartitionName=all Nodes=ALL Default=YES MaxTime=UNLIMITED",
    ]
    (where / "state").mkdir(exist_ok=True)
    (where / "slurm.conf").write_text("\n".join(lines) + "\n")
    path = f"/usr/sbin:/usr/bin:/sbin:/bin:{os.environ['PATH']}"
    cluster = SlurmCluster(where, nodes, {**os.environ, "SLURM_CONF": f"{where}/slurm.conf", "PATH": path})
    try:
        cluster.start_controller()
        for node in nodes:
            cluster.start_node(node)
        cluster.wait(
            lambda: (
                len(found := cluster.states()) == len(nodes) and all(state == "IDLE" for state, _ in found.values())
            ),
            "all nodes idle",
        )
        yield cluster
    finally:
        cluster.stop()


class Watch:
    """Counts, all the time, how many nodes are out for reasons of ours."""

    def __init__(self, cluster: SlurmCluster, own: str) -> None:
        self.cluster, self.own, self.most, self.seen = cluster, own, 0, set[str]()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._count, daemon=True)

    def _count(self) -> None:
        while not self._end.wait(0.1):
            out = self.cluster.out(self.own)
            self.most = max(self.most, len(out))
            self.seen.update(out)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(30)

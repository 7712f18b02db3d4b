"""What site.yml costs for a thousand hosts, from runs on 2, 4 and 8 containers at once.

Containers share this machine's cores with the controller, so wall time says little of real hosts. What carries over is
the controller's own CPU: a part for each run, and a part for each host, which a straight line through the runs tells.
"""

import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sites import ROOT

COUNTS = (2, 4, 8)
THOUSAND = 1000
RUN_TIMEOUT_S = 1800
COLUMNS = ("run", "hosts", "tasks", "changed", "wall s", "controller CPU s", "CPU s/host")
NOTE = (
    "`site.yml` on containers whose NICs are stand-ins (`molecule/site`), all in one wave, reached by `docker exec`. "
    "The last rows follow from the runs above by least squares: wall time as if hosts had no cores of their own."
)
NIC_MACS = {"ens3": "0c:42:a1:00:00:03", "ens16": "0c:42:a1:00:00:10", "ens17": "0c:42:a1:00:00:11"}


@dataclass(frozen=True)
class Run:
    """One run of site.yml on so many hosts."""

    which: str
    hosts: int
    tasks: int
    changed: int
    wall_s: float
    cpu_s: float
    """Of the controller's processes; containers' are not among them."""

    def row(self) -> tuple[str, ...]:
        """As the table has it."""
        cpu = (f"{self.cpu_s:.1f}", f"{self.cpu_s / self.hosts:.2f}")
        return (self.which, str(self.hosts), str(self.tasks), str(self.changed), f"{self.wall_s:.0f}", *cpu)


def rows(counts: Sequence[int] = COUNTS) -> list[tuple[str, ...]]:
    """Measured for each count, then extrapolated; what went wrong instead, if something did."""
    try:
        runs = [run for count in counts for run in _measured(count)]
    except (subprocess.SubprocessError, AssertionError) as error:  # the other tables are worth having
        print(f"  {error}", file=sys.stderr)
        return [(f"stopped: {str(error).splitlines()[0]}", *[""] * (len(COLUMNS) - 1))]
    return [*(run.row() for run in runs), *(_of_a_thousand(which, runs) for which in ("first", "second"))]


def line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Constant and slope of the straight line with the least squares."""
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return mean_y - slope * mean_x, slope


def _of_a_thousand(which: str, runs: Sequence[Run]) -> tuple[str, ...]:
    chosen = [run for run in runs if run.which == which]
    wall, cpu = (line([(run.hosts, value(run)) for run in chosen]) for value in (_wall, _cpu))
    wall_s, cpu_s = (constant + slope * THOUSAND for constant, slope in (wall, cpu))
    return (f"{which}, extrapolated", str(THOUSAND), "", "", f"{wall_s:.0f}", f"{cpu_s:.0f}", f"{cpu_s / THOUSAND:.2f}")


def _wall(run: Run) -> float:
    return run.wall_s


def _cpu(run: Run) -> float:
    return run.cpu_s


def _measured(count: int) -> Iterator[Run]:
    print(f"  site.yml on {count} containers", file=sys.stderr)
    hosts = subprocess.run(
        [str(ROOT / "scripts/role_hosts.sh"), "start"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=RUN_TIMEOUT_S,
    )
    exported = dict(
        shlex.split(each)[1].split("=", 1) for each in hosts.stdout.splitlines() if each.startswith("export ")
    )
    (ROOT / "out").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpufabric-bench-", dir=ROOT / "out") as folder:
        scenario = Path(folder) / "hosts"
        environment = os.environ | exported | _settings(scenario)
        _write(scenario, count)
        try:
            for step in ("destroy", "create", "prepare"):  # a run that was killed leaves its containers
                _molecule(step, environment)
            for which in ("first", "second"):
                run = _run(which, count, scenario, environment)
                print(
                    f"    {', '.join(f'{name} {value}' for name, value in zip(COLUMNS, run.row(), strict=True))}",
                    file=sys.stderr,
                )
                yield run
        finally:
            _molecule("destroy", environment)


def _settings(scenario: Path) -> dict[str, str]:
    return {
        "MOLECULE_GLOB": str(scenario.parent / "*/molecule.yml"),
        "MOLECULE_EPHEMERAL_DIRECTORY": str(scenario / "run"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def _write(scenario: Path, count: int) -> None:
    """A scenario like molecule/site, of ``count`` hosts with the kernel's own driver."""
    nics = [{"name": name, "mac": mac} for name, mac in NIC_MACS.items()]
    names = [f"bench-host-{number}" for number in range(1, count + 1)]
    like = ROOT / "molecule/site"
    scenario.mkdir(parents=True)
    settings = {
        "platforms": [{"name": name, "groups": ["compute"], "devices": ["/dev/fuse"], "nics": nics} for name in names],
        "ansible": {"playbooks": {"prepare": str(like / "prepare.yml"), "converge": str(like / "converge.yml")}},
        "provisioner": {
            "name": "ansible",
            "inventory": {"links": {"group_vars": str(like / "inventory/group_vars")}},
        },
    }
    (scenario / "molecule.yml").write_text(json.dumps(settings), encoding="utf-8")


def _molecule(step: str, environment: dict[str, str]) -> None:
    argv = ["molecule", step, "-s", "hosts"]
    done = subprocess.run(
        argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=RUN_TIMEOUT_S
    )
    assert done.returncode == 0, f"molecule {step} failed: {(done.stdout + done.stderr)[-2000:]}"


def _run(which: str, count: int, scenario: Path, environment: dict[str, str]) -> Run:
    settings = environment | {
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
    }
    settings["ANSIBLE_FORKS"] = str(count)
    inventory = scenario / "run/inventory"
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["ansible-playbook", "-i", str(inventory), str(ROOT / "site.yml")],
        cwd=ROOT, env=settings, capture_output=True, text=True, check=False, timeout=RUN_TIMEOUT_S,
    )  # fmt: skip
    wall_s, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"site.yml failed: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    answer = json.loads(done.stdout[done.stdout.find("{") :])
    tasks = sum(bool(task["hosts"]) for play in answer["plays"] for task in play["tasks"])
    changed = sum(each["changed"] for each in answer["stats"].values())
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(which, count, tasks, changed, wall_s, cpu_s)

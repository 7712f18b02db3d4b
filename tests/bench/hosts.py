"""Seconds per host of site.yml on lab machines: both runs, plain and with Mitogen, and the share of facts."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import ansible_mitogen
from sites import ROOT

RUN_TIMEOUT_S = 3600
SITE = "lab-rails"
UP_TIMEOUT_S = 1800
BARE = "bare"
STRATEGIES = {"plain, pipelining": "linear", "mitogen": "mitogen_linear"}
FACTS = ("setup", "_facts")
"""What the names of fact modules end with: ours are rail_facts, roce_facts, kernel_facts, rdma_facts, nccl_facts."""
COLUMNS = ("strategy", "run", "hosts", "tasks", "changed", "s/host", "facts s/host", "facts share", "reboot s/host")
NOTE = (
    "`ansible-playbook site.yml` on machines of the lab, from bare; the second run finds nothing to do. Wall seconds "
    "divided by hosts. Facts: every task that only reads the host. Without KVM a machine is many times slower than a "
    "real host."
)


class RunFailedError(Exception):
    """site.yml did not come through."""


def rows(hosts: int) -> list[tuple[str, ...]]:
    """Bring up this many machines in a lab of their own, measure, end them."""
    from nornir_tasks.errors import GpufabricError
    from nornir_tasks.lab.machines.requirements import check_requirements

    found: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        state = os.environ.get("GPUFABRIC_STATE")
        os.environ["GPUFABRIC_STATE"] = str(Path(folder) / "state")
        try:
            check_requirements()
            found.extend(_measured(hosts))
        except (
            GpufabricError,
            RunFailedError,
            subprocess.SubprocessError,
        ) as error:  # the other tables are worth having
            print(f"  {error}", file=sys.stderr)
            found.append((f"stopped: {str(error).splitlines()[0]}", *[""] * (len(COLUMNS) - 1)))
        finally:
            _nornir("lab", "down")
            os.environ.pop("GPUFABRIC_STATE")
            os.environ |= {"GPUFABRIC_STATE": state} if state else {}
    return found


def _measured(hosts: int) -> Iterator[tuple[str, ...]]:
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.machines import qmp
    from nornir_tasks.lab.machines.manager import Machines

    print(f"  {hosts} lab machines", file=sys.stderr)
    _nornir("lab", "up", "--hosts", str(hosts))
    machines = Machines(state_directory(SITE))
    for name in machines.names():
        qmp.save(machines.machine(name).directory, BARE)
    for title, strategy in STRATEGIES.items():
        for name in machines.names():
            qmp.load(machines.machine(name).directory, BARE)
            # A machine that slept has an old clock.
            subprocess.run(
                [*machines.ssh, name, f"date -s @{int(time.time())}"], capture_output=True, timeout=120, check=True
            )
        for run in ("first", "second"):
            print(f"  site.yml, {title}, {run}", file=sys.stderr)
            yield (title, run, *_figures(_site_yml(strategy), hosts))


def _nornir(*words: str) -> None:
    command = [str(Path(sys.executable).with_name("nornir")), *words, "--site", SITE]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=UP_TIMEOUT_S, check=True)


def _site_yml(strategy: str) -> dict[str, Any]:
    """What ansible.posix.json tells of a run that succeeded."""
    with tempfile.TemporaryDirectory() as control:
        environment = os.environ | {
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": control,
            "ANSIBLE_STRATEGY": strategy,
            "ANSIBLE_STRATEGY_PLUGINS": str(Path(ansible_mitogen.__file__).parent / "plugins/strategy"),
            "ANSIBLE_TIMEOUT": "120",
        }
        command = [str(Path(sys.executable).with_name("ansible-playbook"))]
        command += ["-i", str(ROOT / "inventory" / SITE / "gpufabric.yml"), str(ROOT / "site.yml")]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False, env=environment, cwd=ROOT
        )
    start = done.stdout.find("{")
    if done.returncode or start < 0:
        raise RunFailedError(f"site.yml failed ({done.returncode}):\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout[start:])
    return found


def _figures(answer: dict[str, Any], hosts: int) -> tuple[str, ...]:
    tasks = [task for play in answer["plays"] for task in play["tasks"] if task["hosts"]]
    seconds = [(_seconds(task["task"]["duration"]), _action(task)) for task in tasks]
    facts = sum(took for took, action in seconds if action.endswith(FACTS))
    reboot = sum(took for took, action in seconds if action.endswith("reboot"))
    total = sum(took for took, _ in seconds)
    changed = sum(each["changed"] for each in answer["stats"].values())
    return (
        str(hosts), str(len(tasks)), str(changed), f"{total / hosts:.0f}", f"{facts / hosts:.1f}",
        f"{facts / total:.0%}", f"{reboot / hosts:.0f}",
    )  # fmt: skip


def _action(task: dict[str, Any]) -> str:
    return str(next(iter(task["hosts"].values())).get("action", ""))


def _seconds(duration: dict[str, str]) -> float:
    start, end = (datetime.fromisoformat(duration[key]) for key in ("start", "end"))
    return (end - start).total_seconds()

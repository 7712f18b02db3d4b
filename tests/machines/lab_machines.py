"""A lab with machines for tests: brought up by the command line, driven over SSH and Ansible as an operator would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ansible_mitogen

from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.machines import qmp
from nornir_tasks.lab.machines.machine import BOOT_TIMEOUT_S
from nornir_tasks.lab.machines.manager import Machines
from nornir_tasks.lab.routed import lab_name

ROOT = Path(__file__).parents[2]
UP_TIMEOUT_S = 1200
"""The image is made within it where there is none yet."""
PLAYBOOK_TIMEOUT_S = 2400
"""site.yml on two emulated machines took 600 s alone on two cores, and above 900 s beside other work."""
SSH_TIMEOUT_S = 120
BARE, CONFIGURED = "bare", "configured"
"""Saved states: as it came up; as site.yml left it."""
HUGE_PAGES = {"hugepages_pages": [{"size": "2M", "node": 0, "count": 64}]}
"""What the tests' site wants beyond the intent: 128 MiB, small enough for a small machine."""
EXTRA = ("-e", json.dumps(HUGE_PAGES))
OF_THE_LAB = ("-e", json.dumps({"gpufabric_reboot_allowed": True}))
"""What a site that people copy does not have: nobody works on the lab's machines."""


@dataclass(frozen=True)
class PlaybookRun:
    """What ansible-playbook did: exit code, its counts per host, each task's result."""

    code: int
    stats: dict[str, dict[str, int]]
    plays: list[dict[str, Any]]
    stderr: str

    def tasks(self, host: str) -> list[tuple[str, dict[str, Any]]]:
        """(name of the task, its result) of one host, in order."""
        return [
            (task["task"]["name"], task["hosts"][host])
            for play in self.plays
            for task in play["tasks"]
            if host in task["hosts"]
        ]

    def changed(self, host: str) -> list[str]:
        """Names of the tasks that changed something."""
        return [name for name, result in self.tasks(host) if result.get("changed")]

    def output(self, host: str) -> str:
        """Every message of every task, to search in."""
        return "\n".join(str(result.get("msg", "")) for _, result in self.tasks(host))

    def failures(self, host: str) -> list[str]:
        """What failed, in the words of the failure."""
        return [f"{name}: {result.get('msg')}" for name, result in self.tasks(host) if result.get("failed")]


@dataclass(frozen=True)
class BroughtUp:
    """The two runs of site.yml that brought the machines to the intent's state."""

    first: PlaybookRun
    second: PlaybookRun


class MachineLab:
    """The lab site, copied so that a test may change its intent, with a state folder of its own."""

    def __init__(self, directory: Path, change: Callable[[Path], None] | None = None) -> None:
        self.site = directory / "lab"
        shutil.copytree(ROOT / "inventory" / "lab-rails", self.site)
        if change is not None:
            change(self.site)
        self.environment = {**os.environ, "GPUFABRIC_STATE": str(directory / "state")}
        self.environment.pop("PYTHONPATH", None)
        os.environ["GPUFABRIC_STATE"] = str(directory / "state")
        self.machines = Machines(state_directory(self.site))
        self.at: dict[str, str] = {}
        """Host -> the saved state that it is in, untouched since."""
        self._runs = 0

    def nornir(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one verb on this lab's site; its exit code is the caller's to judge."""
        argv = [str(Path(sys.executable).parent / "nornir"), *words, "--site", str(self.site)]
        return subprocess.run(
            argv, capture_output=True, text=True, timeout=UP_TIMEOUT_S, check=False, env=self.environment
        )

    def up(self, hosts: int, *words: str) -> str:
        done = self.nornir("lab", "up", "--hosts", str(hosts), *words)
        if "as before" not in done.stdout:
            self.at.clear()
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def ssh(self, host: str, script: str, check: bool = True) -> str:
        """Run a shell script on a machine; what it printed."""
        done = subprocess.run(
            [*self.machines.ssh, host, script], capture_output=True, text=True, timeout=SSH_TIMEOUT_S, check=False
        )
        assert not check or done.returncode == 0, f"{script}: {done.stdout}{done.stderr}"
        return done.stdout + ("" if check else done.stderr)

    def start(self, host: str, script: str) -> subprocess.Popen[str]:
        """The same, left running."""
        return subprocess.Popen(
            [*self.machines.ssh, host, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def in_namespace(self, *argv: str, switch: str = "") -> list[str]:
        """A command as the leaves would run it, or a switch of a routed lab."""
        routed = f"{lab_name(self.machines.directory.parent)}-{switch}"
        return ["ip", "netns", "exec", routed if switch else self.machines.namespace.name, *argv]

    def save(self, host: str, name: str) -> None:
        qmp.save(self.machines.machine(host).directory, name)
        self.at[host] = name

    def load(self, host: str, name: str) -> None:
        """Back to a saved state, with the clock of now: a machine that slept for minutes has an old one.

        Nothing is to be done where it is in that state: emulated, a machine translates all its code anew afterwards.
        """
        if self.at.get(host) == name:
            return
        self.at.pop(host, None)
        qmp.load(self.machines.machine(host).directory, name)
        self.ssh(host, f"date -s @{int(time.time())}")
        self.at[host] = name

    def reboot(self, host: str) -> None:
        """Reboot it, through GRUB, and wait until it lets us in again and its units have started."""
        self.at.pop(host, None)
        before = self.boot_id(host)
        self.ssh(host, "systemctl reboot", check=False)
        machine = self.machines.machine(host)
        port = int((machine.record or {})["port"])
        deadline = time.monotonic() + BOOT_TIMEOUT_S
        while time.monotonic() < deadline:
            time.sleep(2)
            machine.wait(port, time.monotonic(), self.machines.ssh)
            if self.ssh(host, "cat /proc/sys/kernel/random/boot_id", check=False).strip() not in ("", before):
                self.ssh(host, f"timeout {SSH_TIMEOUT_S - 10:.0f} systemctl is-system-running --wait", check=False)
                return
        raise AssertionError(f"{host} did not reboot within {BOOT_TIMEOUT_S:.0f} s")

    def boot_id(self, host: str) -> str:
        return self.ssh(host, "cat /proc/sys/kernel/random/boot_id").strip()

    def playbook(self, *words: str, playbook: str = "site.yml", inventory: Path | None = None) -> PlaybookRun:
        """``ansible-playbook`` on this site's inventory, or another."""
        self._runs += 1
        self.at.clear()
        control = self.machines.directory / f"control-{self._runs}"
        strategies = Path(ansible_mitogen.__file__).parent / "plugins" / "strategy"
        environment = {
            **self.environment,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
            "ANSIBLE_STRATEGY": "mitogen_linear",
            "ANSIBLE_STRATEGY_PLUGINS": str(strategies),
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(control),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        given = inventory or self.site / "gpufabric.yml"
        argv = ["ansible-playbook", "-i", str(given), str(ROOT / playbook), *OF_THE_LAB, *words]
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=PLAYBOOK_TIMEOUT_S, check=False, env=environment, cwd=ROOT
        )
        start = done.stdout.find("{")
        assert start >= 0, done.stdout + done.stderr
        found = json.loads(done.stdout[start:])
        return PlaybookRun(done.returncode, found["stats"], found["plays"], done.stderr)

    def down(self) -> None:
        """End it, and see that nothing is left: no process, interface, namespace or folder."""
        namespace = self.machines.namespace
        pids = [self.machines.machine(name).pid() for name in self.machines.names()]
        done = self.nornir("lab", "down")
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        assert not self.machines.directory.parent.exists(), "lab down left its folder"
        assert not namespace.exists(), "lab down left its namespace"
        links = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout
        assert namespace.name.removeprefix("gpuf-") not in links, "lab down left an interface"
        left = [pid for pid in pids if pid and Path(f"/proc/{pid}").exists() and not _is_zombie(pid)]
        assert not left, f"lab down left processes: {left}"


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"

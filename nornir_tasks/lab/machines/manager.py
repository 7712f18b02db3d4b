"""The machines of one site's lab: up, down, status.

They are in the folder ``lab/machines`` of the site's state, one folder each, with the lab's keys and ``hosts.yml``, the
access data that the Ansible inventory reads. Nothing else records them.
"""

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.machines_file import LACKS
from nornir_tasks.lab.lock import locked
from nornir_tasks.lab.machines.identity import Keys
from nornir_tasks.lab.machines.image import Image, ensure_image, host_recipe
from nornir_tasks.lab.machines.machine import Machine
from nornir_tasks.lab.machines.network import LeafNamespace
from nornir_tasks.lab.machines.plan import MachinePlan
from nornir_tasks.lab.machines.qmp import SOCKET

Ask = Callable[..., Any]
"""A request to the process of the lab that the machines are cabled into (switch_twins/control.py)."""
HOSTS = "hosts.yml"
ANSIBLE_TIMEOUT_S = 120
"""Ansible's ten seconds are too few for the first answer of an emulated machine on a busy one."""
FOLDER = "machines"


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """The state of one machine."""

    name: str
    running: bool
    ssh_port: int
    image: str
    serial_log: str


class Machines:
    """The machines in a site's state folder."""

    def __init__(self, state_directory: Path) -> None:
        self.directory = state_directory / "lab" / FOLDER
        self._lock = state_directory / "machines.lock"
        self.keys = Keys(self.directory)
        self.namespace = LeafNamespace(self.directory)

    @property
    def ssh(self) -> list[str]:
        """The command that connects to a machine by name: ``ssh -F .../ssh_config gpu-1``."""
        return ["ssh", "-F", str(self.directory / "ssh_config")]

    def machine(self, name: str) -> Machine:
        """The machine with this name, running or not."""
        return Machine(name, self.directory / name, self.keys)

    def up(self, plans: Sequence[MachinePlan], say: Callable[[str], None], ask: Ask | None = None) -> int:
        """Run exactly these machines, all reachable by SSH. The number started or ended; 0 if nothing had to change.

        ``ask``: of the routed lab that they are cabled into; None without one. Raises LabError for a machine that runs
        for another design or does not boot; requires ``check_requirements`` first.
        """
        if not plans:
            return self._down_but_for_the_lab(ask)
        # A machine that a concurrent ``up`` is starting would look like a leftover of a killed one.
        self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock, "another command brings up this lab's machines already", say):
            return self._up(plans, say, ask)

    def _up(self, plans: Sequence[MachinePlan], say: Callable[[str], None], ask: Ask | None) -> int:
        self._refuse_other_designs(plans)
        gone = [each for each in self.names() if each not in {plan.name for plan in plans}]
        for name in gone:
            self._end(name)
            _unplug(name, ask)
            say(f"{name}: ended")
        self._end_half_started(plans, ask)
        down = [plan for plan in plans if self.machine(plan.name).pid() is None]
        if down:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.keys.make()
            image = ensure_image(host_recipe(), say)
            accelerator = image.accelerator
            say(f"accelerator: {accelerator.name.upper()} ({accelerator.reason})")
            self.namespace.make()
            self._start(down, image, say, ask)
        answered = [plan for plan in plans if self.namespace.answer(plan, self.machine(plan.name).directory)]
        again = [plan for plan in answered if plan not in down]
        for plan in again:
            say(f"{plan.name}: the leaves at its bonds had ended, and were started again")
        self._write_ways()
        self._wait(plans, [plan.name for plan in down], say)
        return len(gone) + len(down) + len(again)

    def recable(self, name: str, nic: str, address: str) -> None:
        """A NIC's cable leads to another port of a leaf from now on, with this address; "": to a port without one."""
        record = self.machine(name).record
        if record is None:
            raise LabError(Problem(name, "this machine has not been made"))
        self.namespace.recable(record["plan"]["index"], nic, address)

    def bonded(self, name: str) -> frozenset[str]:
        """The NIC ports of an existing machine that are members of bonds."""
        bonds = (self.machine(name).record or {})["plan"]["bonds"]
        return frozenset(member for bond in bonds for member in bond["members"])

    def routed(self, name: str) -> frozenset[str]:
        """The NIC ports of an existing machine whose cables end at switches of a routed lab."""
        nics = (self.machine(name).record or {})["plan"]["nics"]
        return frozenset(nic["name"] for nic in nics if nic.get("routed"))

    def _down_but_for_the_lab(self, ask: Ask | None) -> int:
        names = self.names()
        ended = self.down()
        for name in names:
            _unplug(name, ask)
        return ended

    def down(self) -> int:
        """End every machine and remove its processes, interfaces, namespace and folder. The number of machines."""
        if not self.directory.exists():
            return 0
        names = self.names()
        for name in names:
            self.machine(name).stop()
        self.namespace.remove()
        shutil.rmtree(self.directory)
        return len(names)

    def names(self) -> tuple[str, ...]:
        """Every existing machine, by its place in the design."""
        found = [self.machine(file.parent.name) for file in self.directory.glob("*/machine.json")]
        return tuple(each.name for each in sorted(found, key=lambda each: (each.record or {})["plan"]["index"]))

    def status(self) -> tuple[MachineStatus, ...]:
        """The state of every existing machine."""
        found = []
        for name in self.names():
            machine = self.machine(name)
            record = machine.record or {}
            image = Path(record["image"]).parent.name
            running = machine.pid() is not None
            found.append(MachineStatus(name, running, record["port"], image, str(machine.serial_log)))
        return tuple(found)

    def _refuse_other_designs(self, plans: Sequence[MachinePlan]) -> None:
        for plan in plans:
            record = self.machine(plan.name).record
            if record and record["plan"] != json.loads(json.dumps(asdict(plan))):
                hint = "nornir lab down, then nornir lab up"
                what = "this machine is from an earlier design of this site"
                raise LabError(Problem(plan.name, what, hint=hint))

    def _end_half_started(self, plans: Sequence[MachinePlan], ask: Ask | None) -> None:
        """After a killed ``up``, a machine may run without a recorded port, or with unconnected NICs: end these."""
        plugged = {} if ask is None else ask("machines")
        for plan in plans:
            machine = self.machine(plan.name)
            whole = bool((machine.record or {}).get("port")) and self.namespace.holds(plan)
            is_cabled = {nic.name for nic in plan.routed_nics} <= plugged.get(plan.name, {}).keys()
            if machine.pid() is not None and not (whole and is_cabled):
                machine.stop()

    def _start(
        self,
        plans: Sequence[MachinePlan],
        image: Image,
        say: Callable[[str], None],
        ask: Ask | None,
    ) -> None:
        """Start all of them: they boot in parallel."""
        for plan in plans:
            machine = self.machine(plan.name)
            if machine.record is None:
                shutil.rmtree(machine.directory, ignore_errors=True)
                machine.make(plan, image.disk)
            taps = self.namespace.prepare(plan)
            machine.start(plan, image.accelerator, taps)
            self.namespace.adopt(plan, taps)
            if ask is not None:
                _plug(plan, taps, machine.directory / SOCKET, ask)
            say(f"{plan.name}: boots")

    def _wait(self, plans: Sequence[MachinePlan], begun: Sequence[str], say: Callable[[str], None]) -> None:
        """Wait until all are reachable; also those that ran before, because their ``up`` may have been killed."""
        started = time.monotonic()
        for plan in plans:
            machine = self.machine(plan.name)
            took = machine.wait(int((machine.record or {})["port"]), started, self.ssh)
            if plan.name in begun:
                say(f"{plan.name}: up after {took:.0f} s; {' '.join(self.ssh)} {plan.name}")

    def _end(self, name: str) -> None:
        machine = self.machine(name)
        record = machine.record
        machine.remove()
        if record and self.namespace.exists():
            self.namespace.forget(record["plan"]["index"])

    def _write_ways(self) -> None:
        """Write known_hosts, ssh_config and hosts.yml: the address and the host key of each machine."""
        ports = {each.name: each.ssh_port for each in self.status()}
        self.keys.write_known_hosts(ports)
        head = (
            f'Host *\n  HostName 127.0.0.1\n  User root\n  IdentityFile "{self.keys.client}"\n  IdentitiesOnly yes\n'
            f'  UserKnownHostsFile "{self.keys.known_hosts}"\n  GlobalKnownHostsFile /dev/null\n'
            "  StrictHostKeyChecking yes\n  BatchMode yes\n  ConnectTimeout 30\n  LogLevel ERROR\n"
        )
        hosts = "".join(f"Host {name}\n  Port {port}\n" for name, port in ports.items())
        (self.directory / "ssh_config").write_text(hosts + head, encoding="utf-8")
        known = f"-o UserKnownHostsFile='{self.keys.known_hosts}' -o GlobalKnownHostsFile=/dev/null"
        ways = {
            name: {
                "ansible_host": "127.0.0.1",
                "ansible_port": port,
                "ansible_user": "root",
                "ansible_ssh_private_key_file": str(self.keys.client),
                "ansible_ssh_common_args": f"{known} -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes",
                "ansible_timeout": ANSIBLE_TIMEOUT_S,
                # Ansible and Mitogen compress by default; on loopback that only costs time of an emulated processor.
                "ansible_ssh_args": "-o ControlMaster=auto -o ControlPersist=60s",
                "mitogen_ssh_compression": False,
                **LACKS,
            }
            for name, port in ports.items()
        }
        (self.directory / HOSTS).write_text(yaml.safe_dump(ways, sort_keys=False, width=1000), encoding="utf-8")


def _plug(plan: MachinePlan, taps: Mapping[str, str], monitor: Path, ask: Ask) -> None:
    """QEMU has the TAPs open: those of routed NICs become ports of the routed lab's switches."""
    for nic in plan.routed_nics:
        ask("plug-machine", host=plan.name, port=nic.name, tap=taps[nic.name], monitor=str(monitor))


def _unplug(name: str, ask: Ask | None) -> None:
    """A machine has ended: a namespace is the host again in the routed lab."""
    if ask is not None:
        ask("unplug-machine", host=name)

"""The built-in lab of one site: start, stop and ask the process that plays its switches.

The lab stands in the folder ``lab`` of the site's state: the specification (cabling and day-0 facts, nothing of what
the intent configures), the CA, the password, and ``devices.yml`` in the same form as a real site's, so every other
verb reaches the lab the way it would reach real switches.
"""

import errno
import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.devices_file import NAME as DEVICES
from nornir_tasks.lab.boundary_hosts.manager import FOLDER as BOUNDARY
from nornir_tasks.lab.fabric_machine import requirements as machine_requirements
from nornir_tasks.lab.fabric_machine.machine import ssh_command
from nornir_tasks.lab.fabric_machine.parcel import PROGRAM
from nornir_tasks.lab.fabric_machine.times import ready_timeout_s
from nornir_tasks.lab.faults import Wired, wired
from nornir_tasks.lab.lock import locked, unwritable
from nornir_tasks.lab.machines.image import ensure_image, fabric_recipe
from nornir_tasks.lab.machines.manager import FOLDER as MACHINES
from nornir_tasks.lab.network import free_network
from nornir_tasks.lab.plan import SECRET, LabDevice, LabHost, LabPlan, differences, specification
from nornir_tasks.lab.process import LOG, LabProcess
from nornir_tasks.lab.routed import check_no_leftovers, check_requirements, leftovers, remove_leftovers
from switch_twins.client import ADDRESS_TAKEN, READY, SOCKETS, SOCKETS_PREFIX, ControlClient, TwinError

__all__ = ["Lab", "LabDevice", "LabHost", "LabPlan", "Started"]

READY_TIMEOUT_S = 60.0
READY_TIMEOUT_PER_SWITCH_S = 0.5
"""Each makes two keys and loads its day-0 configuration first: 20 to 40 ms on an idle core (docs/benchmarks.md)."""
STOP_TIMEOUT_S = 20.0
STOP_TIMEOUT_PER_SWITCH_S = 0.05
CONTROL_TIMEOUT_S = 30.0
CONTROL_TIMEOUT_PER_SWITCH_S = 0.1
"""The lab answers one thing at a time, the longest of them being a fabric's routes after a cable was swapped."""
ANSWER_TIMEOUT_S = 300
"""Of a switch in an emulated machine: all of them are one process, and clients ask all at once."""
EMULATED = 10
"""So many times as long anything takes where a processor is emulated, at least."""
FABRIC_MACHINE = "nornir_tasks.lab.fabric_machine"
_STARTS = 3
"""Another lab may take a network between our look at it and our listening there."""
_NO_LOG_B = 64 * 1024
"""With so little space left, a log that says nothing has not got the room to."""

State = Literal["up", "starting", "crashed", "down"]


@dataclass(frozen=True, slots=True)
class Started:
    """What ``up`` did.

    is_new   the lab was started; else it ran already, as planned
    lost     why the lab that stood here before ended without ``nornir lab down``, and with it all that was pushed to
             its switches; "" if there was none
    """

    is_new: bool
    lost: str = ""


class Lab:
    """The lab of one site's folder."""

    def __init__(self, state_directory: Path) -> None:
        self.directory = state_directory / "lab"
        self.process = LabProcess(state_directory)
        self._lock = state_directory / "lab.lock"
        self._spec = self.directory / "spec.json"
        self._ready = self.directory / READY

    def up(self, plan: LabPlan, rtt_ms: float = 0.0, say: Callable[[str], None] = lambda _: None) -> Started:
        """Start it, or find that it runs as planned; one command at a time.

        ``rtt_ms`` is the round-trip time that every switch's API is to have, which loopback has not. Raises LabError
        when it runs for something else, cannot start, or its files cannot be written.
        """
        with self._alone(say):
            if self.process.is_alive() and self.process.wait(_ready_timeout_s(plan), say):
                self._check_same(plan, rtt_ms)
                return Started(is_new=False)
            check_no_leftovers(self.directory)
            if plan.in_machine:
                machine_requirements.check_requirements(len(plan.devices), self.directory)
            elif plan.routed:
                check_requirements(len(plan.devices), len(plan.cables))
            lost = self.process.why_it_ended() if self.process.has_crashed() else ""
            before = str(self._running_spec().get("network", ""))
            try:
                self._start(plan, rtt_ms, before, say)
            except OSError as error:
                with suppress(OSError):
                    self._forget(but=())
                raise unwritable(self.directory, error) from error
            return Started(is_new=True, lost=lost)

    def down(self, say: Callable[[str], None] = lambda _: None) -> bool:
        """Stop it and remove its folder. False: there was none. Raises LabError if it cannot be ended."""
        if not (self.directory.exists() or self.process.is_alive() or leftovers(self.directory)):
            return False
        with self._alone(say):
            switches = len(self._running_spec().get("devices", ()))
            was_there = self._spec.exists() or self.process.is_alive() or bool(leftovers(self.directory))
            self.process.stop(STOP_TIMEOUT_S + STOP_TIMEOUT_PER_SWITCH_S * switches)
            remove_leftovers(self.directory)
            try:
                self._forget(but=())
            except OSError as error:
                raise unwritable(self.directory, error) from error
        return was_there

    def is_up(self) -> bool:
        """Does its process run and serve?"""
        return self.process.is_ready()

    def state(self) -> State:
        """The state of the lab; ``crashed`` if it ended without ``nornir lab down``."""
        if self.process.is_alive():
            return "up" if self._ready.exists() else "starting"
        return "crashed" if self.process.has_crashed() else "down"

    def ask(self, request: str, **arguments: object) -> Any:  # noqa: ANN401 - decoded JSON
        """One request to the lab's control socket. Raises LabError if it is down or refuses."""
        if not self.is_up():
            raise self._not_up()
        ready = json.loads(self._ready.read_text(encoding="utf-8"))
        timeout_s = CONTROL_TIMEOUT_S + CONTROL_TIMEOUT_PER_SWITCH_S * len(ready["devices"])
        timeout_s *= EMULATED if "machine" in ready else 1
        try:
            return ControlClient(Path(ready["control"]), timeout_s).ask(request, **arguments)
        except TwinError as error:
            problems = [Problem(each.where, each.what, each.expected, each.found, each.hint) for each in error.problems]
            raise LabError(problems) from error

    @property
    def machine(self) -> Mapping[str, Any] | None:
        """The machine that it runs in; None: it runs on this one, or is not up."""
        try:
            found: Mapping[str, Any] | None = json.loads(self._ready.read_text(encoding="utf-8")).get("machine")
        except (OSError, ValueError):
            return None
        return found

    def command(self, module: str, *words: str) -> list[str]:
        """The command that runs a module of switch_twins where the lab's namespaces are."""
        machine = self.machine
        if machine is None:
            return [sys.executable, "-m", module, *words]
        there = shlex.join(["python3", "-m", module, *words])
        return [*ssh_command(Path(machine["ssh_config"])), f"cd /{PROGRAM} && exec {there}"]

    @contextmanager
    def at_work(self, say: Callable[[str], None]) -> Iterator[None]:
        """While this lasts no other command changes the lab. Raises LabError if it is not up."""
        if not self._lock.exists():
            raise self._not_up()
        with self._alone(say):
            if not self.is_up():
                raise self._not_up()
            yield

    def faults(self) -> Wired:
        """What is broken in it now. Raises LabError if it is not up."""
        return wired(self.ask("faults"))

    @contextmanager
    def _alone(self, say: Callable[[str], None]) -> Iterator[None]:
        with locked(self._lock, "another command works on this lab", say):
            yield

    def _not_up(self) -> LabError:
        if self.state() == "crashed":
            what = f"the lab is not up: {self.process.why_it_ended()}; what was pushed to its switches is lost"
            hint = "nornir lab up starts it again from day 0, then nornir push"
            return LabError(Problem(str(self.directory), what, found=f"log: {self.directory / LOG}", hint=hint))
        return LabError(Problem(str(self.directory), "the lab is not up", hint="nornir lab up"))

    # -- starting --------------------------------------------------------------------------------------------------

    def _check_same(self, plan: LabPlan, rtt_ms: float) -> None:
        running = self._running_spec()
        wanted = specification(plan, self.directory, str(running.get("network", "")), rtt_ms)
        found = differences(running, wanted)
        if found:
            what = "the lab that runs is not the one that is wanted now"
            hint = "nornir lab down, then nornir lab up: its switches start at day 0 again, what was pushed is lost"
            raise LabError(Problem(str(self.directory), what, found="; ".join(found), hint=hint))

    def _start(self, plan: LabPlan, rtt_ms: float, before: str, say: Callable[[str], None]) -> None:
        """Start its process; in another network if ours is taken meanwhile."""
        words = ["switch_twins", str(self._spec)]
        if plan.in_machine:
            words = [FABRIC_MACHINE, str(self._spec), str(ensure_image(fabric_recipe(), say).folder)]
        taken: list[str] = []
        for _ in range(_STARTS):
            wanted = specification(plan, self.directory, "127.0", rtt_ms)
            taken.append(free_network(self.directory, wanted["devices"], before, taken))
            self._prepare(specification(plan, self.directory, taken[-1], rtt_ms), plan.attached)
            process = self.process.start(words)
            try:
                is_ready = self.process.wait(_ready_timeout_s(plan), say)
            except LabError:
                process.kill()
                process.wait()
                remove_leftovers(self.directory)
                self._forget(but=(LOG,))
                raise
            if is_ready:
                return
            if process.wait() != ADDRESS_TAKEN:
                break
        raise self._failed()

    def _prepare(self, spec: Mapping[str, Any], attached: Collection[str]) -> None:
        self._forget(but=())
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.directory / ".secrets").mkdir(mode=0o700)
        _write_private(self.directory / ".secrets" / SECRET, secrets.token_urlsafe(18))
        self._spec.write_text(json.dumps(spec, indent=1), encoding="utf-8")
        self._write_devices(spec, attached)

    def _failed(self) -> LabError:
        """Why the process ended before it was ready. Only its log is left."""
        log = self.directory / LOG
        tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
        free_b = shutil.disk_usage(self.directory).free
        self._forget(but=(LOG,))
        if not tail and free_b < _NO_LOG_B:
            return unwritable(self.directory, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        return LabError(Problem(str(log), "the lab did not start", found=" | ".join(tail)))

    def _running_spec(self) -> dict[str, Any]:
        try:
            spec: dict[str, Any] = json.loads(self._spec.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return spec

    def _forget(self, but: Iterable[str]) -> None:
        """Remove what the switches left; machines and the boundary's hosts have folders, which live as long as they do.

        The specification goes last: as long as it is there, the rest is known to be a lab's.
        """
        if not self.directory.exists():
            return
        self._forget_sockets()
        kept = {MACHINES, BOUNDARY, *but}
        for each in sorted(self.directory.iterdir(), key=lambda path: path == self._spec):
            if each.name not in kept:
                shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink(missing_ok=True)
        if not any(self.directory.iterdir()):
            self.directory.rmdir()

    def _forget_sockets(self) -> None:
        """The folder that a process which was killed had for its sockets, where the paths here are too long for one."""
        link = self.directory / SOCKETS
        if link.is_symlink() and link.readlink().name.startswith(SOCKETS_PREFIX):
            shutil.rmtree(link.readlink(), ignore_errors=True)

    def _write_devices(self, spec: Mapping[str, Any], attached: Collection[str]) -> None:
        devices: Iterable[Mapping[str, Any]] = spec["devices"]
        known = {
            each["name"]: {key: each[key] for key in ("address", "serial", "api_port", "ssh_port")} for each in devices
        }
        head = f"username: {spec['username']}\npassword: !secret {SECRET}\nca: ca.pem\nknown_hosts: known_hosts\n"
        macs = {each["name"]: {"mac": each["mac"]} for each in spec["hosts"] if each["name"] in attached}
        head += f"timeout_s: {ANSWER_TIMEOUT_S}\n" if "machine" in spec else ""
        parts = {"devices": known, **({"attached": macs} if macs else {})}
        text = head + yaml.safe_dump(parts, sort_keys=False)
        (self.directory / DEVICES).write_text(text, encoding="utf-8")


def _ready_timeout_s(plan: LabPlan) -> float:
    if plan.in_machine:
        return ready_timeout_s(len(plan.devices))
    return READY_TIMEOUT_S + READY_TIMEOUT_PER_SWITCH_S * len(plan.devices)


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)

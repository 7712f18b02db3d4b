"""The process of a lab that runs in a machine: ``python -m nornir_tasks.lab.fabric_machine SPEC.json IMAGE``.

To the rest of gpufabric it is like the switches' own process (``switch_twins/process.py``): it holds the lab's lock,
and writes ``process.json`` first, ``ready.json`` when all switches answer, ``ended.json`` with the reason when it ends.
In between it writes what it does into ``progress``, a line each. QEMU and SSH are its children, and end with it.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.cache import cache_directory
from nornir_tasks.lab.fabric_machine.machine import CONTROL, FOLDER, SSH_CONFIG, FabricMachine, greets
from nornir_tasks.lab.fabric_machine.parcel import LAB, PROGRAM, parcel
from nornir_tasks.lab.fabric_machine.times import BOOT_TIMEOUT_S, switches_timeout_s
from nornir_tasks.lab.machines.accelerator import choose
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.image import Image
from nornir_tasks.lab.machines.machine import free_port
from nornir_tasks.lab.process import LOG, PROGRESS, start_time
from switch_twins.client import ADDRESS_TAKEN, ENDED, READY, RECORD, ControlClient, TwinError

CANNOT_START = 10
LIFETIME_S = 4 * 3600.0
_ASK_TIMEOUT_S = 60.0
_COPY_TIMEOUT_S = 120.0
_END_TIMEOUT_S = 5.0
_STEP_S = 0.2
_ASK_EACH_S = 2.0
"""Each question is a channel of SSH, which costs an emulated processor 30 ms."""
_PORT_TRIES = 5
_PORT_TAKEN, _ADDRESS_TAKEN = "host forwarding rule", "Address already in use"
"""What QEMU and ssh say of one."""


QEMU = "QEMU"
QEMU_LOG, SESSION_LOG = "qemu.log", "machine.log"
_TAIL_LINES = 5
_KEYS = ("os", "address", "api_port", "ssh_port")


class _EndedBySignal(Exception):  # noqa: N818 - not an error
    pass


def main(arguments: list[str]) -> int:
    """Run the lab until it is told to end; the exit code, as that of the switches' own process."""
    parser = argparse.ArgumentParser(prog="python -m nornir_tasks.lab.fabric_machine")
    parser.add_argument("spec", type=Path, help="the lab's specification (JSON)")
    parser.add_argument("image", type=Path, help="the folder of the machine's image")
    parser.add_argument("--max-seconds", type=float, default=LIFETIME_S, help="end by itself after this time (4 h)")
    options = parser.parse_args(arguments)
    spec = json.loads(options.spec.read_text(encoding="utf-8"))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end_by_signal)
    with _short_folder(Path(spec["routed"]["run_folder"])) as sockets:
        lab = _MachineLab(spec, Image(options.image, choose(options.image / "vmlinuz", cache_directory())), sockets)
        try:
            lab.serve(options.max_seconds)
        except _EndedBySignal as signalled:
            lab.end(str(signalled))
            return 0
        except LabError as error:
            lab.end(error.problems[0].what)
            lab.note(f"{error}")
            return ADDRESS_TAKEN if lab.is_address_taken else CANNOT_START
        except OSError as error:
            lab.end(str(error))
            lab.note(f"{error.filename or options.spec}: {error.strerror or error}")
            return CANNOT_START
        finally:
            lab.end("it failed; its log says why")
    return 0


@contextmanager
def _short_folder(folder: Path) -> Iterator[Path]:
    """A folder for sockets, whose paths must be short; what a killed lab left there goes, and at the end all of it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.parent.rmdir()  # the last lab leaves nothing


def _end_by_signal(number: int, _frame: FrameType | None) -> None:
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    raise _EndedBySignal(f"it was ended by {signal.Signals(number).name}")


class _MachineLab:
    """One lab: its machine, and the switches' process in it."""

    def __init__(self, spec: Mapping[str, Any], image: Image, sockets: Path) -> None:
        self._spec, self._image = spec, image
        self._directory = Path(spec["dir"])
        self._machine = FabricMachine(self._directory / FOLDER, sockets)
        self._control = sockets / CONTROL
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._began_s = time.monotonic()
        self.is_address_taken = False

    def serve(self, lifetime_s: float) -> None:
        """Bring it up, and stay until something of it ends. Raises LabError with what did."""
        _write(self._directory / RECORD, {"pid": os.getpid(), "started": start_time(os.getpid())})
        (self._directory / "pid").write_text(str(os.getpid()), encoding="utf-8")  # for scripts
        self._boot()
        self._run_switches(lifetime_s)
        for name in ("ca.pem", "known_hosts"):
            copied = run([*self._machine.ssh, "cat", f"/{LAB / name}"], _COPY_TIMEOUT_S)
            (self._directory / name).write_text(copied, encoding="utf-8")
        self._write_ready()
        while True:
            self._check_all_run()
            time.sleep(_STEP_S)

    def end(self, why: str) -> None:
        """End all of it, and say why it ended if it was ready. No effect the second time."""
        ready = self._directory / READY
        if ready.exists():
            with suppress(OSError):  # a full disk does not prevent its end
                _write(self._directory / ENDED, {"why": why})
        ready.unlink(missing_ok=True)
        for child in self._children.values():
            child.kill()  # nothing in the machine is kept
        for child in self._children.values():
            child.wait(_END_TIMEOUT_S)
        self._children.clear()
        shutil.rmtree(self._machine.directory, ignore_errors=True)

    def note(self, text: str) -> None:
        """Write into the lab's log why it ends."""
        with suppress(OSError), (self._directory / LOG).open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    # -- steps -----------------------------------------------------------------------------------------------------

    def _boot(self) -> None:
        memory_mib = int(self._spec["machine"]["memory_mib"])
        accelerator = self._image.accelerator
        self._say(f"its machine boots ({accelerator.name.upper()}: {accelerator.reason}; {memory_mib} MiB)")
        self._machine.make(self._image)
        for left in reversed(range(_PORT_TRIES)):
            port = free_port()
            try:
                self._start_qemu(memory_mib, port)
                break
            except LabError as error:
                if _PORT_TAKEN not in str(error) or not left:
                    raise
        self._machine.write_ssh_config(port)
        self._say("its machine is up; the switches start in it")

    def _start_qemu(self, memory_mib: int, port: int) -> None:
        with (self._directory / QEMU_LOG).open("wb") as log:
            self._children[QEMU] = self._machine.start(self._image, memory_mib, port, log)
        self._wait(lambda: greets(port), BOOT_TIMEOUT_S, "the machine does not answer by SSH")

    def _run_switches(self, lifetime_s: float) -> None:
        program = f"python3 -m switch_twins /{LAB / 'spec.json'} --max-seconds {lifetime_s:g}"
        command = f"tar -xzpf - -C / --no-same-owner && cd /{PROGRAM} && exec {program}"
        with (self._directory / SESSION_LOG).open("wb") as log:
            session = self._machine.open(self._spec, f"/{LAB / 'control.sock'}", command, log)
        self._children["the switches' process"] = session
        if session.stdin is not None:
            with suppress(BrokenPipeError):  # it has ended, which is found below
                session.stdin.write(parcel(self._spec, is_emulated=self._image.accelerator.name == "tcg"))
                session.stdin.close()
        timeout_s = switches_timeout_s(len(self._spec["devices"]))
        self._wait(self._answers, timeout_s, "the switches' process in the machine is not ready", _ASK_EACH_S)

    def _write_ready(self) -> None:
        """As the switches' own process does, with the paths of this machine."""
        devices = {each["name"]: {key: each[key] for key in _KEYS} for each in self._spec["devices"]}
        files = {"ca": self._directory / "ca.pem", "known_hosts": self._directory / "known_hosts"}
        content = {
            "pid": os.getpid(),
            "site": self._spec["site"],
            "control": str(self._control),
            **{key: str(file) for key, file in files.items()},
            "devices": devices,
            "machine": {
                "accelerator": self._image.accelerator.name,
                "memory_mib": self._spec["machine"]["memory_mib"],
                "image": self._image.folder.name,
                "pid": self._children[QEMU].pid,
                "ssh_config": str(self._machine.directory / SSH_CONFIG),
            },
        }
        _write(self._directory / READY, content)

    # -- waiting ---------------------------------------------------------------------------------------------------

    def _wait(self, holds: Callable[[], bool], timeout_s: float, what: str, step_s: float = _STEP_S) -> None:
        """Wait for a state. Raises LabError if it does not come in time, or if something of the lab ends meanwhile."""
        deadline = time.monotonic() + timeout_s
        while not holds():
            self._check_all_run()
            if time.monotonic() > deadline:
                hint = "end what else keeps this machine busy, then nornir lab up again"
                raise LabError(Problem("machine", f"{what} after {timeout_s:.0f} s", found=self._tails(), hint=hint))
            time.sleep(step_s)

    def _answers(self) -> bool:
        """Does the control socket answer? It is made when every switch listens."""
        try:
            ControlClient(self._control, _ASK_TIMEOUT_S).ask("cpu")
        except TwinError:
            return False
        return True

    def _check_all_run(self) -> None:
        for name, child in self._children.items():
            if child.poll() is not None:
                found = self._tails()
                self.is_address_taken = name != QEMU and _ADDRESS_TAKEN in found
                raise LabError(Problem("machine", f"{name} ended{_how(child.returncode)}", found=found))

    def _tails(self) -> str:
        """The last lines of its logs."""
        found = []
        for file in (self._directory / QEMU_LOG, self._directory / SESSION_LOG, self._machine.serial_log):
            with suppress(OSError):
                found += file.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-_TAIL_LINES:]
        return " | ".join(found)

    def _say(self, line: str) -> None:
        with (self._directory / PROGRESS).open("a", encoding="utf-8") as progress:
            progress.write(f"{line}, {time.monotonic() - self._began_s:.0f} s\n")


def _how(code: int) -> str:
    return f": it was killed by {signal.Signals(-code).name}" if code < 0 else f" with exit code {code}"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Write to another name first, so that a reader never sees an incomplete file."""
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)

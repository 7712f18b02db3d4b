"""The built-in lab of one site: start, stop and ask the process that plays its switches.

The lab stands in the folder ``lab`` of the site's state: the specification (cabling and day-0 facts, nothing of what
the intent configures), the CA, the password, and ``devices.yml`` in the same form as a real site's, so every other
verb reaches the lab the way it would reach real switches.
"""

import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.devices_file import NAME as DEVICES
from nornir_tasks.lab.machines.manager import FOLDER as MACHINES
from nornir_tasks.lab.twins.control import ControlClient

API_PORTS = {"eos": 8443, "nxos": 8443, "nvue": 8765}
"""Unprivileged stand-ins for 443; 8765 is NVUE's own port."""
SSH_PORT = 8022
USERNAME = "gpufabric"
SECRET = "switch_password"  # noqa: S105 - its name
READY = "ready.json"
"""Written by the lab's process when every switch listens."""
READY_TIMEOUT_S = 60.0
READY_TIMEOUT_PER_SWITCH_S = 0.5
"""Each makes two keys and loads its day-0 configuration first: 20 to 40 ms on an idle core (docs/benchmarks.md)."""
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class LabDevice:
    """What the lab must know of one switch."""

    name: str
    os: str
    release: str
    model: str
    asic: str
    asn: int
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabHost:
    """One NIC port and the switch port it is cabled to."""

    name: str
    port: str
    switch: tuple[str, str]
    mtu_bytes: int


@dataclass(frozen=True, slots=True)
class LabPlan:
    """A lab as the design lays it out."""

    site: str
    devices: tuple[LabDevice, ...]
    cables: tuple[tuple[str, tuple[str, str], tuple[str, str]], ...]
    """(cable id, one end, other end) of every link between switches."""
    hosts: tuple[LabHost, ...]


class Lab:
    """The lab of one site's folder."""

    def __init__(self, state_directory: Path) -> None:
        self.directory = state_directory / "lab"
        self._spec = self.directory / "spec.json"
        self._ready = self.directory / READY
        self._pid = self.directory / "pid"

    def up(self, plan: LabPlan, rtt_ms: float = 0.0) -> bool:
        """Start it. False: it already ran, as planned. Raises LabError when it runs for another design.

        ``rtt_ms`` is the round-trip time that every switch's API is to have, which loopback has not.
        """
        spec = {**self._specification(plan), "rtt_ms": rtt_ms}
        if self.is_up():
            if json.loads(self._spec.read_text(encoding="utf-8")) == spec:
                return False
            hint = "nornir lab down, then nornir lab up"
            raise LabError(Problem(str(self.directory), "the lab runs for an earlier design of this site", hint=hint))
        self._forget()
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.directory / ".secrets").mkdir(mode=0o700)
        _write_private(self.directory / ".secrets" / SECRET, secrets.token_urlsafe(18))
        self._spec.write_text(json.dumps(spec, indent=1), encoding="utf-8")
        self._write_devices(spec)
        self._start(READY_TIMEOUT_S + READY_TIMEOUT_PER_SWITCH_S * len(plan.devices))
        return True

    def down(self) -> bool:
        """Stop it and remove its folder. False: there was none."""
        if not self.directory.exists():
            return False
        pid = self._running_pid()
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            deadline = time.monotonic() + STOP_TIMEOUT_S
            while self._running_pid() is not None and time.monotonic() < deadline:
                time.sleep(0.05)
            if self._running_pid() is not None:
                os.kill(pid, signal.SIGKILL)
        self._forget()
        return True

    def _forget(self) -> None:
        """Remove what the switches left; machines have a folder of their own, which lives as long as they do."""
        if not (self.directory / MACHINES).exists():
            shutil.rmtree(self.directory, ignore_errors=True)
            return
        for each in self.directory.iterdir():
            if each.name != MACHINES:
                shutil.rmtree(each) if each.is_dir() else each.unlink()

    def is_up(self) -> bool:
        """Does its process run and serve?"""
        return self._ready.exists() and self._running_pid() is not None

    def ask(self, request: str, **arguments: object) -> Any:  # noqa: ANN401 - decoded JSON
        """One request to the lab's control socket. Raises LabError when it is down or says no."""
        if not self.is_up():
            raise LabError(Problem(str(self.directory), "the lab is not up", hint="nornir lab up"))
        ready = json.loads(self._ready.read_text(encoding="utf-8"))
        return ControlClient(Path(ready["control"])).ask(request, **arguments)

    def _start(self, timeout_s: float) -> None:
        log = (self.directory / "log").open("wb")
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module, our own file
            [sys.executable, "-m", "nornir_tasks.lab.twins.process", str(self._spec)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._pid.write_text(str(process.pid), encoding="utf-8")
        deadline = time.monotonic() + timeout_s
        while not self._ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                tail = (self.directory / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
                raise LabError(
                    Problem(
                        str(self.directory / "log"),
                        "the lab did not start",
                        found=" | ".join(tail),
                        hint="another lab may hold its addresses: nornir lab status, nornir lab down",
                    )
                )
            time.sleep(0.05)

    def _running_pid(self) -> int | None:
        """Our process's id if it lives and is ours; a recycled id of another program does not count."""
        try:
            pid = int(self._pid.read_text(encoding="utf-8"))
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (OSError, ValueError):
            return None
        return pid if str(self._spec).encode() in command and state != "Z" else None

    def _specification(self, plan: LabPlan) -> dict[str, Any]:
        network = _loopback_network(self.directory)
        return {
            "site": plan.site,
            "dir": str(self.directory),
            "ca": str(self.directory / "ca.pem"),
            "username": USERNAME,
            "password_file": str(self.directory / ".secrets" / SECRET),
            "devices": [
                _device(device, f"{network}.{1 + index // 250}.{1 + index % 250}")
                for index, device in enumerate(plan.devices)
            ],
            "cables": [{"id": name, "a": list(a), "b": list(b)} for name, a, b in plan.cables],
            "hosts": [
                {"name": host.name, "port": host.port, "switch": list(host.switch), "mtu_bytes": host.mtu_bytes}
                for host in plan.hosts
            ],
        }

    def _write_devices(self, spec: Mapping[str, Any]) -> None:
        devices: Iterable[Mapping[str, Any]] = spec["devices"]
        known = {
            each["name"]: {key: each[key] for key in ("address", "serial", "api_port", "ssh_port")} for each in devices
        }
        head = f"username: {spec['username']}\npassword: !secret {SECRET}\nca: ca.pem\nknown_hosts: known_hosts\n"
        text = head + yaml.safe_dump({"devices": known}, sort_keys=False)
        (self.directory / DEVICES).write_text(text, encoding="utf-8")


def _device(device: LabDevice, address: str) -> dict[str, Any]:
    return {
        "name": device.name,
        "os": device.os,
        "release": device.release,
        "model": device.model,
        "asic": device.asic,
        "serial": "LAB" + hashlib.sha256(device.name.encode()).hexdigest()[:8].upper(),
        "address": address,
        "api_port": API_PORTS[device.os],
        "ssh_port": SSH_PORT,
        "asn": device.asn,
        "ports": list(device.ports),
    }


def _loopback_network(directory: Path) -> str:
    """``127.x`` from the folder's name, so that labs of different sites run side by side."""
    digest = hashlib.sha256(str(directory.resolve()).encode()).digest()
    return f"127.{64 + digest[0] % 128}"


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)

"""Labs for tests: a specification on free loopback addresses, and a twin process that always ends with its test."""

from __future__ import annotations

import json
import os
import random
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nornir_tasks.drivers.session import Endpoint
from switch_twins.client import ControlClient

READY_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 60.0
LIFETIME_S = 900
SSH_PORT = 8022

MODELS: dict[str, dict[str, Any]] = {
    "eos": {"release": "4.33.1F", "model": "7060DX5-64S", "asic": "tomahawk4", "api_port": 8443},
    "nxos": {"release": "10.4(3)", "model": "N9K-C9332D-GX2B", "asic": "cloudscale-gx2", "api_port": 8443},
    "nvue": {"release": "5.14.0", "model": "SN5600", "asic": "spectrum4", "api_port": 8765},
}
"""Day-0 facts of one switch per OS, as the lab site uses them."""


def port_names(os_name: str) -> list[str]:
    """Physical ports of the lab's models in their OS's spelling."""
    if os_name == "eos":
        return [f"Ethernet{cage}/1" for cage in range(1, 65)] + ["Ethernet65", "Ethernet66"]
    if os_name == "nxos":
        return [f"Ethernet1/{port}" for port in range(1, 33)]
    return [f"swp{port}" for port in range(1, 65)]


def free_network() -> str:
    """The first three octets of a loopback network nobody listens in ("127.211.14"), and no lab of a site ever will."""
    draw = random.SystemRandom()  # tests start from one seed each, in every worker: all would take the same network
    ports = {SSH_PORT, *(int(str(model["api_port"])) for model in MODELS.values())}
    for _ in range(100):
        network = f"127.{draw.randint(192, 250)}.{draw.randint(1, 250)}"
        if all(_is_free(f"{network}.11", port) for port in ports):
            return network
    raise RuntimeError("no free loopback network in 100 tries")


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


@dataclass(slots=True)
class LabDescription:
    """A lab to be: fill in devices and cables, then ``write``."""

    directory: Path
    network: str = field(default_factory=free_network)
    username: str = "gpufabric"
    password: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)
    devices: list[dict[str, Any]] = field(default_factory=list)
    cables: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    bonds: list[dict[str, Any]] = field(default_factory=list)
    rtt_ms: float = 0.0

    def add_device(self, name: str, os_name: str, **changes: Any) -> dict[str, Any]:
        """Add a switch of one OS; keyword arguments change its facts."""
        number = len(self.devices)
        device = {
            "name": name,
            "os": os_name,
            **MODELS[os_name],
            "serial": f"LAB{number:04d}",
            "ssh_port": SSH_PORT,
            "address": f"{self.network}.{11 + number}",
            "asn": 4200000000 + number,
            "ports": port_names(os_name),
            **changes,
        }
        self.devices.append(device)
        return device

    def add_cable(self, a: tuple[str, str], b: tuple[str, str]) -> str:
        """Cable two ports; returns the cable's id."""
        name = f"c{len(self.cables) + 1}"
        self.cables.append({"id": name, "a": list(a), "b": list(b)})
        return name

    def as_dict(self) -> dict[str, Any]:
        """The specification as ``lab up`` writes it."""
        return {
            "site": "test",
            "dir": str(self.directory),
            "ca": str(self.directory / "ca.pem"),
            "username": self.username,
            "password_file": str(self.directory / "password"),
            "devices": self.devices,
            "cables": self.cables,
            "hosts": self.hosts,
            "bonds": self.bonds,
            "rtt_ms": self.rtt_ms,
        }

    def write(self) -> Path:
        """Write the specification and the password file; returns the former's path."""
        self.directory.mkdir(parents=True, exist_ok=True)
        password_file = self.directory / "password"
        password_file.touch(mode=0o600)
        password_file.write_text(self.password + "\n", encoding="utf-8")
        path = self.directory / "spec.json"
        path.write_text(json.dumps(self.as_dict()), encoding="utf-8")
        return path


@dataclass(slots=True)
class RunningLab:
    """A lab whose process answers."""

    description: LabDescription
    process: subprocess.Popen[str]
    ready: dict[str, Any]
    control: ControlClient

    @property
    def ca(self) -> str:
        """Path of the lab's CA certificate, for requests' ``verify``."""
        return str(self.ready["ca"])

    @property
    def known_hosts(self) -> str:
        """Path of the lab's known_hosts."""
        return str(self.ready["known_hosts"])

    def url(self, device: str) -> str:
        """https://address:port of a device's API."""
        found = self.ready["devices"][device]
        return f"https://{found['address']}:{found['api_port']}"

    def endpoint(self, device: str, **changes: Any) -> Endpoint:
        """How our drivers reach a device; keyword arguments change it."""
        found = next(each for each in self.description.devices if each["name"] == device)
        made = Endpoint(
            device=device,
            address=found["address"],
            api_port=found["api_port"],
            ssh_port=found["ssh_port"],
            username=self.description.username,
            password=self.description.password,
            ca_file=Path(self.ca),
            fingerprint=None,
            known_hosts=Path(self.known_hosts),
            timeout_s=20.0,
        )
        return replace(made, **changes)

    def stop(self) -> int:
        """End the process by its pid: SIGTERM, then SIGKILL after a while; returns its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_TIMEOUT_S)
        return self.process.returncode


def start_process(description: LabDescription, *options: str) -> subprocess.Popen[str]:
    """Start a twin process in a session of its own; it ends by itself after LIFETIME_S whatever happens to us."""
    log = (description.directory / "twins.log").open("w", encoding="utf-8")
    with log:
        command = [sys.executable, "-m", "switch_twins", str(description.directory / "spec.json")]
        return subprocess.Popen(
            [*command, "--max-seconds", str(LIFETIME_S), *options],
            stdout=log,
            stderr=log,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )


def wait_ready(description: LabDescription, process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait, bounded, for the ready file; a process that ends or stays silent fails the test with its log."""
    ready = description.directory / "ready.json"
    end_s = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < end_s and process.poll() is None:
        if ready.exists():
            answer: dict[str, Any] = json.loads(ready.read_text(encoding="utf-8"))
            if answer["pid"] == process.pid:  # else it was left by a process that was killed
                return answer
        time.sleep(0.05)
    log = (description.directory / "twins.log").read_text(encoding="utf-8")
    raise RuntimeError(f"the lab is not up (exit code {process.poll()}):\n{log}")


def starter() -> Iterator[Callable[[LabDescription], RunningLab]]:
    running: list[RunningLab] = []

    def start(description: LabDescription) -> RunningLab:
        description.write()
        process = start_process(description)
        lab = RunningLab(description, process, {}, ControlClient(description.directory / "control.sock"))
        running.append(lab)
        lab.ready = wait_ready(description, process)
        lab.control = ControlClient(Path(lab.ready["control"]))
        return lab

    try:
        yield start
    finally:
        for lab in running:
            lab.stop()

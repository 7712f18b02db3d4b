"""The built-in lab with the boundary's hosts, driven as an operator does, and whoever stands in each zone."""

from __future__ import annotations

import base64
import hmac
import json
import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ansible_mitogen

from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.boundary_hosts.manager import BoundaryHosts

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
STREAM, REACH = (str(Path(__file__).with_name(name)) for name in ("boundary_stream.py", "boundary_reach.py"))
UP_TIMEOUT_S, PLAYBOOK_TIMEOUT_S, SSH_TIMEOUT_S = 1200, 2400, 120
CODE_S = 30
"""How long a code of the second factor is valid (RFC 6238)."""


class BoundaryLab:
    """A copy of the built-in lab's site, with a state folder of its own."""

    def __init__(self, directory: Path) -> None:
        self.site = directory / "lab"
        shutil.copytree(ROOT / "inventory" / "lab", self.site)
        os.environ["GPUFABRIC_STATE"] = str(directory / "state")
        self.environment = {
            **os.environ,
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        }
        self.hosts = BoundaryHosts(state_directory(self.site))

    def nornir(self, *words: str) -> str:
        """A verb on this site; it succeeds."""
        argv = [str(BIN / "nornir"), *words, "--site", str(self.site)]
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=UP_TIMEOUT_S, check=False, env=self.environment
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def playbook(self, name: str, *words: str) -> dict[str, Any]:
        """``ansible-playbook`` on this site: what it says in JSON, and its exit code as ``code``."""
        environment = {
            **self.environment,
            "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
            "ANSIBLE_STRATEGY": "mitogen_linear",
            "ANSIBLE_STRATEGY_PLUGINS": str(Path(ansible_mitogen.__file__).parent / "plugins" / "strategy"),
        }
        argv = ["ansible-playbook", "-i", str(self.site / "gpufabric.yml"), str(ROOT / "playbooks" / name), *words]
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=PLAYBOOK_TIMEOUT_S, check=False, env=environment, cwd=ROOT
        )
        start = done.stdout.find("{")
        assert start >= 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout[start:])
        return {**found, "code": done.returncode}

    def ssh(self, host: str, script: str) -> str:
        """A shell script on a host, as Ansible's account, by sudo; what it printed."""
        argv = [*self.hosts.ssh, host, f"sudo sh -c {_quoted(script)}"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=SSH_TIMEOUT_S, check=False)
        assert done.returncode == 0, f"{host}: {script}: {done.stdout}{done.stderr}"
        return done.stdout

    def at(self, station: str, *command: str, **more: Any) -> subprocess.Popen[str]:
        """A command at a station, left running."""
        argv = self.hosts.in_zone(station, *command)
        return subprocess.Popen(argv, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)

    def reach(self, station: str, probes: Sequence[Sequence[Any]]) -> list[bool]:
        """Which of the probes (boundary_reach.py) were answered."""
        done = self.at(station, sys.executable, "-I", REACH, "send")
        found: list[bool] = json.loads(done.communicate(json.dumps(probes), timeout=120)[0])
        return found

    def person(self, name: str, bastion: str, *words: str, is_wrong: bool = False) -> subprocess.Popen[str]:
        """Somebody comes in from outside by key and code, as ssh asks for them; a code is good once."""
        while time.time() % CODE_S > CODE_S - 8:
            time.sleep(1)
        code = f"{(_code(self.hosts.credentials.second_factor(name)) + is_wrong) % 10**6:06d}"
        answer = self.hosts.directory / "answer"
        answer.write_text(f"#!/bin/sh\necho {code}\n", encoding="utf-8")
        answer.chmod(0o700)
        environment = {**os.environ, "SSH_ASKPASS": str(answer), "SSH_ASKPASS_REQUIRE": "force"}
        argv = [*self.hosts.ssh, "-o", "NumberOfPasswordPrompts=1", *words, f"{name}@people.{bastion}"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(argv, text=True, env=environment, **pipes)  # type: ignore[call-overload, no-any-return]

    def jump(self, name: str, bastion: str, target: str, *, is_wrong: bool = False) -> str:
        """What came back from a target that sends back what it gets."""
        done = self.person(name, bastion, "-W", target, is_wrong=is_wrong)
        return done.communicate("hello\n", timeout=SSH_TIMEOUT_S)[0]

    def session(self, name: str, bastion: str, typed: str) -> str:
        """A session at a terminal; what it showed. Typed is once there is a prompt: what is typed before is lost."""
        done, shown = self.person(name, bastion, "-tt"), ""
        assert done.stdin is not None
        assert done.stdout is not None
        while not shown.endswith("$ "):
            letter = done.stdout.read(1)
            assert letter, shown
            shown += letter
        done.stdin.write(typed)
        done.stdin.flush()
        return shown + done.communicate(timeout=SSH_TIMEOUT_S)[0]

    def owners(self, address: str, hosts: Sequence[str]) -> list[str]:
        """Which hosts have an address, as their kernels say."""
        shown = {host: self.hosts.in_zone(host, "ip", "-br", "address", "show", "to", address) for host in hosts}
        return [host for host, command in shown.items() if subprocess.check_output(command, text=True)]


def until(condition: Callable[[], object], what: str, within_s: float = 60.0) -> float:
    """Seconds until it holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < within_s, f"not within {within_s:.0f} s: {what}"
        time.sleep(0.1)
    return time.monotonic() - started


def _code(secret: str) -> int:
    """What a person's telephone shows now (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // CODE_S)
    digest = hmac.new(base64.b32decode(secret), counter, "sha1").digest()
    place = digest[-1] & 15
    number: int = struct.unpack(">I", digest[place : place + 4])[0]
    return (number & 0x7FFFFFFF) % 10**6


def _quoted(script: str) -> str:
    return "'" + script.replace("'", "'\\''") + "'"

"""One host of the boundary: a system container with Debian's systemd, over the shared root file system."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.lab.boundary_hosts.credentials import PRINCIPAL, Credentials, generate, public
from nornir_tasks.lab.boundary_hosts.plan import Host, Port
from nornir_tasks.lab.process import start_time

START, BOOT = (Path(__file__).parent / name for name in ("start_host.sh", "boot_host.sh"))
BOOT_TIMEOUT_S = 120.0
"""Three seconds on an idle machine."""
STOP_TIMEOUT_S = 10.0
_FOLDERS = ("groups", "lower", "upper", "work", "root")


@dataclass(frozen=True, slots=True)
class Container:
    """One host's folder: what it wrote, its keys, its log."""

    name: str
    directory: Path

    @property
    def log(self) -> Path:
        return self.directory / "console.log"

    @property
    def host_key(self) -> Path:
        return self.directory / "host_key"

    def pid(self) -> int | None:
        """Its outermost process, if that lives."""
        try:
            pid, started = (self.directory / "pid").read_text(encoding="utf-8").split(" ", 1)
        except (OSError, ValueError):
            return None
        return int(pid) if start_time(int(pid)) == started else None

    def make(self, host: Host, image: Path, credentials: Credentials) -> None:
        """Its folder, and the files that an installation would have written."""
        for each in _FOLDERS:
            (self.directory / each).mkdir(mode=0o755, parents=True, exist_ok=True)
        (self.directory / "image").write_text(f"{image}\n", encoding="utf-8")
        generate(self.host_key)
        for name, (text, mode) in self._files(host, credentials).items():
            file = self.directory / "upper" / name
            file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(mode)
        (self.directory / "upper" / "root").chmod(0o700)

    def start(self, namespace: str, group: str) -> None:
        """Its processes stay when we end."""
        argv = ["unshare", "--mount", "--", "sh", "-eu", str(START), self.name, namespace, group, str(BOOT)]
        with self.log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - our own script
                argv,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=programs.environment(),
            )
        (self.directory / "pid").write_text(f"{process.pid} {start_time(process.pid)}", encoding="utf-8")

    def wait(self, ssh: list[str]) -> None:
        """Until its SSH lets us in, with its own host key. Raises LabError if it never does."""
        deadline, output = time.monotonic() + BOOT_TIMEOUT_S, ""
        while time.monotonic() < deadline:
            if self.pid() is None:
                raise LabError(Problem(self.name, "the host ended while it booted", found=self._tail()))
            done = subprocess.run([*ssh, self.name, "true"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
            if done.returncode == 0:
                return
            output = done.stderr.strip()
            time.sleep(0.3)
        raise LabError(Problem(self.name, f"no SSH after {BOOT_TIMEOUT_S:.0f} s: {output}", found=self._tail()))

    def stop(self) -> bool:
        """End all its processes at once, as a power cut would. False: it was not running."""
        pid = self.pid()
        if pid is None:
            return False
        os.kill(pid, signal.SIGKILL)  # its systemd is killed with it, and with that all others of its PID namespace
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while self.pid() is not None and time.monotonic() < deadline:
            time.sleep(0.02)
        return True

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _files(self, host: Host, credentials: Credentials) -> dict[str, tuple[str, int]]:
        key = self.host_key
        files = {
            "etc/hostname": (f"{self.name}\n", 0o644),
            "etc/hosts": (f"127.0.0.1 localhost\n127.0.1.1 {self.name}\n::1 localhost\n", 0o644),
            "etc/ssh/ssh_host_ed25519_key": (key.read_text(encoding="utf-8"), 0o600),
            "etc/ssh/ssh_host_ed25519_key.pub": (f"{public(key)}\n", 0o644),
            "etc/ssh/lab_ca.pub": (f"{public(credentials.authority)}\n", 0o644),
            "etc/ssh/lab_principals": (f"{PRINCIPAL}\n", 0o644),
            "root/.ssh/authorized_keys": (f"{public(credentials.tool)}\n", 0o600),
        }
        return files | {name: (text, 0o644) for name, text in network_files(host).items()}

    def _tail(self) -> str:
        try:
            return " | ".join(self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-4:])
        except OSError:
            return ""


def network_files(host: Host) -> dict[str, str]:
    """A file of systemd-networkd for each port, as an installation would have written them."""
    return {
        f"etc/systemd/network/{20 + place}-{port.name}.network": _network(port) for place, port in enumerate(host.ports)
    }


def _network(port: Port) -> str:
    """A port's file for systemd-networkd. Addresses work at once, as no two hosts have one."""
    lines = ["[Match]", f"Name={port.name}", "", "[Network]", "IPv6AcceptRA=no"]
    lines += [] if any(":" in each for each in port.addresses) else ["LinkLocalAddressing=no"]
    for each in port.addresses:
        lines += ["", "[Address]", f"Address={each}", *(["DuplicateAddressDetection=none"] if ":" in each else [])]
    for route in port.routes:
        lines += ["", "[Route]", f"Destination={route.to}"]
        lines.append(f"Gateway={route.via}" if route.via else "Scope=link")
    return "\n".join(lines) + "\n"


def connecting(namespace: str, *more: str) -> list[str]:
    """The words of a ProxyCommand that opens a connection in a namespace."""
    program = Path(__file__).parent / "connect.py"
    ip = programs.find("ip") or "ip"  # ssh starts it, with the PATH of the one that calls ssh
    return [ip, "netns", "exec", namespace, sys.executable, "-I", str(program), "%h", "%p", *more]

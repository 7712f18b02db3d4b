"""One lab machine: a QEMU process on a disk of its own over the shared image."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.machines.accelerator import Accelerator
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.identity import Keys
from nornir_tasks.lab.machines.network import LEAF_MTU_BYTES
from nornir_tasks.lab.machines.plan import DISK_SLOT, MANAGEMENT_SLOT, MachinePlan, Nic, mac
from nornir_tasks.lab.machines.qmp import SOCKET, command

MEMORY_MIB = 2048
START_TIMEOUT_S = 60.0
BOOT_TIMEOUT_S = 420.0
"""Thirty seconds under TCG on an idle machine; several times that on a busy one."""
STOP_TIMEOUT_S = 10.0
PORT_TRIES = 5


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine's folder: disk, keys, logs, and its record."""

    name: str
    directory: Path
    keys: Keys

    @property
    def record(self) -> dict[str, Any] | None:
        """How it was made: ``plan``, ``image``, ``port``; None before that."""
        try:
            found: dict[str, Any] = json.loads((self.directory / "machine.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    @property
    def serial_log(self) -> Path:
        return self.directory / "serial.log"

    def pid(self) -> int | None:
        """Its process id, if the process lives and is ours; None if another program has the recycled id."""
        try:
            pid = int((self.directory / "pid").read_text(encoding="utf-8"))
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (OSError, ValueError):
            return None
        return pid if f"{self.directory}/disk.qcow2".encode() in words and state != "Z" else None

    def make(self, plan: MachinePlan, image: Path) -> None:
        """Make its folder: an empty disk over the image, a host key, and the data that the machine reads at boot."""
        self.directory.mkdir(mode=0o700, parents=True)
        self.keys.host_key(self.name)
        argv = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(image), "-F", "qcow2"]
        run([*argv, str(self.directory / "disk.qcow2")], START_TIMEOUT_S)
        (self.directory / "name").write_text(f"{self.name}\n", encoding="utf-8")
        network = f"[Match]\nName=ens4\n\n[Network]\nAddress={plan.site_address}\nLinkLocalAddressing=no\n"
        (self.directory / "site.network").write_text(network, encoding="utf-8")
        self._write_record(plan, image, 0)

    def start(self, plan: MachinePlan, accelerator: Accelerator, taps: Mapping[str, str]) -> int:
        """Start QEMU and return the port on 127.0.0.1 for its SSH. A port that is in use by now is replaced."""
        image = Path(str((self.record or {})["image"]))
        for left in reversed(range(PORT_TRIES)):
            port = int((self.record or {}).get("port") or 0) or free_port()
            try:
                run(self._qemu(plan, accelerator, taps, port), START_TIMEOUT_S)
            except LabError as error:
                if "forwarding" not in str(error) or not left:
                    raise
                self._write_record(plan, image, 0)
                continue
            self._write_record(plan, image, port)
            return port
        raise AssertionError("unreachable: the last try raises")

    def wait(self, port: int, started: float, ssh: list[str]) -> float:
        """Seconds from ``started`` (monotonic) until its SSH accepts us, with its own host key. LabError if never."""
        deadline = started + BOOT_TIMEOUT_S
        output = "no answer"
        while time.monotonic() < deadline:
            if self.pid() is None:
                raise LabError(Problem(self.name, "the machine ended while it booted", found=self._tail()))
            if _greets(port):
                try:
                    # Our own ssh with our own configuration.
                    done = subprocess.run([*ssh, self.name, "true"], capture_output=True, timeout=60, check=False)  # noqa: S603
                except subprocess.TimeoutExpired:
                    continue
                if done.returncode == 0:
                    return time.monotonic() - started
                output = done.stderr.decode(errors="replace").strip()
                if "verification failed" in output:
                    break
            time.sleep(0.5)
        raise LabError(Problem(self.name, f"no SSH after {BOOT_TIMEOUT_S:.0f} s: {output}", found=self._tail()))

    def stop(self) -> bool:
        """End its process. False: it was not running."""
        pid = self.pid()
        if pid is None:
            return False
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while self.pid() is not None and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.pid() is not None:
            os.kill(pid, signal.SIGKILL)
        return True

    def plug(self, nic: str, *, is_in: bool) -> None:
        """Plug the cable of a running machine's NIC in, or pull it: the host has no carrier then."""
        command(self.directory, "set_link", name=nic, up=is_in)

    def remove(self) -> None:
        """End it and remove its folder, disk and keys included."""
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _qemu(self, plan: MachinePlan, accelerator: Accelerator, taps: Mapping[str, str], port: int) -> list[str]:
        folder = self.directory
        argv = ["qemu-system-x86_64", "-name", f"gpufabric-{self.name}", "-machine", "pc", *accelerator.arguments]
        argv += ["-m", str(MEMORY_MIB), "-nodefaults", "-no-user-config", "-display", "none"]
        argv += ["-serial", f"file:{self.serial_log}", "-qmp", f"unix:{SOCKET},server=on,wait=off"]
        argv += ["-drive", f"id=disk,if=none,format=qcow2,cache=unsafe,file={folder}/disk.qcow2"]
        argv += ["-device", f"virtio-blk-pci,drive=disk,bootindex=0,addr={DISK_SLOT:#x}"]
        argv += ["-device", "virtio-rng-pci,addr=0x2"]
        # restrict: the machine sees nothing outside the lab, so a role that needs the internet fails.
        argv += ["-netdev", f"user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22"]
        argv += ["-device", _card("management", MANAGEMENT_SLOT, mac(self.name, "management"))]
        for nic in plan.nics:
            argv += ["-netdev", f"tap,id={nic.name},ifname={taps[nic.name]},script=no,downscript=no"]
            argv += ["-device", _card(nic.name, nic.slot, nic.mac) + f",host_mtu={LEAF_MTU_BYTES}{_of_bond(nic)}"]
        given = {"name": "name", "host_key": "host_key", "host_key.pub": "host_key.pub"}
        given["site.network"] = "site.network"
        argv += [word for item, file in given.items() for word in _given(item, folder / file)]
        argv += _given("authorized_keys", self.keys.client.with_suffix(".pub"))
        # The socket's name is relative: the folder's path may be too long for a socket.
        return ["env", "-C", str(folder), *argv, "-daemonize", "-pidfile", f"{folder}/pid"]

    def _write_record(self, plan: MachinePlan, image: Path, port: int) -> None:
        record = {"plan": asdict(plan), "image": str(image), "port": port}
        (self.directory / "machine.json").write_text(json.dumps(record, indent=1), encoding="utf-8")

    def _tail(self) -> str:
        try:
            text = self.serial_log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return " | ".join(text.strip().splitlines()[-4:])


def _card(identifier: str, slot: int, address: str) -> str:
    return f"virtio-net-pci,netdev={identifier},mac={address},addr={slot:#x},romfile="


def _of_bond(nic: Nic) -> str:
    """A speed, without which LACP bundles no link; no offloads.

    The pair of leaves passes on frames as they are, not what a kernel has yet to do to them: checksums, segments. QEMU
    does not filter VLANs: with a saved state it forgets which of them the machine had asked for (seen in 7.2).
    """
    if nic.speed_mbps is None:
        return ""
    off = "".join(f",{name}=off" for name in _OFFLOADS)
    return f",speed={nic.speed_mbps},duplex=full{off}"


_OFFLOADS = ("ctrl_vlan", "csum", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn", "guest_ufo")
"""Properties of QEMU's virtio-net-pci; without ``csum`` a guest sends no segments to be cut either."""


def _given(item: str, file: Path) -> list[str]:
    return ["-fw_cfg", f"name=opt/gpufabric/{item},file={file}"]


def free_port() -> int:
    """A TCP port of 127.0.0.1 that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _greets(port: int) -> bool:
    """Does an SSH server answer? The port forwarder accepts connections long before the machine does."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.settimeout(10)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False

"""The QEMU machine that a routed lab runs in, and SSH into it.

QEMU and SSH end with the process that started them, however that ends (``setpriv --pdeathsig``). The machine reaches
nothing outside (``restrict=on``); the one way in is SSH at a port on loopback, with keys that the lab made.
"""

import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.identity import Keys
from nornir_tasks.lab.machines.image import Image

FOLDER = "fabric-machine"
NAME = "fabric"
PROCESSORS = 2
CACHE_MIB = 256
"""Of translated code, where the processor is emulated."""
MANAGEMENT_SLOT, DISK_SLOT = 3, 5
SSH_CONFIG = "ssh_config"
CONTROL = "control.sock"
_MUX = "ssh.sock"
_MAKE_TIMEOUT_S = 60.0
_APPEND = (
    "root=/dev/vda1 rw console=ttyS0 quiet mitigations=off fsck.mode=skip transparent_hugepage=never"
    " init=/usr/local/sbin/gpufabric-init"
)
_GREETING_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class FabricMachine:
    """One machine. ``directory``: keys, disk and console log; ``sockets``: of short paths."""

    directory: Path
    sockets: Path

    @property
    def keys(self) -> Keys:
        return Keys(self.directory)

    @property
    def serial_log(self) -> Path:
        return self.directory / "serial.log"

    def make(self, image: Image) -> None:
        """Make its keys and an empty disk over the image. Raises LabError."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        (self.directory / NAME).mkdir(mode=0o700, exist_ok=True)
        self.keys.make()
        (self.directory / "name").write_text(f"{NAME}\n", encoding="utf-8")
        argv = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(image.disk), "-F", "qcow2"]
        run([*argv, str(self.directory / "disk.qcow2")], _MAKE_TIMEOUT_S)

    def start(self, image: Image, memory_mib: int, port: int, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        """Start QEMU, with SSH at this port of loopback; it ends with us."""
        return _ending_with_us(self._qemu(image, memory_mib, port), subprocess.DEVNULL, log)

    def _qemu(self, image: Image, memory_mib: int, port: int) -> list[str]:
        folder = self.directory
        argv = ["qemu-system-x86_64", "-name", f"gpufabric-{NAME}", "-machine", "pc"]
        argv += [*image.accelerator.arguments_for(PROCESSORS, CACHE_MIB), "-m", str(memory_mib)]
        argv += ["-nodefaults", "-no-user-config", "-display", "none", "-serial", f"file:{self.serial_log}"]
        argv += ["-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", _APPEND]
        argv += ["-drive", f"id=disk,if=none,format=qcow2,cache=unsafe,file={folder}/disk.qcow2"]
        argv += ["-device", f"virtio-blk-pci,drive=disk,addr={DISK_SLOT:#x}", "-device", "virtio-rng-pci,addr=0x2"]
        argv += ["-netdev", f"user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22"]
        argv += ["-device", f"virtio-net-pci,netdev=management,addr={MANAGEMENT_SLOT:#x},romfile="]
        host_key = self.keys.host_key(NAME)
        given = {"name": folder / "name", "host_key": host_key, "host_key.pub": host_key.with_suffix(".pub")}
        given["authorized_keys"] = self.keys.client.with_suffix(".pub")
        return [*argv, *(word for item, file in given.items() for word in _given(item, file))]

    def write_ssh_config(self, port: int) -> None:
        """How to reach it: ``ssh -F .../ssh_config fabric``. Further connections go through the one that is open."""
        self.keys.write_known_hosts({NAME: port})
        (self.directory / SSH_CONFIG).write_text(
            f'Host {NAME}\n  HostName 127.0.0.1\n  Port {port}\n  User root\n  IdentityFile "{self.keys.client}"\n'
            f'  IdentitiesOnly yes\n  UserKnownHostsFile "{self.keys.known_hosts}"\n  GlobalKnownHostsFile /dev/null\n'
            "  StrictHostKeyChecking yes\n  BatchMode yes\n  ConnectTimeout 60\n  LogLevel ERROR\n"
            f'  ControlPath "{self.sockets / _MUX}"\n  StreamLocalBindUnlink yes\n',
            encoding="utf-8",
        )

    @property
    def ssh(self) -> list[str]:
        """The command that runs what follows in the machine."""
        return ssh_command(self.directory / SSH_CONFIG)

    def open(self, spec: Mapping[str, Any], control: str, command: str, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        """Run a command in the machine; while it runs, every API address of the lab leads there.

        ``control``: the control socket in the machine. It ends with us.
        """
        ways = [f"{self.sockets / CONTROL}:{control}"]
        for each in spec["devices"]:
            ways += (f"{each['address']}:{port}:{each['address']}:{port}" for port in _ports(each))
        argv = [*self.ssh[:-1], "-M", "-o", "ExitOnForwardFailure=yes", *(f"-L{way}" for way in ways), NAME, command]
        return _ending_with_us(argv, subprocess.PIPE, log)


def ssh_command(config: Path) -> list[str]:
    """The command that runs what follows in the machine which this file says how to reach."""
    return ["ssh", "-F", str(config), NAME]


def greets(port: int) -> bool:
    """Does an SSH server answer? QEMU accepts connections long before the machine does."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.settimeout(_GREETING_TIMEOUT_S)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def _ports(device: Mapping[str, Any]) -> list[int]:
    return sorted({int(device["api_port"]), int(device["ssh_port"])})


def _given(item: str, file: Path) -> list[str]:
    return ["-fw_cfg", f"name=opt/gpufabric/{item},file={file}"]


def _ending_with_us(argv: Sequence[str], stdin: int, log: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start a program that the kernel kills when this process ends."""
    bound = ["setpriv", "--pdeathsig", "KILL", *argv]
    return subprocess.Popen(bound, stdin=stdin, stdout=log, stderr=subprocess.STDOUT)  # noqa: S603

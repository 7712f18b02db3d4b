"""Requirements of lab machines on the machine that runs them; one line lists everything that is missing."""

import os
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.lab.machines.machine import MEMORY_MIB
from nornir_tasks.lab.memory import available_mib

IMAGE_PROGRAMS = {"mmdebstrap": "mmdebstrap", "sfdisk": "fdisk", "mke2fs": "e2fsprogs"}
"""What an image is made with."""
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    **IMAGE_PROGRAMS,
    "ssh": "openssh-client",
    "ip": "iproute2",
}
"""Program -> its Debian or Ubuntu package; scripts/machine_packages.sh installs the same."""
FILES = {"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring"}
TUN = Path("/dev/net/tun")
QEMU_MIB = 512
"""Of a machine beside its own memory: 384 MiB of translated code (accelerator.py), and QEMU."""


def check_requirements() -> None:
    """Raises LabError, one line long, that names every missing package, or another obstacle."""
    missing = [package for program, package in PROGRAMS.items() if programs.find(program) is None]
    missing += [package for file, package in FILES.items() if not Path(file).exists()]
    if missing:
        names = " ".join(missing)
        what = f"lab machines need {names}, which this machine has not: sudo apt-get install -y {names}"
        raise LabError(Problem("--hosts", what))
    if os.geteuid() != 0:
        raise LabError(Problem("--hosts", "lab machines need root for their network namespace: run it with sudo"))
    if not TUN.exists():
        raise LabError(Problem("--hosts", f"lab machines need {TUN} for their NICs: modprobe tun"))


def check_memory(machines: int, beside_mib: int) -> None:
    """Raises LabError where so many machines have no room. ``beside_mib``: what starts with them."""
    needed_mib, free_mib = machines * (MEMORY_MIB + QEMU_MIB) + beside_mib, available_mib()
    if machines and free_mib < needed_mib:
        what = f"too little memory for {machines} machine{'s' * (machines != 1)}"
        what += " and the routed switches" * bool(beside_mib)
        hint = "fewer machines, or end what else runs"
        raise LabError(Problem("--hosts", what, f"{needed_mib} MiB", f"{free_mib} MiB available", hint))

"""Requirements of lab machines on the machine that runs them; one line lists everything that is missing."""

import os
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.machines.commands import is_there

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "sfdisk": "fdisk",
    "mke2fs": "e2fsprogs",
    "ssh": "openssh-client",
    "ip": "iproute2",
}
"""Program -> its Debian or Ubuntu package; scripts/machine_packages.sh installs the same."""
FILES = {"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring"}
TUN = Path("/dev/net/tun")


def check_requirements() -> None:
    """Raises LabError, one line long, that names every missing package, or another obstacle."""
    missing = [package for program, package in PROGRAMS.items() if not is_there(program)]
    missing += [package for file, package in FILES.items() if not Path(file).exists()]
    if missing:
        names = " ".join(missing)
        what = f"lab machines need {names}, which this machine has not: sudo apt-get install -y {names}"
        raise LabError(Problem("--hosts", what))
    if os.geteuid() != 0:
        raise LabError(Problem("--hosts", "lab machines need root for their network namespace: run it with sudo"))
    if not TUN.exists():
        raise LabError(Problem("--hosts", f"lab machines need {TUN} for their NICs: modprobe tun"))

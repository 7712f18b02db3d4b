"""What hosts of the boundary need of the machine that runs the lab, and what they leave in its kernel."""

import os
import resource
import tempfile
from contextlib import suppress
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.memory import available_mib

PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "ssh": "openssh-client",
    "ip": "iproute2",
    "unshare": "util-linux",
    "setpriv": "util-linux",
}
FILES = {"/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring"}
FILE_SYSTEMS = ("overlay", "cgroup2")
HOST_MIB = 160
"""Of memory, a host with all that a role of the boundary runs."""
OPEN_FILES = 524_288
"""As systemd sets it for services, where it may (systemd-system.conf(5), DefaultLimitNOFILE)."""
_OPTION = "--boundary"
_TIMEOUT_S = 30.0


def check_requirements() -> None:
    """Raises LabError with all that is missing here."""
    problems = []
    missing = {package for program, package in PROGRAMS.items() if programs.find(program) is None}
    missing |= {package for file, package in FILES.items() if not Path(file).exists()}
    if missing:
        names = " ".join(sorted(missing))
        what = f"the boundary's hosts need {names}, which this machine has not: sudo apt-get install -y {names}"
        problems.append(Problem(_OPTION, what))
    if os.geteuid() != 0:
        problems.append(Problem(_OPTION, "the boundary's hosts need root for their namespaces: run it with sudo"))
    elif unknown := [each for each in FILE_SYSTEMS if not _knows(each)]:
        what = "this kernel lacks file systems that the boundary's hosts need"
        problems.append(Problem(_OPTION, what, ", ".join(FILE_SYSTEMS), f"no {', no '.join(unknown)}"))
    if problems:
        raise LabError(problems)


def check_memory(hosts: int) -> None:
    """Raises LabError where so many new hosts have no room."""
    needed_mib, free_mib = hosts * HOST_MIB, available_mib()
    if free_mib < needed_mib:
        what, found = f"too little memory for {hosts} hosts of the boundary", f"{free_mib} MiB available"
        raise LabError(Problem(_OPTION, what, f"{needed_mib} MiB", found, "end what else runs"))


def open_files() -> int:
    """How many files a process of a host may have open: as many as this machine lets root ask for."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(LabError):
        run(["sh", "-c", f"ulimit -H -n {OPEN_FILES}"], _TIMEOUT_S)
        return OPEN_FILES
    return hard


def remove_groups(prefix: str) -> None:
    """Remove the groups of processes that hosts had, once these have ended."""
    script = 'mount -t cgroup2 none "$1" && find "$1" -mindepth 1 -depth -path "$1/$2-*" -type d -exec rmdir {} +'
    with tempfile.TemporaryDirectory() as folder:
        run(["unshare", "--mount", "--propagation", "private", "sh", "-ec", script, "sh", folder, prefix], _TIMEOUT_S)


def _knows(file_system: str) -> bool:
    """Does the kernel have it? It loads a module for one when it is mounted, or by modprobe."""
    known = Path("/proc/filesystems")
    if file_system not in known.read_text(encoding="utf-8").split() and programs.find("modprobe") is not None:
        with suppress(LabError):
            run(["modprobe", "-q", file_system], _TIMEOUT_S)
    return file_system in known.read_text(encoding="utf-8").split()

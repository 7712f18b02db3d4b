"""What a routed lab in a machine needs here: programs, memory, disk. All that lacks is named at once."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.files.cache import cache_directory
from nornir_tasks.lab.fabric_machine.machine import CACHE_MIB
from nornir_tasks.lab.machines.image import fabric_recipe, is_made
from nornir_tasks.lab.machines.requirements import FILES, IMAGE_PROGRAMS
from nornir_tasks.lab.memory import available_mib
from nornir_tasks.lab.routed import machine_memory_mib

_OPTION = "--routed"
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "setpriv": "util-linux",
}
"""Program -> its Debian or Ubuntu package."""
_QEMU_MIB = CACHE_MIB + 128
"""Of QEMU beside the machine's own memory."""
_IMAGE_MIB, _LAB_MIB = 6 * 1024, 512
"""Of disk: while the image is made (1 GiB of it stays); what a running machine writes."""
_BYTES_IN_MIB = 1 << 20


def check_requirements(switches: int, state_directory: Path) -> None:
    """Raises LabError with all that this machine lacks for a machine with so many switches."""
    is_new = not is_made(fabric_recipe())
    problems = [*_programs(is_new=is_new), *_memory(switches), *_disk(state_directory, is_new=is_new)]
    if os.geteuid() != 0:
        problems.append(Problem(_OPTION, "a routed lab needs root: run it with sudo"))
    if problems:
        raise LabError(problems)


def _programs(*, is_new: bool) -> Iterator[Problem]:
    wanted = {**PROGRAMS, **(IMAGE_PROGRAMS if is_new else {})}
    missing = [package for program, package in wanted.items() if programs.find(program) is None]
    if is_new:
        missing += [package for file, package in FILES.items() if not Path(file).exists()]
    if missing:
        names = " ".join(dict.fromkeys(missing))
        what = f"its planes need a machine here, and that needs {names}, which this machine has not"
        yield Problem(_OPTION, what, hint=f"sudo apt-get install -y {names}")
    if is_new and importlib.util.find_spec("pip") is None:
        what = "the machine's image is made with pip, which the Python that runs gpufabric has not"
        yield Problem(_OPTION, what, hint="python3 -m ensurepip, in the environment that nornir is installed in")


def _memory(switches: int) -> Iterator[Problem]:
    needed_mib, free_mib = machine_memory_mib(switches) + _QEMU_MIB, available_mib()
    if free_mib < needed_mib:
        what = f"too little memory for a machine with {switches} routed switches"
        hint = "end what else runs, or name fewer planes with --plane; without --routed the switches need less"
        yield Problem(_OPTION, what, f"{needed_mib} MiB", f"{free_mib} MiB available", hint)


def _disk(state_directory: Path, *, is_new: bool) -> Iterator[Problem]:
    needs = {_existing(state_directory): _LAB_MIB}
    if is_new:
        cache = _existing(cache_directory())
        needs[cache] = needs.get(cache, 0) + _IMAGE_MIB
    for folder, needed_mib in needs.items():
        free_mib = shutil.disk_usage(folder).free // _BYTES_IN_MIB
        if free_mib < needed_mib:
            what = "too little space on its disk for the machine that a routed lab runs in"
            hint = "free space there, or set GPUFABRIC_CACHE or GPUFABRIC_STATE to a folder on another disk"
            yield Problem(str(folder), what, f"{needed_mib} MiB", f"{free_mib} MiB", hint)


def _existing(folder: Path) -> Path:
    """The folder, or the one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())

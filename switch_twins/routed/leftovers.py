"""End all that a routed lab has on a machine: ``python -m switch_twins.routed.leftovers NAME RUN_FOLDER``.

It needs nothing of the lab but its name, so it also works after the lab's process was killed. Prints the namespaces
that it removed, one a line.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

NETNS = Path("/run/netns")
_END_TIMEOUT_S = 10.0


def namespaces(name: str) -> list[str]:
    """The network namespaces of the lab of this name."""
    return sorted(each.name for each in NETNS.glob(f"{name}-*"))


def processes(names: list[str]) -> Iterator[int]:
    """The processes in these namespaces."""
    inodes = set()
    for name in names:
        with suppress(OSError):
            inodes.add((NETNS / name).stat().st_ino)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if (entry / "ns/net").stat().st_ino in inodes:
                    yield int(entry.name)


def end_processes(names: list[str]) -> None:
    """End every process in these namespaces. Raises TimeoutError if one does not end."""
    deadline = time.monotonic() + _END_TIMEOUT_S
    while there := list(processes(names)):
        for pid in there:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {there} of the lab do not end")
        time.sleep(0.02)


def remove(name: str, run_folder: Path) -> list[str]:
    """End the processes in the lab's namespaces, and remove these and its run folder; their names.

    Raises OSError, or CalledProcessError with what ``ip`` said, if something cannot be removed.
    """
    found = namespaces(name)
    end_processes(found)
    if found:
        batch = "".join(f"netns delete {each}\n" for each in found)
        subprocess.run(["ip", "-batch", "-"], input=batch, text=True, capture_output=True, check=True)  # noqa: S607
    if run_folder.exists():
        shutil.rmtree(run_folder)
        with suppress(OSError):
            run_folder.parent.rmdir()  # the last lab leaves nothing
    return found


def main(arguments: list[str]) -> int:
    """End a lab's leftovers; the exit code."""
    try:
        removed = remove(arguments[0], Path(arguments[1]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{getattr(error, 'stderr', '') or error}\n")
        return 1
    sys.stdout.write("".join(f"{each}\n" for each in removed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

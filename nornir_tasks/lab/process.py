"""The process that runs a lab's switches: started, found again, and ended, independent of its starter.

It holds a lock file from before it runs until it ends: the command that starts it takes the lock and hands it over.
So a running lab is always found, and one that ended is never taken for running, even if its files remain.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from switch_twins.client import ENDED, READY, RECORD

LOG = "log"
PROGRESS = "progress"
"""What it does until it is ready, a line each; only of a lab that takes long."""
Say = Callable[[str], None]
_PROBE_S = 1.0
"""A lock that is only looked at is free again at once."""
_RECORD_TIMEOUT_S = 30.0
"""Python and its modules take about a second to load on an idle machine."""


class LabProcess:
    """The process of the lab in a state folder."""

    def __init__(self, state_directory: Path) -> None:
        self.directory = state_directory / "lab"
        self._lock = state_directory / "lab-process.lock"

    def is_alive(self) -> bool:
        """Does a process of this lab run, ready or not?"""
        try:
            descriptor = os.open(self._lock, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            return False
        finally:
            os.close(descriptor)

    def is_ready(self) -> bool:
        """Does it run, and does every switch listen?"""
        return (self.directory / READY).exists() and self.is_alive()

    def has_crashed(self) -> bool:
        """Had it been ready, and has it ended without ``nornir lab down``?"""
        return any((self.directory / name).exists() for name in (READY, ENDED)) and not self.is_alive()

    def why_it_ended(self) -> str:
        """What it said itself, or else what can be known."""
        try:
            reason: str = json.loads((self.directory / ENDED).read_text(encoding="utf-8"))["why"]
        except (OSError, ValueError, KeyError):
            return "it was killed, or crashed"
        return reason

    def pid(self) -> int | None:
        """Its process id, if it runs and has said so."""
        try:
            record = json.loads((self.directory / RECORD).read_text(encoding="utf-8"))
            pid, started = int(record["pid"]), str(record["started"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return pid if start_time(pid) == started else None

    def start(self, words: Sequence[str]) -> "subprocess.Popen[bytes]":
        """Start it, a module of ours with its arguments; it stays when we end.

        Raises OSError, or LabError if one runs already.
        """
        lock = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._take(lock)
            with (self.directory / LOG).open("wb") as log:
                return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module, our own files
                    [sys.executable, "-m", *words],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=(lock,),
                    env=programs.environment(),
                )
        finally:
            os.close(lock)  # the process has it now, if there is one

    def _take(self, lock: int) -> None:
        deadline = time.monotonic() + _PROBE_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LabError(Problem(str(self.directory), "a process of this lab runs already")) from None
                time.sleep(0.05)
            else:
                return

    def wait(self, timeout_s: float, say: Say = lambda _: None) -> bool:
        """Wait until it is ready (True) or has ended (False). Raises LabError when neither happens in time.

        ``say`` is told what it does meanwhile.
        """
        deadline, shown = time.monotonic() + timeout_s, 0
        while time.monotonic() < deadline:
            shown += self._tell_progress(shown, say)
            if not self.is_alive():
                return False
            if (self.directory / READY).exists():
                return True
            time.sleep(0.05)
        raise LabError(
            Problem(
                str(self.directory / LOG),
                f"the lab is not ready after {timeout_s:.0f} s",
                hint="nornir lab down, then again when the machine is less busy",
            )
        )

    def _tell_progress(self, shown: int, say: Say) -> int:
        """Tell the lines after the first ``shown``; how many these are."""
        try:
            lines = (self.directory / PROGRESS).read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0
        for line in lines[shown:]:
            say(line)
        return len(lines) - shown

    def stop(self, timeout_s: float) -> None:
        """End it, if it runs. Raises LabError for one that cannot be ended, or that never said which it is."""
        deadline = time.monotonic() + _RECORD_TIMEOUT_S
        while self.pid() is None and self.is_alive():  # it has only just been started
            if time.monotonic() > deadline:
                where, what = str(self.directory / RECORD), "a process of this lab runs and does not say which it is"
                raise LabError(Problem(where, what, hint=f"'fuser {self._lock}' names it"))
            time.sleep(0.05)
        for number, patience_s in ((signal.SIGTERM, timeout_s), (signal.SIGKILL, 5.0)):
            pid = self.pid()
            if pid is not None and self.is_alive():
                _send(pid, number, start_time(pid))
            deadline = time.monotonic() + patience_s
            while self.is_alive() and time.monotonic() < deadline:
                time.sleep(0.05)
            if not self.is_alive():
                return
        raise LabError(Problem(str(self.directory / RECORD), "the lab's process does not end", found=str(self.pid())))


def start_time(pid: int) -> str | None:
    """When a process started, as this boot's clock ticks; None if there is none, or only its remains."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return f"{boot} {fields[19]}" if fields[0] != "Z" else None


def _send(pid: int, number: signal.Signals, started: str | None) -> None:
    """Signal a process, but no other one that got its id in between."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if start_time(pid) == started:
            signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        return
    finally:
        os.close(descriptor)

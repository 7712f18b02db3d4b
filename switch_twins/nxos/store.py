"""A switch's configurations: running, startup, checkpoints, and the files on bootflash."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path

from ..clock import Clock
from ..engine import Context, LineError, Tree, load_text
from ..spec import DeviceSpec
from .day0 import device_context, empty_tree
from .dlb import profile_lines


class FileError(Exception):
    """A file on bootflash cannot be used; the text is the switch's message."""


class ConfigStore:
    """All configurations of an NX-OS switch. ``on_change`` is called after every change of the running one."""

    def __init__(
        self, device: DeviceSpec, running: Tree, bootflash: Path, clock: Clock, on_change: Callable[[], None]
    ) -> None:
        self.device, self.running = device, running
        self._clock, self._began, self._began_s = clock, dt.datetime.now(dt.UTC), clock.now_s()
        self.context: Context = device_context(device)
        self.bootflash = bootflash
        self.checkpoints: dict[str, Tree] = {}
        self.startup = ""
        self.changed_at = self.saved_at = ""
        self._on_change = on_change
        bootflash.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.startup = self.running_body()
        self.started_with = profile_lines(running)
        """Dynamic load balancing as the hardware has it since boot."""

    # -- the running configuration ---------------------------------------------------------------------------------

    @property
    def hostname(self) -> str:
        """The configured host name ("switch" without one)."""
        return self.running.root.value("hostname", "name") or "switch"

    def replace(self, tree: Tree) -> None:
        """Make a tree the running configuration, at once."""
        self.running = tree
        self.committed()

    def committed(self) -> None:
        """Record that the running configuration changed, and inform the fabric."""
        self.changed_at = self.timestamp()
        self._on_change()

    def save(self) -> None:
        """``copy running-config startup-config``."""
        self.startup, self.saved_at = self.running_body(), self.timestamp()

    def boot(self) -> None:
        """Start with the startup configuration; bootflash and checkpoints are as they were."""
        tree, _errors = self.tree_of(self.startup)
        self.started_with = profile_lines(tree)
        self.replace(tree)
        self.changed_at = ""

    def now(self) -> dt.datetime:
        """The switch's own date and time: the lab's clock, which may be advanced."""
        return self._began + dt.timedelta(seconds=self._clock.now_s() - self._began_s)

    def timestamp(self) -> str:
        """The time as NX-OS writes it: ``Fri May 16 09:03:25 2025``."""
        return self.now().strftime("%a %b %d %H:%M:%S %Y")

    def version_line(self) -> str:
        """The line with the release: configure replace requires the same one in its file."""
        return f"version {self.device.release} Bios:version 01.14 "

    def running_body(self, all_lines: bool = False) -> str:
        """The configuration from its ``version`` line on."""
        return f"{self.version_line()}\n{self.running.text(all_lines)}"

    def startup_output(self, command: str) -> str:
        """The output of ``show startup-config``."""
        saved = f"!Startup config saved at: {self.saved_at}\n" if self.saved_at else ""
        return f"\n!Command: {command}\n!Time: {self.timestamp()}\n{saved}\n{self.startup}"

    def running_output(self, command: str, all_lines: bool = False) -> str:
        """The output of ``show running-config``."""
        last = (
            f"!Running configuration last done at: {self.changed_at}"
            if self.changed_at
            else ("!No configuration change since last restart")
        )
        head = f"\n!Command: {command}\n{last}\n!Time: {self.timestamp()}\n\n"
        return head + self.running_body(all_lines)

    # -- files -----------------------------------------------------------------------------------------------------

    def path(self, name: str) -> Path:
        """Path of a file on bootflash. Raises FileError for a path outside it."""
        plain = name.removeprefix("bootflash:").removeprefix("//sup-local").lstrip("/")
        if not plain or "/" in plain or plain.startswith("."):
            raise FileError(f"Invalid file name {name}")
        return self.bootflash / plain

    def read(self, name: str) -> str:
        """A file's text. Raises FileError if it does not exist."""
        path = self.path(name)
        if not path.is_file():
            raise FileError("No such file or directory")
        return path.read_text(encoding="utf-8", errors="replace")

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        path, now_s = self.path(name), self.now().timestamp()
        path.write_text(text, encoding="utf-8")
        os.utime(path, (now_s, now_s))

    def delete(self, name: str) -> None:
        """Delete a file. Raises FileError if it does not exist."""
        path = self.path(name)
        if not path.is_file():
            raise FileError("No such file or directory")
        path.unlink()

    def checkpoint_text(self) -> str:
        """The running configuration in the form of a checkpoint file."""
        return f"!Command: Checkpoint cmd vdc 1\n!Time:  {self.timestamp()}\n\n{self.running_body()}"

    # -- whole configurations --------------------------------------------------------------------------------------

    def tree_of(self, text: str) -> tuple[Tree, list[tuple[str, LineError]]]:
        """The configuration of a whole text, and its lines that the switch refuses."""
        tree = empty_tree(self.context)
        rows = [row for row in text.splitlines() if not row.startswith("version ")]
        errors = load_text(tree, self.context, "\n".join(rows))
        return tree, [(rows[number - 1] if number else error.line, error) for number, error in errors]

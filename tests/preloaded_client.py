"""``nornir`` as a process of its own, without the second that its imports take (``preloaded.py``).

For who asks for it, time is not: the client's clocks run ahead of the machine's by what stands in a file (wall clock
and monotonic clock, each its own), and a pause of the client costs nothing: it moves those clocks, and the lab's.
"""

import atexit
import datetime as datetime_module
import importlib
import json
import mmap
import pkgutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.preloaded import Client, Order, Server, serve

SHORTEST_SKIPPED_S = 0.4
"""Shorter pauses are taken: a poll of a switch needs the switch to have had time."""

NORNIR = Path(sys.executable).with_name("nornir")
MOVED = "moved"

_CLOCKS = struct.Struct("dd")
_real_time, _real_monotonic, _real_gettime, _real_sleep = time.time, time.monotonic, time.clock_gettime, time.sleep


class Clocks:
    """How far the client's clocks are ahead of the machine's, in a file that both sides have mapped."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_CLOCKS.pack(0.0, 0.0))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _CLOCKS.size)

    @property
    def ahead_s(self) -> tuple[float, float]:
        """Wall clock and monotonic clock."""
        return _CLOCKS.unpack(self._map[:])

    def advance(self, seconds: float) -> None:
        """Time passes."""
        wall_s, monotonic_s = self.ahead_s
        self._map[:] = _CLOCKS.pack(wall_s + seconds, monotonic_s + seconds)

    def step(self, seconds: float) -> None:
        """Somebody sets the wall clock; no time passes."""
        wall_s, monotonic_s = self.ahead_s
        self._map[:] = _CLOCKS.pack(wall_s + seconds, monotonic_s)

    def reset(self) -> None:
        """Back to the machine's clocks."""
        self._map[:] = _CLOCKS.pack(0.0, 0.0)


# -- the test's side -----------------------------------------------------------------------------------------------


class Clients:
    """Starts commands through the server. ``moves_time``: their clocks follow ``clocks``."""

    def __init__(self, *, moves_time: bool) -> None:
        self._server = Server("tests.preloaded_client", *([MOVED] if moves_time else []))
        self.clocks = Clocks(self._server.folder / "clocks")

    def start(
        self, *words: str, environ: Mapping[str, str], control: Path | None = None, cwd: Path | None = None
    ) -> Client:
        """``nornir WORDS``; ``control`` is the lab's socket, for pauses. Without it they take their time."""
        return self._server.start(*words, environ=environ, cwd=cwd, control=str(control or ""))

    def close(self) -> None:
        """End the server; commands under way are not waited for."""
        self._server.close()


@cache
def _clients() -> Clients:
    made = Clients(moves_time=False)
    atexit.register(made.close)
    return made


def nornir(
    *words: str, environ: Mapping[str, str], cwd: Path | None = None, timeout_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, as ``subprocess.run`` would."""
    return _clients().start(*words, environ=environ, cwd=cwd).completed(words, timeout_s)


# -- the server's side ---------------------------------------------------------------------------------------------


def preload() -> None:
    """Import all that a verb may import, so that no command has to."""
    import nornir_tasks.cli  # noqa: PLC0415
    import nornir_tasks.drivers  # noqa: PLC0415

    for package in (nornir_tasks.cli, nornir_tasks.drivers, nornir_tasks):
        for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not each.name.endswith("__main__"):
                importlib.import_module(each.name)
    from nornir_tasks.usecases.site import load, select  # noqa: PLC0415

    dict(select(load("lab-rails")))  # the catalogue read, the templates compiled: what a process keeps once it has it


def let_time_be_moved(clocks: Clocks) -> None:
    """Python's clocks follow ``clocks``. Before the product is imported: a module keeps the clock it took."""
    time.time = lambda: _real_time() + clocks.ahead_s[0]
    time.monotonic = lambda: _real_monotonic() + clocks.ahead_s[1]
    time.clock_gettime = lambda clock: _real_gettime(clock) + clocks.ahead_s[clock != time.CLOCK_REALTIME]

    class Moved(datetime_module.datetime):
        @classmethod
        def now(cls, tz: datetime_module.tzinfo | None = None) -> "datetime_module.datetime":
            return cls.fromtimestamp(time.time(), tz)

    datetime_module.datetime = Moved  # type: ignore[misc]


def let_pauses_pass(clocks: Clocks, control: str) -> None:
    """A pause of this process moves its clocks and the lab's instead of taking time."""

    def sleep(seconds: float) -> None:
        if seconds < SHORTEST_SKIPPED_S:
            _real_sleep(seconds)
            return
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(10)
            try:
                link.connect(control)
                link.sendall(json.dumps({"request": "advance-clock", "seconds": seconds}).encode() + b"\n")
                link.recv(4096)
            except OSError:
                pass  # no lab, no clock of it
        clocks.advance(seconds)
        _real_sleep(0.01)

    time.sleep = sleep


def main(folder: Path, *, moves_time: bool) -> None:
    """Serve commands."""
    clocks = Clocks(folder / "clocks")
    if moves_time:
        let_time_be_moved(clocks)
    preload()

    def become_client(order: Order) -> None:
        if order["control"]:
            let_pauses_pass(clocks, order["control"])
        from nornir_tasks.cli.main import main as nornir_main  # noqa: PLC0415

        sys.argv = [str(NORNIR), *order["words"]]
        nornir_main()

    serve(folder, become_client)


if __name__ == "__main__":
    main(Path(sys.argv[1]), moves_time=MOVED in sys.argv[2:])

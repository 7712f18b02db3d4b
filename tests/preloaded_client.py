"""``nornir`` as a process of its own, without the second that its imports take: ``python preloaded_client.py FOLDER``.

A server loads everything once and forks for each command; the child is an ordinary process that runs the console
script's ``main`` and ends as it would. Signals, limits and exit codes are therefore real.

For who asks for it, time is not: the client's clocks run ahead of the machine's by what stands in a file (wall clock
and monotonic clock, each its own), and a pause of the client costs nothing: it moves those clocks, and the lab's.
"""

import array
import atexit
import datetime as datetime_module
import gc
import importlib
import json
import mmap
import os
import pkgutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHORTEST_SKIPPED_S = 0.4
"""Shorter pauses are taken: a poll of a switch needs the switch to have had time."""

LOOK_S = 5.0
"""So often the server looks whether somebody is there to give it commands."""

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


@dataclass
class Client:
    """One ``nornir`` command under way."""

    pid: int
    streams: "tuple[_Stream, _Stream]"
    link: socket.socket
    cpu_s: float = 0.0
    """Processor time it took, once it has ended."""

    def wait(self, timeout_s: float) -> int | None:
        """Exit code (negative: the signal that ended it); None if it still runs after ``timeout_s``."""
        self.link.settimeout(timeout_s)
        try:
            line = self.link.makefile().readline()
        except TimeoutError:
            return None
        end = json.loads(line)
        self.cpu_s = float(end["cpu_s"])
        return int(end["code"])

    def kill(self) -> None:
        """End it without mercy."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def output(self) -> tuple[str, str]:
        """What it printed on stdout and stderr."""
        out, err = (each.text() for each in self.streams)
        return out, err


class _Stream:
    """What a command writes into a pipe, read as it comes. A file would be under the limits set on its disk."""

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        self._pieces: list[bytes] = []
        self._reader = threading.Thread(target=self._follow, daemon=True)
        self._reader.start()

    def _follow(self) -> None:
        with os.fdopen(self._read, "rb", buffering=0) as pipe:
            while piece := pipe.read(65536):
                self._pieces.append(piece)

    def text(self) -> str:
        self._reader.join(10)
        return b"".join(self._pieces).decode(errors="replace")


class Clients:
    """Starts commands through the server. ``moves_time``: their clocks follow ``clocks``."""

    def __init__(self, *, moves_time: bool) -> None:
        # not below pytest's folder: the path of a socket has room for 100 characters
        self._home = tempfile.TemporaryDirectory(prefix="gpufabric-clients-")
        directory = Path(self._home.name)
        self.clocks = Clocks(directory / "clocks")
        self._path = directory / "socket"
        log = (directory / "log").open("wb")
        self._server = subprocess.Popen(
            [sys.executable, __file__, str(directory), *([MOVED] if moves_time else [])],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        end_s = _real_monotonic() + 60
        while not self._path.exists():
            assert self._server.poll() is None, (directory / "log").read_text()
            assert _real_monotonic() < end_s, "the preloaded client did not start"
            _real_sleep(0.02)

    def start(
        self, *words: str, environ: Mapping[str, str], control: Path | None = None, cwd: Path | None = None
    ) -> Client:
        """``nornir WORDS``; ``control`` is the lab's socket, for pauses. Without it they take their time."""
        streams = _Stream(), _Stream()
        link = socket.socket(socket.AF_UNIX)
        link.connect(str(self._path))
        order = {"words": words, "environ": dict(environ), "cwd": str(cwd or Path.cwd()), "control": str(control or "")}
        body = json.dumps(order).encode() + b"\n"
        socket.send_fds(link, [body], [each.write for each in streams])
        for each in streams:
            os.close(each.write)
        pid = json.loads(link.recv(4096))["pid"]
        return Client(pid, streams, link)

    def close(self) -> None:
        """End the server; commands under way are not waited for."""
        self._server.terminate()
        self._server.wait(10)
        self._home.cleanup()


@cache
def _clients() -> Clients:
    made = Clients(moves_time=False)
    atexit.register(made.close)
    return made


def nornir(
    *words: str, environ: Mapping[str, str], cwd: Path | None = None, timeout_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, as ``subprocess.run`` would."""
    client = _clients().start(*words, environ=environ, cwd=cwd)
    code = client.wait(timeout_s)
    if code is None:
        client.kill()
    out, err = client.output()
    if code is None:
        raise subprocess.TimeoutExpired(words, timeout_s, out, err)
    return subprocess.CompletedProcess(words, code, out, err)


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


def serve(directory: Path, *, moves_time: bool) -> None:
    """Fork for every command that comes over the socket, until SIGTERM or the end of who started this."""
    clocks = Clocks(directory / "clocks")
    if moves_time:
        let_time_be_moved(clocks)
    preload()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(directory / "starting"))
    listener.listen(8)
    (directory / "starting").rename(directory / "socket")
    parent = os.getppid()
    listener.settimeout(LOOK_S)
    while os.getppid() == parent:
        try:
            link, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork():
            link.close()
            continue
        listener.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        run_one(link, clocks)
        return


def run_one(link: socket.socket, clocks: Clocks) -> None:
    """Run one command in a child, and say what became of it."""
    body, descriptors, _, _ = socket.recv_fds(link, 1 << 16, 2)
    order = json.loads(body)
    pid = os.fork()
    if pid == 0:
        link.close()
        become_client(order, descriptors, clocks)
        return
    for each in descriptors:
        os.close(each)
    link.sendall(json.dumps({"pid": pid}).encode() + b"\n")
    _, status, used = os.wait4(pid, 0)
    end = {"code": os.waitstatus_to_exitcode(status), "cpu_s": used.ru_utime + used.ru_stime}
    link.sendall(json.dumps(end).encode() + b"\n")
    os._exit(0)


def become_client(order: dict, descriptors: "array.array | list[int]", clocks: Clocks) -> None:
    """The rest of this process is the console script."""
    for target, source in enumerate(descriptors, start=1):
        os.dup2(source, target)
        os.close(source)
    os.environ.clear()
    os.environ.update(order["environ"])
    os.chdir(order["cwd"])
    if order["control"]:
        let_pauses_pass(clocks, order["control"])
    from nornir_tasks.cli.main import main  # noqa: PLC0415

    sys.argv = [str(NORNIR), *order["words"]]
    main()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), moves_time=MOVED in sys.argv[2:])

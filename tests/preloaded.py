"""Programs as processes of their own, without the second that their imports take.

A server loads everything once and forks for each run; the child is an ordinary process that runs the program's
``main`` and ends as it would. Signals, limits and exit codes are therefore real.
"""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOOK_S = 5.0
"""So often the server looks whether somebody is there to give it commands."""
OUT_ERR_IN = (1, 2, 0)
"""What the descriptors that come with an order become, as many as came."""

Order = dict[str, Any]


# -- the side of who wants a program run ---------------------------------------------------------------------------


@dataclass
class Client:
    """One program under way."""

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

    def completed(self, words: tuple[str, ...], timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Wait for its end, as ``subprocess.run`` does."""
        code = self.wait(timeout_s)
        if code is None:
            self.kill()
        out, err = self.output()
        if code is None:
            raise subprocess.TimeoutExpired(words, timeout_s, out, err)
        return subprocess.CompletedProcess(words, code, out, err)


class _Stream:
    """What a program writes into a pipe, read as it comes. A file would be under the limits set on its disk."""

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


class Server:
    """``python -m MODULE FOLDER WORDS``, which calls ``serve(FOLDER, ...)``."""

    def __init__(self, module: str, *words: str, environ: Mapping[str, str] | None = None) -> None:
        # not below pytest's folder: the path of a socket has room for 100 characters
        self._home = tempfile.TemporaryDirectory(prefix="gpufabric-clients-")
        self.folder = Path(self._home.name)
        self.socket = self.folder / "socket"
        log = self.folder / "log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(self.folder), *words],
                cwd=ROOT,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        end_s = time.monotonic() + 60
        while not self.socket.exists():
            assert self._process.poll() is None, log.read_text()
            assert time.monotonic() < end_s, f"{module} did not start"
            time.sleep(0.02)

    def start(self, *words: str, environ: Mapping[str, str], cwd: Path | None = None, **more: str) -> Client:
        """Run the program with these words. ``more``: for ``become``, in its order."""
        streams = _Stream(), _Stream()
        link = socket.socket(socket.AF_UNIX)
        link.connect(str(self.socket))
        order = {"words": words, "environ": dict(environ), "cwd": str(cwd or Path.cwd()), **more}
        socket.send_fds(link, [json.dumps(order).encode() + b"\n"], [each.write for each in streams])
        for each in streams:
            os.close(each.write)
        pid = json.loads(link.recv(4096))["pid"]
        return Client(pid, streams, link)

    def close(self) -> None:
        """End the server; programs under way are not waited for."""
        self._process.terminate()
        self._process.wait(10)
        self._home.cleanup()


# -- the server's side ---------------------------------------------------------------------------------------------


def serve(folder: Path, become: Callable[[Order], None]) -> None:
    """Fork for every order that comes over the socket, until SIGTERM or the end of who started this.

    ``become``: the rest of a child's life. What it needs was imported before.
    """
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "starting"))
    listener.listen(8)
    (folder / "starting").rename(folder / "socket")
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
        _run_one(link, become)
        return


def _run_one(link: socket.socket, become: Callable[[Order], None]) -> None:
    """Run one program in a child, and say what became of it."""
    body, descriptors, _, _ = socket.recv_fds(link, 1 << 16, len(OUT_ERR_IN))
    order = json.loads(body)
    pid = os.fork()
    if pid == 0:
        link.close()
        for target, source in zip(OUT_ERR_IN, descriptors, strict=False):
            os.dup2(source, target)
            os.close(source)
        os.environ.clear()
        os.environ.update(order["environ"])
        os.chdir(order["cwd"])
        become(order)
        return
    for each in descriptors:
        os.close(each)
    link.sendall(json.dumps({"pid": pid}).encode() + b"\n")
    _, status, used = os.wait4(pid, 0)
    end = {"code": os.waitstatus_to_exitcode(status), "cpu_s": used.ru_utime + used.ru_stime}
    with suppress(BrokenPipeError):
        link.sendall(json.dumps(end).encode() + b"\n")
    os._exit(0)

"""Serve a lab: ``switch-twins SPEC.json`` (``python -m switch_twins``) until SIGTERM, Ctrl-C or its lifetime's end.

Into the lab's directory it writes ``process.json`` first (its id and its start time), ``ready.json`` when every device
listens (pid, control socket, CA, known_hosts, devices), and ``ended.json`` (the reason) when it ends in order; then
``ready.json`` is removed. Exit code 0 after a signal or the lifetime, 98 if another process listens on one of its
addresses, 10 if it cannot start for another reason.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import ADDRESS_TAKEN, ENDED, READY, RECORD, SOCKETS, SOCKETS_PREFIX
from .control import ControlServer, is_socket_path
from .errors import TwinError
from .server import AddressTakenError, LabServer
from .spec import LabSpec
from .spec_reader import load_spec

CANNOT_START = 10
_LIFETIME_S = 4 * 3600.0
_GC_THRESHOLD = 50_000
"""Python's default of 700 would scan all switches' configurations again and again."""


def main(arguments: list[str] | None = None) -> int:
    """Run a lab process; returns its exit code."""
    parser = argparse.ArgumentParser(prog="switch-twins", description="Serve a lab's switches.")
    parser.add_argument("spec", type=Path, help="the lab's specification (JSON)")
    parser.add_argument("--max-seconds", type=float, default=_LIFETIME_S, help="end by itself after this time (4 h)")
    options = parser.parse_args(arguments)
    gc.set_threshold(_GC_THRESHOLD)
    try:
        return asyncio.run(serve(load_spec(options.spec), options.max_seconds))
    except AddressTakenError as error:
        sys.stderr.write(f"{error}\n")
        return ADDRESS_TAKEN
    except TwinError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    except OSError as error:
        sys.stderr.write(f"{error.filename or options.spec}: {error.strerror or error}\n")
        return CANNOT_START


async def serve(spec: LabSpec, lifetime_s: float) -> int:
    """Serve until told to stop; in any case remove all listeners, the socket and the ready file afterwards."""
    ended = asyncio.Event()
    reasons: list[str] = []
    loop = asyncio.get_running_loop()

    def end(why: str) -> None:
        reasons.append(why)
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, f"it was ended by {number.name}")
    lifetime = loop.call_later(lifetime_s, end, f"it ended by itself after {lifetime_s / 3600:g} h")
    spec.directory.mkdir(parents=True, exist_ok=True)
    _write(spec.directory / RECORD, {"pid": os.getpid(), "started": _started()})
    (spec.directory / "pid").write_text(str(os.getpid()), encoding="utf-8")  # for scripts
    ready = spec.directory / READY
    ready.unlink(missing_ok=True)
    lab = LabServer(spec)
    with _control_socket(spec.directory) as path:
        control = ControlServer(lab, path)
        try:
            await lab.start()
            await control.start()
            _write_ready(ready, lab, control.path)
            await ended.wait()
        finally:
            lifetime.cancel()
            if ready.exists():
                with contextlib.suppress(OSError):  # a full disk does not prevent its end
                    _write(spec.directory / ENDED, {"why": reasons[0] if reasons else "it failed; its log says why"})
            ready.unlink(missing_ok=True)
            await control.stop()
            await lab.stop()
    return 0


@contextlib.contextmanager
def _control_socket(directory: Path) -> Iterator[Path]:
    """Where the control socket is to be; the command that ends a killed lab finds its folder elsewhere by SOCKETS."""
    path = directory / "control.sock"
    if is_socket_path(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix=SOCKETS_PREFIX) as short:
        link = directory / SOCKETS
        link.unlink(missing_ok=True)
        link.symlink_to(short)
        try:
            yield Path(short) / path.name
        finally:
            link.unlink(missing_ok=True)


def _write_ready(path: Path, lab: LabServer, control: Path) -> None:
    content = {
        "pid": os.getpid(),
        "site": lab.spec.site,
        "control": str(control),
        "ca": str(lab.spec.ca),
        "known_hosts": str(lab.known_hosts),
        "devices": {
            d.name: {"os": d.os, "address": d.address, "api_port": d.api_port, "ssh_port": d.ssh_port}
            for d in lab.spec.devices
        },
    }
    _write(path, content)


def _write(path: Path, content: dict[str, Any]) -> None:
    """Write to another name first, so that a reader never sees an incomplete file."""
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


def _started() -> str:
    """The start time of this process in ticks of this boot's clock: with its id it is unique (proc(5))."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    return f"{boot} {Path('/proc/self/stat').read_text(encoding='utf-8').rpartition(')')[2].split()[19]}"

"""Serve a lab: ``python -m nornir_tasks.lab.twins.process SPEC.json`` until SIGTERM, Ctrl-C or its lifetime is over.

When every device listens it writes ``ready.json`` into the lab's directory (pid, control socket, CA, known_hosts,
devices) and removes it at its end. Exit code 0 after a signal or the lifetime, 10 if the lab cannot start.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

from nornir_tasks.errors import LabError

from .control import ControlServer, control_path
from .server import LabServer
from .spec import LabSpec, load_spec

READY = "ready.json"
_LIFETIME_S = 4 * 3600.0
_GC_THRESHOLD = 50_000
"""Python's own 700 would look through all switches' configurations again and again."""


def main(arguments: list[str] | None = None) -> int:
    """Run a lab process; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m nornir_tasks.lab.twins.process", description="Serve a lab's switches."
    )
    parser.add_argument("spec", type=Path, help="the lab's specification (JSON)")
    parser.add_argument("--max-seconds", type=float, default=_LIFETIME_S, help="end by itself after this time (4 h)")
    options = parser.parse_args(arguments)
    gc.set_threshold(_GC_THRESHOLD)
    try:
        return asyncio.run(serve(load_spec(options.spec), options.max_seconds))
    except LabError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


async def serve(spec: LabSpec, lifetime_s: float) -> int:
    """Serve until told to stop; whatever happens, every listener, the socket and the ready file are gone afterwards."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    lifetime = loop.call_later(lifetime_s, ended.set)
    spec.directory.mkdir(parents=True, exist_ok=True)
    ready = spec.directory / READY
    ready.unlink(missing_ok=True)
    lab = LabServer(spec)
    with tempfile.TemporaryDirectory(prefix="gpufabric-lab-") as short:
        control = ControlServer(lab, control_path(spec.directory, Path(short) / "control.sock"))
        try:
            await lab.start()
            await control.start()
            _write_ready(ready, lab, control.path)
            await ended.wait()
        finally:
            lifetime.cancel()
            ready.unlink(missing_ok=True)
            await control.stop()
            await lab.stop()
    return 0


def _write_ready(path: Path, lab: LabServer, control: Path) -> None:
    """Written to another name first, so that whoever sees the file sees all of it."""
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
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    sys.exit(main())

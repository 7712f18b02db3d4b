"""The stand-in as a process of its own: ``python -m tests.standins.kube_api up|down FOLDER``."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import VERSION, prepare

WAIT_S = 20


def main() -> None:
    """Start it in the background, serve, or end it."""
    parser = argparse.ArgumentParser(description="A stand-in for a Kubernetes API server on loopback, for tests.")
    parser.add_argument("action", choices=["up", "serve", "down"])
    parser.add_argument("folder", type=Path, help="Gets kubeconfig, certificates, requests.log, pid.")
    parser.add_argument("--node", action="append", default=[], help="NAME, or NAME,label=value,...")
    parser.add_argument("--schema", action="append", default=[], type=Path, help="A table of recorded definitions.")
    parser.add_argument("--version", default=VERSION, help="Of Kubernetes, as /version says it.")
    parser.add_argument("--port", default=0, type=int, help="0: any free one.")
    given = parser.parse_args()
    {"up": _up, "serve": _serve, "down": _down}[given.action](given)


def _serve(given: argparse.Namespace) -> None:
    api = prepare(given.folder, nodes=given.node, schemas=given.schema, version=given.version, port=given.port)
    (given.folder / "pid").write_text(str(os.getpid()))
    api.server.serve_forever()


def _up(given: argparse.Namespace) -> None:
    _down(given)
    given.folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", __package__, "serve", *sys.argv[2:]]
    with (given.folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + WAIT_S
    while not (given.folder / "pid").exists():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"the stand-in did not start; {given.folder}/log: {(given.folder / 'log').read_text()[-400:]}")
        time.sleep(0.05)
    print(given.folder / "kubeconfig")


def _down(given: argparse.Namespace) -> None:
    file = given.folder / "pid"
    if not file.exists():
        return
    pid = int(file.read_text())
    file.unlink()
    command = Path(f"/proc/{pid}/cmdline")
    if command.exists() and b"kube_api" in command.read_bytes():
        os.kill(pid, signal.SIGTERM)


main()

"""A host as the setters of RoCE knobs use it: its programs and files, its lock, and RDMA-CM's folders.

Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import Run, run_command
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_state import RailReader
except ImportError:  # installed beside the service
    from roce_run import Run, run_command
    from roce_state import RailReader

LOCK = "/run/gpufabric-roce-qos.lock"  # not /run/lock, which every user may write to
LOCK_WAIT_S = 300
RDMA_CM = "/sys/kernel/config/rdma_cm"


@dataclass(frozen=True)
class Host:
    """The host: how to run a program on it, and its /sys, /proc and /run."""

    root: Path = Path("/")
    run: Run = run_command

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def reader(self, rail: str, backend: str, *, with_firmware: bool = True) -> RailReader:
        return RailReader(rail, run=self.run, root=self.root, backend=backend, with_firmware=with_firmware)


@contextlib.contextmanager
def locked(host: Host) -> Iterator[None]:
    """Within it, no other run changes this host: service and Ansible wait for each other, LOCK_WAIT_S at most."""
    path = host.at(LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="ascii") as file:
        _take(file.fileno(), path)
        yield


def _take(descriptor: int, path: Path) -> None:
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                busy = f"{path} is locked for more than {LOCK_WAIT_S} s by another run"
                raise TimeoutError(f"{busy}: systemctl status gpufabric-roce-qos") from None
            time.sleep(0.5)
        else:
            return


@contextlib.contextmanager
def configured(host: Host, path: str) -> Iterator[None]:
    """Within it, RDMA-CM's folder of the device exists.

    Written values remain when the folder is removed; a remaining folder would keep the device busy.
    """
    folder = host.at(path).parents[2] if path.startswith(RDMA_CM) else None
    made = folder is not None and not folder.exists()
    if folder is not None and made:
        folder.mkdir()
    try:
        yield
    finally:
        if folder is not None and made:
            with contextlib.suppress(OSError):
                folder.rmdir()

"""Being in a network namespace for a while, to open a socket that stays there."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .leftovers import NETNS

_CLONE_NEWNET = 0x4000_0000
"""linux/sched.h; Python has setns(2) from 3.12 on."""


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """The calling thread is in a namespace, and then where it was before. Raises OSError."""
    with Path("/proc/thread-self/ns/net").open("rb") as before, (NETNS / namespace).open("rb") as there:
        _enter(there.fileno())
        try:
            yield
        finally:
            _enter(before.fileno())


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

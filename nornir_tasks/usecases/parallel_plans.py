"""The same work on many switches, by this process and a second one: what Python's threads cannot share is computing."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")

LEAST = 256
"""Switches from which on a second process saves more than it costs."""
CHUNK = 16
"""Switches whose results are sent at a time: what they share is sent once."""


@contextmanager
def in_two(
    job: Callable[[str], T], names: Sequence[str], least: int | None = None
) -> Iterator[Iterator[tuple[str, T]]]:
    """Yield (name, its result) of every name, in no order; what ``job`` raises is raised here.

    Enter it before anything starts a thread. The second process begins with the last name, this one with the first,
    until they meet. What the second does not send, for any reason, this one does itself.
    """
    if len(names) < (LEAST if least is None else least) or not _may_fork():
        yield ((name, job(name)) for name in names)
        return
    chunks = [names[at : at + CHUNK] for at in range(0, len(names), CHUNK)]
    fork = multiprocessing.get_context("fork")
    first, last = fork.RawValue("i", -1), fork.RawValue("i", len(chunks))  # each is written by one process alone
    ours, theirs = fork.Pipe(duplex=False)
    second = fork.Process(target=_serve, args=(job, chunks, first, last, theirs), daemon=True)
    second.start()
    theirs.close()
    try:
        yield _together(job, chunks, first, last, ours)
    finally:
        ours.close()
        second.terminate()
        second.join()


def _may_fork() -> bool:
    """Two processors, and no thread that could hold a lock at that moment."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def _serve(
    job: Callable[[str], T],
    chunks: Sequence[Sequence[str]],
    first: Any,  # noqa: ANN401 - a number that both processes see
    last: Any,  # noqa: ANN401
    to: Connection,
) -> None:
    """In the second process. A job that fails ends it: this chunk is then the other one's, which raises that again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other one has it as well, and ends this one
    try:
        while last.value - 1 > first.value:
            last.value -= 1
            to.send((last.value, [job(name) for name in chunks[last.value]]))
    except Exception:  # noqa: BLE001 - see above
        return


def _together(
    job: Callable[[str], T],
    chunks: Sequence[Sequence[str]],
    first: Any,  # noqa: ANN401
    last: Any,  # noqa: ANN401
    source: Connection,
) -> Iterator[tuple[str, T]]:
    missing = dict.fromkeys(range(len(chunks)))
    while first.value + 1 < last.value:
        first.value += 1
        for name in chunks[first.value]:
            yield name, job(name)
        del missing[first.value]
        while missing and (sent := _sent(source, 0)) is not None:
            yield from _new(sent, chunks, missing)
    while missing and (sent := _sent(source, None)) is not None:
        yield from _new(sent, chunks, missing)
    for number in tuple(missing):
        for name in chunks[number]:
            yield name, job(name)


def _sent(source: Connection, wait_s: float | None) -> Any | None:  # noqa: ANN401 - what _serve sends
    """The next chunk's number and results; None if there is none within this time, or there will be none."""
    try:
        return source.recv() if source.poll(wait_s) else None
    except (EOFError, OSError):
        return None


def _new(
    sent: tuple[int, Sequence[T]], chunks: Sequence[Sequence[str]], missing: dict[int, None]
) -> Iterator[tuple[str, T]]:
    """Both did a chunk if both took it at the same moment: then the first result counts."""
    number, results = sent
    if number in missing:
        del missing[number]
        yield from zip(chunks[number], results, strict=True)

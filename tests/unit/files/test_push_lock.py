"""One push of a site at a time, and who looks learns which."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nornir_tasks.errors import LocalError, RefusedError
from nornir_tasks.files.push_lock import LOCK, push_under_way, sole_push


@contextmanager
def pushing(directory: Path, number: int) -> Iterator[int]:
    """Another process that carries out a push; it is killed in the end."""
    child = os.fork()
    if child == 0:
        with sole_push(directory, "push") as lock:
            lock.note_push(number)
            time.sleep(60)
        os._exit(1)
    try:
        deadline = time.monotonic() + 60
        while push_under_way(directory) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_push_is_under_way_until_its_process_ends_however_that_ends(tmp_path: Path) -> None:
    assert push_under_way(tmp_path) is None
    with pushing(tmp_path, 7):
        assert push_under_way(tmp_path) == 7
    assert (tmp_path / LOCK).read_text() != "", "it was killed and could not clear away what it wrote"
    assert push_under_way(tmp_path) is None
    with sole_push(tmp_path, "rollback"):
        assert push_under_way(tmp_path) is None, "it has no number yet, and not that of the one before"


def test_a_second_push_is_refused_with_the_process_and_the_push_of_the_first(tmp_path: Path) -> None:
    with (
        pushing(tmp_path, 7) as process,
        pytest.raises(RefusedError, match=f"process {process}, push 7"),
        sole_push(tmp_path, "push"),
    ):
        pass


def test_a_push_that_has_ended_leaves_no_trace_of_itself(tmp_path: Path) -> None:
    with sole_push(tmp_path, "push") as lock:
        lock.note_push(1)
    assert (tmp_path / LOCK).read_text() == ""


def test_somebody_who_looks_keeps_no_push_from_beginning(tmp_path: Path) -> None:
    (tmp_path / LOCK).touch()
    child = os.fork()
    if child == 0:
        while True:
            push_under_way(tmp_path)
            time.sleep(0.001)
    try:
        for _ in range(100):
            with sole_push(tmp_path, "push"):
                pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_lock_that_cannot_be_written_is_a_fault_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(LocalError, match=r"push\.lock: cannot be written") as caught, sole_push(tmp_path, "push"):
        pass
    assert caught.value.exit_code == 11

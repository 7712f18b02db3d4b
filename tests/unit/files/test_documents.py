"""Documents at a path somebody gave: plain files whole and with their mode, all else written through and left as it is.

No device of this machine is touched: they are made anew in a folder of the test's own.
"""

import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nornir_tasks.errors import LocalError
from nornir_tasks.files.documents import write_documents

NOBODY = 65534
NORNIR = Path(sys.executable).with_name("nornir")
TEXT = "cable,from,to\n" * 20_000
"""More than a pipe holds."""


def test_a_plain_file_is_exchanged_whole_and_keeps_its_mode_and_owner(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_text("old")
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    before = file.stat()
    with file.open() as reader:
        write_documents({file: TEXT})
        assert reader.read() == "old", "who reads it meanwhile reads all of the old one"
    after = file.stat()
    assert file.read_text() == TEXT
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.csv"]


def test_a_new_file_has_the_mode_that_the_user_asked_all_new_files_to_have(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_documents({tmp_path / "plan.csv": "x"})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "plan.csv").stat().st_mode) == 0o640


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "plan.csv").write_text("old")
    (tmp_path / "link").symlink_to("there/plan.csv")
    (tmp_path / "dangling").symlink_to("there/new.csv")
    write_documents({tmp_path / "link": "1", tmp_path / "dangling": "2"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "there" / "plan.csv").read_text() == "1"
    assert (tmp_path / "there" / "new.csv").read_text() == "2"


def test_a_fifo_is_written_through(tmp_path: Path) -> None:
    fifo, seen = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: seen.append(fifo.read_text()), daemon=True)
    reader.start()
    write_documents({fifo: TEXT})
    reader.join(30)
    assert seen == [TEXT]
    assert fifo.is_fifo()


def node(path: Path, kind: int, major: int, minor: int) -> Path:
    try:
        os.mknod(path, kind | 0o600, os.makedev(major, minor))
        path.open("rb").close()
    except PermissionError:
        pytest.skip("devices are made and opened by root alone")
    except OSError:
        pass  # no such disk in this machine: it is there all the same
    return path


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    null = node(tmp_path / "null", stat.S_IFCHR, 1, 3)
    write_documents({null: TEXT})
    assert null.is_char_device()
    full = node(tmp_path / "full", stat.S_IFCHR, 1, 7)
    with pytest.raises(LocalError, match="No space left on device"):
        write_documents({full: TEXT})
    assert full.is_char_device()


def test_a_disk_is_refused(tmp_path: Path) -> None:
    disk = node(tmp_path / "disk", stat.S_IFBLK, 7, 250)
    with pytest.raises(LocalError, match="is a disk"):
        write_documents({disk: TEXT})
    assert disk.is_block_device()


@pytest.mark.parametrize("target", ["new/plan.csv", "file/plan.csv", "folder"])
def test_what_cannot_be_written_is_named_and_leaves_nothing_behind(target: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(LocalError) as failed:
        write_documents({tmp_path / "first.csv": "1", tmp_path / target: "2"})
    (problem,) = failed.value.problems
    assert problem.where == str(tmp_path / target)
    assert problem.hint
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}


def test_a_file_nobody_may_write_is_left_as_it_is(folder_of_anybody: Path) -> None:
    file = folder_of_anybody / "plan.csv"
    file.write_text("old")
    file.chmod(0o444)
    with as_a_plain_user(), pytest.raises(LocalError, match="Permission denied"):
        write_documents({file: "new"})
    assert file.read_text() == "old"


@pytest.fixture
def folder_of_anybody() -> Iterator[Path]:
    """A folder that every user can get to, which ``tmp_path`` is not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@contextmanager
def as_a_plain_user() -> Iterator[None]:
    """Root may write anywhere, so root steps down for a while."""
    before = os.getresuid()
    if before[1] == 0:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(*before)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "plan.csv", "-"])
def test_stdout_that_goes_to_a_file_gets_the_document_by_any_of_its_names(target: str, tmp_path: Path) -> None:
    """Exchanging that file would leave the shell writing to one that has no name any more."""
    file = tmp_path / "plan.csv"
    file.write_text("earlier\n")
    inode = file.stat().st_ino
    with file.open("a") as stdout:
        subprocess.run(
            [NORNIR, "design", "--site", "lab-rails", "--csv", target],
            stdout=stdout,
            cwd=tmp_path,
            timeout=60,
            check=True,
        )
    lines = file.read_text().splitlines()
    assert (lines[0], len(lines)) == ("earlier", 50)
    assert file.stat().st_ino == inode


def test_another_open_file_is_written_by_its_number(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    command = f"exec 3>plan.csv; {NORNIR} design --site lab-rails --csv /dev/fd/3 && echo more >> plan.csv"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, timeout=60, check=True, capture_output=True)
    assert len(file.read_text().splitlines()) == 50

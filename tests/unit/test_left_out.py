"""Tests that need something of the machine: when they are left out or fail, and what the end of a run says."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import needs
import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT, FAILED = pytest.skip.Exception, pytest.fail.Exception
User = Callable[[int], None]


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    """(uid) -> that one runs the tests, where ``no-such-program`` is missing."""
    monkeypatch.setitem(needs.PROGRAMS, "no-such-program", "its-package")
    monkeypatch.setitem(needs.PROGRAMS, "sh", "dash")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(needs, "is_fast", False)

    def become(uid: int) -> None:
        needs.is_there.cache_clear()
        monkeypatch.setattr(os, "geteuid", lambda: uid)

    yield become
    needs.is_there.cache_clear()


def test_what_is_there_is_tested(as_user: User) -> None:
    as_user(1000)
    needs.require("sh")
    as_user(0)
    needs.require("sh", "root")


@pytest.mark.parametrize(
    ("part", "why"), [("root", "needs root"), ("no-such-program", "apt-get install -y its-package")]
)
def test_a_normal_users_test_is_left_out_with_its_reason(as_user: User, part: str, why: str) -> None:
    as_user(1000)
    with pytest.raises(LEFT_OUT, match=why):
        needs.require("sh", part)


def test_as_root_nothing_is_left_out_because_it_is_missing(as_user: User) -> None:
    as_user(0)
    with pytest.raises(FAILED, match=r"no-such-program.*machine_packages\.sh"):
        needs.require("root", "no-such-program")


def test_in_ci_a_missing_program_fails_for_a_normal_user_too_and_rights_that_he_cannot_have_do_not(
    as_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_user(1000)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(FAILED, match="no-such-program"):
        needs.require("no-such-program")
    with pytest.raises(LEFT_OUT, match="needs root"):
        needs.require("root", "no-such-program")


def test_a_misspelt_part_is_no_reason_to_leave_a_test_out(as_user: User) -> None:
    as_user(1000)
    with pytest.raises(ValueError, match="rooot"):
        needs.require("rooot")


def test_make_test_fast_leaves_out_what_uses_the_machine_whoever_runs_it(
    as_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(needs, "is_fast", True)
    as_user(0)
    with pytest.raises(LEFT_OUT, match="make test-fast"):
        needs.require("sh")
    needs.require()


def test_root_is_given_every_program_that_tests_may_need() -> None:
    script = (ROOT / "scripts/machine_packages.sh").read_text()
    packages = script.partition("packages=(")[2].partition(")")[0].split()
    assert set(needs.PROGRAMS.values()) - {*packages} == set()


TESTS = """
import pytest


@pytest.fixture
def started():
    raise AssertionError("something was started for a test that is left out")


@pytest.mark.needs("root")
@pytest.mark.parametrize("number", [1, 2])
def test_of_root(started, number): ...


@pytest.fixture
def with_program():
    from needs import require

    require("no-such-program")


def test_with_a_program(with_program): ...


def test_of_anybody(): ...
"""
A_USER = "import needs, os\nneeds.PROGRAMS['no-such-program'] = 'its-package'\nos.geteuid = lambda: 1000\n"


def test_the_end_of_a_run_says_how_many_tests_were_left_out_for_each_reason(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "a_user.py").write_text(A_USER)
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "a_user", "--rootdir", tmp_path, tmp_path],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 3 skipped" in done.stdout
    summary = done.stdout.partition(" left out ")[2].splitlines()[1:3]
    assert summary == [
        "2 tests: needs root: devices, mounts, namespaces or files of root",
        "1 test: needs no-such-program, which is not installed: sudo apt-get install -y its-package",
    ]


def test_make_test_fast_does_not_even_read_the_files_that_take_long() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--fast", "tests/unit/usecases"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    rows = (row.split("\t")[1] for row in (ROOT / "tests/slow_files.tsv").read_text().splitlines())
    slow = [each for each in rows if each.startswith("tests/unit/usecases/")]
    assert slow and "::test_" in done.stdout
    assert [each for each in slow if each in done.stdout] == []

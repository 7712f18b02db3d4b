"""A push does its work to the end although nobody reads what it prints, or nothing more can be printed."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from tests.preloaded_client import NORNIR


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("output"), small_site) as made:
        yield made


def push(operator: Operator, verb: str, stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(NORNIR), verb, "--yes", "--site", str(operator.site)],
        env={**os.environ, "GPUFABRIC_STATE": str(operator.state)},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_switch_is_pushed_and_rolled_back_whether_or_not_that_can_be_printed(operator: Operator) -> None:
    reading, gone = os.pipe()
    os.close(reading)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        pushed = push(operator, "push", gone)
        assert (pushed.returncode, "standard output" in pushed.stderr, "Traceback" in pushed.stderr) == (
            0,
            False,
            False,
        )
        assert operator.json("plan")["changing"] == 0
        undone = push(operator, "rollback", full)
    finally:
        os.close(gone)
        os.close(full)
    assert undone.returncode == 11, undone.stderr
    assert "standard output: cannot be written: No space left on device" in undone.stderr
    assert "Traceback" not in undone.stderr
    assert operator.json("plan")["changing"] == 4
    log = Path(operator.lab / "log")
    assert not log.exists() or "Traceback" not in log.read_text()

"""The default lab with all its planes, for every client of one worker."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# lab first: its tests import their conftest by that name, whichever folder is collected before
sys.path[:0] = [str(ROOT / "tests/lab"), str(Path(__file__).parent), str(ROOT / "tests")]

from at_terminal import Operator  # noqa: E402


@pytest.fixture(scope="session")
def pushed_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """Each test leaves it whole."""
    where = tmp_path_factory.mktemp("clients")
    shutil.copytree(ROOT / "inventory/lab", where / "lab")
    operator = Operator(where / "lab", where / "state")
    operator.run("lab", "up", "--no-host-lldp")  # what clients are asked about neighbours is about switches
    operator.day0 = operator.running()
    try:
        operator.run("push", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")

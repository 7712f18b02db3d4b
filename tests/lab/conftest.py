"""Fixtures of labs that always end with their tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator
from described_lab import LabDescription, RunningLab, starter


@pytest.fixture
def lab_description(tmp_path: Path) -> LabDescription:
    """An empty lab description with addresses of its own."""
    return LabDescription(tmp_path / "lab")


@pytest.fixture
def start_lab() -> Iterator[Callable[[LabDescription], RunningLab]]:
    """Start labs from descriptions; every one of them is ended when the test ends, however it ends."""
    yield from starter()


@pytest.fixture(scope="module")
def start_module_lab() -> Iterator[Callable[[LabDescription], RunningLab]]:
    """As start_lab, for a lab that the tests of one module share."""
    yield from starter()


@pytest.fixture(scope="session")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The site with pairs of three systems, pushed plane by plane; who uses it is in the group ``front-site``."""
    where = tmp_path_factory.mktemp("front")
    shutil.copytree(ROOT / "tests/sites/front", where / "front")
    operator = Operator(where / "front", where / "state")
    operator.start()
    try:
        # only hosts of business are on leaves of Cumulus Linux, where a peer link without a VLAN carries all
        refused = operator.run("push", "--plane", "storage", "--yes", code=7)
        assert "first push a plane that has a VLAN on the port" in refused
        assert operator.running() == operator.day0
        assert "10 of 10 changed" in operator.run("push", "--plane", "business", "--yes")
        assert "0 of 10 changed" in operator.run("push", "--plane", "business", "--yes")
        assert "4 of 10 changed" in operator.run("push", "--plane", "storage", "--yes")
        assert "4 of 4 changed" in operator.run("push", "--plane", "compute", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")

"""A site with two planes on each NIC port, at leaves of all three systems: pushed, nothing to do again, valid."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator, lab_of_its_own

pytestmark = pytest.mark.xdist_group("shared-ports-site")
LEAVES = {"leaf-g1-r0", "leaf-g1-r1", "leaf-g1-r2"}


def shared_site(where: Path) -> Operator:
    """A copy of the site with a state of its own."""
    shutil.copytree(ROOT / "tests" / "sites" / "shared", where / "shared")
    return Operator(where / "shared", where / "state")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("shared"), shared_site) as made:
        assert "5 of 5 changed" in made.run("push", "--plane", "compute", "--yes")
        before = {name: hand.running() for name, hand in made.hands().items()}
        assert "3 of 5 changed" in made.run("push", "--plane", "data", "--yes")
        assert {name for name, hand in made.hands().items() if hand.running() != before[name]} == LEAVES
        yield made


def test_what_was_pushed_plane_by_plane_is_what_is_pushed_together(pushed: Operator) -> None:
    assert "0 of 5 changed" in pushed.run("push", "--yes")


def test_both_planes_are_valid_together_and_each_by_itself(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    parts = {plane: pushed.json("validate", "--plane", plane) for plane in ("compute", "data")}
    assert all((part["failed"], part["tested"]) == (0, part["of"]) for part in parts.values())
    of = ", ".join(f"{part['of']} of {plane}" for plane, part in parts.items())
    figure(f"tested {report['tested']} of {report['of']}: {of}")

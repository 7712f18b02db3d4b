"""A site of two fabrics and three planes, two of them on one: pushed one by one, nothing to do again, valid."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator, lab_of_its_own

pytestmark = pytest.mark.xdist_group("fabrics-site")


def fabrics_site(where: Path) -> Operator:
    """A copy of the site with a state of its own."""
    shutil.copytree(ROOT / "tests" / "sites" / "fabrics", where / "fabrics")
    return Operator(where / "fabrics", where / "state")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("fabrics"), fabrics_site) as made:
        assert "6 of 6 changed" in made.run("push", "--plane", "archive", "--yes")
        assert {name for name, hand in made.hands().items() if hand.running() != made.day0[name]} == {
            each["name"] for each in made.json("design")["devices"] if each["plane"] == "front"
        }
        assert "3 of 6 changed" in made.run("push", "--plane", "data", "--yes")  # spines have nothing of its own
        assert "4 of 4 changed" in made.run("push", "--plane", "compute", "--yes")
        yield made


def test_what_was_pushed_plane_by_plane_is_what_is_pushed_together(pushed: Operator) -> None:
    assert "0 of 10 changed" in pushed.run("push", "--yes")


def test_both_fabrics_are_valid_together_and_each_by_itself(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    planes = ("compute", "data", "archive")
    parts = {plane: pushed.json("validate", "--plane", plane) for plane in planes}
    assert all((part["failed"], part["tested"]) == (0, part["of"]) for part in parts.values())
    assert all(part["of"] < report["of"] for part in parts.values())
    of = ", ".join(f"{part['of']} of {plane}" for plane, part in parts.items())
    figure(f"tested {report['tested']} of {report['of']}: {of}")


def test_a_cable_swapped_on_one_fabric_is_found_there_and_the_other_stays_valid(pushed: Operator) -> None:
    swap = ("lab", "swap", "front-leaf-g1-u1", "front-leaf-g2-u1")
    pushed.run(*swap)
    try:
        report = pushed.json("validate", "--plane", "data", code=8)
        assert all(each["device"].startswith("front-") for each in report["findings"] if each["verdict"] == "fail")
        assert pushed.json("validate", "--plane", "compute")["failed"] == 0
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0

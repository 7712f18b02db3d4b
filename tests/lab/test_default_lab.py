"""The site that commands take when none is named: all planes pushed at once, nothing to do again, all of it valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from at_terminal import ROOT, Operator

pytestmark = pytest.mark.xdist_group("default-lab")

PLANES = ("compute", "storage", "business", "oob")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The built-in lab, where nothing but the state has a place of its own."""
    operator = Operator(ROOT / "inventory/lab", tmp_path_factory.mktemp("default-lab") / "state")
    operator.start()
    try:
        assert "22 of 22 changed" in operator.run("push", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def test_a_second_push_of_all_planes_or_of_one_changes_nothing(pushed: Operator) -> None:
    assert "0 of 22 changed" in pushed.run("push", "--yes")
    for plane in PLANES:
        assert "0 of " in pushed.run("push", "--plane", plane, "--yes")


@pytest.mark.parametrize("words", [(), *(("--plane", plane) for plane in PLANES)])
def test_all_that_is_to_be_judged_is_judged_and_right(
    pushed: Operator, words: tuple[str, ...], figure: Callable[[str], None]
) -> None:
    report = pushed.json("validate", *words)
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert report["of"] > 0
    figure(f"{' '.join(words) or 'all planes'}: tested {report['tested']} of {report['of']}")

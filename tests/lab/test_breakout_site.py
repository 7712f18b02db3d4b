"""A site with split cages at both tiers, parallel links and two spine groups: pushed, nothing to do again, valid."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.preloaded_client import nornir
from tests.published import published

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("breakout-site")


class Operator:
    """Somebody at a terminal with a copy of the site."""

    def __init__(self, where: Path) -> None:
        self.site, self.state = where / "lab-breakout", where / "state"
        shutil.copytree(ROOT / "inventory/lab-breakout", self.site)

    def run(self, *words: str) -> str:
        environ = {**os.environ, "GPUFABRIC_STATE": str(self.state)}
        done = nornir(*words, "--site", str(self.site), environ=environ)
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *words: str) -> Any:
        return published(json.JSONDecoder().raw_decode(self.run(*words, "--json"))[0])


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    operator = Operator(tmp_path_factory.mktemp("breakout"))
    operator.run("lab", "up")
    try:
        assert "8 of 8 changed" in operator.run("push", "--plane", "compute", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 8 changed" in pushed.run("push", "--plane", "compute", "--yes")


def test_everything_is_up_and_valid_over_every_leg(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate", "--all")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    figure(f"tested {report['tested']} of {report['of']}")


def test_the_site_has_what_the_default_lab_has_not(pushed: Operator) -> None:
    found = pushed.json("design")
    legs: dict[str, list[Any]] = {}
    for link in found["links"]:
        legs.setdefault(link["cable"], []).append(link)
    assert max(len(links) for links in legs.values()) == 2
    fabric = [(link["upper"]["device"], link["lower"]["device"]) for link in found["links"] if link["kind"] == "fabric"]
    assert all(fabric.count(pair) == 2 for pair in fabric)
    assert found["reachable"]["compute"][0] == [True, True, False, False]

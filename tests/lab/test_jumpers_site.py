"""Cages split at both ends, on two systems: pushed, valid, nothing to do again; swapped jumpers are named by leg."""

import csv
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from at_terminal import ROOT, Operator

pytestmark = pytest.mark.xdist_group("jumpers-site")


@dataclass(frozen=True)
class End:
    """One end of a jumper: the port, and which leg of which cage it is."""

    device: str
    port: str
    cage: tuple[str, str]
    leg: int

    @property
    def words(self) -> str:
        """As a finding has it."""
        return f"{self.device} {self.port} (leg {self.leg} of cage {self.cage[1]})"


@dataclass(frozen=True)
class Jumper:
    """One cable between two switches."""

    cable: str
    upper: End
    lower: End


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    where = tmp_path_factory.mktemp("jumpers")
    shutil.copytree(ROOT / "tests" / "sites" / "jumpers", where / "jumpers")
    operator = Operator(where / "jumpers", where / "state")
    operator.start()
    try:
        assert "6 of 6 changed" in operator.run("push", "--plane", "compute", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


@pytest.fixture(scope="module")
def jumpers(pushed: Operator) -> list[Jumper]:
    """The jumpers between switches, as the cabling plan has them."""
    file = pushed.state.parent / "cables.csv"
    pushed.run("design", "--csv", str(file))
    found = []
    for row in csv.DictReader(file.read_text().splitlines()):
        if row["a_leg"] and row["b_leg"]:
            words = [part.partition("(")[2].rstrip(") ") for part in row["label"].split(" | ")[1:]]
            ends = [
                End(
                    row[f"{side}_device"],
                    row[f"{side}_port"],
                    (row[f"{side}_device"], each.split()[-1]),
                    int(each.split()[1]),
                )
                for side, each in zip("ab", words, strict=True)
            ]
            found.append(Jumper(row["cable"], *ends))
    return found


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 6 changed" in pushed.run("push", "--plane", "compute", "--yes")


def test_everything_is_up_and_valid_over_every_leg(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    figure(f"tested {report['tested']} of {report['of']}")


def test_every_cage_between_switches_has_two_jumpers_and_both_systems_are_split(jumpers: list[Jumper]) -> None:
    legs = defaultdict(set)
    for each in jumpers:
        legs[each.upper.cage].add(each.upper.leg)
        legs[each.lower.cage].add(each.lower.leg)
    assert set(map(frozenset, legs.values())) == {frozenset({1, 2})}
    ports = {end.port for each in jumpers for end in (each.upper, each.lower)}
    assert any(port.startswith("swp") and port.endswith("s1") for port in ports)
    assert any(port.startswith("Ethernet") and port.endswith("/5") for port in ports)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("spine", ["spine-1", "spine-2"])
@pytest.mark.parametrize("within", [True, False], ids=["within-a-cage", "between-cages"])
def test_two_swapped_jumpers_are_named_by_cable_and_leg(
    pushed: Operator, jumpers: list[Jumper], spine: str, within: bool
) -> None:
    here = [each for each in jumpers if each.upper.device == spine]
    first = here[0]
    second = next(each for each in here[1:] if (each.upper.cage == first.upper.cage) == within)
    pushed.run("lab", "swap", first.cable, second.cable)
    try:
        report = pushed.run("validate", "--all", code=8)
        for one, other in ((first, second), (second, first)):
            assert (
                f"{one.upper.words}: cable {one.cable} leads to {other.lower.words}, not to {one.lower.words}" in report
            )
            assert f"swap the ends of {one.cable} and {other.cable}" in report
        assert "0 of 6 switches would change" in pushed.run("plan")
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0

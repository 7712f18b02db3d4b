"""Switches begin to balance packet by packet only once somebody says that hosts' NICs reorder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator, lab_of_its_own

from tests.intent_parts import of_two_rails

PUSH = ("push", "--plane", "compute", "--yes")
SWITCHES = ["leaf-g1-r0", "leaf-g1-r1", "spine-1"]


def nvue_site(where: Path) -> Operator:
    """Two leaves and a spine of Cumulus Linux, with two links to each: static, and NICs that can be told to reorder."""
    made = Operator(where / "lab", where / "state")
    made.site.mkdir(parents=True)
    text = of_two_rails((ROOT / "inventory/lab-rails/fabric.yml").read_text())
    leaf = text.index("    leaf:\n")
    routing = text.index("    routing:")
    switch = '{platform: nvue, release: "5.14", model: SN5400, medium: DR4, cable_m: 40'
    text = (
        text[:leaf]
        + f"    leaf: {switch.replace('DR4, cable_m: 40', 'AOC, cable_m: 5')}}}\n"
        + f"    spine: {switch}, oversubscription: 0.5, count: 1}}\n"
        + text[routing:]
    )
    (made.site / "fabric.yml").write_text(text)
    return made


def to(operator: Operator, mode: str) -> None:
    file = operator.site / "fabric.yml"
    other = {"static": "per_packet", "per_packet": "static"}[mode]
    text = file.read_text()
    assert f"load_balancing: {other}" in text
    file.write_text(text.replace(f"load_balancing: {other}", f"load_balancing: {mode}"))


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """Pushed with static load balancing, and then told to balance packet by packet."""
    with lab_of_its_own(tmp_path_factory.mktemp("per_packet"), nvue_site) as made:
        made.run(*PUSH)
        to(made, "per_packet")
        yield made


def test_hosts_come_first_and_what_runs_needs_no_word_again(operator: Operator) -> None:
    planned = operator.run("plan")
    assert f"3 of them would begin to balance packet by packet: {', '.join(SWITCHES)}. Hosts first:" in planned
    assert f"2. nornir push --site {operator.site} --hosts-reorder" in planned
    assert operator.json("plan")["begin_to_spray"] == SWITCHES

    before = {name: hand.running() for name, hand in operator.hands().items()}
    refused = operator.run(*PUSH, code=7)
    assert f"{', '.join(SWITCHES)}: the change has it balance packet by packet" in refused
    assert "use --hosts-reorder" in refused
    assert {name: hand.running() for name, hand in operator.hands().items()} == before

    assert "3 of 3 changed" in operator.run(*PUSH, "--hosts-reorder")
    assert "0 of 3 changed" in operator.run(*PUSH)
    assert operator.json("plan")["begin_to_spray"] == []
    assert operator.json("validate")["failed"] == 0

    to(operator, "static")
    assert "3 of 3 changed" in operator.run(*PUSH), "back to the hash harms nobody"
    assert "the change has it balance packet by packet" in operator.run("rollback", "--yes", code=7)
    assert "3 of 3 changed" in operator.run("rollback", "--yes", "--hosts-reorder")

"""Published outputs of power supplies become the same rows on three systems, and as the twins of the lab show them."""

import json
import sys
from pathlib import Path

import pytest

from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import Observing, Supply

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of


def test_eos_and_nxos_show_them_by_number() -> None:
    shown = json.loads(stdout_of("eos_show/environment.txt", eos.POWER.what))
    found = eos.OBSERVING.read("leaf", {eos.POWER.what: shown}).supplies
    assert found is not None
    assert [(each.name, each.works) for each in found] == [("1", True), ("2", False)]
    whole = json.loads(stdout_of("nxos_show/environment.txt", "show environment | json"))
    assert nxos.OBSERVING.read("leaf", {nxos.POWER.what: whole}).supplies == (
        Supply("1", works=True, state="Ok"),
        Supply("2", works=False, state="Shutdown"),
    )


def test_nvue_shows_them_by_name() -> None:
    rows = stdout_of("nvue_show/supplies.txt", "nv show platform environment psu").splitlines()[2:]
    shown = {name: {"state": state} for name, state in (row.split() for row in rows)}
    found = nvue.OBSERVING.read("leaf", {nvue.SUPPLIES.what: shown}).supplies
    assert found == (Supply("PSU1", works=True, state="ok"), Supply("PSU2", works=True, state="ok"))


@pytest.mark.parametrize(
    ("observing", "answers"),
    [
        (eos.OBSERVING, {eos.POWER.what: {"powerSupplies": {}}}),
        (nxos.OBSERVING, {nxos.POWER.what: {}}),
        (nvue.OBSERVING, {nvue.SUPPLIES.what: {}}),
    ],
    ids=["eos", "nxos", "nvue"],
)
def test_a_virtual_switch_shows_none_which_is_not_to_show_nothing(
    observing: Observing, answers: dict[str, object]
) -> None:
    assert observing.read("leaf", answers).supplies == ()
    assert observing.read("leaf", {}).supplies is None

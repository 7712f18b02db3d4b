"""`design --against` in words and as data: which switch is replaced, what stays meanwhile, and who loses everything."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app

INVENTORY = Path(__file__).parents[3] / "inventory"


def against(lab: str, where: Path, *changes: tuple[str, str]) -> tuple[str, str]:
    """What is said of a lab with other words in its file, against the lab as it is: as text and as JSON."""
    changed = (INVENTORY / lab / "fabric.yml").read_text(encoding="utf-8")
    for before, after in changes:
        assert before in changed
        changed = changed.replace(before, after)
    (where / "fabric.yml").write_text(changed, encoding="utf-8")
    words = ["design", "--site", str(where), "--against", lab]
    results = [CliRunner().invoke(app, [*words, *more]) for more in ([], ["--json"])]
    assert [each.exit_code for each in results] == [0, 0], [each.output for each in results]
    return results[0].stdout, results[1].stdout


@pytest.mark.parametrize(("lab", "cables", "links"), [("lab-rails", 8, 8), ("lab", 9, 10)])
def test_a_spine_of_another_model_is_replaced_in_a_step_of_its_own_that_says_what_stays(
    lab: str, cables: int, links: int, tmp_path: Path
) -> None:
    """In the lab with all planes a management port is cabled as well, and no uplink of its switch."""
    text, data = against(lab, tmp_path, ("model: SN5600", "model: SN5610"))
    lines = text.splitlines()
    assert lines[0] == (
        f"step 1: replace spine-1 (SN5600) by a SN5610, {cables} cables; "
        f"stays: 50% of a leaf's declared uplink bandwidth, {links} of {links} links of a host"
    )
    assert lines[1] == "  drain spine-1, take it out, cable and push the new one, validate it, and return it to service"
    again = f"{2 * cables} to plug into a new switch as they were"
    assert lines[-1] == f"0 cables to add, 0 to move, 0 to remove, {again}, in 2 steps"
    found = json.loads(data)
    assert found["replaced"] == {f"spine-{n}": {"before": "SN5600", "after": "SN5610"} for n in (1, 2)}
    assert [(step["replaced"], step["kept"], step["below"], step["cut_off"]) for step in found["steps"]] == [
        (f"spine-{n}", {"uplinks": 0.5, "host_links": [links, links]}, [], []) for n in (1, 2)
    ]
